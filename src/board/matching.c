/* matching.c - Hopcroft's and Karp's phases on rows of bits: all shortest paths at once, by which more rows are
 * matched. */
#include "board/matching.h"

#include <assert.h>
#include <string.h>

enum { NOBODY = UINT16_MAX };

struct matching {
    uint32_t n, words, rows; /* rows: so many have a column */
    const uint64_t *allow;
    uint16_t column_of[MATCHING_MAX_N], row_of[MATCHING_MAX_N]; /* NOBODY: it has none yet */
    /* Of a phase: by row, how many columns lie before it on the shortest path from a row without a column. */
    uint16_t depth[MATCHING_MAX_N];
    uint64_t left[MATCHING_WORDS]; /* columns that no path of the phase has visited yet */
    uint16_t path[MATCHING_MAX_N]; /* rows, or those still to be looked at */
};

/* The first column of a row's squares among those that are left, from `from` on; NOBODY: there is none. */
static uint32_t next_column(const struct matching *of, uint32_t row, uint32_t from)
{
    const uint64_t *allow = of->allow + (size_t)row * of->words;
    for (uint32_t word = from / 64; word < of->words; word++) {
        uint64_t some = allow[word] & of->left[word];
        if (word == from / 64)
            some &= ~UINT64_C(0) << from % 64;
        if (some)
            return word * 64 + (uint32_t)__builtin_ctzll(some);
    }
    return NOBODY;
}

static void refill(struct matching *of)
{
    memset(of->left, 0, sizeof of->left);
    for (uint32_t column = 0; column < of->n; column++)
        of->left[column / 64] |= UINT64_C(1) << column % 64;
}

static void visit(struct matching *of, uint32_t column)
{
    of->left[column / 64] &= ~(UINT64_C(1) << column % 64);
}

/* Breadth first from the rows without a column. Whether a column that no row has was reached: only then are there
 * paths. */
static bool measure(struct matching *of)
{
    uint32_t begin = 0, end = 0;
    bool reached = false;
    refill(of);
    for (uint32_t row = 0; row < of->n; row++) {
        of->depth[row] = of->column_of[row] == NOBODY ? 0 : NOBODY;
        if (of->column_of[row] == NOBODY)
            of->path[end++] = (uint16_t)row;
    }
    while (begin < end) {
        const uint32_t row = of->path[begin++];
        for (uint32_t column = 0; (column = next_column(of, row, column)) != NOBODY;) {
            visit(of, column);
            const uint32_t behind = of->row_of[column];
            reached |= behind == NOBODY;
            if (behind == NOBODY)
                continue;
            of->depth[behind] = (uint16_t)(of->depth[row] + 1);
            of->path[end++] = (uint16_t)behind;
        }
    }
    return reached;
}

/* Each row of the path takes the column after it, and leaves its own to the one before. */
static void shift(struct matching *of, uint32_t length, uint32_t column)
{
    for (uint32_t i = length; i-- > 0;) {
        const uint32_t row = of->path[i], before = of->column_of[row];
        of->column_of[row] = (uint16_t)column;
        of->row_of[column] = (uint16_t)row;
        column = before;
    }
    of->rows++;
}

/* Depth first from a row without a column, one step deeper with each row. */
static void follow(struct matching *of, uint32_t first)
{
    uint16_t from[MATCHING_MAX_N]; /* by place on the path: the column to try next */
    uint32_t length = 1;
    of->path[0] = (uint16_t)first;
    from[0] = 0;
    while (length) {
        const uint32_t row = of->path[length - 1], column = next_column(of, row, from[length - 1]);
        if (column == NOBODY) {
            length--;
            continue;
        }
        from[length - 1] = (uint16_t)(column + 1);
        const uint32_t behind = of->row_of[column];
        if (behind != NOBODY && of->depth[behind] != of->depth[row] + 1)
            continue;
        visit(of, column);
        if (behind == NOBODY) {
            shift(of, length, column);
            return;
        }
        of->path[length] = (uint16_t)behind;
        from[length++] = 0;
    }
}

bool matching_perfect(uint32_t n, uint32_t words, const uint64_t *allow)
{
    struct matching of = {.n = n, .words = words, .allow = allow};
    assert(n <= MATCHING_MAX_N && words <= MATCHING_WORDS && n <= words * 64);
    memset(of.column_of, 0xff, sizeof of.column_of);
    memset(of.row_of, 0xff, sizeof of.row_of);
    while (of.rows < n) {
        if (!measure(&of))
            return false;
        refill(&of);
        for (uint32_t row = 0; row < n; row++)
            if (of.column_of[row] == NOBODY)
                follow(&of, row);
    }
    return true;
}
