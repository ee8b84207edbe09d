/* neural.h - a neural network that settles on a solution, as a machine: it can be watched, energy and all. It knows
 * nothing of the table of constructions. */
#ifndef CONSTRUCTIONS_NEURAL_H
#define CONSTRUCTIONS_NEURAL_H

#include "steps/machine.h"

/* The largest board it is opened for: as large as those of the paper that neural.c follows. */
enum { NEURAL_MAX_N = 500 };

/* Heeds n and seed. Its first step takes a board up, then each one moves a queen or takes up another board, until one
 * is a solution; nothing follows that. Without a solution (n = 2, 3) there is no step at all. */
extern const struct machine_class machine_neural;

#endif
