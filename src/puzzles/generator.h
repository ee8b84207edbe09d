/* generator.h - makes a board of regions with exactly one solution and the level that is asked for. The board follows
 * from revision, n, level and seed, on every machine and for ever. A seed that comes to no board is followed by the
 * next, and is remembered by the process. It knows neither clocks nor threads. */
#ifndef PUZZLES_GENERATOR_H
#define PUZZLES_GENERATOR_H

#include "base/random.h"
#include "board/regions.h"
#include "puzzles/completions.h"
#include "puzzles/grade.h"
#include "puzzles/puzzle_code.h"

/* The newest revision; all from 1 on are made. A change of what any seed gives is a new revision; codes of the old ones
 * must go on working. */
enum { GENERATOR_REVISION = 2 };

/* n = 4 has two placements, mirror images of each other: of its 62741 boards 11760 have one solution, and none of these
 * needs more than `common-attack`. */
enum { GENERATOR_MIN_N = 5, GENERATOR_MAX_N = REGIONS_MAX_N };

struct generator {
    struct regions regions;         /* the board, once it is made */
    uint8_t columns[REGIONS_MAX_N]; /* its solution, by row */
    struct grade grade;
    struct puzzle_name name; /* of the board; its seed is perhaps one that follows the seed asked for */
    uint32_t tries;          /* random boards begun of this seed */
    uint64_t work;           /* boards looked at */
    /* Its own. */
    uint64_t seed_work; /* boards looked at of this seed */
    struct random random;
    struct grid *grid;
    bool begun, unique;   /* the board has one solution */
    bool led;             /* another solution was found in this try: `other` */
    uint32_t cost, since; /* changes since it became less */
    uint8_t other[REGIONS_MAX_N];
    uint8_t sizes[REGIONS_MAX_N]; /* squares, by region */
    struct completions search;    /* of revision 1 */
    /* Of revision 2. */
    bool symmetric, turned; /* the seed has candidates that half a turn leaves as they are; this try is one */
    uint32_t candidates, singles, best_penalty, slack, least;
    uint64_t left[GRID_MAX_WORDS]; /* squares that the techniques left free */
    uint8_t best[REGIONS_MAX_SQUARES], best_columns[REGIONS_MAX_N];
};

/* Begins; the caller closes it, whatever happens. n: GENERATOR_MIN_N to GENERATOR_MAX_N. NQ_OK or NQ_NOMEM. */
enum nq_status generator_open(struct generator *generator, const struct puzzle_name *name);
void generator_close(struct generator *generator);

/* Looks at so many boards at most, each in a few to some hundred microseconds. NQ_OK: it is made, generator->name is
 * its name; NQ_AGAIN: there is more to do; NQ_CANCELLED soon after *stop (may be NULL). */
enum nq_status generator_next(struct generator *generator, uint32_t boards, const atomic_bool *stop);

#endif
