/* test_stream.c - tests of src/engine/lists/stream.c: read in whatever pieces, a stream is its source; it is
 * made no faster than it is read, and for no longer than it may live. */
/* CI builds: address thread */
#include "support/sanitizer.h"
#include "support/sifted_solutions.h"
#include "support/stream_reader.h"

static void check_pieces(const struct question *question, size_t piece, size_t expected_lines)
{
    BYTES(body);
    SCOPED(stream_fixture, fixture, 2, 1, 3600);
    struct reader reader;
    assert_int_equal(reader_open(&reader, &fixture, question), NQ_OK);
    assert_int_equal(read_on(&reader, piece, &body), NQ_END);
    assert_whole(question, &body);
    assert_int_equal(count_lines(&body), expected_lines);
    size_t got;
    char more;
    assert_int_equal(stream_read(reader.stream, &more, 1, &got), NQ_END); /* the end is the end */
    assert_false(stream_wait(reader.stream));
    assert_int_equal(reader.sleeper.woken, reader.waits);
    if (question->kind == ASK_SOLVE)
        assert_int_equal(streams_stats(fixture.streams).solutions, expected_lines - 1);
    reader_close(&reader);
    assert_int_equal(streams_stats(fixture.streams).cut, 0);
}

TEST(test_any_pieces_make_the_whole)
{
    static const size_t pieces[] = {1, 2, 7, 36, 37, 1000, 3333, 4096, 1 << 20};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        const struct question solve = ask_solve(8, UINT64_MAX, "ndjson"), five = ask_solve(8, 5, "ndjson");
        check_pieces(&solve, pieces[i], facts_term("all", 8) + 1);
        check_pieces(&five, pieces[i], 6);
    }
    for (uint32_t n = 0; n <= 6; n++) {
        const struct question solve = ask_solve(n, UINT64_MAX, "ndjson");
        check_pieces(&solve, 5, facts_term("all", n) + 1);
    }
}

/* Far more than is made at a time. */
TEST(test_long_streams)
{
    static const size_t pieces[] = {977, 131072, 131071, 1 << 20};
    const struct question solve = ask_solve(12, UINT64_MAX, "ndjson"), build = ask_construct(50000, "ndjson");
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        check_pieces(&solve, pieces[i], facts_term("all", 12) + 1);
        check_pieces(&build, pieces[i], 50000 + 1);
    }
}

/* However it is made, by any number of workers, from any place and to any length: the list is the one that is found
 * solution by solution. */
static void check_list(const struct question *question, unsigned threads)
{
    BYTES(body);
    struct stream_fixture fixture;
    struct reader reader;
    stream_fixture_begin(&fixture, threads, 1, 3600);
    assert_int_equal(reader_open(&reader, &fixture, question), NQ_OK);
    assert_int_equal(read_on(&reader, 50000, &body), NQ_END);
    reader_close(&reader);
    stream_fixture_end(&fixture);
    assert_whole(question, &body);
}

TEST(test_the_same_list_in_every_form)
{
    static const char *const forms[] = {"ndjson", "csv", "text"};
    for (size_t form = 0; form < sizeof forms / sizeof forms[0]; form++)
        for (uint32_t n = 0; n <= 11; n++) {
            struct question question = ask_solve(n, UINT64_MAX, forms[form]);
            question.base = n % 2;
            question.list.board = (enum board_style)(n % 4);
            check_list(&question, 1 + n % 3);
        }
}

/* So are lists of some solutions only, and those whose solutions tell their ranks. */
TEST(test_filtered_lists)
{
    uint64_t dice = 6;
    for (uint32_t n = 4; n <= 12; n++)
        for (int kind = 0; kind < 6; kind++) {
            struct question question = ask_solve(n, UINT64_MAX, kind % 2 ? "ndjson" : "text");
            question.query.distinct = (enum query_distinct)(kind % 3);
            question.query.symmetry = kind == 5 ? SYMMETRY_POINT : SYMMETRY_ANY;
            question.query.broken = sift_broken();
            question.list.ranked = n % 2;
            if (kind >= 3)
                filter_exclude(&question.query.filter, facts_below(&dice, n), facts_below(&dice, n));
            check_list(&question, 2);
        }
}

/* A place in a list after some solutions, that a cursor comes to with a budget. */
static struct list_start place_in(const struct question *question, uint64_t solutions, uint64_t budget,
                                  uint32_t *columns)
{
    struct list_start place = {.prefix = columns};
    struct nq_cursor *cursor;
    uint64_t plenty = UINT64_MAX;
    assert_int_equal(cursor_open(NULL, &question->query, &cursor), NQ_OK);
    while (place.ordinal < solutions && nq_cursor_next(cursor, &plenty, columns) == NQ_OK)
        place.ordinal++;
    if (budget && nq_cursor_next(cursor, &budget, columns) == NQ_OK)
        place.ordinal++;
    place.length = nq_cursor_position(cursor, columns);
    nq_cursor_close(cursor);
    return place;
}

static struct list_start place_after(uint32_t n, uint64_t solutions, uint64_t budget, uint32_t *columns)
{
    const struct question all = ask_solve(n, UINT64_MAX, "ndjson");
    return place_in(&all, solutions, budget, columns);
}

/* So are lists by every other rule, from any place, and cut after any length. */
TEST(test_lists_by_rule)
{
    uint64_t dice = 7;
    for (size_t i = 1; rules[i]; i++)
        for (uint32_t n = 0; n <= 10; n++)
            for (int kind = 0; kind < 4; kind++) {
                struct question question = ask_solve(n, UINT64_MAX, kind % 2 ? "ndjson" : "csv");
                uint32_t columns[NQ_SEARCH_MAX_N];
                question.query.filter.rule = rules[i];
                question.query.distinct = (enum query_distinct)(kind % 3);
                question.list.ranked = n % 2;
                if (n == 10)
                    question.list.limit = (1 << 16) + facts_below(&dice, 1000);
                if (kind >= 2 && n)
                    filter_exclude(&question.query.filter, facts_below(&dice, n), facts_below(&dice, n));
                if (kind == 3)
                    question.list.from = place_in(&question, facts_below(&dice, 300), facts_below(&dice, 300), columns);
                check_list(&question, 2);
            }
}

TEST(test_from_any_place)
{
    uint64_t dice = 5;
    for (uint32_t n = 4; n <= 12; n++)
        for (int round = 0; round < 4; round++) {
            struct question question = ask_solve(n, UINT64_MAX, round % 2 ? "csv" : "ndjson");
            uint32_t columns[NQ_SEARCH_MAX_N];
            question.list.from =
                place_after(n, facts_below(&dice, (uint32_t)facts_term("all", n)), facts_below(&dice, 3000), columns);
            check_list(&question, 2);
        }
}

/* Cut at any solution, in the middle of what is made at a time or where it ends: what follows is told rightly. */
TEST(test_to_any_length)
{
    enum { N = 13, LEAST = 1 << 16 };
    const uint32_t all = (uint32_t)facts_term("all", N);
    const uint64_t limits[] = {LEAST, LEAST - 1, LEAST + 1, 70000, all - 1, all, all + 1};
    const size_t step = THREAD_SANITIZED ? 7 : SANITIZED ? 4 : 1; /* some: LEAST, and all - 1 */
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i += step) {
        const struct question lines = ask_solve(N, limits[i], "ndjson"), rows = ask_solve(N, limits[i], "csv");
        struct question late = lines;
        uint32_t columns[NQ_SEARCH_MAX_N];
        late.list.from = place_after(N, 1234, 0, columns);
        check_list(&lines, 3);
        check_list(&rows, 2);
        check_list(&late, 2);
    }
}

/* The question may be forgotten once the stream is open. */
TEST(test_the_question_is_copied)
{
    char path[] = "/list?n=8", prefix[] = "/public";
    struct question question = ask_solve(8, 5, "ndjson");
    BYTES(body);
    struct blocker blocker;
    struct reader reader;
    SCOPED(stream_fixture, fixture, 1, 1, 3600);
    blocker_begin(&blocker, fixture.pool);
    question.path = path;
    question.prefix = prefix;
    assert_int_equal(reader_open(&reader, &fixture, &question), NQ_OK);
    memset(path, 'x', sizeof path - 1);
    memset(prefix, 'x', sizeof prefix - 1);
    memset(&question, 0xa5, sizeof question);
    blocker_end(&blocker);
    assert_int_equal(read_on(&reader, 100, &body), NQ_END);
    bytes_char(&body, '\0');
    assert_non_null(strstr(body.data, "\"returned\":5,\"next\":\"/public/list?n=8&cursor="));
    reader_close(&reader);
}

TEST(test_waiting_and_waking)
{
    const struct question question = ask_solve(8, UINT64_MAX, "ndjson");
    struct stream_fixture fixture;
    struct blocker blocker;
    struct reader reader;
    char to[64];
    size_t got = 0;
    stream_fixture_begin(&fixture, 1, 1, 3600);
    blocker_begin(&blocker, fixture.pool);
    assert_int_equal(reader_open(&reader, &fixture, &question), NQ_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(stream_read(reader.stream, to, sizeof to, &got), NQ_AGAIN);
        assert_true(stream_wait(reader.stream)); /* asked more than once, it is still one wake */
    }
    assert_int_equal(reader.sleeper.woken, 0);
    blocker_end(&blocker);
    assert_true(sleeper_sleep(&reader.sleeper));
    assert_false(stream_wait(reader.stream)); /* there is something already */
    assert_int_equal(stream_read(reader.stream, to, sizeof to, &got), NQ_OK);
    assert_int_equal(got, sizeof to);
    assert_memory_equal(to, "{\"permutation\":[1,5,8,6,3,7,2,4]}\n", 34);
    reader_close(&reader);
    stream_fixture_end(&fixture);
    assert_int_equal(reader.sleeper.woken, 1);
}

TEST(test_not_opened)
{
    struct question good = ask_solve(8, UINT64_MAX, "ndjson"), unknown = good, large = good, attacked = good;
    struct question none = ask_construct(3, "ndjson");
    struct reader reader, first, second;
    SCOPED(stream_fixture, fixture, 1, 2, 3600);
    unknown.list.cursor.algorithm = "unknown";
    large.n = large.query.filter.n = NQ_SEARCH_MAX_N + 1;
    attacked.list.from = (struct list_start){.length = 2, .prefix = (const uint32_t[]){0, 1}};
    assert_int_equal(reader_open(&reader, &fixture, &unknown), NQ_INVALID);
    assert_int_equal(reader_open(&reader, &fixture, &large), NQ_LIMIT);
    assert_int_equal(reader_open(&reader, &fixture, &attacked), NQ_INVALID);
    assert_int_equal(reader_open(&reader, &fixture, &none), NQ_NONE);
    assert_int_equal(streams_stats(fixture.streams).started, 0);

    assert_int_equal(reader_open(&first, &fixture, &good), NQ_OK);
    assert_int_equal(reader_open(&second, &fixture, &good), NQ_OK);
    assert_int_equal(reader_open(&reader, &fixture, &good), NQ_BUSY);
    assert_int_equal(streams_stats(fixture.streams).running, 2);
    assert_int_equal(streams_stats(fixture.streams).refused, 1);
    reader_close(&first);
    assert_int_equal(reader_open(&first, &fixture, &good), NQ_OK); /* a place has become free */
    assert_int_equal(reader_open(&reader, &fixture, &good), NQ_BUSY);
    reader_close(&second);
    reader_close(&first);
    assert_int_equal(streams_stats(fixture.streams).running, 0);
    assert_int_equal(streams_stats(fixture.streams).started, 3);

    streams_close(fixture.streams);
    assert_int_equal(reader_open(&reader, &fixture, &good), NQ_CLOSED);
}

/* A reader who does not read holds nobody: bounded stretches are made ready, then the pool is free. Of all kinds: made
 * in parts, in parts one after the other, and solution by solution. */
static void check_stalled(uint32_t n, const char *format)
{
    enum { AHEAD = 1 << 19 }; /* bytes; the whole list is far longer */
    const struct question question = ask_solve(n, UINT64_MAX, format);
    BYTES(body);
    SCOPED(stream_fixture, fixture, 2, 1, 3600);
    struct reader reader;
    assert_int_equal(reader_open(&reader, &fixture, &question), NQ_OK);
    WAIT_UNTIL(stream_fixture_idle(&fixture));
    const uint64_t first = streams_stats(fixture.streams).solutions;
    assert_true(first > 0 && first * 2 * n < AHEAD); /* a column takes two bytes and more */
    read_some(&reader, 1, &body);
    assert_true(stream_fixture_idle(&fixture)); /* that made no room */
    read_some(&reader, AHEAD / 2, &body);
    WAIT_UNTIL(stream_fixture_idle(&fixture) && streams_stats(fixture.streams).solutions > first);
    assert_true((streams_stats(fixture.streams).solutions - first) * 2 * n < AHEAD);
    reader_close(&reader);
}

TEST(test_a_stalled_reader_leaves_the_pool_idle)
{
    check_stalled(14, "ndjson");
    check_stalled(14, "csv");
    check_stalled(22, "ndjson");
}

/* One whose time is up before it began still gives what it found, and is cut there. */
TEST(test_lifetime)
{
    const struct question question = ask_solve(12, UINT64_MAX, "ndjson"), endless = ask_solve(64, UINT64_MAX, "ndjson");
    BYTES(body);
    struct reader reader;
    SCOPED(stream_fixture, fixture, 1, 1, 0);
    assert_int_equal(reader_open(&reader, &fixture, &question), NQ_OK);
    assert_int_equal(read_on(&reader, 1000, &body), NQ_TIMEOUT);
    assert_cut(&question, &body);
    reader_close(&reader);
    assert_int_equal(streams_stats(fixture.streams).cut, 1);
    body.size = 0;
    assert_int_equal(reader_open(&reader, &fixture, &endless), NQ_OK);
    assert_int_equal(read_on(&reader, 1000, &body), NQ_TIMEOUT);
    assert_int_equal(body.size, 0);
    reader_close(&reader);
}
