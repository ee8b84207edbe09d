/* contradiction.h - what several techniques share that refute a square: the consequences of a queen there, round by
 * round. It does not know which techniques draw them. */
#ifndef PUZZLES_CONTRADICTION_H
#define PUZZLES_CONTRADICTION_H

#include "puzzles/technique.h"

/* Looks for the square from which `propagate` comes to an empty group in the fewest rounds, two or more, and crosses
 * it. Nothing is found soon after *stop (may be
 * NULL). */
bool contradiction_find(const struct grid *grid, const struct position *position, struct finding *finding,
                        propagation *propagate, const atomic_bool *stop);

/* Follows a step of a technique that refutes, found in `position`: calls visit(cls, before, after) for each round, the
 * first of which is the queen itself; the last one leaves a group empty. */
void contradiction_follow(const struct grid *grid, const struct position *position, const struct finding *finding,
                          void (*visit)(void *cls, const struct position *before, const struct position *after),
                          void *cls);

/* One round: every queen that is alone in its group, then everything that is confined. */
propagation propagate_short;

#endif
