/* route_algorithms.c - GET /algorithms: the tables of solvers, constructions, counting methods and kernels. */
#include <string.h>

#include "base/json.h"
#include "constructions/construction.h"
#include "count/methods/method.h"
#include "formats/format.h"
#include "http/ask/ask_machine.h"
#include "http/reply/route.h"
#include "kernels/kernel.h"
#include "solvers/solver.h"
#include "steps/listing.h"

/* The names of the parameters that an algorithm uses. */
static json_t *heeds_list(unsigned heeds)
{
    json_t *list = json_array();
    const char *parameter;
    unsigned bit;
    for (size_t i = 0; (parameter = ask_machine_parameter(i, &bit)); i++)
        if (heeds & bit)
            json_element(&list, json_string(parameter));
    return list;
}

/* The names of the rules that a solver asks. */
static json_t *solver_rules(const struct solver *solver)
{
    json_t *list = json_array();
    for (const struct rule *const *at = rules; *at; at++)
        if (rule_by_lines(*at) || solver->by_rule)
            json_element(&list, json_string((*at)->name));
    return list;
}

/* By kind of step, the word for it in a trace. */
static json_t *steps_list(unsigned steps)
{
    json_t *list = json_array();
    for (enum step_kind kind = STEP_PLACE; kind <= STEP_MOVE; kind++)
        if (steps & 1u << kind)
            json_element(&list, json_string(format_step_name(kind)));
    return list;
}

/* The lines of a listing, each with the kinds of steps that it does. */
static json_t *listing_lines(const struct listing *listing)
{
    json_t *lines = json_array();
    unsigned number = 1;
    for (const char *line = listing->begin; line < listing->end; number++) {
        const char *end = memchr(line, '\n', (size_t)(listing->end - line));
        unsigned steps = 0;
        for (enum step_kind kind = STEP_PLACE; kind <= STEP_MOVE; kind++)
            steps |= (unsigned)(listing->line[kind] == number) << kind;
        json_element(&lines, json_pack("{s:s%, s:o}", "text", line, (size_t)(end - line), "steps", steps_list(steps)));
        line = end + 1;
    }
    return lines;
}

static json_t *pseudocode_lines(const struct pseudocode *code)
{
    json_t *lines = json_array();
    for (const struct code_line *line = code->lines; line->text; line++)
        json_element(&lines, json_pack("{s:s, s:o}", "text", line->text, "steps", steps_list(line->steps)));
    return lines;
}

/* What a machine does: a program, or pseudocode, which has no language; null without a machine. */
static json_t *code_of(const struct machine_class *machine)
{
    static const char form[] = "{s:s?, s:{s:s?, s:s?, s:s?}, s:o}";
    const struct listing *listing = machine ? machine->listing : NULL;
    const struct pseudocode *code = machine ? machine->code : NULL;
    if (listing)
        return json_pack(form, "language", listing->language, "variables", "row", listing->row, "column",
                         listing->column, "board", listing->board, "lines", listing_lines(listing));
    if (code)
        return json_pack(form, "language", NULL, "variables", "row", code->row, "column", code->column, "board",
                         code->board, "lines", pseudocode_lines(code));
    return json_null();
}

/* traced, also below: only those that /trace accepts. */
static json_t *solver_list(bool traced)
{
    static const char *const lists[] = {[LISTS_ALL] = "all",
                                        [LISTS_MIRROR] = "mirror",
                                        [LISTS_FUNDAMENTAL] = "fundamental",
                                        [LISTS_COLUMN] = "column",
                                        [LISTS_SOME] = "some"};
    json_t *list = json_array();
    for (const struct solver *const *at = solvers; *at; at++) {
        if (traced && !(*at)->machine)
            continue;
        json_element(
            &list,
            json_pack(
                "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:s?, s:s?, s:i, s:b, s:o, s:b, s:s, s:o, s:b, s:o, s:b}",
                "name", (*at)->name, "title", (*at)->title, "summary", (*at)->summary, "order", (*at)->order, "lists",
                lists[(*at)->lists], "complexity", (*at)->complexity, "source", (*at)->source, "year", (*at)->year,
                "tests", (*at)->tests, "errata", (*at)->errata, "max_n", (int)(*at)->max_n, "filters",
                (*at)->search != NULL, "rules", solver_rules(*at), "regions", (*at)->by_regions, "resume",
                solver_resumes(*at) ? "position" : "replay", "parameters", heeds_list((*at)->heeds), "trace",
                (*at)->machine != NULL, "code", code_of((*at)->machine), "default", at == solvers));
    }
    return list;
}

/* The names of the rules by which a construction has solutions. */
static json_t *rule_list(const struct construction *construction)
{
    json_t *list = json_array();
    for (const struct rule *const *at = rules; *at; at++)
        if (construction_max_n(construction, *at))
            json_element(&list, json_string((*at)->name));
    return list;
}

static json_t *construction_list(bool traced)
{
    json_t *list = json_array();
    for (const struct construction *const *at = constructions; *at; at++) {
        if (traced && !(*at)->machine)
            continue;
        json_element(&list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:o, s:b, s:o, s:b}", "name", (*at)->name,
                                      "title", (*at)->title, "summary", (*at)->summary, "complexity", (*at)->complexity,
                                      "source", (*at)->source, "year", (*at)->year, "max_n", (int)(*at)->max_n, "rules",
                                      rule_list(*at), "seeded", ((*at)->takes & TAKES_SEED) != 0, "code",
                                      code_of((*at)->machine), "default", at == constructions));
    }
    return list;
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

static json_t *rules_list(bool traced)
{
    (void)traced;
    json_t *list = json_array();
    for (const struct rule *const *at = rules; *at; at++) {
        json_t *lines = json_array();
        for (enum conflict_line line = LINE_ROW; line < CONFLICT_LINES; line++)
            if (has_line(*at, line))
                json_element(&lines, json_string(conflict_line_name(line)));
        json_element(&list, json_pack("{s:s, s:o, s:b}", "name", (*at)->name, "lines", lines, "torus", (*at)->shifts));
    }
    return list;
}

static json_t *method_list(bool traced)
{
    (void)traced;
    json_t *list = json_array();
    for (const struct method *const *at = methods; *at; at++)
        json_element(&list, json_pack("{s:s, s:s, s:s, s:i}", "name", (*at)->name, "summary", (*at)->summary, "source",
                                      (*at)->source, "max_n", (int)(*at)->max_n));
    return list;
}

/* Not which of them this machine supports or uses: the body must be the same on every replica. */
static json_t *kernel_list(bool traced)
{
    (void)traced;
    json_t *list = json_array();
    for (const struct kernel *const *at = kernels; *at; at++)
        json_element(&list, json_pack("{s:s, s:s}", "name", (*at)->name, "summary", (*at)->summary));
    return list;
}

enum { TABLE };

enum { ALL, SOLVERS, CONSTRUCTIONS, METHODS, RULES, KERNELS, TRACED };
PARAM_CHOICES(tables_offered, [ALL] = "all", [SOLVERS] = "solvers", [CONSTRUCTIONS] = "constructions",
              [METHODS] = "counting-methods", [RULES] = "rules", [KERNELS] = "kernels", [TRACED] = "traced");

static const struct param params[] = {
    [TABLE] = {.name = "table",
               .type = PARAM_CHOICE,
               .choices = tables_offered,
               .summary = "only one of the tables, and the rules if it names them; or only what /trace accepts"},
    {0},
};

static const struct {
    const char *name;
    json_t *(*list)(bool traced);
} tables[] = {
    [SOLVERS] = {"solvers", solver_list},          [CONSTRUCTIONS] = {"constructions", construction_list},
    [METHODS] = {"counting_methods", method_list}, [RULES] = {"rules", rules_list},
    [KERNELS] = {"kernels", kernel_list},
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
    json_t *object = json_object();
    for (unsigned i = SOLVERS; i <= KERNELS; i++)
        if (wanted(i, values[TABLE].number))
            json_member(&object, tables[i].name, tables[i].list(values[TABLE].number == TRACED));
    bytes_json(body, object, JSON_INDENT(2));
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
