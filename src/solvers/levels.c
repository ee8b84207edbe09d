/* levels.c - search by levels, in stages. It does not know whose they are, nor where memory comes from. */
#include "solvers/levels.h"

#include <assert.h>
#include <stdlib.h>

#include "solvers/partials.h"

/* Two that are given, and the last. */
enum { STAGES = 3 };

enum phase {
    FIRST,  /* the first queen comes next */
    TAKE,   /* another placement is taken up */
    TRY,    /* the next column is tried below what was taken up */
    PLACED, /* the last queen has just been put: a solution */
    REMOVE, /* and is taken off again */
    WHOLE,  /* what was taken up is whole: a solution */
};

struct levels {
    struct partials partials;
    uint32_t column;
    uint32_t stage, stages, ends[STAGES];
    struct partials_list sources; /* taken up by this stage, and behind them what it finds for the next one */
    struct partials_list level;   /* the rest of a level, and behind it what there is of the next one */
    uint64_t closed;              /* columns of the source: not tried */
    uint32_t next;                /* column to be tried */
    enum phase phase;
    bool found;
};

enum nq_status levels_open(const struct machine_settings *settings, void **out)
{
    assert(settings->splits < STAGES);
    struct levels *levels = calloc(1, sizeof *levels);
    if (!levels)
        return NQ_NOMEM;
    partials_open(&levels->partials, settings, 0);
    levels->column = settings->column;
    for (uint32_t i = 0; i < settings->splits; i++) /* a stage that ends where it begins has nothing to do */
        if (!levels->stages || settings->split[i] != levels->ends[levels->stages - 1])
            levels->ends[levels->stages++] = settings->split[i];
    levels->ends[levels->stages++] = settings->n;
    *out = levels;
    return NQ_OK;
}

static bool last_stage(const struct levels *levels)
{
    return levels->stage + 1 == levels->stages;
}

/* Another queen below what is on the board. */
static enum nq_status extend(struct levels *levels, uint32_t column, struct step *step)
{
    struct partials *partials = &levels->partials;
    uint32_t number = 0;
    if (partials_reject(partials, column, step))
        return NQ_OK;
    const bool ends = partials->rows + 1 == levels->ends[levels->stage];
    if (ends && last_stage(levels)) {
        partials_place(partials, column, step);
        levels->phase = PLACED;
        return NQ_OK;
    }
    const enum nq_status status = partials_keep(partials, column, &number, step);
    if (status != NQ_OK)
        return status;
    struct partials_list *list = ends ? &levels->sources : &levels->level;
    partials_insert(partials, list, list->last, number);
    return NQ_OK;
}

static enum nq_status first(struct levels *levels, struct step *step)
{
    levels->closed = UINT64_C(1) << levels->column;
    levels->phase = TAKE;
    return extend(levels, levels->column, step);
}

/* The next of the level; else of what the stage, or the one before it, has found. */
static enum nq_status take(struct levels *levels, struct step *step)
{
    struct partials *partials = &levels->partials;
    uint32_t number = partials_pop(partials, &levels->level);
    const bool source = !number;
    if (source && !levels->found)
        number = partials_pop(partials, &levels->sources);
    if (!number)
        return NQ_END;
    partials_take(partials, number, step);
    levels->next = 0;
    levels->phase = TRY;
    if (!source)
        return NQ_OK;
    if (partials->rows == levels->ends[levels->stage] && !last_stage(levels))
        levels->stage++;
    if (partials->rows == partials->n)
        levels->phase = WHOLE;
    levels->closed = 0;
    for (uint32_t row = 0; row < partials->rows; row++)
        levels->closed |= UINT64_C(1) << partials->columns[row];
    return NQ_OK;
}

static enum nq_status solution(struct levels *levels, enum phase after, struct step *step)
{
    partials_solution(&levels->partials, step);
    levels->found = true;
    levels->phase = after;
    return NQ_OK;
}

enum nq_status levels_step(void *machine, struct step *step)
{
    struct levels *levels = machine;
    switch (levels->phase) {
    case FIRST: return first(levels, step);
    case TAKE: return take(levels, step);
    case PLACED: return solution(levels, REMOVE, step);
    case WHOLE: return solution(levels, TAKE, step);
    case REMOVE:
        levels->phase = TRY;
        partials_remove(&levels->partials, step);
        return NQ_OK;
    case TRY: break;
    }
    while (levels->next < levels->partials.n && levels->closed >> levels->next & 1)
        levels->next++;
    return levels->next < levels->partials.n ? extend(levels, levels->next++, step) : take(levels, step);
}

void levels_board(const void *machine, uint32_t *columns)
{
    const struct levels *levels = machine;
    partials_board(&levels->partials, columns);
}

void levels_close(void *machine)
{
    struct levels *levels = machine;
    partials_close(&levels->partials);
    free(levels);
}
