/* test_stream.c - tests of src/engine/lists/stream.c: read in whatever pieces, a stream is its source; it is made no
 * faster than it is read, and for no longer than it may live. A cut stream never looks complete, and nothing is left
 * running for it. */
/* CI builds: address thread */
#include "engine/lists/stream.h"

#include "engine/lists/parallel_list.h"
#include "engine/lists/source.h"
#include "support/failing_bytes.h"
#include "support/questions.h"
#include "support/sanitizer.h"
#include "support/sifted_solutions.h"

/* ---- Streams on a real pool, and who reads them ---- */

struct stream_fixture {
    struct pool *pool;
    struct streams *streams;
    bool stopped; /* the pool is */
};

static void stream_fixture_begin(struct stream_fixture *fixture, unsigned threads, unsigned most, unsigned seconds)
{
    fixture->stopped = false;
    fixture->pool = new_pool(threads, 4);
    fixture->streams = streams_new(fixture->pool, kernel_find("auto"), NULL, most, seconds);
    assert_non_null(fixture->streams);
}

/* Closes as the service does; every stream must have been closed. */
static void stream_fixture_end(struct stream_fixture *fixture)
{
    streams_close(fixture->streams);
    if (!fixture->stopped)
        pool_stop(fixture->pool);
    assert_int_equal(streams_stats(fixture->streams).running, 0);
    streams_free(fixture->streams);
    pool_free(fixture->pool);
}

/* Whether no task runs or waits. */
static bool stream_fixture_idle(const struct stream_fixture *fixture)
{
    struct pool_stats stats = pool_stats(fixture->pool);
    return stats.running + stats.queued == 0;
}

struct reader {
    struct sleeper sleeper;
    struct stream *stream;
    unsigned waits;
};

/* Begins to open a stream. */
static enum nq_status reader_begin(struct reader *reader, const struct stream_fixture *fixture,
                                   const struct question *question)
{
    reader->waits = 0;
    sleeper_begin(&reader->sleeper);
    return stream_open(fixture->streams, question, sleeper_wake, &reader->sleeper, &reader->stream);
}

static void reader_close(struct reader *reader)
{
    pending_close(stream_pending(reader->stream));
    sleeper_end(&reader->sleeper);
}

/* The same, and waits until it is open; one that never will be is closed. */
static enum nq_status reader_open(struct reader *reader, const struct stream_fixture *fixture,
                                  const struct question *question)
{
    enum nq_status status = reader_begin(reader, fixture, question);
    if (status != NQ_OK)
        return status;
    WAIT_UNTIL((status = stream_opened(reader->stream)) != NQ_AGAIN);
    if (status != NQ_OK)
        reader_close(reader);
    return status;
}

/* Reads in pieces of a size until there is nothing more, and returns why. NQ_AGAIN: a wake that never came; NQ_INVALID:
 * a read of impossible size. Any thread. */
static enum nq_status read_on(struct reader *reader, size_t piece, struct bytes *body)
{
    for (;;) {
        size_t got = SIZE_MAX;
        char *to = bytes_reserve(body, piece);
        enum nq_status status = to ? stream_read(reader->stream, to, piece, &got) : NQ_NOMEM;
        if (status == NQ_OK) {
            if (got == 0 || got > piece)
                return NQ_INVALID;
            body->size += got;
        } else if (status != NQ_AGAIN) {
            return status;
        } else if (stream_wait(reader->stream)) {
            reader->waits++;
            if (!sleeper_sleep(&reader->sleeper))
                return NQ_AGAIN;
        }
    }
}

/* Reads so many bytes, which must be there to come. */
static void read_some(struct reader *reader, size_t size, struct bytes *body)
{
    while (size) {
        size_t got = 0;
        char *to = bytes_reserve(body, size);
        assert_non_null(to);
        enum nq_status status = stream_read(reader->stream, to, size, &got);
        if (status == NQ_AGAIN && stream_wait(reader->stream)) {
            reader->waits++;
            assert_true(sleeper_sleep(&reader->sleeper));
        }
        assert_true(status == NQ_OK || status == NQ_AGAIN);
        if (status == NQ_OK) {
            body->size += got;
            size -= got;
        }
    }
}

/* The whole body, from its source in one go. */
static struct bytes whole_body(const struct question *question)
{
    const struct slice slice = {.deadline = UINT64_MAX};
    const atomic_bool stop = false;
    struct bytes body = {0};
    struct source *source = NULL;
    enum nq_status status = source_open(question, kernel_find("auto"), false, &source);
    assert_int_equal(status, NQ_OK);
    assert_int_equal(source->class->fill(source, &body, SIZE_MAX, &slice, &stop), NQ_END);
    source->class->close(source);
    return body;
}

static size_t count_lines(const struct bytes *body)
{
    size_t count = 0;
    for (size_t i = 0; i < body->size; i++)
        count += body->data[i] == '\n';
    return count;
}

static void assert_begins(const struct question *question, const struct bytes *body, bool all)
{
    ENDED_BY(bytes_free) struct bytes whole = whole_body(question);
    assert_true(all ? body->size == whole.size : body->size < whole.size);
    if (body->size)
        assert_memory_equal(body->data, whole.data, body->size);
}

static void assert_whole(const struct question *question, const struct bytes *body)
{
    assert_begins(question, body, true);
}

static void assert_cut(const struct question *question, const struct bytes *body)
{
    assert_begins(question, body, false);
}

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
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i += THREAD_SANITIZED ? 2 : 1) {
        check_pieces(&solve, pieces[i], facts_term("all", 12) + 1);
        check_pieces(&build, pieces[i], 50000 + 1);
    }
}

/* However it is made, by any number of workers, from any place and to any length: the list is the one that is found
 * solution by solution. Of the sizes the thread sanitizer sees one whose list is made in parts. */
static uint32_t size(uint32_t n)
{
    return THREAD_SANITIZED ? 9 : n;
}

/* Its canonical path names what is not as preset: which writer a list has depends on that. */
static void name_in_path(struct question *question)
{
    if (question->query.symmetry != SYMMETRY_ANY)
        question->path = "/list?n=some&symmetry=some";
    else if (question->list.ranked)
        question->path = "/list?n=some&rank=true";
    else if (question->list.board != BOARD_NONE)
        question->path = "/list?n=some&board=some";
}

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
        for (uint32_t n = size(0); n <= size(11); n++) {
            struct question question = ask_solve(n, UINT64_MAX, forms[form]);
            question.base = n % 2;
            question.list.board = (enum board_style)(n % 4);
            name_in_path(&question);
            check_list(&question, 1 + n % 3);
        }
}

/* So are lists of some solutions only, and those whose solutions tell their ranks. */
TEST(test_filtered_lists)
{
    uint64_t dice = 6;
    for (uint32_t n = size(4); n <= size(12); n++)
        for (int kind = 0; kind < 6; kind++) {
            struct question question = ask_solve(n, UINT64_MAX, kind % 2 ? "ndjson" : "text");
            question.query.distinct = (enum query_distinct)(kind % 3);
            question.query.symmetry = kind == 5 ? SYMMETRY_POINT : SYMMETRY_ANY;
            question.query.broken = sift_broken();
            question.list.ranked = n % 2;
            name_in_path(&question);
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

/* So are lists by every other rule, from any place, and cut after any length. A sanitizer sees each on every other
 * size, that of threads a few rules. */
TEST(test_lists_by_rule)
{
    uint64_t dice = 7;
    for (size_t i = THREAD_SANITIZED ? 2 : 1; rules[i]; i += THREAD_SANITIZED && rules[i + 1] && rules[i + 2] ? 3 : 1)
        for (uint32_t n = size(SANITIZED ? i % 2 : 0); n <= size(10); n += SANITIZED ? 2 : 1)
            for (int kind = 0; kind < 4; kind++) {
                struct question question = ask_solve(n, UINT64_MAX, kind % 2 ? "ndjson" : "csv");
                uint32_t columns[NQ_SEARCH_MAX_N];
                question.query.filter.rule = rules[i];
                question.query.distinct = (enum query_distinct)(kind % 3);
                question.list.ranked = n % 2;
                name_in_path(&question);
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
    for (uint32_t n = size(4); n <= size(12); n++)
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
    const size_t step = THREAD_SANITIZED ? 8 : SANITIZED ? 4 : 1; /* some: LEAST, and all - 1 */
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i += step) {
        const struct question lines = ask_solve(N, limits[i], "ndjson"), rows = ask_solve(N, limits[i], "csv");
        struct question late = lines;
        uint32_t columns[NQ_SEARCH_MAX_N];
        late.list.from = place_after(N, 1234, 0, columns);
        if (!SANITIZED || i == 0) {
            check_list(&lines, 3);
            if (!THREAD_SANITIZED)
                check_list(&rows, 2);
        }
        if (!SANITIZED || i)
            check_list(&late, 2);
    }
}

/* Only a list with no parameters but those that it heeds is made in parallel, and fewer have lines of their own. */
TEST(test_which_lists_are_parallel)
{
    static const struct {
        const char *path;
        bool suits, packs;
    } cases[] = {
        {"/solve?n=8&format=ndjson", true, true},
        {"/solve?n=8&limit=70000&distinct=mirror&place=1:1&exclude=2:2&base=0&format=ndjson", true, true},
        {"/solve?n=8&order=lexicographic&algorithm=bitboard&format=ndjson", true, true},
        {"/solve?n=8&board=grid&format=ndjson", true, false},
        {"/solve?n=8&rank=true&format=ndjson", true, false},
        {"/solve?n=8&stats=true&format=ndjson", false, false},
        {"/solve?n=8&symmetry=point&format=ndjson", false, false},
        {"/solve?n=8&sample=9&seed=1&format=ndjson", false, false},
        {"/solve?n=8&a-new-one=true&format=ndjson", false, false},
        {"/solve?n=8&limits=1&format=ndjson", false, false},
        {"/solve?n=8&ran=1&format=ndjson", false, false},
        {"/solve", true, true},
    };
    const struct question none = ask_solve(0, UINT64_MAX, "ndjson"), small = ask_solve(1, UINT64_MAX, "ndjson");
    assert_false(
        parallel_list_suits(&none)); /* a range without rows cannot be left and continued: it has no position */
    assert_true(parallel_list_suits(&small));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct question question = ask_solve(8, UINT64_MAX, "ndjson");
        struct parallel_list *list;
        question.path = cases[i].path;
        assert_int_equal(parallel_list_suits(&question), cases[i].suits);
        assert_int_equal(parallel_list_open(&question, NULL, &list), NQ_OK);
        assert_int_equal(parallel_list_packs(list), cases[i].packs);
        parallel_list_close(list);
    }
}

/* The question may be forgotten once the stream is open. */
TEST(test_the_question_is_copied)
{
    char path[] = "/list?n=8", prefix[] = "/public";
    struct question question = ask_solve(8, 5, "ndjson");
    BYTES(body);
    struct blocker blocker;
    SCOPED(stream_fixture, fixture, 1, 1, 3600);
    ENDED_BY(reader_close) struct reader reader;
    blocker_begin(&blocker, fixture.pool);
    question.path = path;
    question.prefix = prefix;
    assert_int_equal(reader_begin(&reader, &fixture, &question), NQ_OK);
    memset(path, 'x', sizeof path - 1);
    memset(prefix, 'x', sizeof prefix - 1);
    memset(&question, 0xa5, sizeof question);
    blocker_end(&blocker);
    assert_int_equal(read_on(&reader, 100, &body), NQ_END);
    bytes_char(&body, '\0');
    assert_non_null(strstr(body.data, "\"returned\":5,\"next\":\"/public/list?n=8&cursor="));
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
    assert_int_equal(reader_begin(&reader, &fixture, &question), NQ_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(stream_read(reader.stream, to, sizeof to, &got), NQ_AGAIN);
        assert_true(stream_wait(reader.stream)); /* asked more than once, it is still one wake */
    }
    assert_int_equal(reader.sleeper.woken, 0);
    blocker_end(&blocker);
    assert_true(sleeper_sleep(&reader.sleeper));
    assert_int_equal(stream_opened(reader.stream), NQ_OK);
    WAIT_UNTIL(stream_fixture_idle(&fixture));
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

/* How the opening of a stream ends before its task has begun. */
enum ending { DISMISSED, CLOSED, ALL_CLOSED, ENDINGS };

/* Until a thread of the pool has opened it, a stream cannot be read; who is dismissed meanwhile is woken at once,
 * though no thread is free, and who leaves is not. */
TEST(test_left_before_it_opened)
{
    for (int ending = 0; ending < ENDINGS; ending++) {
        const struct question question = ask_solve(8, UINT64_MAX, "ndjson");
        struct stream_fixture fixture;
        struct reader reader;
        struct blocker blocker;
        char byte;
        size_t got;
        stream_fixture_begin(&fixture, 1, 1, 3600);
        blocker_begin(&blocker, fixture.pool);
        assert_int_equal(reader_begin(&reader, &fixture, &question), NQ_OK);
        assert_int_equal(stream_opened(reader.stream), NQ_AGAIN);
        assert_int_equal(stream_read(reader.stream, &byte, 1, &got), NQ_AGAIN);
        assert_true(stream_wait_opened(reader.stream));
        assert_int_equal(streams_stats(fixture.streams).running, 1);
        if (ending == DISMISSED)
            pending_cancel(stream_pending(reader.stream), NQ_TIMEOUT);
        else if (ending == ALL_CLOSED)
            streams_close(fixture.streams);
        if (ending == ALL_CLOSED)
            blocker_end(&blocker);
        if (ending != CLOSED) {
            assert_true(sleeper_sleep(&reader.sleeper));
            assert_false(stream_wait_opened(reader.stream));
            assert_int_equal(stream_opened(reader.stream), ending == DISMISSED ? NQ_TIMEOUT : NQ_CLOSED);
            assert_int_equal(stream_read(reader.stream, &byte, 1, &got), stream_opened(reader.stream));
        }
        reader_close(&reader);
        if (ending != ALL_CLOSED)
            blocker_end(&blocker);
        assert_int_equal(streams_stats(fixture.streams).started, 0);
        assert_int_equal(streams_stats(fixture.streams).cut, 0);
        stream_fixture_end(&fixture);
        assert_int_equal(reader.sleeper.woken, ending != CLOSED);
    }
}

/* A reader who does not read holds nobody: bounded stretches are made ready, then the pool is free. Of all kinds: made
 * in parts, in parts one after the other, and solution by solution. */
static void check_stalled(uint32_t n, const char *format)
{
    enum { AHEAD = 1 << 19 }; /* bytes; the whole list is far longer */
    const struct question question = ask_solve(n, UINT64_MAX, format);
    BYTES(body);
    SCOPED(stream_fixture, fixture, 2, 1, 3600);
    ENDED_BY(reader_close) struct reader reader;
    assert_int_equal(reader_open(&reader, &fixture, &question), NQ_OK);
    WAIT_UNTIL(stream_fixture_idle(&fixture));
    const uint64_t first = streams_stats(fixture.streams).solutions;
    assert_true(first > 0 && first * 2 * n < AHEAD); /* a column takes two bytes and more */
    read_some(&reader, 1, &body);
    assert_true(stream_fixture_idle(&fixture)); /* that made no room */
    read_some(&reader, AHEAD / 2, &body);
    WAIT_UNTIL(stream_fixture_idle(&fixture) && streams_stats(fixture.streams).solutions > first);
    assert_true((streams_stats(fixture.streams).solutions - first) * 2 * n < AHEAD);
}

TEST(test_a_stalled_reader_leaves_the_pool_idle)
{
    check_stalled(14, "ndjson");
    if (!THREAD_SANITIZED)
        check_stalled(14, "csv");
    check_stalled(21, "ndjson");
}

/* One whose time is up before it began still gives what it found, and is cut there. */
TEST(test_lifetime)
{
    const struct question question = ask_solve(12, UINT64_MAX, "ndjson"), endless = ask_solve(64, UINT64_MAX, "ndjson");
    BYTES(body);
    SCOPED(stream_fixture, fixture, 1, 1, 0);
    ENDED_BY(reader_close) struct reader reader;
    assert_int_equal(reader_open(&reader, &fixture, &question), NQ_OK);
    assert_int_equal(read_on(&reader, 1000, &body), NQ_TIMEOUT);
    assert_cut(&question, &body);
    reader_close(&reader);
    assert_int_equal(streams_stats(fixture.streams).cut, 1);
    body.size = 0;
    assert_int_equal(reader_open(&reader, &fixture, &endless), NQ_OK);
    assert_int_equal(read_on(&reader, 1000, &body), NQ_TIMEOUT);
    assert_int_equal(body.size, 0);
}

/* ---- Streams that are dismissed, closed or stopped while they are made, lie ready or are waited for ---- */

static void dismiss(struct reader *reader, enum nq_status why)
{
    pending_cancel(stream_pending(reader->stream), why);
}

static bool is_cut(enum nq_status status)
{
    return status != NQ_OK && status != NQ_END && status != NQ_AGAIN;
}

/* No solution of n = 64 comes before the budget of a lifetime: whoever reads it waits. */
static struct question endless(void)
{
    return ask_solve(64, UINT64_MAX, "ndjson");
}

TEST(test_dismissed_while_it_waits)
{
    const struct question question = endless();
    BYTES(body);
    struct stream_fixture fixture;
    struct reader reader;
    char byte;
    size_t got;
    stream_fixture_begin(&fixture, 1, 1, 3600);
    assert_int_equal(reader_open(&reader, &fixture, &question), NQ_OK);
    WAIT_UNTIL(!stream_fixture_idle(&fixture));
    assert_int_equal(stream_read(reader.stream, &byte, 1, &got), NQ_AGAIN);
    assert_false(stream_wait_opened(reader.stream)); /* it is open: a head does not wait for the first solution */
    assert_true(stream_wait(reader.stream));
    assert_int_equal(reader.sleeper.woken, 0);
    dismiss(&reader, NQ_CANCELLED);
    assert_true(sleeper_sleep(&reader.sleeper));
    WAIT_UNTIL(stream_fixture_idle(&fixture));
    assert_true(is_cut(read_on(&reader, 100, &body)));
    assert_true(is_cut(read_on(&reader, 100, &body))); /* and stays so */
    assert_false(stream_wait(reader.stream));
    dismiss(&reader, NQ_TIMEOUT);
    assert_int_equal(body.size, 0);
    reader_close(&reader);
    assert_int_equal(streams_stats(fixture.streams).cut, 1);
    stream_fixture_end(&fixture);
    assert_int_equal(reader.sleeper.woken, 1);
}

/* What lies ready may still be read; then comes the reason. */
TEST(test_dismissed_while_it_lies_ready)
{
    const struct question question = ask_solve(12, UINT64_MAX, "ndjson");
    BYTES(body);
    SCOPED(stream_fixture, fixture, 1, 1, 3600);
    struct reader reader;
    assert_int_equal(reader_open(&reader, &fixture, &question), NQ_OK);
    WAIT_UNTIL(stream_fixture_idle(&fixture));
    dismiss(&reader, NQ_TIMEOUT);
    dismiss(&reader, NQ_CANCELLED); /* too late to be the reason */
    assert_int_equal(read_on(&reader, 1000, &body), NQ_TIMEOUT);
    assert_true(body.size > 0);
    assert_cut(&question, &body);
    assert_int_equal(reader.waits, 0);
    reader_close(&reader);
    assert_int_equal(streams_stats(fixture.streams).cut, 1); /* once */
    assert_int_equal(reader_open(&reader, &fixture, &question), NQ_OK);
    WAIT_UNTIL(stream_fixture_idle(&fixture));
    reader_close(&reader); /* with more to come */
    assert_int_equal(streams_stats(fixture.streams).cut, 2);
}

/* One that was made to its end is whole, whatever happens before it has been read. */
TEST(test_dismissed_when_all_is_made)
{
    const struct question question = ask_solve(8, UINT64_MAX, "ndjson");
    BYTES(body);
    SCOPED(stream_fixture, fixture, 1, 1, 3600);
    struct reader reader;
    assert_int_equal(reader_open(&reader, &fixture, &question), NQ_OK);
    WAIT_UNTIL(stream_fixture_idle(&fixture));
    dismiss(&reader, NQ_CANCELLED);
    streams_close(fixture.streams);
    assert_int_equal(read_on(&reader, 100, &body), NQ_END);
    assert_whole(&question, &body);
    dismiss(&reader, NQ_CANCELLED);
    assert_int_equal(read_on(&reader, 100, &body), NQ_END);
    reader_close(&reader);
    assert_int_equal(streams_stats(fixture.streams).cut, 0);
}

TEST(test_closed_while_it_is_made)
{
    const struct question question = endless();
    struct reader reader, other;
    SCOPED(stream_fixture, fixture, 1, 2, 3600);
    assert_int_equal(reader_open(&reader, &fixture, &question), NQ_OK);
    assert_int_equal(reader_open(&other, &fixture, &question), NQ_OK);
    WAIT_UNTIL(pool_stats(fixture.pool).running == 1);
    reader_close(&reader);
    assert_int_equal(streams_stats(fixture.streams).running, 1);
    reader_close(&other);
    WAIT_UNTIL(stream_fixture_idle(&fixture)); /* the search stops */
}

/* What is left waits for no thread, though all places are taken. */
TEST(test_left_while_it_queues)
{
    const struct question question = ask_solve(12, UINT64_MAX, "ndjson");
    struct reader closed, dismissed;
    struct blocker blocker;
    SCOPED(stream_fixture, fixture, 1, 2, 3600);
    blocker_begin(&blocker, fixture.pool);
    assert_int_equal(reader_begin(&closed, &fixture, &question), NQ_OK);
    assert_int_equal(reader_begin(&dismissed, &fixture, &question), NQ_OK);
    assert_true(pool_stats(fixture.pool).queued > 1);
    reader_close(&closed);
    pending_cancel(stream_pending(dismissed.stream), NQ_CANCELLED);
    WAIT_UNTIL(pool_stats(fixture.pool).queued == 0 && pool_stats(fixture.pool).running == 1);
    reader_close(&dismissed);
    blocker_end(&blocker);
}

/* Nothing wakes a reader who waited and then left. */
TEST(test_closed_while_it_waits)
{
    const struct question question = ask_solve(8, UINT64_MAX, "ndjson");
    struct stream_fixture fixture;
    struct reader reader;
    struct blocker blocker;
    char byte;
    size_t got;
    stream_fixture_begin(&fixture, 1, 1, 3600);
    blocker_begin(&blocker, fixture.pool);
    assert_int_equal(reader_begin(&reader, &fixture, &question), NQ_OK);
    assert_int_equal(stream_read(reader.stream, &byte, 1, &got), NQ_AGAIN);
    assert_true(stream_wait(reader.stream));
    reader_close(&reader);
    blocker_end(&blocker);
    stream_fixture_end(&fixture);
    assert_int_equal(reader.sleeper.woken, 0);
}

/* The watcher may hold a stream longer than its reader does. */
TEST(test_it_outlives_its_reader)
{
    const struct question questions[] = {endless(), ask_solve(12, UINT64_MAX, "ndjson")};
    for (int i = 0; i < 2; i++) {
        struct stream_fixture fixture;
        struct reader reader;
        stream_fixture_begin(&fixture, 1, 1, 3600);
        assert_int_equal(reader_open(&reader, &fixture, &questions[i]), NQ_OK);
        struct pending *pending = stream_pending(reader.stream);
        pending_ref(pending);
        reader_close(&reader);
        pending_cancel(pending, NQ_CANCELLED);
        pending_unref(pending);
        stream_fixture_end(&fixture);
        assert_int_equal(reader.sleeper.woken, 0);
    }
}

/* All are dismissed: who waits is woken, who has something ready finds the cut behind it. Reading goes on after the
 * pool has stopped, too: libmicrohttpd's thread ends later. */
TEST(test_streams_close)
{
    enum { WAITING, STALLED, UNREAD, SHORT, STREAMS };
    const struct question questions[STREAMS] = {endless(), ask_solve(12, UINT64_MAX, "ndjson"), endless(),
                                                ask_solve(8, UINT64_MAX, "ndjson")};
    for (int stopped = 0; stopped < 2; stopped++) {
        struct stream_fixture fixture;
        struct reader readers[STREAMS];
        char byte;
        size_t got;
        stream_fixture_begin(&fixture, stopped ? 1 : 2, STREAMS, 3600);
        for (int i = 0; i < STREAMS; i++)
            assert_int_equal(reader_open(&readers[i], &fixture, &questions[i]), NQ_OK);
        assert_int_equal(stream_read(readers[WAITING].stream, &byte, 1, &got), NQ_AGAIN);
        assert_true(stream_wait(readers[WAITING].stream));
        WAIT_UNTIL(streams_stats(fixture.streams).solutions > 0); /* one lies ready */
        streams_close(fixture.streams);
        if (stopped) {
            pool_stop(fixture.pool);
            fixture.stopped = true;
            assert_true(stream_fixture_idle(&fixture));
        }
        assert_true(sleeper_sleep(&readers[WAITING].sleeper));
        assert_int_equal(readers[UNREAD].sleeper.woken, 0);
        for (int i = 0; i < STREAMS; i++) {
            BYTES(body);
            const enum nq_status status = read_on(&readers[i], 1000, &body);
            assert_true(is_cut(status) || (i == SHORT && status == NQ_END));
            if (is_cut(status) && i % 2)
                assert_cut(&questions[i], &body);
            if (stopped)
                assert_int_equal(readers[i].waits, 0); /* what will not come is not waited for */
            reader_close(&readers[i]);
        }
        stream_fixture_end(&fixture);
    }
}

enum { READERS = 4, ROUNDS = THREAD_SANITIZED ? 12 : 25 };

struct crowd {
    struct stream_fixture fixture;
    struct bytes whole;
    struct question question;
    pthread_mutex_t lock;
    struct pending *open[READERS]; /* the lock guards them: whoever dismisses holds a reference */
    unsigned ended[READERS], cut[READERS], wrong[READERS];
    atomic_uint gone;
};

struct member {
    struct crowd *crowd;
    unsigned number;
};

static void show(struct crowd *crowd, unsigned number, struct pending *pending)
{
    pthread_mutex_lock(&crowd->lock);
    crowd->open[number] = pending;
    pthread_mutex_unlock(&crowd->lock);
}

static void *read_streams(void *context)
{
    const struct member *member = context;
    struct crowd *crowd = member->crowd;
    const unsigned number = member->number;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct reader reader;
        BYTES(body);
        if (reader_begin(&reader, &crowd->fixture, &crowd->question) != NQ_OK) {
            crowd->wrong[number]++;
            break;
        }
        show(crowd, number, stream_pending(reader.stream));
        enum nq_status status = read_on(&reader, 5000 + 1000 * round, &body);
        show(crowd, number, NULL);
        bool begins = body.size <= crowd->whole.size && memcmp(body.data, crowd->whole.data, body.size) == 0;
        bool whole = body.size == crowd->whole.size;
        crowd->ended[number] += status == NQ_END && begins && whole;
        crowd->cut[number] += is_cut(status) && begins && !whole;
        reader_close(&reader);
    }
    atomic_fetch_add(&crowd->gone, 1);
    return NULL;
}

/* Many read at once, one on two always undisturbed, while the others are now and then dismissed. */
TEST(test_many_readers)
{
    struct crowd crowd = {.question = ask_solve(11, UINT64_MAX, "ndjson")};
    struct member members[READERS];
    pthread_t threads[READERS];
    uint64_t dice = 1;
    crowd.whole = whole_body(&crowd.question);
    stream_fixture_begin(&crowd.fixture, 2, READERS, 3600);
    assert_int_equal(pthread_mutex_init(&crowd.lock, NULL), 0);
    for (unsigned i = 0; i < READERS; i++) {
        members[i] = (struct member){&crowd, i};
        start(&threads[i], read_streams, &members[i]);
    }
    while (atomic_load(&crowd.gone) < READERS) {
        const unsigned number = 2 * facts_below(&dice, READERS / 2);
        pthread_mutex_lock(&crowd.lock);
        struct pending *pending = crowd.open[number];
        if (pending)
            pending_ref(pending);
        pthread_mutex_unlock(&crowd.lock);
        if (pending) {
            pending_cancel(pending, NQ_CANCELLED);
            pending_unref(pending);
        }
        asking_pause();
    }
    unsigned ended = 0;
    for (unsigned i = 0; i < READERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        ended += crowd.ended[i];
        assert_int_equal(crowd.wrong[i], 0);
        assert_int_equal(crowd.ended[i] + crowd.cut[i], ROUNDS);
        if (i % 2)
            assert_int_equal(crowd.ended[i], ROUNDS);
    }
    const struct stream_stats stats =
        streams_stats(crowd.fixture.streams); /* some were dismissed before they were open */
    assert_int_equal(stats.started, ended + stats.cut);
    stream_fixture_end(&crowd.fixture);
    (void)pthread_mutex_destroy(&crowd.lock);
    bytes_free(&crowd.whole);
}

/* ---- No memory for the end: cut, in whatever pieces it is read, and also when there is memory again ---- */

/* Room for 92 solutions, and for their end. */
enum { ALL = 1 << 16 };

/* Once all solutions are made, only the end needs memory. */
static void check_no_end(const struct question *question, size_t piece)
{
    static char body[ALL + 1];
    size_t size = 0, got = 0;
    struct reader reader;
    enum nq_status status = NQ_OK;
    SCOPED(stream_fixture, fixture, 1, 1, 3600);
    assert_int_equal(reader_open(&reader, &fixture, question), NQ_OK);
    WAIT_UNTIL(stream_fixture_idle(&fixture));
    atomic_store(&bytes_failing_after, 0);
    while (size + piece <= ALL && (status = stream_read(reader.stream, body + size, piece, &got)) == NQ_OK)
        size += got;
    atomic_store(&bytes_failing_after, SIZE_MAX);
    assert_int_equal(status, NQ_NOMEM);
    assert_int_equal(got, 0);
    assert_true(size > 0);
    if (!question->compressed) {
        const struct bytes all = {.data = body, .size = size};
        assert_cut(question, &all);
        assert_int_equal(count_lines(&all), facts_term("all", 8));
    }
    assert_int_equal(stream_read(reader.stream, body, piece, &got), NQ_NOMEM);
    assert_int_equal(got, 0);
    assert_false(stream_wait(reader.stream));
    reader_close(&reader);
    assert_int_equal(streams_stats(fixture.streams).cut, 1);
}

TEST(test_no_memory_for_the_end)
{
    static const size_t pieces[] = {1, 36, 1000, ALL / 2};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        struct question question = ask_solve(8, UINT64_MAX, "ndjson");
        check_no_end(&question, pieces[i]);
        question.compressed = true;
        check_no_end(&question, pieces[i]);
    }
}
