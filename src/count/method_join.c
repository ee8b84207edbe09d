/* method_join.c - counting by joining quadrants: all placements of a quadrant are listed once, put together to west and
 * east halves, and the pairs of halves that go together are counted. It takes time in proportion to the halves and
 * pairs rather than to the search tree, and so grows with the number of solutions.
 *
 * A unit of work is a range of pairs (x, u). With x the rows of the upper west quadrant that have queens, u those of
 * the lower east one (rows and columns are counted from the border inwards, in every quadrant), and both of one size,
 * the other two have the complements, for every row has one queen. Likewise y and v, the columns of these two
 * quadrants. So for given x and u the west halves are those of all y, the east halves those of all v, and any two that
 * share no diagonal are a solution.
 *
 * After E. Kluev, N-Queens-Count-Sol (2013), who cuts the board likewise. */
#include <math.h>
#include <stdlib.h>

#include "count/choice.h"
#include "count/meeting.h"
#include "count/method.h"
#include "count/quadrants.h"

/* From JOIN_WORTH_N on it is faster than searching. Milliseconds of both for n = 14, 15, 16: AVX-512 1.8 and 1.3, 9.4
 * and 8.5, 20 and 47; AVX2 2.0 and 2.0, 11 and 13, 33 and 67; plain C 3.5 and 26, 21 and 173, 89 and 964. */
enum { JOIN_MIN_N = 8, JOIN_WORTH_N = 15, JOIN_MAX_N = 27 };

/* Weights are nanoseconds with AVX-512 on Zen 4, which are 1.3 placements of the search each: near enough for telling
 * how far a count is. A unit should have this much; smaller boards are cut into FEW_UNITS, larger ones into no more
 * than MANY_UNITS. */
#define UNIT_WEIGHT 40e6
enum { FEW_UNITS = 64, MANY_UNITS = 20000, FIRST_UNITS = 128 };

struct unit {
    uint32_t x, u; /* where it begins: a set, and the place of a set in struct choice */
    uint32_t pairs;
    double weight;
};

struct plan {
    struct quadrants quadrants;
    struct priorities priorities;
    struct unit *unit;
    size_t units, room;
};

/* ---- Joining ---- */

/* So many quadrants' placements does a set need, x or u. */
enum { MOST_NEEDS = 4 };

struct worker {
    const struct plan *plan;
    struct plan own; /* where the plan has no lists: one whose lists have what the pair at hand needs, which is here */
    struct quadrant_rows of_x[MOST_NEEDS], of_u[MOST_NEEDS];
    struct choice choice;
    struct meeting meeting;
    struct halves west, east;
    uint64_t *mirrored[2]; /* the upper quadrants' placements: with rows x, and for even n with its complement */
    struct view upper_west, upper_east;
};

static struct view view_of(const struct plan *plan, enum quadrant quadrant, uint32_t rows)
{
    return plan->quadrants.list[quadrant].of_rows[rows];
}

/* The same in the quadrant above. */
static bool mirror(const struct plan *plan, uint32_t rows, uint64_t **word, struct view *view)
{
    const uint32_t count = plan->quadrants.placements[rows];
    *view = view_of(plan, LOWER_WEST, rows);
    free(*word);
    *word = malloc(count * sizeof **word + 1);
    if (!*word)
        return false;
    for (uint32_t i = 0; i < count; i++)
        (*word)[i] = quadrants_mirror_rows(&plan->quadrants, view->word[i]);
    view->word = *word;
    return true;
}

/* The placements with a set of columns, by its rank. */
static inline const uint64_t *cell_of(const struct view *view, uint32_t rank, uint32_t *count)
{
    *count = view->first[rank + 1] - view->first[rank];
    return view->word + view->first[rank];
}

/* Asks for the first two cache lines of a cell, which are nearly all of most cells: 3 % faster from n = 18 on. */
static inline void fetch_cell(const struct view *view, uint32_t rank)
{
    uint32_t count;
    const uint64_t *word = cell_of(view, rank, &count);
    __builtin_prefetch(word);
    __builtin_prefetch(word + 8);
}

static inline bool unwanted(const struct worker *worker)
{
    return stop_wanted(worker->meeting.stop);
}

/* Adds the halves whose one quadrant has one of these sets of columns and whose other one has the complement. */
static enum nq_status join(struct worker *worker, const struct view *one, const struct view *other,
                           const uint16_t *columns, uint32_t count, struct halves *halves, int group)
{
    enum { AHEAD = 2 };
    const uint16_t *rank = worker->plan->quadrants.rank;
    const uint32_t all = worker->plan->quadrants.sets - 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a_count, b_count;
        const uint64_t *a = cell_of(one, rank[columns[i]], &a_count);
        const uint64_t *b = cell_of(other, rank[columns[i] ^ all], &b_count);
        if (i + AHEAD < count) {
            fetch_cell(one, rank[columns[i + AHEAD]]);
            fetch_cell(other, rank[columns[i + AHEAD] ^ all]);
        }
        if (!a_count || !b_count)
            continue;
        if (unwanted(worker))
            return NQ_CANCELLED;
        if (!halves_reserve(halves, group, (size_t)a_count * b_count))
            return NQ_NOMEM;
        halves->count[group] +=
            worker->meeting.join->pairs(a, a_count, b, b_count, halves_begin(halves, group) + halves->count[group]);
    }
    return NQ_OK;
}

/* The first ones are those that do not tie. */
static enum nq_status join_groups(struct worker *worker, const struct view *one, const struct view *other,
                                  struct halves *halves)
{
    const struct choice *choice = &worker->choice;
    halves->count[0] = halves->count[1] = 0;
    const enum nq_status status = join(worker, one, other, choice->set, choice->below, halves, 0);
    if (status != NQ_OK)
        return status;
    return join(worker, one, other, choice->set + choice->below, choice->count - choice->below, halves, 1);
}

static enum nq_status join_even(struct worker *worker, uint32_t u)
{
    const uint32_t all = worker->plan->quadrants.sets - 1;
    const struct view lower_west = view_of(worker->plan, LOWER_WEST, u ^ all);
    const struct view lower_east = view_of(worker->plan, LOWER_WEST, u);
    worker->east.mirrored = true;
    const enum nq_status status = join_groups(worker, &worker->upper_west, &lower_west, &worker->west);
    return status == NQ_OK ? join_groups(worker, &lower_east, &worker->upper_east, &worker->east) : status;
}

static enum nq_status join_odd(struct worker *worker, uint32_t u)
{
    const struct plan *plan = worker->plan;
    const struct quadrants *quadrants = &plan->quadrants;
    const struct choice *choice = &worker->choice;
    const uint32_t all = quadrants->sets - 1, size = (uint32_t)__builtin_popcount(u);
    const struct view lower_west = view_of(plan, LOWER_WEST, u ^ all);
    const struct view both = view_of(plan, LOWER_EAST_BOTH, u), centre = view_of(plan, LOWER_EAST_CENTRE, u);
    struct halves *east = &worker->east;
    east->count[0] = east->count[1] = 0;
    enum nq_status status = join_groups(worker, &worker->upper_west, &lower_west, &worker->west);
    if (status == NQ_OK)
        status = join(worker, &both, &worker->upper_east, choice->set, choice->count, east, 0);
    if (status == NQ_OK && size < quadrants->m) { /* the upper quadrant has one row for the middle column's queen */
        const struct view row = view_of(plan, LOWER_EAST_ROW, u);
        const struct view column = view_of(plan, UPPER_EAST_COLUMN, choice->x ^ all);
        status = join(worker, &row, &column, quadrants->by_size + quadrants->size_first[size + 1],
                      quadrants_sets(quadrants, size + 1), east, 0);
    }
    if (status == NQ_OK && choice_centre_images(quadrants, choice->x, u))
        status = join(worker, &centre, &worker->upper_east, choice->set, choice->count, east, 1);
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
        quadrants->list[need[i].quadrant].of_rows[rows] = (struct view){made[i].word, made[i].first};
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

/* A plan with lists that are empty as yet, if the shared one has none. */
static bool own_plan(struct worker *worker, const struct plan *plan)
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
    free(worker->mirrored[0]);
    free(worker->mirrored[1]);
    free(worker->west.word);
    free(worker->east.word);
    meeting_close(&worker->meeting);
    free(worker);
}

static struct worker *open_worker(const struct plan *plan, const struct kernel *kernel, const atomic_bool *stop)
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

/* Makes x the worker's, if anything is counted with it. */
static bool begin(struct worker *worker, uint32_t x, enum nq_status *status)
{
    const struct plan *plan = worker->plan;
    const uint32_t all = plan->quadrants.sets - 1;
    if (!choice_make(&plan->priorities, x, &worker->choice))
        return false;
    *status = provide_for_x(worker, x);
    if (*status != NQ_OK)
        return false;
    bool mirrored = mirror(plan, x, &worker->mirrored[0], &worker->upper_west);
    if (plan->quadrants.n % 2)
        worker->upper_east = view_of(plan, UPPER_EAST, x ^ all);
    else
        mirrored = mirrored && mirror(plan, x ^ all, &worker->mirrored[1], &worker->upper_east);
    *status = mirrored ? NQ_OK : NQ_NOMEM;
    return mirrored;
}

static enum nq_status count_pair(struct worker *worker, uint32_t u, struct unit_result *result)
{
    const struct plan *plan = worker->plan;
    const bool odd = plan->quadrants.n % 2;
    uint64_t found[2][2] = {{0}};
    enum nq_status status = (odd ? join_odd : join_even)(worker, u);
    if (status != NQ_OK)
        return status;
    status = meeting_count(&worker->meeting, &worker->west, &worker->east, found);
    if (status != NQ_OK)
        return status;
    result->parts += choice_parts(&plan->priorities, &worker->choice, u, found);
    result->nodes += worker->west.count[0] + worker->west.count[1] + worker->east.count[0] + worker->east.count[1];
    return status;
}

static enum nq_status count_unit(struct worker *worker, const struct unit *unit, struct unit_result *result)
{
    enum nq_status status = NQ_OK;
    *result = (struct unit_result){0};
    uint32_t left = unit->pairs, at = unit->u;
    for (uint32_t x = unit->x; left && status == NQ_OK; x++, at = 0) {
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

static enum nq_status count(const struct plan *plan, const struct unit *unit, const struct kernel *kernel,
                            const atomic_bool *stop, struct unit_result *result)
{
    struct worker *worker = open_worker(plan, kernel, stop);
    if (!worker)
        return NQ_NOMEM;
    const enum nq_status status = count_unit(worker, unit, result);
    close_worker(worker);
    return status;
}

static enum nq_status join_count(const void *state, size_t index, const struct kernel *kernel, const atomic_bool *stop,
                                 struct unit_result *result)
{
    const struct plan *plan = state;
    return count(plan, &plan->unit[index], kernel, stop, result);
}

/* ---- The plan ---- */

/* How long a pair will take, about. Joining takes time in proportion to the pairs of placements, meeting grows somewhat
 * faster; the power 5/4 of the former fits both within a third. Only roots, which are the same on all machines. */
static double weigh(const struct plan *plan, const struct choice *choice, uint32_t u)
{
    const struct quadrants *quadrants = &plan->quadrants;
    const uint32_t all = quadrants->sets - 1, size = (uint32_t)__builtin_popcount(u), rows[] = {choice->x, u};
    const double cells = quadrants_sets(quadrants, size), share = choice->count / cells;
    double pairs = 0;
    for (int half = 0; half < 2; half++) /* the upper west with the lower west, the lower east with the upper east */
        pairs += (double)quadrants->placements[rows[half]] / cells * share * quadrants->placements[rows[!half] ^ all];
    return 500 + (quadrants->n % 2 ? 0.4 : 0.17) * pairs * sqrt(sqrt(pairs));
}

static bool add_unit(struct plan *plan, uint32_t x, uint32_t u)
{
    if (plan->units == plan->room) {
        const size_t room = plan->room ? 2 * plan->room : FIRST_UNITS;
        struct unit *unit = realloc(plan->unit, room * sizeof *unit);
        if (!unit)
            return false;
        plan->unit = unit;
        plan->room = room;
    }
    plan->unit[plan->units++] = (struct unit){.x = x, .u = u};
    return true;
}

/* Adds up what all pairs take; with `most`, makes units of them. */
static enum nq_status list_pairs(struct plan *plan, double most, const atomic_bool *stop, double *weight)
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
            if (plan->units == 0 || plan->unit[plan->units - 1].weight + more > most)
                if (!add_unit(plan, x, u))
                    return NQ_NOMEM;
            plan->unit[plan->units - 1].weight += more;
            plan->unit[plan->units - 1].pairs++;
        }
    }
    return NQ_OK;
}

/* How many pieces a unit is cut into, in order, each of as many pairs as are not too much, or of one. Adds the pairs of
 * one piece up in *piece. */
static size_t cut_unit(const struct plan *plan, const struct unit *unit, size_t index, struct unit *piece)
{
    struct choice choice = {0};
    double weight = 0;
    size_t pieces = 0;
    uint32_t left = unit->pairs, at = unit->u;
    for (uint32_t x = unit->x; left; x++, at = 0) {
        if (!choice_make(&plan->priorities, x, &choice))
            continue;
        for (; at < choice.of_u && left; at++, left--) {
            const double more = weigh(plan, &choice, choice.set[at]);
            weight += more;
            if (pieces == 0 || weight > method_longest) {
                weight = more;
                if (pieces++ == index)
                    *piece = (struct unit){.x = x, .u = at};
            }
            piece->pairs += pieces == index + 1;
        }
    }
    return pieces;
}

static enum nq_status join_pieces(const void *state, size_t index, const atomic_bool *stop, size_t *pieces)
{
    const struct plan *plan = state;
    const struct unit *unit = &plan->unit[index];
    struct unit first = {0};
    (void)stop; /* some hundred microseconds */
    *pieces = unit->weight > method_longest ? cut_unit(plan, unit, 0, &first) : 1;
    return NQ_OK;
}

static enum nq_status join_count_piece(const void *state, size_t index, size_t number, const struct kernel *kernel,
                                       const atomic_bool *stop, struct unit_result *result)
{
    const struct plan *plan = state;
    const struct unit *unit = &plan->unit[index];
    struct unit piece = {0};
    size_t pieces = 1;
    if (unit->weight > method_longest)
        pieces = cut_unit(plan, unit, number, &piece);
    else
        piece = *unit;
    return number < pieces ? count(plan, &piece, kernel, stop, result) : NQ_INVALID;
}

static void join_release(void *state)
{
    struct plan *plan = state;
    if (plan) {
        quadrants_close(&plan->quadrants);
        priorities_close(&plan->priorities);
        free(plan->unit);
    }
    free(plan);
}

/* What a unit should have, for a board that has so much. */
static double unit_weight(double weight)
{
    double most = UNIT_WEIGHT;
    if (weight / FEW_UNITS < most)
        most = weight / FEW_UNITS;
    return weight / MANY_UNITS > most ? weight / MANY_UNITS : most;
}

static enum nq_status make_units(struct plan *plan, const atomic_bool *stop)
{
    double weight;
    enum nq_status status = list_pairs(plan, 0, stop, &weight);
    return status == NQ_OK ? list_pairs(plan, unit_weight(weight), stop, &weight) : status;
}

static enum nq_status join_prepare(const struct filter *filter, const struct method_means *means,
                                   const atomic_bool *stop, void **out)
{
    struct plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return NQ_NOMEM;
    enum nq_status status = quadrants_open(&plan->quadrants, filter->n, means->threads, stop);
    if (status == NQ_OK && !priorities_open(&plan->priorities, &plan->quadrants))
        status = NQ_NOMEM;
    if (status == NQ_OK)
        status = make_units(plan, stop);
    if (status == NQ_OK && quadrants_memory(filter->n) <= (double)means->tables)
        status = quadrants_list(&plan->quadrants, means->threads, stop);
    if (status == NQ_OK)
        *out = plan;
    else
        join_release(plan);
    return status;
}

static size_t join_units(const void *state)
{
    const struct plan *plan = state;
    return plan->units;
}

static double join_weight(const void *state, size_t index)
{
    const struct plan *plan = state;
    return plan->unit[index].weight;
}

static double join_cost(const struct filter *filter)
{
    static const double weights[JOIN_MAX_N + 1] = {
        [8] = 1.16e4,   [9] = 1.95e4,   [10] = 3.67e4,  [11] = 7.01e4,  [12] = 1.51e5,  [13] = 3.96e5,  [14] = 1.04e6,
        [15] = 4.93e6,  [16] = 2.00e7,  [17] = 1.32e8,  [18] = 6.62e8,  [19] = 4.72e9,  [20] = 2.74e10, [21] = 1.98e11,
        [22] = 1.30e12, [23] = 9.42e12, [24] = 6.91e13, [25] = 5.04e14, [26] = 4.07e15, [27] = 2.97e16,
    };
    return weights[filter->n];
}

/* Halves that the heaviest pair has, both sides together. */
static const double most_halves[JOIN_MAX_N + 1] = {
    [8] = 15,      [9] = 16,      [10] = 46,     [11] = 68,     [12] = 181,    [13] = 221,    [14] = 687,
    [15] = 1171,   [16] = 3767,   [17] = 6282,   [18] = 18656,  [19] = 54139,  [20] = 114532, [21] = 220438,
    [22] = 607116, [23] = 2.06e6, [24] = 5.97e6, [25] = 1.28e7, [26] = 3.84e7, [27] = 1.0e8,
};

/* A thread has the halves of one pair, twice, in rooms of up to twice the size, and, where there are no lists, the
 * placements that the pair needs. */
static struct method_memory join_memory(const struct filter *filter, size_t tables)
{
    enum { OF_A_HALF = 40, OF_A_CLASS = 32, LEAST_EACH = 1 << 20, SLACK = 32 };
    const uint32_t n = filter->n, classes = n > 23 ? UINT32_C(1) << (2 * n - 34) : 1U << 14;
    const double sets = (double)(UINT32_C(1) << n / 2), lists = quadrants_memory(n), most = quadrants_most(n);
    const double weight = join_cost(filter), units = 1.05 * weight / unit_weight(weight);
    double room = FIRST_UNITS;
    while (room < units)
        room *= 2;
    struct method_memory memory = {
        .shared = sizeof(struct plan) + (n % 2 ? 8 : 12) * (sets + SLACK) + room * sizeof(struct unit),
        .each = LEAST_EACH + most * 2 * sizeof(uint64_t) + most_halves[n] * OF_A_HALF + (double)classes * OF_A_CLASS,
    };
    if (lists <= (double)tables)
        memory.shared += lists;
    else
        memory.each += quadrants_kinds(n) * sets * sizeof(struct view) +
                       quadrants_most_of_pair(n) * 2 * (sizeof(uint64_t) + sizeof(struct quadrant_found));
    return memory;
}

/* The empty board's solutions, all of them. */
static bool join_suits(const struct filter *filter)
{
    struct filter all;
    if (filter->n < JOIN_WORTH_N || filter->n > JOIN_MAX_N)
        return false;
    filter_begin(&all, filter->n);
    return filter_equal(&all, filter);
}

const struct method method_join = {
    .name = "join",
    .summary = "four quadrants, joined to halves and these to boards, each solution counted with weight 8/k",
    .source = "after E. Kluev, N-Queens-Count-Sol (2013)",
    .revision = 2,
    .max_n = JOIN_MAX_N,
    .suits = join_suits,
    .symmetry = SYMMETRY_ANY,
    .prepare = join_prepare,
    .units = join_units,
    .weight = join_weight,
    .count = join_count,
    .pieces = join_pieces,
    .count_piece = join_count_piece,
    .release = join_release,
    .cost = join_cost,
    .memory = join_memory,
};
