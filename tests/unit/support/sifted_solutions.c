/* sifted_solutions.c - queries against solutions one by one. */
#include "support/sifted_solutions.h"

#include <stdlib.h>
#include <string.h>

#include "solvers/solver.h"

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

struct sift sift_listed(const struct cursor_settings *settings, const struct query *query)
{
    const uint32_t n = query->filter.n;
    struct sift list = {.n = n, .rule = query->filter.rule};
    uint32_t columns[NQ_SEARCH_MAX_N];
    uint64_t plenty = UINT64_MAX;
    struct nq_cursor *cursor = NULL;
    assert_int_equal(cursor_open(settings, query, &cursor), NQ_OK);
    while (nq_cursor_next(cursor, &plenty, columns) == NQ_OK) {
        list.solutions = realloc(list.solutions, (list.count + 1) * (n + 1) * sizeof *columns);
        assert_non_null(list.solutions);
        memcpy(list.solutions + list.count++ * n, columns, n * sizeof *columns);
    }
    nq_cursor_close(cursor);
    return list;
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

void sift_exclude(struct filter *filter, unsigned group, uint32_t row, uint32_t column)
{
    for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++) {
        uint32_t to_row = row, to_column = column;
        square_transform(symmetry, filter->n, &to_row, &to_column);
        if (group >> symmetry & 1)
            filter_exclude(filter, to_row, to_column);
    }
}

void sift_roll(uint64_t *dice, const struct sift *all, struct filter *filter)
{
    static const unsigned groups[] = {0x01, 0x05, 0x11, 0x21, 0x41, 0x81, 0x0f, 0x55, 0xa5, SYMMETRIES_ALL};
    const uint32_t n = all->n;
    filter_begin(filter, n);
    filter->rule = all->rule;
    if (n == 0)
        return;
    const unsigned group = groups[facts_below(dice, sizeof groups / sizeof groups[0])];
    const uint32_t placed = facts_below(dice, 2) ? 0 : facts_below(dice, 3), excluded = facts_below(dice, n);
    const bool likely = all->count && facts_below(dice, 2); /* squares of one solution: there is at least that one */
    const uint32_t *one = likely ? &all->solutions[facts_below(dice, (uint32_t)all->count) * n] : NULL;
    for (uint32_t i = 0; i < placed; i++) {
        const uint32_t row = facts_below(dice, n);
        filter_place(filter, row, one ? one[row] : facts_below(dice, n));
    }
    for (uint32_t i = 0; i < excluded; i++) {
        const uint32_t row = facts_below(dice, n), column = facts_below(dice, n);
        sift_exclude(filter, group, row, column);
    }
}

void sift_roll_symmetric(uint64_t *dice, uint32_t n, struct filter *filter)
{
    filter_begin(filter, n);
    if (n % 2 && facts_below(dice, 2))
        filter_place(filter, n / 2, n / 2);
    for (uint32_t i = facts_below(dice, n / 2 + 1); i > 0; i--) {
        const uint32_t row = facts_below(dice, n), column = facts_below(dice, n);
        sift_exclude(filter, SYMMETRIES_ALL, row, column);
    }
    assert_int_equal(filter_symmetries(filter), SYMMETRIES_ALL);
}

/* ---- All kinds of queries ---- */

void sift_kinds(const struct filter *filter, enum query_symmetry symmetries, const struct sift *all, uint64_t *dice,
                sift_check *check)
{
    for (int symmetry = SYMMETRY_ANY; symmetry <= (int)symmetries; symmetry++)
        for (int distinct = DISTINCT_ALL; distinct <= DISTINCT_MIRROR; distinct++) {
            const struct query query = {.filter = *filter,
                                        .broken = sift_broken(),
                                        .distinct = (enum query_distinct)distinct,
                                        .symmetry = (enum query_symmetry)symmetry};
            check(&query, all, dice);
        }
}

/* The whole board, then filters. */
static void draw_filter(const struct sift_sweep *sweep, unsigned round, uint64_t *dice, const struct sift *all,
                        struct filter *filter)
{
    filter_begin(filter, all->n);
    filter->rule = all->rule;
    if (round % 4 == 3 && all->n > 1 && !sweep->others)
        sift_roll_symmetric(dice, all->n, filter);
    else if (round)
        sift_roll(dice, all, filter);
    if (sweep->centre)
        filter_place(filter, all->n / 2, all->n / 2);
}

static bool has_some(const struct filter *filter, const struct sift *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (keeps_to(filter, all->solutions + i * all->n))
            return true;
    return false;
}

void sift_each(const struct sift_sweep *sweep, sift_check *check)
{
    uint64_t dice = 1;
    uint32_t drawn = 0, symmetric = 0, contradictory = 0;
    for (size_t i = 0; rules[i]; i++)
        for (uint32_t n = sweep->centre; n <= sweep->most && rule_by_lines(rules[i]) != sweep->others;
             n += 1 + sweep->centre) {
            struct sift all = sift_by_rule(rules[i], n);
            for (unsigned round = 0; round <= (n ? sweep->rounds : 0); round++) {
                struct filter filter;
                draw_filter(sweep, round, &dice, &all, &filter);
                sift_kinds(&filter, sweep->symmetries, &all, &dice, check);
                drawn += round > 0;
                symmetric += round && has_some(&filter, &all) && filter_symmetries(&filter) > 1;
                filter_settle(&filter);
                contradictory += round && filter_contradictory(&filter);
            }
            free(all.solutions);
        }
    assert_true(symmetric > drawn / 4);
    assert_in_range(contradictory, drawn / 20, drawn / 2);
}
