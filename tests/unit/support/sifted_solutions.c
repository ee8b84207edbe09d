/* sifted_solutions.c - queries against solutions one by one. */
#include "support/sifted_solutions.h"

#include <stdlib.h>
#include <string.h>

const struct rule *sift_rule(const char *name)
{
    const struct rule *rule = rules[rule_find(name, strlen(name))];
    if (!rule)
        fail_msg("no rule \"%s\"", name);
    return rule;
}

struct query sift_whole(uint32_t n, enum query_distinct distinct, enum query_symmetry symmetry)
{
    struct query query = {.distinct = distinct, .symmetry = symmetry};
    filter_begin(&query.filter, n);
    return query;
}

struct sift sift_all(uint32_t n)
{
    struct sift all = {.n = n, .rule = rules[0]};
    all.solutions = facts_solutions(n, &all.count);
    return all;
}

static bool peaceful(const struct rule *rule, uint32_t n, const uint32_t *columns)
{
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < a; b++)
            if (rule_line(rule, n, a, columns[a], b, columns[b]) != CONFLICT_LINES)
                return false;
    return true;
}

/* The next of all permutations in lexicographic order; false after the last. */
static bool permute(uint32_t n, uint32_t *columns)
{
    uint32_t pivot = n, last = n;
    for (uint32_t i = 0; i + 1 < n; i++)
        if (columns[i] < columns[i + 1])
            pivot = i;
    if (pivot == n)
        return false;
    while (columns[--last] < columns[pivot])
        ;
    const uint32_t column = columns[pivot];
    columns[pivot] = columns[last];
    columns[last] = column;
    for (uint32_t low = pivot + 1, high = n - 1; low < high; low++, high--) {
        const uint32_t other = columns[low];
        columns[low] = columns[high];
        columns[high] = other;
    }
    return true;
}

struct sift sift_by_rule(const struct rule *rule, uint32_t n)
{
    if (rule_by_lines(rule))
        return sift_all(n);
    struct sift all = {.n = n, .rule = rule};
    uint32_t columns[FILTER_MAX_N];
    size_t room = 1;
    for (uint32_t row = 0; row < n; row++) {
        columns[row] = row;
        room *= row + 1;
    }
    all.solutions = calloc(room, (n + 1) * sizeof *columns);
    assert_non_null(all.solutions);
    do
        if (peaceful(rule, n, columns))
            memcpy(all.solutions + all.count++ * n, columns, n * sizeof *columns);
    while (permute(n, columns));
    return all;
}

static bool keeps_to(const struct filter *filter, const uint32_t *columns)
{
    for (uint32_t row = 0; row < filter->n; row++)
        if (!filter_allows(filter, row, columns[row]))
            return false;
    return true;
}

static bool unchanged_by(unsigned symmetry, uint32_t n, const uint32_t *columns)
{
    uint32_t image[FILTER_MAX_N];
    nq_transform(symmetry, n, columns, image);
    return memcmp(image, columns, n * sizeof *columns) == 0;
}

bool sift_wanted(const struct query *query, const uint32_t *columns)
{
    static const unsigned turns[] = {[SYMMETRY_ANY] = 0, [SYMMETRY_POINT] = 2, [SYMMETRY_QUARTER] = 1};
    return keeps_to(&query->filter, columns) && unchanged_by(turns[query->symmetry], query->filter.n, columns);
}

unsigned sift_broken(void)
{
    static const unsigned groups[] = {SYMMETRIES_ALL, SYMMETRIES_ALL, 0x01, 0x05, 0x11, 0x81, 0x0f, 0x55, 0xa5};
    static uint64_t dice = 1;
    return SYMMETRIES_ALL & ~groups[facts_below(&dice, sizeof groups / sizeof groups[0])];
}

unsigned sift_group(const struct query *query)
{
    const unsigned symmetries = filter_symmetries(&query->filter) & ~query->broken;
    switch (query->distinct) {
    case DISTINCT_FUNDAMENTAL: return symmetries;
    case DISTINCT_MIRROR: return symmetries & 0x11;
    case DISTINCT_ALL:
    case DISTINCT_TORUS: break; /* of queens there are none of these */
    }
    return 1;
}

bool sift_least(const struct query *query, unsigned group, const uint32_t *columns)
{
    const uint32_t n = query->filter.n;
    bool least = sift_wanted(query, columns);
    for (unsigned symmetry = 1; symmetry < NQ_SYMMETRIES && least; symmetry++) {
        uint32_t image[FILTER_MAX_N];
        if (!(group >> symmetry & 1))
            continue;
        nq_transform(symmetry, n, columns, image);
        assert_true(sift_wanted(query, image));
        for (uint32_t row = 0; row < n; row++) {
            if (image[row] != columns[row]) {
                least = image[row] > columns[row];
                break;
            }
        }
    }
    return least;
}

void sift_roll(uint64_t *dice, const struct sift *all, struct filter *filter)
{
    const uint32_t n = all->n;
    filter_begin(filter, n);
    filter->rule = all->rule;
    if (n == 0)
        return;
    const unsigned generator = facts_below(dice, 2) ? 0 : 1U << facts_below(dice, NQ_SYMMETRIES);
    const uint32_t placed = facts_below(dice, 3), excluded = facts_below(dice, n + 2);
    const bool likely = all->count && facts_below(dice, 2); /* squares of one solution: there is at least that one */
    const uint32_t *one = likely ? &all->solutions[facts_below(dice, (uint32_t)all->count) * n] : NULL;
    for (uint32_t i = 0; i < placed; i++) {
        const uint32_t row = facts_below(dice, n);
        filter_place(filter, row, one ? one[row] : facts_below(dice, n));
    }
    for (uint32_t i = 0; i < excluded; i++) {
        uint32_t row = facts_below(dice, n), column = facts_below(dice, n);
        for (unsigned turns = 0; turns < 4; turns++) {
            filter_exclude(filter, row, column);
            if (!generator)
                break;
            if (generator & 0x0f)
                square_transform((unsigned)__builtin_ctz(generator), n, &row, &column);
            else if (turns % 2) /* all eight images */
                square_transform(1, n, &row, &column);
            else
                square_transform((unsigned)__builtin_ctz(generator), n, &row, &column);
        }
    }
}

void sift_roll_symmetric(uint64_t *dice, uint32_t n, struct filter *filter)
{
    filter_begin(filter, n);
    if (n % 2 && facts_below(dice, 2))
        filter_place(filter, n / 2, n / 2);
    for (uint32_t i = facts_below(dice, n / 2 + 1); i > 0; i--) {
        const uint32_t row = facts_below(dice, n), column = facts_below(dice, n);
        for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++) {
            uint32_t to_row = row, to_column = column;
            square_transform(symmetry, n, &to_row, &to_column);
            filter_exclude(filter, to_row, to_column);
        }
    }
    assert_int_equal(filter_symmetries(filter), SYMMETRIES_ALL);
}
