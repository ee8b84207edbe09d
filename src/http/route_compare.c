/* route_compare.c - GET /compare: what every algorithm does on the same board. */
#include "http/ask_machine.h"
#include "http/route.h"

enum { N, STEPS, COLUMN, STRATEGY, SEED, BASE, FORMAT };

PARAM_CHOICES(formats_offered, "json");

enum { STEPS_PRESET = 1000000, STEPS_MOST = 10000000 };

/* An algorithm that draws does so by this seed unless told: a table is the same every time. */
enum { SEED_PRESET = 1 };

static const struct param params[] = {
    [N] = {.name = "n",
           .type = PARAM_NUMBER,
           .required = true,
           .least = 1,
           .most = MACHINE_MAX_N,
           .summary = "board size"},
    [STEPS] = {.name = "steps",
               .type = PARAM_NUMBER,
               .least = 1,
               .most = STEPS_MOST,
               .has_preset = true,
               .preset = STEPS_PRESET,
               .summary = "how many steps every algorithm may do"},
    [COLUMN] = PARAM_COLUMN,
    [STRATEGY] = PARAM_STRATEGY,
    [SEED] = {.name = "seed",
              .type = PARAM_NUMBER,
              .most = ROUTE_SEED_MOST,
              .has_preset = true,
              .preset = SEED_PRESET,
              .summary = "of algorithms that draw"},
    [BASE] = PARAM_BASE,
    [FORMAT] = PARAM_FORMAT(formats_offered),
    {0},
};

static struct question ask(const struct request *request, const struct value *values, struct complaints *complaints)
{
    static const struct value absent = {.sound = true};
    const struct machine_values of = {.n = &values[N],
                                      .base = &values[BASE],
                                      .column = &values[COLUMN],
                                      .split = &absent,
                                      .strategy = &values[STRATEGY],
                                      .seed = &values[SEED]};
    /* Each algorithm heeds what it can; those that begin in a column which the board has not are left out. */
    const struct machine any = {.name = "of any kind",
                                .heeds = (values[COLUMN].given ? HEEDS_COLUMN : 0) | HEEDS_STRATEGY | HEEDS_SEED,
                                .max_n = MACHINE_MAX_N};
    struct question question = {
        .kind = ASK_COMPARE,
        .n = (uint32_t)values[N].number,
        .base = route_base(&values[BASE]),
        .format = request_format(request),
        .most = values[STEPS].number,
        .seed = values[SEED].number,
    };
    if (ask_machine_sound(&of))
        ask_machine(&of, &any, complaints, &question.cursor.machine);
    if (!values[COLUMN].given)
        question.cursor.machine.column = ASK_FIRST_COLUMN;
    return question;
}

static void check(const struct request *request, const struct value *values, struct complaints *complaints)
{
    (void)ask(request, values, complaints);
}

static enum MHD_Result handle(struct request *request, struct value *values)
{
    struct complaints none = {0};
    struct question question = ask(request, values, &none);
    if (!request_canonical(request, values, &question))
        return reply_status(request, NQ_NOMEM);
    return reply_question(request, &question);
}

const struct route route_compare = {
    .path = "/compare",
    .summary = "What every algorithm does on one board",
    .params = params,
    .formats = formats_offered,
    .check = check,
    .handle = handle,
};
