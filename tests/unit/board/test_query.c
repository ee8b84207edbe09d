/* test_query.c - tests of src/board/query.c: filters say what they say on boards of every size, settling loses no
 * solution, and symmetries are those of nq_transform. */
/* CI builds: address */
#include "board/query.h"

#include "support/sifted_solutions.h"

static uint64_t board_mask(uint32_t n)
{
    return n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* Rows beyond the board are part of a filter that is compared, too. */
static void assert_tidy(const struct filter *filter)
{
    for (uint32_t row = 0; row < FILTER_MAX_N; row++)
        assert_int_equal(row < filter->n ? filter->allow[row] & ~board_mask(filter->n) : filter->allow[row], 0);
}

TEST(test_begin)
{
    for (uint32_t n = 0; n <= FILTER_MAX_N; n++) {
        struct filter filter;
        memset(&filter, 0xa5, sizeof filter); /* nothing may be left to chance */
        filter_begin(&filter, n);
        assert_int_equal(filter.n, n);
        assert_tidy(&filter);
        for (uint32_t row = 0; row < n; row++)
            assert_true(filter.allow[row] == board_mask(n));
        assert_int_equal(filter_free_rows(&filter), n > 1 ? n : 0);
        assert_false(filter_contradictory(&filter));
        assert_int_equal(filter_symmetries(&filter), SYMMETRIES_ALL);
    }
}

TEST(test_exclude)
{
    for (uint32_t n = 1; n <= FILTER_MAX_N; n++) {
        struct filter filter;
        const uint32_t row = n / 2, column = n - 1;
        filter_begin(&filter, n);
        filter_exclude(&filter, row, column);
        filter_exclude(&filter, row, column); /* twice is once */
        for (uint32_t r = 0; r < n; r++)
            for (uint32_t c = 0; c < n; c++)
                assert_int_equal(filter_allows(&filter, r, c), r != row || c != column);
        assert_int_equal(filter_contradictory(&filter), n == 1);
    }
}

/* A queen leaves its own row one square, and the others what it does not attack, by every rule; twice is once. */
TEST(test_place)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 7, 10, 33, 64};
    for (size_t i = 0; rules[i]; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            const uint32_t n = sizes[k], apart = n > 10 ? 97 : 1;
            for (uint32_t square = 0; square < n * n; square += apart) {
                const uint32_t row = square / n, column = square % n;
                struct filter filter, twice;
                filter_begin(&filter, n);
                filter.rule = rules[i];
                filter_place(&filter, row, column);
                assert_tidy(&filter);
                for (uint32_t r = 0; r < n; r++)
                    for (uint32_t c = 0; c < n; c++) {
                        const enum conflict_line line = rule_line(rules[i], n, row, column, r, c);
                        assert_int_equal(filter_allows(&filter, r, c), line == LINE_SQUARE || line == CONFLICT_LINES);
                    }
                twice = filter;
                filter_place(&twice, row, column);
                assert_true(filter_equal(&twice, &filter));
            }
        }
}

TEST(test_placing_what_cannot_be)
{
    for (uint32_t n = 2; n <= FILTER_MAX_N; n++) {
        const uint32_t row = n / 3, column = n / 2;
        for (uint32_t r = 0; r < n; r++)
            for (uint32_t c = 0; c < n; c++) {
                struct filter filter;
                filter_begin(&filter, n);
                filter_place(&filter, row, column);
                filter_place(&filter, r, c);
                const bool bad = nq_attack(row, column, r, c);
                if (bad)
                    assert_true(filter_contradictory(&filter));
                else
                    assert_true(filter_allows(&filter, row, column) && filter_allows(&filter, r, c));
            }
        struct filter before, after;
        filter_begin(&before, n);
        filter_exclude(&before, row, column);
        filter_place(&before, row, column);
        assert_true(filter_contradictory(&before));
        filter_begin(&after, n);
        filter_place(&after, row, column);
        filter_exclude(&after, row, column);
        assert_true(filter_contradictory(&after));
    }
}

TEST(test_equal)
{
    struct filter a, b;
    for (uint32_t n = 0; n <= FILTER_MAX_N; n++) {
        filter_begin(&a, n);
        filter_begin(&b, n);
        assert_true(filter_equal(&a, &b));
        if (n == 0)
            continue;
        filter_exclude(&b, n - 1, n - 1);
        assert_false(filter_equal(&a, &b));
        filter_exclude(&a, n - 1, n - 1);
        assert_true(filter_equal(&a, &b));
        filter_begin(&b, n - 1);
        assert_false(filter_equal(&a, &b));
    }
}

/* Some squares excluded, more or fewer, and some queens placed. */
static void roll(uint64_t *dice, uint32_t n, struct filter *filter)
{
    filter_begin(filter, n);
    if (n == 0)
        return;
    const uint32_t placed = facts_below(dice, 3), excluded = facts_below(dice, n * n);
    for (uint32_t i = 0; i < placed; i++)
        filter_place(filter, facts_below(dice, n), facts_below(dice, n));
    for (uint32_t i = 0; i < excluded; i++)
        filter_exclude(filter, facts_below(dice, n), facts_below(dice, n));
}

static bool keeps_to(const struct filter *filter, const uint32_t *columns)
{
    for (uint32_t row = 0; row < filter->n; row++)
        if (!filter_allows(filter, row, columns[row]))
            return false;
    return true;
}

/* Settled: what a row's only square attacks is excluded, nothing more, and no solution is lost. */
static void check_settled(const struct filter *given, const uint32_t *solutions, size_t count)
{
    struct filter settled = *given, again;
    filter_settle(&settled);
    assert_tidy(&settled);
    for (uint32_t row = 0; row < given->n; row++)
        assert_int_equal(settled.allow[row] & ~given->allow[row], 0);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(keeps_to(&settled, &solutions[i * given->n]), keeps_to(given, &solutions[i * given->n]));
    if (filter_contradictory(&settled))
        return; /* then it may stop anywhere */
    again = settled;
    filter_settle(&again);
    assert_true(filter_equal(&again, &settled));
    struct filter slow = *given; /* from the last row to the first, over and over */
    for (uint32_t round = 0; round <= given->n; round++)
        for (uint32_t row = given->n; row-- > 0;)
            if (__builtin_popcountll(slow.allow[row]) == 1)
                filter_place(&slow, row, (uint32_t)__builtin_ctzll(slow.allow[row]));
    assert_true(filter_equal(&slow, &settled));
    uint32_t free = 0;
    for (uint32_t row = 0; row < given->n; row++)
        free += __builtin_popcountll(settled.allow[row]) > 1;
    assert_int_equal(filter_free_rows(&settled), free);
}

TEST(test_settle)
{
    uint64_t dice = 2;
    size_t contradictory = 0, settled = 0;
    for (uint32_t n = 0; n <= 8; n++) {
        size_t count;
        OWNED(free) uint32_t *solutions = facts_solutions(n, &count);
        for (int round = 0; round < 100; round++) {
            struct filter filter;
            roll(&dice, n, &filter);
            check_settled(&filter, solutions, count);
            filter_settle(&filter);
            contradictory += filter_contradictory(&filter);
            settled += !filter_contradictory(&filter) && filter_free_rows(&filter) < n;
        }
    }
    assert_true(contradictory > 30 && settled > 30);
    for (uint32_t n = 9; n <= FILTER_MAX_N; n++)
        for (int round = 0; round < 5; round++) {
            struct filter filter;
            roll(&dice, n, &filter);
            check_settled(&filter, NULL, 0);
        }
}

/* A whole solution placed queen by queen is settled, at any size, and all but its last queens make it so. */
TEST(test_settled_to_the_end)
{
    for (uint32_t n = 4; n <= FILTER_MAX_N; n++) {
        struct nq_construction *construction;
        uint32_t columns[FILTER_MAX_N];
        struct filter filter;
        assert_int_equal(nq_construction_open(NULL, n, &construction), NQ_OK);
        nq_construction_rows(construction, 0, n, columns);
        nq_construction_close(construction);
        filter_begin(&filter, n);
        for (uint32_t row = 0; row + 1 < n; row++)
            filter_place(&filter, row, columns[row]);
        filter_settle(&filter);
        assert_false(filter_contradictory(&filter));
        assert_int_equal(filter_free_rows(&filter), 0);
        for (uint32_t row = 0; row < n; row++)
            assert_true(filter.allow[row] == UINT64_C(1) << columns[row]);
    }
}

/* Rows that have fewer columns than they are leave no solution, also where that shows only after what columns force. */
TEST(test_settle_by_columns)
{
    for (uint32_t n = 8; n <= FILTER_MAX_N; n += 8) {
        struct filter filter;
        for (uint32_t columns = n / 2 - 1; columns <= n / 2; columns++) {
            filter_begin(&filter, n);
            for (uint32_t row = 0; row < n / 2; row++)
                for (uint32_t column = columns; column < n; column++)
                    filter_exclude(&filter, row, column);
            filter_settle(&filter);
            assert_int_equal(filter_contradictory(&filter), columns < n / 2);
        }
        filter_begin(&filter, n);
        for (uint32_t row = 0; row + 1 < n; row++)
            filter_exclude(&filter, row, 0); /* so that the last row has its queen there, and its column for itself: */
        for (uint32_t row = 0; row < n / 2; row++)
            for (uint32_t column = n / 2; column < n; column++)
                filter_exclude(&filter, row, column);
        filter_settle(&filter);
        assert_true(filter_contradictory(&filter));
    }
}

/* ---- Symmetries ---- */

static void shuffle(uint64_t *dice, uint32_t n, uint32_t *columns)
{
    for (uint32_t row = 0; row < n; row++) {
        const uint32_t other = facts_below(dice, row + 1);
        columns[row] = columns[other];
        columns[other] = row;
    }
}

/* The squares of a permutation go where nq_transform takes them; those of any filter likewise, and as many. */
TEST(test_transform)
{
    uint64_t dice = 3;
    for (uint32_t n = 0; n <= FILTER_MAX_N; n++) {
        uint32_t columns[FILTER_MAX_N], image[FILTER_MAX_N];
        struct filter filter, turned;
        shuffle(&dice, n, columns);
        roll(&dice, n, &filter);
        for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++) {
            memset(&turned, 0xa5, sizeof turned);
            nq_transform(symmetry, n, columns, image);
            filter_transform(symmetry, &filter, &turned);
            assert_int_equal(turned.n, n);
            assert_tidy(&turned);
            for (uint32_t i = 0; i < n * n; i++) {
                uint32_t row = i / n, column = i % n;
                square_transform(symmetry, n, &row, &column);
                assert_true(row < n && column < n);
                assert_int_equal(image[row] == column, columns[i / n] == i % n);
                assert_int_equal(filter_allows(&turned, row, column), filter_allows(&filter, i / n, i % n));
            }
        }
    }
}

/* The generators of the eight groups that a filter may have, as bits. */
static const unsigned generators[] = {
    0,       /* the identity */
    1U << 1, /* all turns */
    1U << 2, /* the half turn */
    1U << 4, /* the reflections, one by one */
    1U << 5,
    1U << 6,
    1U << 7,
    1U << 1 | 1U << 4, /* all */
    1U << 2 | 1U << 4, /* half turn and reflections at the axes */
    1U << 2 | 1U << 5, /* ... at the diagonals */
};

/* Adds the images of what is excluded until nothing is new. */
static void symmetrize(struct filter *filter, unsigned symmetries)
{
    for (bool more = true; more;) {
        more = false;
        for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++) {
            struct filter image;
            filter_transform(symmetry, filter, &image);
            for (uint32_t row = 0; (symmetries >> symmetry & 1) && row < filter->n; row++) {
                more |= filter->allow[row] & ~image.allow[row];
                filter->allow[row] &= image.allow[row];
            }
        }
    }
}

/* The symmetries are a group, they hold what was put in, and each of them is one and no other. */
TEST(test_symmetries)
{
    uint64_t dice = 5;
    bool seen[SYMMETRIES_ALL + 1] = {false};
    for (uint32_t n = 2; n <= FILTER_MAX_N; n++)
        for (size_t i = 0; i < sizeof generators / sizeof generators[0]; i++) {
            struct filter filter, image;
            filter_begin(&filter, n);
            for (uint32_t k = 0; k < 3; k++)
                filter_exclude(&filter, facts_below(&dice, n), facts_below(&dice, n));
            symmetrize(&filter, generators[i]);
            const unsigned symmetries = filter_symmetries(&filter);
            assert_int_equal(symmetries & generators[i], generators[i]);
            assert_true(symmetries & 1);
            assert_true(symmetries <= SYMMETRIES_ALL);
            assert_int_equal(8 % __builtin_popcount(symmetries), 0);
            assert_int_equal(symmetries >> 1 & 1, symmetries >> 3 & 1); /* a turn and the turn back */
            for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++) {
                filter_transform(symmetry, &filter, &image);
                assert_int_equal(filter_equal(&filter, &image), symmetries >> symmetry & 1);
            }
            seen[symmetries] = true;
        }
    size_t groups = 0;
    for (unsigned i = 0; i <= SYMMETRIES_ALL; i++)
        groups += seen[i];
    assert_int_equal(groups, sizeof generators / sizeof generators[0]);
}

/* The centre alone is symmetric in every way, and settling keeps what symmetry there is. */
TEST(test_symmetries_of_placed)
{
    for (uint32_t n = 2; n <= FILTER_MAX_N; n++) {
        struct filter filter;
        filter_begin(&filter, n);
        filter_place(&filter, n / 2, n / 2);
        filter_settle(&filter);
        assert_int_equal(filter_symmetries(&filter), n % 2 ? SYMMETRIES_ALL : filter_symmetries(&filter) & 0x81);
        filter_begin(&filter, n);
        filter_place(&filter, 0, 0);
        assert_int_equal(__builtin_popcount(filter_symmetries(&filter)), 2); /* one diagonal */
    }
}

/* ---- Classes ---- */

/* Groups, each closed under what its generators make. */
static unsigned close_group(uint64_t *dice)
{
    struct filter filter;
    filter_begin(&filter, 7);
    filter_exclude(&filter, 0, 1);
    symmetrize(&filter, generators[facts_below(dice, sizeof generators / sizeof generators[0])]);
    return filter_symmetries(&filter);
}

/* The least of its images, as nq_transform makes them: on solutions, on any permutation, and on those that are their
 * own image. */
static void check_representative(unsigned group, uint32_t n, const uint32_t *columns)
{
    uint8_t narrow[FILTER_MAX_N];
    bool least = true;
    for (uint32_t row = 0; row < n; row++)
        narrow[row] = (uint8_t)columns[row];
    for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++) {
        uint32_t image[FILTER_MAX_N], row = 0;
        nq_transform(symmetry, n, columns, image);
        while (row < n && image[row] == columns[row])
            row++;
        if ((group >> symmetry & 1) && row < n && image[row] < columns[row])
            least = false;
    }
    assert_int_equal(query_representative(group, n, narrow), least);
}

TEST(test_representatives)
{
    uint64_t dice = 6;
    for (uint32_t n = 0; n <= FILTER_MAX_N; n++)
        for (int round = 0; round < 30; round++) {
            uint32_t columns[FILTER_MAX_N], image[FILTER_MAX_N];
            const unsigned group = close_group(&dice);
            shuffle(&dice, n, columns);
            check_representative(group, n, columns);
            for (uint32_t row = 0; row < n; row++) /* many ties */
                columns[row] = n - 1 - row;
            nq_transform(facts_below(&dice, NQ_SYMMETRIES), n, columns, image);
            check_representative(group, n, image);
        }
    for (uint32_t n = 1; n <= 9; n++) {
        size_t count;
        OWNED(free) uint32_t *solutions = facts_solutions(n, &count);
        for (size_t i = 0; i < count; i++)
            for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++)
                check_representative(symmetry ? 1U | 1U << symmetry : SYMMETRIES_ALL, n, &solutions[i * n]);
    }
}

TEST(test_groups)
{
    for (uint32_t n = 0; n <= 9; n++) {
        struct query query = {.distinct = DISTINCT_ALL};
        filter_begin(&query.filter, n);
        assert_int_equal(query_group(&query), 1);
        query.distinct = DISTINCT_FUNDAMENTAL;
        assert_int_equal(query_group(&query), n > 1 ? SYMMETRIES_ALL : 1);
        query.distinct = DISTINCT_MIRROR;
        assert_int_equal(query_group(&query), n > 1 ? 0x11 : 1);
        if (n < 4)
            continue;
        filter_exclude(&query.filter, 0, 1); /* and so on the other side of a diagonal */
        filter_exclude(&query.filter, 1, 0);
        assert_int_equal(query_group(&query), 1);
        query.distinct = DISTINCT_FUNDAMENTAL;
        assert_int_equal(query_group(&query), 0x81);
    }
    struct query query = {.distinct = DISTINCT_FUNDAMENTAL};
    filter_begin(&query.filter, 5); /* what follows does not count: the centre alone is left to its row */
    query.filter.allow[2] = 1 << 2;
    assert_int_equal(query_group(&query), 0x55);
    filter_begin(&query.filter, 5);
    filter_place(&query.filter, 2, 2);
    assert_int_equal(query_group(&query), SYMMETRIES_ALL);
    query.broken = SYMMETRIES_ALL & ~0x81U; /* nor what does not show: a corner was excluded, too */
    assert_int_equal(query_group(&query), 0x81);
}

static void assert_name(const struct filter *filter, const char *expected)
{
    struct bytes name = {0};
    filter_name(filter, &name);
    OWNED(free) char *text = bytes_take(&name);
    assert_string_equal(text, expected);
}

TEST(test_name)
{
    struct filter filter;
    filter_begin(&filter, 0);
    assert_name(&filter, "n=0");
    filter_begin(&filter, 5);
    assert_name(&filter, "n=5");
    filter_exclude(&filter, 3, 4);
    assert_name(&filter, "n=5 1f,1f,1f,f,1f");
    filter_begin(&filter, FILTER_MAX_N);
    assert_name(&filter, "n=64");
}

TEST(test_whole)
{
    for (uint32_t n = 0; n <= FILTER_MAX_N; n++) {
        struct query query = {.distinct = DISTINCT_ALL};
        filter_begin(&query.filter, n);
        assert_true(query_whole(&query));
        query.symmetry = SYMMETRY_POINT;
        assert_false(query_whole(&query));
        query.symmetry = SYMMETRY_ANY;
        query.distinct = DISTINCT_MIRROR;
        assert_false(query_whole(&query));
        query.distinct = DISTINCT_ALL;
        if (n)
            filter_exclude(&query.filter, n - 1, n / 2);
        assert_int_equal(query_whole(&query), n == 0);
    }
}
