/* path.h - a search row by row from the first: the queens placed, what they attack below, and the squares that are
 * still to be tried. It knows no budgets. The three masks are those of M. Richards (1997).
 *
 * Solutions with a symmetry are composed of whole orbits: a queen is placed with all its images, and a row that already
 * has an image is skipped. The rows above determine the images, so the order does not change.
 *
 * By a rule that is not by lines, the rule says what passes from row to row, and orbits leave what a filter does
 * in which they are placed. */
#ifndef SOLVERS_PATH_H
#define SOLVERS_PATH_H

#include "base/wide.h"
#include "board/query.h"

/* ---- Squares ---- */

/* The squares that a row-by-row search for the solutions of a query must try: those of its filter that remain
 * possible, given a symmetry of the solutions, or that each must represent its class. */

struct squares {
    struct filter filter; /* settled; no squares if it contradicts itself */
    unsigned group;       /* see query_group(): only representatives, as by query_representative(), are listed */
    unsigned turn;        /* the solutions are invariant under this symmetry; 0: all solutions */
};

/* For a query of at most FILTER_MAX_N rows. With a turn, a square is allowed only if its whole orbit is, and no two
 * squares of that attack each other by the filter's rule. In the first row, no square is allowed from which a symmetry
 * of the group leads to one further left in that row. */
void squares_begin(struct squares *squares, const struct query *query);

/* ---- The path ---- */

enum { PATH_MAX_N = FILTER_MAX_N };

/* One row: what attacks it from above, which squares are still to be tried, and the queen that stands on it (0: none).
 */
struct path_level {
    uint64_t columns, left, right;
    uint64_t untried;
    uint64_t queen;
};

/* With orbits, rows below have queens, too. Diagonals are whole lines: bit row + column, and bit column - row + n - 1.
 */
struct path_orbits {
    uint64_t columns, rows;
    nq_wide sums, differences;
};

/* The whole search path. The caller knows how many of its rows are valid. */
struct path {
    uint32_t special;           /* rows above this one are laid out by path_lay_out() */
    uint64_t allow[PATH_MAX_N]; /* below the queen of the first row */
    struct path_level level[PATH_MAX_N];
    struct path_orbits orbits[PATH_MAX_N]; /* put by the rows above each */
    uint64_t orbit_queen[PATH_MAX_N];      /* by row, where orbits[].rows says so */
    struct reach reach[PATH_MAX_N];        /* by a rule, without orbits: what attacks each row from above */
    struct filter left[PATH_MAX_N];        /* by a rule, with orbits: what those of the rows above leave */
};

/* An empty board; all squares of the first row are to be tried. */
void path_begin(struct path *path, const struct squares *squares);

/* Prepares a row below the queens, where this is more than three masks. */
void path_lay_out(struct path *path, const struct squares *squares, uint32_t row);

/* Places a queen in a row, with queens in all rows above, and prepares the row below, if there is one. */
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

/* Begins, and places the queens of a prefix of at most n rows; in each row the squares after the queen are left to be
 * tried. Returns how many queens can be placed: if not all, the row of the first that cannot is left without a queen,
 * with the squares after it to be tried. */
uint32_t path_follow(struct path *path, const struct squares *squares, const uint32_t *prefix, uint32_t length);

/* The queens of the first rows. */
void path_columns(const struct path *path, uint32_t rows, uint8_t *columns);

/* Below the first rows, by the rule of queens: rows and columns without a queen, and the free squares of those rows. */
struct path_rest {
    uint64_t rows, columns;
    uint64_t free[PATH_MAX_N]; /* by row */
};

void path_rest(const struct path *path, const struct squares *squares, uint32_t row, struct path_rest *rest);

#endif
