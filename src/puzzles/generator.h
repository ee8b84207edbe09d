/* generator.h - makes a board of regions with exactly one solution and the level that is asked for. The board follows
 * from revision, n, level and seed, on every machine and for ever. A seed that comes to no board is followed by the
 * next, and is remembered by the process. It knows neither clocks nor threads. */
#ifndef PUZZLES_GENERATOR_H
#define PUZZLES_GENERATOR_H

#include "puzzles/generated.h"

/* Begins; the caller closes it, whatever happens. n: GENERATOR_MIN_N to GENERATOR_MAX_N. NQ_OK or NQ_NOMEM. */
enum nq_status generator_open(struct generator *generator, const struct puzzle_name *name);
void generator_close(struct generator *generator);

/* Looks at so many boards at most, each in a few to some hundred microseconds. NQ_OK: it is made, generator->name is
 * its name; NQ_AGAIN: there is more to do; NQ_CANCELLED soon after *stop (may be NULL). */
enum nq_status generator_next(struct generator *generator, uint32_t boards, const atomic_bool *stop);

#endif
