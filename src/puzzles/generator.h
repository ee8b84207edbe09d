/* generator.h - makes a board of regions with exactly one solution and the level that is asked for. The board follows
 * from revision, n, level and seed, on every machine and for ever. It knows neither clocks nor threads. */
#ifndef PUZZLES_GENERATOR_H
#define PUZZLES_GENERATOR_H

#include "base/random.h"
#include "board/regions.h"
#include "puzzles/completions.h"
#include "puzzles/grade.h"

/* A change of what any seed gives is a new revision; codes of the old one must go on working. */
enum { GENERATOR_REVISION = 1 };

/* n = 4 has two placements, mirror images of each other: of its 62741 boards 11760 have one solution, and none of these
 * needs more than `common-attack`. */
enum { GENERATOR_MIN_N = 5, GENERATOR_MAX_N = REGIONS_MAX_N };

struct generator {
    struct regions regions;         /* the board, once it is made */
    uint8_t columns[REGIONS_MAX_N]; /* its solution, by row */
    struct grade grade;
    uint32_t tries; /* random boards begun */
    uint64_t work;  /* boards looked at */
    /* Its own. */
    enum level level;
    uint64_t seed;
    struct random random;
    struct grid *grid;
    bool begun, unique;   /* the board has one solution */
    bool led;             /* another solution was found in this try: `other` */
    uint32_t cost, since; /* changes since it became less */
    uint8_t other[REGIONS_MAX_N];
    uint8_t sizes[REGIONS_MAX_N]; /* squares, by region */
    struct completions search;
};

/* Begins; the caller closes it, whatever happens. n: GENERATOR_MIN_N to GENERATOR_MAX_N. NQ_OK or NQ_NOMEM. */
enum nq_status generator_open(struct generator *generator, uint32_t n, enum level level, uint64_t seed);
void generator_close(struct generator *generator);

/* Looks at so many boards at most, each in a few to some hundred microseconds. NQ_OK: it is made; NQ_AGAIN: there is
 * more to do; NQ_LIMIT: this seed comes to no board; NQ_CANCELLED soon after *stop (may be NULL). */
enum nq_status generator_next(struct generator *generator, uint32_t boards, const atomic_bool *stop);

#endif
