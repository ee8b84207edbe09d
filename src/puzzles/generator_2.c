/* generator_2.c - revision 2: some candidates of a seed are made, and the one is given out that looks best. It searches
 * for no solutions: a board that the techniques solve has exactly one.
 *
 * A candidate begins with a random solution and regions that grow around its queens: some in a line, some small, and
 * some open, none above SHARE per cent of the board, at most one of a single square. Then squares that the techniques
 * of the level leave free move to a region beside them, as long as no more squares become free. One seed in eight has
 * candidates whose regions are the same after half a turn; each change is then made on both sides. */
#include "puzzles/generated.h"

#include <string.h>

#include "base/stop.h"
#include "puzzles/technique.h"

/* All of these are part of the revision. Per cent of the board that a region covers at most; one seed in so many is
 * symmetric; one change in so many is of any square. */
enum { SHARE = 35, SYMMETRIC_SEEDS = 8, ANY_SQUARE = 8 };

/* Boards looked at in all, unless there is a candidate; candidates at most, and the size from which the first one is
 * given out, because each takes a good part of a second. */
enum { MOST_WORK = 60000, MOST_CANDIDATES = 20, ONE_CANDIDATE_N = 16 };

/* By side of the board: changes without progress in one try; free squares that a change may leave where the board was
 * too easy, and where an expert's techniques are tried. */
enum { PATIENCE = 1000, SLACK = 1, SLACK_EXPERT = 2, EXPERT_FREE = 3 };

/* A search for a second solution is given up after so many placements. */
enum { MOST_NODES = 1 << 12 };

/* Of regions: squares in a line; sizes of small ones; growth beyond what is planned, once in so many times. */
enum { BAR_MOST = 4, SMALL_SIZES = 4, DICE = 8, OVERFLOW = 64, UNPAINTED = UINT8_MAX };

/* propagate_short() does what the first techniques do. */
enum { SHORT = 2 };

/* The random numbers of this revision are not those of the first. */
#define STREAMS (UINT64_C(2) << 48)

/* By level: the techniques that may be needed, and those that lead there; of DICE regions so many are in a line, so
 * many small; boards of 64 squares that are looked at for candidates after the first. */
static const struct {
    uint8_t needed, measured, bars, small;
    uint16_t looks;
} bands[LEVELS] = {[LEVEL_EASY] = {2, 2, 4, 2, 2200},
                   [LEVEL_MEDIUM] = {3, 3, 2, 3, 1800},
                   [LEVEL_HARD] = {4, 4, 1, 4, 1500},
                   [LEVEL_EXPERT] = {6, 4, 1, 4, 2000}};

/* ---- What is asked of every candidate ---- */

static uint32_t cap(uint32_t n)
{
    return n * n * SHARE / 100;
}

/* After half a turn. The region of a queen has the number of her row. */
static uint32_t turned_square(uint32_t n, uint32_t square)
{
    return n * n - 1 - square;
}

/* ---- A random board ---- */

/* A permutation that half a turn leaves as it is: of two columns that mirror each other, one row takes either. */
static void draw_turned(struct random *random, uint8_t *columns, uint32_t n)
{
    uint8_t pairs[REGIONS_MAX_N];
    for (uint32_t i = 0; i < n / 2; i++)
        pairs[i] = (uint8_t)i;
    generator_shuffle(random, pairs, n / 2);
    for (uint32_t row = 0; row < n / 2; row++) {
        columns[row] = (uint8_t)(random_below(random, 2) ? pairs[row] : n - 1 - pairs[row]);
        columns[n - 1 - row] = (uint8_t)(n - 1 - columns[row]);
    }
    if (n % 2)
        columns[n / 2] = (uint8_t)(n / 2);
}

static void draw_solution(struct generator *generator)
{
    const uint32_t n = generator->name.n;
    do {
        if (generator->turned) {
            draw_turned(&generator->random, generator->columns, n);
            continue;
        }
        for (uint32_t row = 0; row < n; row++)
            generator->columns[row] = (uint8_t)row;
        generator_shuffle(&generator->random, generator->columns, n);
    } while (generator_touching(generator->columns, n));
}

/* Gives a square to a region, and its image to the image of the region. */
static void paint(struct generator *generator, uint32_t square, uint32_t region)
{
    const uint32_t n = generator->name.n;
    generator->regions.of[square] = (uint8_t)region;
    generator->sizes[region]++;
    if (generator->turned && turned_square(n, square) != square) {
        generator->regions.of[turned_square(n, square)] = (uint8_t)(n - 1 - region);
        generator->sizes[n - 1 - region]++;
    }
}

/* Grows a region along its row or column, to either side. */
static void grow_bar(struct generator *generator, uint32_t region)
{
    const uint32_t n = generator->name.n, length = 2 + random_below(&generator->random, BAR_MOST - 1);
    const bool upright = random_below(&generator->random, 2);
    uint32_t ends[2] = {upright ? region : generator->columns[region], upright ? region : generator->columns[region]};
    for (uint32_t tries = 0; tries < 2 * BAR_MOST && generator->sizes[region] < length; tries++) {
        const unsigned side = random_below(&generator->random, 2);
        const uint32_t at = side ? ends[1] + 1 : ends[0] - 1; /* wraps around below 0 */
        const uint32_t square = upright ? at * n + generator->columns[region] : region * n + at;
        if (at >= n || generator->regions.of[square] != UNPAINTED)
            continue;
        paint(generator, square, region);
        ends[side] = at;
    }
}

/* Draws how each region grows: up to how many squares. */
static void plan(struct generator *generator, uint32_t *most)
{
    const uint32_t n = generator->name.n;
    struct random *random = &generator->random;
    const uint32_t rows = generator->turned ? (n + 1) / 2 : n;
    for (uint32_t region = 0; region < rows; region++) {
        const uint32_t dice = random_below(random, DICE);
        const unsigned bars = bands[generator->name.level].bars, small = bands[generator->name.level].small;
        if (dice < bars)
            grow_bar(generator, region);
        most[region] = dice < bars           ? generator->sizes[region]
                       : dice < bars + small ? 2 + random_below(random, SMALL_SIZES)
                                             : cap(n);
        if (most[region] < 2)
            most[region] = 2;
        if (generator->turned)
            most[n - 1 - region] = most[region];
    }
}

/* False: too large a region was needed. */
static bool grow(struct generator *generator)
{
    const uint32_t n = generator->name.n;
    struct random *random = &generator->random;
    uint8_t *of = generator->regions.of;
    uint32_t most[REGIONS_MAX_N], beside[4], left = n * n;
    memset(of, UNPAINTED, (size_t)n * n);
    memset(generator->sizes, 0, sizeof generator->sizes);
    for (uint32_t row = 0; row < n; row++) {
        of[row * n + generator->columns[row]] = (uint8_t)row;
        generator->sizes[row] = 1;
    }
    plan(generator, most);
    for (uint32_t square = 0; square < n * n; square++)
        left -= of[square] != UNPAINTED;
    for (uint64_t dice = 0; left && dice < (uint64_t)n * n * 4 * OVERFLOW; dice++) {
        const uint32_t square = random_below(random, n * n);
        if (of[square] != UNPAINTED)
            continue;
        const uint8_t region = of[beside[random_below(random, regions_beside(n, square, beside))]];
        if (region == UNPAINTED || generator->sizes[region] >= cap(n) ||
            (generator->sizes[region] >= most[region] && random_below(random, OVERFLOW)))
            continue;
        paint(generator, square, region);
        left -= generator->turned ? 2 : 1;
    }
    for (uint32_t row = 0; row < n; row++)
        if (generator->sizes[row] > cap(n))
            return false;
    return !left;
}

static uint32_t count_singles(const struct generator *generator)
{
    uint32_t count = 0;
    for (uint32_t row = 0; row < generator->name.n; row++)
        count += generator->sizes[row] == 1;
    return count;
}

/* ---- Looking at it ---- */

struct look {
    uint32_t cost; /* squares that are free without being queens */
    bool right, easier;
};

/* The grade by the first `count` techniques, but for its steps; techniques reach the same squares in any order. */
static void solve(struct generator *generator, struct position *position, size_t count)
{
    const struct grid *grid = generator->grid;
    struct grade *grade = &generator->grade;
    struct finding finding;
    *grade = (struct grade){0};
    do {
        while (propagate_short(grid, position, NULL))
            ;
    } while (!position_solved(grid, position) && count > SHORT &&
             finding_first(grid, position, techniques + SHORT, count - SHORT, &finding, NULL) &&
             (grade_add(grade, &finding), finding_apply(grid, position, &finding), true));
    grade->solved = position_solved(grid, position);
}

static enum level level_of(const struct grade *grade)
{
    return grade->hardest ? grade->hardest->level : LEVEL_EASY;
}

static bool is_unique(struct generator *generator, const struct position *position)
{
    uint64_t budget = MOST_NODES, count = 0;
    completions_begin(&generator->search, generator->grid, position, false);
    return completions_count(&generator->search, 2, &count, &budget, NULL) == NQ_OK && count == 1;
}

static void look_at(struct generator *generator, struct look *look)
{
    const enum level level = generator->name.level;
    const unsigned needed = bands[level].needed, measured = bands[level].measured;
    struct position position;
    generator->work++;
    generator->seed_work++;
    grid_paint(generator->grid, generator->regions.of);
    position_begin(generator->grid, &position);
    solve(generator, &position, measured);
    memcpy(generator->left, position.free, sizeof generator->left);
    look->cost = position_free_squares(generator->grid, &position);
    look->easier = generator->grade.solved && level_of(&generator->grade) < level;
    if (!generator->grade.solved && needed > measured && look->cost <= EXPERT_FREE * generator->name.n &&
        is_unique(generator, &position))
        solve(generator, &position, needed);
    look->right = generator->grade.solved && level_of(&generator->grade) == level && count_singles(generator) <= 1;
}

/* ---- Changing it ---- */

/* A random square: most often one that is left free. */
static uint32_t draw_square(struct generator *generator)
{
    const uint32_t n = generator->name.n;
    uint32_t square = 0, nth, count = 0;
    for (uint32_t i = 0; i < generator->grid->words; i++)
        count += (uint32_t)__builtin_popcountll(generator->left[i]);
    if (!count || random_below(&generator->random, ANY_SQUARE) == 0)
        return random_below(&generator->random, n * n);
    nth = random_below(&generator->random, count);
    for (struct squares_left at = squares_of(generator->grid, generator->left, NULL); squares_next(&at, &square);)
        if (!nth--)
            break;
    return square;
}

static void move(struct generator *generator, uint32_t square, uint32_t region)
{
    const uint32_t n = generator->name.n, turned = turned_square(n, square);
    generator->sizes[generator->regions.of[square]]--;
    if (generator->turned && turned != square)
        generator->sizes[generator->regions.of[turned]]--;
    paint(generator, square, region);
}

static bool allowed(const struct generator *generator, uint32_t before, uint32_t region)
{
    const uint32_t n = generator->name.n;
    const uint8_t *of = generator->regions.of;
    return generator->sizes[region] <= cap(n) && generator->sizes[before] &&
           count_singles(generator) <= generator->singles &&
           regions_connected(n, of, (uint8_t)before, REGIONS_MAX_SQUARES) &&
           (!generator->turned || (regions_connected(n, of, (uint8_t)(n - 1 - before), REGIONS_MAX_SQUARES) &&
                                   regions_connected(n, of, (uint8_t)region, REGIONS_MAX_SQUARES)));
}

static void begin_try(struct generator *generator, struct look *look)
{
    const uint64_t stream =
        STREAMS | (uint64_t)generator->name.level << 40 | (uint64_t)generator->name.n << 32 | generator->tries++;
    generator->random = random_begin(generator->name.seed, stream);
    if (generator->tries == 1)
        generator->symmetric = random_below(&generator->random, SYMMETRIC_SEEDS) == 0;
    generator->turned = generator->symmetric && generator->tries % 2;
    generator->since = 0;
    generator->begun = false;
    look->right = false;
    draw_solution(generator);
    if (!grow(generator)) {
        generator->work++;
        generator->seed_work++;
        return;
    }
    generator->singles = count_singles(generator);
    look_at(generator, look);
    generator->cost = generator->least = look->cost;
    generator->slack = look->easier ? SLACK * generator->name.n : 0;
    if (generator->name.level == LEVEL_EXPERT)
        generator->slack = SLACK_EXPERT * generator->name.n;
    generator->begun = true;
}

static void change(struct generator *generator, struct look *look)
{
    const uint32_t n = generator->name.n;
    uint8_t *of = generator->regions.of;
    uint64_t left[GRID_MAX_WORDS];
    uint32_t beside[4];
    look->right = false;
    generator->since++;
    const uint32_t square = draw_square(generator);
    const uint32_t before = of[square],
                   region = of[beside[random_below(&generator->random, regions_beside(n, square, beside))]];
    if (before == region || generator->columns[square / n] == square % n)
        return;
    move(generator, square, region);
    if (!allowed(generator, before, region)) {
        move(generator, square, before);
        return;
    }
    memcpy(left, generator->left, sizeof left);
    look_at(generator, look);
    if (look->cost <= generator->cost || look->cost <= generator->slack || look->right) {
        if (look->cost < generator->least) {
            generator->since = 0;
            generator->least = look->cost;
        }
        if (look->easier)
            generator->slack = SLACK * n;
        generator->cost = look->cost;
        if (count_singles(generator) < generator->singles)
            generator->singles = count_singles(generator);
    } else {
        move(generator, square, before);
        memcpy(generator->left, left, sizeof left);
    }
}

/* ---- Choosing ---- */

/* Less is better: the length of all borders inside, and single squares; much better if half a turn leaves it as it is.
 */
static uint32_t penalty(const struct generator *generator)
{
    const uint32_t n = generator->name.n;
    const uint8_t *of = generator->regions.of;
    uint32_t length = 0;
    for (uint32_t row = 0; row < n; row++)
        for (uint32_t column = 0; column < n; column++) {
            const uint8_t *at = &of[row * n + column];
            length += (column + 1 < n && at[0] != at[1]) + (row + 1 < n && at[0] != at[n]);
        }
    return length + (generator->turned ? 0 : 2 * n * n) + n * count_singles(generator);
}

static void keep(struct generator *generator)
{
    const uint32_t is = penalty(generator);
    generator->candidates++;
    generator->begun = false;
    if (generator->candidates > 1 && is >= generator->best_penalty)
        return;
    generator->best_penalty = is;
    memcpy(generator->best, generator->regions.of, sizeof generator->best);
    memcpy(generator->best_columns, generator->columns, sizeof generator->best_columns);
}

static void finish(struct generator *generator)
{
    struct position position;
    memcpy(generator->regions.of, generator->best, sizeof generator->best);
    memcpy(generator->columns, generator->best_columns, sizeof generator->best_columns);
    regions_number(&generator->regions);
    grid_paint(generator->grid, generator->regions.of);
    position_begin(generator->grid, &position);
    generator->grade = grade_position(generator->grid, &position, bands[generator->name.level].needed, NULL);
}

/* Whether there are candidates enough to choose from. */
static bool is_enough(const struct generator *generator)
{
    const uint32_t n = generator->name.n;
    const uint64_t looks = (uint64_t)bands[generator->name.level].looks * n * n / 64;
    return generator->candidates &&
           (n >= ONE_CANDIDATE_N || generator->candidates >= MOST_CANDIDATES || generator->seed_work >= looks);
}

enum nq_status generator_2_next(struct generator *generator, uint32_t boards, const atomic_bool *stop)
{
    struct look look = {.right = false};
    for (const uint64_t until = generator->work + boards; generator->work < until;) {
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        if (generator->seed_work >= MOST_WORK && !generator->candidates)
            return NQ_LIMIT;
        if (!generator->begun || generator->since >= PATIENCE * generator->name.n)
            begin_try(generator, &look);
        else
            change(generator, &look);
        if (look.right)
            keep(generator);
        if (is_enough(generator)) {
            finish(generator);
            return NQ_OK;
        }
    }
    return NQ_AGAIN;
}
