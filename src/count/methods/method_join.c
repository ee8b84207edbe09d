/* method_join.c - counting by joining quadrants: all placements of a quadrant are listed once and joined to west and
 * east halves; the pairs of halves that do not attack each other are counted. The time depends on the number of halves
 * and pairs, not on the search tree, and so grows with the number of solutions.
 *
 * A unit of work is a range of pairs (x, u), as many in order as its weight allows, so that all units weigh about the
 * same. With x the rows of the upper west quadrant that have queens, u those of the lower east one (rows and columns
 * are counted from the border inwards, in every quadrant), and both of one size, the other two have the complements,
 * because every row has one queen; y and v are the columns of these two quadrants in the same way. So for given x and u
 * the west halves are those of all y, the east halves those of all v, and any two that share no diagonal are a
 * solution. A range of pairs, or a part of a pair, has a worker of its own, whose rooms for halves and classes grow to
 * what the largest pair needs.
 *
 * Symmetry, even n. The eight symmetries of the square carry each of x, y, u, v and their complements into the place of
 * x. Sets are given distinct priorities, and a solution is counted only where that of x is the greatest of the eight,
 * with weight 8/k when k of the eight are that set: so the images of any solution count as eight together. x's own
 * complement never ties; k = 1 + how many of u, y, v, or their complements, are x. Hence the two groups of west halves
 * (y ties or not) and of east halves (v does).
 *
 * Symmetry, odd n = 2m+1. Let the queen of the middle column be p below the centre and that of the middle row q to the
 * east of it. If neither stands in the centre, |p| != |q|, or they would attack each other. One of four images, the
 * other way round in the diagonal, turned, has 0 < q and |p| < q, and of this and its reflection at the middle row, one
 * whose rows in the upper west are not after those in the lower west: weight 8, or 4 if they are the same. So the west
 * half has nothing in the middle row; the east half, which has the middle column, comes in two kinds: p > 0 and p < 0.
 * If a queen stands in the centre, half turns and reflections carry the sets of rows into each other, and the least of
 * them counts, as often as there are different ones. Such east halves are group 1.
 *
 * After E. Kluev, N-Queens-Count-Sol (a repository since October 2022), who divides the board in the same way. He says
 * that the idea is not new, and refers to deepgreen's page on N-Queens. */
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "count/methods/meeting.h"
#include "count/methods/method.h"
#include "count/methods/quadrants.h"

/* ---- Symmetry: which sets may go together, so that the eight images of a solution count as eight ---- */

struct priorities {
    const struct quadrants *quadrants;
    /* for even n, by set: its priority, and the greater of that and its complement's */
    uint16_t *priority, *either;
};

/* What y, u and v may be for a given x. */
struct choice {
    uint32_t x;
    uint32_t count, below; /* so many sets; the first ones do not tie */
    uint32_t of_u;         /* u may be one of the first so many */
    uint16_t set[12870];   /* 16 over 8 */
};

struct ranked {
    uint32_t set;
    uint64_t work;
};

static int by_priority(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    const int size_a = __builtin_popcount(a->set), size_b = __builtin_popcount(b->set);
    if (size_a != size_b)
        return size_a > size_b ? -1 : 1;
    if (a->work != b->work)
        return a->work < b->work ? -1 : 1;
    return a->set < b->set ? -1 : a->set > b->set;
}

/* False: out of memory; close it in any case. Any distinct priorities would do. Smaller sets first, because they have
 * fewer companions; among those of one size the ones with most placements, so that what makes most work is ruled out
 * for all others: 10 to 20 % less than by number. */
static bool priorities_open(struct priorities *priorities, const struct quadrants *quadrants)
{
    *priorities = (struct priorities){.quadrants = quadrants};
    if (quadrants->n % 2)
        return true;
    const uint32_t sets = quadrants->sets, all = sets - 1;
    struct ranked *ranked = malloc(sets * sizeof *ranked);
    priorities->priority = malloc(sets * sizeof priorities->priority[0]);
    priorities->either = malloc(sets * sizeof priorities->either[0]);
    if (!ranked || !priorities->priority || !priorities->either) {
        free(ranked);
        return false;
    }
    for (uint32_t set = 0; set < sets; set++)
        ranked[set] = (struct ranked){set, (uint64_t)quadrants->placements[set] * quadrants->placements[set ^ all]};
    qsort(ranked, sets, sizeof *ranked, by_priority);
    for (uint32_t i = 0; i < sets; i++)
        priorities->priority[ranked[i].set] = (uint16_t)i;
    for (uint32_t set = 0; set < sets; set++)
        priorities->either[set] = priorities->priority[set] > priorities->priority[set ^ all]
                                      ? priorities->priority[set]
                                      : priorities->priority[set ^ all];
    free(ranked);
    return true;
}

static void priorities_close(struct priorities *priorities)
{
    free(priorities->priority);
    free(priorities->either);
}

/* False: no solution is counted with this x. */
static bool choice_make(const struct priorities *priorities, uint32_t x, struct choice *choice)
{
    const struct quadrants *quadrants = priorities->quadrants;
    const uint32_t size = (uint32_t)__builtin_popcount(x), all = quadrants->sets - 1,
                   count = quadrants_sets(quadrants, size);
    const uint16_t *set = quadrants->by_size + quadrants->size_first[size];
    choice->x = x;
    choice->count = choice->of_u = 0;
    if (quadrants->n % 2) {
        for (uint32_t i = 0; i < count; i++) {
            choice->set[i] = set[i];
            choice->of_u += x <= (set[i] ^ all); /* the others come after these */
        }
        choice->count = choice->below = count;
        return choice->of_u > 0;
    }
    const uint32_t priority = priorities->priority[x];
    if (priority < priorities->either[x])
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (priorities->either[set[i]] < priority)
            choice->set[choice->count++] = set[i];
    choice->below = choice->count;
    for (uint32_t i = 0; i < count; i++)
        if (priorities->either[set[i]] == priority)
            choice->set[choice->count++] = set[i];
    choice->of_u = choice->count;
    return true;
}

/* For odd n, how often a solution with a queen in the centre counts, 0 if another image of it is counted.
 * The rows of the west half as the symmetries of a solution with a queen in the centre change them: how many different
 * ones there are if this is the least, else 0. */
static unsigned choice_centre_images(const struct quadrants *quadrants, uint32_t x, uint32_t u)
{
    const uint32_t all = quadrants->sets - 1, upper = x, lower = u ^ all;
    const uint64_t image[4] = {
        (uint64_t)upper << 32 | lower,
        (uint64_t)lower << 32 | upper,
        (uint64_t)(upper ^ all) << 32 | (lower ^ all),
        (uint64_t)(lower ^ all) << 32 | (upper ^ all),
    };
    unsigned same = 1;
    for (int i = 1; i < 4; i++) {
        if (image[i] < image[0])
            return 0;
        same += image[i] == image[0];
    }
    return 4 / same;
}

/* What pairs of halves count, found[group of the west half][group of the east half], in thirds of a solution.
 * Group 1: for even n, y or v ties; for odd n, in the east, there is a queen in the centre. */
static uint64_t choice_thirds(const struct priorities *priorities, const struct choice *choice, uint32_t u,
                              uint64_t found[2][2])
{
    const struct quadrants *quadrants = priorities->quadrants;
    if (quadrants->n % 2) {
        const uint64_t weight = choice->x == (u ^ (quadrants->sets - 1)) ? 4 : 8;
        return (found[0][0] * weight + found[0][1] * choice_centre_images(quadrants, choice->x, u)) * METHOD_THIRDS;
    }
    const uint32_t ties = priorities->either[u] == priorities->priority[choice->x];
    uint64_t thirds = 0;
    for (uint32_t y = 0; y < 2; y++)
        for (uint32_t v = 0; v < 2; v++)
            thirds += found[y][v] * (8 * METHOD_THIRDS / (1 + ties + y + v)); /* 24, 12, 8 or 6 */
    return thirds;
}

/* ---- The plan: which pairs are a unit ---- */

struct join_unit {
    uint32_t x, u; /* the first pair: a set, and the index of a set in struct choice */
    uint32_t pairs;
};

/* What is counted at once: a range of pairs, or a part of a single one. A pair that is too heavy is divided into
 * parts: those west halves whose y is the `west`-th of each `wests` sets, with those east halves whose v is the
 * `east`-th of each `easts`. Every combination is one part, so each pair of halves meets in one of them. */
struct join_piece {
    struct join_unit range;
    struct join_part {
        uint32_t west, wests, east, easts;
    } part;
};

struct join_plan {
    struct method_plan head;
    struct quadrants quadrants;
    struct priorities priorities;
    double split_weight;
    struct join_unit *unit;
};

/* The whole of a unit. */
static inline struct join_piece join_plan_whole(const struct join_unit *unit)
{
    return (struct join_piece){*unit, {.wests = 1, .easts = 1}};
}

/* Weights are nanoseconds with AVX-512 on Zen 4, which are 1.3 placements of the search each: near enough to report how
 * far a count is. A unit should have this much; smaller boards have FEW_UNITS, larger ones no more than MANY_UNITS. */
#define UNIT_WEIGHT 40e6
enum { FEW_UNITS = 64, MANY_UNITS = 20000 };

/* How many pairs of placements are tried for the west halves of a pair, or for its east halves. */
static double tried(const struct join_plan *plan, const struct choice *choice, uint32_t u, bool east)
{
    const struct quadrants *quadrants = &plan->quadrants;
    const uint32_t all = quadrants->sets - 1, size = (uint32_t)__builtin_popcount(u), rows[] = {choice->x, u};
    const double cells = quadrants_sets(quadrants, size), share = choice->count / cells;
    /* the upper west with the lower west, the lower east with the upper east */
    return (double)quadrants->placements[rows[east]] / cells * share * quadrants->placements[rows[!east] ^ all];
}

/* About how long a pair takes. Joining takes time in proportion to the pairs of placements, meeting grows somewhat
 * faster; the power 5/4 of the former fits both within a third. Only roots: they are the same on all machines. */
static double weigh(const struct join_plan *plan, const struct choice *choice, uint32_t u)
{
    const double pairs = tried(plan, choice, u, false) + tried(plan, choice, u, true);
    return 500 + (plan->quadrants.n % 2 ? 0.4 : 0.17) * pairs * sqrt(sqrt(pairs));
}

static bool add_unit(struct join_plan *plan, uint32_t x, uint32_t u)
{
    struct join_unit *unit = method_plan_add(&plan->head, 0, plan->unit, sizeof *unit);
    if (!unit)
        return false;
    plan->unit = unit;
    plan->unit[plan->head.units - 1] = (struct join_unit){.x = x, .u = u};
    return true;
}

/* Adds up the weight of all pairs. If `most` is more than 0, makes units of at most that weight. */
static enum nq_status list_pairs(struct join_plan *plan, double most, const atomic_bool *stop, double *weight)
{
    struct choice choice = {0};
    *weight = 0;
    for (uint32_t x = 0; x < plan->quadrants.sets; x++) {
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        if (!choice_make(&plan->priorities, x, &choice))
            continue;
        for (uint32_t u = 0; u < choice.of_u; u++) {
            const double more = weigh(plan, &choice, choice.set[u]);
            *weight += more;
            if (most <= 0)
                continue;
            if (plan->head.units == 0 || plan->head.weights[plan->head.units - 1] + more > most)
                if (!add_unit(plan, x, u))
                    return NQ_NOMEM;
            plan->head.weights[plan->head.units - 1] += more;
            plan->unit[plan->head.units - 1].pairs++;
        }
    }
    return NQ_OK;
}

/* Into how many parts a pair is divided: the side with more halves is cut first, so that few are needed at once. */
static struct join_part parts_of(const struct join_plan *plan, const struct choice *choice, uint32_t u, double weight)
{
    const double west = tried(plan, choice, u, false), east = tried(plan, choice, u, true);
    struct join_part parts = {.wests = 1, .easts = 1};
    while (parts.wests * parts.easts * plan->split_weight < weight)
        if (west * parts.easts >= east * parts.wests)
            parts.wests++;
        else
            parts.easts++;
    return parts;
}

/* The pieces of a unit up to here. */
struct splitting {
    size_t pieces, index; /* which one is looked for */
    double weight;        /* of the last one */
    struct join_piece *piece;
};

/* Adds a pair to the last piece, or begins one with it. */
static void add_pair(struct splitting *splitting, uint32_t x, uint32_t u, double weight, double most)
{
    splitting->weight += weight;
    if (splitting->pieces == 0 || splitting->weight > most) {
        splitting->weight = weight;
        if (splitting->pieces++ == splitting->index)
            *splitting->piece = (struct join_piece){{.x = x, .u = u}, {.wests = 1, .easts = 1}};
    }
    splitting->piece->range.pairs += splitting->pieces == splitting->index + 1;
}

/* Adds the parts of a pair, each a piece of its own; no other pair is added to the last one. */
static void add_parts(struct splitting *splitting, uint32_t x, uint32_t u, struct join_part parts)
{
    const size_t from = splitting->pieces, count = (size_t)parts.wests * parts.easts;
    splitting->pieces += count;
    splitting->weight = INFINITY;
    if (splitting->index < from || splitting->index >= splitting->pieces)
        return;
    parts.west = (uint32_t)((splitting->index - from) / parts.easts);
    parts.east = (uint32_t)((splitting->index - from) % parts.easts);
    *splitting->piece = (struct join_piece){{.x = x, .u = u, .pairs = 1}, parts};
}

/* Of a unit that is split. */
static size_t find_piece(const struct join_plan *plan, const struct join_unit *unit, size_t index,
                         struct join_piece *piece)
{
    struct choice choice = {0};
    struct splitting splitting = {.index = index, .piece = piece};
    uint32_t left = unit->pairs, at = unit->u;
    for (uint32_t x = unit->x; left; x++, at = 0) {
        if (!choice_make(&plan->priorities, x, &choice))
            continue;
        for (; at < choice.of_u && left; at++, left--) {
            const double weight = weigh(plan, &choice, choice.set[at]);
            if (weight > plan->split_weight)
                add_parts(&splitting, x, at, parts_of(plan, &choice, choice.set[at], weight));
            else
                add_pair(&splitting, x, at, weight, plan->split_weight);
        }
    }
    return splitting.pieces;
}

/* Returns into how many pieces a unit is split, in order; takes some hundred microseconds. Sets *piece, if there is one
 * of that index. */
static size_t join_plan_piece(const struct join_plan *plan, size_t unit, size_t index, struct join_piece *piece)
{
    *piece = join_plan_whole(&plan->unit[unit]);
    return plan->head.weights[unit] > plan->split_weight ? find_piece(plan, &plan->unit[unit], index, piece) : 1;
}

/* The weight that a unit should have, for the weight of a whole board. */
static double join_plan_unit_weight(double weight)
{
    double most = UNIT_WEIGHT;
    if (weight / FEW_UNITS < most)
        most = weight / FEW_UNITS;
    return weight / MANY_UNITS > most ? weight / MANY_UNITS : most;
}

/* Makes the units; quadrants and priorities are open. NQ_OK, NQ_NOMEM, NQ_CANCELLED. */
static enum nq_status join_plan_units(struct join_plan *plan, const atomic_bool *stop)
{
    double weight;
    enum nq_status status = list_pairs(plan, 0, stop, &weight);
    return status == NQ_OK ? list_pairs(plan, join_plan_unit_weight(weight), stop, &weight) : status;
}

/* ---- Counting a range of pairs ---- */

/* A set, x or u, needs the placements of at most so many quadrants; of a pair no more than three times as many sets as
 * there are of a size are picked. */
enum {
    MOST_NEEDS = 4,
    MOST_CELLS = sizeof(((struct choice *)0)->set) / sizeof(uint16_t),
    MOST_PICKED = 3 * MOST_CELLS
};

struct worker {
    const struct join_plan *plan; /* the shared one, or own if that has no lists */
    struct join_plan own;         /* its lists have only what the present pair needs: of_x and of_u */
    struct quadrant_rows of_x[MOST_NEEDS], of_u[MOST_NEEDS];
    struct choice choice;
    struct join_part part; /* of each pair */
    uint16_t *picked;      /* sets that belong to it; NULL: all do */
    uint32_t picks;
    uint16_t cell[2][MOST_CELLS]; /* that are joined: of a quadrant, and of the other one */
    struct meeting meeting;
    struct halves west, east;
    uint64_t *mirrored[2]; /* the upper quadrants' placements: with rows x, and for even n with its complement */
    struct view upper_west, upper_east;
};

static struct view view_of(const struct join_plan *plan, enum quadrant quadrant, uint32_t rows)
{
    return plan->quadrants.list[quadrant].of_rows[rows];
}

/* Placements that are mirrored between two looks at the stop flag: a tenth of a millisecond. */
enum { POLL_MIRRORED = 1 << 13 };

/* Makes the placements of the quadrant above from those of the lower one; only some of them after *stop. */
static bool mirror(const struct join_plan *plan, uint32_t rows, const atomic_bool *stop, uint64_t **word,
                   struct view *view)
{
    const uint32_t count = plan->quadrants.placements[rows];
    *view = view_of(plan, LOWER_WEST, rows);
    free(*word);
    *word = malloc(count * sizeof **word + 1);
    if (!*word)
        return false;
    for (uint32_t i = 0; i < count && !(i % POLL_MIRRORED == 0 && stop_wanted(stop)); i++)
        (*word)[i] = quadrants_mirror_rows(&plan->quadrants, view->word[i]);
    view->word = *word;
    view->any = quadrants_mirror_rows(&plan->quadrants, view->any);
    return true;
}

static inline bool unwanted(const struct worker *worker)
{
    return stop_wanted(worker->meeting.stop);
}

struct sets {
    const uint16_t *set;
    uint32_t count;
};

/* Of some sets those that belong to a part: one of each `step`. */
static struct sets pick(struct worker *worker, const uint16_t *set, uint32_t count, uint32_t first, uint32_t step)
{
    if (step == 1)
        return (struct sets){set, count};
    uint16_t *const picked = worker->picked + worker->picks;
    const uint32_t before = worker->picks;
    for (uint32_t i = first; i < count; i += step)
        worker->picked[worker->picks++] = set[i];
    return (struct sets){picked, worker->picks - before};
}

static struct sets of_west(struct worker *worker, const uint16_t *set, uint32_t count)
{
    return pick(worker, set, count, worker->part.west, worker->part.wests);
}

static struct sets of_east(struct worker *worker, const uint16_t *set, uint32_t count)
{
    return pick(worker, set, count, worker->part.east, worker->part.easts);
}

/* Joins the first cells, until all are joined or many words are written. Returns how many; 0: memory is out. */
static uint32_t join_some(const struct join *join, struct join_cells a, struct join_cells b, uint32_t cells,
                          struct halves *halves, int group)
{
    enum { MANY_WORDS = 1 << 14 };
    const uint32_t *first = a.first + a.cell[0], *other = b.first + b.cell[0];
    const size_t most = (size_t)(first[1] - first[0]) * (other[1] - other[0]);
    const size_t room = most > MANY_WORDS ? most : MANY_WORDS;
    if (!halves_reserve(halves, group, room))
        return 0;
    uint64_t *const begin = halves_begin(halves, group) + halves->count[group], *end = begin;
    const size_t joined = join->pairs(a, b, cells, &end, begin + room);
    halves->count[group] += (size_t)(end - begin);
    return (uint32_t)joined;
}

/* All placements, in cells of so many columns each. */
static uint32_t placements_of(const struct quadrants *quadrants, const struct view *view, uint32_t columns)
{
    return view->first[quadrants_sets(quadrants, columns)];
}

/* Adds the halves whose one quadrant has one of these sets of columns and whose other one has the complement. */
static enum nq_status join(struct worker *worker, const struct view *one, const struct view *other, struct sets columns,
                           struct halves *halves, int group)
{
    const struct quadrants *quadrants = &worker->plan->quadrants;
    const uint32_t all = quadrants->sets - 1;
    if (!columns.count)
        return NQ_OK;
    const uint32_t size = (uint32_t)__builtin_popcount(columns.set[0]);
    const bool swap = placements_of(quadrants, one, size) > placements_of(quadrants, other, quadrants->m - size);
    for (uint32_t i = 0; i < columns.count; i++) {
        worker->cell[0][i] = quadrants->rank[columns.set[i]];
        worker->cell[1][i] = quadrants->rank[columns.set[i] ^ all];
    }
    halves->any |= one->any | other->any;
    for (uint32_t i = 0, joined; i < columns.count; i += joined) {
        const struct join_cells a = {one->word, one->first, worker->cell[0] + i},
                                b = {other->word, other->first, worker->cell[1] + i};
        if (unwanted(worker))
            return NQ_CANCELLED;
        joined = join_some(worker->meeting.join, swap ? b : a, swap ? a : b, columns.count - i, halves, group);
        if (!joined)
            return NQ_NOMEM;
    }
    return NQ_OK;
}

/* Group 0 has the sets that do not tie: choice->set begins with them. */
static enum nq_status join_groups(struct worker *worker, const struct view *one, const struct view *other,
                                  struct sets (*of)(struct worker *worker, const uint16_t *set, uint32_t count),
                                  struct halves *halves)
{
    const struct choice *choice = &worker->choice;
    halves->count[0] = halves->count[1] = halves->any = 0;
    const struct sets without = of(worker, choice->set, choice->below),
                      tied = of(worker, choice->set + choice->below, choice->count - choice->below);
    const enum nq_status status = join(worker, one, other, without, halves, 0);
    return status == NQ_OK ? join(worker, one, other, tied, halves, 1) : status;
}

static enum nq_status join_even(struct worker *worker, uint32_t u)
{
    const uint32_t all = worker->plan->quadrants.sets - 1;
    const struct view lower_west = view_of(worker->plan, LOWER_WEST, u ^ all);
    const struct view lower_east = view_of(worker->plan, LOWER_WEST, u);
    worker->east.mirrored = true;
    const enum nq_status status = join_groups(worker, &worker->upper_west, &lower_west, of_west, &worker->west);
    return status == NQ_OK ? join_groups(worker, &lower_east, &worker->upper_east, of_east, &worker->east) : status;
}

static enum nq_status join_odd(struct worker *worker, uint32_t u)
{
    const struct join_plan *plan = worker->plan;
    const struct quadrants *quadrants = &plan->quadrants;
    const struct choice *choice = &worker->choice;
    const uint32_t all = quadrants->sets - 1, size = (uint32_t)__builtin_popcount(u);
    const struct view lower_west = view_of(plan, LOWER_WEST, u ^ all);
    const struct view both = view_of(plan, LOWER_EAST_BOTH, u), centre = view_of(plan, LOWER_EAST_CENTRE, u);
    const struct sets chosen = of_east(worker, choice->set, choice->count);
    struct halves *east = &worker->east;
    east->count[0] = east->count[1] = east->any = 0;
    enum nq_status status = join_groups(worker, &worker->upper_west, &lower_west, of_west, &worker->west);
    if (status == NQ_OK)
        status = join(worker, &both, &worker->upper_east, chosen, east, 0);
    if (status == NQ_OK && size < quadrants->m) { /* the upper quadrant has one row for the middle column's queen */
        const struct view row = view_of(plan, LOWER_EAST_ROW, u);
        const struct view column = view_of(plan, UPPER_EAST_COLUMN, choice->x ^ all);
        const struct sets larger =
            of_east(worker, quadrants->by_size + quadrants->size_first[size + 1], quadrants_sets(quadrants, size + 1));
        status = join(worker, &row, &column, larger, east, 0);
    }
    if (status == NQ_OK && choice_centre_images(quadrants, choice->x, u))
        status = join(worker, &centre, &worker->upper_east, chosen, east, 1);
    return status;
}

/* ---- Without lists ---- */

/* Placements that are made when they are needed: with the rows x or u, or with the other rows. */
struct need {
    enum quadrant quadrant;
    bool others;
};

static const struct need even[] = {{LOWER_WEST, false}, {LOWER_WEST, true}}; /* of x and of u */
static const struct need odd_x[] = {{LOWER_WEST, false}, {UPPER_EAST, true}, {UPPER_EAST_COLUMN, true}};
static const struct need odd_u[MOST_NEEDS] = {
    {LOWER_WEST, true}, {LOWER_EAST_BOTH, false}, {LOWER_EAST_CENTRE, false}, {LOWER_EAST_ROW, false}};

/* Makes what a set needs, for view_of() to find; what was there before is lost. */
static enum nq_status provide(struct worker *worker, const struct need *need, size_t needs, uint32_t set,
                              struct quadrant_rows *made)
{
    const struct quadrants *quadrants = &worker->plan->quadrants;
    enum nq_status status = NQ_OK;
    for (size_t i = 0; i < needs && status == NQ_OK; i++) {
        const uint32_t rows = need[i].others ? set ^ (quadrants->sets - 1) : set;
        status = quadrants_find(quadrants, need[i].quadrant, rows, worker->meeting.stop, &made[i]);
        quadrants->list[need[i].quadrant].of_rows[rows] = (struct view){made[i].word, made[i].first, made[i].any};
    }
    return status;
}

static enum nq_status provide_for_x(struct worker *worker, uint32_t x)
{
    if (worker->plan != &worker->own)
        return NQ_OK;
    return worker->plan->quadrants.n % 2 ? provide(worker, odd_x, sizeof odd_x / sizeof *odd_x, x, worker->of_x)
                                         : provide(worker, even, sizeof even / sizeof *even, x, worker->of_x);
}

static enum nq_status provide_for_u(struct worker *worker, uint32_t u)
{
    if (worker->plan != &worker->own)
        return NQ_OK;
    return worker->plan->quadrants.n % 2 ? provide(worker, odd_u, sizeof odd_u / sizeof *odd_u, u, worker->of_u)
                                         : provide(worker, even, sizeof even / sizeof *even, u, worker->of_u);
}

/* If the shared plan has no lists, the worker's own copy has lists that are filled by provide(). */
static bool own_plan(struct worker *worker, const struct join_plan *plan)
{
    worker->plan = plan;
    if (plan->quadrants.list[LOWER_WEST].of_rows)
        return true;
    worker->own = *plan;
    worker->plan = &worker->own;
    for (int quadrant = 0; quadrant < quadrants_kinds(plan->quadrants.n); quadrant++) {
        struct quadrant_list *list = &worker->own.quadrants.list[quadrant];
        list->of_rows = calloc(plan->quadrants.sets, sizeof *list->of_rows);
        if (!list->of_rows)
            return false;
    }
    return true;
}

static void close_worker(struct worker *worker)
{
    for (int i = 0; i < MOST_NEEDS; i++) {
        quadrants_rows_close(&worker->of_x[i]);
        quadrants_rows_close(&worker->of_u[i]);
    }
    for (int quadrant = 0; quadrant < QUADRANTS; quadrant++)
        free(worker->own.quadrants.list[quadrant].of_rows);
    free(worker->picked);
    free(worker->mirrored[0]);
    free(worker->mirrored[1]);
    free(worker->west.word);
    free(worker->east.word);
    meeting_close(&worker->meeting);
    free(worker);
}

static struct worker *open_worker(const struct join_plan *plan, const struct kernel *kernel, const atomic_bool *stop)
{
    struct worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        return NULL;
    worker->meeting.join = join_of(kernel);
    worker->meeting.stop = stop;
    worker->meeting.bits = plan->quadrants.bits;
    if (own_plan(worker, plan))
        return worker;
    close_worker(worker);
    return NULL;
}

/* ---- Counting a pair ---- */

/* Prepares the worker for x. False: nothing is counted with it, or *status is what failed. */
static bool begin(struct worker *worker, uint32_t x, enum nq_status *status)
{
    const struct join_plan *plan = worker->plan;
    const uint32_t all = plan->quadrants.sets - 1;
    if (!choice_make(&plan->priorities, x, &worker->choice))
        return false;
    *status = provide_for_x(worker, x);
    if (*status != NQ_OK)
        return false;
    bool mirrored = mirror(plan, x, worker->meeting.stop, &worker->mirrored[0], &worker->upper_west);
    if (plan->quadrants.n % 2)
        worker->upper_east = view_of(plan, UPPER_EAST, x ^ all);
    else
        mirrored = mirrored && mirror(plan, x ^ all, worker->meeting.stop, &worker->mirrored[1], &worker->upper_east);
    *status = mirrored ? NQ_OK : NQ_NOMEM;
    return mirrored;
}

static enum nq_status count_pair(struct worker *worker, uint32_t u, struct unit_result *result)
{
    const struct join_plan *plan = worker->plan;
    const bool odd = plan->quadrants.n % 2;
    uint64_t found[2][2] = {{0}};
    worker->picks = 0;
    enum nq_status status = (odd ? join_odd : join_even)(worker, u);
    if (status != NQ_OK)
        return status;
    status = meeting_count(&worker->meeting, &worker->west, &worker->east, found);
    if (status != NQ_OK)
        return status;
    result->parts += choice_thirds(&plan->priorities, &worker->choice, u, found);
    result->nodes += worker->west.count[0] + worker->west.count[1] + worker->east.count[0] + worker->east.count[1];
    return status;
}

static enum nq_status count_piece(struct worker *worker, const struct join_piece *piece, struct unit_result *result)
{
    enum nq_status status = NQ_OK;
    *result = (struct unit_result){0};
    worker->part = piece->part;
    if (piece->part.wests * piece->part.easts > 1)
        worker->picked = malloc(MOST_PICKED * sizeof *worker->picked);
    if (piece->part.wests * piece->part.easts > 1 && !worker->picked)
        return NQ_NOMEM;
    uint32_t left = piece->range.pairs, at = piece->range.u;
    for (uint32_t x = piece->range.x; left && status == NQ_OK; x++, at = 0) {
        if (!begin(worker, x, &status))
            continue;
        for (; at < worker->choice.of_u && left && status == NQ_OK; at++, left--) {
            status = unwanted(worker) ? NQ_CANCELLED : NQ_OK;
            if (status == NQ_OK)
                status = provide_for_u(worker, worker->choice.set[at]);
            if (status == NQ_OK)
                status = count_pair(worker, worker->choice.set[at], result);
        }
    }
    return status;
}

/* NQ_OK, NQ_NOMEM, or NQ_CANCELLED within 100 ms of *stop (may be NULL). Safe on any number of threads at once. */
static enum nq_status join_pairs_count(const struct join_plan *plan, const struct join_piece *piece,
                                       const struct kernel *kernel, const atomic_bool *stop, struct unit_result *result)
{
    struct worker *worker = open_worker(plan, kernel, stop);
    if (!worker)
        return NQ_NOMEM;
    const enum nq_status status = count_piece(worker, piece, result);
    close_worker(worker);
    return status;
}

/* ---- The method ---- */

/* From JOIN_WORTH_N on this is faster than searching. Milliseconds of both for n = 14, 15, 16: AVX-512 1.8 and 1.3, 9.4
 * and 8.5, 20 and 47; AVX2 2.0 and 2.0, 11 and 13, 33 and 67; plain C 3.5 and 26, 21 and 173, 89 and 964. */
enum { JOIN_MIN_N = 8, JOIN_WORTH_N = 15, JOIN_MAX_N = 28 };

/* Instead of METHOD_SPLIT_WEIGHT: for n = 28 two minutes with AVX2, and what halves take in 4 GB. */
#define JOIN_SPLIT_WEIGHT 10e9

static void join_release(void *state)
{
    struct join_plan *plan = state;
    if (plan) {
        quadrants_close(&plan->quadrants);
        priorities_close(&plan->priorities);
        free(plan->unit);
        free(plan->head.weights);
    }
    free(plan);
}

static enum nq_status join_prepare(const struct filter *filter, const struct method_means *means,
                                   const atomic_bool *stop, void **out)
{
    struct join_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return NQ_NOMEM;
    plan->split_weight = means->split_weight > 0 ? means->split_weight : JOIN_SPLIT_WEIGHT;
    enum nq_status status = quadrants_open(&plan->quadrants, filter->n, means->threads, stop);
    if (status == NQ_OK && !priorities_open(&plan->priorities, &plan->quadrants))
        status = NQ_NOMEM;
    if (status == NQ_OK)
        status = join_plan_units(plan, stop);
    if (status == NQ_OK && quadrants_memory(filter->n) <= (double)means->tables)
        status = quadrants_list(&plan->quadrants, means->threads, stop);
    if (status == NQ_OK)
        *out = plan;
    else
        join_release(plan);
    return status;
}

static enum nq_status join_pieces(const void *state, size_t index, const atomic_bool *stop, size_t *pieces)
{
    const struct join_plan *plan = state;
    struct join_piece first;
    (void)stop; /* it takes some hundred microseconds */
    *pieces = join_plan_piece(plan, index, 0, &first);
    return NQ_OK;
}

/* A unit that is split is counted piece by piece, too: the halves of a whole pair might not fit. */
static enum nq_status join_count(const void *state, size_t index, size_t number, const struct kernel *kernel,
                                 const atomic_bool *stop, struct unit_result *result)
{
    const struct join_plan *plan = state;
    const bool whole = number == METHOD_WHOLE;
    struct join_piece piece;
    enum nq_status status;
    size_t at = whole ? 0 : number;
    if (at >= join_plan_piece(plan, index, at, &piece))
        return NQ_INVALID;
    *result = (struct unit_result){0};
    do {
        struct unit_result more = {0};
        status = join_pairs_count(plan, &piece, kernel, stop, &more);
        result->parts += more.parts;
        result->nodes += more.nodes;
        at++;
    } while (whole && status == NQ_OK && at < join_plan_piece(plan, index, at, &piece));
    return status;
}

static double weight_of(uint32_t n)
{
    static const double weights[JOIN_MAX_N + 1] = {
        [8] = 1.16e4,   [9] = 1.95e4,   [10] = 3.67e4,  [11] = 7.01e4,  [12] = 1.51e5,  [13] = 3.96e5,  [14] = 1.04e6,
        [15] = 4.93e6,  [16] = 2.00e7,  [17] = 1.32e8,  [18] = 6.62e8,  [19] = 4.72e9,  [20] = 2.74e10, [21] = 1.98e11,
        [22] = 1.30e12, [23] = 9.42e12, [24] = 6.91e13, [25] = 5.04e14, [26] = 4.07e15, [27] = 2.97e16, [28] = 2.6e17,
    };
    return weights[n];
}

/* How many placements of the search take as long as one of a board's weight, about: fewer while what a pair needs is in
 * the caches and samples tell halves apart, more for the largest boards. From the samples in docs/join.md, of AVX-512
 * on Zen 5, by 0.98 ns for a placement of the search beside the same load. */
static double slowness_of(uint32_t n)
{
    enum { FIRST = 20 };
    static const double slowness[] = {0.5, 0.48, 0.46, 0.58, 0.62, 0.72, 0.85, 1.3, 1.9};
    return n < FIRST ? 1 : slowness[n - FIRST];
}

static double join_cost(const struct filter *filter, size_t together, const atomic_bool *stop)
{
    (void)together, (void)stop; /* tables have it */
    return weight_of(filter->n) * slowness_of(filter->n);
}

/* The halves of the heaviest pair, or from n = 27 on of the heaviest part of one, both sides together. */
static const double most_halves[JOIN_MAX_N + 1] = {
    [8] = 15,      [9] = 16,      [10] = 46,     [11] = 68,     [12] = 181,    [13] = 221,    [14] = 687,
    [15] = 1171,   [16] = 3767,   [17] = 6282,   [18] = 18656,  [19] = 54139,  [20] = 114532, [21] = 220438,
    [22] = 607116, [23] = 2.06e6, [24] = 5.97e6, [25] = 1.28e7, [26] = 3.84e7, [27] = 7.0e7,  [28] = 1.6e8,
};

/* A thread has the halves of one pair twice, in rooms of up to twice the size, and without lists the placements that
 * the pair needs. */
static double memory_of_thread(uint32_t n, bool listed)
{
    enum { OF_A_HALF = 40 };
    const double bytes = quadrants_most(n) * 2 * sizeof(uint64_t) + most_halves[n] * OF_A_HALF;
    return listed ? bytes : bytes + quadrants_most_of_pair(n) * (sizeof(uint64_t) + 2 * sizeof(struct quadrant_found));
}

/* The same for large boards: of large rooms only what is used is memory, placements are found for one quadrant at a
 * time, and where one set of rows has most of them, its complement has next to none. */
static double memory_of_large(uint32_t n)
{
    enum { OF_A_HALF = 16 };
    const double most = quadrants_most(n), words = n % 2 ? 2 * most + quadrants_most_of_pair(n) : 3.1 * most;
    return words * sizeof(uint64_t) + quadrants_most_at_once(n) * sizeof(struct quadrant_found) +
           most_halves[n] * OF_A_HALF;
}

static struct method_memory join_memory(const struct filter *filter, size_t tables)
{
    enum { OF_A_CLASS = 32, LEAST_EACH = 1 << 20, SLACK = 32, LARGE_N = 26 };
    const uint32_t n = filter->n, classes = n > 23 ? UINT32_C(1) << (2 * n - 34) : 1U << 14;
    const double sets = (double)(UINT32_C(1) << n / 2), lists = quadrants_memory(n);
    const double weight = weight_of(n), units = 1.05 * weight / join_plan_unit_weight(weight);
    const bool listed = lists <= (double)tables;
    double room = GROW_FIRST;
    while (room < units)
        room *= 2;
    return (struct method_memory){
        .shared = sizeof(struct join_plan) + (n % 2 ? 8 : 12) * (sets + SLACK) +
                  room * (sizeof(struct join_unit) + sizeof(double)) + (listed ? lists : 0),
        .each = LEAST_EACH + (double)classes * OF_A_CLASS +
                (n < LARGE_N ? memory_of_thread(n, listed) : memory_of_large(n)) +
                (listed ? 0 : quadrants_kinds(n) * sets * sizeof(struct view)),
    };
}

/* Only boards without excluded or placed squares. */
static bool join_suits(const struct filter *filter)
{
    return filter->n >= JOIN_WORTH_N && filter->n <= JOIN_MAX_N && filter_whole(filter);
}

const struct method method_join = {
    .name = "join",
    .summary = "four quadrants, joined to halves and these to boards, each solution counted with weight 8/k",
    .source = "after E. Kluev, N-Queens-Count-Sol (2022), who refers to deepgreen, NQueens",
    .revision = 3,
    .max_n = JOIN_MAX_N,
    .suits = join_suits,
    .symmetry = SYMMETRY_ANY,
    .prepare = join_prepare,
    .count = join_count,
    .pieces = join_pieces,
    .release = join_release,
    .cost = join_cost,
    .memory = join_memory,
};
