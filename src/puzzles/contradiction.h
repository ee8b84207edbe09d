/* contradiction.h - what several techniques share that refute a square: the consequences of a queen there, round by
 * round. It does not know which techniques draw them. */
#ifndef PUZZLES_CONTRADICTION_H
#define PUZZLES_CONTRADICTION_H

#include "puzzles/technique.h"

/* Looks for the square from which `propagate` comes to an empty group in the fewest rounds, two or more, and crosses
 * it. One round is one call; it returns false if it has changed nothing. Nothing is found soon after *stop (may be
 * NULL). */
bool contradiction_find(const struct grid *grid, const struct position *position, struct finding *finding,
                        bool (*propagate)(const struct grid *grid, struct position *position), const atomic_bool *stop);

/* One round: every queen that is alone in its group, then everything that is confined. */
bool propagate_short(const struct grid *grid, struct position *position);

#endif
