/* partials.h - placements of the upper rows that are kept in memory, to be taken and extended by a row one by one:
 * shared by searches by levels and by a queue. The caller chooses which one is taken next and which columns are tried.
 */
#ifndef SOLVERS_PARTIALS_H
#define SOLVERS_PARTIALS_H

#include "steps/machine.h"

/* The most that one machine may keep: bytes, which Romani gave to the kernel of Mathematica, and chunks of placements.
 * The size of a placement depends on n only, so the limit is reached at the same step on every machine. */
enum { PARTIALS_BYTES = 16 << 20, PARTIALS_CHUNKS = 1024, PARTIALS_IN_CHUNK = 1024 };

/* Kept placements have numbers from 1 on; 0 is none. */
struct partials {
    uint32_t n;
    uint32_t rows; /* with a queen, from the first on */
    uint8_t columns[MACHINE_MAX_N];
    uint32_t kept;
    /* Memory: */
    struct allowance *allowance;
    uint32_t spare, size; /* bytes of each placement: for the caller, and in all */
    uint32_t ever;        /* numbers ever used */
    uint32_t free;        /* the first free number */
    unsigned char *chunks[PARTIALS_CHUNKS];
};

/* A list of kept placements. All zero: empty. */
struct partials_list {
    uint32_t first, last;
};

/* Begins with the empty board and nothing kept. spare: bytes of each number for the caller, a multiple of 8. */
void partials_open(struct partials *partials, const struct machine_settings *settings, uint32_t spare);
void partials_close(struct partials *partials);

/* The spare bytes of a number that is or was used; they do not change when the placement is taken. */
void *partials_spare(const struct partials *partials, uint32_t number);

/* The columns of the queens, as bits. */
uint64_t partials_taken(const struct partials *partials);

void partials_board(const struct partials *partials, uint32_t *columns);

/* Steps. Those with a column concern its square in the first empty row. A test is one such square tried. */

/* Returns whether a queen attacks the square; only then *step is set. */
bool partials_reject(const struct partials *partials, uint32_t column, struct step *step);

/* NQ_OK; or NQ_LIMIT, NQ_BUSY, NQ_NOMEM, as the step of a machine returns them. */
enum nq_status partials_keep(struct partials *partials, uint32_t column, uint32_t *number, struct step *step);

/* A kept placement replaces the board, and is no longer kept. */
void partials_take(struct partials *partials, uint32_t number, struct step *step);

void partials_place(struct partials *partials, uint32_t column, struct step *step);
void partials_remove(struct partials *partials, struct step *step);
void partials_solution(const struct partials *partials, struct step *step);

/* Inserts a kept placement after another of the list; 0: at the beginning. */
void partials_insert(struct partials *partials, struct partials_list *list, uint32_t after, uint32_t number);

/* Removes and returns the first of a list; 0: it is empty. */
uint32_t partials_pop(struct partials *partials, struct partials_list *list);

#endif
