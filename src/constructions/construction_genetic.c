/* construction_genetic.c - a population of boards: the better one is, the more likely it is a parent; a child has the
 * upper rows of one parent and the lower rows of the other, and a few queens of it are moved at random. As in S.
 * Russell, P. Norvig, Artificial Intelligence: A Modern Approach, 4.1, after J. Holland, Adaptation in Natural and
 * Artificial Systems (1975). A step makes one child.
 *
 * As there, the fitness of a board is how many pairs of queens do not attack each other. With chances in proportion to
 * that the best are hardly preferred; so each parent is the better of two that are drawn, a tournament. The best
 * board of a generation also lives on in the next one. */
#include <string.h>

#include "constructions/construction.h"
#include "steps/listing.h"
#include "steps/pairs.h"

/* Means of 40 seeds, in children until a solution of n = 6, 8, 12 and 16; it starts anew after GENERATIONS:
 * - POPULATION = 20, GENERATIONS = 100: 5580, 3443, 27796, 98896
 * - POPULATION = 20, GENERATIONS = 500: 24809, 12674, 40523, 69684
 * - POPULATION = 50, GENERATIONS = 100: 6641, 5206, 21113, 68055
 * - POPULATION = 10, GENERATIONS = 100: 4697, 3583, 29897, 206277
 * With a mutant in each child, not in every second one, there are 3754 and 334870 of n = 8 and 16 for the first. */
enum { GENETIC_MAX_N = 16, POPULATION = 20, GENERATIONS = 100 };

struct individual {
    int64_t energy;
    uint8_t column[GENETIC_MAX_N];
};

struct genetic {
    struct repair repair; /* with the last child */
    uint32_t born;        /* of this generation */
    uint32_t generation;
    struct individual parents[POPULATION], children[POPULATION];
};

static void genetic_begin(const struct machine_settings *settings, void *machine)
{
    assert(settings->n <= GENETIC_MAX_N);
    repair_begin(settings, machine);
}

static const struct individual *parent(struct genetic *genetic)
{
    const struct individual *one = &genetic->parents[random_below(&genetic->repair.random, POPULATION)];
    const struct individual *other = &genetic->parents[random_below(&genetic->repair.random, POPULATION)];
    return one->energy <= other->energy ? one : other;
}

static const struct individual *best_parent(const struct genetic *genetic)
{
    const struct individual *best = genetic->parents;
    for (uint32_t i = 1; i < POPULATION; i++)
        if (genetic->parents[i].energy < best->energy)
            best = &genetic->parents[i];
    return best;
}

/* The upper rows of one, the lower ones of the other; the queen of one row perhaps anywhere. */
static void cross(struct genetic *genetic)
{
    const struct individual *above = parent(genetic), *below = parent(genetic);
    const uint32_t n = genetic->repair.n, cut = random_below(&genetic->repair.random, n);
    const uint32_t mutant = random_below(&genetic->repair.random, 2 * n);
    genetic->repair.pairs = (struct pairs){.n = n};
    for (uint32_t row = 0; row < n; row++) {
        const uint32_t inherited = (row < cut ? above : below)->column[row];
        pairs_put(&genetic->repair.pairs, row, row == mutant ? random_below(&genetic->repair.random, n) : inherited);
    }
}

static void restore(struct genetic *genetic, const struct individual *individual)
{
    genetic->repair.pairs = (struct pairs){.n = genetic->repair.n};
    for (uint32_t row = 0; row < genetic->repair.n; row++)
        pairs_put(&genetic->repair.pairs, row, individual->column[row]);
}

static void next_generation(struct genetic *genetic)
{
    memcpy(genetic->parents, genetic->children, sizeof genetic->parents);
    genetic->born = 0;
    if (++genetic->generation > GENERATIONS)
        genetic->generation = 0;
}

/* Makes the next board of the generation. */
static void breed(struct genetic *genetic)
{
    if (genetic->born == POPULATION)
        next_generation(genetic);
    if (!genetic->generation)
        pairs_draw(&genetic->repair.pairs, genetic->repair.n, &genetic->repair.random);
    else if (!genetic->born)
        restore(genetic, best_parent(genetic));
    else
        cross(genetic);
    struct individual *child = &genetic->children[genetic->born++];
    child->energy = genetic->repair.pairs.energy;
    memcpy(child->column, genetic->repair.pairs.column, genetic->repair.n);
}

static enum nq_status genetic_step(void *machine, struct step *step)
{
    struct genetic *genetic = machine;
    if (genetic->repair.ended)
        return NQ_END;
    if (!repair_solved(&genetic->repair, step)) {
        breed(genetic);
        *step = pairs_step(&genetic->repair.pairs, STEP_TAKE, NOWHERE, NOWHERE);
        step->tests = genetic->repair.n;
    }
    step->states = POPULATION;
    return NQ_OK;
}

LISTING_FILE(text_genetic, "genetic.py")
static const struct listing listing = {
    .language = "Python",
    .row = NULL,
    .column = NULL,
    .board = "x",
    LISTING_TEXT(text_genetic),
    .line = {[STEP_TAKE] = 24, [STEP_SOLUTION] = 30},
};

static const struct machine_class machine_genetic = {
    .size = sizeof(struct genetic),
    .begin = genetic_begin,
    .step = genetic_step,
    .board = repair_board,
    .close = free,
    .listing = &listing,
};

const struct construction construction_genetic = {
    .name = "genetic",
    .title = "Holland 1975, genetic algorithm",
    .summary = "a population of boards, whose children have upper rows of one parent and lower rows of another",
    .complexity = "O(n) a child, with no bound on the number of children; O(n) memory",
    .source = "S. Russell, P. Norvig, Artificial Intelligence: A Modern Approach, fourth edition, 4.1 (2020); after J. "
              "H. Holland, Adaptation in Natural and Artificial Systems (1975)",
    .year = 1975,
    .max_n = GENETIC_MAX_N,
    .takes = TAKES_SEED,
    .machine = &machine_genetic,
    .tests = "queens of children",
    .machine_max_n = GENETIC_MAX_N,
};
