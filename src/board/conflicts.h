/* conflicts.h - which queens attack each other, anywhere on a board and perhaps several on one square: how many pairs,
 * and the first of them. It knows squares and lines, neither permutations nor where queens come from. */
#ifndef BOARD_CONFLICTS_H
#define BOARD_CONFLICTS_H

#include <nqueens.h>
#include <stdatomic.h>

#include "board/regions.h"
#include "rules/rule.h"

struct queen {
    uint32_t row, column;
};

struct conflict {
    struct queen a, b; /* a before b: row by row, then column by column */
    enum conflict_line line;
};

enum { CONFLICTS_LISTED = 100 };

/* By a rule that is not by lines every pair is looked at: for more queens that takes too long. */
enum { CONFLICTS_RULE_MAX = 10000 };
static inline uint32_t conflicts_most(const struct rule *rule)
{
    return rule_by_lines(rule) ? UINT32_MAX : CONFLICTS_RULE_MAX;
}

/* A search for conflicts, and what it has found. */
struct conflicts {
    uint64_t total; /* pairs of queens on a square or a line, whatever stands between them */
    size_t listed; /* the first of them, CONFLICTS_LISTED at most: in the order of enum conflict_line, then from line to
                      line - rows and columns by number, diagonals by row - column, antidiagonals by row + column -,
                      then in that of a, then of b; not by lines, only the latter */
    struct conflict list[CONFLICTS_LISTED];
    /* The search's own. */
    const struct rule *rule;
    const struct regions *regions; /* that have room for one queen each; NULL: none */
    const uint64_t *walls;         /* by row: bit c for column c; NULL: none */
    uint32_t columns;              /* of the board */
    uint32_t n, count;             /* n: its longer side */
    uint32_t a;                    /* not by lines: the first queen of the pairs that come next */
    const struct queen *given;     /* not copied yet; NULL: copied */
    struct queen *queens;          /* in order */
    struct queen *spare;           /* of the same size */
    uint32_t *starts;              /* of 2 n + 1 lines */
    uint64_t same_square;          /* pairs on a square: they are also on a line of every kind */
    enum conflict_line next;       /* to be looked at */
    bool sorted;
};

/* About how many bytes a search takes. */
size_t conflicts_memory(uint32_t n, uint32_t count);

/* Begins a search by a rule, of conflicts_most() queens at most. The queens must be on the n x n board, and must stay
 * until the first step returned. NQ_OK or NQ_NOMEM. */
enum nq_status conflicts_open(struct conflicts *conflicts, const struct rule *rule, uint32_t n,
                              const struct queen *queens, uint32_t count);

/* The same on a board that is not square, or has walls: for each row bit c for column c, which must stay. Lines end at
 * walls, leaps pass over them; a queen on a wall is in conflict with those on the same square only. With walls the rule
 * must not wrap or reflect, and pairs come as those of a rule that is not by lines. */
struct conflicts_board {
    uint32_t rows, columns;
    const uint64_t *walls;
};
enum nq_status conflicts_open_shape(struct conflicts *conflicts, const struct rule *rule,
                                    const struct conflicts_board *board, const struct queen *queens, uint32_t count);
void conflicts_close(struct conflicts *conflicts);

/* Lets queens in one region be in conflict, too, before the first step of a search that is not by lines. The regions,
 * of the same board, must stay. */
void conflicts_paint(struct conflicts *conflicts, const struct regions *regions);

/* The region that the queens of a conflict share, whatever line they share besides; -1: none. */
int conflict_region(const struct conflicts *conflicts, const struct conflict *conflict);

/* Makes a step in O(n + count), or not by lines of some 300000 pairs. NQ_AGAIN: there are more steps; NQ_OK: the
 * search is over; NQ_CANCELLED soon after *stop (may be NULL). */
enum nq_status conflicts_step(struct conflicts *conflicts, const atomic_bool *stop);

/* All steps at once, of a search that is short. */
void conflicts_search(struct conflicts *conflicts);

#endif
