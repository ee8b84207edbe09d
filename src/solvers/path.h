/* path.h - a search from above, row by row: the queens that stand, what they attack below, and which squares are still
 * to be tried. It knows neither budgets nor why a search goes where it goes. The three masks are Richards's (1997).
 *
 * Solutions with a symmetry are put together from whole orbits: a queen brings all its images, and a row that has its
 * queen from one above is passed through. The rows above decide what those are, so the order stays the same. */
#ifndef SOLVERS_PATH_H
#define SOLVERS_PATH_H

#include "base/wide.h"
#include "solvers/squares.h"

enum { PATH_MAX_N = FILTER_MAX_N };

/* One row: what attacks it from above, which squares are still to be tried, and the queen that stands on it (0: none).
 */
struct path_level {
    uint64_t columns, left, right;
    uint64_t untried;
    uint64_t queen;
};

/* With orbits, queens stand below as well. Diagonals are whole lines, bit row + column and bit column - row + n - 1. */
struct path_orbits {
    uint64_t columns, rows;
    nq_wide sums, differences;
};

/* All of it; how far down it holds, whoever searches knows. */
struct path {
    uint32_t special;           /* rows above this one are laid out by path_lay_out() */
    uint64_t allow[PATH_MAX_N]; /* below the queen of the first row */
    struct path_level level[PATH_MAX_N];
    struct path_orbits orbits[PATH_MAX_N]; /* put by the rows above each */
    uint64_t orbit_queen[PATH_MAX_N];      /* by row, where orbits[].rows says so */
};

/* No queen stands, all squares of the first row are to be tried. */
void path_begin(struct path *path, const struct squares *squares);

/* Lays out a row below queens, where it is more than three masks. */
void path_lay_out(struct path *path, const struct squares *squares, uint32_t row);

/* Puts a queen on a row, all above having theirs, and lays out the row below, if there is one. */
static inline void path_descend(struct path *path, const struct squares *squares, uint32_t row, uint64_t queen)
{
    struct path_level *level = &path->level[row], *below = level + 1;
    level->queen = queen;
    if (row + 1 < path->special) {
        path_lay_out(path, squares, row + 1);
    } else if (row + 1 < squares->filter.n) {
        below->columns = level->columns | queen;
        below->left = (level->left | queen) << 1;
        below->right = (level->right | queen) >> 1;
        below->untried = path->allow[row + 1] & ~(below->columns | below->left | below->right);
    }
}

/* Begins, and goes down to the last queen of a prefix: it stands, what is left to be tried in its row is what comes
 * after it, and so above. false: it is too long, or no such queens can stand. */
bool path_follow(struct path *path, const struct squares *squares, const uint32_t *prefix, uint32_t length);

/* The queens of the first rows. */
void path_columns(const struct path *path, uint32_t rows, uint8_t *columns);

/* What is left to be filled below the first rows: rows and columns without a queen, and the squares free in those rows.
 */
struct path_rest {
    uint64_t rows, columns;
    uint64_t free[PATH_MAX_N]; /* by row */
};

void path_rest(const struct path *path, const struct squares *squares, uint32_t row, struct path_rest *rest);

#endif
