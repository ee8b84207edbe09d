/* shape.c - the public boards of any shape: their placements counted on threads of the call, and judged. */
#include <math.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "base/process.h"
#include "library/query.h"
#include "shapes/shape.h"
#include "shapes/shape_board.h"

_Static_assert(SHAPE_MAX_SIDE == (int)NQ_SHAPE_MAX_SIDE, "nqueens.h states the limit");

struct nq_shape {
    struct shape shape;
    enum query_distinct distinct;
};

/* ---- The board ---- */

enum nq_status nq_shape_open(uint32_t rows, uint32_t columns, const char *rule, struct nq_shape **out)
{
    const struct rule *its;
    if (!library_rule(rule, &its) || rows == 0 || columns == 0)
        return NQ_INVALID;
    if (rows > SHAPE_MAX_SIDE || columns > SHAPE_MAX_SIDE)
        return NQ_LIMIT;
    struct nq_shape *shape = calloc(1, sizeof *shape);
    if (!shape)
        return NQ_NOMEM;
    shape_begin(&shape->shape, rows, columns);
    shape->shape.rule = its;
    shape->shape.least = shape->shape.most = rows < columns ? rows : columns;
    *out = shape;
    return NQ_OK;
}

static bool is_on_board(const struct nq_shape *shape, uint32_t row, uint32_t column)
{
    return row < shape->shape.rows && column < shape->shape.columns;
}

enum nq_status nq_shape_wall(struct nq_shape *shape, uint32_t row, uint32_t column)
{
    if (!is_on_board(shape, row, column) || shape->shape.placed[row] >> column & 1)
        return NQ_INVALID;
    shape_wall(&shape->shape, row, column);
    return NQ_OK;
}

enum nq_status nq_shape_place(struct nq_shape *shape, uint32_t row, uint32_t column)
{
    if (!is_on_board(shape, row, column) || shape->shape.walls[row] >> column & 1)
        return NQ_INVALID;
    shape->shape.placed[row] |= UINT64_C(1) << column;
    return NQ_OK;
}

enum nq_status nq_shape_exclude(struct nq_shape *shape, uint32_t row, uint32_t column)
{
    if (!is_on_board(shape, row, column))
        return NQ_INVALID;
    shape->shape.allow[row] &= ~(UINT64_C(1) << column);
    return NQ_OK;
}

enum nq_status nq_shape_queens(struct nq_shape *shape, uint32_t least, uint32_t most)
{
    const uint32_t squares = shape->shape.rows * shape->shape.columns;
    if (least > most)
        return NQ_INVALID;
    shape->shape.least = least;
    shape->shape.most = most < squares || least > squares ? most : squares;
    return NQ_OK;
}

void nq_shape_maximal(struct nq_shape *shape, bool maximal)
{
    shape->shape.maximal = maximal;
}

enum nq_status nq_shape_distinct(struct nq_shape *shape, enum nq_distinct distinct)
{
    return library_distinct(distinct, &shape->distinct);
}

void nq_shape_close(struct nq_shape *shape)
{
    free(shape);
}

/* ---- Counting ---- */

struct shape_counting {
    struct progress progress;
    struct shape_plan *plan;
    nq_wide *profile; /* by queens */
};

static enum nq_status count_unit(void *of, size_t unit)
{
    struct shape_counting *counting = of;
    const size_t entries = (size_t)shape_plan_top(counting->plan) + 1;
    uint64_t nodes = 0;
    nq_wide *profile = calloc(entries, sizeof *profile);
    enum nq_status status = NQ_NOMEM;
    if (profile)
        status = shape_plan_count(counting->plan, unit, &counting->progress.stop, profile, &nodes);
    pthread_mutex_lock(&counting->progress.lock);
    for (size_t k = 0; k < entries && status == NQ_OK; k++)
        counting->profile[k] += profile[k];
    pthread_mutex_unlock(&counting->progress.lock);
    free(profile);
    return progress_unit(&counting->progress, shape_plan_weight(counting->plan, unit), status);
}

static enum nq_status count_all_units(struct shape_counting *counting, unsigned threads)
{
    const struct parallel_units units = {.count = shape_plan_units(counting->plan),
                                         .make = count_unit,
                                         .of = counting,
                                         .stop = &counting->progress.stop};
    for (size_t unit = 0; unit < units.count; unit++)
        counting->progress.whole += shape_plan_weight(counting->plan, unit);
    counting->profile = calloc((size_t)shape_plan_top(counting->plan) + 1, sizeof *counting->profile);
    return counting->profile ? parallel_units(threads, &units) : NQ_NOMEM;
}

/* NQ_LIMIT: a sum does not fit. */
static enum nq_status write_counts(const struct shape_counting *counting, uint64_t *by_queens, uint32_t room,
                                   uint64_t *total)
{
    const uint32_t top = shape_plan_top(counting->plan);
    const unsigned divisor = shape_plan_divisor(counting->plan);
    nq_wide sum = 0;
    for (uint32_t k = 0; k <= top; k++)
        sum += counting->profile[k] / divisor;
    if (sum > UINT64_MAX)
        return NQ_LIMIT;
    for (uint32_t k = 0; k < room; k++)
        by_queens[k] = k <= top ? (uint64_t)(counting->profile[k] / divisor) : 0;
    *total = (uint64_t)sum;
    return NQ_OK;
}

enum nq_status nq_shape_count(const struct nq_shape *shape, const struct nq_count_settings *settings,
                              uint64_t *by_queens, uint32_t room, uint64_t *total)
{
    static const struct nq_count_settings presets = {0};
    struct shape_counting counting = {.plan = NULL};
    if (shape_refusal(&shape->shape))
        return NQ_INVALID;
    settings = settings ? settings : &presets;
    progress_begin(&counting.progress, settings->progress, settings->context);
    enum nq_status status =
        shape_plan_open(&shape->shape, distinct_group(shape->distinct, shape_symmetries(&shape->shape)), 0, INFINITY,
                        &counting.progress.stop, &counting.plan);
    if (status == NQ_OK)
        status = count_all_units(&counting, settings->threads ? settings->threads : process_processors());
    progress_end(&counting.progress);
    if (status == NQ_OK)
        status = write_counts(&counting, by_queens, room, total);
    if (counting.plan)
        shape_plan_close(counting.plan);
    free(counting.profile);
    return status;
}

/* ---- Judging ---- */

/* What is asked of squares: as many as wanted, on allowed squares, the placed ones among them. */
static bool meets(const struct shape *shape, const struct queen *queens, uint32_t count)
{
    uint64_t rows[SHAPE_MAX_SIDE] = {0};
    bool met = count >= shape->least && count <= shape->most;
    for (uint32_t i = 0; i < count; i++)
        rows[queens[i].row] |= UINT64_C(1) << queens[i].column;
    for (uint32_t row = 0; row < shape->rows; row++)
        met = met && !(rows[row] & ~shape->allow[row]) && !(shape->placed[row] & ~rows[row]);
    return met;
}

static uint32_t count_on_walls(const struct shape *shape, const struct queen *queens, uint32_t count)
{
    uint32_t on_walls = 0;
    for (uint32_t i = 0; i < count; i++)
        on_walls += shape_is_wall(shape, queens[i].row, queens[i].column);
    return on_walls;
}

static enum nq_status judge(const struct shape *shape, const struct queen *queens, uint32_t count,
                            struct conflicts *conflicts, struct nq_conflict *list, struct nq_shape_verdict *verdict)
{
    struct queen square = {0, 0};
    bool maximal;
    enum nq_status status = shape_free(shape, queens, count, &maximal, &square);
    if (status == NQ_OK)
        status =
            conflicts_open_shape(conflicts, shape->rule,
                                 &(struct conflicts_board){shape->rows, shape->columns, shape->walls}, queens, count);
    if (status != NQ_OK)
        return status;
    library_conflicts(conflicts, list);
    *verdict = (struct nq_shape_verdict){.maximal = maximal,
                                         .free = {square.row, square.column},
                                         .on_walls = count_on_walls(shape, queens, count),
                                         .conflicts = conflicts->total};
    verdict->valid = !conflicts->total && meets(shape, queens, count) && (maximal || !shape->maximal);
    return NQ_OK;
}

enum nq_status nq_shape_verify(const struct nq_shape *shape, const struct nq_square *squares, uint32_t count,
                               struct nq_conflict *list, struct nq_shape_verdict *verdict)
{
    struct shape board = shape->shape;
    if (shape_refusal(&board))
        return NQ_INVALID;
    for (uint32_t i = 0; i < count; i++)
        if (!is_on_board(shape, squares[i].row, squares[i].column))
            return NQ_INVALID;
    if (count > NQ_CONFLICTS_RULE_MAX)
        return NQ_LIMIT;
    struct conflicts *conflicts = malloc(sizeof *conflicts);
    struct queen *queens = library_queens(squares, count);
    const enum nq_status status =
        conflicts && queens ? judge(&board, queens, count, conflicts, list, verdict) : NQ_NOMEM;
    free(queens);
    free(conflicts);
    return status;
}
