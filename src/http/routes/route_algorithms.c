/* route_algorithms.c - GET /algorithms: the tables of solvers, constructions, counting methods and kernels. */
#include <string.h>

#include "base/json.h"
#include "constructions/construction.h"
#include "count/methods/method.h"
#include "engine/ask/machines.h"
#include "formats/format.h"
#include "http/ask/ask_machine.h"
#include "http/reply/route.h"
#include "kernels/kernel.h"
#include "solvers/solver.h"
#include "steps/listing.h"

/* The parameters that an algorithm uses. */
static void write_heeds(struct bytes *out, unsigned heeds)
{
    const char *parameter;
    unsigned bit;
    json_begin_array(out, "parameters");
    for (size_t i = 0; (parameter = ask_machine_parameter(i, &bit)); i++)
        if (heeds & bit)
            json_write_text(out, NULL, parameter);
    json_end_array(out);
}

/* A line of a program or of pseudocode, with the words that a trace has for the kinds of steps that it does. */
static void write_line(struct bytes *out, const char *text, size_t size, unsigned steps)
{
    json_begin_object(out, NULL);
    json_write_part(out, "text", text, size);
    json_begin_array(out, "steps");
    for (enum step_kind kind = STEP_PLACE; kind <= STEP_MOVE; kind++)
        if (steps & 1u << kind)
            json_write_text(out, NULL, format_step_name(kind));
    json_end_array(out);
    json_end_object(out);
}

static void write_listing(struct bytes *out, const struct listing *listing)
{
    unsigned number = 1;
    for (const char *line = listing->begin; line < listing->end; number++) {
        const char *end = memchr(line, '\n', (size_t)(listing->end - line));
        unsigned steps = 0;
        for (enum step_kind kind = STEP_PLACE; kind <= STEP_MOVE; kind++)
            steps |= (unsigned)(listing->line[kind] == number) << kind;
        write_line(out, line, (size_t)(end - line), steps);
        line = end + 1;
    }
}

static void write_pseudocode(struct bytes *out, const struct pseudocode *code)
{
    for (const struct code_line *line = code->lines; line->text; line++)
        write_line(out, line->text, strlen(line->text), line->steps);
}

/* What the tables list. */
struct scope {
    bool traced;         /* only the rows that /trace accepts */
    const char *program; /* of this row only; NULL: of all */
};

/* What a machine does: a program, or pseudocode, which has no language; null without a machine, or out of scope. */
static void write_code(struct bytes *out, const struct machine_class *machine, const char *name,
                       const struct scope *scope)
{
    if (scope->program && strcmp(scope->program, name) != 0)
        machine = NULL;
    const struct listing *listing = machine ? machine->listing : NULL;
    const struct pseudocode *code = machine ? machine->code : NULL;
    if (!listing && !code) {
        json_write_null(out, "code");
        return;
    }
    json_begin_object(out, "code");
    json_write_text(out, "language", listing ? listing->language : NULL);
    json_begin_object(out, "variables");
    json_write_text(out, "row", listing ? listing->row : code->row);
    json_write_text(out, "column", listing ? listing->column : code->column);
    json_write_text(out, "board", listing ? listing->board : code->board);
    json_end_object(out);
    json_begin_array(out, "lines");
    if (listing)
        write_listing(out, listing);
    else
        write_pseudocode(out, code);
    json_end_array(out);
    json_end_object(out);
}

/* The rules by which a solver searches, or a construction has solutions. */
static void write_rules(struct bytes *out, const struct solver *solver, const struct construction *construction)
{
    json_begin_array(out, "rules");
    for (const struct rule *const *at = rules; *at; at++)
        if (solver ? rule_suits(*at, solver->by_rule) : construction_max_n(construction, *at) > 0)
            json_write_text(out, NULL, (*at)->name);
    json_end_array(out);
}

static void write_solver(struct bytes *out, const struct solver *solver, const struct scope *scope)
{
    static const char *const lists[] = {[LISTS_ALL] = "all",
                                        [LISTS_MIRROR] = "mirror",
                                        [LISTS_FUNDAMENTAL] = "fundamental",
                                        [LISTS_COLUMN] = "column",
                                        [LISTS_SOME] = "some"};
    json_begin_object(out, NULL);
    json_write_text(out, "name", solver->name);
    json_write_text(out, "title", solver->title);
    json_write_text(out, "summary", solver->summary);
    json_write_text(out, "order", solver->order);
    json_write_text(out, "lists", lists[solver->lists]);
    json_write_text(out, "complexity", solver->complexity);
    json_write_text(out, "source", solver->source);
    json_write_number(out, "year", (uint64_t)solver->year);
    json_write_text(out, "tests", solver->tests);
    json_write_text(out, "errata", solver->errata);
    json_write_number(out, "max_n", solver->max_n);
    json_write_bool(out, "filters", solver->search);
    write_rules(out, solver, NULL);
    json_write_bool(out, "regions", solver->by_regions);
    json_write_text(out, "resume", solver_resumes(solver) ? "position" : "replay");
    write_heeds(out, solver->heeds);
    json_write_bool(out, "trace", solver->machine);
    write_code(out, solver->machine, solver->name, scope);
    json_write_bool(out, "default", solver == solvers[0]);
    json_end_object(out);
}

static void write_solvers(struct bytes *out, const struct scope *scope)
{
    for (const struct solver *const *at = solvers; *at; at++)
        if (!scope->traced || (*at)->machine)
            write_solver(out, *at, scope);
}

static void write_construction(struct bytes *out, const struct construction *construction, const struct scope *scope)
{
    json_begin_object(out, NULL);
    json_write_text(out, "name", construction->name);
    json_write_text(out, "title", construction->title);
    json_write_text(out, "summary", construction->summary);
    json_write_text(out, "complexity", construction->complexity);
    json_write_text(out, "source", construction->source);
    json_write_number(out, "year", (uint64_t)construction->year);
    json_write_number(out, "max_n", construction->max_n);
    write_rules(out, NULL, construction);
    json_write_bool(out, "seeded", construction->takes & TAKES_SEED);
    write_code(out, construction->machine, construction->name, scope);
    json_write_bool(out, "default", construction == constructions[0]);
    json_end_object(out);
}

static void write_constructions(struct bytes *out, const struct scope *scope)
{
    for (const struct construction *const *at = constructions; *at; at++)
        if (!scope->traced || (*at)->machine)
            write_construction(out, *at, scope);
}

/* Whether two queens of a board can share a line, and no line that comes before it. */
static bool has_line(const struct rule *rule, enum conflict_line line)
{
    enum { N = 7, SQUARES = N * N };
    for (uint32_t a = 0; a < SQUARES; a++)
        for (uint32_t b = 0; b < a; b++)
            if (rule_line(rule, N, a / N, a % N, b / N, b % N) == line)
                return true;
    return false;
}

static void write_rule_table(struct bytes *out, const struct scope *scope)
{
    (void)scope;
    for (const struct rule *const *at = rules; *at; at++) {
        json_begin_object(out, NULL);
        json_write_text(out, "name", (*at)->name);
        json_begin_array(out, "lines");
        for (enum conflict_line line = LINE_ROW; line < CONFLICT_LINES; line++)
            if (has_line(*at, line))
                json_write_text(out, NULL, conflict_line_name(line));
        json_end_array(out);
        json_write_bool(out, "torus", (*at)->shifts);
        json_end_object(out);
    }
}

static void write_method(struct bytes *out, const char *name, const char *summary, const char *source, uint32_t max_n)
{
    json_begin_object(out, NULL);
    json_write_text(out, "name", name);
    json_write_text(out, "summary", summary);
    json_write_text(out, "source", source);
    json_write_number(out, "max_n", max_n);
    json_end_object(out);
}

/* The methods of a query, and the search of boards of any shape, which are none. */
static void write_methods(struct bytes *out, const struct scope *scope)
{
    (void)scope;
    for (const struct method *const *at = methods; *at; at++)
        write_method(out, (*at)->name, (*at)->summary, (*at)->source, (*at)->max_n);
    write_method(out, algorithm_shape,
                 "placements on boards with m, queens, walls or maximal: queens are put into one part of a row between "
                 "walls after the other, or are left out, and every placement on the way is counted by its number of "
                 "queens",
                 "backtracking; classes by Burnside's lemma", SHAPE_MAX_SIDE);
}

/* Not which of them this machine supports or uses: the body must be the same on every replica. */
static void write_kernels(struct bytes *out, const struct scope *scope)
{
    (void)scope;
    for (const struct kernel *const *at = kernels; *at; at++) {
        json_begin_object(out, NULL);
        json_write_text(out, "name", (*at)->name);
        json_write_text(out, "summary", (*at)->summary);
        json_end_object(out);
    }
}

enum { TABLE, PROGRAM };

enum { ALL, SOLVERS, CONSTRUCTIONS, METHODS, RULES, KERNELS, TRACED };
PARAM_CHOICES(tables_offered, [ALL] = "all", [SOLVERS] = "solvers", [CONSTRUCTIONS] = "constructions",
              [METHODS] = "counting-methods", [RULES] = "rules", [KERNELS] = "kernels", [TRACED] = "traced");

/* The algorithms that have a program, after the word for all of them. */
static const char *programs_offered(size_t i)
{
    struct machine machine;
    if (i == 0)
        return "all";
    return machines_get(i - 1, &machine) ? machine.name : NULL;
}

static const struct param params[] = {
    [TABLE] = {.name = "table",
               .type = PARAM_CHOICE,
               .choices = tables_offered,
               .summary = "only one of the tables, and the rules if it names them; or only what /trace accepts"},
    [PROGRAM] = {.name = "program",
                 .type = PARAM_CHOICE,
                 .choices = programs_offered,
                 .neutral = true,
                 .summary = "the algorithm whose program is listed",
                 .bonds = BONDS(BOND(EXCLUDES, IS("table=counting-methods|rules|kernels")))},
    {0},
};

static const struct {
    const char *name;
    void (*write)(struct bytes *out, const struct scope *scope);
} tables[] = {
    [SOLVERS] = {"solvers", write_solvers},          [CONSTRUCTIONS] = {"constructions", write_constructions},
    [METHODS] = {"counting_methods", write_methods}, [RULES] = {"rules", write_rule_table},
    [KERNELS] = {"kernels", write_kernels},
};

/* Solvers and constructions name rules. */
static bool wanted(unsigned table, uint64_t only)
{
    const bool names_rules = table == SOLVERS || table == CONSTRUCTIONS || table == RULES;
    return only == ALL || only == table || (only == TRACED && names_rules) ||
           (table == RULES && (only == SOLVERS || only == CONSTRUCTIONS));
}

static void write_tables(const struct value *values, struct bytes *body)
{
    const struct scope scope = {.traced = values[TABLE].number == TRACED,
                                .program = values[PROGRAM].number ? programs_offered(values[PROGRAM].number) : NULL};
    json_begin_object(body, NULL);
    for (unsigned i = SOLVERS; i <= KERNELS; i++)
        if (wanted(i, values[TABLE].number)) {
            json_begin_array(body, tables[i].name);
            tables[i].write(body, &scope);
            json_end_array(body);
        }
    json_end_object(body);
    json_end_indented(body, 0);
}

static enum MHD_Result handle(struct request *request, const struct value *values)
{
    return reply_constant(request, values, write_tables);
}

const struct route route_algorithms = {
    .asks.path = "/algorithms",
    .summary = "The algorithms, methods and formats, with sources and limits",
    .media_type = "application/json",
    .asks.params = params,
    .handle = handle,
};
