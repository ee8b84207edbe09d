/* method_rule_orbits.c - counting the solutions by any rule that some motions of the board leave unchanged, by placing
 * whole orbits. A turn is its own mirror image, or its inverse is: the first queen in the left half stands for two
 * solutions, if the board is its own reflection. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/stop.h"
#include "board/query.h"
#include "count/methods/method.h"
#include "rules/divisor.h"
#include "rules/rule.h"

/* ---- Searching for the solutions that some motions of the board leave unchanged, orbit by orbit ---- */

/* A placement puts queens on all squares to which the motions carry one. Rows that every orbit has together make a
 * step; the queen of a step's first row says which orbit is placed. */

/* What is constant in a search. Steps with one square come first, then those near the middle. */
struct rule_orbits {
    uint32_t n, steps;
    bool none; /* a row has no orbit, or rows are left over, or a theorem says that there are no solutions */
    uint8_t row[RULE_ORBITS_MAX_N];   /* by step: its first row */
    uint64_t free[RULE_ORBITS_MAX_N]; /* by step: its squares that have an orbit */
    uint64_t *covers;                 /* by step and column: the steps that its orbit fills, as bits */
    uint64_t *attacks; /* by step, column and other step: the squares there whose orbits cannot stand beside it */
};

/* A partial placement. All zero but for what rule_orbits_root() sets. */
struct rule_orbits_state {
    uint64_t left;                    /* steps, as bits */
    uint64_t free[RULE_ORBITS_MAX_N]; /* by step that is left */
};

/* The step that is filled next, of those that are left. */
static inline uint32_t rule_orbits_next(const struct rule_orbits_state *state)
{
    return (uint32_t)__builtin_ctzll(state->left);
}

/* What a search has found. */
struct rule_orbits_tally {
    uint64_t solutions, nodes; /* nodes: orbits placed */
};

/* ---- Orbits ---- */

/* The squares of an orbit: no more than one a row can have queens. */
struct orbit {
    uint32_t count;
    uint8_t row[RULE_ORBITS_MAX_N], column[RULE_ORBITS_MAX_N];
};

static bool has(const struct orbit *orbit, uint32_t row, uint32_t column)
{
    for (uint32_t i = 0; i < orbit->count; i++)
        if (orbit->row[i] == row && orbit->column[i] == column)
            return true;
    return false;
}

/* Whether a queen can join those of an orbit. */
static bool joins(const struct filter *filter, const struct rule *rule, const struct orbit *orbit, uint32_t row,
                  uint32_t column)
{
    for (uint32_t i = 0; i < orbit->count; i++)
        if (rule_attack(rule, filter->n, orbit->row[i], orbit->column[i], row, column))
            return false;
    return filter_allows(filter, row, column);
}

/* The squares to which the motions carry one. False: not all of them can have queens together. */
static bool orbit_of(const struct filter *filter, uint32_t row, uint32_t column, struct orbit *orbit)
{
    const struct rule *rule = filter->rule;
    orbit->count = 0;
    if (!filter_allows(filter, row, column))
        return false;
    orbit->row[0] = (uint8_t)row;
    orbit->column[0] = (uint8_t)column;
    orbit->count = 1;
    for (uint32_t at = 0; at < orbit->count; at++) {
        for (size_t i = 0; i < FILTER_MOTIONS; i++) {
            uint32_t to_row = orbit->row[at], to_column = orbit->column[at];
            motion_apply(&filter->fixed[i], filter->n, &to_row, &to_column);
            if (has(orbit, to_row, to_column))
                continue;
            if (!joins(filter, rule, orbit, to_row, to_column))
                return false;
            orbit->row[orbit->count] = (uint8_t)to_row; /* another row than the others: there is room */
            orbit->column[orbit->count++] = (uint8_t)to_column;
        }
    }
    return true;
}

bool rule_orbits_possible(const struct filter *filter)
{
    struct orbit orbit;
    for (uint32_t column = 0; column < filter->n && !filter_impossible(filter); column++)
        if (orbit_of(filter, 0, column, &orbit))
            return true;
    return filter->n == 0;
}

/* ---- The board ---- */

/* Every square's orbit, row by row; of none: an empty one. */
static struct orbit *list_orbits(const struct filter *filter)
{
    const uint32_t n = filter->n;
    struct orbit *list = calloc((size_t)n * n + 1, sizeof *list);
    for (uint32_t i = 0; list && i < n * n; i++)
        if (!orbit_of(filter, i / n, i % n, &list[i]))
            list[i].count = 0;
    return list;
}

/* The columns of a row that have orbits, and the rows that all of these have. */
static uint64_t row_orbits(const struct orbit *list, uint32_t n, uint32_t row, uint64_t *rows)
{
    uint64_t columns = 0;
    *rows = ~UINT64_C(0);
    for (uint32_t column = 0; column < n; column++) {
        const struct orbit *orbit = &list[row * n + column];
        uint64_t own = 0;
        for (uint32_t i = 0; i < orbit->count; i++)
            own |= UINT64_C(1) << orbit->row[i];
        if (own) {
            columns |= UINT64_C(1) << column;
            *rows &= own;
        }
    }
    return columns;
}

/* Makes rows steps, unless an earlier step has them: those with one square if `forced`, or the others. */
static void add_steps(struct rule_orbits *orbits, const struct orbit *list, bool forced, uint64_t *had)
{
    const uint32_t n = orbits->n;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t middle = (n - 1) / 2, row = i % 2 ? middle + (i + 1) / 2 : middle - i / 2;
        uint64_t rows;
        const uint64_t columns = row_orbits(list, n, row, &rows);
        orbits->none |= !columns;
        if ((*had >> row & 1) || forced != !(columns & (columns - 1)))
            continue;
        orbits->row[orbits->steps] = (uint8_t)row;
        orbits->free[orbits->steps++] = columns;
        *had |= rows;
    }
}

/* All squares that the queens of an orbit attack, by row. */
static void attacked_by(const struct orbit *orbit, const uint64_t *attacks, uint32_t n, uint64_t *rows)
{
    memset(rows, 0, n * sizeof *rows);
    for (uint32_t i = 0; i < orbit->count; i++) {
        const uint64_t *own = attacks_of(attacks, n, orbit->row[i], orbit->column[i]);
        for (uint32_t row = 0; row < n; row++)
            rows[row] |= own[row];
    }
}

static bool meets(const struct orbit *orbit, const uint64_t *rows)
{
    for (uint32_t i = 0; i < orbit->count; i++)
        if (rows[orbit->row[i]] >> orbit->column[i] & 1)
            return true;
    return false;
}

/* Fills in the masks of one orbit. */
static void note(struct rule_orbits *orbits, const struct orbit *list, uint32_t step, uint32_t column,
                 const uint64_t *attacks)
{
    const uint32_t n = orbits->n;
    const struct orbit *orbit = &list[orbits->row[step] * n + column];
    uint64_t *covers = &orbits->covers[step * n + column], rows[RULE_ORBITS_MAX_N];
    uint64_t *attacked = &orbits->attacks[((size_t)step * n + column) * orbits->steps];
    attacked_by(orbit, attacks, n, rows);
    for (uint32_t other = 0; other < orbits->steps; other++) {
        const struct orbit *others = &list[(size_t)orbits->row[other] * n];
        for (uint64_t rest = orbits->free[other]; rest; rest &= rest - 1)
            if (meets(&others[__builtin_ctzll(rest)], rows))
                attacked[other] |= rest & -rest;
        for (uint32_t i = 0; i < orbit->count; i++)
            *covers |= (uint64_t)(orbit->row[i] == orbits->row[other]) << other;
    }
}

/* Whether the steps beside those with one square cannot be shared out: all orbits there fill a multiple of some number,
 * as those of a quarter turn fill two. */
static bool is_odd(const struct rule_orbits *orbits)
{
    uint64_t forced = 0;
    uint32_t common = 0;
    for (uint32_t step = 0; step < orbits->steps; step++) {
        const uint64_t free = orbits->free[step];
        for (uint64_t rest = free; rest; rest &= rest - 1) {
            const uint64_t covers = orbits->covers[step * orbits->n + (uint32_t)__builtin_ctzll(rest)];
            if (free & (free - 1))
                common = common_divisor(common, (uint32_t)__builtin_popcountll(covers));
            else
                forced |= covers;
        }
    }
    return common && (orbits->steps - (uint32_t)__builtin_popcountll(forced)) % common;
}

static void rule_orbits_end(struct rule_orbits *orbits)
{
    free(orbits->covers);
    free(orbits->attacks);
    *orbits = (struct rule_orbits){0};
}

static enum nq_status fill(struct rule_orbits *orbits, const struct orbit *list, const uint64_t *attacks)
{
    const size_t squares = (size_t)orbits->steps * orbits->n;
    orbits->covers = calloc(squares + 1, sizeof *orbits->covers);
    orbits->attacks = calloc(squares * orbits->steps + 1, sizeof *orbits->attacks);
    if (!orbits->covers || !orbits->attacks) {
        rule_orbits_end(orbits);
        return NQ_NOMEM;
    }
    for (uint32_t step = 0; step < orbits->steps && !orbits->none; step++)
        for (uint64_t rest = orbits->free[step]; rest; rest &= rest - 1)
            note(orbits, list, step, (uint32_t)__builtin_ctzll(rest), attacks);
    orbits->none |= is_odd(orbits);
    return NQ_OK;
}

/* NQ_OK, or NQ_NOMEM and there is nothing to free. n <= RULE_ORBITS_MAX_N. */
static enum nq_status rule_orbits_begin(const struct filter *filter, struct rule_orbits *orbits)
{
    uint64_t had = 0;
    struct orbit *list = list_orbits(filter);
    uint64_t *attacks = rule_attacks(filter->rule, filter->n);
    enum nq_status status = list && attacks ? NQ_OK : NQ_NOMEM;
    *orbits = (struct rule_orbits){.n = filter->n, .none = filter_impossible(filter)};
    if (status == NQ_OK) {
        add_steps(orbits, list, true, &had);
        add_steps(orbits, list, false, &had);
        status = fill(orbits, list, attacks);
    }
    free(list);
    free(attacks);
    return status;
}

/* ---- The search ---- */

/* Placements, and walks, between two looks at the stop flag: some tens of microseconds. */
enum { POLL_NODES = 1 << 12, POLL_WALKS = 16 };

struct search {
    const struct rule_orbits *orbits;
    const atomic_bool *stop;
    struct rule_orbits_tally *tally;
    uint64_t poll; /* nodes at which the flag is looked at next */
};

static struct rule_orbits_state rule_orbits_root(const struct rule_orbits *orbits)
{
    struct rule_orbits_state state = {.left = orbits->steps ? ~UINT64_C(0) >> (64 - orbits->steps) : 0};
    memcpy(state.free, orbits->free, sizeof state.free);
    return state;
}

/* With one more orbit, that of a free square of the next step. */
static void rule_orbits_place(const struct rule_orbits *orbits, const struct rule_orbits_state *state, uint32_t column,
                              struct rule_orbits_state *next)
{
    const size_t square = (size_t)rule_orbits_next(state) * orbits->n + column;
    const uint64_t *attacks = &orbits->attacks[square * orbits->steps];
    next->left = state->left & ~orbits->covers[square];
    for (uint32_t step = 0; step < orbits->steps; step++)
        next->free[step] = state->free[step] & ~attacks[step];
}

/* False: it was stopped. */
static bool descend(struct search *search, const struct rule_orbits_state *state)
{
    struct rule_orbits_state next;
    for (uint64_t rest = state->free[rule_orbits_next(state)]; rest; rest &= rest - 1) {
        search->tally->nodes++;
        rule_orbits_place(search->orbits, state, (uint32_t)__builtin_ctzll(rest), &next);
        if (!next.left)
            search->tally->solutions++;
        else if (next.free[rule_orbits_next(&next)] && !descend(search, &next))
            return false;
    }
    if (search->tally->nodes < search->poll)
        return true;
    search->poll = search->tally->nodes + POLL_NODES;
    return !stop_wanted(search->stop);
}

/* Adds what lies below a placement. NQ_OK, or NQ_CANCELLED within a millisecond of *stop (may be NULL). */
static enum nq_status rule_orbits_count(const struct rule_orbits *orbits, const struct rule_orbits_state *state,
                                        const atomic_bool *stop, struct rule_orbits_tally *tally)
{
    struct search search = {.orbits = orbits, .stop = stop, .tally = tally, .poll = tally->nodes};
    if (orbits->none || !state->left) {
        tally->solutions += !orbits->none;
        return NQ_OK;
    }
    return descend(&search, state) ? NQ_OK : NQ_CANCELLED;
}

/* One descent: the orbits placed that it stands for. */
static double walk(const struct rule_orbits *orbits, struct rule_orbits_state state, struct random *random)
{
    double nodes = 0, weight = 1;
    while (state.left) {
        uint64_t free = state.free[rule_orbits_next(&state)];
        const uint32_t choices = (uint32_t)__builtin_popcountll(free);
        if (!choices)
            break;
        weight *= choices;
        nodes += weight;
        for (uint32_t skip = random_below(random, choices); skip; skip--)
            free &= free - 1;
        rule_orbits_place(orbits, &state, (uint32_t)__builtin_ctzll(free), &state);
    }
    return nodes;
}

/* About how many orbits that places: the mean of so many random descents (Knuth, 1975). */
static double rule_orbits_walk(const struct rule_orbits *orbits, const struct rule_orbits_state *state, unsigned walks,
                               uint64_t seed, const atomic_bool *stop)
{
    double nodes = 0;
    for (unsigned i = 0; i < walks && !orbits->none; i++) {
        if (i % POLL_WALKS == 0 && stop_wanted(stop))
            break;
        struct random random = random_begin(seed, i);
        nodes += walk(orbits, *state, &random);
    }
    return walks ? nodes / walks : 0;
}

/* ---- The method ---- */

/* A unit is split while it is estimated above this many orbits placed: 0.1 to 0.2 seconds. There are not many more than
 * this. */
#define UNIT_NODES 16e6
enum { MOST_UNITS = 20000 };
/* Random descents: for the weight of a unit, and for the cost of it all. */
enum { WALKS = 32, COST_WALKS = 400, LEAST_COST_WALKS = 10 };
/* How many placements of the search method with AVX2 take as long as one here. */
#define NODE_WEIGHT 6.0

struct unit {
    uint8_t columns[RULE_ORBITS_MAX_N]; /* of the orbits that it begins with */
    uint8_t length;
    uint8_t times; /* how often its solutions count */
};

struct plan {
    struct method_plan head;
    struct rule_orbits orbits;
    bool halved;
    struct unit *units;
};

static bool orbits_suit(const struct filter *filter)
{
    return filter_fixed(filter);
}

/* Whether the mirror image of a solution is one, too. */
static bool is_halved(const struct filter *filter)
{
    for (size_t i = 0; i < FILTER_MOTIONS; i++)
        if (filter->fixed[i].symmetry > 3 || filter->fixed[i].down || filter->fixed[i].right)
            return false;
    return filter_symmetries(filter) >> SYMMETRY_REFLECTION & 1;
}

/* Whether a unit, beginning with orbits that are their own mirror images, does not say yet which half it is of. */
static bool is_undecided(const struct plan *plan, const struct unit *unit)
{
    for (uint32_t i = 0; i < unit->length; i++)
        if (2 * unit->columns[i] + 1U != plan->orbits.n)
            return false;
    return plan->halved;
}

/* How often solutions count that have one more orbit. */
static unsigned times_of(const struct plan *plan, const struct unit *unit, uint32_t column)
{
    const uint32_t mirrored = plan->orbits.n - 1 - column;
    if (!is_undecided(plan, unit) || column == mirrored)
        return unit->times;
    return column < mirrored ? 2 : 0;
}

static double weigh(const struct plan *plan, const struct unit *unit, const struct rule_orbits_state *state,
                    unsigned walks, const atomic_bool *stop)
{
    uint64_t seed = unit->length;
    for (uint32_t i = 0; i < unit->length; i++)
        seed = seed * FILTER_MAX_N + unit->columns[i];
    return (rule_orbits_walk(&plan->orbits, state, walks, seed, stop) + 1) * NODE_WEIGHT;
}

static enum nq_status add_unit(struct plan *plan, const struct unit *unit, double weight)
{
    struct unit *units = method_plan_add(&plan->head, weight, plan->units, sizeof *units);
    if (!units)
        return NQ_NOMEM;
    plan->units = units;
    plan->units[plan->head.units - 1] = *unit;
    return NQ_OK;
}

/* Adds units for everything below one, none above `most` in weight. */
static enum nq_status split(struct plan *plan, struct unit unit, const struct rule_orbits_state *state, double most,
                            const atomic_bool *stop)
{
    enum nq_status status = NQ_OK;
    const double weight = weigh(plan, &unit, state, WALKS, stop);
    if (stop_wanted(stop))
        return NQ_CANCELLED;
    if (!state->left || (weight <= most && !is_undecided(plan, &unit)))
        return add_unit(plan, &unit, weight);
    for (uint64_t rest = state->free[rule_orbits_next(state)]; rest && status == NQ_OK; rest &= rest - 1) {
        const uint32_t column = (uint32_t)__builtin_ctzll(rest);
        struct unit more = unit;
        struct rule_orbits_state below;
        more.times = (uint8_t)times_of(plan, &unit, column);
        more.columns[more.length++] = (uint8_t)column;
        rule_orbits_place(&plan->orbits, state, column, &below);
        if (more.times && (!below.left || below.free[rule_orbits_next(&below)]))
            status = split(plan, more, &below, most, stop);
    }
    return status;
}

static void orbits_release(void *state)
{
    struct plan *plan = state;
    if (plan) {
        rule_orbits_end(&plan->orbits);
        free(plan->units);
        free(plan->head.weights);
    }
    free(plan);
}

static enum nq_status orbits_prepare(const struct filter *filter, const struct method_means *means,
                                     const atomic_bool *stop, void **out)
{
    struct plan *plan = calloc(1, sizeof *plan);
    (void)means;
    enum nq_status status = plan ? rule_orbits_begin(filter, &plan->orbits) : NQ_NOMEM;
    if (status == NQ_OK && !plan->orbits.none) {
        const struct unit whole = {.times = 1};
        const struct rule_orbits_state root = rule_orbits_root(&plan->orbits);
        plan->halved = is_halved(filter);
        const double even = weigh(plan, &whole, &root, WALKS, stop) / MOST_UNITS;
        status = split(plan, whole, &root, even > UNIT_NODES * NODE_WEIGHT ? even : UNIT_NODES * NODE_WEIGHT, stop);
    }
    if (status == NQ_OK)
        *out = plan;
    else
        orbits_release(plan);
    return status;
}

static enum nq_status orbits_count(const void *state, size_t index, size_t piece, const struct kernel *kernel,
                                   const atomic_bool *stop, struct unit_result *result)
{
    (void)piece; /* it is never split */
    const struct plan *plan = state;
    const struct unit *unit = &plan->units[index];
    struct rule_orbits_state at = rule_orbits_root(&plan->orbits);
    struct rule_orbits_tally tally = {0};
    (void)kernel;
    for (uint32_t i = 0; i < unit->length; i++)
        rule_orbits_place(&plan->orbits, &at, unit->columns[i], &at);
    const enum nq_status status = rule_orbits_count(&plan->orbits, &at, stop, &tally);
    result->nodes = tally.nodes;
    result->parts = (nq_wide)tally.solutions * unit->times * METHOD_THIRDS;
    return status;
}

static double orbits_cost(const struct filter *filter, size_t together, const atomic_bool *stop)
{
    struct plan plan = {0};
    const struct unit whole = {0};
    if (rule_orbits_begin(filter, &plan.orbits) != NQ_OK)
        return 0; /* it is asked again by who prepares it */
    const struct rule_orbits_state root = rule_orbits_root(&plan.orbits);
    const double weight =
        plan.orbits.none ? 0 : weigh(&plan, &whole, &root, method_walks(COST_WALKS, together, LEAST_COST_WALKS), stop);
    rule_orbits_end(&plan.orbits);
    return is_halved(filter) ? weight / 2 : weight;
}

const struct method method_rule_orbits = {
    .name = "rule-orbits",
    .summary = "solutions by any rule that motions of the board leave unchanged: all queens of an orbit at once",
    .source = "orbit by orbit, as in counting by Burnside's lemma; checked against OEIS A352661, A053994",
    .revision = 1,
    .max_n = RULE_ORBITS_MAX_N,
    .suits = orbits_suit,
    .symmetry = SYMMETRY_ANY,
    .prepare = orbits_prepare,
    .count = orbits_count,
    .release = orbits_release,
    .cost = orbits_cost,
    .node_seconds = ORBIT_SECONDS,
};
