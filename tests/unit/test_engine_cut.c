/* test_engine_cut.c - tests of src/engine/stream.c: streams that are dismissed, closed or stopped while they are made,
 * lie ready or are waited for. A cut stream never looks complete, and nothing is left running for it. */
#include <string.h>

#include "reading.h"

static void dismiss(struct reader *reader, enum nq_status why)
{
    struct party *party = stream_party(reader->stream);
    party->dismiss(party, why);
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

static void test_dismissed_while_it_waits(void **state)
{
    (void)state;
    const struct question question = endless();
    struct bytes body = {0};
    struct bed bed;
    struct reader reader;
    char byte;
    size_t got;
    bed_begin(&bed, 1, 1, 3600);
    assert_int_equal(reader_open(&reader, &bed, &question), NQ_OK);
    WAIT_UNTIL(!bed_idle(&bed));
    assert_int_equal(stream_read(reader.stream, &byte, 1, &got), NQ_AGAIN);
    assert_true(stream_wait(reader.stream));
    assert_int_equal(reader.sleeper.woken, 0);
    dismiss(&reader, NQ_CANCELLED);
    assert_true(sleeper_sleep(&reader.sleeper));
    WAIT_UNTIL(bed_idle(&bed));
    assert_true(is_cut(read_on(&reader, 100, &body)));
    assert_true(is_cut(read_on(&reader, 100, &body))); /* and stays so */
    assert_false(stream_wait(reader.stream));
    dismiss(&reader, NQ_TIMEOUT);
    assert_int_equal(body.size, 0);
    reader_close(&reader);
    assert_int_equal(streams_figures(bed.streams).cut, 1);
    bed_end(&bed);
    assert_int_equal(reader.sleeper.woken, 1);
    bytes_free(&body);
}

/* What lies ready may still be read; then comes the reason. */
static void test_dismissed_while_it_lies_ready(void **state)
{
    (void)state;
    const struct question question = ask_solve(12, UINT64_MAX, "ndjson");
    struct bytes whole = whole_body(&question), body = {0};
    struct bed bed;
    struct reader reader;
    bed_begin(&bed, 1, 1, 3600);
    assert_int_equal(reader_open(&reader, &bed, &question), NQ_OK);
    WAIT_UNTIL(bed_idle(&bed));
    dismiss(&reader, NQ_TIMEOUT);
    dismiss(&reader, NQ_CANCELLED); /* too late to be the reason */
    assert_int_equal(read_on(&reader, 1000, &body), NQ_TIMEOUT);
    assert_true(body.size > 0 && body.size < whole.size);
    assert_begins_with(&whole, &body);
    assert_int_equal(reader.waits, 0);
    reader_close(&reader);
    bed_end(&bed);
    bytes_free(&whole);
    bytes_free(&body);
}

/* One that was made to its end is whole, whatever happens before it has been read. */
static void test_dismissed_when_all_is_made(void **state)
{
    (void)state;
    const struct question question = ask_solve(8, UINT64_MAX, "ndjson");
    struct bytes whole = whole_body(&question), body = {0};
    struct bed bed;
    struct reader reader;
    bed_begin(&bed, 1, 1, 3600);
    assert_int_equal(reader_open(&reader, &bed, &question), NQ_OK);
    WAIT_UNTIL(bed_idle(&bed));
    dismiss(&reader, NQ_CANCELLED);
    streams_close(bed.streams);
    assert_int_equal(read_on(&reader, 100, &body), NQ_END);
    assert_int_equal(body.size, whole.size);
    assert_begins_with(&whole, &body);
    dismiss(&reader, NQ_CANCELLED);
    assert_int_equal(read_on(&reader, 100, &body), NQ_END);
    reader_close(&reader);
    assert_int_equal(streams_figures(bed.streams).cut, 0);
    bed_end(&bed);
    bytes_free(&whole);
    bytes_free(&body);
}

/* Every stream that does not come to its end counts as cut, once, whoever ended it and when. */
static void test_every_cut_is_counted(void **state)
{
    (void)state;
    const struct question question = ask_solve(12, UINT64_MAX, "ndjson");
    struct bytes body = {0};
    struct bed bed;
    struct reader reader;
    bed_begin(&bed, 1, 1, 3600);
    assert_int_equal(reader_open(&reader, &bed, &question), NQ_OK);
    WAIT_UNTIL(bed_idle(&bed));
    dismiss(&reader, NQ_CANCELLED); /* a stalled reader, who is then found to have left */
    assert_int_equal(read_on(&reader, 1000, &body), NQ_CANCELLED);
    reader_close(&reader);
    assert_int_equal(streams_figures(bed.streams).cut, 1);
    assert_int_equal(reader_open(&reader, &bed, &question), NQ_OK);
    WAIT_UNTIL(bed_idle(&bed));
    reader_close(&reader); /* closed with more to come */
    assert_int_equal(streams_figures(bed.streams).cut, 2);
    bed_end(&bed);
    bytes_free(&body);
}

static void test_closed_while_it_is_made(void **state)
{
    (void)state;
    const struct question question = endless();
    struct bed bed;
    struct reader reader, other;
    bed_begin(&bed, 1, 2, 3600);
    assert_int_equal(reader_open(&reader, &bed, &question), NQ_OK);
    assert_int_equal(reader_open(&other, &bed, &question), NQ_OK);
    WAIT_UNTIL(pool_figures(bed.pool).running == 1);
    reader_close(&reader);
    assert_int_equal(streams_figures(bed.streams).running, 1);
    reader_close(&other);
    WAIT_UNTIL(bed_idle(&bed)); /* the search stops */
    bed_end(&bed);
}

/* Nothing wakes a reader who waited and then left. */
static void test_closed_while_it_waits(void **state)
{
    (void)state;
    const struct question question = ask_solve(8, UINT64_MAX, "ndjson");
    struct bed bed;
    struct reader reader;
    struct plug plug;
    char byte;
    size_t got;
    bed_begin(&bed, 1, 1, 3600);
    plug_in(&plug, bed.pool);
    assert_int_equal(reader_open(&reader, &bed, &question), NQ_OK);
    assert_int_equal(stream_read(reader.stream, &byte, 1, &got), NQ_AGAIN);
    assert_true(stream_wait(reader.stream));
    reader_close(&reader);
    plug_out(&plug);
    bed_end(&bed);
    assert_int_equal(reader.sleeper.woken, 0);
}

/* The watcher may hold a stream longer than its reader does. */
static void test_a_party_outlives_its_reader(void **state)
{
    (void)state;
    const struct question questions[] = {endless(), ask_solve(12, UINT64_MAX, "ndjson")};
    for (int i = 0; i < 2; i++) {
        struct bed bed;
        struct reader reader;
        bed_begin(&bed, 1, 1, 3600);
        assert_int_equal(reader_open(&reader, &bed, &questions[i]), NQ_OK);
        struct party *party = stream_party(reader.stream);
        party_ref(party);
        reader_close(&reader);
        party->dismiss(party, NQ_CANCELLED);
        party_unref(party);
        bed_end(&bed);
        assert_int_equal(reader.sleeper.woken, 0);
    }
}

/* All are dismissed: who waits is woken, who has something ready finds the cut behind it. */
static void test_streams_close(void **state)
{
    (void)state;
    enum { WAITING, STALLED, STREAMS };
    const struct question questions[STREAMS] = {endless(), ask_solve(12, UINT64_MAX, "ndjson")};
    struct bytes whole = whole_body(&questions[STALLED]), body = {0};
    struct bed bed;
    struct reader readers[STREAMS], late;
    char byte;
    size_t got;
    bed_begin(&bed, 2, STREAMS + 1, 3600);
    for (int i = 0; i < STREAMS; i++)
        assert_int_equal(reader_open(&readers[i], &bed, &questions[i]), NQ_OK);
    assert_int_equal(stream_read(readers[WAITING].stream, &byte, 1, &got), NQ_AGAIN);
    assert_true(stream_wait(readers[WAITING].stream));
    WAIT_UNTIL(streams_figures(bed.streams).solutions > 0);
    streams_close(bed.streams);
    assert_int_equal(reader_open(&late, &bed, &questions[0]), NQ_CLOSED);
    assert_true(sleeper_sleep(&readers[WAITING].sleeper));
    assert_true(is_cut(read_on(&readers[WAITING], 1000, &body)));
    assert_int_equal(body.size, 0);
    assert_true(is_cut(read_on(&readers[STALLED], 1000, &body)));
    assert_true(body.size < whole.size);
    assert_begins_with(&whole, &body);
    for (int i = 0; i < STREAMS; i++)
        reader_close(&readers[i]);
    bed_end(&bed);
    bytes_free(&whole);
    bytes_free(&body);
}

/* Reading goes on after the pool has stopped: libmicrohttpd's thread ends later. */
static void test_read_after_the_pool_has_stopped(void **state)
{
    (void)state;
    const struct question questions[] = {endless(), ask_solve(12, UINT64_MAX, "ndjson"), endless(),
                                         ask_solve(8, UINT64_MAX, "ndjson")};
    enum { STREAMS = sizeof questions / sizeof questions[0] };
    struct bytes body = {0};
    struct bed bed;
    struct reader readers[STREAMS];
    char byte;
    size_t got;
    bed_begin(&bed, 1, STREAMS, 3600);
    for (int i = 0; i < STREAMS; i++)
        assert_int_equal(reader_open(&readers[i], &bed, &questions[i]), NQ_OK);
    assert_int_equal(stream_read(readers[0].stream, &byte, 1, &got), NQ_AGAIN);
    assert_true(stream_wait(readers[0].stream));
    WAIT_UNTIL(streams_figures(bed.streams).solutions > 0); /* one lies ready */
    streams_close(bed.streams);
    pool_stop(bed.pool);
    assert_int_equal(readers[0].sleeper.woken, 1);
    assert_int_equal(readers[2].sleeper.woken, 0);
    assert_true(bed_idle(&bed));
    for (int i = 0; i < STREAMS; i++) {
        enum nq_status status = read_on(&readers[i], 1000, &body);
        assert_true(is_cut(status) || (i == 3 && status == NQ_END));
        assert_int_equal(readers[i].waits, 0); /* what will not come is not waited for */
        reader_close(&readers[i]);
    }
    streams_free(bed.streams);
    pool_free(bed.pool);
    bytes_free(&body);
}

enum { READERS = 4, ROUNDS = 25 };

struct crowd {
    struct bed bed;
    struct bytes whole;
    struct question question;
    pthread_mutex_t lock;
    struct party *open[READERS]; /* the lock guards them: whoever dismisses holds a reference */
    unsigned ended[READERS], cut[READERS], wrong[READERS];
    atomic_uint gone;
};

struct member {
    struct crowd *crowd;
    unsigned number;
};

static void show(struct crowd *crowd, unsigned number, struct party *party)
{
    pthread_mutex_lock(&crowd->lock);
    crowd->open[number] = party;
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
        if (reader_open(&reader, &crowd->bed, &crowd->question) != NQ_OK) {
            crowd->wrong[number]++;
            break;
        }
        show(crowd, number, stream_party(reader.stream));
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
static void test_many_readers(void **state)
{
    (void)state;
    struct crowd crowd = {.question = ask_solve(11, UINT64_MAX, "ndjson")};
    struct member members[READERS];
    pthread_t threads[READERS];
    uint64_t dice = 1;
    crowd.whole = whole_body(&crowd.question);
    bed_begin(&crowd.bed, 2, READERS, 3600);
    assert_int_equal(pthread_mutex_init(&crowd.lock, NULL), 0);
    for (unsigned i = 0; i < READERS; i++) {
        members[i] = (struct member){&crowd, i};
        start(&threads[i], read_streams, &members[i]);
    }
    while (atomic_load(&crowd.gone) < READERS) {
        const unsigned number = 2 * facts_below(&dice, READERS / 2);
        pthread_mutex_lock(&crowd.lock);
        struct party *party = crowd.open[number];
        if (party)
            party_ref(party);
        pthread_mutex_unlock(&crowd.lock);
        if (party) {
            party->dismiss(party, NQ_CANCELLED);
            party_unref(party);
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
    assert_int_equal(streams_figures(crowd.bed.streams).started, READERS * ROUNDS);
    bed_end(&crowd.bed);
    (void)pthread_mutex_destroy(&crowd.lock);
    bytes_free(&crowd.whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dismissed_while_it_waits),        cmocka_unit_test(test_dismissed_while_it_lies_ready),
        cmocka_unit_test(test_dismissed_when_all_is_made),      cmocka_unit_test(test_every_cut_is_counted),
        cmocka_unit_test(test_closed_while_it_is_made),         cmocka_unit_test(test_closed_while_it_waits),
        cmocka_unit_test(test_a_party_outlives_its_reader),     cmocka_unit_test(test_streams_close),
        cmocka_unit_test(test_read_after_the_pool_has_stopped), cmocka_unit_test(test_many_readers),
    };
    return cmocka_run_group_tests_name("cut", tests, NULL, NULL);
}
