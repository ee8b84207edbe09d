/* test_stream_cut.c - tests of src/engine/lists/stream.c: streams that are dismissed, closed or stopped while they are
 * made, lie ready or are waited for. A cut stream never looks complete, and nothing is left running for it. */
/* CI builds: address thread */
#include "support/stream_reader.h"

static void dismiss(struct reader *reader, enum nq_status why)
{
    struct cancellable *cancellable = stream_cancellable(reader->stream);
    cancellable->dismiss(cancellable, why);
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

/* Every stream that does not come to its end counts as cut, once, whoever ended it and when. */
TEST(test_every_cut_is_counted)
{
    const struct question question = ask_solve(12, UINT64_MAX, "ndjson");
    BYTES(body);
    struct reader reader;
    SCOPED(stream_fixture, fixture, 1, 1, 3600);
    assert_int_equal(reader_open(&reader, &fixture, &question), NQ_OK);
    WAIT_UNTIL(stream_fixture_idle(&fixture));
    dismiss(&reader, NQ_CANCELLED); /* a stalled reader, who is then found to have left */
    assert_int_equal(read_on(&reader, 1000, &body), NQ_CANCELLED);
    reader_close(&reader);
    assert_int_equal(streams_stats(fixture.streams).cut, 1);
    assert_int_equal(reader_open(&reader, &fixture, &question), NQ_OK);
    WAIT_UNTIL(stream_fixture_idle(&fixture));
    reader_close(&reader); /* closed with more to come */
    assert_int_equal(streams_stats(fixture.streams).cut, 2);
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
    assert_int_equal(reader_open(&closed, &fixture, &question), NQ_OK);
    assert_int_equal(reader_open(&dismissed, &fixture, &question), NQ_OK);
    assert_true(pool_stats(fixture.pool).queued > 1);
    reader_close(&closed);
    stream_cancellable(dismissed.stream)->dismiss(stream_cancellable(dismissed.stream), NQ_CANCELLED);
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
    assert_int_equal(reader_open(&reader, &fixture, &question), NQ_OK);
    assert_int_equal(stream_read(reader.stream, &byte, 1, &got), NQ_AGAIN);
    assert_true(stream_wait(reader.stream));
    reader_close(&reader);
    blocker_end(&blocker);
    stream_fixture_end(&fixture);
    assert_int_equal(reader.sleeper.woken, 0);
}

/* The watcher may hold a stream longer than its reader does. */
TEST(test_a_cancellable_outlives_its_reader)
{
    const struct question questions[] = {endless(), ask_solve(12, UINT64_MAX, "ndjson")};
    for (int i = 0; i < 2; i++) {
        struct stream_fixture fixture;
        struct reader reader;
        stream_fixture_begin(&fixture, 1, 1, 3600);
        assert_int_equal(reader_open(&reader, &fixture, &questions[i]), NQ_OK);
        struct cancellable *cancellable = stream_cancellable(reader.stream);
        cancellable_ref(cancellable);
        reader_close(&reader);
        cancellable->dismiss(cancellable, NQ_CANCELLED);
        cancellable_unref(cancellable);
        stream_fixture_end(&fixture);
        assert_int_equal(reader.sleeper.woken, 0);
    }
}

/* All are dismissed: who waits is woken, who has something ready finds the cut behind it. */
TEST(test_streams_close)
{
    enum { WAITING, STALLED, STREAMS };
    const struct question questions[STREAMS] = {endless(), ask_solve(12, UINT64_MAX, "ndjson")};
    BYTES(body);
    SCOPED(stream_fixture, fixture, 2, STREAMS + 1, 3600);
    struct reader readers[STREAMS], late;
    char byte;
    size_t got;
    for (int i = 0; i < STREAMS; i++)
        assert_int_equal(reader_open(&readers[i], &fixture, &questions[i]), NQ_OK);
    assert_int_equal(stream_read(readers[WAITING].stream, &byte, 1, &got), NQ_AGAIN);
    assert_true(stream_wait(readers[WAITING].stream));
    WAIT_UNTIL(streams_stats(fixture.streams).solutions > 0);
    streams_close(fixture.streams);
    assert_int_equal(reader_open(&late, &fixture, &questions[0]), NQ_CLOSED);
    assert_true(sleeper_sleep(&readers[WAITING].sleeper));
    assert_true(is_cut(read_on(&readers[WAITING], 1000, &body)));
    assert_int_equal(body.size, 0);
    assert_true(is_cut(read_on(&readers[STALLED], 1000, &body)));
    assert_cut(&questions[STALLED], &body);
    for (int i = 0; i < STREAMS; i++)
        reader_close(&readers[i]);
}

/* Reading goes on after the pool has stopped: libmicrohttpd's thread ends later. */
TEST(test_read_after_the_pool_has_stopped)
{
    const struct question questions[] = {endless(), ask_solve(12, UINT64_MAX, "ndjson"), endless(),
                                         ask_solve(8, UINT64_MAX, "ndjson")};
    enum { STREAMS = sizeof questions / sizeof questions[0] };
    BYTES(body);
    struct stream_fixture fixture;
    struct reader readers[STREAMS];
    char byte;
    size_t got;
    stream_fixture_begin(&fixture, 1, STREAMS, 3600);
    for (int i = 0; i < STREAMS; i++)
        assert_int_equal(reader_open(&readers[i], &fixture, &questions[i]), NQ_OK);
    assert_int_equal(stream_read(readers[0].stream, &byte, 1, &got), NQ_AGAIN);
    assert_true(stream_wait(readers[0].stream));
    WAIT_UNTIL(streams_stats(fixture.streams).solutions > 0); /* one lies ready */
    streams_close(fixture.streams);
    pool_stop(fixture.pool);
    assert_int_equal(readers[0].sleeper.woken, 1);
    assert_int_equal(readers[2].sleeper.woken, 0);
    assert_true(stream_fixture_idle(&fixture));
    for (int i = 0; i < STREAMS; i++) {
        enum nq_status status = read_on(&readers[i], 1000, &body);
        assert_true(is_cut(status) || (i == 3 && status == NQ_END));
        assert_int_equal(readers[i].waits, 0); /* what will not come is not waited for */
        reader_close(&readers[i]);
    }
    streams_free(fixture.streams);
    pool_free(fixture.pool);
}

enum { READERS = 4, ROUNDS = 25 };

struct crowd {
    struct stream_fixture fixture;
    struct bytes whole;
    struct question question;
    pthread_mutex_t lock;
    struct cancellable *open[READERS]; /* the lock guards them: whoever dismisses holds a reference */
    unsigned ended[READERS], cut[READERS], wrong[READERS];
    atomic_uint gone;
};

struct member {
    struct crowd *crowd;
    unsigned number;
};

static void show(struct crowd *crowd, unsigned number, struct cancellable *cancellable)
{
    pthread_mutex_lock(&crowd->lock);
    crowd->open[number] = cancellable;
    pthread_mutex_unlock(&crowd->lock);
}

static void *read_streams(void *context)
{
    const struct member *member = context;
    struct crowd *crowd = member->crowd;
    const unsigned number = member->number;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct reader reader;
        struct bytes body = {0};
        if (reader_open(&reader, &crowd->fixture, &crowd->question) != NQ_OK) {
            crowd->wrong[number]++;
            break;
        }
        show(crowd, number, stream_cancellable(reader.stream));
        enum nq_status status = read_on(&reader, 5000 + 1000 * round, &body);
        show(crowd, number, NULL);
        bool begins = body.size <= crowd->whole.size && memcmp(body.data, crowd->whole.data, body.size) == 0;
        bool whole = body.size == crowd->whole.size;
        crowd->ended[number] += status == NQ_END && begins && whole;
        crowd->cut[number] += is_cut(status) && begins && !whole;
        reader_close(&reader);
        bytes_free(&body);
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
        struct cancellable *cancellable = crowd.open[number];
        if (cancellable)
            cancellable_ref(cancellable);
        pthread_mutex_unlock(&crowd.lock);
        if (cancellable) {
            cancellable->dismiss(cancellable, NQ_CANCELLED);
            cancellable_unref(cancellable);
        }
        asking_pause();
    }
    for (unsigned i = 0; i < READERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(crowd.wrong[i], 0);
        assert_int_equal(crowd.ended[i] + crowd.cut[i], ROUNDS);
        if (i % 2)
            assert_int_equal(crowd.ended[i], ROUNDS);
    }
    assert_int_equal(streams_stats(crowd.fixture.streams).started, READERS * ROUNDS);
    stream_fixture_end(&crowd.fixture);
    (void)pthread_mutex_destroy(&crowd.lock);
    bytes_free(&crowd.whole);
}
