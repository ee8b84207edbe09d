/* shape_free.c - every queen strikes out what it attacks. */
#include "shapes/shape_free.h"

#include "shapes/shape_board.h"

static void strike_out(const struct shape_board *board, const struct queen *queens, uint32_t count,
                       uint64_t open[static SHAPE_MAX_SIDE])
{
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *attack = shape_attack(board, shape_square(&board->shape, queens[i].row, queens[i].column));
        for (uint32_t row = 0; row < board->shape.rows; row++)
            open[row] &= ~attack[row];
    }
}

enum nq_status shape_free(const struct shape *shape, const struct queen *queens, uint32_t count, bool *maximal,
                          struct queen *square)
{
    struct shape_board board;
    uint64_t open[SHAPE_MAX_SIDE];
    const enum nq_status status = shape_board_open(shape, 0, &board);
    for (uint32_t row = 0; row < shape->rows; row++)
        open[row] = shape_row(shape) & ~shape->walls[row];
    if (status == NQ_OK)
        strike_out(&board, queens, count, open);
    shape_board_close(&board);
    *maximal = true;
    for (uint32_t row = 0; row < shape->rows && *maximal; row++)
        if (open[row]) {
            *maximal = false;
            *square = (struct queen){row, (uint32_t)__builtin_ctzll(open[row])};
        }
    return status;
}
