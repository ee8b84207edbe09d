/* route_construct.c - GET /construct: one solution of any size, whole or a stretch of its rows. */
#include "constructions/construction.h"
#include "http/route.h"

enum { N, METHOD, SEED, MULTIPLIER, SHIFT, FACTORS, ROWS, BASE, FORMAT };

PARAM_CHOICES(formats_offered, "json", "ndjson", "csv", "text", "octet-stream", "svg", "png");

static const char *construction_names(size_t i)
{
    return constructions[i] ? constructions[i]->name : NULL;
}

/* Up to so many rows are one cached answer, more are a stream. */
enum { ANSWER_MAX_ROWS = 16384, MAX_N = 1000000000 };

static const struct param params[] = {
    [N] = {.name = "n", .type = PARAM_NUMBER, .required = true, .most = MAX_N, .summary = "board size"},
    [METHOD] = {.name = "method", .type = PARAM_CHOICE, .choices = construction_names, .summary = "which construction"},
    [SEED] = PARAM_SEED("of a construction that hangs on chance; drawn, and told, when there is none"),
    [MULTIPLIER] = {.name = "multiplier",
                    .type = PARAM_NUMBER,
                    .least = 1,
                    .most = MAX_N,
                    .has_preset = true,
                    .preset = CONSTRUCTION_MULTIPLIER,
                    .summary = "of method=linear: how many columns a queen stands to the right of the one above"},
    [SHIFT] = {.name = "shift",
               .type = PARAM_NUMBER,
               .most = MAX_N,
               .has_preset = true,
               .preset = CONSTRUCTION_SHIFT,
               .summary = "of method=linear: so many columns to the right, wrapped"},
    [FACTORS] = {.name = "factors",
                 .type = PARAM_FACTORS,
                 .most = MAX_N,
                 .summary = "of method=tensor: the sizes of the boards, the outermost first, whose product is n"},
    [ROWS] = {.name = "rows",
              .type = PARAM_RANGE,
              .most = MAX_N,
              .summary = "only these rows, first-last, numbered from base"},
    [BASE] = PARAM_BASE,
    [FORMAT] = PARAM_FORMAT(formats_offered),
    {0},
};

_Static_assert((int)PARAM_FACTORS_MAX == (int)CONSTRUCTION_FACTORS_MAX, "all factors that are read can be told");

/* Of sound values. */
static struct construction_settings settings_of(const struct value *values)
{
    struct construction_settings settings = {
        .n = (uint32_t)values[N].number,
        .seed = values[SEED].number,
        .multiplier = (uint32_t)values[MULTIPLIER].number,
        .shift = (uint32_t)values[SHIFT].number,
        .factor_count = values[FACTORS].given ? (uint32_t)values[FACTORS].number : 0,
    };
    for (uint32_t i = 0; i < settings.factor_count; i++)
        settings.factors[i] = values[FACTORS].factors[i];
    return settings;
}

/* What goes with some methods only. */
static void check_method(const struct construction *method, const struct value *values, struct complaints *complaints)
{
    static const struct {
        int which;
        unsigned takes;
    } rows[] = {
        {SEED, TAKES_SEED}, {MULTIPLIER, TAKES_MULTIPLIER}, {SHIFT, TAKES_MULTIPLIER}, {FACTORS, TAKES_FACTORS}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (values[rows[i].which].given && !(method->takes & rows[i].takes))
            complain(complaints, false, params[rows[i].which].name, "does not go with method=%s", method->name);
}

/* The settings must not contradict each other; of those that do, factors alone are known. */
static void check_settings(const struct construction *method, const struct value *values, struct complaints *complaints)
{
    char why[CONSTRUCTION_WHY_MAX];
    for (int i = N; i <= FACTORS; i++)
        if (!values[i].sound)
            return;
    const struct construction_settings settings = settings_of(values);
    if (construction_check(method, &settings, why) == NQ_INVALID)
        complain(complaints, false, "factors", "%s", why);
}

/* rows=first-last counts from base. */
static void check_rows(bool picture, const struct value *values, struct complaints *complaints)
{
    const struct value *rows = &values[ROWS];
    const uint64_t n = values[N].number, base = route_base(&values[BASE]);
    if (!rows->given || !rows->sound || !values[N].sound || !values[BASE].sound)
        return;
    if (picture)
        complain(complaints, false, "rows", "does not go with a picture, which shows the whole board");
    else if (rows->number < base)
        complain(complaints, false, "rows", "begins at 1 with base=1");
    else if (rows->last - base >= n)
        complain(complaints, true, "rows", "ends beyond the board of %u rows", (unsigned)n);
}

static void check(const struct request *request, const struct value *values, struct complaints *complaints)
{
    const bool picture = request_format(request)->draw;
    const uint64_t n = values[N].number;
    const struct construction *method = values[METHOD].sound ? constructions[values[METHOD].number] : NULL;
    if (picture && values[N].sound && (n == 0 || n > PICTURE_MAX_N))
        complain(complaints, true, "n", "is 1 to %d for a picture", PICTURE_MAX_N);
    else if (method && values[N].sound && n > method->max_n)
        complain(complaints, true, "n", "is at most %u for method=%s", (unsigned)method->max_n, method->name);
    if (method)
        check_method(method, values, complaints);
    if (method && !complaints->made)
        check_settings(method, values, complaints);
    check_rows(picture, values, complaints);
}

/* Why there is no answer, if there is none; a reply, or false. */
static bool refuse(struct request *request, const struct question *question, enum MHD_Result *result)
{
    char why[CONSTRUCTION_WHY_MAX];
    struct construction_settings settings = question->construction;
    settings.n = question->n;
    if (construction_check(construction_find(question->method), &settings, why) == NQ_OK)
        return false;
    *result = why[0] ? reply_problem(request, PROBLEM_NO_SOLUTION, "%s", why) : reply_no_solution(request, question->n);
    return true;
}

static enum MHD_Result handle(struct request *request, struct value *values)
{
    const struct value *rows = &values[ROWS];
    const uint32_t n = (uint32_t)values[N].number, base = route_base(&values[BASE]);
    const struct construction *method = constructions[values[METHOD].number];
    const bool drawn = (method->takes & TAKES_SEED) && route_draw_seed(&values[SEED]);
    struct question question = {
        .kind = ASK_CONSTRUCT,
        .n = n,
        .base = base,
        .format = request_format(request),
        .fleeting = drawn,
        .method = method->name,
        .construction = settings_of(values),
        .part = rows->given,
        .first = rows->given ? (uint32_t)rows->number - base : 0,
        .last = rows->given ? (uint32_t)rows->last - base : n - (n > 0),
    };
    enum MHD_Result result;
    if (refuse(request, &question, &result))
        return result;
    if (!request_canonical(request, values, &question))
        return reply_status(request, NQ_NOMEM);
    bool small = question.last - question.first < ANSWER_MAX_ROWS;
    return small ? reply_question(request, &question) : reply_stream(request, &question);
}

const struct route route_construct = {
    .path = "/construct",
    .summary = "One solution of any board size",
    .params = params,
    .formats = formats_offered,
    .check = check,
    .handle = handle,
};
