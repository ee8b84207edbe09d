/* symmetry.c - the eight symmetries of the square, acting on permutations. */
#include <nqueens.h>
#include <string.h>

void nq_transform(unsigned symmetry, uint32_t n, const uint32_t *columns, uint32_t *image)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = i, column = symmetry & 4 ? n - 1 - columns[i] : columns[i];
        for (unsigned turns = symmetry & 3; turns; turns--) { /* a quarter turn: (row, column) -> (column, n-1-row) */
            uint32_t turned = n - 1 - row;
            row = column;
            column = turned;
        }
        image[row] = column;
    }
}

static int compare(uint32_t n, const uint32_t *a, const uint32_t *b)
{
    for (uint32_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

unsigned nq_canonical(uint32_t n, const uint32_t *columns, uint32_t *canonical, uint32_t *scratch)
{
    unsigned same = 0; /* how many of the eight images equal the original: the orbit has 8 / same */
    if (n)
        memcpy(canonical, columns, n * sizeof *columns);
    for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++) {
        nq_transform(symmetry, n, columns, scratch);
        same += compare(n, scratch, columns) == 0;
        if (compare(n, scratch, canonical) < 0)
            memcpy(canonical, scratch, n * sizeof *scratch);
    }
    return NQ_SYMMETRIES / same;
}

enum nq_symmetry nq_symmetry(uint32_t n, const uint32_t *columns)
{
    enum nq_symmetry symmetry = NQ_SYMMETRY_QUARTER;
    for (uint32_t row = 0; row < n; row++) {
        if (columns[n - 1 - row] != n - 1 - columns[row])
            return NQ_SYMMETRY_NONE;
        if (columns[columns[row]] != n - 1 - row)
            symmetry = NQ_SYMMETRY_POINT;
    }
    return symmetry;
}
