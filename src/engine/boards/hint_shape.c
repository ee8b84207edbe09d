/* hint_shape.c - the next queen on a board of any shape, and the squares on which none can stand any more: its
 * placements with the queens that are placed are listed one by one. Techniques of deduction know square boards without
 * walls, so no step stands beside the hint. The square with most completions is suggested; of several the first. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/stop.h"
#include "engine/boards/hint.h"
#include "engine/run/work.h"
#include "shapes/shape.h"
#include "shapes/shape_board.h"

/* Placements tried in all, a second or two; and between two looks at the clock. */
enum { SHAPE_HINT_NODES = 1 << 22, SHAPE_HINT_GRANT = 1 << 12 };

struct shape_hint {
    struct work work;
    const struct question *question;
    struct shape_list *list;
    struct nq_square *squares; /* of a completion */
    uint64_t nodes;            /* left */
    nq_wide completions;
    nq_wide *at; /* by square: those with a queen there */
};

/* ---- The answer ---- */

/* Sets what the placed queens attack, their own squares included. */
static enum nq_status shape_hint_attacks(const struct shape *shape, uint64_t attacked[static SHAPE_MAX_SIDE])
{
    struct shape_board board;
    const enum nq_status status = shape_board_open(shape, 0, &board);
    for (uint32_t row = 0; row < shape->rows; row++)
        attacked[row] = 0;
    for (uint32_t square = 0; square < shape->rows * shape->columns && status == NQ_OK; square++) {
        if (!hint_has(shape->placed, square / shape->columns, square % shape->columns))
            continue;
        for (uint32_t row = 0; row < shape->rows; row++)
            attacked[row] |= shape_attack(&board, square)[row];
    }
    shape_board_close(&board);
    return status;
}

static enum nq_status shape_hint_finish(struct work *work, struct answer **answer)
{
    const struct shape_hint *its = (struct shape_hint *)work;
    const struct shape *shape = &its->question->shape;
    struct hint hint = {.question = its->question,
                        .rows = shape->rows,
                        .columns = shape->columns,
                        .shape = shape,
                        .placed = shape->placed,
                        .completions = its->completions,
                        .squares = its->at};
    const enum nq_status status = shape_hint_attacks(shape, hint.attacked);
    for (uint32_t row = 0; row < shape->rows; row++)
        hint.open[row] = shape->allow[row] & ~hint.attacked[row];
    return status == NQ_OK ? hint_finish(&hint, answer) : status;
}

/* ---- Completions one by one ---- */

static enum nq_status shape_hint_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct shape_hint *hint = (struct shape_hint *)work;
    const uint32_t columns = hint->question->shape.columns;
    do {
        const uint64_t grant = hint->nodes < SHAPE_HINT_GRANT ? hint->nodes : SHAPE_HINT_GRANT;
        uint64_t left = grant;
        uint32_t count;
        enum nq_status status;
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        while ((status = shape_list_next(hint->list, &left, hint->squares, &count)) == NQ_OK) {
            hint->completions++;
            for (uint32_t i = 0; i < count; i++)
                hint->at[hint->squares[i].row * columns + hint->squares[i].column]++;
            if (left == 0)
                break;
        }
        hint->nodes -= grant - left;
        if (status == NQ_END)
            return NQ_OK;
        if (!hint->nodes) {
            fault_write(
                &work->fault, FAULT_UNDECIDED, (const double[]){SHAPE_HINT_NODES},
                "On a board with m, queens, walls or maximal the search for completions ends after %d placements; "
                "that was not enough. Place more queens.",
                SHAPE_HINT_NODES);
            return NQ_LIMIT;
        }
    } while (clock_now() < slice->deadline);
    return NQ_AGAIN;
}

static void shape_hint_close(struct work *work)
{
    struct shape_hint *hint = (struct shape_hint *)work;
    if (hint->list)
        shape_list_close(hint->list);
    free(hint->squares);
    free(hint->at);
    free(hint);
}

static enum nq_status open_shape_hint(struct shape_hint *hint, const struct question *question)
{
    const struct shape *shape = &question->shape;
    hint->question = question;
    hint->nodes = SHAPE_HINT_NODES;
    const enum nq_status status = shape_list_open(shape, 1U << SYMMETRY_IDENTITY, &hint->list);
    if (status != NQ_OK)
        return status;
    hint->squares = malloc((shape_list_top(hint->list) + 1) * sizeof *hint->squares);
    hint->at = calloc((size_t)shape->rows * shape->columns, sizeof *hint->at);
    return hint->squares && hint->at ? NQ_OK : NQ_NOMEM;
}

enum nq_status work_hint_shape(const struct question *question, struct work **out)
{
    static const struct work_class class = {
        .slice = shape_hint_slice, .finish = shape_hint_finish, .close = shape_hint_close};
    struct shape_hint *hint = work_new(sizeof *hint, &class);
    if (!hint)
        return NQ_NOMEM;
    return work_opened(&hint->work, open_shape_hint(hint, question), out);
}
