/* generated.h - the state of a board of regions while it is made, for all revisions of the generator. It knows nothing
 * of how they make it. */
#ifndef PUZZLES_GENERATED_H
#define PUZZLES_GENERATED_H

#include "base/random.h"
#include "board/regions.h"
#include "puzzles/completions.h"
#include "puzzles/puzzle_code.h"
#include "puzzles/technique.h"

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

/* ---- What both revisions draw, as long as there are boards of them ---- */

/* Whether queens of neighbouring rows touch. */
static inline bool generator_touching(const uint8_t *columns, uint32_t n)
{
    for (uint32_t row = 1; row < n; row++)
        if (columns[row] + 1 == columns[row - 1] || columns[row - 1] + 1 == columns[row])
            return true;
    return false;
}

static inline void generator_shuffle(struct random *random, uint8_t *list, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t k = random_below(random, i);
        const uint8_t other = list[k];
        list[k] = list[i - 1];
        list[i - 1] = other;
    }
}

/* ---- Revision 2, for generator.c alone ---- */

/* As generator_next(), but NQ_LIMIT where the seed comes to no board. */
enum nq_status generator_2_next(struct generator *generator, uint32_t boards, const atomic_bool *stop);

#endif
