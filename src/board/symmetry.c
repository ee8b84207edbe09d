/* symmetry.c - the eight symmetries of the square, acting on permutations. */
#include "board/symmetry.h"

#include <nqueens.h>
#include <string.h>

#include "base/stop.h"
#include "board/query.h"

/* Rows between two looks at the stop flag: a tenth of a millisecond. */
enum { POLL = 1 << 14 };

void nq_transform(unsigned symmetry, uint32_t n, const uint32_t *columns, uint32_t *image)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = i, column = columns[i];
        square_transform(symmetry, n, &row, &column);
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

unsigned symmetry_canonical(unsigned group, uint32_t n, const uint32_t *columns, uint32_t *canonical, uint32_t *scratch)
{
    unsigned same = 0, images = 0; /* how many images equal the original: the orbit has images / same */
    if (n)
        memcpy(canonical, columns, n * sizeof *columns);
    for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++) {
        if (!(group >> symmetry & 1))
            continue;
        nq_transform(symmetry, n, columns, scratch);
        images++;
        same += compare(n, scratch, columns) == 0;
        if (compare(n, scratch, canonical) < 0)
            memcpy(canonical, scratch, n * sizeof *scratch);
    }
    return images / same;
}

unsigned nq_canonical(uint32_t n, const uint32_t *columns, uint32_t *canonical, uint32_t *scratch)
{
    return symmetry_canonical(SYMMETRIES_ALL, n, columns, canonical, scratch);
}

enum nq_symmetry symmetry_of(uint32_t n, const uint32_t *columns, const atomic_bool *stop)
{
    enum nq_symmetry symmetry = NQ_SYMMETRY_QUARTER;
    for (uint32_t row = 0; row < n; row++) {
        if (row % POLL == 0 && stop_wanted(stop))
            return NQ_SYMMETRY_NONE;
        if (columns[n - 1 - row] != n - 1 - columns[row])
            return NQ_SYMMETRY_NONE;
        if (columns[columns[row]] != n - 1 - row)
            symmetry = NQ_SYMMETRY_POINT;
    }
    return symmetry;
}

enum nq_symmetry nq_symmetry(uint32_t n, const uint32_t *columns)
{
    return symmetry_of(n, columns, NULL);
}
