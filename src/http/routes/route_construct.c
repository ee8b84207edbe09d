/* route_construct.c - GET /construct: one solution of any size, whole or a stretch of its rows. */
#include <stdio.h>

#include "constructions/construction.h"
#include "engine/ask/query_values.h"
#include "http/reply/response.h"
#include "http/reply/route.h"

enum { N, METHOD, SEED, MULTIPLIER, SHIFT, FACTORS, ROWS, RULES, BASE, FORMAT };

PARAM_CHOICES(formats_offered, "json", "ndjson", "csv", "text", "octet-stream", "svg", "png");

static const char *construction_names(size_t i)
{
    return constructions[i] ? constructions[i]->name : NULL;
}

enum { MAX_N = 1000000000 };

/* Names in one reply. */
enum { METHODS_MAX = 16, METHODS_TEXT_MAX = 128 };

static bool lacks_seed(const char *method)
{
    return !(construction_find(method)->takes & TAKES_SEED);
}

static bool lacks_multiplier(const char *method)
{
    return !(construction_find(method)->takes & TAKES_MULTIPLIER);
}

static bool lacks_factors(const char *method)
{
    return !(construction_find(method)->takes & TAKES_FACTORS);
}

#define OF_METHOD(lacks) BONDS(BOND(EXCLUDES, IS("method", .has = (lacks)), .because = ", which has no such setting"))

static const struct param params[] = {
    [N] = PARAM_N(0, MAX_N, .bonds = BONDS(PICTURED, BOND(AT_MOST, IS("format=svg|png"), .limit = PICTURE_MAX_N))),
    [METHOD] = {.name = "method",
                .type = PARAM_CHOICE,
                .choices = construction_names,
                .keep = true,
                .summary = "which construction"},
    [SEED] = PARAM_SEED("of a random construction; without it the server draws and returns one",
                        .bonds = OF_METHOD(lacks_seed)),
    [MULTIPLIER] = {.name = "multiplier",
                    .type = PARAM_NUMBER,
                    .least = 1,
                    .most = MAX_N,
                    .has_preset = true,
                    .preset = CONSTRUCTION_MULTIPLIER,
                    .summary = "for method=linear: columns from one queen to the next, to the right",
                    .bonds = OF_METHOD(lacks_multiplier)},
    [SHIFT] = {.name = "shift",
               .type = PARAM_NUMBER,
               .most = MAX_N,
               .has_preset = true,
               .preset = CONSTRUCTION_SHIFT,
               .summary = "for method=linear: columns by which the solution is shifted to the right, cyclically",
               .bonds = OF_METHOD(lacks_multiplier)},
    [FACTORS] = {.name = "factors",
                 .type = PARAM_FACTORS,
                 .most = MAX_N,
                 .summary = "for method=tensor: the boards, or their sizes, whose product is n, the outermost first",
                 .bonds = OF_METHOD(lacks_factors)},
    [ROWS] = {.name = "rows",
              .type = PARAM_RANGE,
              .most = MAX_N,
              .summary = "return only these rows, first-last, counted from base",
              .bonds = BONDS(BOND(EXCLUDES, IS("format=svg|png"), .because = ", which shows the whole board"))},
    [RULES] = PARAM_RULES(),
    [BASE] = PARAM_BASE,
    [FORMAT] = PARAM_FORMAT(formats_offered),
    {0},
};

_Static_assert((int)PARAM_FACTORS_MAX == (int)CONSTRUCTION_FACTORS_MAX &&
                   (int)PARAM_FACTOR_COLUMNS_MAX == (int)CONSTRUCTION_COLUMNS_MAX,
               "all factors that are read fit");

static void set_factors(const struct value *value, struct construction_settings *settings)
{
    const uint32_t *word = value->factors;
    uint8_t *column = settings->columns;
    settings->factor_count = (uint32_t)value->number;
    for (uint32_t i = 0; i < settings->factor_count; i++) {
        settings->given[i] = *word & PARAM_BOARD;
        settings->factors[i] = *word++ & ~PARAM_BOARD;
        for (uint32_t k = 0; settings->given[i] && k < settings->factors[i]; k++)
            *column++ = (uint8_t)(*word++ - 1);
    }
}

static struct construction_settings settings_of(const struct value *values)
{
    struct construction_settings settings = {
        .n = (uint32_t)values[N].number,
        .seed = values[SEED].number,
        .rule = row_rule(&values[RULES]),
        .multiplier = values[MULTIPLIER].given ? (uint32_t)values[MULTIPLIER].number : 0,
        .shift = (uint32_t)values[SHIFT].number,
    };
    if (values[FACTORS].given)
        set_factors(&values[FACTORS], &settings);
    return settings;
}

/* Settings must not contradict each other; only factors can. */
static void check_settings(const struct construction *method, const struct value *values,
                           struct validation_errors *errors)
{
    char why[CONSTRUCTION_WHY_MAX];
    const struct construction_settings settings = settings_of(values);
    if (construction_check(method, &settings, why) == NQ_INVALID)
        reject_with(errors, REFUSED_FACTORS, "factors", MEMBERS(NUMBER((unsigned)settings.n)),
                    "must be two numbers or more whose product is n = %u", (unsigned)settings.n);
}

/* rows=first-last counts from base. */
static void check_rows(const struct value *values, struct validation_errors *errors)
{
    const struct value *rows = &values[ROWS];
    const uint64_t n = values[N].number, base = row_base(&values[BASE]);
    if (!rows->given)
        return;
    if (rows->number < base)
        reject_with(errors, REFUSED_LESS, "rows", MEMBERS(NUMBER(1)), "must begin at %d or later with base=1", 1);
    else if (rows->last - base >= n)
        reject_with(errors, REFUSED_UPPER_LIMIT, "rows", MEMBERS(NUMBER((unsigned)n)),
                    "must end on the board, which has %u rows", (unsigned)n);
}

/* The methods that have solutions by a rule, of any size. */
static void write_methods(const struct rule *rule, char text[static METHODS_TEXT_MAX])
{
    size_t length = 0;
    for (const struct construction *const *at = constructions; *at && length < METHODS_TEXT_MAX; at++)
        if (construction_max_n(*at, rule))
            length +=
                (size_t)snprintf(text + length, METHODS_TEXT_MAX - length, "%s%s", length ? ", " : "", (*at)->name);
}

/* A method of a rule: it must have such solutions, and so large ones. */
static void check_limits(const struct construction *method, const struct value *values,
                         struct validation_errors *errors)
{
    const struct rule *rule = row_rule(&values[RULES]);
    const char *word = rule_word(rule);
    const uint32_t most = construction_max_n(method, rule);
    char methods[METHODS_TEXT_MAX];
    write_methods(rule, methods);
    if (!most)
        reject_with(errors, REFUSED_RULE, "method", MEMBERS(WORD(rule->name)),
                    "has no solutions with rules=%s; use one of: %s", rule->name, methods);
    else if (values[N].number > most)
        reject_with(errors, REFUSED_UPPER_LIMIT, "n", MEMBERS(NUMBER(most)), "must be at most %u for method=%s%s%s",
                    most, method->name, word ? " and rules=" : "", word ? word : "");
}

static bool suits(const struct construction *method, uint32_t n, const struct rule *rule)
{
    return rule_none(rule, n) ? construction_max_n(method, rule) > 0 : construction_able(method, n, rule);
}

/* The first that has a solution and takes a seed, if one is given; else the first that has one; else that of the
 * largest n, which says why it has none. */
static size_t default_method(const struct rule *rule, uint32_t n, bool seeded)
{
    size_t largest = 0, able = 0, taking = 0;
    while (constructions[able] && !suits(constructions[able], n, rule))
        able++;
    while (constructions[taking] &&
           !((constructions[taking]->takes & TAKES_SEED) && suits(constructions[taking], n, rule)))
        taking++;
    for (size_t i = 1; constructions[i]; i++)
        if (construction_max_n(constructions[i], rule) > construction_max_n(constructions[largest], rule))
            largest = i;
    if (seeded && constructions[taking])
        return taking;
    return constructions[able] ? able : largest;
}

/* What it is without method=: by the queens' rule the first one. */
static size_t usual_method(const struct value *values)
{
    const struct rule *rule = row_rule(&values[RULES]);
    return rule_word(rule) ? default_method(rule, (uint32_t)values[N].number, values[SEED].given) : 0;
}

static void choose(const struct param *rows, struct value *values)
{
    (void)rows;
    if (!values[METHOD].given && values[N].sound && values[RULES].sound)
        values[METHOD].number = usual_method(values);
}

static void normalise(const struct param *rows, struct value *values)
{
    (void)rows;
    if (values[N].sound && values[RULES].sound && values[METHOD].number == usual_method(values))
        values[METHOD].given = false;
}

static bool draws(const struct value *values)
{
    return constructions[values[METHOD].number]->takes & TAKES_SEED;
}

static bool read_question(struct request *request, const struct value *values, struct validation_errors *errors)
{
    const struct format *format = request_format(request);
    const struct value *n = &values[N], *rows = &values[ROWS];
    const uint32_t base = row_base(&values[BASE]);
    const struct construction *method = constructions[values[METHOD].number];
    struct question *question = request_question(request);
    const size_t before = errors->made;
    check_limits(method, values, errors);
    if (errors->made == before)
        check_settings(method, values, errors);
    check_rows(values, errors);
    if (errors->made > before)
        return true;
    question->kind = ASK_CONSTRUCT;
    question->n = (uint32_t)n->number;
    question->base = base;
    question->format = format;
    question->construct.method = method->name;
    question->construct.settings = settings_of(values);
    question->query.filter.rule = question->construct.settings.rule;
    question->construct.part = rows->given;
    question->construct.first = rows->given ? (uint32_t)rows->number - base : 0;
    question->construct.last = rows->given ? (uint32_t)rows->last - base : question->n - (question->n > 0);
    return true;
}

/* Replies that the method has no solution, and which methods have one. */
static enum MHD_Result refuse_method(struct request *request, const struct construction_settings *settings,
                                     const char *why)
{
    const char *able[METHODS_MAX + 1] = {NULL};
    size_t count = 0;
    struct fault fault;
    for (const struct construction *const *at = constructions; *at && count < METHODS_MAX; at++)
        if (construction_able(*at, settings->n, settings->rule))
            able[count++] = (*at)->name;
    fault_write(&fault, FAULT_METHOD, NULL, "%s", why);
    return reply_problem_with(request, PROBLEM_NO_SOLUTION, &(struct problem_facts){.fault = &fault, .methods = able},
                              "%s", why);
}

/* Replies why there is no answer; false: there is one. */
static bool refuse(struct request *request, const struct question *question, enum MHD_Result *result)
{
    char why[CONSTRUCTION_WHY_MAX];
    struct construction_settings settings = question->construct.settings;
    settings.n = question->n;
    if (construction_check(construction_find(question->construct.method), &settings, why) == NQ_OK)
        return false;
    *result = why[0] ? refuse_method(request, &settings, why) : reply_no_solution(request, question->n, settings.rule);
    return true;
}

static enum MHD_Result handle(struct request *request, const struct value *values)
{
    const struct question *question = request_question(request);
    enum MHD_Result result;
    if (refuse(request, question, &result))
        return result;
    struct fault fault;
    if (!engine_has_room(request->service->engine, question, &fault))
        return reply_fault(request, PROBLEM_BEYOND_LIMIT, &fault);
    return reply_values(request, values);
}

const struct route route_construct = {
    .asks.path = "/construct",
    .example = "/construct?n=8",
    .summary = "Constructs one solution of any board size",
    .asks.params = params,
    .formats = formats_offered,
    .asks.choose = choose,
    .asks.normalise = normalise,
    .asks.draws = draws,
    .read = read_question,
    .handle = handle,
};
