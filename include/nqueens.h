/* nqueens.h - the public interface of the library: placements of n non-attacking queens on an n x n board. It starts no
 * threads and knows no HTTP. Rows and columns are 0-based. Functions of different cursors and constructions may be
 * called on different threads; one cursor or construction is used by one thread at a time. */
#ifndef NQUEENS_H
#define NQUEENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The release. It is part of every ETag and cursor, so that none of another release is accepted. */
#define NQ_VERSION "0.1.0"

/* The result of a call. src/http/wire/problem.c derives HTTP statuses from it. */
enum nq_status {
    NQ_OK,        /* done */
    NQ_END,       /* there is nothing more */
    NQ_AGAIN,     /* not finished: call again to continue */
    NQ_INVALID,   /* the arguments are malformed or contradict each other */
    NQ_LIMIT,     /* the arguments are valid, but above a limit */
    NQ_NONE,      /* no such placement exists */
    NQ_NOMEM,     /* out of memory */
    NQ_BUSY,      /* no capacity at the moment: try later */
    NQ_TIMEOUT,   /* took longer than the caller may wait */
    NQ_CANCELLED, /* the caller cancelled it or left */
    NQ_CLOSED,    /* shutting down */
    NQ_BROKEN,    /* the store cannot be read or written */
    NQ_DENIED,    /* the caller may not do this */
    NQ_QUOTA,     /* the caller has as many of these as it may have at once */
};

/* A status in English: one sentence in lower case, without a full stop. Static, never NULL. */
const char *nq_status_text(enum nq_status status);

/* ---- Boards ------------------------------------------------------------------------------------------------------
 * A permutation is an array of n columns: columns[row] is the column of the queen in that row. */

/* True if the two squares are different and share a row, a column or a diagonal. */
bool nq_attack(uint32_t row_a, uint32_t column_a, uint32_t row_b, uint32_t column_b);

/* Sets *valid to whether columns[0..n) is a solution: all columns are below n, and no two queens attack each other. The
 * empty board (n = 0) is a solution. O(n) time and memory. Returns NQ_OK or NQ_NOMEM. */
enum nq_status nq_verify(uint32_t n, const uint32_t *columns, bool *valid);

/* The symmetries of the square by number: 0 is the identity, 1 to 3 are that many quarter turns, 4 to 7 are a
 * left-right reflection and then 0 to 3 quarter turns. */
enum { NQ_SYMMETRIES = 8 };

/* Writes the image of the permutation columns[0..n) under a symmetry (0 to 7) to image[0..n). The arrays must not
 * overlap. O(n). */
void nq_transform(unsigned symmetry, uint32_t n, const uint32_t *columns, uint32_t *image);

/* Writes the canonical form of a permutation, the lexicographically least of its eight images, to canonical[0..n).
 * scratch[0..n) is work space. Returns how many of the images are different: 1 (n <= 1), 2, 4 or 8. O(n). */
unsigned nq_canonical(uint32_t n, const uint32_t *columns, uint32_t *canonical, uint32_t *scratch);

/* The rotations that leave a permutation unchanged: none, the half turn only, or all quarter turns, as for n <= 1. All
 * columns must be different. O(n). */
enum nq_symmetry { NQ_SYMMETRY_NONE, NQ_SYMMETRY_POINT, NQ_SYMMETRY_QUARTER };
enum nq_symmetry nq_symmetry(uint32_t n, const uint32_t *columns);

/* ---- Enumerating -------------------------------------------------------------------------------------------------
 * A cursor lists the solutions of one n in the order of its algorithm. Its position is a prefix of columns, of length 0
 * to n: every placement up to and including the last one with this prefix is finished. In an order that is not
 * lexicographic, only a position of length n is one of columns, the solution listed last; shorter ones are numbers
 * below n that mean something to the algorithm alone. */

/* The largest board of an algorithm: those of lexicographic order list boards up to NQ_SEARCH_MAX_N. */
enum { NQ_SEARCH_MAX_N = 64, NQ_LIST_MAX_N = 1000 };

struct nq_cursor;

/* Opens a cursor before the first solution; the caller closes it. algorithm: a name in the table of
 * src/solvers/solvers.c, or NULL for the default ("bitboard": backtracking on bit masks, Richards 1997, in
 * lexicographic order). Returns NQ_OK, NQ_INVALID (there is no such algorithm), NQ_LIMIT (n is above the algorithm's
 * largest) or NQ_NOMEM. */
enum nq_status nq_cursor_open(const char *algorithm, uint32_t n, struct nq_cursor **cursor);

/* Writes the next solution to columns[0..n). *budget is the number of placements that may be tried; the number tried is
 * subtracted from it. Returns NQ_OK, NQ_END, or NQ_AGAIN if the budget ran out first. Every call makes progress: to
 * reach a position it may try up to n placements more than the budget. */
enum nq_status nq_cursor_next(struct nq_cursor *cursor, uint64_t *budget, uint32_t *columns);

/* Moves the cursor to just after a position; length 0 is before the first solution. In lexicographic order, a solution
 * that the cursor does not list is a position, too, if it stands on allowed squares. Returns NQ_OK, NQ_INVALID (the
 * prefix is too long or off the board, two of its queens attack each other, or no listed solution can have one of them)
 * or NQ_NOMEM. The last two leave the cursor where it was. */
enum nq_status nq_cursor_seek(struct nq_cursor *cursor, const uint32_t *prefix, uint32_t length);

/* Writes the position to prefix[0..n) and returns its length: 0 before the first step. */
uint32_t nq_cursor_position(const struct nq_cursor *cursor, uint32_t *prefix);

/* The order of the solutions, as in the table of solvers: "lexicographic" and others. Static. */
const char *nq_cursor_order(const struct nq_cursor *cursor);

/* Frees a cursor; NULL is allowed. */
void nq_cursor_close(struct nq_cursor *cursor);

/* ---- Counting ---------------------------------------------------------------------------------------------------- */

enum { NQ_KNOWN_MAX_N = 27 };

/* Writes the number of solutions, Q(n), from the table of published counts (OEIS A000170), which has n = 0 to 27.
 * Returns NQ_OK, or NQ_LIMIT for a larger n. */
enum nq_status nq_known_count(uint32_t n, uint64_t *count);

/* Writes Q(n), computed on the calling thread, which takes hours from n = 21 on. Returns NQ_OK, NQ_LIMIT (n is above
 * NQ_KNOWN_MAX_N) or NQ_NOMEM. */
enum nq_status nq_count(uint32_t n, uint64_t *count);

/* ---- Constructing ------------------------------------------------------------------------------------------------ */

struct nq_construction;

/* Prepares one solution of size n; the caller closes it. method: a name in the table of
 * src/constructions/constructions.c, or NULL for the default ("explicit": a closed form, Bernhardsson 1991). A method
 * that depends on a seed gets 0; there is no limit of time. Returns NQ_OK, NQ_INVALID (there is no such method, or it
 * is "random", which only the service has), NQ_LIMIT (n is above the method's largest, or the method gives up), NQ_NONE
 * (n is 2 or 3, which have no solution, or this method has none for n) or NQ_NOMEM. */
enum nq_status nq_construction_open(const char *method, uint32_t n, struct nq_construction **construction);

/* Writes the columns of the queens in the rows from `first` on to columns[0..count). first + count must not exceed n.
 */
void nq_construction_rows(const struct nq_construction *construction, uint32_t first, uint32_t count,
                          uint32_t *columns);

/* Frees a construction; NULL is allowed. */
void nq_construction_close(struct nq_construction *construction);

#endif
