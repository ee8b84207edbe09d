/* test_prefixes.c - tests of the prefixes in src/kernels/kernels.c: every solution begins with one of them, they come
 * in order, and the walk goes on from anywhere as if it had never been interrupted. */
/* CI builds: address */
#include "kernels/kernel.h"

#include "support/facts.h"

enum { MOST = 3000, N_MOST = 9 };

struct list {
    size_t count;
    uint8_t columns[MOST][N_MOST];
};

static void list_rest(struct prefixes *prefixes, struct list *list)
{
    struct kernel_prefix below, again;
    list->count = 0;
    while (prefixes_next(prefixes, list->columns[list->count], &below)) {
        assert_true(prefixes_place(prefixes->board, list->columns[list->count], prefixes->length, &again));
        assert_int_equal(below.depth, again.depth);
        assert_int_equal(below.columns, again.columns);
        assert_true(below.sums == again.sums && below.differences == again.differences);
        assert_in_range(++list->count, 1, MOST - 1);
    }
}

/* Whether the first `length` columns come before, or are, the others: < 0, 0, > 0. */
static int compare(const uint8_t *a, const uint8_t *b, uint32_t length)
{
    return length ? memcmp(a, b, length) : 0;
}

static void check_order(const struct list *list, uint32_t length)
{
    for (size_t i = 1; i < list->count; i++)
        assert_true(compare(list->columns[i - 1], list->columns[i], length) < 0);
}

/* Every solution on allowed squares begins with one of the list. */
static void check_complete(const struct list *list, uint32_t n, uint32_t length, const uint64_t *allow)
{
    size_t count, at = 0;
    OWNED(free) uint32_t *solutions = facts_solutions(n, &count);
    for (size_t i = 0; i < count; i++) {
        uint8_t begins[N_MOST];
        bool allowed = true;
        for (uint32_t row = 0; row < n; row++) {
            allowed = allowed && (!allow || allow[row] >> solutions[i * n + row] & 1);
            begins[row] = (uint8_t)solutions[i * n + row];
        }
        while (allowed && at < list->count && compare(list->columns[at], begins, length) < 0)
            at++;
        assert_true(!allowed || (at < list->count && compare(list->columns[at], begins, length) == 0));
    }
}

TEST(test_complete_and_in_order)
{
    static struct list list;
    uint64_t dice = 1;
    for (uint32_t n = 0; n <= N_MOST; n++)
        for (uint32_t length = 0; length <= n; length++)
            for (int holes = 0; holes < 3; holes++) {
                uint64_t allow[N_MOST];
                for (uint32_t row = 0; row < n; row++)
                    allow[row] = ~(UINT64_C(1) << facts_below(&dice, n));
                const struct kernel_board board = kernel_board_of(n, holes ? allow : NULL);
                struct prefixes prefixes;
                prefixes_begin(&prefixes, &board, length);
                list_rest(&prefixes, &list);
                check_order(&list, length);
                check_complete(&list, n, length, holes ? allow : NULL);
                if (length == n && !holes)
                    assert_int_equal(list.count, facts_term("all", n));
            }
}

/* From just after any placement of any number of rows: what is left are those after it. */
TEST(test_seek)
{
    static struct list all, starts, rest;
    enum { N = 7 };
    const struct kernel_board board = kernel_board_of(N, NULL);
    for (uint32_t length = 0; length <= N; length++) {
        struct prefixes prefixes;
        prefixes_begin(&prefixes, &board, length);
        list_rest(&prefixes, &all);
        for (uint32_t start = 0; start <= N; start++) {
            const uint32_t common = start < length ? start : length;
            prefixes_begin(&prefixes, &board, start);
            list_rest(&prefixes, &starts);
            for (size_t i = 0; i < starts.count; i++) {
                prefixes_begin(&prefixes, &board, length);
                assert_true(prefixes_seek(&prefixes, starts.columns[i], start));
                list_rest(&prefixes, &rest);
                size_t first = 0;
                while (first < all.count && compare(all.columns[first], starts.columns[i], common) <= 0)
                    first++;
                assert_int_equal(rest.count, all.count - first);
                if (rest.count)
                    assert_memory_equal(rest.columns, all.columns[first], rest.count * sizeof rest.columns[0]);
            }
        }
    }
}

TEST(test_seek_refuses)
{
    const struct kernel_board board = kernel_board_of(6, NULL);
    struct prefixes prefixes;
    static struct list before, after;
    prefixes_begin(&prefixes, &board, 2);
    list_rest(&prefixes, &before);
    prefixes_begin(&prefixes, &board, 2);
    assert_false(prefixes_seek(&prefixes, (const uint8_t[]){0, 1}, 2));                /* they attack each other */
    assert_false(prefixes_seek(&prefixes, (const uint8_t[]){6}, 1));                   /* off the board */
    assert_false(prefixes_seek(&prefixes, (const uint8_t[]){1, 3, 5, 0, 2, 4, 0}, 7)); /* too long */
    list_rest(&prefixes, &after);
    assert_int_equal(after.count, before.count);
}
