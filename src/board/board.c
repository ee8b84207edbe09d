/* board.c - permutations and attacks. It knows squares and lines, not how solutions are found. */
#include <nqueens.h>
#include <stdlib.h>

bool nq_attack(uint32_t row_a, uint32_t column_a, uint32_t row_b, uint32_t column_b)
{
    int64_t rows = (int64_t)row_a - row_b, columns = (int64_t)column_a - column_b;
    return (rows || columns) && (!rows || !columns || rows == columns || rows == -columns);
}

/* Sets a bit. Returns whether it was set already. */
static bool test_and_set(uint64_t *bits, uint64_t index)
{
    uint64_t bit = UINT64_C(1) << (index % 64);
    bool was = bits[index / 64] & bit;
    bits[index / 64] |= bit;
    return was;
}

enum nq_status nq_verify(uint32_t n, const uint32_t *columns, bool *valid)
{
    /* One bit for each column, then one for each diagonal of either direction. */
    const uint64_t diagonals = n ? 2 * (uint64_t)n - 1 : 0, up = n, down = up + diagonals;
    uint64_t *taken = calloc((down + diagonals) / 64 + 1, sizeof *taken);
    if (!taken)
        return NQ_NOMEM;
    *valid = true;
    for (uint32_t row = 0; row < n && *valid; row++) {
        uint32_t column = columns[row];
        *valid = column < n && !test_and_set(taken, column) && !test_and_set(taken, up + row + column) &&
                 !test_and_set(taken, down + row + (n - 1 - column));
    }
    free(taken);
    return NQ_OK;
}
