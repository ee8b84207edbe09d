/* shape_board.c - the tables of a board: segments, attacks, orbits of squares. */
#include "shapes/shape_board.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Lists a row's segments. */
static void list_row(struct shape_board *board, uint32_t row)
{
    uint64_t rest = shape_row(&board->shape) & ~board->shape.walls[row];
    for (uint64_t squares; rest; rest &= ~squares) {
        squares = rest & ~(rest + (rest & -rest)); /* the carry runs up to the next wall */
        board->segment[board->segments++] = (struct shape_segment){.squares = squares, .row = row};
    }
}

/* A queen attacks its segment and, from row to row, what the rule says; a line ends where it comes to a wall, and a
 * leap does not. Attacks are mutual. */
static void attack_from(struct shape_board *board, uint32_t row, uint32_t column, uint64_t segment)
{
    const struct shape *shape = &board->shape;
    uint64_t queen = UINT64_C(1) << column,
             *attack = board->attack + (size_t)shape_square(shape, row, column) * shape->rows;
    struct reach reach = {0};
    attack[row] = segment;
    for (uint32_t to = row; to + 1 < shape->rows;) {
        rule_pass(shape->rule, shape->columns, to, to == row ? queen : 0, &reach);
        const uint64_t way = shape_row(shape) & ~shape->walls[++to];
        reach.columns &= way;
        reach.left &= way;
        reach.right &= way;
        attack[to] |= reach_attacked(&reach) & way;
        for (uint64_t rest = attack[to]; rest; rest &= rest - 1) {
            const uint32_t other = shape_square(shape, to, (uint32_t)__builtin_ctzll(rest));
            board->attack[(size_t)other * shape->rows + row] |= queen;
        }
    }
}

static bool list_attacks(struct shape_board *board)
{
    const struct shape *shape = &board->shape;
    board->attack = calloc((size_t)shape->rows * shape->columns * shape->rows, sizeof *board->attack);
    for (uint32_t i = 0; board->attack && i < board->segments; i++)
        for (uint64_t rest = board->segment[i].squares; rest; rest &= rest - 1)
            attack_from(board, board->segment[i].row, (uint32_t)__builtin_ctzll(rest), board->segment[i].squares);
    return board->attack;
}

/* Lists the orbit of a square. Returns its size, 0 if it is not the first square of it or they attack each other. */
static uint8_t orbit_of(const struct shape_board *board, unsigned symmetry, uint32_t square, uint32_t orbit[static 4])
{
    const uint32_t columns = board->shape.columns;
    uint32_t row = square / columns, column = square % columns, image = square;
    uint8_t size = 0;
    do {
        if (image < square || (size && shape_attack(board, square)[row] >> column & 1))
            return 0;
        orbit[size++] = image;
        shape_transform(symmetry, board->shape.rows, columns, &row, &column);
        image = shape_square(&board->shape, row, column);
    } while (image != square);
    return size;
}

/* Turns squares into orbits. */
static bool fold(struct shape_board *board, unsigned symmetry)
{
    struct shape *shape = &board->shape;
    const size_t squares = (size_t)shape->rows * shape->columns;
    uint64_t *attack = calloc(squares * shape->rows, sizeof *attack);
    board->orbit = calloc(squares, sizeof *board->orbit);
    for (uint32_t square = 0; attack && board->orbit && square < squares; square++) {
        uint32_t orbit[4];
        const uint8_t size = orbit_of(board, symmetry, square, orbit);
        board->orbit[square] = size;
        for (uint8_t i = 0; i < size; i++)
            for (uint32_t row = 0; row < shape->rows; row++)
                attack[(size_t)square * shape->rows + row] |= shape_attack(board, orbit[i])[row];
        if (!size)
            shape->allow[square / shape->columns] &= ~(UINT64_C(1) << square % shape->columns);
    }
    for (uint32_t row = 0; row < shape->rows; row++) /* the placed squares are whole orbits */
        shape->placed[row] &= shape->allow[row];
    free(board->attack);
    board->attack = attack;
    return attack && board->orbit;
}

/* Opens the squares that no placed queen attacks, and those of the placed queens. */
static void open_squares(struct shape_board *board)
{
    const struct shape *shape = &board->shape;
    for (uint32_t row = 0; row < shape->rows; row++)
        board->open[row] = shape->maximal ? shape_row(shape) & ~shape->walls[row] : shape->allow[row];
    for (uint32_t row = 0; row < shape->rows; row++)
        for (uint64_t rest = shape->placed[row]; rest; rest &= rest - 1) {
            const uint64_t *attack = shape_attack(board, shape_square(shape, row, (uint32_t)__builtin_ctzll(rest)));
            for (uint32_t to = 0; to < shape->rows; to++) {
                const uint64_t others = shape->placed[to] & ~(to == row ? rest & -rest : 0);
                board->impossible |= attack[to] & others || shape->placed[to] & ~shape->allow[to];
                board->open[to] &= ~attack[to] | shape->placed[to];
            }
        }
}

/* Images of a queen come later: with orbits every segment has room. */
static void find_room(struct shape_board *board)
{
    for (struct shape_segment *at = board->segment; at < board->segment + board->segments; at++) {
        at->placed = at->squares & board->shape.placed[at->row];
        at[1].room = at->room + (!at->placed && (board->orbit || shape_candidates(board, at, board->open)));
    }
}

enum nq_status shape_board_open(const struct shape *shape, unsigned symmetry, struct shape_board *board)
{
    shape_check(shape);
    assert(!shape_refusal(shape) && shape_symmetries(shape) >> symmetry & 1);
    *board = (struct shape_board){.shape = *shape};
    /* A row of n squares has at most (n + 1) / 2 parts. */
    board->segment = calloc((size_t)shape->rows * ((shape->columns + 1) / 2) + 1, sizeof *board->segment);
    for (uint32_t row = 0; board->segment && row < shape->rows; row++)
        list_row(board, row);
    if (!board->segment || !list_attacks(board))
        return NQ_NOMEM;
    open_squares(board);
    if (symmetry && !fold(board, symmetry))
        return NQ_NOMEM;
    find_room(board);
    board->top = shape->most < board->segments ? shape->most : board->segments;
    return NQ_OK;
}

void shape_board_close(struct shape_board *board)
{
    free(board->segment);
    free(board->attack);
    free(board->orbit);
    *board = (struct shape_board){0};
}

uint32_t shape_segment_of(const struct shape_board *board, uint32_t square)
{
    const uint32_t row = square / board->shape.columns;
    const uint64_t queen = UINT64_C(1) << square % board->shape.columns;
    uint32_t low = 0, high = board->segments;
    while (low + 1 < high) { /* the last one that begins at the square or before it */
        const uint32_t middle = low + (high - low) / 2;
        const struct shape_segment *segment = &board->segment[middle];
        const uint64_t first = segment->squares & -segment->squares;
        if (segment->row < row || (segment->row == row && first <= queen))
            low = middle;
        else
            high = middle;
    }
    assert(board->segment[low].row == row && board->segment[low].squares & queen);
    return low;
}

/* ---- Whether one more queen fits ---- */

/* Every queen strikes out what it attacks. */

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
