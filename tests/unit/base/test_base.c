/* test_base.c - tests of src/base: the growing run of bytes, the hash, the clock and the words for statuses. */
/* CI builds: address thread */
#include <ctype.h>
#include <sched.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/status.h"
#include "base/stop.h"
#include "base/timed.h"
#include "support/facts.h"

static void assert_holds(const struct bytes *bytes, const char *text)
{
    assert_false(bytes->failed);
    assert_int_equal(bytes->size, strlen(text));
    assert_memory_equal(bytes->data, text, bytes->size);
}

TEST(test_bytes_append)
{
    BYTES(bytes);
    bytes_text(&bytes, "");
    assert_int_equal(bytes.size, 0);
    bytes_text(&bytes, "queens");
    bytes_char(&bytes, ' ');
    bytes_add(&bytes, "on a board", 4);
    bytes_add(&bytes, NULL, 0);
    assert_holds(&bytes, "queens on a");
    bytes_free(&bytes);
    assert_null(bytes.data);
    assert_int_equal(bytes.size, 0);
    assert_int_equal(bytes.capacity, 0);
}

/* Every byte value, zeros included, in pieces of every length across several growths. */
TEST(test_bytes_growth)
{
    enum { PIECES = 400 };
    BYTES(bytes);
    char piece[PIECES] = {0};
    for (size_t length = 0; length < PIECES; length++) {
        for (size_t i = 0; i < length; i++)
            piece[i] = (char)(bytes.size + i);
        bytes_add(&bytes, piece, length);
    }
    assert_false(bytes.failed);
    assert_int_equal(bytes.size, PIECES * (PIECES - 1) / 2);
    assert_true(bytes.capacity >= bytes.size);
    for (size_t i = 0; i < bytes.size; i++)
        if (bytes.data[i] != (char)i)
            fail_msg("byte %zu changed", i);
}

TEST(test_bytes_reserve)
{
    BYTES(bytes);
    bytes_text(&bytes, "abc");
    char *to = bytes_reserve(&bytes, 100000);
    assert_ptr_equal(to, bytes.data + 3);
    assert_true(bytes.capacity - bytes.size >= 100000);
    assert_holds(&bytes, "abc");
    memset(to, 'x', 100000);
    bytes.size += 2;
    bytes_char(&bytes, '!');
    assert_holds(&bytes, "abcxx!");
}

TEST(test_bytes_number)
{
    static const uint64_t numbers[] = {
        0, 1, 9, 10, 11, 99, 100, 4294967295, 4294967296, 9999999999999999999u, 10000000000000000000u, UINT64_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        BYTES(bytes);
        char text[24];
        (void)snprintf(text, sizeof text, "=%llu", (unsigned long long)numbers[i]);
        bytes_char(&bytes, '=');
        bytes_number(&bytes, numbers[i]);
        assert_holds(&bytes, text);
    }
}

TEST(test_bytes_format)
{
    BYTES(bytes);
    bytes_format(&bytes, "%s has %d", "n=8", 92);
    bytes_format(&bytes, "%s", "");
    assert_holds(&bytes, "n=8 has 92");
    bytes_free(&bytes);

    size_t written = 0;
    for (int width = 1; width < 1200; width++) { /* whatever room there happens to be */
        bytes_format(&bytes, "%*d", width, 7);
        written += (size_t)width;
        assert_int_equal(bytes.size, written);
        assert_int_equal(bytes.data[written - 1], '7');
        for (int i = 2; i <= width; i++)
            assert_int_equal(bytes.data[written - (size_t)i], ' ');
    }
    assert_false(bytes.failed);
}

TEST(test_bytes_take)
{
    struct bytes bytes = {0};
    char *text = bytes_take(&bytes);
    assert_string_equal(text, "");
    free(text);

    for (size_t length = 250; length < 260; length++) { /* around the first capacity: room for the NUL must be made */
        for (size_t i = 0; i < length; i++)
            bytes_char(&bytes, 'q');
        text = bytes_take(&bytes);
        assert_int_equal(strlen(text), length);
        assert_null(bytes.data);
        assert_int_equal(bytes.size, 0);
        free(text);
    }
}

TEST(test_bytes_failure_sticks)
{
    struct bytes bytes = {0};
    bytes_text(&bytes, "before");
    assert_null(bytes_reserve(&bytes, SIZE_MAX));
    assert_true(bytes.failed);
    bytes_text(&bytes, "after");
    bytes_char(&bytes, '!');
    bytes_number(&bytes, 1);
    bytes_format(&bytes, "%d", 1);
    assert_null(bytes_reserve(&bytes, 1));
    assert_true(bytes.failed);
    assert_int_equal(bytes.size, 6);
    assert_null(bytes_take(&bytes));
    assert_null(bytes.data);
    assert_false(bytes.failed); /* taken is taken: the struct may be used again */
}

/* The vectors are those of the FNV page of L. C. Noll. */
TEST(test_hash_vectors)
{
    assert_int_equal(hash_bytes(HASH_START, "", 0), UINT64_C(0xcbf29ce484222325));
    assert_int_equal(hash_bytes(HASH_START, "a", 1), UINT64_C(0xaf63dc4c8601ec8c));
    assert_int_equal(hash_bytes(HASH_START, "foobar", 6), UINT64_C(0x85944171f73967e8));
    assert_int_equal(hash_bytes(hash_bytes(HASH_START, "foo", 3), "bar", 3), UINT64_C(0x85944171f73967e8));
    assert_int_equal(hash_bytes(HASH_START, "\xff\0\0\1", 4), UINT64_C(0x6961196491cc682d));
}

TEST(test_hash_text_keeps_words_apart)
{
    assert_int_equal(hash_text(HASH_START, "ab"), hash_bytes(HASH_START, "ab", 3));
    uint64_t one = hash_text(hash_text(HASH_START, "ab"), "c"), other = hash_text(hash_text(HASH_START, "a"), "bc");
    assert_int_not_equal(one, other);
    assert_int_not_equal(hash_text(HASH_START, ""), HASH_START);
}

static uint64_t system_clock(void)
{
    struct timespec now;
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

TEST(test_clock_is_the_monotonic_one)
{
    for (int i = 0; i < 1000; i++) {
        uint64_t before = system_clock(), now = clock_now() + atomic_load(&clock_skipped), after = system_clock();
        assert_true(before <= now);
        assert_true(now <= after);
    }
}

/* Nobody beats for longer than a gap: the clock stands still, goes on from there with the next beat, and has lost what
 * was beyond the gap. It never goes back. */
TEST(test_clock_skips_gaps)
{
    const struct timespec longer = {.tv_sec = 1, .tv_nsec = 300 * (long)CLOCK_MILLISECOND};
    const uint64_t before = system_clock();
    clock_beat();
    const uint64_t begin = clock_now();
    assert_int_equal(nanosleep(&longer, NULL), 0);
    const uint64_t still = clock_now();
    assert_true(still >= begin && still - begin <= CLOCK_GAP);
    assert_int_equal(clock_now(), still);
    const uint64_t until = still + 200 * CLOCK_MILLISECOND; /* for who waits by the system's clock */
    clock_beat();
    const uint64_t next = clock_now(), after = system_clock();
    assert_true(next >= still);
    assert_true(after - before - (next - begin) >= 200 * CLOCK_MILLISECOND);
    struct lock lock;
    pthread_cond_t never;
    lock_init(&lock, LOCK_SLEEPER);
    timed_init(&never);
    lock_take(&lock);
    while (timed_wait(&never, &lock, until)) {
    }
    assert_true(clock_now() >= until);
    lock_release(&lock);
    pthread_cond_destroy(&never);
    lock_destroy(&lock);
    clock_end_beats();
    assert_true(clock_now() >= next);
    assert_int_equal(nanosleep(&longer, NULL), 0); /* nobody is to beat any more */
    assert_true(clock_now() - next > CLOCK_GAP);
}

TEST(test_status_texts)
{
    const char *unknown = nq_status_text((enum nq_status)(NQ_QUOTA + 1));
    assert_non_null(unknown);
    for (int a = NQ_OK; a <= (int)NQ_QUOTA; a++) {
        const char *text = nq_status_text((enum nq_status)a);
        assert_non_null(text);
        assert_true(islower((unsigned char)text[0]));
        assert_null(strchr(text, '.'));
        assert_string_not_equal(text, unknown);
        for (int b = NQ_OK; b < a; b++)
            assert_string_not_equal(text, nq_status_text((enum nq_status)b));
    }
}

struct crowd {
    atomic_uint calls, inside;
    unsigned awaited;
};

/* Stays until so many are there together. */
static void meet(void *context)
{
    struct crowd *crowd = context;
    atomic_fetch_add(&crowd->calls, 1);
    atomic_fetch_add(&crowd->inside, 1);
    while (atomic_load(&crowd->inside) < crowd->awaited)
        sched_yield();
}

/* All at the same time, and all have returned when it does. */
TEST(test_parallel)
{
    for (unsigned threads = 0; threads <= 8; threads++) {
        struct crowd crowd = {.awaited = threads};
        parallel_run(threads, meet, &crowd);
        assert_int_equal(crowd.calls, threads ? threads : 1);
    }
}

/* Units of a test: how often each was made, and what some of them do. */
struct party {
    atomic_uint made[40];
    atomic_size_t next;
    atomic_uint disorder; /* units that were not the next one */
    size_t fails, stops;  /* the units that do; SIZE_MAX: none */
    atomic_bool stop;
};

static enum nq_status join_in(void *of, size_t unit)
{
    struct party *party = of;
    atomic_fetch_add(&party->disorder, unit != atomic_fetch_add(&party->next, 1));
    atomic_fetch_add(&party->made[unit], 1);
    if (unit == party->stops)
        atomic_store(&party->stop, true);
    if (unit != party->fails)
        return NQ_OK;
    atomic_store(&party->stop, true);
    for (unsigned i = 0; i < 10000; i++) /* so that the others have ended first, as NQ_CANCELLED */
        sched_yield();
    return NQ_NOMEM;
}

/* Each unit once, on any number of threads; on one in order. */
TEST(test_parallel_units)
{
    enum { ALL = 40 };
    for (unsigned threads = 1; threads <= 2 * PARALLEL_MOST; threads += threads < 4 ? 1 : 62) {
        struct party party = {.fails = SIZE_MAX, .stops = SIZE_MAX};
        const struct parallel_units units = {.count = ALL, .make = join_in, .of = &party, .stop = &party.stop};
        assert_int_equal(parallel_units(threads, &units), NQ_OK);
        for (size_t unit = 0; unit < ALL; unit++)
            assert_int_equal(party.made[unit], 1);
        assert_true(threads > 1 || party.disorder == 0);
    }
    assert_int_equal(parallel_units(2, &(struct parallel_units){.count = 0}), NQ_OK);
}

/* After a unit that failed none is begun, nor after *stop; why it failed is what counts. */
TEST(test_parallel_units_that_end_early)
{
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct party fails = {.fails = 7, .stops = SIZE_MAX}, stops = {.fails = SIZE_MAX, .stops = 7};
        struct parallel_units units = {.count = 40, .make = join_in, .of = &fails, .stop = &fails.stop};
        assert_int_equal(parallel_units(threads, &units), NQ_NOMEM);
        units.of = &stops;
        units.stop = &stops.stop;
        assert_int_equal(parallel_units(threads, &units), NQ_CANCELLED);
        assert_int_equal(fails.made[7] + stops.made[7], 2);
        assert_true(threads > 1 || fails.made[8] + stops.made[8] == 0);
    }
}

TEST(test_stop_wanted)
{
    atomic_bool stop = false;
    assert_false(stop_wanted(NULL));
    assert_false(stop_wanted(&stop));
    atomic_store(&stop, true);
    assert_true(stop_wanted(&stop));
}
