/* contradiction.h - what several techniques share that refute a square: the consequences of a queen there, round by
 * round. It does not know which techniques draw them. */
#ifndef PUZZLES_CONTRADICTION_H
#define PUZZLES_CONTRADICTION_H

#include "puzzles/technique.h"

/* One round of consequences. False: nothing has changed; or soon after *stop (may be NULL). */
typedef bool propagation(const struct grid *grid, struct position *position, const atomic_bool *stop);

/* Looks for the square from which `propagate` comes to an empty group in the fewest rounds, two or more, and crosses
 * it. Nothing is found soon after *stop (may be
 * NULL). */
bool contradiction_find(const struct grid *grid, const struct position *position, struct finding *finding,
                        propagation *propagate, const atomic_bool *stop);

/* One round: every queen that is alone in its group, then everything that is confined. */
propagation propagate_short;

#endif
