/* test_estimate.c - tests of src/count/estimate.c. */
/* CI builds: plain address */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/sifted_solutions.h"
#include "support/stop_latency.h"

#include "count/estimate.c"

static struct filter plain(uint32_t n)
{
    struct filter filter;
    filter_begin(&filter, n);
    return filter;
}

static struct board begin(const struct filter *filter)
{
    struct filter settled = *filter;
    struct board board;
    filter_settle(&settled);
    board_begin(&board, &settled);
    return board;
}

/* The solutions that keep to a filter, the slow way. */
static uint64_t count(const struct filter *filter)
{
    const struct query query = {.filter = *filter};
    struct sift all = sift_all(filter->n);
    uint64_t kept = 0;
    for (size_t i = 0; i < all.count; i++)
        kept += sift_wanted(&query, all.solutions + i * all.n);
    free(all.solutions);
    return kept;
}

/* A filter with a few squares excluded and, mostly, a queen placed. */
static struct filter some(uint32_t n, uint64_t *dice)
{
    struct filter filter = plain(n);
    for (uint32_t excluded = facts_below(dice, n); excluded; excluded--)
        filter_exclude(&filter, facts_below(dice, n), facts_below(dice, n));
    for (uint32_t placed = facts_below(dice, 3); placed; placed--)
        filter_place(&filter, facts_below(dice, n), facts_below(dice, n));
    return filter;
}

/* The mean over all walks, each with its probability: the whole tree is walked. Every draw is looked at from both ends
 * of its interval, so that the probabilities are those of pick(). */
static double expectation(const struct board *board, uint32_t leave, double probability, double value)
{
    if (board->rows <= leave)
        return probability * (value * (double)complete(board));
    const uint32_t at = fewest(board);
    struct choice choice = {0};
    if (board->count[at])
        weigh(board, at, &choice);
    double sum = 0;
    uint32_t draw = 0;
    for (uint64_t rest = choice.squares; rest; rest &= rest - 1) {
        uint32_t weight, same;
        assert_true(pick(&choice, draw, &weight) == (rest & -rest));
        assert_true(weight > 0);
        assert_true(pick(&choice, draw + weight - 1, &same) == (rest & -rest));
        struct board next;
        place(board, at, rest & -rest, &next);
        sum += expectation(&next, leave, probability * weight / choice.total, value * choice.total / weight);
        draw += weight;
    }
    assert_int_equal(draw, choice.total);
    return sum;
}

TEST(test_expectation)
{
    for (uint32_t n = 1; n <= 9; n++) {
        const struct filter filter = plain(n);
        const struct board board = begin(&filter);
        for (uint32_t leave = 1; leave <= n; leave++)
            assert_close(expectation(&board, leave, 1, 1), (double)facts_term("all", n), 1e-9);
    }
}

TEST(test_expectation_filtered)
{
    uint64_t dice = 11, seen = 0;
    for (int i = 0; i < 60; i++) {
        const struct filter filter = some(8, &dice);
        const struct board board = begin(&filter);
        const uint64_t expected = count(&filter);
        struct estimate estimate;
        if (!filter_contradictory(&filter))
            for (uint32_t leave = 1; leave < 4; leave++)
                assert_close(expectation(&board, leave, 1, 1), (double)expected, 1e-9);
        assert_int_equal(estimate_block(&filter, 1, 1, 0, NULL, &estimate), NQ_OK); /* searched */
        assert_true(estimate.exact);
        assert_true(estimate.mean == (double)expected);
        seen += expected;
    }
    assert_true(seen > 150);
}

/* `walks` walks that search the last `leave` rows only. */
static struct estimate walk(const struct filter *filter, uint32_t leave, uint64_t seed, uint64_t walks)
{
    const struct board board = begin(filter);
    struct estimate estimate = {0};
    for (uint64_t i = 0; i < walks; i++) {
        struct random random = random_begin(seed, i);
        estimate_walk(&estimate, descend(&board, leave, &random));
    }
    return estimate;
}

static struct estimate estimated(const struct filter *filter, uint64_t seed, uint64_t walks)
{
    struct estimate estimate = {0};
    for (uint64_t block = 0; block < estimate_blocks(walks); block++) {
        struct estimate part;
        assert_int_equal(estimate_block(filter, seed, walks, block, NULL, &part), NQ_OK);
        estimate_add(&estimate, &part);
    }
    assert_int_equal(estimate.walks, walks);
    return estimate;
}

static void assert_within(const struct estimate *estimate, double expected, double errors)
{
    assert_true(estimate_sound(estimate));
    assert_close(estimate->mean, expected, errors * estimate_error(estimate));
}

TEST(test_known_counts)
{
    for (uint32_t n = 8; n <= 14; n++) {
        const struct filter filter = plain(n);
        const struct estimate walked = walk(&filter, 1, n, 2000), whole = estimated(&filter, n, 300);
        assert_within(&walked, (double)facts_term("all", n), 4);
        assert_true(estimate_error(&walked) > 0);
        assert_within(&whole, (double)facts_term("all", n), 4);
        assert_true(whole.exact == (n <= LEAVE));
    }
    for (uint32_t n = 19; n <= 27; n += 8) {
        const struct filter filter = plain(n);
        const struct estimate whole = estimated(&filter, 1, 3000);
        assert_within(&whole, (double)facts_term("all", n), 4);
        assert_true(estimate_error(&whole) < 0.04 * whole.mean);
    }
}

TEST(test_filtered_counts)
{
    uint64_t dice = 12, all = 0;
    for (int i = 0; i < 3; i++) {
        struct filter filter = plain(10); /* no queen placed: ten rows are walked */
        for (uint32_t excluded = 1 + facts_below(&dice, 12); excluded; excluded--)
            filter_exclude(&filter, facts_below(&dice, 10), facts_below(&dice, 10));
        const uint64_t expected = count(&filter);
        const struct estimate walked = walk(&filter, 1, (uint64_t)i, 2000), whole = estimated(&filter, 1, 300);
        assert_within(&walked, (double)expected, 4);
        assert_within(&whole, (double)expected, 4);
        assert_false(whole.exact);
        all += expected;
    }
    assert_true(all > 500);
    struct filter filter = plain(13); /* one queen placed: twelve rows */
    filter_place(&filter, 0, 6);
    const json_t *by_column = facts_entry("first_row_column_distribution", 13);
    const struct estimate whole = estimated(&filter, 1, 1000);
    assert_within(&whole, (double)facts_at(by_column, 6), 4);
}

/* The error promises what it should: of 100 estimates about 95 % are within two errors. */
TEST(test_error_is_honest)
{
    const struct filter filter = plain(12);
    int within = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        const struct estimate walked = walk(&filter, 5, seed, 300);
        within += fabs(walked.mean - (double)facts_term("all", 12)) < 2 * estimate_error(&walked);
    }
    assert_in_range(within, 90, 99);
}

static void assert_same(const struct estimate *a, const struct estimate *b)
{
    assert_true(a->walks == b->walks && a->completed == b->completed && a->exact == b->exact);
    assert_memory_equal(&a->mean, &b->mean, sizeof a->mean);
    assert_memory_equal(&a->squares, &b->squares, sizeof a->squares);
}

enum { MANY = 3 * ESTIMATE_BLOCK - 100, BLOCKS = 3, THREADS = 3 };

struct shared {
    struct filter filter;
    atomic_size_t next;
    struct estimate blocks[BLOCKS];
};

static void *thread(void *of)
{
    struct shared *shared = of;
    for (size_t at; (at = atomic_fetch_add(&shared->next, 1)) < BLOCKS;) {
        const size_t block = BLOCKS - 1 - at; /* the last one first */
        (void)estimate_block(&shared->filter, 5, MANY, block, NULL, &shared->blocks[block]);
    }
    return NULL;
}

TEST(test_threads)
{
    assert_int_equal(estimate_blocks(MANY), BLOCKS);
    for (uint32_t n = 8; n <= 16; n += 8) {
        struct shared shared = {.filter = plain(n)};
        const struct estimate expected = estimated(&shared.filter, 5, MANY);
        pthread_t threads[THREADS];
        for (size_t i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, thread, &shared), 0);
        for (size_t i = 0; i < THREADS; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        struct estimate all = {0};
        for (size_t block = 0; block < BLOCKS; block++)
            estimate_add(&all, &shared.blocks[block]);
        assert_same(&all, &expected);
        assert_int_equal(shared.blocks[BLOCKS - 1].walks, ESTIMATE_BLOCK - 100);
    }
}

/* More walks begin with the same ones; another seed has others; settling a filter by hand changes nothing. */
TEST(test_what_it_depends_on)
{
    struct filter filter = plain(18);
    struct estimate few, many, other;
    filter_place(&filter, 3, 3);
    assert_int_equal(estimate_block(&filter, 1, ESTIMATE_BLOCK, 0, NULL, &few), NQ_OK);
    assert_int_equal(estimate_block(&filter, 1, UINT64_MAX, 0, NULL, &many), NQ_OK);
    assert_same(&few, &many);
    assert_int_equal(estimate_block(&filter, 2, ESTIMATE_BLOCK, 0, NULL, &other), NQ_OK);
    assert_true(few.mean != other.mean);
    assert_int_equal(estimate_block(&filter, 1, UINT64_MAX, 1, NULL, &other), NQ_OK);
    assert_true(few.mean != other.mean);
    filter_settle(&filter);
    assert_int_equal(estimate_block(&filter, 1, ESTIMATE_BLOCK, 0, NULL, &other), NQ_OK);
    assert_same(&few, &other);
}

/* Frozen: these bits come out on every machine. A change here is a new release's. */
TEST(test_frozen)
{
    static const struct {
        uint32_t n;
        uint64_t completed;
        double mean, squares, error;
    } frozen[] = {
        {27, 6793, 0x1.a5dba52891c5cp+57, 0x1.8fa46347b7a13p+129, 0x1.72948bb3d4f93p+51},
        {40, 6250, 0x1.f8d66e7a357c2p+105, 0x1.d6831b82aff17p+226, 0x1.1c5389740d892p+100},
    };
    for (size_t i = 0; i < sizeof frozen / sizeof *frozen; i++) {
        const struct filter filter = plain(frozen[i].n);
        const struct estimate whole = estimated(&filter, 1, 10000);
        assert_int_equal(whole.completed, frozen[i].completed);
        assert_true(whole.mean == frozen[i].mean);
        assert_true(whole.squares == frozen[i].squares);
        assert_true(estimate_error(&whole) == frozen[i].error);
    }
}

/* The running mean and squares are those of the textbook formula, to many digits, whole or in blocks. */
TEST(test_sums)
{
    uint64_t dice = 3;
    struct estimate one = {0}, parts[2] = {{0}}, both = {0}, nothing = {0};
    long double values[3000], mean = 0, squares = 0;
    for (size_t i = 0; i < 3000; i++) {
        const double value = facts_below(&dice, 3) ? 0 : 1e30 + 1e26 * facts_below(&dice, 1000);
        estimate_walk(&one, value);
        estimate_walk(&parts[i >= 1000], value);
        values[i] = value;
        mean += value / 3000;
    }
    for (size_t i = 0; i < 3000; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    estimate_add(&both, &nothing);
    assert_same(&both, &nothing);
    estimate_add(&both, &parts[0]);
    assert_same(&both, &parts[0]);
    estimate_add(&both, &parts[1]);
    estimate_add(&both, &nothing);
    assert_true(both.walks == one.walks && both.completed == one.completed);
    assert_close(one.mean, (double)mean, 1e-13 * (double)mean);
    assert_close(both.mean, (double)mean, 1e-13 * (double)mean);
    assert_close(one.squares, (double)squares, 1e-12 * (double)squares);
    assert_close(both.squares, (double)squares, 1e-12 * (double)squares);
    assert_close(estimate_error(&both), sqrt((double)squares / 2999 / 3000), 1e-12 * (double)mean);
}

/* Every product is rounded before it is added to something: an FMA would change last bits. */
TEST(test_no_contraction)
{
    uint64_t dice = 4;
    for (int i = 0; i < 1000; i++) {
        struct estimate whole = {.walks = 1 + facts_below(&dice, 100),
                                 .mean = 1.0 / (1 + facts_below(&dice, 1000)),
                                 .squares = 1.0 / (1 + facts_below(&dice, 1000))};
        const struct estimate block = {.walks = 1 + facts_below(&dice, 100),
                                       .mean = 1.0 / (1 + facts_below(&dice, 1000)),
                                       .squares = 1.0 / (1 + facts_below(&dice, 1000))};
        struct estimate walked = whole;
        const double away = block.mean - whole.mean, before = (double)whole.walks;
        const double share = (double)block.walks / (double)(whole.walks + block.walks);
        volatile double mean = away * share, squares = away * away;
        mean += whole.mean;
        squares *= before;
        squares *= share;
        squares += block.squares;
        squares += whole.squares;
        estimate_add(&whole, &block);
        assert_true(whole.mean == mean && whole.squares == squares);

        const double squares_before = walked.squares;
        estimate_walk(&walked, block.mean);
        squares = away * (block.mean - walked.mean);
        squares += squares_before;
        assert_true(walked.squares == squares);
    }
}

TEST(test_edges)
{
    struct estimate estimate;
    struct filter filter = plain(0);
    assert_int_equal(estimate_blocks(0), 0);
    assert_int_equal(estimate_blocks(1), 1);
    assert_int_equal(estimate_blocks(ESTIMATE_BLOCK), 1);
    assert_int_equal(estimate_blocks(ESTIMATE_BLOCK + 1), 2);
    assert_true(estimate_blocks(UINT64_MAX) == UINT64_C(1) << 52);
    for (uint32_t n = 0; n <= LEAVE; n++) {
        filter = plain(n);
        estimate = estimated(&filter, 1, 5000);
        assert_true(estimate.mean == (double)facts_term("all", n));
        assert_int_equal(estimate.completed, facts_term("all", n) ? 5000 : 0);
        assert_true(estimate.exact && estimate_sound(&estimate));
        assert_true(estimate_error(&estimate) == 0);
    }
    filter = plain(ESTIMATE_MAX_N + 1);
    assert_int_equal(estimate_block(&filter, 1, 1, 0, NULL, &estimate), NQ_LIMIT);
    filter = plain(FILTER_MAX_N);
    assert_int_equal(estimate_block(&filter, 1, 1, 0, NULL, &estimate), NQ_LIMIT);

    filter = plain(30); /* two queens that attack each other */
    filter_place(&filter, 4, 4);
    filter_place(&filter, 9, 9);
    estimate = estimated(&filter, 1, 5000);
    assert_true(estimate.mean == 0 && estimate.completed == 0 && estimate.exact);

    filter = plain(30); /* a column that no row may use */
    for (uint32_t row = 0; row < 30; row++)
        filter_exclude(&filter, row, 17);
    estimate = estimated(&filter, 1, 5000);
    assert_true(estimate.mean == 0 && estimate.completed == 0 && estimate.exact);

    filter = plain(30); /* two rows with four squares, of which any two attack each other: counting does not tell */
    for (uint32_t column = 2; column < 30; column++) {
        filter_exclude(&filter, 4, column);
        filter_exclude(&filter, 5, column);
    }
    estimate = estimated(&filter, 1, 5000);
    assert_true(estimate.mean == 0 && estimate.completed == 0 && !estimate.exact);
    assert_false(estimate_sound(&estimate));

    filter = plain(30);
    estimate = estimated(&filter, 1, 1);
    assert_true(estimate_error(&estimate) == 0);
    assert_false(estimate_sound(&estimate));
    estimate = estimated(&filter, 1, 1000);
    assert_true(estimate_sound(&estimate));
}

/* Block after block of walks, each larger than there is time for. */
static enum nq_status estimate_on(void *of, const atomic_bool *stop)
{
    enum nq_status status = NQ_OK;
    struct estimate estimate;
    for (uint64_t block = 0; status == NQ_OK; block++)
        status = estimate_block(of, 1, UINT64_MAX, block, stop, &estimate);
    return status;
}

TEST(test_cancel)
{
    struct filter filter = plain(ESTIMATE_MAX_N);
    struct estimate estimate;
    const atomic_bool stop = true;
    assert_int_equal(estimate_block(&filter, 1, 1000000, 3, &stop, &estimate), NQ_CANCELLED);
    stop_latency_check(estimate_on, &filter, 20, 100);
}

static void assert_text(double mean, double error, const char *expected)
{
    char text[ESTIMATE_TEXT];
    const struct estimate estimate = {.walks = 2, .completed = 2, .mean = mean, .squares = error * error * 2};
    estimate_text(&estimate, text);
    assert_string_equal(text, expected);
}

TEST(test_text)
{
    assert_text(0, 0, "0");
    assert_text(352, 0, "352");
    assert_text(2.34907e17, 3.3e14, "2.3491e17");
    assert_text(2.34907e17, 9.96e13, "2.3491e17"); /* the error rounds to 1.0e14 */
    assert_text(2.34907e17, 9.9e13, "2.34907e17");
    assert_text(9.9999e17, 3e16, "1.000e18"); /* so does the mean, to one digit more than needed */
    assert_text(724.04, 0.07, "7.24040e2");
    assert_text(1.5, 40, "1.5e0");
    assert_text(0.25, 0.01, "2.50e-1");
    assert_text(8.284e31, 1e3, "8.28400000000000e31");
}

/* ---- By other rules ---- */

static struct filter by_rule(const struct rule *rule, uint32_t n)
{
    struct filter filter = plain(n);
    filter.rule = rule;
    return filter;
}

/* Small boards are searched: all solutions. */
TEST(test_rules_searched)
{
    for (size_t i = 0; rules[i]; i++)
        for (uint32_t n = 0; n < 7; n++) {
            const struct filter filter = by_rule(rules[i], n);
            const struct estimate estimate = estimated(&filter, 1, 3);
            const struct sift all = sift_by_rule(filter.rule, n);
            assert_true(estimate.exact && estimate.mean == (double)all.count);
            assert_int_equal(estimate.completed, all.count ? 3 : 0);
            free(all.solutions);
        }
}

/* Larger ones are walked: within five standard errors of what is published. */
TEST(test_rules_walked)
{
    static const struct {
        const char *rule;
        uint32_t n;
    } cases[] = {{"toroidal", 13},   {"superqueens", 16}, {"semiqueens", 15}, {"toroidal-semiqueens", 13},
                 {"reflecting", 16}, {"touching", 16}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct filter filter = by_rule(sift_rule(cases[i].rule), cases[i].n);
        const struct estimate estimate = estimated(&filter, 7, 1000);
        const double error = estimate_error(&estimate);
        uint64_t count = 0;
        assert_true(facts_published(cases[i].rule, cases[i].n, &count));
        assert_false(estimate.exact);
        assert_true(estimate_sound(&estimate));
        assert_true(error > 0 && error < (double)count / 5);
        assert_close(estimate.mean, (double)count, 5 * error);
    }
}

/* Placed and excluded squares: the two halves of the solutions of a board, by what stands on a square. */
TEST(test_rules_filtered)
{
    static const char *const names[] = {"superqueens", "semiqueens", "reflecting", "touching"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct filter whole = by_rule(sift_rule(names[i]), 11);
        struct filter with = whole, without = whole;
        filter_place(&with, 5, 3);
        filter_exclude(&without, 5, 3);
        const struct estimate all = estimated(&whole, 3, 200), some = estimated(&with, 3, 200),
                              others = estimated(&without, 3, 200);
        const double errors = estimate_error(&all) + estimate_error(&some) + estimate_error(&others);
        assert_true(all.mean > 0);
        assert_close(some.mean + others.mean, all.mean, 4 * errors);
    }
}
