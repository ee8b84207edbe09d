/* method_join.c - counting by joining quadrants: all placements of a quadrant are listed once and joined to west and
 * east halves; the pairs of halves that do not attack each other are counted. The time depends on the number of halves
 * and pairs, not on the search tree, and so grows with the number of solutions.
 *
 * A unit of work is a range of pairs (x, u). With x the rows of the upper west quadrant that have queens, u those of
 * the lower east one (rows and columns are counted from the border inwards, in every quadrant), and both of one size,
 * the other two have the complements, because every row has one queen; y and v are the columns of these two quadrants
 * in the same way. So for given x and u the west halves are those of all y, the east halves those of all v, and any two
 * that share no diagonal are a solution.
 *
 * After E. Kluev, N-Queens-Count-Sol (a repository since October 2022), who divides the board in the same way. He says
 * that the idea is not new, and refers to deepgreen's page on N-Queens. */
#include <stdlib.h>

#include "base/grow.h"
#include "count/methods/join_pairs.h"
#include "count/methods/quadrants.h"

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

static size_t join_units(const void *state)
{
    const struct join_plan *plan = state;
    return plan->units;
}

static double join_weight(const void *state, size_t index)
{
    const struct join_plan *plan = state;
    return plan->unit[index].weight;
}

static enum nq_status join_pieces(const void *state, size_t index, const atomic_bool *stop, size_t *pieces)
{
    const struct join_plan *plan = state;
    struct join_piece first;
    (void)stop; /* it takes some hundred microseconds */
    *pieces = join_plan_piece(plan, &plan->unit[index], 0, &first);
    return NQ_OK;
}

static enum nq_status join_count_piece(const void *state, size_t index, size_t number, const struct kernel *kernel,
                                       const atomic_bool *stop, struct unit_result *result)
{
    const struct join_plan *plan = state;
    struct join_piece piece;
    if (number >= join_plan_piece(plan, &plan->unit[index], number, &piece))
        return NQ_INVALID;
    return join_pairs_count(plan, &piece, kernel, stop, result);
}

/* A unit that is split is counted piece by piece, too: the halves of a whole pair might not fit. */
static enum nq_status join_count(const void *state, size_t index, const struct kernel *kernel, const atomic_bool *stop,
                                 struct unit_result *result)
{
    size_t pieces;
    enum nq_status status = join_pieces(state, index, stop, &pieces);
    *result = (struct unit_result){0};
    for (size_t number = 0; number < pieces && status == NQ_OK; number++) {
        struct unit_result more = {0};
        status = join_count_piece(state, index, number, kernel, stop, &more);
        result->parts += more.parts;
        result->nodes += more.nodes;
    }
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
        .shared = sizeof(struct join_plan) + (n % 2 ? 8 : 12) * (sets + SLACK) + room * sizeof(struct join_unit) +
                  (listed ? lists : 0),
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
    .units = join_units,
    .weight = join_weight,
    .count = join_count,
    .pieces = join_pieces,
    .count_piece = join_count_piece,
    .release = join_release,
    .cost = join_cost,
    .memory = join_memory,
};
