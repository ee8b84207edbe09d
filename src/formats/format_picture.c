/* format_picture.c - how a board looks, for the pictures: size, colours, and the outline of a queen, which is our own.
 * It knows nothing of files. */
#include "board/conflicts.h"
#include "formats/format.h"
#include "shapes/shape.h"

/* As in src/web/style.css. */
const struct picture_colours picture_day = {
    .light = 0xf3e3c7, .dark = 0xc79b6b, .queen = 0x1f1712, .wall = 0x3b2f26, .hatch = 0xa08a70};
const struct picture_colours picture_night = {
    .light = 0x8a7355, .dark = 0x55432f, .queen = 0xfff8ec, .wall = 0x15100c, .hatch = 0x6e5b45};

const struct picture_point queen_crown[QUEEN_CROWN] = {
    {26, 72}, {14, 36}, {32, 54}, {31, 24}, {43, 52}, {50, 19}, {57, 52}, {69, 24}, {68, 54}, {86, 36}, {74, 72},
};
const struct picture_point queen_foot[QUEEN_FOOT] = {{25, 76}, {75, 76}, {78, 87}, {22, 87}};
const struct picture_point queen_pearls[QUEEN_PEARLS] = {{13, 34}, {31, 22}, {50, 17}, {69, 22}, {87, 34}};

uint32_t picture_scale(uint32_t n)
{
    enum { LARGEST = 64, LEAST = 8 }; /* pixels along a square; below the latter a queen is not recognisable */
    enum { USUAL = 1024 };            /* along a board, where both allow it */
    uint32_t scale = USUAL / n < LARGEST ? USUAL / n : LARGEST;
    if (scale < LEAST)
        scale = PICTURE_MAX_N / n < LEAST ? PICTURE_MAX_N / n : LEAST;
    return scale;
}

uint32_t picture_rows(const struct painted_board *board)
{
    return board->shape ? board->shape->rows : board->n;
}

uint32_t picture_scale_of(const struct painted_board *board)
{
    const uint32_t rows = picture_rows(board);
    return picture_scale(rows > board->n ? rows : board->n);
}

bool picture_wall(const struct painted_board *board, uint32_t row, uint32_t column)
{
    return board->shape && shape_is_wall(board->shape, row, column);
}

size_t picture_queens(const struct painted_board *board)
{
    return board->columns ? board->n : board->squares ? board->count : board->marks ? board->marks->queens.count : 0;
}

struct nq_square picture_queen(const struct painted_board *board, size_t i)
{
    if (board->columns)
        return (struct nq_square){(uint32_t)i, board->columns[i]};
    if (board->squares)
        return board->squares[i];
    return (struct nq_square){board->marks->queens.list[i].row, board->marks->queens.list[i].column};
}

size_t picture_on_walls(const struct painted_board *board)
{
    size_t count = 0;
    for (size_t i = 0; board->shape && i < picture_queens(board); i++) {
        const struct nq_square queen = picture_queen(board, i);
        count += picture_wall(board, queen.row, queen.column);
    }
    return count;
}
