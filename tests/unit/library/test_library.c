/* test_library.c - tests of src/library: queries counted and listed against permutations that are looked at one by one,
 * settings, refusals, tables, puzzles and games. tests/library.test.js tests the package. */
/* CI builds: address thread */
#include <nqueens.h>

#include "base/clock.h"
#include "support/sanitizer.h"
#include "support/sifted_solutions.h"

OWNER(nq_query_close, struct nq_query *)

enum { MOST_N = 6 };

/* What a query asks for, as this test gives it, and as the tests of other rooms sift solutions. */
struct asked {
    struct query query;
    uint64_t placed[MOST_N], excluded[MOST_N];
};

/* Whether a symmetry carries a set of squares into itself. */
static bool keeps(uint32_t n, const uint64_t *rows, unsigned symmetry)
{
    for (uint32_t square = 0; square < n * n; square++) {
        uint32_t row = square / n, column = square % n;
        square_transform(symmetry, n, &row, &column);
        if ((rows[square / n] >> square % n & 1) != (rows[row] >> column & 1))
            return false;
    }
    return true;
}

static struct nq_query *query_of(struct asked *asked, const char *rule)
{
    struct filter *filter = &asked->query.filter;
    const uint32_t n = filter->n;
    struct nq_query *query;
    assert_int_equal(nq_query_open(n, rule, &query), NQ_OK);
    assert_int_equal(nq_query_symmetry(query, (enum nq_symmetry)asked->query.symmetry), NQ_OK);
    assert_int_equal(nq_query_distinct(query, (enum nq_distinct)asked->query.distinct), NQ_OK);
    for (uint32_t i = 0; i < n * n; i++) {
        if (asked->placed[i / n] >> i % n & 1) {
            assert_int_equal(nq_query_place(query, i / n, i % n), NQ_OK);
            filter_place(filter, i / n, i % n);
        }
        if (asked->excluded[i / n] >> i % n & 1) {
            assert_int_equal(nq_query_exclude(query, i / n, i % n), NQ_OK);
            filter_exclude(filter, i / n, i % n);
        }
    }
    for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++)
        if (!keeps(n, asked->placed, symmetry) || !keeps(n, asked->excluded, symmetry))
            asked->query.broken |= 1U << symmetry;
    return query;
}

static void check(struct asked asked, const char *rule, const struct sift *all)
{
    OWNED(nq_query_close) struct nq_query *query = query_of(&asked, rule);
    const unsigned group = sift_group(&asked.query);
    uint64_t expected = 0, count, budget = UINT64_MAX;
    uint32_t columns[MOST_N] = {0};
    struct nq_cursor *cursor;
    assert_int_equal(nq_cursor_open_query(NULL, query, &cursor), NQ_OK);
    for (size_t i = 0; i < all->count; i++) {
        if (!sift_least(&asked.query, group, all->solutions + i * all->n))
            continue;
        expected++;
        assert_int_equal(nq_cursor_next(cursor, &budget, columns), NQ_OK);
        assert_memory_equal(columns, all->solutions + i * all->n, all->n * sizeof columns[0]);
    }
    assert_int_equal(nq_cursor_next(cursor, &budget, columns), NQ_END);
    nq_cursor_close(cursor);
    const struct nq_count_settings settings = {.threads = 1 + expected % 3, .memory = (size_t)64 << 20};
    assert_int_equal(nq_count_query(query, &settings, &count), NQ_OK);
    assert_int_equal(count, expected);
}

/* Whole boards, then some with squares of random sets, which some symmetries keep. */
TEST(test_queries_are_counted_and_listed)
{
    uint64_t dice = 1;
    for (size_t rule = 0; rules[rule]; rule++)
        for (uint32_t n = 0; n <= MOST_N; n++) {
            ENDED_BY(sift_end) struct sift all = sift_by_rule(rules[rule], n);
            for (unsigned way = 0; way < 9; way++) {
                struct asked asked = {.query = sift_whole(n, way / 3, way % 3)};
                asked.query.filter.rule = all.rule;
                check(asked, rules[rule]->name, &all);
                for (unsigned i = 0; i < 2 && n; i++) {
                    const uint32_t row = facts_below(&dice, n), column = facts_below(&dice, n);
                    (i ? asked.excluded : asked.placed)[row] |= UINT64_C(1) << column;
                    if (way % 2)
                        asked.excluded[n - 1 - row] |= UINT64_C(1) << (n - 1 - column);
                    check(asked, rules[rule]->name, &all);
                }
            }
        }
}

/* A query may be closed while a cursor lists it. */
TEST(test_a_cursor_outlives_its_query)
{
    struct nq_query *query;
    struct nq_cursor *cursor;
    uint32_t columns[5];
    uint64_t budget = UINT64_MAX;
    assert_int_equal(nq_query_open(5, "superqueens", &query), NQ_OK);
    assert_int_equal(nq_cursor_open_query(NULL, query, &cursor), NQ_OK);
    nq_query_close(query);
    assert_int_equal(nq_cursor_next(cursor, &budget, columns), NQ_END);
    nq_cursor_close(cursor);
}

TEST(test_arguments_are_checked)
{
    struct nq_query *query = NULL;
    struct nq_cursor *cursor = NULL;
    uint64_t count;
    assert_int_equal(nq_query_open(8, "kings", &query), NQ_INVALID);
    assert_int_equal(nq_query_open(8, "", &query), NQ_INVALID);
    assert_int_equal(nq_query_open(65, NULL, &query), NQ_LIMIT);
    assert_null(query);
    assert_int_equal(nq_query_open(33, NULL, &query), NQ_OK);
    assert_int_equal(nq_query_place(query, 33, 0), NQ_INVALID);
    assert_int_equal(nq_query_place(query, 0, 33), NQ_INVALID);
    assert_int_equal(nq_query_exclude(query, UINT32_MAX, 0), NQ_INVALID);
    assert_int_equal(nq_query_symmetry(query, (enum nq_symmetry)3), NQ_INVALID);
    assert_int_equal(nq_query_distinct(query, (enum nq_distinct)3), NQ_INVALID);
    assert_int_equal(nq_count_query(query, NULL, &count), NQ_LIMIT);
    assert_int_equal(nq_cursor_open_query("chess", query, &cursor), NQ_INVALID);
    assert_null(cursor);
    nq_query_close(query);
    nq_query_close(NULL);
    struct nq_construction *construction = NULL;
    const struct nq_construction_settings toroidal = {.rule = "toroidal"}, kings = {.rule = "kings"};
    assert_int_equal(nq_construction_open_with(NULL, 8, &kings, &construction), NQ_INVALID);
    assert_int_equal(nq_construction_open_with(NULL, 8, &toroidal, &construction), NQ_LIMIT);
    assert_int_equal(nq_construction_open_with("linear", 9, &toroidal, &construction), NQ_NONE);
    assert_null(construction);
}

struct reports {
    unsigned calls, most; /* calls before it cancels */
    double last;
    struct nq_query *small;
};

static bool report(void *context, double done)
{
    struct reports *reports = context;
    uint64_t count;
    assert_true(done >= reports->last && done <= 1);
    reports->last = done;
    assert_int_equal(nq_count_query(reports->small, NULL, &count), NQ_OK); /* as it may */
    assert_int_equal(count, 92);
    return ++reports->calls < reports->most;
}

/* Of counts that would take hours, with memory for one thread only, and years. */
/* By a method of their own, up to sizes that no search reaches. */
TEST(test_toroidal_semiqueens)
{
    static const struct {
        uint32_t n;
        uint64_t count;
    } cases[] = {{3, 3}, {15, 36362925}, {16, 0}, {19, 87656896891}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct nq_count_settings settings = {.threads = 2};
        OWNED(nq_query_close) struct nq_query *query = NULL;
        uint64_t count = 1;
        assert_int_equal(nq_query_open(cases[i].n, "toroidal-semiqueens", &query), NQ_OK);
        assert_int_equal(nq_count_query(query, &settings, &count), NQ_OK);
        assert_int_equal(count, cases[i].count);
    }
}

TEST(test_a_count_is_cancelled)
{
    struct reports reports = {.most = 3};
    struct nq_query *query;
    uint64_t count = 1;
    assert_int_equal(nq_query_open(8, NULL, &reports.small), NQ_OK);
    for (unsigned threads = 1; threads <= 4; threads++) {
        assert_int_equal(nq_query_open(threads % 2 ? 22 : 29, NULL, &query), NQ_OK);
        const struct nq_count_settings settings = {
            .threads = threads, .memory = (size_t)64 << 20, .progress = report, .context = &reports};
        const uint64_t start = clock_now();
        reports.calls = 0;
        reports.last = 0;
        assert_int_equal(nq_count_query(query, &settings, &count), NQ_CANCELLED);
        assert_int_equal(reports.calls, reports.most);
        assert_true(clock_now() - start < 10 * CLOCK_SECOND * tests_patience());
        nq_query_close(query);
    }
    assert_int_equal(count, 1);
    nq_query_close(reports.small);
}

TEST(test_too_little_memory_is_refused)
{
    const struct nq_count_settings settings = {.memory = 1};
    OWNED(nq_query_close) struct nq_query *query = NULL;
    uint64_t count;
    assert_int_equal(nq_query_open(22, NULL, &query), NQ_OK);
    assert_int_equal(nq_count_query(query, &settings, &count), NQ_LIMIT);
}

TEST(test_conflicts)
{
    static const struct nq_square queens[] = {{0, 0}, {7, 7}, {3, 4}, {3, 4}, {0, 5}}, off[] = {{8, 0}};
    struct nq_conflict list[NQ_CONFLICTS_MAX];
    uint64_t total, expected = 0;
    const size_t count = sizeof queens / sizeof queens[0];
    for (size_t a = 0; a < count; a++)
        for (size_t b = a + 1; b < count; b++)
            expected += nq_attack(queens[a].row, queens[a].column, queens[b].row, queens[b].column) ||
                        (queens[a].row == queens[b].row && queens[a].column == queens[b].column);
    assert_int_equal(nq_conflicts(8, NULL, queens, (uint32_t)count, list, &total), NQ_OK);
    assert_int_equal(total, expected);
    assert_string_equal(list[0].line, "square");
    assert_int_equal(nq_conflicts(8, "semiqueens", queens, (uint32_t)count, NULL, &total), NQ_OK);
    assert_int_equal(nq_conflicts(8, NULL, NULL, 0, NULL, &total), NQ_OK);
    assert_int_equal(total, 0);
    assert_int_equal(nq_conflicts(8, NULL, off, 1, NULL, &total), NQ_INVALID);
    assert_int_equal(nq_conflicts(8, "kings", queens, 1, NULL, &total), NQ_INVALID);
    if (THREAD_SANITIZED) /* the largest board has lines by the million */
        return;
    static const struct nq_square far[] = {{0, 0}, {NQ_CONFLICTS_MAX_N - 1, NQ_CONFLICTS_MAX_N - 1}};
    assert_int_equal(nq_conflicts(NQ_CONFLICTS_MAX_N, "semiqueens", far, 2, NULL, &total), NQ_OK);
    assert_int_equal(total, 1);
    assert_int_equal(nq_conflicts(NQ_CONFLICTS_MAX_N + 1, NULL, far, 2, NULL, &total), NQ_LIMIT);
    assert_int_equal(nq_conflicts(UINT32_MAX, "toroidal", far, 2, NULL, &total), NQ_LIMIT);
}

/* Every name of a table is there once, and functions take it. */
TEST(test_tables)
{
    struct nq_entry entry, other;
    for (int table = NQ_RULES; table <= NQ_TECHNIQUES; table++) {
        size_t count = 0;
        for (; nq_list((enum nq_table)table, count, &entry); count++) {
            struct nq_query *query;
            struct nq_cursor *cursor;
            struct nq_construction *construction;
            assert_true(entry.name[0] && entry.summary && entry.source);
            for (size_t i = 0; i < count; i++)
                assert_true(nq_list((enum nq_table)table, i, &other) && strcmp(other.name, entry.name));
            if (table == NQ_RULES) {
                assert_int_equal(nq_query_open(5, entry.name, &query), NQ_OK);
                nq_query_close(query);
            } else if (table == NQ_ALGORITHMS) {
                assert_int_equal(nq_cursor_open(entry.name, 8, &cursor), NQ_OK);
                nq_cursor_close(cursor);
            } else if (table == NQ_CONSTRUCTIONS) {
                enum nq_status status = nq_construction_open(entry.name, 25, &construction);
                for (uint32_t n = 6; status == NQ_LIMIT && n <= 16; n++) /* a small network, which may not settle */
                    status = nq_construction_open(entry.name, n, &construction);
                assert_int_equal(status, NQ_OK);
                nq_construction_close(construction);
            }
        }
        assert_true(count > 3);
        assert_false(nq_list((enum nq_table)table, count + 100, &entry));
    }
    assert_false(nq_list((enum nq_table)(NQ_TECHNIQUES + 1), 0, &entry));
}

static bool stop_at_once(void *context, double done)
{
    (void)done;
    ++*(unsigned *)context;
    return false;
}

TEST(test_puzzles)
{
    struct nq_puzzle puzzle, again;
    unsigned calls = 0;
    const struct nq_puzzle_settings third = {.seed = 3}, far = {.seed = UINT64_C(1) << 53};
    struct nq_puzzle_settings stopped = {.seed = 1, .progress = stop_at_once, .context = &calls};
    assert_int_equal(nq_puzzle_make(8, NQ_HARD, &third, &puzzle), NQ_OK);
    assert_int_equal(nq_puzzle_read(puzzle.code, &again), NQ_OK);
    assert_memory_equal(&puzzle, &again, sizeof puzzle);
    for (uint32_t a = 0; a < 8; a++)
        for (uint32_t b = 0; b < a; b++)
            assert_int_not_equal(puzzle.region[a * 8 + puzzle.columns[a]], puzzle.region[b * 8 + puzzle.columns[b]]);
    assert_int_equal(nq_puzzle_read("nonsense", &again), NQ_INVALID);
    assert_int_equal(nq_puzzle_read("", &again), NQ_INVALID);
    assert_int_equal(nq_puzzle_make(8, NQ_BEYOND, NULL, &again), NQ_INVALID);
    assert_int_equal(nq_puzzle_make(4, NQ_EASY, NULL, &again), NQ_LIMIT);
    assert_int_equal(nq_puzzle_make(21, NQ_EASY, NULL, &again), NQ_LIMIT);
    assert_int_equal(nq_puzzle_make(8, NQ_EASY, &far, &again), NQ_LIMIT);
    enum nq_status status;
    while ((status = nq_puzzle_make(20, NQ_EXPERT, &stopped, &again)) == NQ_OK && stopped.seed < 200)
        stopped.seed++; /* this board was there before the first report */
    assert_int_equal(status, NQ_CANCELLED);
    assert_int_equal(calls, 1);
}

/* Queens, too: the hints lead to the one solution that two queens leave, and every mark is one of the step. */
TEST(test_games)
{
    struct nq_game *game;
    struct nq_hint hint;
    uint8_t marks[64];
    uint32_t columns[8];
    uint64_t count, budget = 1000000;
    bool valid;
    assert_int_equal(nq_game_open(8, NULL, NULL, &game), NQ_OK);
    assert_int_equal(nq_game_count(game, 1000, &budget, &count), NQ_OK);
    assert_int_equal(count, 92);
    assert_int_equal(nq_game_place(game, 4, 4), NQ_OK); /* the puzzle of the README */
    assert_int_equal(nq_game_place(game, 5, 7), NQ_OK);
    assert_int_equal(nq_game_place(game, 4, 0), NQ_INVALID);
    assert_int_equal(nq_game_place(game, 8, 0), NQ_INVALID);
    assert_int_equal(nq_game_cross(game, 0, 8), NQ_INVALID);
    assert_int_equal(nq_game_cross(game, 4, 0), NQ_OK);
    assert_int_equal(nq_game_count(game, 1000, &budget, &count), NQ_OK);
    assert_int_equal(count, 1);
    assert_false(nq_game_solved(game, columns));
    assert_int_equal(columns[0], UINT32_MAX);
    while (nq_game_hint(game, marks, &hint) == NQ_OK) {
        bool crossed = false;
        for (size_t i = 0; i < sizeof marks; i++)
            crossed = crossed || marks[i] & NQ_MARK_CROSS;
        assert_true(crossed || hint.placed);
        assert_true(hint.technique[0]);
        assert_int_equal(nq_game_step(game), NQ_OK);
    }
    assert_true(nq_game_solved(game, columns));
    assert_int_equal(nq_verify(8, columns, &valid), NQ_OK);
    assert_true(valid && columns[4] == 4 && columns[5] == 7);
    assert_int_equal(nq_game_step(game), NQ_END);
    nq_game_close(game);
    nq_game_close(NULL);
    assert_int_equal(nq_game_open(64, NULL, NULL, &game), NQ_OK);
    assert_int_equal(nq_game_hint(game, NULL, &hint), NQ_LIMIT);
    assert_int_equal(nq_game_step(game), NQ_LIMIT);
    nq_game_close(game);
    const uint8_t wrong[16] = {4};
    assert_int_equal(nq_game_open(4, NULL, wrong, &game), NQ_INVALID);
    assert_int_equal(nq_game_open(0, NULL, NULL, &game), NQ_LIMIT);
    assert_int_equal(nq_game_open(65, NULL, NULL, &game), NQ_LIMIT);
    assert_int_equal(nq_game_open(8, "kings", NULL, &game), NQ_INVALID);
    assert_int_equal(nq_game_open(3, NULL, NULL, &game), NQ_OK);
    enum nq_status status = NQ_OK;
    while (status == NQ_OK) /* there is no solution: the steps come to an end */
        status = nq_game_step(game);
    assert_int_equal(status, NQ_NONE);
    nq_game_close(game);
}
