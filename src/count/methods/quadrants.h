/* quadrants.h - all placements of queens in a quadrant of the board, as sets of diagonals. It knows the geometry, not
 * which quadrants are joined nor what that counts.
 *
 * The board is divided between column m-1 and column m, m = n/2, into a west and an east half, and these at the middle
 * into an upper and a lower quadrant. A placement is known by its rows, its columns and a word of its diagonals. Of
 * diagonals only those that pass from one half to the other are in the word, n-1 in each direction, for these can be
 * attacked from both: two placements whose rows and columns differ attack each other exactly when their words have a
 * bit in common. (Within a half, too: a diagonal that goes from quadrant to quadrant goes on into the other half; the
 * one exception, for odd n, has a bit of its own.)
 *
 * Rows and columns are numbered from the outer border inwards, in every quadrant, so that quadrants are mirror images
 * of one another with the same sets; and so are their words, by exchanging bits.
 *
 * For odd n the middle column belongs to the east half, and the middle row is empty in the west (see method_join.c);
 * east quadrants with queens on those lines are lists of their own. Their middle row and column are in no set. */
#ifndef COUNT_METHODS_QUADRANTS_H
#define COUNT_METHODS_QUADRANTS_H

#include "base/stop.h"
#include <nqueens.h>

/* Boards of even n up to 32 and of odd n up to 27; for larger ones of these a word has too few bits. */
enum { QUADRANTS_MAX_M = 16 };

enum quadrant {
    LOWER_WEST,
    /* for odd n only; p is how far from the centre the middle column's queen is, q the middle row's */
    UPPER_EAST,
    LOWER_EAST_BOTH,   /* with a queen on each of the middle lines, p < q */
    LOWER_EAST_CENTRE, /* with a queen in the centre */
    UPPER_EAST_COLUMN, /* with one on the middle column; bits that forbid q <= p */
    LOWER_EAST_ROW,    /* with one on the middle row; a bit for q */
    QUADRANTS,
};

/* The placements of a quadrant with one set of rows, in cells: one for each set of columns, by its rank. */
struct view {
    uint64_t *word;
    uint32_t *first; /* by cell: of its words; then the end of all */
    uint64_t any;    /* the bits that some of them have */
};

/* All placements of a quadrant. */
struct quadrant_list {
    uint64_t *word;
    uint32_t *first;
    struct view *of_rows; /* by set of rows; NULL: nothing is listed */
};

struct quadrants {
    uint32_t n, m;
    uint32_t sets;     /* 1 << m */
    uint32_t bits;     /* of a word that both halves share, 2n-2: the lower ones, the most central diagonals on top */
    uint16_t *by_size; /* every set, smaller ones first, then in order */
    uint16_t *rank;    /* by set: its place among those of its size */
    uint32_t *placements; /* by set of rows: how many there are, in a quadrant without middle lines */
    uint32_t size_first[QUADRANTS_MAX_M + 2];
    struct quadrant_list list[QUADRANTS];
};

/* Room for the placements with one set of rows; all zero at first. */
struct quadrant_rows {
    uint64_t *word;
    uint32_t *first;
    uint64_t any;
    size_t room, found_room;
    struct quadrant_found {
        uint64_t word;
        uint32_t cell;
    } * found; /* in the order of the search; if they are many, only while they are found */
};

/* Finds the placements with a set of rows. Nothing need be listed. NQ_OK, NQ_NOMEM, NQ_CANCELLED. */
enum nq_status quadrants_find(const struct quadrants *quadrants, enum quadrant quadrant, uint32_t rows,
                              const atomic_bool *stop, struct quadrant_rows *to);
void quadrants_rows_close(struct quadrant_rows *rows);

/* How many of the quadrants above a board has. */
static inline int quadrants_kinds(uint32_t n)
{
    return n % 2 ? QUADRANTS : LOWER_WEST + 1;
}

/* How many sets of a size there are. */
static inline uint32_t quadrants_sets(const struct quadrants *quadrants, uint32_t size)
{
    return quadrants->size_first[size + 1] - quadrants->size_first[size];
}

/* The word of a west placement mirrored at the middle row. (At the middle column, for even n: join_mirror().) */
uint64_t quadrants_mirror_rows(const struct quadrants *quadrants, uint64_t word);

/* ---- The quadrants of a board, listed or only counted, by several threads ---- */

/* Makes the sets and counts the placements, without lists. NQ_OK, NQ_NOMEM, or NQ_CANCELLED soon after *stop (may be
 * NULL); close it in any case. n from 4 on. Takes 10 core-seconds for n = 26, and about ten times as long for each two
 * sizes more. */
enum nq_status quadrants_open(struct quadrants *quadrants, uint32_t n, unsigned threads, const atomic_bool *stop);
void quadrants_close(struct quadrants *quadrants);

/* Lists the placements of every quadrant; to be called once. NQ_OK, NQ_NOMEM, NQ_CANCELLED. */
enum nq_status quadrants_list(struct quadrants *quadrants, unsigned threads, const atomic_bool *stop);

/* The bytes of the lists of all quadrants, known without making them. n from 8 to 32; for 27 and from 29 on an
 * estimate, else from counts. */
double quadrants_memory(uint32_t n);

/* The most placements with one set of rows, from the same counts: of a quadrant without middle lines, and of all
 * quadrants that a pair (x, u) needs (see method_join.c). */
double quadrants_most(uint32_t n);
double quadrants_most_of_pair(uint32_t n);

/* No more than this of one quadrant. */
double quadrants_most_at_once(uint32_t n);

#endif
