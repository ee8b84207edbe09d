/* test_store_nats.c - tests of what only a shared store can do: the broker goes and comes, others write too. What
 * every store must do is in test_stores.c. */
/* CI builds: address thread */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "stores/store_nats.c"
#include "support/broker.h"
#include "support/facts.h"
#include "support/failing_bytes.h"
#include "support/store_facts.h"
#include "support/waits.h"

enum { MEGABYTE = 1 << 20, KEYS = 300 };

static struct broker broker;

static int clear(void **state)
{
    (void)state;
    broker_clear(&broker);
    return 0;
}

#define FRESH(test) TEST_WITH(test, clear, NULL)

static struct store *store_at(const char *spec, uint64_t capacity)
{
    char error[STORE_ERROR_MAX] = "";
    struct store *store;
    const struct store_options options = {.capacity = capacity, .nats = broker_patient()};
    if (store_open(spec, &options, &store, error) != NQ_OK)
        fail_msg("%s", error);
    return store;
}

static enum nq_status put_value(struct store *store, enum store_kind kind, const char *key, const void *value,
                                size_t size)
{
    const struct store_fact fact = {kind, key, value, size};
    return store_put(store, &fact, 1);
}

static double seconds_since(uint64_t began)
{
    return (double)(clock_now() - began) / (double)CLOCK_SECOND;
}

/* Tries until the store takes something; fails after some seconds. */
static void await_store(struct store *store)
{
    WAIT_UNTIL(put_value(store, STORE_JOB, "again", "yes", 3) == NQ_OK);
}

/* The broker's own view, for what the store has no words for. */
struct view {
    natsConnection *connection;
    jsCtx *js;
};

static struct view look(void)
{
    struct view view;
    assert_int_equal(natsConnection_ConnectTo(&view.connection, broker.spec), NATS_OK);
    assert_int_equal(natsConnection_JetStream(&view.js, view.connection, NULL), NATS_OK);
    return view;
}

static void look_away(struct view *view)
{
    jsCtx_Destroy(view->js);
    natsConnection_Destroy(view->connection);
}

/* ---- Keys as subjects -------------------------------------------------------------------------------------------- */

static void assert_encoded(const char *key, const char *expected)
{
    struct bytes subject = {0}, again = {0};
    nats_encode(key, &subject);
    OWNED(free) char *text = bytes_take(&subject);
    if (expected)
        assert_string_equal(text, expected);
    assert_true(*text && *text != '.' && text[strlen(text) - 1] != '.' && !strstr(text, ".."));
    assert_int_equal(strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=."), strlen(text));
    assert_true(nats_decode(text, &again));
    OWNED(free) char *key_again = bytes_take(&again);
    assert_string_equal(key_again, key);
}

TEST(test_keys_as_subjects)
{
    uint64_t dice = 1;
    assert_encoded("", "=");
    assert_encoded("8f3a", "8f3a");
    assert_encoded("n=8 #12", "n=3D8=20.12");
    assert_encoded("a#b#c", "a.b.c");
    assert_encoded("#", "=23");
    assert_encoded("a##", "a.=23");
    assert_encoded("##a", "=23.a");
    assert_encoded("a.b*>", "a=2Eb=2A=3E");
    for (int byte = 1; byte < 256; byte++)
        assert_encoded((const char[]){(char)byte, '\0'}, NULL);
    for (int i = 0; i < 20000; i++) {
        char key[12] = "";
        const uint32_t size = facts_below(&dice, sizeof key);
        for (uint32_t at = 0; at < size; at++)
            key[at] = i % 2 ? (char)(1 + facts_below(&dice, 255)) : "#a= .Z"[facts_below(&dice, 6)];
        assert_encoded(key, NULL);
    }
}

TEST(test_subjects_of_no_key)
{
    static const char *const wrong[] = {"",    ".",   "a.", ".a",  "a..b",  "==",   "=4", "=4g", "=41",
                                        "=2e", "a b", "a=", "=00", "a=23b", "=23=", "a>", "*",   "\xff"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        BYTES(key);
        if (nats_decode(wrong[i], &key))
            fail_msg("'%s' is a key", wrong[i]);
    }
}

/* A key that memory was too short for is not taken for none. */
TEST(test_a_key_without_memory)
{
    size_t after = 0;
    for (bool decoded = false; !decoded; after++) {
        BYTES(key);
        atomic_store(&bytes_failing_after, after);
        decoded = nats_decode("a.b", &key);
        atomic_store(&bytes_failing_after, SIZE_MAX);
        assert_int_equal(decoded, !key.failed);
    }
    assert_true(after > 3);
}

/* ---- Facts ------------------------------------------------------------------------------------------------------- */

/* Keys of the worst letters, in NATS and in memory: every call has the same result. */
FRESH(test_behaves_as_a_store_in_memory)
{
    uint64_t dice = 5;
    struct store *both[] = {store_at(broker.spec, MEGABYTE), store_at("memory", MEGABYTE)};
    for (int round = 0; round < 150; round++) {
        char key[8] = "", prefix[8];
        const uint32_t size = facts_below(&dice, 6), what = facts_below(&dice, 8);
        for (uint32_t at = 0; at < size; at++)
            key[at] = "##a. "[facts_below(&dice, 5)];
        (void)snprintf(prefix, sizeof prefix, "%.*sa#", (int)size / 3, key);
        key[size] = 'z'; /* no prefix is a key */
        for (int i = 0; i < 2; i++) {
            if (what == 0)
                assert_int_equal(store_delete_prefix(both[i], STORE_UNIT, prefix), NQ_OK);
            else
                assert_int_equal(put_value(both[i], STORE_UNIT, key, what == 1 ? NULL : "v", 1), NQ_OK);
        }
        for (int all = 0; all < 2; all++) {
            OWNED(free) char *one = list_facts(both[0], STORE_UNIT, all ? "" : prefix);
            OWNED(free) char *other = list_facts(both[1], STORE_UNIT, all ? "" : prefix);
            if (strcmp(one, other) != 0)
                fail_msg("'%s': %s, not %s", all ? "" : prefix, one, other);
        }
    }
    store_close(both[0]);
    store_close(both[1]);
}

FRESH(test_large_values)
{
    OWNED(store_close) struct store *store = store_at(broker.spec, 16 * MEGABYTE);
    char *large = malloc(2 * MEGABYTE), key[5000];
    assert_non_null(large);
    for (size_t i = 0; i < 2 * MEGABYTE; i++)
        large[i] = (char)(i * i >> 5);
    for (int kind = 0; kind < STORE_KINDS; kind++) {
        assert_int_equal(put_value(store, (enum store_kind)kind, "large", large, 900000), NQ_OK);
        assert_holds(store, (enum store_kind)kind, "large", large, 900000);
        for (size_t size = MEGABYTE; size <= 2 * MEGABYTE; size += MEGABYTE / 2)
            assert_int_equal(put_value(store, (enum store_kind)kind, "large", large, size), NQ_LIMIT);
        assert_holds(store, (enum store_kind)kind, "large", large, 900000);
    }
    for (size_t length = 3400; length < sizeof key; length += 20) { /* as long as one may be, and longer */
        memset(key, 'k', length);
        key[length] = '\0';
        const enum nq_status status = put_value(store, STORE_JOB, key, "v", 1);
        assert_true(status == NQ_OK || (status == NQ_LIMIT && length > 3450));
        assert_int_equal(has(store, STORE_JOB, key), status == NQ_OK);
        put(store, STORE_JOB, key, NULL);
        key[length - 1] = '#';
        assert_int_equal(store_delete_prefix(store, STORE_JOB, key), NQ_OK);
        assert_lists(store, STORE_JOB, key, "");
    }
    free(large);
}

/* Larger than its kind's share: it would push out all others, and itself. */
FRESH(test_a_value_larger_than_the_share)
{
    static const char large[300000];
    OWNED(store_close) struct store *store = store_at(broker.spec, MEGABYTE);
    put(store, STORE_RESULT, "small", "v");
    assert_int_equal(put_value(store, STORE_RESULT, "large", large, sizeof large), NQ_LIMIT);
    assert_holds(store, STORE_RESULT, "small", "v", 1);
}

FRESH(test_a_full_bucket_of_jobs)
{
    static const char value[1000];
    OWNED(store_close) struct store *store = store_at(broker.spec, MEGABYTE);
    char key[16];
    int count = 0;
    enum nq_status status;
    do
        (void)snprintf(key, sizeof key, "%d", count);
    while ((status = put_value(store, STORE_JOB, key, value, sizeof value)) == NQ_OK && ++count < 10000);
    assert_int_equal(status, NQ_LIMIT);
    assert_true(count > 180 && count < 262); /* of a quarter */
    assert_holds(store, STORE_JOB, "0", value, sizeof value);
    const struct store_fact fact = {STORE_JOB, "other", value, sizeof value};
    assert_int_equal(store_swap(store, &fact, NULL, 0), NQ_LIMIT);
    put(store, STORE_UNIT, "a", "v");
    put(store, STORE_JOB, "0", NULL);
    assert_int_equal(put_value(store, STORE_JOB, key, value, sizeof value), NQ_OK);
}

/* ---- Several stores ---------------------------------------------------------------------------------------------- */

FRESH(test_two_stores_share_facts)
{
    OWNED(store_close) struct store *one = store_at(broker.spec, MEGABYTE);
    OWNED(store_close) struct store *other = store_at(broker.spec, 2 * MEGABYTE);
    const struct store_fact fact = {STORE_JOB, "job", "mine", 4};
    assert_int_equal(put_value(one, STORE_UNIT, "n #1", "a\0b", 3), NQ_OK);
    assert_holds(other, STORE_UNIT, "n #1", "a\0b", 3);
    put(other, STORE_UNIT, "n #2", "c");
    put(other, STORE_UNIT, "n", "d");
    assert_lists(one, STORE_UNIT, "n #", "n #1=a");
    assert_int_equal(store_swap(one, &fact, NULL, 0), NQ_OK);
    assert_int_equal(store_swap(other, &fact, NULL, 0), NQ_AGAIN);
    assert_int_equal(store_delete_prefix(other, STORE_UNIT, "n #"), NQ_OK);
    assert_false(has(one, STORE_UNIT, "n #1"));
    assert_holds(one, STORE_UNIT, "n", "d", 1);
}

struct racer {
    pthread_t thread;
    struct store *store;
    const char *name;
    bool won[KEYS];
};

static void *race(void *context)
{
    struct racer *racer = context;
    for (int i = 0; i < KEYS; i++) {
        char key[24];
        (void)snprintf(key, sizeof key, "race #%d", i);
        const struct store_fact fact = {STORE_JOB, key, racer->name, 3};
        const enum nq_status status = store_swap(racer->store, &fact, NULL, 0);
        racer->won[i] = status == NQ_OK;
        if (status != NQ_OK && status != NQ_AGAIN)
            return racer;
    }
    return NULL;
}

FRESH(test_concurrent_adds_have_one_winner)
{
    static struct racer racers[2];
    for (int i = 0; i < 2; i++) {
        racers[i].store = store_at(broker.spec, 16 * MEGABYTE);
        racers[i].name = i ? "one" : "two";
        assert_int_equal(pthread_create(&racers[i].thread, NULL, race, &racers[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        void *failed;
        pthread_join(racers[i].thread, &failed);
        assert_null(failed);
    }
    for (int i = 0; i < KEYS; i++) {
        char key[24];
        (void)snprintf(key, sizeof key, "race #%d", i);
        assert_int_equal(racers[0].won[i] + racers[1].won[i], 1);
        assert_holds(racers[0].store, STORE_JOB, key, racers[!racers[0].won[i]].name, 3);
    }
    store_close(racers[0].store);
    store_close(racers[1].store);
}

/* One more: a number in digits, where there is none yet 1. Before each try it writes another key, if it is to. */
static enum nq_status count_on(struct store *store, enum store_kind kind, const char *key, struct store *interloper,
                               unsigned *tries)
{
    enum nq_status status = NQ_AGAIN;
    for (; status == NQ_AGAIN; ++*tries) {
        struct bytes value = {0}, next = {0};
        const bool found = store_get(store, kind, key, &value) == NQ_OK;
        if (interloper)
            put(interloper, kind, "other", "v");
        bytes_char(&value, '\0');
        bytes_number(&next, found ? strtoul(value.data, NULL, 10) + 1 : 1);
        const struct store_fact fact = {kind, key, next.data, next.size};
        status = store_swap(store, &fact, found ? value.data : NULL, found ? value.size - 1 : 0);
        bytes_free(&value);
        bytes_free(&next);
    }
    return status;
}

enum { ADDERS = 3, ADDED = 60 };

struct adder {
    pthread_t thread;
    struct store *store;
    unsigned tries;
};

static void *add_up(void *context)
{
    struct adder *adder = context;
    for (int i = 0; i < ADDED; i++)
        if (count_on(adder->store, STORE_JOB, "sum", NULL, &adder->tries) != NQ_OK)
            return adder;
    return NULL;
}

FRESH(test_concurrent_changes_are_all_kept)
{
    static struct adder adders[ADDERS];
    unsigned tries = 0;
    for (int i = 0; i < ADDERS; i++) {
        adders[i].store = store_at(broker.spec, 16 * MEGABYTE);
        assert_int_equal(pthread_create(&adders[i].thread, NULL, add_up, &adders[i]), 0);
    }
    for (int i = 0; i < ADDERS; i++) {
        void *failed;
        pthread_join(adders[i].thread, &failed);
        assert_null(failed);
        tries += adders[i].tries;
    }
    assert_true(tries >= ADDERS * ADDED);
    assert_holds(adders[0].store, STORE_JOB, "sum", "180", 3);
    for (int i = 0; i < ADDERS; i++)
        store_close(adders[i].store);
}

/* Who changes one key does not begin anew because another one was written, where the broker is one server. */
FRESH(test_other_keys_are_changed_meanwhile)
{
    OWNED(store_close) struct store *store = store_at(broker.spec, MEGABYTE);
    OWNED(store_close) struct store *interloper = store_at(broker.spec, MEGABYTE);
    unsigned tries = 0;
    for (unsigned i = 1; i <= 3; i++) {
        assert_int_equal(count_on(store, STORE_JOB, "sum", interloper, &tries), NQ_OK);
        assert_int_equal(tries, i);
    }
    assert_holds(store, STORE_JOB, "sum", "3", 1);
}

/* A check asks for no message of a stream that has just been made, which NATS 2.9 does not survive; later it does. */
FRESH(test_a_young_stream_is_not_read)
{
    const uint64_t began = clock_now(); /* the second runs from when the store is open */
    OWNED(store_close) struct store *store = store_at(broker.spec, MEGABYTE);
    struct view view = look();
    natsSubscription *asked;
    natsMsg *message = NULL;
    assert_int_equal(natsConnection_SubscribeSync(&asked, view.connection, "$JS.API.STREAM.MSG.GET.>"), NATS_OK);
    assert_int_equal(natsConnection_Flush(view.connection), NATS_OK);
    natsStatus status = NATS_TIMEOUT;
    while (status == NATS_TIMEOUT) {
        assert_int_equal(store_check(store, true), NQ_OK);
        status = natsSubscription_NextMsg(&message, asked, 20);
    }
    assert_int_equal(status, NATS_OK);
    assert_true(seconds_since(began) > 0.9);
    natsMsg_Destroy(message);
    natsSubscription_Destroy(asked);
    look_away(&view);
}

/* What others lay into a bucket, or leave there, is no fact; and a store's facts can be read with NATS's own tools. */
FRESH(test_foreign_messages)
{
    static const char *const subjects[] = {"plain", "not=41canonical", "=23.a"};
    OWNED(store_close) struct store *store = store_at(broker.spec, MEGABYTE);
    struct view view = look();
    kvStore *bucket = NULL;
    kvEntry *entry = NULL;
    const struct store_fact fact = {STORE_UNIT, "plain", "ours", 4};
    put(store, STORE_UNIT, "n #1", "value");
    assert_int_equal(js_KeyValue(&bucket, view.js, "nqueens_unit"), NATS_OK);
    assert_int_equal(kvStore_Get(&entry, bucket, "n=20.1"), NATS_OK);
    assert_int_equal(kvEntry_ValueLen(entry), 5);
    assert_memory_equal(kvEntry_Value(entry), "value", 5);
    kvEntry_Destroy(entry);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(kvStore_PutString(NULL, bucket, subjects[i], "theirs"), NATS_OK);
    assert_false(has(store, STORE_UNIT, "plain"));
    assert_false(has(store, STORE_UNIT, "##a"));
    assert_lists(store, STORE_UNIT, "", "n #1=value;");
    assert_int_equal(store_swap(store, &fact, NULL, 0), NQ_OK);
    assert_int_equal(store_swap(store, &fact, NULL, 0), NQ_AGAIN);
    assert_int_equal(kvStore_Delete(bucket, "plain"), NATS_OK);
    assert_false(has(store, STORE_UNIT, "plain"));
    assert_int_equal(store_swap(store, &fact, NULL, 0), NQ_OK);
    unsigned tries = 0;
    assert_int_equal(kvStore_PutString(NULL, bucket, "strange", "41"), NATS_OK);
    assert_int_equal(count_on(store, STORE_UNIT, "strange", NULL, &tries), NQ_OK);
    assert_holds(store, STORE_UNIT, "strange", "1", 1); /* in its place, and not made of it */
    kvStore_Destroy(bucket);
    /* A fact of another key under this one. */
    natsMsg *message = NULL;
    const char *sum;
    char ours[17];
    assert_int_equal(js_GetLastMsg(&message, view.js, "KV_nqueens_unit", "$KV.nqueens_unit.plain", NULL, NULL),
                     NATS_OK);
    assert_int_equal(natsMsgHeader_Get(message, "Nq-Sum", &sum), NATS_OK);
    strcpy(ours, sum);
    natsMsg_Destroy(message);
    assert_int_equal(natsMsg_Create(&message, "$KV.nqueens_unit.other", NULL, "ours", 4), NATS_OK);
    assert_int_equal(natsMsgHeader_Set(message, "Nq-Sum", ours), NATS_OK);
    assert_int_equal(js_PublishMsg(NULL, view.js, message, NULL, NULL), NATS_OK);
    natsMsg_Destroy(message);
    assert_int_equal(store_stats(store).damaged, 0); /* that of others is not damaged */
    assert_false(has(store, STORE_UNIT, "other"));
    assert_int_equal(store_stats(store).damaged, 1);
    look_away(&view);
}

/* Buckets that were removed are made again, and no consumer remains. */
FRESH(test_buckets)
{
    OWNED(store_close) struct store *store = store_at(broker.spec, MEGABYTE);
    struct view view = look();
    jsStreamInfo *info = NULL;
    put(store, STORE_UNIT, "a", "v");
    for (int i = 0; i < 5; i++)
        assert_lists(store, STORE_UNIT, "", "a=v;");
    assert_int_equal(js_GetStreamInfo(&info, view.js, "KV_nqueens_unit", NULL, NULL), NATS_OK);
    assert_int_equal(info->State.Consumers, 0);
    assert_int_equal(info->Config->MaxMsgsPerSubject, 1);
    assert_int_equal(info->Config->MaxBytes, MEGABYTE / 2);
    assert_int_equal(info->Config->Replicas, 1);
    assert_true(info->Config->DenyDelete);
    jsStreamInfo_Destroy(info);
    broker_clear(&broker);
    assert_lists(store, STORE_UNIT, "", "");
    assert_false(has(store, STORE_UNIT, "a"));
    put(store, STORE_UNIT, "a", "v");
    broker_clear(&broker);
    assert_int_equal(store_delete_prefix(store, STORE_UNIT, "a #"), NQ_OK);
    broker_clear(&broker);
    (void)put_value(store, STORE_UNIT, "a", "v", 1); /* nobody listens there: it is tried again */
    put(store, STORE_UNIT, "a", "v");
    look_away(&view);
}

/* ---- A broker that goes and comes ----------------------------------------------------------------------------------
 */

FRESH(test_open_before_the_broker_runs)
{
    char text[STORE_ERROR_MAX];
    struct bytes value = {0};
    broker_stop(&broker);
    OWNED(store_close) struct store *store = store_at(broker.spec, MEGABYTE);
    const struct store_fact fact = {STORE_JOB, "a", "b", 1};
    const uint64_t began = clock_now();
    assert_int_equal(store_check(store, true), NQ_BROKEN);
    assert_int_equal(store_put(store, &fact, 1), NQ_BROKEN);
    assert_int_equal(store_swap(store, &fact, NULL, 0), NQ_BROKEN);
    assert_int_equal(store_get(store, STORE_JOB, "a", &value), NQ_BROKEN);
    assert_int_equal(store_each(store, STORE_JOB, "", note, &value), NQ_BROKEN);
    assert_int_equal(store_delete_prefix(store, STORE_JOB, "a #"), NQ_BROKEN);
    assert_true(seconds_since(began) < (double)tests_patience());
    assert_int_equal(value.size, 0);
    store_trouble(store, text);
    assert_string_equal(text, "there is no connection to NATS: no server answers");
    broker_start(&broker, NULL);
    await_store(store);
    assert_int_equal(store_check(store, true), NQ_OK);
    assert_int_equal(store_swap(store, &fact, NULL, 0), NQ_OK);
}

FRESH(test_lost_connection)
{
    OWNED(store_close) struct store *store = store_at(broker.spec, MEGABYTE);
    struct bytes seen = {0};
    put(store, STORE_JOB, "a", "kept");
    broker_stop(&broker);
    const uint64_t began = clock_now();
    assert_int_equal(put_value(store, STORE_JOB, "b", "lost", 4), NQ_BROKEN);
    assert_true(seconds_since(began) < 3 * (double)tests_patience());
    assert_int_equal(store_each(store, STORE_JOB, "", note, &seen), NQ_BROKEN);
    assert_int_equal(seen.size, 0);
    broker_start(&broker, NULL);
    await_store(store);
    put(store, STORE_JOB, "b", NULL); /* it may have been on its way */
    assert_lists(store, STORE_JOB, "", "a=kept;again=yes;");
}

FRESH(test_silent_broker)
{
    OWNED(store_close) struct store *store = store_at(broker.spec, MEGABYTE);
    struct bytes seen = {0};
    put(store, STORE_JOB, "a", "kept");
    broker_freeze(&broker, true);
    for (int i = 0; i < 3; i++) {
        const uint64_t began = clock_now();
        assert_int_equal(i == 0   ? store_each(store, STORE_JOB, "", note, &seen)
                         : i == 1 ? store_get(store, STORE_JOB, "a", &seen)
                                  : put_value(store, STORE_UNIT, "a", "b", 1),
                         NQ_BROKEN);
        assert_true(seconds_since(began) < 5 * (double)tests_patience());
    }
    assert_int_equal(seen.size, 0);
    broker_freeze(&broker, false);
    await_store(store);
    assert_holds(store, STORE_JOB, "a", "kept", 4);
}

/* Whether a store that is broken names this as the reason; it never tells a password. */
static bool is_broken_by(struct store *store, const char *reason)
{
    char text[STORE_ERROR_MAX];
    assert_int_equal(store_check(store, true), NQ_BROKEN);
    store_trouble(store, text);
    assert_non_null(strstr(text, "NATS"));
    assert_null(strstr(text, "secret"));
    return strcmp(text, reason) == 0;
}

/* A broker that does not know us says why, and may come to know us. */
FRESH(test_a_password)
{
    static const char refused[] = "there is no connection to NATS: Authentication Violation";
    char spec[128];
    (void)snprintf(spec, sizeof spec, "nats://queen:secret@127.0.0.1:%d", broker.port);
    broker_stop(&broker);
    broker_start(&broker, "authorization: {user: queen, password: other}");
    struct store *store = store_at(spec, MEGABYTE);
    WAIT_UNTIL(is_broken_by(store, refused));
    for (int i = 0; i < 15; i++) { /* and goes on to: it tries again and again */
        usleep(100000);
        assert_true(is_broken_by(store, refused));
    }
    broker_stop(&broker);
    broker_start(&broker, "authorization: {user: queen, password: secret}");
    await_store(store);
    store_close(store);
    broker_stop(&broker);
    broker_start(&broker, NULL);
}

FRESH(test_missing_files)
{
    char error[STORE_ERROR_MAX] = "";
    struct store *store;
    struct store_options options = {.capacity = MEGABYTE, .nats = {.credentials = "/nowhere/credentials"}};
    assert_int_equal(store_open(broker.spec, &options, &store, error), NQ_INVALID);
    assert_string_equal(error, "the credentials cannot be read: /nowhere/credentials");
    options.nats = (struct nats_options){.ca = "/nowhere/ca.pem"};
    assert_int_equal(store_open(broker.spec, &options, &store, error), NQ_INVALID);
    assert_string_equal(error, "the certificates cannot be read: /nowhere/ca.pem");
}

static int begin(void **state)
{
    (void)state;
    broker_start(&broker, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    broker_end(&broker);
    return 0;
}

GROUP(begin, end)
