/* route_trace.c - GET /trace: what an algorithm does on a board, step by step, from any of them on. */
#include "http/ask_machine.h"
#include "http/route.h"

enum { N, ALGORITHM, COLUMN, SPLIT, STRATEGY, SEED, SOLUTIONS, LIMIT, BASE, FORMAT, CURSOR };

PARAM_CHOICES(formats_offered, "json", "ndjson", "events");

static const char *names(size_t i)
{
    struct machine machine;
    return machines_get(i, &machine) ? machine.name : NULL;
}

enum { N_MOST = 500, PAGE_LIMIT = 1000, PAGE_LIMIT_MAX = 10000 };

static const struct param params[] = {
    [N] = {.name = "n", .type = PARAM_NUMBER, .required = true, .least = 1, .most = N_MOST, .summary = "board size"},
    [ALGORITHM] = {.name = "algorithm", .type = PARAM_CHOICE, .choices = names, .summary = "whose steps"},
    [COLUMN] = PARAM_COLUMN,
    [SPLIT] = PARAM_SPLIT,
    [STRATEGY] = PARAM_STRATEGY,
    [SEED] = PARAM_SEED("of an algorithm that draws; drawn, and told, when there is none"),
    [SOLUTIONS] = {.name = "solutions",
                   .type = PARAM_NUMBER,
                   .least = 1,
                   .most = INT64_MAX,
                   .summary = "the trace ends with this many solutions; unless told, when the algorithm does"},
    [LIMIT] = {.name = "limit",
               .type = PARAM_NUMBER,
               .least = 1,
               .most = INT64_MAX,
               .summary = "how many steps at most: a page has 1000 unless told, at most 10000; a stream has no limit "
                          "unless told"},
    [BASE] = PARAM_BASE,
    [FORMAT] = PARAM_FORMAT(formats_offered),
    [CURSOR] = {.name = "cursor",
                .type = PARAM_TOKEN,
                .place = true,
                .summary = "where a page before ended: its next_cursor"},
    {0},
};

static struct machine_values machine_values(const struct value *values)
{
    return (struct machine_values){.n = &values[N],
                                   .base = &values[BASE],
                                   .column = &values[COLUMN],
                                   .split = &values[SPLIT],
                                   .strategy = &values[STRATEGY],
                                   .seed = &values[SEED]};
}

/* The question, but for where the trace begins. */
static struct question ask(const struct request *request, const struct value *values, struct complaints *complaints)
{
    const struct format *format = request_format(request);
    const struct machine_values of = machine_values(values);
    struct machine machine;
    (void)machines_get(values[ALGORITHM].number, &machine);
    struct question question = {
        .kind = ASK_TRACE,
        .n = (uint32_t)values[N].number,
        .base = route_base(&values[BASE]),
        .format = format,
        .cursor.algorithm = machine.name,
        .most = values[SOLUTIONS].number,
        .seed = values[SEED].number,
        .limit = values[LIMIT].given ? values[LIMIT].number
                 : format->lines     ? UINT64_MAX
                                     : PAGE_LIMIT,
    };
    ask_machine(&of, &machine, complaints, &question.cursor.machine);
    return question;
}

static void check(const struct request *request, const struct value *values, struct complaints *complaints)
{
    const struct machine_values of = machine_values(values);
    const bool stream = request_format(request)->lines;
    if (!stream && values[LIMIT].given && values[LIMIT].sound && values[LIMIT].number > PAGE_LIMIT_MAX)
        complain(complaints, true, "limit", "is at most %d for a page; a stream, as format=ndjson, has no such limit",
                 PAGE_LIMIT_MAX);
    if (!ask_machine_sound(&of) || !values[ALGORITHM].sound || !values[CURSOR].sound)
        return;
    const size_t before = complaints->made;
    struct question question = ask(request, values, complaints);
    if (complaints->made == before && values[CURSOR].given &&
        question_set_cursor(&question, values[CURSOR].token) == NQ_INVALID)
        complain(complaints, false, "cursor", "is not a cursor of this trace");
}

static enum MHD_Result handle(struct request *request, struct value *values)
{
    struct complaints none = {0};
    struct machine machine;
    (void)machines_get(values[ALGORITHM].number, &machine);
    const bool drawn = (machine.heeds & HEEDS_SEED) && route_draw_seed(&values[SEED]);
    struct question question = ask(request, values, &none);
    question.fleeting = drawn;
    if (!question.format->lines) {
        values[LIMIT].given = true;
        values[LIMIT].number = question.limit;
    }
    if ((values[CURSOR].given && question_set_cursor(&question, values[CURSOR].token) != NQ_OK) ||
        !request_canonical(request, values, &question))
        return reply_status(request, NQ_NOMEM);
    return question.format->lines ? reply_stream(request, &question) : reply_question(request, &question);
}

const struct route route_trace = {
    .path = "/trace",
    .summary = "What an algorithm does, step by step",
    .params = params,
    .formats = formats_offered,
    .check = check,
    .handle = handle,
};
