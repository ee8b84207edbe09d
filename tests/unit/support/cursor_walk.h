/* cursor_walk.h - where a cursor stands, and whether it has come further, for the tests of src/solvers. */
#ifndef TESTS_UNIT_SUPPORT_CURSOR_WALK_H
#define TESTS_UNIT_SUPPORT_CURSOR_WALK_H

#include <nqueens.h>

#include "solvers/solver.h"
#include "support/facts.h"

OWNER(nq_cursor_close, struct nq_cursor *)

struct position {
    uint32_t length, prefix[NQ_SEARCH_MAX_N];
};

struct position position_of(const struct nq_cursor *cursor);

/* Whether more is finished at `after` than at `before`. In lexicographic order that is a greater column, or the same
 * columns but fewer of them: a wider subtree. In any other order it is at least something else. */
bool position_gained(bool lexicographic, const struct position *before, const struct position *after);

/* How a list is cut: the same budget for every call, or any below it; a fresh cursor takes over after every call. */
struct manner {
    uint64_t budget;
    bool random, fresh;
};

/* Walks the lexicographic list of a query, which must be these solutions; every call comes further. */
void walk_check(const struct cursor_settings *settings, const struct query *query, const uint32_t *solutions,
                size_t count, const struct manner *manner);

/* Whether the last of so many queens, one a row, may stand where those before it do. */
typedef bool walk_stands(const struct query *query, uint32_t length, const uint32_t *prefix);

/* Puts a cursor after every prefix of queens that stand together: it lists, in lexicographic order, those of these
 * solutions that come after all that begin with the prefix. Any other one, a column off the board included, is refused
 * and leaves the cursor alone. accepted: how many of each length stand, added up, n + 1 numbers; NULL: nobody asks. */
void walk_seek_check(const struct cursor_settings *settings, const struct query *query, const uint32_t *solutions,
                     size_t count, walk_stands *stands, uint64_t *accepted);

/* The solvers that list every solution of any board and can be put after any prefix, one after the other; NULL begins,
 * and ends. */
const struct solver *const *walker_next(const struct solver *const *at);

#endif
