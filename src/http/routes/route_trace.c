/* route_trace.c - GET /trace: what an algorithm does on a board, step by step, from any of them on. */
#include "engine/ask/query_values.h"
#include "http/ask/ask_machine.h"
#include "http/reply/events.h"
#include "http/reply/route.h"
#include "solvers/solver.h"

enum {
    N,
    ROWS,
    WALLS,
    PLACE,
    EXCLUDE,
    RULES,
    REGIONS,
    APART,
    ALGORITHM,
    COLUMN,
    SPLIT,
    STRATEGY,
    SEED,
    SOLUTIONS,
    LIMIT,
    BASE,
    FORMAT,
    CURSOR
};

PARAM_CHOICES(formats_offered, "json", "ndjson", "events");

static const char *names(size_t i)
{
    struct machine machine;
    return machines_get(i, &machine) ? machine.name : NULL;
}

enum { N_MOST = 500, PAGE_LIMIT = 1000, PAGE_LIMIT_MAX = 10000 };

/* What boards of any shape do not have. */
#define OF_SHAPE \
    .bonds = \
        BONDS(BOND(EXCLUDES, IS("regions")), \
              BOND(EXCLUDES, IS("algorithm", .has = ask_knows_no_shapes), \
                   .because = ", which knows square boards without walls; use algorithm=bitboard, mrv or recursion"))

/* The same searches, on n x n, too, begin with queens and crosses. */
#define OF_MARKED \
    .bonds = BONDS(BOND(EXCLUDES, IS("regions")), \
                   BOND(EXCLUDES, IS("algorithm", .has = ask_knows_no_shapes), \
                        .because = ", which begins with an empty board; use algorithm=bitboard, mrv or recursion"))

static const struct param params[] = {
    [N] = PARAM_N_OR_REGIONS(1, N_MOST),
    [ROWS] = PARAM_ROWS(SHAPE_MAX_SIDE, OF_SHAPE),
    [WALLS] = PARAM_WALLS(OF_SHAPE),
    [PLACE] = PARAM_PLACE(OF_MARKED),
    [EXCLUDE] = PARAM_EXCLUDE(OF_MARKED),
    [RULES] = PARAM_RULES(),
    [REGIONS] = PARAM_REGIONS(),
    [APART] = PARAM_APART(NEEDS_REGIONS),
    [ALGORITHM] = {.name = "algorithm",
                   .type = PARAM_CHOICE,
                   .choices = names,
                   .summary = "the algorithm to trace",
                   .bonds = BONDS(BOND(MUST_BE, IS("regions"), .value = "forward-checking"),
                                  BOND(EXCLUDES, IS("rules"), .unless = IS("regions"), .own_has = ask_knows_queens_only,
                                       .because = "; use algorithm=bitboard", .why = REFUSED_RULE))},
    [COLUMN] = PARAM_COLUMN,
    [SPLIT] = PARAM_SPLIT,
    [STRATEGY] = PARAM_STRATEGY,
    [SEED] = PARAM_SEED("of a random algorithm; without it the server draws and returns one",
                        .bonds = BONDS(BOND(EXCLUDES, IS("algorithm", .has = ask_lacks_seed),
                                            .because = ", which has no such setting"))),
    [SOLUTIONS] = {.name = "solutions",
                   .type = PARAM_NUMBER,
                   .least = 1,
                   .most = INT64_MAX,
                   .summary = "end the trace after this many solutions; without it, when the algorithm ends"},
    [LIMIT] = {.name = "limit",
               .type = PARAM_NUMBER,
               .least = 1,
               .most = INT64_MAX,
               .summary =
                   "maximum number of steps; a page: 1000 by default, at most 10000; a stream: no limit by default",
               .bonds = BONDS(BOND(AT_MOST, IS("format=json"), .limit = PAGE_LIMIT_MAX,
                                   .because = "; a stream (format=ndjson) allows more"))},
    [BASE] = PARAM_BASE,
    [FORMAT] = PARAM_FORMAT(formats_offered),
    [CURSOR] = {.name = "cursor", .type = PARAM_TOKEN, .place = true, .summary = "next_cursor of the page before"},
    {0},
};

/* m that says no more than n is left out; regions have an algorithm of their own. */
static void choose(const struct param *rows, struct value *values)
{
    struct value *algorithm = &values[ALGORITHM];
    struct machine machine;
    shape_choose(rows, values);
    if (values[REGIONS].given && !algorithm->given)
        while (machines_get(algorithm->number, &machine) && !machine.by_regions)
            algorithm->number++;
}

static void normalise(const struct param *rows, struct value *values)
{
    struct value *limit = &values[LIMIT];
    query_regions_normalise(rows, values);
    values[ALGORITHM].given &= !values[REGIONS].given; /* there is no other */
    if (!limit->given && !format_find(formats_offered(values[FORMAT].number))->lines)
        value_set(limit, PAGE_LIMIT); /* a page has one */
}

static bool heeds_seed(const struct value *values)
{
    struct machine machine;
    return machines_get(values[ALGORITHM].number, &machine) && (machine.heeds & HEEDS_SEED);
}

/* Queens and crosses make any board one of a shape; a larger one is refused for its size. */
static bool is_shaped(const struct value *values)
{
    return shape_given(params, values) ||
           ((values[PLACE].given || values[EXCLUDE].given) && values[N].number <= SHAPE_MAX_SIDE);
}

/* The id of the last event that the client has received, if it can be of this trace. The id has the seed that was drawn
 * for the events before. */
static bool read_last_event(struct request *request, const struct value *values, struct event_id *id)
{
    const char *last = request_format(request)->resumes ? request_last_event(request) : NULL;
    const struct value *seed = &values[SEED];
    return last && event_id_read(last, id) && id->seeded == heeds_seed(values) &&
           (!id->seeded || (seed->given ? id->seed == seed->number : id->seed <= SEED_MOST));
}

static void heed(struct request *request, struct value *values)
{
    struct event_id last;
    if (read_last_event(request, values, &last) && last.seeded)
        value_set(&values[SEED], last.seed);
}

/* Goes on after an event, which counts as all before it towards the limit. */
static void resume(struct list_question *list, const struct event_id *last)
{
    const uint64_t begin = list->from.ordinal, next = last->step + 1;
    if (next <= begin)
        return;
    if (list->limit != UINT64_MAX)
        list->limit -= next - begin < list->limit ? next - begin : list->limit;
    list->from.ordinal = next;
    list->resumed = true;
}

static bool read_question(struct request *request, const struct value *values, struct validation_errors *errors)
{
    const struct machine_values of = machine_values_of(params, values);
    const struct format *format = request_format(request);
    struct question *question = request_question(request);
    const struct value *limit = &values[LIMIT];
    struct machine machine;
    struct regions regions;
    struct event_id last;
    const size_t before = errors->made;
    if (!query_regions_read(params, values, errors, &regions))
        return true;
    if (is_shaped(values) && !shape_read(params, values, SHAPE_MAX_SIDE, errors, &question->shape))
        return true;
    (void)machines_get(values[ALGORITHM].number, &machine);
    question->kind = ASK_TRACE;
    question->n = (uint32_t)values[N].number;
    question->base = row_base(&values[BASE]);
    question->format = format;
    question->list.cursor.algorithm = machine.name;
    question->list.most = values[SOLUTIONS].number;
    const bool resumed = read_last_event(request, values, &last);
    question->seed = values[SEED].number;
    question->list.limit = limit->given ? limit->number : UINT64_MAX;
    ask_machine(&of, &machine, errors, &question->list.cursor.machine);
    question->query.filter.rule = row_rule(&values[RULES]);
    query_paint(&question->query, &regions);
    if (errors->made > before)
        return true;
    const enum nq_status status =
        values[CURSOR].given ? question_set_cursor(question, values[CURSOR].token, NULL) : NQ_OK;
    if (status == NQ_OK && resumed)
        resume(&question->list, &last);
    if (status == NQ_INVALID)
        reject_param(
            errors, REFUSED_CURSOR, "cursor",
            "is not a cursor of this trace; take next_cursor of a page of the same trace, or leave the cursor out");
    return status != NQ_NOMEM;
}

static enum MHD_Result handle(struct request *request, const struct value *values)
{
    struct question *question = request_question(request);
    if (question->format->resumes && events_complete(request_last_event(request)))
        return reply_no_more_events(request);
    if (!request_canonical(request, values))
        return reply_status(request, NQ_NOMEM);
    question->uncacheable |= question->list.resumed; /* its tag is that of the whole */
    return reply_question(request);
}

const struct route route_trace = {
    .asks.path = "/trace",
    .example = "/trace?n=8",
    .summary = "Traces an algorithm step by step",
    .asks.params = params,
    .formats = formats_offered,
    .asks.choose = choose,
    .asks.normalise = normalise,
    .heed = heed,
    .asks.draws = heeds_seed,
    .read = read_question,
    .handle = handle,
    .board = true,
};
