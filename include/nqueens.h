/* nqueens.h - the library's public face: what one can ask about placements of n queens. No HTTP, no threads. */
#ifndef NQUEENS_H
#define NQUEENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The release. It enters every ETag and cursor: a new release never revives an old answer. */
#define NQ_VERSION "0.1.0"

/* What a call came to. Every floor speaks this one type; HTTP statuses are derived from it in one table
 * (src/http/problem.c). */
enum nq_status {
    NQ_OK,        /* done */
    NQ_END,       /* nothing follows */
    NQ_AGAIN,     /* not finished: call again to go on */
    NQ_INVALID,   /* the input means nothing */
    NQ_LIMIT,     /* meaningful, but beyond a limit of ours */
    NQ_NONE,      /* no such placement exists */
    NQ_NOMEM,     /* out of memory */
    NQ_BUSY,      /* no room now, try later */
    NQ_TIMEOUT,   /* took longer than the caller may wait */
    NQ_CANCELLED, /* whoever asked has left */
    NQ_CLOSED,    /* shutting down */
    NQ_BROKEN,    /* the store cannot be read or written */
    NQ_DENIED,    /* not for whoever asks */
    NQ_QUOTA,     /* whoever asks has as much as they may at once */
};

/* One lower-case sentence without a full stop; never NULL. */
const char *nq_status_text(enum nq_status status);

/* ---- Boards ------------------------------------------------------------------------------------------------------
 * A permutation is an array of n columns: columns[row] is the column of the queen in that row, both 0-based. */

/* True when queens on two different squares stand on one row, column or diagonal. */
bool nq_attack(uint32_t row_a, uint32_t column_a, uint32_t row_b, uint32_t column_b);

/* Sets *valid to whether columns[0..n) is a solution: n columns below n, no two queens attacking. O(n) time and memory.
 * NQ_OK or NQ_NOMEM. The empty board (n = 0) is a solution. */
enum nq_status nq_verify(uint32_t n, const uint32_t *columns, bool *valid);

/* The symmetries of the square: 0 the identity, 1-3 quarter turns, 4-7 the same after a left-right reflection. */
enum { NQ_SYMMETRIES = 8 };

/* Writes the image of the permutation columns[0..n) under a symmetry (0..7) to image[0..n); the arrays must not
 * overlap. */
void nq_transform(unsigned symmetry, uint32_t n, const uint32_t *columns, uint32_t *image);

/* Writes the canonical form, the lexicographically least of the eight images of a permutation, to canonical[0..n), with
 * scratch[0..n) to work in. Returns the size of the orbit: 1 (n <= 1), 2, 4 or 8 different images. */
unsigned nq_canonical(uint32_t n, const uint32_t *columns, uint32_t *canonical, uint32_t *scratch);

/* The turns that leave a permutation, whose columns must all be different, unchanged: none, the half turn, or quarter
 * turns too. Exactly: a quarter one is not called a point one. With n <= 1 it is a quarter one. O(n). */
enum nq_symmetry { NQ_SYMMETRY_NONE, NQ_SYMMETRY_POINT, NQ_SYMMETRY_QUARTER };
enum nq_symmetry nq_symmetry(uint32_t n, const uint32_t *columns);

/* ---- Enumerating -------------------------------------------------------------------------------------------------
 * A cursor walks the solutions of one n in its algorithm's order. Its position is a prefix of columns of any length:
 * "all placements up to and including every one that begins so are finished". A cursor put there goes on just after. */

enum { NQ_SEARCH_MAX_N = 64 };

struct nq_cursor;

/* Opens a cursor before the first solution. algorithm: a name from the solver table, NULL for the default ("bitboard",
 * lexicographic). NQ_OK, NQ_INVALID (no such algorithm), NQ_LIMIT (n above the algorithm's), NQ_NOMEM. */
enum nq_status nq_cursor_open(const char *algorithm, uint32_t n, struct nq_cursor **cursor);

/* Writes the next solution to columns[0..n). *budget is how many placements may still be tried; it is decreased by
 * those that were. NQ_OK, NQ_END, or NQ_AGAIN when the budget ran out first. Every call gains ground:
 * to reach a place where it can stop it may try up to n placements beyond the budget. */
enum nq_status nq_cursor_next(struct nq_cursor *cursor, uint64_t *budget, uint32_t *columns);

/* Goes to just after a position; length 0 is the very beginning. NQ_OK, or NQ_INVALID (too long, off the board, queens
 * that attack each other, or one where the solutions listed cannot have it), which leaves the cursor where it was. */
enum nq_status nq_cursor_seek(struct nq_cursor *cursor, const uint32_t *prefix, uint32_t length);

/* Writes the position to prefix[0..n) and returns its length; 0 before the first step. */
uint32_t nq_cursor_position(const struct nq_cursor *cursor, uint32_t *prefix);

/* The order solutions come in, as in the solver table: "lexicographic", ... */
const char *nq_cursor_order(const struct nq_cursor *cursor);

void nq_cursor_close(struct nq_cursor *cursor);

/* ---- Counting ---------------------------------------------------------------------------------------------------- */

enum { NQ_KNOWN_MAX_N = 27 };

/* Q(n), the number of solutions, from the table of published counts (OEIS A000170), n = 0..27. NQ_OK or NQ_LIMIT. */
enum nq_status nq_known_count(uint32_t n, uint64_t *count);

/* Q(n) by searching, on the calling thread: hours from n = 21 on. NQ_OK, NQ_LIMIT (n > NQ_KNOWN_MAX_N), NQ_NOMEM. */
enum nq_status nq_count(uint32_t n, uint64_t *count);

/* ---- Constructing ------------------------------------------------------------------------------------------------ */

struct nq_construction;

/* Prepares one solution of size n by a method from the construction table, NULL for the default ("explicit"); one that
 * hangs on a seed takes 0, and one that takes its time all it takes. NQ_OK, NQ_INVALID (no such method, or "random",
 * which only the service has), NQ_LIMIT (n above the method's, or it gives up), NQ_NONE (n = 2 and 3 have no solution,
 * others none by this method), NQ_NOMEM. */
enum nq_status nq_construction_open(const char *method, uint32_t n, struct nq_construction **construction);

/* Writes the columns of the queens in rows first .. first + count - 1, which must lie on the board, to
 * columns[0..count). */
void nq_construction_rows(const struct nq_construction *construction, uint32_t first, uint32_t count,
                          uint32_t *columns);

void nq_construction_close(struct nq_construction *construction);

#endif
