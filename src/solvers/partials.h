/* partials.h - placements of the upper rows, kept in memory to be taken up one by one and each taken further by a row:
 * what searches by levels and by a queue share. It does not know which is taken up next, nor which columns are tried.
 */
#ifndef SOLVERS_PARTIALS_H
#define SOLVERS_PARTIALS_H

#include "steps/machine.h"

/* What one machine may keep: no more than this many bytes, which is what Romani gave to the kernel of Mathematica, nor
 * more than so many chunks of so many placements. Bytes of one depend on n alone, so the end comes at the same step
 * everywhere. */
enum { PARTIALS_BYTES = 16 << 20, PARTIALS_CHUNKS = 1024, PARTIALS_IN_CHUNK = 1024 };

/* A kept placement is called by a number, 1 and up; 0 is none. */
struct partials {
    uint32_t n;
    uint32_t rows; /* filled on the board, from the first on */
    uint8_t columns[MACHINE_MAX_N];
    uint32_t kept;
    /* Of the memory: */
    struct allowance *allowance;
    uint32_t spare, size; /* bytes of each: its owner's, and all */
    uint32_t ever;        /* numbers in use or given back */
    uint32_t free;        /* the first of those given back */
    unsigned char *chunks[PARTIALS_CHUNKS];
};

/* Some of the kept, one after the other. All zero: empty. */
struct partials_list {
    uint32_t first, last;
};

/* The empty board, and nothing kept. spare: bytes that come with every number, a multiple of 8. */
void partials_open(struct partials *partials, const struct machine_settings *settings, uint32_t spare);
void partials_close(struct partials *partials);

/* The spare bytes of a number that is or was in use; what is in them stays when the placement is taken up. */
void *partials_spare(const struct partials *partials, uint32_t number);

void partials_board(const struct partials *partials, uint32_t *columns);

/* Steps; those with a column are about its square in the first empty row. A test is one such square tried. */

/* Whether a queen attacks the square; the step is written only then. */
bool partials_reject(const struct partials *partials, uint32_t column, struct step *step);

/* NQ_OK; NQ_LIMIT, NQ_BUSY, NQ_NOMEM as a machine's step. */
enum nq_status partials_keep(struct partials *partials, uint32_t column, uint32_t *number, struct step *step);

/* The kept one becomes the board, and is kept no longer. */
void partials_take(struct partials *partials, uint32_t number, struct step *step);

void partials_place(struct partials *partials, uint32_t column, struct step *step);
void partials_remove(struct partials *partials, struct step *step);
void partials_solution(const struct partials *partials, struct step *step);

/* Puts a kept one after another of the list, or for 0 at its beginning. */
void partials_insert(struct partials *partials, struct partials_list *list, uint32_t after, uint32_t number);

/* Takes the first off a list; 0: it is empty. */
uint32_t partials_pop(struct partials *partials, struct partials_list *list);

#endif
