/* shape_board.c - the tables of a board: attacks along rays, orbits of squares, segments. */
#include "shapes/shape_board.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct ray {
    int32_t row, column, down, right;
};

/* One square further. False: the line ends at a border or a wall. */
static bool advance(const struct shape *shape, struct ray *ray)
{
    const int32_t rows = (int32_t)shape->rows, columns = (int32_t)shape->columns;
    ray->row += ray->down;
    ray->column += ray->right;
    if (ray->right && ray->row == -1 && shape->rule->moves & MOVE_REFLECT) { /* the strip above the first row */
        ray->down = 1;
        ray->row = 0;
        ray->column += ray->right;
    }
    if (ray->right && ray->down && shape->rule->moves & MOVE_WRAP) {
        ray->row = (ray->row + rows) % rows;
        ray->column = (ray->column + columns) % columns;
    }
    return ray->row >= 0 && ray->row < rows && ray->column >= 0 && ray->column < columns &&
           !(shape->walls[ray->row] >> ray->column & 1);
}

static void along(const struct shape *shape, struct ray ray, uint64_t *attack)
{
    const int32_t row = ray.row, column = ray.column;
    while (advance(shape, &ray) && (ray.row != row || ray.column != column)) /* around a torus it comes back */
        attack[ray.row] |= UINT64_C(1) << ray.column;
}

/* A leap by so many rows and columns, to all four sides. */
static void leap(const struct shape *shape, uint32_t row, uint32_t column, int32_t rows, int32_t columns,
                 uint64_t *attack)
{
    const uint64_t squares = beside_queen(UINT64_C(1) << column, (unsigned)columns) & shape_row(shape);
    for (int32_t down = -rows; down <= rows; down += 2 * rows) {
        const int32_t to = (int32_t)row + down;
        if (to >= 0 && to < (int32_t)shape->rows)
            attack[to] |= squares & ~shape->walls[to];
    }
}

static void attack_from(const struct shape *shape, uint32_t row, uint32_t column, uint64_t *attack)
{
    const unsigned moves = shape->rule->moves;
    attack[row] |= UINT64_C(1) << column;
    for (int32_t down = -1; down <= 1; down++)
        for (int32_t right = -1; right <= 1; right++) {
            const bool diagonal = down * right > 0, antidiagonal = down * right < 0;
            if ((down || right) && !(diagonal && !(moves & MOVE_RIGHT)) && !(antidiagonal && !(moves & MOVE_LEFT)))
                along(shape, (struct ray){(int32_t)row, (int32_t)column, down, right}, attack);
        }
#define LEAPS(move, next, after) \
    if (moves & (move)) { \
        leap(shape, row, column, 1, next, attack); \
        leap(shape, row, column, 2, after, attack); \
    }
    MOVE_LEAPS(LEAPS)
#undef LEAPS
}

static bool list_attacks(struct shape_board *board)
{
    const struct shape *shape = &board->shape;
    board->attack = calloc((size_t)shape->rows * shape->columns * shape->rows, sizeof *board->attack);
    for (uint32_t square = 0; board->attack && square < shape->rows * shape->columns; square++)
        if (!(shape->walls[square / shape->columns] >> square % shape->columns & 1))
            attack_from(shape, square / shape->columns, square % shape->columns,
                        board->attack + (size_t)square * shape->rows);
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

/* Whether placed queens attack each other, or stand where none is allowed. */
static bool placed_in_vain(const struct shape_board *board)
{
    const struct shape *shape = &board->shape;
    uint64_t covered[SHAPE_MAX_SIDE] = {0};
    for (uint32_t row = 0; row < shape->rows; row++)
        for (uint64_t rest = shape->placed[row]; rest; rest &= rest - 1) {
            const uint64_t queen = rest & -rest;
            const uint64_t *attack = shape_attack(board, shape_square(shape, row, (uint32_t)__builtin_ctzll(rest)));
            if (!(shape->allow[row] & queen) || covered[row] & queen)
                return true;
            for (uint32_t other = 0; other < shape->rows; other++)
                covered[other] |= attack[other];
        }
    return false;
}

/* Opens the squares that no placed queen attacks. */
static void open_squares(struct shape_board *board)
{
    const struct shape *shape = &board->shape;
    for (uint32_t row = 0; row < shape->rows; row++)
        board->open[row] = shape->maximal ? shape_row(shape) & ~shape->walls[row] : shape->allow[row];
    for (uint32_t row = 0; row < shape->rows; row++)
        for (uint64_t rest = shape->placed[row]; rest; rest &= rest - 1) {
            const uint64_t *attack = shape_attack(board, shape_square(shape, row, (uint32_t)__builtin_ctzll(rest)));
            for (uint32_t other = 0; other < shape->rows; other++)
                board->open[other] &= ~(attack[other] & ~shape->placed[other]);
        }
}

/* Lists a row's segments. */
static void list_row(struct shape_board *board, uint32_t row)
{
    const struct shape *shape = &board->shape;
    for (uint64_t rest = shape_row(shape) & ~shape->walls[row], squares; rest; rest &= ~squares) {
        squares = rest & ~(rest + (rest & -rest)); /* the carry runs up to the next wall */
        const bool placed = squares & shape->placed[row];
        const bool room = board->orbit || squares & board->open[row] & shape->allow[row]; /* images come later */
        struct shape_segment *segment = &board->segment[board->segments++];
        segment->row = row;
        segment->squares = squares;
        segment->placed = placed;
        segment[1].room = segment->room + (room && !placed);
    }
}

enum nq_status shape_board_open(const struct shape *shape, unsigned symmetry, struct shape_board *board)
{
    shape_check(shape);
    assert(!shape_refusal(shape) && shape_symmetries(shape) >> symmetry & 1);
    *board = (struct shape_board){.shape = *shape};
    /* A row of n squares has at most (n + 1) / 2 parts. */
    board->segment = calloc((size_t)shape->rows * ((shape->columns + 1) / 2) + 1, sizeof *board->segment);
    if (!board->segment || !list_attacks(board))
        return NQ_NOMEM;
    board->impossible = placed_in_vain(board);
    if (symmetry && !fold(board, symmetry))
        return NQ_NOMEM;
    open_squares(board);
    for (uint32_t row = 0; row < shape->rows; row++)
        list_row(board, row);
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
