/* steps.h - the board of a hint as techniques of deduction see it, and why their steps end. It does not know how steps
 * are found. */
#ifndef ENGINE_BOARDS_STEPS_H
#define ENGINE_BOARDS_STEPS_H

#include "engine/ask/question.h"
#include "puzzles/technique.h"

/* Free squares times n up to which techniques are tried: every board up to n = 20. A step takes up to some 15 ms there.
 */
enum { STEPS_MOST_FREE = 8192 };

enum steps_end {
    STEPS_FOLLOW, /* they do not end here */
    STEPS_SOLVED,
    STEPS_IMPOSSIBLE, /* no solution completes the board */
    STEPS_SEVERAL,    /* more than one does */
    STEPS_EXHAUSTED,  /* one does, but no technique finds anything */
    STEPS_UNDECIDED,  /* it is not known how many do, or the steps take too long */
    STEPS_LARGE,      /* too many squares are free */
};

/* Appends the member "end": a stable code, or null for STEPS_FOLLOW. */
void steps_end_write(struct bytes *out, enum steps_end end);

/* Makes the board of an ASK_HINT, with its queens placed and its squares crossed. The caller frees. NULL: out of
 * memory. *sound: no queen is attacked by another, nor crossed. */
struct grid *steps_begin(const struct question *question, struct position *position, bool *sound);

/* Which end there is without a step; STEPS_FOLLOW: techniques may be tried. */
enum steps_end steps_refused(const struct grid *grid, const struct position *position);

/* ---- The picture ---- */

/* A position and a hint as a picture. It does not know how the hint was found. */

/* What the hint is; without both, the picture has the position only. */
struct pictured_hint {
    const struct finding *finding; /* a step; NULL: none, then */
    const struct queen *queen;     /* where one belongs; NULL: none */
};

/* Appends the picture, in the format of the question; words count from its base. NQ_OK, also if `out` has failed, or
 * NQ_NOMEM. */
enum nq_status hint_picture(const struct question *question, const struct pictured_hint *hint, struct bytes *out);

#endif
