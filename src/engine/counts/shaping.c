/* shaping.c - a count of a board of any shape, by number of queens. A unit's result is its placements of each number of
 * queens, in decimal digits with spaces between them. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/counts/count_answer.h"
#include "engine/counts/gathering.h"
#include "shapes/shape_count.h"

/* For each row of the board, a placement of this search takes as long as so many of the kernel's. Measured on boards of
 * 10 to 40 rows on a virtual EPYC with AVX-512, by processor time: 4 to 17. */
#define SHAPE_PLACEMENTS 10

/* Of units: results of another revision are not used. */
enum { SHAPE_REVISION = 1 };

struct shaping {
    struct gathering gathering;
    struct shape_plan *plan;
    nq_wide *profile; /* by number of queens, of the units that are known */
};

static uint32_t numbers_of(const struct shape_plan *plan)
{
    return shape_plan_top(plan) + 1;
}

/* ---- Units ---- */

static enum nq_status make(const struct gathering *gathering, size_t unit, const atomic_bool *stop,
                           struct bytes *result, uint64_t *nodes)
{
    const struct shape_plan *plan = ((const struct shaping *)gathering)->plan;
    nq_wide *profile = calloc(numbers_of(plan), sizeof *profile);
    if (!profile)
        return NQ_NOMEM;
    const enum nq_status status = shape_plan_count(plan, unit, stop, profile, nodes);
    if (status == NQ_OK)
        wide_write_row(result, profile, numbers_of(plan));
    free(profile);
    return status == NQ_OK && result->failed ? NQ_NOMEM : status;
}

static enum nq_status put(struct gathering *gathering, size_t unit, const void *result, size_t size)
{
    struct shaping *shaping = (struct shaping *)gathering;
    const uint32_t numbers = numbers_of(shaping->plan);
    nq_wide *profile = calloc(numbers, sizeof *profile);
    const char *text = result;
    (void)unit;
    if (!profile)
        return NQ_NOMEM;
    bool sound = wide_read_row(text, text + size, profile, numbers);
    for (uint32_t queens = 0; sound && queens < numbers; queens++)
        sound = profile[queens] <= ~(nq_wide)0 - shaping->profile[queens];
    for (uint32_t queens = 0; sound && queens < numbers; queens++)
        shaping->profile[queens] += profile[queens];
    free(profile);
    return sound ? NQ_OK : NQ_INVALID;
}

static double weight_of(const struct shape *shape, const struct shape_plan *plan, size_t unit)
{
    return SHAPE_PLACEMENTS * shape->rows * shape_plan_weight(plan, unit);
}

static double weight(const struct gathering *gathering, size_t unit)
{
    return weight_of(&gathering->question->shape, ((const struct shaping *)gathering)->plan, unit);
}

/* ---- The work ---- */

static void name_squares(const char *what, const struct shape *shape, const uint64_t *squares, struct bytes *name)
{
    bytes_format(name, " %s", what);
    for (uint32_t row = 0; row < shape->rows; row++)
        bytes_format(name, row ? ",%" PRIx64 : " %" PRIx64, squares[row]);
}

/* Equal names mean equal units. */
static void name_units(const struct shape *shape, unsigned group, struct bytes *name)
{
    bytes_format(name, "shape.%d %" PRIu32 "x%" PRIu32 " %s %" PRIu32 "-%" PRIu32 "%s group %x", SHAPE_REVISION,
                 shape->rows, shape->columns, shape->rule->name, shape->least, shape->most,
                 shape->maximal ? " maximal" : "", group);
    name_squares("walls", shape, shape->walls, name);
    name_squares("allow", shape, shape->allow, name);
    name_squares("placed", shape, shape->placed, name);
}

static enum nq_status shaping_finish(struct work *work, struct answer **answer)
{
    struct shaping *shaping = (struct shaping *)work;
    const struct question *question = shaping->gathering.question;
    const unsigned divisor = shape_plan_divisor(shaping->plan);
    const uint32_t numbers = numbers_of(shaping->plan);
    const struct distribution distribution = {.by = "queens", .values = numbers, .counts = shaping->profile};
    char note[96];
    struct count_fact fact = {.provenance = "computed",
                              .distribution = question->count.by_queens ? &distribution : NULL};
    for (uint32_t queens = 0; queens < numbers; queens++) {
        assert(shaping->profile[queens] % divisor == 0); /* Burnside */
        shaping->profile[queens] /= divisor;
        fact.count += shaping->profile[queens];
    }
    if (numbers <= question->shape.least) {
        (void)snprintf(note, sizeof note, "the board has room for no more than %" PRIu32 " queens", numbers - 1);
        fact.note = note;
    }
    shaping->gathering.made = true;
    return count_answer(question, &fact, answer);
}

static void shaping_close(struct work *work)
{
    struct shaping *shaping = (struct shaping *)work;
    gathering_close(&shaping->gathering);
    if (shaping->plan)
        shape_plan_close(shaping->plan);
    free(shaping->profile);
    free(shaping);
}

static double cost_of(const struct shape *shape, const struct shape_plan *plan)
{
    double all = 0;
    for (size_t unit = 0; unit < shape_plan_units(plan); unit++)
        all += weight_of(shape, plan, unit);
    return all;
}

enum nq_status shape_cost(const struct question *question, const atomic_bool *stop, double *placements)
{
    struct shape_plan *plan;
    const enum nq_status status = shape_plan_open(&question->shape, question_shape_group(question), 0, 0, stop, &plan);
    if (status != NQ_OK)
        return status;
    *placements = cost_of(&question->shape, plan);
    shape_plan_close(plan);
    return NQ_OK;
}

/* Makes the plan. One that would take far more than the limit, and is refused for that, need not have its units, which
 * of a large board are many. */
static enum nq_status plan(struct shaping *shaping, const struct tools *tools, const atomic_bool *stop)
{
    enum { FAR = 4 };
    const struct question *question = shaping->gathering.question;
    const double placements = tools->most_core_seconds * tools->nodes_per_second;
    const double most = question->admitted ? INFINITY : FAR * placements / (SHAPE_PLACEMENTS * question->shape.rows);
    const enum nq_status status =
        shape_plan_open(&question->shape, question_shape_group(question), 0, most, stop, &shaping->plan);
    if (status == NQ_OK && !(shaping->profile = calloc(numbers_of(shaping->plan), sizeof *shaping->profile)))
        return NQ_NOMEM;
    return status;
}

/* Rejects what would take more than the limit. */
static enum nq_status lay(struct shaping *shaping, const struct tools *tools, struct fault *fault)
{
    const struct question *question = shaping->gathering.question;
    struct bytes name = {0};
    name_units(&question->shape, question_shape_group(question), &name);
    const double all = cost_of(&question->shape, shaping->plan), most = (double)(UINT64_C(1) << 62);
    const enum nq_status status = gathering_lay(&shaping->gathering, &name, shape_plan_units(shaping->plan),
                                                (uint64_t)(all < most ? all : most), tools);
    return status == NQ_LIMIT ? units_too_costly(tools, all / tools->nodes_per_second, "", fault) : status;
}

enum nq_status work_shape(const struct question *question, const struct tools *tools, const atomic_bool *stop,
                          struct fault *fault, struct work **work)
{
    static const struct work_class class = {.prepare = gathering_prepare,
                                            .slice = gathering_slice,
                                            .finish = shaping_finish,
                                            .close = shaping_close,
                                            .progress = gathering_progress};
    static const struct gathering_class gathered = {.make = make, .put = put, .weight = weight};
    struct shaping *shaping = work_new(sizeof *shaping, &class);
    if (!shaping)
        return NQ_NOMEM;
    gathering_begin(&shaping->gathering, &gathered, question, tools);
    enum nq_status status = plan(shaping, tools, stop);
    if (status == NQ_OK)
        status = lay(shaping, tools, fault);
    return work_opened(&shaping->gathering.work, status, work);
}
