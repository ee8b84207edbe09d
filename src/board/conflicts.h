/* conflicts.h - which queens attack each other, anywhere on a board and perhaps several on one square: how many pairs,
 * and the first of them. It knows squares and lines, neither permutations nor where queens come from. */
#ifndef BOARD_CONFLICTS_H
#define BOARD_CONFLICTS_H

#include <nqueens.h>
#include <stdatomic.h>

struct queen {
    uint32_t row, column;
};

/* What two queens share: a square, or one line at most. On a diagonal row - column is the same, on an antidiagonal
 * row + column. */
enum conflict_line { LINE_SQUARE, LINE_ROW, LINE_COLUMN, LINE_DIAGONAL, LINE_ANTIDIAGONAL, CONFLICT_LINES };

/* "square", "row", "column", "diagonal", "antidiagonal". */
const char *conflict_line_name(enum conflict_line line);

struct conflict {
    struct queen a, b; /* a before b: row by row, then column by column */
    enum conflict_line line;
};

enum { CONFLICTS_LISTED = 100 };

/* A search for conflicts, and what it has found. */
struct conflicts {
    uint64_t total; /* pairs of queens on a square or a line, whatever stands between them */
    size_t listed; /* the first of them, CONFLICTS_LISTED at most: in the order of enum conflict_line, then from line to
                      line - rows and columns by number, diagonals by row - column, antidiagonals by row + column -,
                      then in that of a, then of b */
    struct conflict list[CONFLICTS_LISTED];
    /* The search's own. */
    uint32_t n, count;
    const struct queen *given; /* not copied yet; NULL: copied */
    struct queen *queens;      /* in order */
    struct queen *spare;       /* of the same size */
    uint32_t *starts;          /* of 2 n + 1 lines */
    uint64_t same_square;      /* pairs on a square: they are also on a line of every kind */
    enum conflict_line next;   /* to be looked at */
    bool sorted;
};

/* About how many bytes a search takes. */
size_t conflicts_memory(uint32_t n, uint32_t count);

/* Begins a search. The queens must be on the n x n board, and must stay until the first step returned. NQ_OK or
 * NQ_NOMEM. */
enum nq_status conflicts_open(struct conflicts *conflicts, uint32_t n, const struct queen *queens, uint32_t count);
void conflicts_close(struct conflicts *conflicts);

/* Makes a step in O(n + count). NQ_AGAIN: there are more steps; NQ_OK: the search is over; NQ_CANCELLED soon after
 * *stop (may be NULL). */
enum nq_status conflicts_step(struct conflicts *conflicts, const atomic_bool *stop);

#endif
