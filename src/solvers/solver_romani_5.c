/* solver_romani_5.c - a queue of partial placements of any length: one is taken out, and what it can be taken further
 * to is put in, until that is a solution. F. Romani, Ancora le Regine, MCmicrocomputer (1993), algorithm 5. */
#include <stdlib.h>

#include "solvers/partials.h"
#include "solvers/solver.h"
#include "steps/listing.h"

enum phase { FIRST, OUT, TRY, PLACED, ENDED };

struct romani_5 {
    struct partials partials;
    uint32_t column;
    enum strategy strategy;
    struct partials_list queue; /* of breadth and depth */
    uint32_t child;             /* the last that went in before all older ones; 0: none */
    uint64_t age;               /* of priority: how many have been put in */
    uint64_t taken;             /* columns of what was taken out */
    uint32_t next;              /* column to be tried */
    enum phase phase;
};

/* ---- The priority queue: a heap -----------------------------------------------------------------------------------
 * As many are in it as partial placements are kept, so its i-th place has room in the spare bytes of number i. */

struct place {
    uint64_t value; /* no two have the same */
    uint32_t number;
};

static struct place *place(const struct romani_5 *queue, uint32_t i)
{
    return partials_spare(&queue->partials, i);
}

static void push(struct romani_5 *queue, struct place pushed)
{
    uint32_t i = queue->partials.kept;
    for (; i > 1 && place(queue, i / 2)->value < pushed.value; i /= 2)
        *place(queue, i) = *place(queue, i / 2);
    *place(queue, i) = pushed;
}

static uint32_t pop(struct romani_5 *queue)
{
    const uint32_t size = queue->partials.kept;
    if (!size)
        return 0;
    const struct place moved = *place(queue, size);
    const uint32_t number = place(queue, 1)->number;
    uint32_t i = 1, child;
    for (; (child = 2 * i) < size; i = child) {
        child += child + 1 < size && place(queue, child + 1)->value > place(queue, child)->value;
        if (place(queue, child)->value < moved.value)
            break;
        *place(queue, i) = *place(queue, child);
    }
    *place(queue, i) = moved;
    return number;
}

/* What the article calls an evaluation function, and leaves open: first those that leave a free square in every row
 * below; of these the longest; of these the one with most free squares below; of these the oldest. */
static uint64_t value_of(const struct partials *partials, uint32_t column, uint64_t age)
{
    const uint64_t board = ~UINT64_C(0) >> (64 - partials->n);
    uint64_t columns = 0, left = 0, right = 0, free_squares = 0;
    bool alive = true;
    for (uint32_t row = 0; row < partials->n; row++) {
        if (row > partials->rows) {
            const int squares = __builtin_popcountll(board & ~(columns | left | right));
            free_squares += (unsigned)squares;
            alive = alive && squares > 0;
        } else {
            const uint64_t queen = UINT64_C(1) << (row < partials->rows ? partials->columns[row] : column);
            columns |= queen;
            left |= queen;
            right |= queen;
        }
        left <<= 1;
        right >>= 1;
    }
    const uint64_t young = (UINT64_C(1) << 43) - 1;
    return (uint64_t)alive << 63 | (uint64_t)partials->rows << 56 | free_squares << 43 | (young - age);
}

/* ---- InQ, OutQ, process -------------------------------------------------------------------------------------------
 */

/* Depth puts all children of one before the older ones, themselves in order: Join[x, Q]. */
static void in_q(struct romani_5 *queue, uint32_t column, uint32_t number)
{
    struct partials *partials = &queue->partials;
    switch (queue->strategy) {
    case STRATEGY_BREADTH: partials_insert(partials, &queue->queue, queue->queue.last, number); break;
    case STRATEGY_DEPTH:
        partials_insert(partials, &queue->queue, queue->child, number);
        queue->child = number;
        break;
    case STRATEGY_PRIORITY: push(queue, (struct place){value_of(partials, column, queue->age++), number}); break;
    }
}

static uint32_t out_q(struct romani_5 *queue)
{
    return queue->strategy == STRATEGY_PRIORITY ? pop(queue) : partials_pop(&queue->partials, &queue->queue);
}

static enum nq_status extend(struct romani_5 *queue, uint32_t column, struct step *step)
{
    struct partials *partials = &queue->partials;
    uint32_t number = 0;
    if (partials_reject(partials, column, step))
        return NQ_OK;
    if (partials->rows + 1 == partials->n) {
        partials_place(partials, column, step);
        queue->phase = PLACED;
        return NQ_OK;
    }
    const enum nq_status status = partials_keep(partials, column, &number, step);
    if (status == NQ_OK)
        in_q(queue, column, number);
    return status;
}

static enum nq_status take_out(struct romani_5 *queue, struct step *step)
{
    struct partials *partials = &queue->partials;
    const uint32_t number = out_q(queue);
    queue->phase = number ? TRY : ENDED;
    if (!number)
        return NQ_END;
    partials_take(partials, number, step);
    queue->taken = partials_taken(partials);
    queue->next = 0;
    queue->child = 0;
    return NQ_OK;
}

static enum nq_status romani_5_step(void *machine, struct step *step)
{
    struct romani_5 *queue = machine;
    switch (queue->phase) {
    case FIRST: queue->phase = OUT; return extend(queue, queue->column, step);
    case OUT: return take_out(queue, step);
    case PLACED:
        partials_solution(&queue->partials, step);
        queue->phase = ENDED; /* process is False */
        return NQ_OK;
    case ENDED: return NQ_END;
    case TRY: break;
    }
    while (queue->next < queue->partials.n && queue->taken >> queue->next & 1)
        queue->next++;
    return queue->next < queue->partials.n ? extend(queue, queue->next++, step) : take_out(queue, step);
}

static void romani_5_begin(const struct machine_settings *settings, void *machine)
{
    struct romani_5 *queue = machine;
    partials_open(&queue->partials, settings, settings->strategy == STRATEGY_PRIORITY ? sizeof(struct place) : 0);
    queue->column = settings->column;
    queue->strategy = settings->strategy;
}

static void romani_5_board(const void *machine, uint32_t *columns)
{
    const struct romani_5 *queue = machine;
    partials_board(&queue->partials, columns);
}

static void romani_5_close(void *machine)
{
    struct romani_5 *queue = machine;
    partials_close(&queue->partials);
    free(queue);
}

LISTING_FILE(text_romani_5, "romani-5.py")
static const struct listing listing = {
    .language = "Python",
    .row = "k",
    .column = "j",
    .board = "s",
    LISTING_TEXT(text_romani_5),
    .line = {[STEP_TAKE] = 33, [STEP_REJECT] = 23, [STEP_KEEP] = 25, [STEP_PLACE] = 27, [STEP_SOLUTION] = 28},
};

static const struct machine_class machine_romani_5 = {
    .size = sizeof(struct romani_5),
    .begin = romani_5_begin,
    .step = romani_5_step,
    .board = romani_5_board,
    .close = romani_5_close,
    .listing = &listing,
};

/* Of depth, all that are kept and put less those still kept at the solution are what backtracking in order places: all
 * that were taken out, and the last queen. */
const struct solver solver_romani_5 = {
    .name = "romani-5",
    .title = "Romani 1993, Mathematica, 5",
    .summary = "a queue of partial placements: takes one, adds its extensions by one row, until one is a solution",
    .order = "only the first solution found",
    .complexity = "breadth: whole levels in memory, up to n=14; depth: as plain backtracking, with less than n^2 / 2 "
                  "partial placements in memory; priority: exponential too, but later: n=32 takes 73383 placements",
    .source = "F. Romani, Ancora le Regine, MCmicrocomputer, algorithm 5",
    .year = 1993,
    .tests = "squares of the next row tried below a partial placement, except in used columns",
    .errata = "The printed program does not check for an empty queue, although its text does: without a solution, as "
              "for n=4, it never ends.",
    .max_n = MACHINE_MAX_N,
    .lists = LISTS_SOME,
    .heeds = HEEDS_COLUMN | HEEDS_STRATEGY,
    .machine = &machine_romani_5,
};
