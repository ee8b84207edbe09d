/* machine_bitboard.c - the search of solver_bitboard.c in steps: row by row, the squares of a row from the left, those
 * under attack never looked at. It asks no oracle and no theorem, so what it does is the plain search, on boards of any
 * size. */
#include <stdlib.h>

#include "solvers/path.h"
#include "solvers/solver.h"
#include "steps/listing.h"

struct bitboard {
    struct squares squares;
    struct path path;
    uint32_t row; /* is to be tried next: those above hold queens */
    bool listed;  /* the whole board, if that is what stands */
};

static void bitboard_begin(const struct machine_settings *settings, void *machine)
{
    struct bitboard *bitboard = machine;
    struct query all = {0};
    filter_begin(&all.filter, settings->n);
    all.filter.rule = settings->rule;
    squares_begin(&bitboard->squares, &all);
    path_begin(&bitboard->path, &bitboard->squares);
}

/* About the queen of a row. */
static struct step step_of(const struct bitboard *bitboard, enum step_kind kind, uint32_t row)
{
    const uint32_t column = (uint32_t)__builtin_ctzll(bitboard->path.level[row].queen);
    return step_on_square(kind, row, column, bitboard->row);
}

static enum nq_status bitboard_step(void *machine, struct step *step)
{
    struct bitboard *bitboard = machine;
    struct path_level *level = bitboard->path.level + bitboard->row;
    const bool whole = bitboard->row == bitboard->squares.filter.n;
    if (whole && !bitboard->listed) {
        bitboard->listed = true;
        *step = step_on_board(STEP_SOLUTION, bitboard->row);
        step->settled = true;
        return NQ_OK;
    }
    if (!whole && level->untried) {
        const uint64_t queen = level->untried & -level->untried;
        level->untried ^= queen;
        path_descend(&bitboard->path, &bitboard->squares, bitboard->row++, queen);
        bitboard->listed = false;
        *step = step_of(bitboard, STEP_PLACE, bitboard->row - 1);
        step->tests = 1;
        return NQ_OK;
    }
    if (bitboard->row == 0)
        return NQ_END;
    bitboard->row--;
    *step = step_of(bitboard, STEP_REMOVE, bitboard->row);
    step->settled = !whole; /* a solution was finished when it was listed */
    return NQ_OK;
}

static void bitboard_board(const void *machine, uint32_t *columns)
{
    const struct bitboard *bitboard = machine;
    uint8_t stand[PATH_MAX_N];
    path_columns(&bitboard->path, bitboard->row, stand);
    for (uint32_t row = 0; row < bitboard->squares.filter.n; row++)
        columns[row] = row < bitboard->row ? stand[row] : NOWHERE;
}

/* The queens above the row, and the one that was tried last in it. */
static uint32_t bitboard_position(const void *machine, uint32_t *prefix)
{
    const struct bitboard *bitboard = machine;
    const uint32_t n = bitboard->squares.filter.n, length = bitboard->row < n ? bitboard->row + 1 : n;
    uint8_t stand[PATH_MAX_N];
    path_columns(&bitboard->path, length, stand);
    for (uint32_t row = 0; row < length; row++)
        prefix[row] = stand[row];
    return length;
}

static enum nq_status bitboard_seek(void *machine, const uint32_t *prefix, uint32_t length)
{
    struct bitboard *bitboard = machine;
    struct path moved;
    if (length > bitboard->squares.filter.n || path_follow(&moved, &bitboard->squares, prefix, length) < length)
        return NQ_INVALID;
    bitboard->path = moved;
    bitboard->row = length ? length - 1 : 0;
    bitboard->listed = false;
    return NQ_OK;
}

LISTING_FILE(text_bitboard, "bitboard.py")
static const struct listing listing = {
    .language = "Python",
    .row = "row",
    .column = NULL,
    .board = "x",
    LISTING_TEXT(text_bitboard),
    .line = {[STEP_PLACE] = 9, [STEP_SOLUTION] = 10, [STEP_REMOVE] = 13},
};

const struct machine_class machine_bitboard = {
    .size = sizeof(struct bitboard),
    .begin = bitboard_begin,
    .step = bitboard_step,
    .board = bitboard_board,
    .position = bitboard_position,
    .seek = bitboard_seek,
    .close = free,
    .listing = &listing,
};
