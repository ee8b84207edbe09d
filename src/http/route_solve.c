/* route_solve.c - GET /solve: the solutions of one n that keep to a filter, in pages or as a stream, from any place. */
#include <inttypes.h>
#include <string.h>

#include "count/index.h"
#include "http/ask_count.h"
#include "http/ask_machine.h"
#include "http/ask_query.h"
#include "http/list.h"
#include "http/route.h"
#include "solvers/solver.h"

/* In canonical order; those that tell where a list begins last. */
enum {
    N,
    LIMIT,
    DISTINCT,
    SYMMETRY,
    PLACE,
    EXCLUDE,
    SAMPLE,
    SEED,
    RANK,
    TOTAL,
    ALGORITHM,
    COLUMN,
    SPLIT,
    STRATEGY,
    STATS,
    BOARD,
    BASE,
    FORMAT,
    OFFSET,
    AFTER,
    CURSOR
};

PARAM_CHOICES(
    boards, [BOARD_NONE] = "none", [BOARD_ASCII] = "ascii", [BOARD_UNICODE] = "unicode", [BOARD_GRID] = "grid");
PARAM_CHOICES(formats_offered, "json", "ndjson", "csv", "text", "svg", "png");

static const char *algorithms(size_t i)
{
    return solvers[i] ? solvers[i]->name : NULL;
}

enum { PAGE_LIMIT = 100, PAGE_LIMIT_MAX = 10000, SAMPLE_MAX = 1000000 };

/* The total of a list is told unasked up to this n: it is counted in no time. */
enum { TOTAL_MAX_N = 14 };

static const struct param params[] = {
    [N] = {.name = "n", .type = PARAM_NUMBER, .required = true, .most = NQ_SEARCH_MAX_N, .summary = "board size"},
    [LIMIT] = {.name = "limit",
               .type = PARAM_NUMBER,
               .least = 1,
               .most = INT64_MAX,
               .summary = "how many solutions at most: a page has 100 unless told, at most 10000; a stream has no "
                          "limit unless told"},
    [DISTINCT] = PARAM_DISTINCT,
    [SYMMETRY] = PARAM_SYMMETRY,
    [PLACE] = PARAM_PLACE,
    [EXCLUDE] = PARAM_EXCLUDE,
    [SAMPLE] = {.name = "sample",
                .type = PARAM_NUMBER,
                .least = 1,
                .most = SAMPLE_MAX,
                .summary = "so many solutions drawn at random, each as likely as any other, with replacement"},
    [SEED] = PARAM_SEED("of a sample, or of an algorithm that draws; drawn, and told, when there is none"),
    [RANK] = {.name = "rank",
              .type = PARAM_CHOICE,
              .choices = route_no_yes,
              .summary = "true: every solution tells how many of the list stand before it"},
    [TOTAL] = {.name = "total",
               .type = PARAM_CHOICE,
               .choices = route_no_yes,
               .summary = "true: a page tells how many solutions the list has, however long it takes to count them"},
    [ALGORITHM] = {.name = "algorithm", .type = PARAM_CHOICE, .choices = algorithms, .summary = "which solver"},
    [COLUMN] = PARAM_COLUMN,
    [SPLIT] = PARAM_SPLIT,
    [STRATEGY] = PARAM_STRATEGY,
    [STATS] = {.name = "stats",
               .type = PARAM_CHOICE,
               .choices = route_no_yes,
               .summary = "true: the list ends with what the algorithm did for it, step by step"},
    [BOARD] = {.name = "board", .type = PARAM_CHOICE, .choices = boards, .summary = "draw each solution too"},
    [BASE] = PARAM_BASE,
    [FORMAT] = PARAM_FORMAT(formats_offered),
    [OFFSET] = {.name = "offset",
                .type = PARAM_NUMBER,
                .most = INT64_MAX,
                .place = true,
                .summary = "skip so many solutions of the list"},
    [AFTER] = {.name = "after",
               .type = PARAM_COLUMNS,
               .place = true,
               .summary = "the list goes on after this solution, the columns of its queens, row by row"},
    [CURSOR] = {.name = "cursor",
                .type = PARAM_TOKEN,
                .place = true,
                .summary = "where a page before ended: its next_cursor"},
    {0},
};

static struct query_values query_values(const struct value *values)
{
    return (struct query_values){.n = &values[N],
                                 .base = &values[BASE],
                                 .distinct = &values[DISTINCT],
                                 .symmetry = &values[SYMMETRY],
                                 .place = &values[PLACE],
                                 .exclude = &values[EXCLUDE]};
}

static struct machine_values machine_values(const struct value *values)
{
    return (struct machine_values){.n = &values[N],
                                   .base = &values[BASE],
                                   .column = &values[COLUMN],
                                   .split = &values[SPLIT],
                                   .strategy = &values[STRATEGY],
                                   .seed = &values[SEED]};
}

/* Whether the list is made by an algorithm's machine, which has no filters. */
static bool by_machine(const struct value *values)
{
    return !solvers[values[ALGORITHM].number]->search || values[STATS].number;
}

/* What goes with queries of any kind only. */
static const int filters[] = {DISTINCT, SYMMETRY, PLACE, EXCLUDE, SAMPLE, OFFSET};

static bool filtered(const struct value *values, int which)
{
    return values[which].given && (params[which].type != PARAM_CHOICE || values[which].number);
}

/* Sets the question to an algorithm, and to what that lists. */
static void set_algorithm(const struct value *values, struct complaints *complaints, struct question *question)
{
    const struct solver *solver = solvers[values[ALGORITHM].number];
    const struct machine_values of = machine_values(values);
    struct machine machine = machines_of(solver);
    if (values[SAMPLE].given)
        machine.heeds |= HEEDS_SEED; /* the sample does */
    ask_machine(&of, &machine, complaints, &question->cursor.machine);
    question->cursor.algorithm = solver->name;
    question->cursor.watched = values[STATS].number;
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++)
        if (by_machine(values) && filtered(values, filters[i]))
            complain(complaints, false, params[filters[i]].name,
                     "goes neither with stats nor with another algorithm than bitboard");
    if (by_machine(values) && question->n <= FILTER_MAX_N && question->cursor.machine.column < FILTER_MAX_N)
        (void)solver_query(solver, &question->cursor.machine, question->n, &question->query);
}

/* The question, but for where the list begins. A picture shows the first solution there, whatever limit says. */
static struct question ask(const struct request *request, const struct value *values, struct complaints *complaints)
{
    const struct format *format = request_format(request);
    const struct query_values of = query_values(values);
    struct question question = {
        .kind = ASK_SOLVE,
        .n = (uint32_t)values[N].number,
        .base = route_base(&values[BASE]),
        .format = format,
        .board = (enum board_style)values[BOARD].number,
        .ranked = values[RANK].number,
        .samples = values[SAMPLE].given ? values[SAMPLE].number : 0,
        .seed = values[SEED].number,
        .limit = format->draw           ? 1
                 : values[SAMPLE].given ? values[SAMPLE].number
                 : values[LIMIT].given  ? values[LIMIT].number
                 : format->lines        ? UINT64_MAX
                                        : PAGE_LIMIT,
    };
    (void)ask_query(&of, complaints, &question.query);
    set_algorithm(values, complaints, &question);
    if (question.query.distinct != DISTINCT_ALL)
        question.distinct = ask_query_distincts(question.query.distinct);
    if (question.query.symmetry != SYMMETRY_ANY)
        question.symmetry = ask_query_symmetries(question.query.symmetry);
    return question;
}

/* Lets the list begin where `after` says. NQ_INVALID when that is no place in it. */
static enum nq_status set_after(struct question *question, const struct value *after)
{
    uint32_t columns[PARAM_COLUMNS_MAX];
    if (after->number != question->n)
        return NQ_INVALID;
    for (uint32_t row = 0; row < question->n; row++)
        columns[row] = after->columns[row] - question->base; /* 0 - 1 is off the board too */
    return question_set_after(question, columns);
}

static enum nq_status set_place(struct question *question, const struct value *values)
{
    question->offset = values[OFFSET].number;
    if (values[AFTER].given)
        return set_after(question, &values[AFTER]);
    return values[CURSOR].given ? question_set_cursor(question, values[CURSOR].token) : NQ_OK;
}

/* Whether an index has to tell where something stands. */
static bool needs_index(const struct question *question, const struct value *values)
{
    return question->samples || question->offset || (values[AFTER].given && question->ranked);
}

static bool needs_total(const struct question *question, const struct value *values)
{
    if (question->format->lines || question->format->draw || question_table_total(question) ||
        !question_listed(question))
        return false;
    return values[TOTAL].number || question->n <= TOTAL_MAX_N;
}

/* Two parameters that tell different things of one matter. */
static void check_pairs(const struct value *values, struct complaints *complaints)
{
    static const int pairs[][2] = {{OFFSET, CURSOR}, {OFFSET, AFTER}, {AFTER, CURSOR}, {SAMPLE, CURSOR},
                                   {SAMPLE, OFFSET}, {SAMPLE, AFTER}, {SAMPLE, LIMIT}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (values[pairs[i][0]].given && values[pairs[i][1]].given)
            complain(complaints, false, params[pairs[i][0]].name, "does not go with %s", params[pairs[i][1]].name);
}

/* What depends on the representation. */
static void check_form(const struct format *format, const struct value *values, struct complaints *complaints)
{
    for (int which = LIMIT; which <= SAMPLE; which += SAMPLE - LIMIT)
        if (values[which].given && values[which].sound && !format->lines && !format->draw &&
            values[which].number > PAGE_LIMIT_MAX)
            complain(complaints, true, params[which].name,
                     "is at most %d for a page; a stream, as format=ndjson, has no such limit", PAGE_LIMIT_MAX);
    if (values[N].sound && values[N].number == 0 && format->draw)
        complain(complaints, true, "n", "is at least 1 for a picture");
    if (values[STATS].sound && values[STATS].number && strcmp(format->name, "json") != 0 &&
        strcmp(format->name, "ndjson") != 0)
        complain(complaints, false, "stats", "goes with json and ndjson only");
    if (values[TOTAL].sound && values[TOTAL].number && (format->lines || format->draw))
        complain(complaints, false, "total", "is told by pages, as format=json, only");
}

/* How far it can be counted. */
static void check_reach(const struct question *question, const struct value *values, struct complaints *complaints)
{
    const uint32_t most = index_most(&question->query);
    if (needs_index(question, values) && question->n > most)
        complain(complaints, true, "n", "is at most %d for offset, sample and the rank after a solution", (int)most);
    if (values[TOTAL].number && !question->format->lines && !question_listed(question))
        complain(complaints, false, "total", "does not go with %s, which does not list all of anything",
                 question->cursor.algorithm);
    if (needs_total(question, values) && question->n > ENGINE_COMPUTE_MAX_N)
        complain(complaints, true, "n", "is at most %d for total=true", ENGINE_COMPUTE_MAX_N);
}

static void check(const struct request *request, const struct value *values, struct complaints *complaints)
{
    const struct query_values of = query_values(values);
    const struct machine_values settings = machine_values(values);
    check_pairs(values, complaints);
    check_form(request_format(request), values, complaints);
    if (!ask_query_sound(&of) || !ask_machine_sound(&settings) || !values[ALGORITHM].sound || !values[STATS].sound)
        return;
    const size_t before = complaints->made;
    struct question question = ask(request, values, complaints);
    if (values[AFTER].given && !solver_resumes(solvers[values[ALGORITHM].number]))
        complain(complaints, false, "after", "does not go with %s, whose place cannot be rebuilt; a cursor does",
                 algorithms(values[ALGORITHM].number));
    if (complaints->made > before || !values[OFFSET].sound || !values[AFTER].sound || !values[CURSOR].sound)
        return;
    if (set_place(&question, values) == NQ_INVALID) {
        if (values[AFTER].given)
            complain(complaints, false, "after", "is not a solution of this board that keeps to the filter");
        else
            complain(complaints, false, "cursor", "is not a cursor of this list");
    }
    check_reach(&question, values, complaints);
}

/* What is not said gets one canonical form with what is: a page has a limit. */
static void settle(struct value *values, struct question *question)
{
    if (!question->format->lines && !question->samples) {
        values[LIMIT].given = true;
        values[LIMIT].number = question->limit;
    }
    values[OFFSET].given = values[OFFSET].given && values[OFFSET].number;
}

/* The query behind the list, in the words of parameters: what an algorithm lists unasked is said there, too. */
static struct query_values listed_values(const struct question *question, const struct value *values,
                                         struct value *distinct, struct value *place)
{
    struct query_values of = query_values(values);
    const uint32_t column = question->cursor.machine.column;
    *distinct = values[DISTINCT];
    *place = values[PLACE];
    distinct->given = true;
    distinct->number = question->query.distinct;
    if (solvers[values[ALGORITHM].number]->lists == LISTS_COLUMN) {
        place->given = true;
        place->number = 1;
        place->squares[0] = (struct param_square){(uint16_t)question->base, (uint16_t)(column + question->base)};
    }
    of.distinct = distinct;
    of.place = place;
    return of;
}

static enum MHD_Result handle(struct request *request, struct value *values)
{
    struct complaints none = {0};
    const struct solver *solver = solvers[values[ALGORITHM].number];
    const bool drawn = ((solver->heeds & HEEDS_SEED) || values[SAMPLE].given) && route_draw_seed(&values[SEED]);
    struct question question = ask(request, values, &none);
    question.fleeting = drawn;
    if (question.format->draw && (question.n == 2 || question.n == 3))
        return reply_no_solution(request, question.n);
    settle(values, &question);
    if (set_place(&question, values) != NQ_OK || !request_canonical(request, values, &question))
        return reply_status(request, NQ_NOMEM);
    struct value distinct, place;
    const struct query_values of = listed_values(&question, values, &distinct, &place);
    const struct list_needs needs = {
        .query = &of,
        .total = needs_total(&question, values),
        .index = needs_index(&question, values),
    };
    return reply_list(request, &question, &needs);
}

const struct route route_solve = {
    .path = "/solve",
    .summary = "Solutions of one board, page by page or as a stream",
    .params = params,
    .formats = formats_offered,
    .prefer = true,
    .check = check,
    .handle = handle,
};
