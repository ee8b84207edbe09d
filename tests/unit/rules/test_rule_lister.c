/* test_rule_lister.c - tests of src/rules/search.c: the lists below all prefixes are that of all
 * permutations sifted, however often they are left and come back to. */
/* CI builds: address */
#include "rules/search.h"
#include "support/sifted_solutions.h"

/* Checks the next solutions of a list; returns how many there were. */
static size_t check_next(const struct sift *all, size_t from, const uint8_t *rows, size_t count)
{
    assert_true(from + count <= all->count);
    for (size_t i = 0; i < count * all->n; i++)
        assert_int_equal(rows[i], all->solutions[from * all->n + i]);
    return count;
}

/* Lists what begins with a prefix, in calls of so many placements; each but the first goes on from a position. */
static size_t check_range(const struct sift *all, const uint64_t *allow, const uint8_t *prefix, uint32_t length,
                          uint64_t budget, size_t from)
{
    struct rule_walk walk = {0};
    uint8_t rows[7 * 8], position[8];
    enum nq_status status = NQ_OK;
    size_t found = 0, count;
    for (uint32_t known = 0; status != NQ_END; known = walk.position_length) {
        uint64_t left = budget;
        memcpy(position, walk.position, sizeof position);
        rule_walk_begin(&walk, all->rule, all->n, allow, all->n);
        assert_true(rule_walk_root(&walk, prefix, length));
        if (known)
            assert_true(rule_walk_seek(&walk, position, known));
        status = rule_walk_list(&walk, &left, rows, 7, &count);
        assert_true(left <= budget && (status != NQ_OK || count == 7) && (status != NQ_AGAIN || left == 0));
        found += check_next(all, from + found, rows, count);
    }
    return found;
}

static void check_prefixes(const struct sift *all, const uint64_t *allow, uint32_t length, uint64_t budget)
{
    struct rule_walk prefixes, again;
    uint8_t prefix[8], same[8];
    size_t found = 0;
    rule_walk_begin(&prefixes, all->rule, all->n, allow, length);
    while (rule_walk_next(&prefixes, prefix)) {
        found += check_range(all, allow, prefix, length, budget, found);
        rule_walk_begin(&again, all->rule, all->n, allow, length);
        assert_true(rule_walk_seek(&again, prefix, length));
        struct rule_walk next = prefixes;
        uint8_t one[8] = {0}, other[8] = {0};
        assert_int_equal(rule_walk_next(&again, one), rule_walk_next(&next, other));
        assert_memory_equal(one, other, sizeof one);
    }
    assert_int_equal(found, all->count);
    memset(same, 0, sizeof same);
    rule_walk_begin(&again, all->rule, all->n, allow, length);
    assert_false(rule_walk_seek(&again, same, 2)); /* two queens in one column */
}

TEST(test_lists_below_prefixes)
{
    static const uint64_t budgets[] = {0, 1, 10, UINT64_MAX};
    for (size_t i = 0; rules[i]; i++)
        for (uint32_t n = 3; n <= 6; n++) {
            ENDED_BY(sift_end) struct sift all = sift_by_rule(rules[i], n);
            struct filter filter;
            filter_begin(&filter, n);
            for (uint32_t length = 0; length < n; length++)
                check_prefixes(&all, filter.allow, length, budgets[(i + n + length) % 4]);
        }
}

static bool began_below(struct rule_walk *walk, const struct rule *rule, const struct filter *filter,
                        const uint8_t *root, uint32_t rows)
{
    rule_walk_begin(walk, rule, filter->n, filter->allow, filter->n);
    return rule_walk_root(walk, root, rows);
}

TEST(test_no_placement)
{
    const struct rule *toroidal = sift_rule("toroidal");
    struct rule_walk walk;
    struct filter filter;
    filter_begin(&filter, 5);
    filter_exclude(&filter, 1, 3);
    const uint8_t attacked[] = {0, 0}, excluded[] = {0, 3}, off[] = {5}, whole[] = {0, 2, 4, 1, 3}, one[] = {0},
                  two[] = {1, 4};
    assert_false(began_below(&walk, toroidal, &filter, attacked, 2));
    assert_false(began_below(&walk, toroidal, &filter, excluded, 2));
    assert_false(began_below(&walk, toroidal, &filter, off, 1));
    assert_false(began_below(&walk, toroidal, &filter, whole, 5));
    assert_true(began_below(&walk, toroidal, &filter, one, 1));
    assert_false(rule_walk_seek(&walk, two, 2));
    assert_true(rule_walk_seek(&walk, whole, 5));
}
