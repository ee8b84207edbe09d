/* generator.c - the seeds that are tried for a board, and revision 1: from a random solution and random regions around
 * its queens, square by square to a board that has no other solution and is as hard as it should be.
 *
 * A change moves one square to a region beside it, most often one through which another solution goes. It is kept
 * unless the board is further from what is asked for: first by the squares that the techniques of the level leave free,
 * then, as soon as they can be counted, by its solutions, and when there is one, by those squares again. */
#include "puzzles/generator.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/stop.h"
#include "puzzles/generated.h"

/* All of these are part of the revision. Boards looked at in all, changes without progress in one try, and placements
 * that may be tried for its solutions. */
enum { MOST_WORK = 50000, PATIENCE = 4000, MOST_NODES = 1 << 14 };

/* As many solutions are counted. */
enum { MOST_SOLUTIONS = 128 };

/* How far a board is from what is asked for: free squares, of which there are fewer than ONE, if it has one solution;
 * else more than the former, by solutions; or more than the latter, by free squares again. */
enum { COST_SOLUTIONS = 1000, COST_MANY = 2 * COST_SOLUTIONS, COST_MOST = 10 * COST_SOLUTIONS };

/* Five regions in eight stay small, by up to four sizes, unless no other can grow: once in 64 times. */
enum { UNPAINTED = UINT8_MAX, DICE = 8, SMALL_REGIONS = 5, SMALL_SIZES = 4, OVERFLOW = 64 };

/* One change in four is of any square. */
enum { ANY_SQUARE = 4 };

/* By level: the techniques that may be needed, and those that lead there; the fewest squares of a region. */
static const struct {
    uint8_t needed, measured, smallest;
} bands[LEVELS] = {
    [LEVEL_EASY] = {2, 2, 1}, [LEVEL_MEDIUM] = {3, 3, 2}, [LEVEL_HARD] = {4, 4, 2}, [LEVEL_EXPERT] = {6, 4, 2}};

extern const struct rule rule_touching;

/* ---- Seeds ---- */

/* Names of which this process knows that they come to no board, 0 where there is none: one takes seconds to find out. A
 * name takes 64 bits, none of which is 0; a newer one takes the place of an older. */
enum { FAILURES = 256 };
static _Atomic uint64_t failures[FAILURES];

_Static_assert(GENERATOR_REVISION < 1 << 5 && LEVELS == 1 << 2 && GENERATOR_MAX_N - GENERATOR_MIN_N < 1 << 4 &&
                   PUZZLE_SEED_MAX < UINT64_C(1) << 53,
               "a name is 64 bits");

static uint64_t pack(const struct puzzle_name *name)
{
    return ((name->seed << 4 | (name->n - GENERATOR_MIN_N)) << 2 | name->level) << 5 | name->revision;
}

static _Atomic uint64_t *failure_of(uint64_t packed)
{
    return &failures[hash_bytes(HASH_START, &packed, sizeof packed) % FAILURES];
}

static void begin_seed(struct generator *generator)
{
    generator->tries = 0;
    generator->seed_work = 0;
    generator->candidates = 0;
    generator->begun = false;
}

static void next_seed(struct generator *generator)
{
    generator->name.seed = (generator->name.seed + 1) & PUZZLE_SEED_MAX;
    begin_seed(generator);
}

static void pass_over_failures(struct generator *generator)
{
    for (uint64_t packed = pack(&generator->name); atomic_load(failure_of(packed)) == packed;
         packed = pack(&generator->name))
        next_seed(generator);
}

enum nq_status generator_open(struct generator *generator, const struct puzzle_name *name)
{
    generator->regions.n = name->n;
    generator->name = *name;
    generator->work = 0;
    begin_seed(generator);
    pass_over_failures(generator);
    generator->grid = grid_new(&rule_touching, name->n, NULL);
    return generator->grid ? NQ_OK : NQ_NOMEM;
}

void generator_close(struct generator *generator)
{
    grid_free(generator->grid);
    generator->grid = NULL;
}

/* ---- A random board ---- */

/* Every solution of a board without regions is as likely: about one permutation in eight is one. */
static void draw_solution(struct generator *generator)
{
    const uint32_t n = generator->regions.n;
    uint8_t *columns = generator->columns;
    for (uint32_t row = 0; row < n; row++)
        columns[row] = (uint8_t)row;
    do {
        generator_shuffle(&generator->random, columns, n);
    } while (generator_touching(columns, n));
}

static void grow(struct generator *generator)
{
    const uint32_t n = generator->regions.n;
    struct random *random = &generator->random;
    uint8_t *of = generator->regions.of;
    uint32_t most[REGIONS_MAX_N], beside[4];
    memset(of, UNPAINTED, (size_t)n * n);
    for (uint32_t row = 0; row < n; row++) {
        of[row * n + generator->columns[row]] = (uint8_t)row;
        most[row] = random_below(random, DICE) < SMALL_REGIONS
                        ? bands[generator->name.level].smallest + random_below(random, SMALL_SIZES)
                        : n * n;
        generator->sizes[row] = 1;
    }
    for (uint32_t left = n * n - n; left;) {
        const uint32_t square = random_below(random, n * n);
        if (of[square] != UNPAINTED)
            continue;
        const uint8_t region = of[beside[random_below(random, regions_beside(n, square, beside))]];
        if (region == UNPAINTED || (generator->sizes[region] >= most[region] && random_below(random, OVERFLOW)))
            continue;
        of[square] = region;
        generator->sizes[region]++;
        left--;
    }
}

/* ---- Looking at it ---- */

/* The state of a board. */
struct look {
    uint8_t other[REGIONS_MAX_N]; /* another solution, if one was found: */
    bool led;
    uint32_t cost;
    bool unique, right; /* right: it is what is asked for */
};

/* How many solutions the board has, up to MOST_SOLUTIONS, and the first found that is another. */
static uint32_t count_solutions(struct generator *generator, struct look *look)
{
    const uint32_t n = generator->regions.n;
    struct completions *search = &generator->search;
    struct position position;
    uint64_t budget = MOST_NODES;
    uint32_t count = 0;
    look->led = false;
    position_begin(generator->grid, &position);
    completions_begin(search, generator->grid, &position, false);
    while (count < MOST_SOLUTIONS) {
        const enum nq_status status = completions_next(search, &budget, NULL);
        if (status != NQ_OK)
            return status == NQ_END ? count : MOST_SOLUTIONS;
        count++;
        assert(search->depth == n); /* a solution has all its queens */
        if (!look->led && memcmp(search->columns, generator->columns, n) != 0) {
            memcpy(look->other, search->columns, n);
            look->led = true;
        }
    }
    return count;
}

/* The grade by the first `count` techniques; returns the squares that they leave free. */
static uint32_t solve(struct generator *generator, size_t count)
{
    struct position position;
    position_begin(generator->grid, &position);
    generator->grade = grade_position(generator->grid, &position, count, NULL);
    return squares_shared(generator->grid, position.free, position.free, UINT32_MAX);
}

static void look_at(struct generator *generator, struct look *look)
{
    const unsigned needed = bands[generator->name.level].needed, measured = bands[generator->name.level].measured;
    generator->work++;
    generator->seed_work++;
    grid_paint(generator->grid, generator->regions.of);
    const uint32_t solutions = count_solutions(generator, look);
    look->unique = solutions == 1;
    look->right = false;
    if (!look->unique && solutions < MOST_SOLUTIONS) {
        look->cost = COST_SOLUTIONS + solutions;
        return;
    }
    look->cost = solve(generator, measured) + (look->unique ? 0 : COST_MANY);
    if (!look->unique)
        return;
    if (!generator->grade.solved && needed > measured)
        (void)solve(generator, needed);
    look->right = generator->grade.solved && generator->grade.hardest->level == generator->name.level;
}

/* ---- Changing it ---- */

/* A random square that has no queen and may leave its region for one beside it; most often one of the other solution
 * that was found last in this try. */
static bool draw_change(struct generator *generator, uint32_t *square, uint8_t *region)
{
    struct random *random = &generator->random;
    const uint32_t n = generator->regions.n, row = random_below(random, n);
    const uint8_t *of = generator->regions.of;
    uint32_t beside[4];
    const bool any = generator->unique || !generator->led || random_below(random, ANY_SQUARE) == 0;
    *square = row * n + (any ? random_below(random, n) : generator->other[row]);
    *region = of[beside[random_below(random, regions_beside(n, *square, beside))]];
    return *region != of[*square] && generator->columns[row] != *square % n &&
           generator->sizes[of[*square]] > bands[generator->name.level].smallest &&
           regions_connected(n, of, of[*square], *square);
}

static void keep(struct generator *generator, const struct look *look)
{
    if (look->cost < generator->cost)
        generator->since = 0;
    generator->cost = look->cost;
    generator->unique = look->unique;
    generator->led |= look->led;
    if (look->led)
        memcpy(generator->other, look->other, sizeof generator->other);
}

static void begin_try(struct generator *generator, struct look *look)
{
    const uint64_t stream =
        (uint64_t)generator->name.level << 40 | (uint64_t)generator->regions.n << 32 | generator->tries++;
    generator->random = random_begin(generator->name.seed, stream);
    generator->since = 0;
    generator->cost = COST_MOST;
    generator->begun = true;
    generator->led = false;
    draw_solution(generator);
    grow(generator);
    look_at(generator, look);
    keep(generator, look);
}

static void change(struct generator *generator, struct look *look)
{
    uint8_t *of = generator->regions.of, region;
    uint32_t square;
    look->right = false;
    generator->since++;
    if (!draw_change(generator, &square, &region))
        return;
    const uint8_t before = of[square];
    of[square] = region;
    look_at(generator, look);
    /* The free squares of an expert's board may become more again: techniques that are too easy solve one with none. */
    if (look->cost <= generator->cost || (look->unique && generator->name.level == LEVEL_EXPERT)) {
        generator->sizes[before]--;
        generator->sizes[region]++;
        keep(generator, look);
    } else {
        of[square] = before;
    }
}

/* The order of regions decides which steps come first: the grade is that of the board as it is given out. */
static void finish(struct generator *generator)
{
    regions_number(&generator->regions);
    grid_paint(generator->grid, generator->regions.of);
    (void)solve(generator, bands[generator->name.level].needed);
}

static enum nq_status generator_1_next(struct generator *generator, uint32_t boards, const atomic_bool *stop)
{
    struct look look = {.right = false};
    for (const uint64_t until = generator->work + boards; generator->work < until;) {
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        if (generator->seed_work >= MOST_WORK)
            return NQ_LIMIT;
        if (!generator->begun || generator->since >= PATIENCE)
            begin_try(generator, &look);
        else
            change(generator, &look);
        if (look.right) {
            finish(generator);
            return NQ_OK;
        }
    }
    return NQ_AGAIN;
}

/* ---- Any revision ---- */

enum nq_status generator_next(struct generator *generator, uint32_t boards, const atomic_bool *stop)
{
    const enum nq_status status = generator->name.revision == 1 ? generator_1_next(generator, boards, stop)
                                                                : generator_2_next(generator, boards, stop);
    if (status != NQ_LIMIT)
        return status;
    const uint64_t packed = pack(&generator->name);
    atomic_store(failure_of(packed), packed);
    next_seed(generator);
    pass_over_failures(generator);
    return NQ_AGAIN;
}
