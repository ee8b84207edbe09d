/* verify.c - the conflicts of a placement, step by step; of a solution its symmetry, canonical form and rank, unless
 * its board has regions or is of any shape: those are of all solutions of a rule. Of a placement on a board of any
 * shape where a queen can be added. It does not know who placed the queens. */
#include "engine/boards/verify.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/stop.h"
#include "board/symmetry.h"
#include "engine/run/work.h"
#include "formats/format.h"
#include "formats/verdict.h"
#include "shapes/shape_board.h"

/* Rows between two looks at the stop flag: a tenth of a millisecond. */
enum { POLL = 1 << 14 };

struct verifying {
    struct work work;
    const struct question *question;
    const struct kernel *kernel;
    struct conflicts conflicts;
    bool searched;
    struct shape_verdict shaped; /* of a board of any shape: once `looked`, all of it */
    bool looked;
    enum nq_symmetry symmetry; /* of a solution, as are the next */
    unsigned orbit;
    uint32_t *columns, *canonical, *scratch; /* n each; the last two up to VERIFY_CANONICAL_MAX_N */
    struct small_index small_index;
    bool ranked;
    uint64_t rank;
};

/* The longer side. */
static uint32_t side_of(const struct question *question)
{
    return question->shape.rows > question->n ? question->shape.rows : question->n;
}

size_t verify_memory(const struct question *question)
{
    const struct shape *shape = &question->shape;
    const uint32_t side = side_of(question);
    return sizeof(struct verifying) + conflicts_memory(side, question->verify.placement->count) +
           (size_t)side * sizeof(uint32_t) + (size_t)shape->rows * shape->columns * shape->rows * sizeof(uint64_t);
}

/* On a board of any shape: as many queens as are asked for, none on a wall, and none can be added if that is asked. */
static bool is_placement(const struct verifying *verifying)
{
    const struct shape *shape = &verifying->question->shape;
    const struct shape_verdict *shaped = &verifying->shaped;
    const uint32_t count = verifying->question->verify.placement->count;
    return verifying->conflicts.total == 0 && !shaped->listed && count >= shape->least && count <= shape->most &&
           (shaped->maximal || !shape->maximal);
}

/* n queens without a conflict stand one in each row. */
static bool is_solution(const struct verifying *verifying)
{
    if (verifying->question->shape.rows)
        return is_placement(verifying);
    return verifying->conflicts.total == 0 && verifying->question->verify.placement->count == verifying->question->n;
}

/* ---- Boards of any shape ---- */

static void list_on_walls(struct verifying *verifying)
{
    const struct placement *placement = verifying->question->verify.placement;
    struct shape_verdict *shaped = &verifying->shaped;
    for (uint32_t i = 0; i < placement->count && shaped->listed < CONFLICTS_LISTED; i++) {
        const struct queen *queen = &placement->queens[i];
        if (shape_is_wall(shaped->shape, queen->row, queen->column))
            shaped->on_walls[shaped->listed++] = *queen;
    }
}

static enum nq_status look_at_shape(struct verifying *verifying)
{
    const struct placement *placement = verifying->question->verify.placement;
    struct shape_verdict *shaped = &verifying->shaped;
    list_on_walls(verifying);
    const enum nq_status status =
        shape_free(shaped->shape, placement->queens, placement->count, &shaped->maximal, &shaped->free);
    verifying->looked = status == NQ_OK;
    return status;
}

/* ---- Solutions of n queens ---- */

static enum nq_status look_up(struct verifying *verifying, const struct index *index, const atomic_bool *stop)
{
    const uint32_t n = verifying->question->n;
    uint8_t columns[INDEX_MAX_N] = {0};
    struct index_place place;
    for (uint32_t row = 0; row < n; row++)
        columns[row] = (uint8_t)verifying->columns[row];
    const enum nq_status status =
        index_rank(index, columns, n, &(struct index_depth){.kernel = verifying->kernel, .stop = stop}, &place);
    verifying->ranked = status == NQ_OK;
    verifying->rank = status == NQ_OK ? place.before : 0;
    return status;
}

/* How many images a solution has by that of queens: no reflection leaves it unchanged. */
static unsigned orbit_of(uint32_t n, enum nq_symmetry symmetry)
{
    static const unsigned images[] = {[NQ_SYMMETRY_NONE] = 8, [NQ_SYMMETRY_POINT] = 4, [NQ_SYMMETRY_QUARTER] = 2};
    return n <= 1 ? 1 : images[symmetry];
}

/* What is reported of solutions only. */
static enum nq_status look_closer(struct verifying *verifying, const atomic_bool *stop)
{
    const struct placement *placement = verifying->question->verify.placement;
    const uint32_t n = verifying->question->n;
    const size_t size = (n ? n : 1) * sizeof(uint32_t);
    conflicts_close(&verifying->conflicts); /* its results stay */
    verifying->columns = calloc(1, size);
    if (!verifying->columns)
        return NQ_NOMEM;
    for (uint32_t i = 0; i < n && !(i % POLL == 0 && stop_wanted(stop)); i++)
        verifying->columns[placement->queens[i].row] = placement->queens[i].column;
    verifying->symmetry = symmetry_of(n, verifying->columns, stop);
    if (stop_wanted(stop))
        return NQ_CANCELLED;
    verifying->orbit = orbit_of(n, verifying->symmetry);
    if (n <= VERIFY_CANONICAL_MAX_N) {
        verifying->canonical = malloc(size);
        verifying->scratch = malloc(size);
        if (!verifying->canonical || !verifying->scratch)
            return NQ_NOMEM;
        verifying->orbit = symmetry_canonical(verifying->question->query.filter.rule->symmetries, n, verifying->columns,
                                              verifying->canonical, verifying->scratch);
    }
    return NQ_OK;
}

/* The rank, by the question's index, or on a small board by one made here. */
static enum nq_status find_rank(struct verifying *verifying, const atomic_bool *stop)
{
    const struct question *question = verifying->question;
    if (question->needed[NEED_INDEX])
        return look_up(verifying, question->needed[NEED_INDEX]->extra, stop);
    if (question->n > small_index_most(question->query.filter.rule))
        return NQ_OK;
    enum nq_status status =
        verifying->small_index.index
            ? NQ_OK
            : small_index_open(&verifying->small_index, question->query.filter.rule, question->n, verifying->kernel);
    if (status == NQ_OK)
        status = small_index_make(&verifying->small_index, stop);
    return status == NQ_OK ? look_up(verifying, verifying->small_index.index, stop) : status;
}

static enum nq_status verifying_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct verifying *verifying = (struct verifying *)work;
    while (!verifying->searched) {
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        verifying->searched = conflicts_step(&verifying->conflicts, stop) == NQ_OK;
        if (!verifying->searched && clock_now() >= slice->deadline)
            return NQ_AGAIN;
    }
    if (verifying->question->shape.rows)
        return verifying->looked ? NQ_OK : look_at_shape(verifying);
    if (!is_solution(verifying) || verifying->conflicts.regions || verifying->question->format->picture)
        return NQ_OK;
    enum nq_status status = verifying->columns ? NQ_OK : look_closer(verifying, stop);
    if (status == NQ_OK)
        status = find_rank(verifying, stop);
    while (status == NQ_AGAIN && clock_now() < slice->deadline)
        status = find_rank(verifying, stop);
    return status;
}

/* The position with its attacks; or the solution. */
static enum nq_status draw(const struct verifying *verifying, struct answer **answer)
{
    const struct question *question = verifying->question;
    const struct placement *placement = question->verify.placement;
    const struct shown_marks marks = {.queens = {placement->queens, placement->count},
                                      .crosses = {placement->queens + placement->count, placement->crossed},
                                      .attacks = verifying->conflicts.list,
                                      .attack_count = verifying->conflicts.listed};
    const struct painted_board board = {.n = question->n,
                                        .shape = verifying->shaped.shape,
                                        .regions = question->query.regions.n ? &question->query.regions : NULL,
                                        .rules = question_rules(question),
                                        .marks = &marks,
                                        .base = question->base};
    struct bytes body = {0};
    (void)question->format->paint(&body, &board, NULL); /* never stopped */
    const enum nq_status status = work_answered(&body, question, answer);
    if (status == NQ_OK)
        (*answer)->complete = !question->uncacheable;
    return status;
}

static enum nq_status verifying_finish(struct work *work, struct answer **answer)
{
    const struct verifying *verifying = (struct verifying *)work;
    const struct question *question = verifying->question;
    struct verdict verdict = {.n = question->n,
                              .base = question->base,
                              .rules = question_rules(question),
                              .queens = question->verify.placement->count,
                              .conflicts = &verifying->conflicts,
                              .shaped = verifying->shaped.shape ? &verifying->shaped : NULL,
                              .valid = is_solution(verifying),
                              .canonical = verifying->canonical,
                              .ranked = verifying->ranked,
                              .rank = verifying->rank};
    struct bytes body = {0};
    if (question->format->picture)
        return draw(verifying, answer);
    if (verdict.valid && verifying->columns) {
        verdict.symmetry = verifying->symmetry;
        verdict.orbit = verifying->orbit;
    }
    verdict_write(&body, &verdict);
    const enum nq_status status = work_answered(&body, question, answer);
    if (status == NQ_OK)
        (*answer)->complete = !question->uncacheable; /* of a body: it is hardly asked for again */
    return status;
}

static void verifying_close(struct work *work)
{
    struct verifying *verifying = (struct verifying *)work;
    conflicts_close(&verifying->conflicts);
    small_index_close(&verifying->small_index);
    free(verifying->columns);
    free(verifying->canonical);
    free(verifying->scratch);
    free(verifying);
}

enum nq_status work_verify(const struct question *question, const struct tools *tools, struct work **work)
{
    static const struct work_class class = {
        .slice = verifying_slice, .finish = verifying_finish, .close = verifying_close};
    const struct placement *placement = question->verify.placement;
    struct verifying *verifying = work_new(sizeof *verifying, &class);
    if (!verifying)
        return NQ_NOMEM;
    verifying->question = question;
    verifying->kernel = tools->kernel;
    const struct rule *rule = question->query.filter.rule;
    const struct shape *shape = question->shape.rows ? &question->shape : NULL;
    verifying->shaped.shape = shape;
    const enum nq_status status =
        shape ? conflicts_open_shape(&verifying->conflicts, rule,
                                     &(struct conflicts_board){shape->rows, question->n, shape->walls},
                                     placement->queens, placement->count)
              : conflicts_open(&verifying->conflicts, rule, question->n, placement->queens, placement->count);
    if (status == NQ_OK && question->query.regions.n)
        conflicts_paint(&verifying->conflicts, &question->query.regions);
    return work_opened(&verifying->work, status, work);
}
