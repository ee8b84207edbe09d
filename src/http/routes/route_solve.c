/* route_solve.c - GET /solve: the solutions of one n that a filter allows, in pages or as a stream, from any place on.
 */
#include <string.h>

#include "count/known.h"
#include "engine/ask/count_query.h"
#include "engine/ask/query_values.h"
#include "engine/lists/needs.h"
#include "http/ask/ask_machine.h"
#include "http/reply/route.h"
#include "solvers/solver.h"

/* In canonical order; the parameters of where a list begins are last. */
enum {
    N,
    ROWS,
    QUEENS,
    WALLS,
    MAXIMAL,
    LIMIT,
    DISTINCT,
    SYMMETRY,
    PLACE,
    EXCLUDE,
    RULES,
    REGIONS,
    APART,
    SAMPLE,
    SEED,
    RANK,
    TOTAL,
    ORDER,
    ALGORITHM,
    COLUMN,
    SPLIT,
    STRATEGY,
    STATS,
    BOARD,
    TRANSFORM,
    BASE,
    FORMAT,
    OFFSET,
    AFTER,
    CURSOR
};

PARAM_CHOICES(boards, [BOARD_NONE] = "none", [BOARD_ASCII] = "ascii", [BOARD_UNICODE] = "unicode",
              [BOARD_GRID] = "grid", [BOARD_PETSCII] = "petscii");
PARAM_CHOICES(formats_offered, "json", "ndjson", "csv", "text", "svg", "png", "zironi");

/* A box takes twelve characters. */
enum { BOXES_MAX_N = 32 };

enum { ORDER_AUTO, ORDER_LEXICOGRAPHIC, ORDER_ANY };
PARAM_CHOICES(orders, [ORDER_AUTO] = "auto", [ORDER_LEXICOGRAPHIC] = "lexicographic", [ORDER_ANY] = "any");

/* The largest board that order=auto lists in lexicographic order: the first 10 000 solutions for n = 28 take a second,
 * those of n = 34 thousands of pages. */
enum { LEXICOGRAPHIC_MAX_N = 28 };

static const char any_order[] = "fewest-first";

static const char *algorithms(size_t i)
{
    return solvers[i] ? solvers[i]->name : NULL;
}

enum { PAGE_LIMIT = 100, PAGE_LIMIT_MAX = 10000, SAMPLE_MAX = 1000000 };

/* ---- Bonds ---- */

/* Whether the list is made by an algorithm's machine, which has no filters. */
static bool by_machine(const char *algorithm)
{
    return !solver_find(algorithm)->search;
}

/* Whether its search counts what it does; else a machine does it again to be watched. */
static bool counts_work(const char *algorithm)
{
    const struct search_class *search = solver_find(algorithm)->search;
    return search && search->stats;
}

static bool only_begins(const char *algorithm)
{
    return !solver_resumes(solver_find(algorithm));
}

static bool lists_some(const char *algorithm)
{
    return solver_find(algorithm)->lists == LISTS_SOME;
}

static bool any_algorithm(const char *algorithm)
{
    return algorithm;
}

static bool not_symmetric(const char *rule)
{
    return rules[rule_find(rule, strlen(rule))]->symmetries != SYMMETRIES_ALL;
}

/* What a machine does not have. */
#define NO_FILTER \
    BOND(EXCLUDES, IS("algorithm", .has = by_machine), .because = "; use algorithm=bitboard without stats"), \
        BOND(EXCLUDES, IS("stats"), .unless = IS("algorithm", .has = counts_work), .because = "; leave it out")

/* What needs the ranks of solutions, which only a lexicographic list has. */
#define BY_RANK \
    BOND(EXCLUDES, IS("order=any"), .because = "; use order=lexicographic"), \
        BOND(EXCLUDES, IS("algorithm=fewest-first", .given = true), .because = "; use algorithm=bitboard")

/* A list of all solutions begins with one that is found by search; above the largest board whose first solution is
 * known that takes hours. Squares and symmetries leave less to search, and a list can begin elsewhere. */
#define LEXICOGRAPHIC \
    BOND(AT_MOST, IS("algorithm=bitboard", .called = "a lexicographic list of a whole board"), .limit = FIRST_MOST_N, \
         .unless_any = "algorithm stats place exclude symmetry after cursor rules m queens walls maximal", \
         .because = ": no first solution is known here of larger ones; use order=any"), \
        BOND(AT_MOST, IS("algorithm=bitboard", .called = "the lexicographic order"), .limit = NQ_SEARCH_MAX_N, \
             .unless_any = "rules", .because = "; use order=any")

/* What lists of placements on boards of any shape do not have. */
#define OF_SHAPE \
    BOND(EXCLUDES, IS("regions")), BOND(EXCLUDES, IS("symmetry=point|quarter")), BOND(EXCLUDES, IS("sample")), \
        BOND(EXCLUDES, IS("rank")), BOND(EXCLUDES, IS("offset")), \
        BOND(EXCLUDES, IS("algorithm", .given = true, .has = any_algorithm)), BOND(EXCLUDES, IS("stats")), \
        BOND(EXCLUDES, IS("transform")), BOND(EXCLUDES, IS("format=zironi"), .because = "; use format=text"), \
        BOND(EXCLUDES, IS("distinct"), .also = IS("order=any"), .because = " in any order; use order=lexicographic"), \
        BOND(EXCLUDES, IS("after"), .also = IS("order=any"), .because = " in any order; use cursor"), \
        BOND(EXCLUDES, IS("total"), .also = IS("order=any"), .because = " in any order; use /count")

#define LIMIT_OF_PAGE \
    BOND(AT_MOST, IS("format=json"), .limit = PAGE_LIMIT_MAX, .because = "; a stream (format=ndjson) allows more")

static const struct param params[] = {
    [N] = PARAM_N_OR_REGIONS(0, NQ_LIST_MAX_N,
                             .bonds = BONDS(PICTURED, BOND(AT_MOST, IS("rules"), .limit = RULE_MAX_N),
                                            BOND(AT_MOST, IS("format=zironi"), .limit = BOXES_MAX_N), LEXICOGRAPHIC)),
    [ROWS] =
        PARAM_ROWS(SHAPE_FIND_MAX_SIDE,
                   .bonds = BONDS(OF_SHAPE, BOND(AT_MOST, IS("algorithm=bitboard", .called = "the lexicographic order"),
                                                 .limit = SHAPE_MAX_SIDE, .because = "; use order=any"))),
    [QUEENS] = PARAM_QUEENS(.bonds = BONDS(OF_SHAPE)),
    [WALLS] = PARAM_WALLS(.bonds = BONDS(OF_SHAPE)),
    [MAXIMAL] = PARAM_MAXIMAL(.bonds = BONDS(OF_SHAPE,
                                             BOND(EXCLUDES, IS("order=any"), .because = "; use order=lexicographic"))),
    [LIMIT] = {.name = "limit",
               .type = PARAM_NUMBER,
               .least = 1,
               .most = INT64_MAX,
               .summary =
                   "maximum number of solutions; a page: 100 by default, at most 10000; a stream: no limit by default",
               .bonds = BONDS(LIMIT_OF_PAGE)},
    [DISTINCT] =
        PARAM_DISTINCT(.bonds = BONDS({.kind = NEVER, .own = "torus", .because = ": /count counts such classes"},
                                      NO_FILTER)),
    [SYMMETRY] = PARAM_SYMMETRY(.bonds = BONDS(NO_FILTER)),
    [PLACE] = PARAM_PLACE(.bonds = BONDS(NO_FILTER)),
    [EXCLUDE] = PARAM_EXCLUDE(.bonds = BONDS(NO_FILTER)),
    [RULES] = PARAM_RULES(),
    [REGIONS] = PARAM_REGIONS(),
    [APART] = PARAM_APART(NEEDS_REGIONS),
    [SAMPLE] = {.name = "sample",
                .type = PARAM_NUMBER,
                .least = 1,
                .most = SAMPLE_MAX,
                .summary = "number of solutions to draw at random, with equal chances and with replacement",
                .bonds = BONDS(LIMIT_OF_PAGE, BOND(EXCLUDES, IS("limit")), BOND(EXCLUDES, IS("offset")),
                               BOND(EXCLUDES, IS("after")), BOND(EXCLUDES, IS("cursor")), BOND(EXCLUDES, IS("regions")),
                               BY_RANK, NO_FILTER)},
    [SEED] = PARAM_SEED("of a sample or of a random algorithm; without it the server draws and returns one",
                        .bonds = BONDS(BOND(EXCLUDES, IS("algorithm", .has = ask_lacks_seed), .unless = IS("sample"),
                                            .because = ", which has no such setting"))),
    [RANK] = PARAM_FLAG(
        "rank", "true: each solution has its rank, the number of solutions before it in the list",
        .bonds =
            BONDS(BOND(EXCLUDES, IS("after"), .also = IS("regions"), .because = " for a board with regions"), BY_RANK)),
    [TOTAL] = PARAM_FLAG("total", "true: a page has the number of solutions in the list, which may take long to count",
                         .bonds = BONDS(BOND(NEEDS, IS("format=json")), BOND(EXCLUDES, IS("regions")),
                                        BOND(EXCLUDES, IS("algorithm", .has = lists_some),
                                             .because = ", which lists only some of the solutions"))),
    [ORDER] = {.name = "order",
               .type = PARAM_CHOICE,
               .choices = orders,
               .neutral = true,
               .summary = "of the list: any finds solutions of every board at once; auto is lexicographic up to n = 28",
               .bonds = BONDS(BOND(EXCLUDES, IS("algorithm"), .unless = IS("regions"),
                                   .because = ", which has an order of its own"),
                              BOND(EXCLUDES, IS("regions"), .own = "any"),
                              BOND(EXCLUDES, IS("queens="), .own = "any", .because = "; ask for one number of queens"),
                              BOND(EXCLUDES, IS("rules"), .own = "any", .because = "; use order=lexicographic",
                                   .why = REFUSED_RULE))},
    [ALGORITHM] = {.name = "algorithm",
                   .type = PARAM_CHOICE,
                   .choices = algorithms,
                   .keep = true,
                   .summary = "which solver",
                   .bonds = BONDS(BOND(MUST_BE, IS("regions"), .value = "forward-checking"),
                                  BOND(EXCLUDES, IS("rules"), .unless = IS("regions"), .own_has = ask_knows_queens_only,
                                       .because = "; use algorithm=bitboard", .why = REFUSED_RULE))},
    [COLUMN] = PARAM_COLUMN,
    [SPLIT] = PARAM_SPLIT,
    [STRATEGY] = PARAM_STRATEGY,
    [STATS] = PARAM_FLAG("stats", "true: the list ends with the statistics of the algorithm",
                         .bonds = BONDS(BOND(NEEDS, IS("format=json|ndjson")))),
    [BOARD] = {.name = "board", .type = PARAM_CHOICE, .choices = boards, .summary = "also draw each solution"},
    [TRANSFORM] = {.name = "transform",
                   .type = PARAM_CHOICE,
                   .choices = question_transforms,
                   .neutral = true,
                   .summary = "how each board is shown: turned clockwise, mirrored, upside down, or transposed",
                   .bonds = BONDS(BOND(EXCLUDES, IS("rules", .has = not_symmetric), .why = REFUSED_RULE,
                                       .because = ": shown so, its boards would be none of the rule"))},
    [BASE] = PARAM_BASE,
    [FORMAT] = PARAM_FORMAT(formats_offered),
    [OFFSET] = {.name = "offset",
                .type = PARAM_NUMBER,
                .most = INT64_MAX,
                .has_preset = true,
                .neutral = true,
                .place = true,
                .summary = "number of solutions to skip",
                .bonds = BONDS(BOND(EXCLUDES, IS("after")), BOND(EXCLUDES, IS("cursor")), BOND(EXCLUDES, IS("regions")),
                               BY_RANK, NO_FILTER)},
    [AFTER] = {.name = "after",
               .type = PARAM_QUEENS,
               .place = true,
               .summary = "start the list after this solution: the columns of its queens, row by row, or their squares",
               .bonds = BONDS(BOND(EXCLUDES, IS("cursor")), BOND(EXCLUDES, IS("algorithm", .has = only_begins),
                                                                 .because = "; use cursor to continue its list"))},
    [CURSOR] = {.name = "cursor", .type = PARAM_TOKEN, .place = true, .summary = "next_cursor of the page before"},
    {0},
};

/* What needs the ranks of solutions, which only a lexicographic list has. */
static const int of_rank[] = {SAMPLE, RANK, OFFSET};

static bool needs_ranks(const struct value *values)
{
    for (size_t i = 0; i < sizeof of_rank / sizeof of_rank[0]; i++)
        if (values[of_rank[i]].given && values[of_rank[i]].number)
            return true;
    return false;
}

static bool in_any_order(const struct value *values)
{
    if (values[ORDER].number == ORDER_AUTO)
        return values[N].number > LEXICOGRAPHIC_MAX_N && !needs_ranks(values) && !values[RULES].number;
    return values[ORDER].number == ORDER_ANY;
}

/* A list of placements on any board is in lexicographic order unless another is asked for. */
static const char *shape_order(const struct value *values)
{
    return values[ORDER].number == ORDER_ANY ? any_order : solvers[0]->name;
}

/* A board with regions has an algorithm of its own, and so has an order, if none is given. */
static void choose(const struct param *rows, struct value *values)
{
    struct value *algorithm = &values[ALGORITHM];
    shape_choose(rows, values);
    if (algorithm->given)
        return;
    const char *name = values[REGIONS].given       ? solver_by_regions()->name
                       : shape_given(rows, values) ? shape_order(values)
                       : in_any_order(values)      ? any_order
                                                   : solvers[0]->name;
    for (algorithm->number = 0; strcmp(solvers[algorithm->number]->name, name) != 0;)
        algorithm->number++;
}

/* Whether a machine makes the list. */
static bool is_watched(const struct solver *solver, const struct value *values)
{
    return !solver->search || (values[STATS].number && !solver->search->stats);
}

/* Sets the algorithm, its settings, and the query that it lists. */
static void set_algorithm(const struct value *values, const struct machine_values *settings,
                          struct validation_errors *errors, struct question *question)
{
    const struct solver *solver = solvers[values[ALGORITHM].number];
    struct machine machine = machines_of(solver);
    if (values[SAMPLE].given)
        machine.heeds |= HEEDS_SEED; /* the sample uses it */
    question->list.first = solver == solvers[0] && !values[ALGORITHM].given && !values[STATS].number &&
                           rule_by_lines(question->query.filter.rule);
    ask_machine(settings, &machine, errors, &question->list.cursor.machine);
    question->list.cursor.machine.rule = question->query.filter.rule;
    question->list.cursor.algorithm = solver->name;
    question->list.cursor.watched = values[STATS].number;
    if (is_watched(solver, values) && question->n <= FILTER_MAX_N &&
        question->list.cursor.machine.column < FILTER_MAX_N)
        (void)solver_query(solver, &question->list.cursor.machine, question->n, &question->query);
}

/* The question, but for where the list begins. A picture shows the first solution there, whatever limit says. */
static void ask(struct question *question, const struct format *format, const struct value *values,
                const struct query_values *query, const struct machine_values *settings,
                struct validation_errors *errors)
{
    question->kind = ASK_SOLVE;
    question->n = (uint32_t)values[N].number;
    question->base = row_base(&values[BASE]);
    question->format = format;
    question->list.board = (enum board_style)values[BOARD].number;
    question->list.transform = (unsigned)values[TRANSFORM].number;
    question->list.ranked = values[RANK].number;
    question->list.totalled = values[TOTAL].number;
    question->list.samples = values[SAMPLE].given ? values[SAMPLE].number : 0;
    question->list.completes = !query_values_whole(query) && !values[SAMPLE].given;
    question->seed = values[SEED].number;
    question->list.limit = values[SAMPLE].given && !format->picture ? values[SAMPLE].number
                           : values[LIMIT].given                    ? values[LIMIT].number
                           : format->picture                        ? 1
                                                                    : UINT64_MAX;
    (void)query_read(query, NQ_LIST_MAX_N, errors, &question->query);
    set_algorithm(values, settings, errors, question);
}

/* The list begins after this solution, which is given as it is shown. NQ_INVALID: it is none of the list. */
static enum nq_status set_after(struct question *question, const struct value *after, uint32_t *columns)
{
    const uint32_t n = question->n, base = question->base;
    uint32_t shown[NQ_LIST_MAX_N];
    if (after->number != n || n == 0)
        return NQ_INVALID;
    for (uint32_t row = 0; row < n; row++) {
        const struct param_square *square = &after->squares[row];
        shown[row] = square->column - base; /* 0 - 1 is off the board too */
        columns[row] = n;                   /* of a board without a queen in each column some stay so */
        if (shown[row] >= n || (square->row != PARAM_NO_ROW && square->row - base != row))
            return NQ_INVALID;
    }
    nq_transform(question_transform_back(question->list.transform), n, shown, columns);
    return question_set_after(question, columns);
}

/* The same of a list of placements. As columns only those with one queen in each row can be given. */
static enum nq_status set_after_placement(struct question *question, const struct value *after, uint32_t *places)
{
    const struct shape *shape = &question->shape;
    const bool columns = after->number && after->squares[0].row == PARAM_NO_ROW;
    uint64_t queens[SHAPE_MAX_SIDE] = {0};
    if (columns && after->number != shape->rows)
        return NQ_INVALID;
    for (uint32_t i = 0; i < after->number; i++) {
        const uint32_t row = columns ? i : after->squares[i].row - question->base;
        const uint32_t column = after->squares[i].column - question->base;
        if (row >= shape->rows || column >= shape->columns)
            return NQ_INVALID;
        queens[row] |= UINT64_C(1) << column;
    }
    return question_shape_after(question, queens, places);
}

#define NOT_A_SOLUTION "must be a solution of this board that agrees with place and exclude"

#define NOT_OF_THIS_LIST \
    "is not a cursor of this list; take next_cursor of a page of the same list, or leave the cursor out"

static enum nq_status set_place(struct request *request, const struct value *values)
{
    struct question *question = request_question(request);
    question->list.offset = values[OFFSET].number;
    question->list.after = values[AFTER].given;
    if (!values[AFTER].given && !values[CURSOR].given)
        return NQ_OK;
    uint32_t *columns = request_columns(request, question->n);
    if (!columns)
        return NQ_NOMEM;
    return values[AFTER].given ? set_after(question, &values[AFTER], columns)
                               : question_set_cursor(question, values[CURSOR].token, columns);
}

static void normalise(const struct param *rows, struct value *values)
{
    const struct format *format = format_find(formats_offered(values[FORMAT].number));
    struct value *limit = &values[LIMIT];
    query_regions_normalise(rows, values);
    values[ALGORITHM].given &= !values[REGIONS].given; /* it has no other */
    if (format->lines || values[SAMPLE].given)
        return;
    if (format->picture || !limit->given) /* a picture shows one, whatever limit says; a page has a limit */
        value_set(limit, format->picture ? 1 : PAGE_LIMIT);
}

static bool draws(const struct value *values)
{
    return values[SAMPLE].given || (solvers[values[ALGORITHM].number]->heeds & HEEDS_SEED);
}

/* A list of placements on a board of any shape. */
static bool read_shape(struct request *request, const struct value *values, struct validation_errors *errors)
{
    struct question *question = request_question(request);
    question->list.any = values[ORDER].number == ORDER_ANY;
    if (!shape_read(params, values, question->list.any ? SHAPE_FIND_MAX_SIDE : SHAPE_MAX_SIDE, errors,
                    &question->shape))
        return true;
    question->kind = ASK_SOLVE;
    question->n = question->shape.columns;
    question->base = row_base(&values[BASE]);
    question->format = request_format(request);
    question->list.limit = values[LIMIT].given ? values[LIMIT].number : UINT64_MAX;
    question->list.board = (enum board_style)values[BOARD].number;
    question->list.totalled = values[TOTAL].number;
    question->list.cursor.algorithm = shape_order(values);
    filter_begin(&question->query.filter, question->n < FILTER_MAX_N ? question->n : FILTER_MAX_N);
    question->query.filter.rule = question->shape.rule;
    question->query.distinct = (enum query_distinct)values[DISTINCT].number;
    if (!values[CURSOR].given && !values[AFTER].given)
        return true;
    uint32_t *places = request_columns(request, question_place_most(question));
    const enum nq_status status = !places               ? NQ_NOMEM
                                  : values[AFTER].given ? set_after_placement(question, &values[AFTER], places)
                                                        : question_set_cursor(question, values[CURSOR].token, places);
    if (status == NQ_INVALID && values[AFTER].given)
        reject_param(errors, REFUSED_NO_SOLUTION, "after", NOT_A_SOLUTION);
    else if (status == NQ_INVALID)
        reject_param(errors, REFUSED_CURSOR, "cursor", NOT_OF_THIS_LIST);
    return status != NQ_NOMEM;
}

static bool read_question(struct request *request, const struct value *values, struct validation_errors *errors)
{
    const struct query_values query = query_values_of(params, values);
    const struct machine_values settings = machine_values_of(params, values);
    const struct format *format = request_format(request);
    struct question *question = request_question(request);
    struct regions regions;
    if (!query_regions_read(params, values, errors, &regions))
        return true;
    if (shape_given(params, values))
        return read_shape(request, values, errors);
    const size_t before = errors->made;
    ask(question, format, values, &query, &settings, errors);
    query_paint(&question->query, &regions);
    question->list.completes = question->list.completes || regions.n;
    if (errors->made > before)
        return true;
    const enum nq_status status = set_place(request, values);
    if (status == NQ_INVALID && values[AFTER].given && !values[AFTER].number)
        reject_param(errors, REFUSED_EMPTY, "after", "needs a value");
    else if (status == NQ_INVALID && values[AFTER].given)
        reject_param(errors, REFUSED_NO_SOLUTION, "after", NOT_A_SOLUTION);
    else if (status == NQ_INVALID || (values[CURSOR].given && question->uncacheable))
        reject_param(errors, REFUSED_CURSOR, "cursor", NOT_OF_THIS_LIST); /* a drawn seed makes another list */
    question_within_reach(question, errors);
    return status != NQ_NOMEM;
}

static enum MHD_Result handle(struct request *request, const struct value *values)
{
    const struct question *question = request_question(request);
    const struct rule *rule = question->query.filter.rule;
    if (question->format->picture && !question->shape.rows && rule_by_lines(rule) && rule_none(rule, question->n))
        return reply_no_solution(request, question->n, rule);
    return reply_values(request, values);
}

const struct route route_solve = {
    .asks.path = "/solve",
    .example = "/solve?n=8",
    .summary = "Lists solutions of one board, page by page or as a stream",
    .asks.params = params,
    .formats = formats_offered,
    .prefer = true,
    .asks.choose = choose,
    .asks.normalise = normalise,
    .asks.draws = draws,
    .read = read_question,
    .handle = handle,
    .board = true,
};
