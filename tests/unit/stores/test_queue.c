/* test_queue.c - tests of src/stores/queue.c with a broker of their own: one leads a work, a batch is one's until it is
 * done or its lease is over, and calls report what the broker loses. */
/* CI builds: address thread */
#include "stores/queue.h"

#include <nats/nats.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stores/nats.h"
#include "support/broker.h"
#include "support/questions.h"

/* Milliseconds: a lease that is to lapse, one that is not, and for what is not to come. */
enum { SHORT = 500, LONG = 60000, MOMENT = 150, PATIENT = 20000 };

OWNER(batch_source_free, struct batch_source *)

static struct broker broker;

static struct queue *queue_at(const char *where, unsigned lease_ms, enum queue_role role)
{
    const struct nats_options options = broker_patient();
    char error[STORE_ERROR_MAX] = "";
    struct queue *queue;
    if (queue_open(where, &options, lease_ms, role, &queue, error) != NQ_OK)
        fail_msg("%s", error);
    return queue;
}

/* One that hears no servers. */
static struct queue *queue_with(unsigned lease_ms)
{
    struct queue *queue = queue_at(broker.spec, lease_ms, QUEUE_COUNTS);
    WAIT_UNTIL(queue_connected(queue));
    return queue;
}

static double seconds_since(uint64_t began)
{
    return (double)(clock_now() - began) / (double)CLOCK_SECOND;
}

/* A client of the broker beside the queue's: *connection is to be closed. */
static jsCtx *client_of_broker(natsConnection **connection)
{
    jsCtx *js = NULL;
    assert_int_equal(natsConnection_ConnectTo(connection, broker.spec), NATS_OK);
    assert_int_equal(natsConnection_JetStream(&js, *connection, NULL), NATS_OK);
    return js;
}

static void client_close(jsCtx *js, natsConnection *connection)
{
    jsCtx_Destroy(js);
    natsConnection_Destroy(connection);
}

static void drop_stream(const char *name)
{
    natsConnection *connection = NULL;
    jsCtx *js = client_of_broker(&connection);
    assert_int_equal(js_DeleteStream(js, name, NULL, NULL), NATS_OK);
    client_close(js, connection);
}

/* ---- Who leads a work ---- */

static const char leaders_stream[] = "KV_nqueens_claim";

static enum nq_status lead(struct queue *queue, const char *id, struct leader *leader)
{
    return queue_lead(queue, id, "", leader, NULL);
}

/* Who has the key must be another, with this note. */
static void read_note(struct queue *queue, const char *id, const char *note)
{
    struct leader leader = {0};
    struct bytes theirs = {0};
    bytes_text(&theirs, "> ");
    assert_int_equal(queue_lead(queue, id, "not to be read", &leader, &theirs), NQ_DENIED);
    assert_int_equal(leader.revision, 0);
    OWNED(free) char *all = bytes_take(&theirs);
    assert_memory_equal(all, "> ", 2);
    assert_string_equal(all + 2, note);
}

TEST(test_note_of_the_leader)
{
    static const char *const notes[] = {"{\"half\":1}", "", "all"};
    OWNED(queue_close) struct queue *one = queue_with(LONG), *other = queue_with(LONG);
    struct leader leader = {0};
    struct bytes theirs = {0};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(queue_lead(one, "n1", notes[i], &leader, &theirs), NQ_OK);
        read_note(other, "n1", notes[i]);
    }
    assert_int_equal(theirs.size, 0);
    assert_int_equal(queue_finish(one, "n1", &leader), NQ_OK);
}

TEST(test_one_leads)
{
    OWNED(queue_close) struct queue *one = queue_with(LONG), *other = queue_with(LONG);
    struct leader leader = {0}, others = {0}, of_two = {0};
    const uint64_t before = clock_now();
    assert_int_equal(lead(one, "a1", &leader), NQ_OK);
    assert_true(leader.revision > 0 && leader.since >= before);
    assert_int_equal(lead(other, "a1", &others), NQ_DENIED);
    for (int i = 0; i < 3; i++) {
        const struct leader last = leader;
        assert_int_equal(lead(one, "a1", &leader), NQ_OK);
        assert_true(leader.revision > last.revision && leader.since > last.since);
    }
    assert_int_equal(lead(other, "a1", &others), NQ_DENIED);
    assert_int_equal(lead(other, "a2", &of_two), NQ_OK); /* another work */
    assert_int_equal(lead(one, "a2", &(struct leader){0}), NQ_DENIED);
    assert_int_equal(queue_finish(other, "a1", &others), NQ_DENIED); /* only who leads ends it */
    assert_int_equal(queue_finish(one, "a1", &leader), NQ_OK);
    assert_int_equal(leader.revision, 0);
    assert_int_equal(lead(other, "a1", &others), NQ_OK); /* at once */
    assert_int_equal(lead(one, "a1", &leader), NQ_DENIED);
    assert_int_equal(queue_finish(other, "a1", &others), NQ_OK);
    assert_int_equal(lead(one, "a1", &leader), NQ_OK);
    assert_int_equal(queue_finish(one, "a1", &leader), NQ_OK);
    assert_int_equal(queue_finish(one, "a1", &leader), NQ_OK); /* nothing is left to be done */
    assert_int_equal(queue_finish(other, "a2", &of_two), NQ_OK);
}

/* The acknowledgement of the first text, or of a later one, was lost: who wrote it leads. */
TEST(test_written_and_not_known)
{
    OWNED(queue_close) struct queue *one = queue_with(LONG), *other = queue_with(LONG);
    struct leader leader = {0};
    assert_int_equal(lead(one, "a3", &(struct leader){0}), NQ_OK);
    assert_int_equal(lead(one, "a3", &leader), NQ_OK);
    const struct leader late = leader;
    assert_int_equal(lead(one, "a3", &leader), NQ_OK);
    leader = late;
    assert_int_equal(lead(one, "a3", &leader), NQ_OK);
    assert_true(leader.revision > late.revision && leader.since > late.since);
    assert_int_equal(lead(other, "a3", &(struct leader){0}), NQ_DENIED);
    leader = late;
    assert_int_equal(queue_finish(one, "a3", &leader), NQ_OK);
    assert_int_equal(lead(other, "a3", &leader), NQ_OK);
    leader = late; /* of another, who led before */
    assert_int_equal(lead(one, "a3", &leader), NQ_DENIED);
    assert_int_equal(leader.revision, 0);
    assert_int_equal(queue_finish(other, "a3", &leader), NQ_OK);
}

/* Until ten seconds after it began to write the key. */
TEST(test_sure_to_lead)
{
    const uint64_t now = clock_now(), sure = LEADER_SURE_MS * CLOCK_MILLISECOND, limit = atomic_load(&clock_limit);
    atomic_store(&clock_limit, now); /* the clock stands still */
    assert_true(leader_is_sure(&(struct leader){1, now}));
    assert_true(leader_is_sure(&(struct leader){1, now - sure}));
    assert_false(leader_is_sure(&(struct leader){1, now - sure - 1}));
    assert_false(leader_is_sure(&(struct leader){1, 0}));
    assert_false(leader_is_sure(&(struct leader){0, now}));
    atomic_store(&clock_limit, limit);
}

enum { RIVALS = 4, RACES = 25 };

struct rival {
    struct queue *queue;
    pthread_barrier_t *together;
    enum nq_status status[RACES];
};

static void *compete(void *context)
{
    struct rival *rival = context;
    for (int race = 0; race < RACES; race++) {
        char id[16];
        struct leader leader = {0};
        (void)snprintf(id, sizeof id, "race%d", race);
        (void)pthread_barrier_wait(rival->together);
        rival->status[race] = lead(rival->queue, id, &leader);
    }
    return NULL;
}

TEST(test_of_many_one_leads)
{
    struct rival rivals[RIVALS];
    pthread_t threads[RIVALS];
    pthread_barrier_t together;
    assert_int_equal(pthread_barrier_init(&together, NULL, RIVALS), 0);
    for (int i = 0; i < RIVALS; i++)
        rivals[i] = (struct rival){.queue = queue_with(LONG), .together = &together};
    for (int i = 0; i < RIVALS; i++)
        start(&threads[i], compete, &rivals[i]);
    for (int i = 0; i < RIVALS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int race = 0; race < RACES; race++) {
        unsigned leaders = 0, denied = 0;
        for (int i = 0; i < RIVALS; i++) {
            leaders += rivals[i].status[race] == NQ_OK;
            denied += rivals[i].status[race] == NQ_DENIED;
        }
        assert_int_equal(leaders, 1);
        assert_int_equal(denied, RIVALS - 1);
    }
    for (int i = 0; i < RIVALS; i++)
        queue_close(rivals[i].queue);
    assert_int_equal(pthread_barrier_destroy(&together), 0);
}

/* Lost, and made anew as the queue makes it, but for the time that a key stays. */
static void make_hasty_bucket(unsigned milliseconds)
{
    natsConnection *connection = NULL;
    jsStreamInfo *info = NULL;
    kvStore *bucket = NULL;
    kvConfig config;
    jsCtx *js = client_of_broker(&connection);
    assert_int_equal(js_GetStreamInfo(&info, js, leaders_stream, NULL, NULL), NATS_OK);
    assert_int_equal(info->Config->MaxAge, LEADER_KEPT_MS * CLOCK_MILLISECOND);
    jsStreamInfo_Destroy(info);
    drop_stream(leaders_stream);
    assert_int_equal(kvConfig_Init(&config), NATS_OK);
    config.Bucket = "nqueens_claim";
    config.History = 1;
    config.TTL = (int64_t)(milliseconds * CLOCK_MILLISECOND);
    assert_int_equal(js_CreateKeyValue(&bucket, js, &config), NATS_OK);
    kvStore_Destroy(bucket);
    client_close(js, connection);
}

/* Another leads when the key was not written for the time that the broker keeps it, and not before. */
TEST(test_a_key_that_is_not_written_ends)
{
    const double kept = 2 * (double)tests_patience();
    OWNED(queue_close) struct queue *one = queue_with(LONG), *other = queue_with(LONG);
    struct leader leader = {0}, others = {0};
    assert_int_equal(lead(one, "late", &leader), NQ_OK);
    assert_int_equal(lead(other, "late", &others), NQ_DENIED); /* both have found their bucket, and let this one be: */
    make_hasty_bucket((unsigned)(1000 * kept));
    uint64_t written;
    const uint64_t began = clock_now();
    do {
        written = clock_now();
        assert_int_equal(lead(one, "late", &leader), NQ_OK);
        assert_int_equal(lead(other, "late", &others), NQ_DENIED);
        usleep(100000);
    } while (seconds_since(began) < 1.5 * kept);
    for (int i = 0; i < 600 && lead(other, "late", &others) != NQ_OK; i++)
        usleep(100000);
    assert_int_not_equal(others.revision, 0);
    assert_true(seconds_since(written) > 0.9 * kept);
    assert_int_equal(lead(one, "late", &leader), NQ_DENIED);
    drop_stream(leaders_stream);
}

/* ---- Batches ---- */

static struct batch_source *source_of(struct queue *queue)
{
    struct batch_source *source = batch_source_new(queue);
    assert_non_null(source);
    return source;
}

/* Takes a batch, which must be this one. */
static struct lease *take(struct batch_source *source, unsigned milliseconds, const char *text, unsigned deliveries)
{
    struct lease *lease = NULL;
    struct bytes read = {0};
    assert_int_equal(batch_source_take(source, milliseconds, &lease), NQ_OK);
    lease_text(lease, &read);
    char *taken = bytes_take(&read);
    assert_string_equal(taken, text);
    free(taken);
    assert_int_equal(lease_deliveries(lease), deliveries);
    return lease;
}

static void take_nothing(struct batch_source *source, unsigned milliseconds)
{
    struct lease *lease = NULL;
    assert_int_equal(batch_source_take(source, milliseconds, &lease), NQ_TIMEOUT);
    assert_null(lease);
}

static bool has_any(struct queue *queue, const char *id)
{
    const enum nq_status status = queue_has(queue, id);
    assert_true(status == NQ_OK || status == NQ_NONE);
    return status == NQ_OK;
}

/* Whether the work has any, and how many all works have. */
static bool is_deep(struct queue *queue, const char *id, bool any, uint64_t ready, uint64_t leased)
{
    struct queue_depth depth = {77, 77};
    assert_int_equal(queue_depth(queue, &depth), NQ_OK);
    return has_any(queue, id) == any && depth.ready == ready && depth.leased == leased;
}

enum { BATCHES = 60, TAKERS = 4 };

struct taker {
    struct queue *queue;
    unsigned seen[BATCHES], taken;
};

static void *take_all(void *context)
{
    struct taker *taker = context;
    struct batch_source *source = source_of(taker->queue);
    struct lease *lease;
    while (batch_source_take(source, SHORT, &lease) == NQ_OK) {
        struct bytes text = {0};
        lease_text(lease, &text);
        char *number = bytes_take(&text);
        taker->seen[strtoul(number, NULL, 10) % BATCHES]++;
        taker->taken++;
        free(number);
        assert_int_equal(lease_done(lease), NQ_OK);
    }
    batch_source_free(source);
    return NULL;
}

TEST(test_each_batch_goes_to_one_worker)
{
    OWNED(queue_close) struct queue *queue = queue_with(LONG), *other = queue_with(LONG);
    struct taker takers[TAKERS] = {{.taken = 0}};
    pthread_t threads[TAKERS];
    assert_int_equal(queue_prepare(queue), NQ_OK);
    assert_true(is_deep(queue, "b1", false, 0, 0));
    for (int i = 0; i < BATCHES; i++) {
        char text[16];
        (void)snprintf(text, sizeof text, "%d", i);
        assert_int_equal(queue_post(queue, "b1", text), NQ_OK);
    }
    assert_true(is_deep(queue, "b1", true, BATCHES, 0));
    for (int i = 0; i < TAKERS; i++) {
        takers[i].queue = i % 2 ? queue : other;
        start(&threads[i], take_all, &takers[i]);
    }
    for (int i = 0; i < TAKERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int batch = 0; batch < BATCHES; batch++) {
        unsigned seen = 0;
        for (int i = 0; i < TAKERS; i++)
            seen += takers[i].seen[batch];
        assert_int_equal(seen, 1);
    }
    WAIT_UNTIL(is_deep(queue, "b1", false, 0, 0)); /* what is done is not waited for */
}

/* Batches of two works come in the order in which they were posted, with any bytes in them. */
TEST(test_two_works)
{
    static const char odd[] = "{\"a\":[1,2]}\n\x01\xff end";
    OWNED(queue_close) struct queue *queue = queue_with(LONG);
    assert_int_equal(queue_prepare(queue), NQ_OK);
    assert_int_equal(queue_post(queue, "c2", odd), NQ_OK);
    assert_int_equal(queue_post(queue, "c1", "of the first"), NQ_OK);
    assert_int_equal(queue_post(queue, "c2", ""), NQ_OK);
    OWNED(batch_source_free) struct batch_source *source = source_of(queue);
    struct lease *lease = take(source, PATIENT, odd, 1);
    assert_true(is_deep(queue, "c1", true, 2, 1));
    assert_true(is_deep(queue, "c2", true, 2, 1));
    assert_int_equal(lease_done(lease), NQ_OK);
    assert_int_equal(lease_done(take(source, PATIENT, "of the first", 1)), NQ_OK);
    WAIT_UNTIL(is_deep(queue, "c1", false, 1, 0) && is_deep(queue, "c2", true, 1, 0));
    assert_int_equal(lease_done(take(source, PATIENT, "", 1)), NQ_OK);
    take_nothing(source, MOMENT);
}

TEST(test_returned_batch_is_handed_out_again)
{
    OWNED(queue_close) struct queue *one = queue_with(LONG), *other = queue_with(LONG);
    assert_int_equal(queue_prepare(one), NQ_OK);
    assert_int_equal(queue_post(one, "d1", "batch"), NQ_OK);
    OWNED(batch_source_free) struct batch_source *mine = source_of(one), *its = source_of(other);
    struct lease *lease = take(mine, PATIENT, "batch", 1);
    uint64_t began = clock_now();
    assert_int_equal(lease_return(lease, 600), NQ_OK);
    lease = take(its, PATIENT, "batch", 2);
    assert_true(seconds_since(began) > 0.5);
    assert_int_equal(lease_return(lease, 0), NQ_OK); /* at once */
    began = clock_now();
    lease = take(mine, PATIENT, "batch", 3);
    assert_true(seconds_since(began) < 5 * (double)tests_patience());
    assert_int_equal(lease_done(lease), NQ_OK);
    take_nothing(its, MOMENT);
}

TEST(test_batch_comes_until_it_is_done)
{
    enum { OFTEN = 20 };
    (void)state;
    OWNED(queue_close) struct queue *queue = queue_with(LONG);
    assert_int_equal(queue_prepare(queue), NQ_OK);
    assert_int_equal(queue_post(queue, "e1", "bad"), NQ_OK);
    OWNED(batch_source_free) struct batch_source *source = source_of(queue);
    for (unsigned i = 1; i <= OFTEN; i++)
        assert_int_equal(lease_return(take(source, PATIENT, "bad", i), 0), NQ_OK);
    assert_int_equal(lease_done(take(source, PATIENT, "bad", OFTEN + 1)), NQ_OK);
    take_nothing(source, SHORT);
    WAIT_UNTIL(is_deep(queue, "e1", false, 0, 0));
}

TEST(test_a_lease_lapses)
{
    OWNED(queue_close) struct queue *one = queue_with(SHORT), *other = queue_with(SHORT);
    assert_int_equal(queue_prepare(one), NQ_OK);
    assert_int_equal(queue_post(one, "f1", "batch"), NQ_OK);
    OWNED(batch_source_free) struct batch_source *mine = source_of(one), *its = source_of(other);
    struct lease *lease = take(mine, PATIENT, "batch", 1), *later = take(its, PATIENT, "batch", 2);
    assert_int_equal(lease_done(later), NQ_OK);
    take_nothing(mine, SHORT + MOMENT);
    assert_int_equal(lease_done(lease), NQ_OK); /* who comes too late does no harm */
    WAIT_UNTIL(is_deep(one, "f1", false, 0, 0));
}

TEST(test_renewed_lease_does_not_lapse)
{
    OWNED(queue_close) struct queue *one = queue_with(4 * SHORT), *other = queue_with(4 * SHORT);
    assert_int_equal(queue_prepare(one), NQ_OK);
    assert_int_equal(queue_post(one, "g1", "batch"), NQ_OK);
    OWNED(batch_source_free) struct batch_source *mine = source_of(one), *its = source_of(other);
    struct lease *lease = take(mine, PATIENT, "batch", 1);
    for (uint64_t began = clock_now(); seconds_since(began) < 3;) {
        assert_int_equal(lease_renew(lease), NQ_OK);
        take_nothing(its, MOMENT);
    }
    assert_true(is_deep(one, "g1", true, 0, 1));
    assert_int_equal(lease_done(lease), NQ_OK);
    WAIT_UNTIL(is_deep(one, "g1", false, 0, 0));
}

/* Whoever posted them, and a lease is not in the way: nobody else gets what it has. Those of other works stay. */
TEST(test_batches_of_a_work_are_deleted)
{
    OWNED(queue_close) struct queue *one = queue_with(SHORT), *other = queue_with(SHORT);
    struct leader leader = {0};
    assert_int_equal(queue_prepare(one), NQ_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(queue_post(i == 1 ? other : one, "i1", "deleted"), NQ_OK);
    assert_int_equal(queue_post(other, "i2", "stays"), NQ_OK);
    OWNED(batch_source_free) struct batch_source *source = source_of(one);
    struct lease *lease = take(source, PATIENT, "deleted", 1);
    assert_true(has_any(one, "i1") && has_any(other, "i1"));
    assert_int_equal(queue_delete(other, "i1"), NQ_OK);
    assert_true(!has_any(one, "i1") && has_any(one, "i2"));
    assert_int_equal(lease_done(take(source, PATIENT, "stays", 1)), NQ_OK);
    take_nothing(source, 2 * SHORT);            /* and the lease is over */
    assert_int_equal(lease_done(lease), NQ_OK); /* does no harm */
    WAIT_UNTIL(is_deep(one, "i1", false, 0, 0));
    assert_int_equal(queue_delete(one, "i1"), NQ_OK); /* nothing is left to be done */
    assert_int_equal(queue_post(one, "i1", "of who led before"), NQ_OK);
    assert_int_equal(queue_finish(other, "i1", &leader), NQ_OK);
    assert_true(is_deep(one, "i1", false, 0, 0));
}

/* The one who leads: batches and key stay. */
TEST(test_only_who_leads_ends_a_work)
{
    OWNED(queue_close) struct queue *one = queue_with(LONG), *other = queue_with(LONG);
    struct leader leader = {0};
    assert_int_equal(lead(one, "i3", &leader), NQ_OK);
    assert_int_equal(queue_prepare(one), NQ_OK);
    assert_int_equal(queue_post(one, "i3", "wanted"), NQ_OK);
    assert_int_equal(queue_finish(other, "i3", &(struct leader){0}), NQ_DENIED);
    assert_true(has_any(one, "i3"));
    assert_int_equal(lead(other, "i3", &(struct leader){0}), NQ_DENIED);
    assert_int_equal(queue_finish(one, "i3", &leader), NQ_OK);
    assert_true(is_deep(one, "i3", false, 0, 0));
}

/* ---- What is said ---- */

/* Audits as threads of a worker do, and the others as a server does. */
static enum nq_status receive(struct queue *queue, enum queue_topic topic, struct queue_message *received)
{
    return topic == QUEUE_AUDIT ? queue_poll(queue, received) : queue_receive(queue, MOMENT, received);
}

static void hears(struct queue *queue, enum queue_topic topic, const char *id, const char *text)
{
    struct queue_message received = {.text = {0}};
    bytes_text(&received.text, "> ");
    WAIT_UNTIL(receive(queue, topic, &received) == NQ_OK);
    OWNED(free) char *all = bytes_take(&received.text);
    assert_int_equal(received.topic, topic);
    assert_string_equal(received.id, id);
    assert_memory_equal(all, "> ", 2);
    assert_string_equal(all + 2, text);
}

static void hears_nothing(struct queue *queue)
{
    struct queue_message received = {.text = {0}};
    assert_int_equal(queue_receive(queue, MOMENT, &received), NQ_TIMEOUT);
    assert_null(received.text.data);
}

TEST(test_publish_and_receive)
{
    static const char longest[] = "0123456789012345678901234567890123456789";
    OWNED(queue_close) struct queue *one = queue_at(broker.spec, LONG, QUEUE_SERVER);
    OWNED(queue_close) struct queue *other = queue_at(broker.spec, LONG, QUEUE_SERVER);
    OWNED(queue_close) struct queue *deaf = queue_with(LONG);
    WAIT_UNTIL(queue_connected(one) && queue_connected(other));
    hears_nothing(one); /* and what they listen to is known to the broker */
    hears_nothing(other);
    assert_int_equal(queue_publish(deaf, QUEUE_WORKER, longest, ""), NQ_OK);
    hears(one, QUEUE_WORKER, longest, "");
    hears(other, QUEUE_WORKER, longest, "");
    for (int i = 0; i < 50; i++) {
        char text[24];
        (void)snprintf(text, sizeof text, "message %d", i);
        assert_int_equal(queue_publish(one, i % 2 ? QUEUE_REPORT : QUEUE_WORKER, "j1", text), NQ_OK); /* hears itself */
    }
    for (int i = 0; i < 50; i++) { /* in order */
        char text[24];
        (void)snprintf(text, sizeof text, "message %d", i);
        hears(one, i % 2 ? QUEUE_REPORT : QUEUE_WORKER, "j1", text);
    }
    hears_nothing(one);
    hears_nothing(deaf);
    assert_int_equal(queue_publish(deaf, QUEUE_WORKER, "no\"id", "text"), NQ_OK); /* whose sender has no id */
    hears(one, QUEUE_WORKER, "", "text");
}

/* Only the worker that is named is asked to audit. */
TEST(test_audits_go_to_one_worker)
{
    OWNED(queue_close) struct queue *server = queue_at(broker.spec, LONG, QUEUE_SERVER), *named = queue_with(LONG);
    OWNED(queue_close) struct queue *other = queue_with(LONG);
    WAIT_UNTIL(queue_connected(server));
    assert_string_not_equal(queue_self(named), queue_self(other));
    assert_true(queue_id_is_sound(queue_self(named)));
    hears_nothing(named); /* and what it listens to is known to the broker */
    hears_nothing(other);
    assert_int_equal(queue_publish(server, QUEUE_AUDIT, queue_self(named), "first"), NQ_OK);
    assert_int_equal(queue_publish(server, QUEUE_WORKER, queue_self(named), "to servers"), NQ_OK);
    assert_int_equal(queue_publish(server, QUEUE_REPORT, queue_self(named), "to servers"), NQ_OK);
    assert_int_equal(queue_publish(server, QUEUE_AUDIT, queue_self(named), ""), NQ_OK);
    hears(named, QUEUE_AUDIT, queue_self(named), "first");
    hears(named, QUEUE_AUDIT, queue_self(named), "");
    hears_nothing(named);
    hears_nothing(other);
}

/* ---- Jobs ---- */

struct told {
    char text[1000]; /* "id=text;" for each */
};

static void note_job(void *who, const char *id, const void *text, size_t size)
{
    struct told *told = who;
    const size_t used = strlen(told->text);
    if (text)
        (void)snprintf(told->text + used, sizeof told->text - used, "%s=%.*s;", id, (int)size, (const char *)text);
    else
        (void)snprintf(told->text + used, sizeof told->text - used, "%s is none;", id);
}

/* Receives for a moment: whether on_job was called with just that by now; or last with that. */
static bool receives(struct queue *queue, const struct told *told, const char *text)
{
    struct queue_message received = {.text = {0}};
    (void)queue_receive(queue, SHORT / 10, &received);
    bytes_free(&received.text);
    return strcmp(told->text, text) == 0;
}

static bool receives_last(struct queue *queue, const struct told *told, const char *text)
{
    (void)receives(queue, told, text);
    const size_t size = strlen(told->text), last = strlen(text);
    return size >= last && strcmp(told->text + size - last, text) == 0;
}

static void put(struct store *store, enum store_kind kind, const char *key, const char *value)
{
    const struct store_fact fact = {kind, key, value, strlen(value)};
    WAIT_UNTIL(store_put(store, &fact, 1) == NQ_OK);
}

static struct store *store_here(void)
{
    const struct store_options options = {.capacity = 1 << 20};
    char error[STORE_ERROR_MAX] = "";
    struct store *store;
    if (store_open(broker.spec, &options, &store, error) != NQ_OK)
        fail_msg("%s", error);
    return store;
}

/* Straight to the broker: NATS_OK, or an error when it does not take the place of that message. */
static natsStatus put_after(const char *id, const char *text, uint64_t sequence)
{
    char subject[64];
    jsPubOptions options;
    natsConnection *connection = NULL;
    jsCtx *js = client_of_broker(&connection);
    (void)snprintf(subject, sizeof subject, NATS_JOBS "%s", id);
    assert_int_equal(jsPubOptions_Init(&options), NATS_OK);
    options.ExpectLastSubjectSeq = sequence;
    const natsStatus status = js_Publish(NULL, js, subject, text, (int)strlen(text), &options, NULL);
    client_close(js, connection);
    return status;
}

TEST(test_watched_jobs)
{
    struct told told = {.text = ""};
    OWNED(store_close) struct store *store = store_here();
    OWNED(queue_close) struct queue *queue = queue_with(LONG);
    put(store, STORE_JOB, "0123456789abcdef", "long ago");
    put(store, STORE_JOB, "0123456789abcdef", "there");
    queue_watch_jobs(queue, note_job, &told);
    WAIT_UNTIL(receives(queue, &told, "0123456789abcdef=there;"));
    put(store, STORE_JOB, "0123456789abcdef", "begun");
    WAIT_UNTIL(receives(queue, &told, "0123456789abcdef=there;0123456789abcdef=begun;"));
    put(store, STORE_RESULT, "aa", "no job");
    put(store, STORE_UNIT, "bb", "no job either");
    assert_int_not_equal(put_after("0123456789abcdef", "refused", 1),
                         NATS_OK); /* the stream does not accept it, and on_job is not called */
    put(store, STORE_JOB, "0123456789abcdef", "done");
    WAIT_UNTIL(receives(queue, &told, "0123456789abcdef=there;0123456789abcdef=begun;0123456789abcdef=done;"));
}

/* A message that no store has written; sum: in place of a store's checksum, NULL: none. */
static void put_by_hand(const char *id, const char *text, const char *sum)
{
    char subject[96];
    natsConnection *connection = NULL;
    natsMsg *message = NULL;
    jsCtx *js = client_of_broker(&connection);
    (void)snprintf(subject, sizeof subject, NATS_JOBS "%s", id);
    assert_int_equal(natsMsg_Create(&message, subject, NULL, text, (int)strlen(text)), NATS_OK);
    if (sum)
        assert_int_equal(natsMsgHeader_Set(message, "Nq-Sum", sum), NATS_OK);
    assert_int_equal(js_PublishMsg(NULL, js, message, NULL, NULL), NATS_OK);
    natsMsg_Destroy(message);
    client_close(js, connection);
}

/* What no store has written is no job, whether it comes first or later. A key that was deleted by hand is gone. */
TEST(test_messages_that_are_no_jobs)
{
    struct told told = {.text = ""};
    OWNED(store_close) struct store *store = store_here();
    OWNED(queue_close) struct queue *queue = queue_with(LONG);
    broker_clear(&broker);
    WAIT_UNTIL(store_check(store, true) == NQ_OK);
    put(store, STORE_JOB, "0123456789abcdef", "there");
    put_by_hand("0123456789abcde0", "forged", NULL);
    queue_watch_jobs(queue, note_job, &told);
    WAIT_UNTIL(receives(queue, &told, "0123456789abcdef=there;0123456789abcde0 is none;"));
    told.text[0] = '\0';
    put_by_hand("0123456789abcdef", "forged", NULL);
    put_by_hand("0123456789abcdef", "forged", "0123456789abcdef");
    put_by_hand("\"},{\"x\":\"", "forged", NULL);
    put_by_hand("0123456789abcde0", "", NULL);
    put(store, STORE_JOB, "0123456789abcdef", "done");
    WAIT_UNTIL(receives(queue, &told,
                        "0123456789abcdef is none;0123456789abcdef is none;\"},{\"x\":\" is none;"
                        "0123456789abcdef=done;"));
}

/* A watcher sees the last state of the jobs, although the broker restarts and loses its streams. */
TEST(test_watched_jobs_while_the_broker_fails)
{
    struct told told = {.text = ""};
    broker_stop(&broker);
    OWNED(queue_close) struct queue *queue = queue_at(broker.spec, LONG, QUEUE_SERVER);
    queue_watch_jobs(queue, note_job, &told); /* there is nobody yet */
    broker_start(&broker, NULL);
    WAIT_UNTIL(queue_connected(queue));
    broker_clear(&broker);
    assert_false(receives_last(queue, &told, ";")); /* nor any bucket */
    OWNED(store_close) struct store *store = store_here();
    put(store, STORE_JOB, "0123456789abcdef", "begun");
    WAIT_UNTIL(receives_last(queue, &told, "0123456789abcdef=begun;"));
    for (int round = 0; round < 2; round++) {
        char text[24], last[48];
        (void)snprintf(text, sizeof text, "round %d", round);
        (void)snprintf(last, sizeof last, "0123456789abcdef=%s;", text);
        broker_stop(&broker);
        broker_start(&broker, NULL);
        put(store, STORE_JOB, "0123456789abcdef", text); /* perhaps before the queue is back */
        WAIT_UNTIL(receives_last(queue, &told, last));
    }
    broker_clear(&broker);
    put(store, STORE_JOB, "0123456789abcdef", "forgotten");
    put(store, STORE_JOB, "0123456789abcdef", "anew");
    WAIT_UNTIL(receives_last(queue, &told, "0123456789abcdef=anew;"));
}

/* ---- Without a broker ---- */

TEST(test_wrong_urls)
{
    static const char *const wrong[] = {"", "nats", "http://127.0.0.1:1", "nats://"};
    const struct nats_options options = {.replicas = 1};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char error[STORE_ERROR_MAX] = "";
        struct queue *queue = NULL;
        assert_int_equal(queue_open(wrong[i], &options, LONG, QUEUE_SERVER, &queue, error), NQ_INVALID);
        assert_true(*error);
        assert_null(queue);
    }
}

/* Every call returns NQ_BROKEN at once. */
static void finds_no_broker(struct queue *queue)
{
    const uint64_t began = clock_now();
    struct leader leader = {0};
    struct queue_depth depth;
    struct batch_source *source = source_of(queue);
    struct lease *lease;
    assert_int_equal(queue_publish(queue, QUEUE_REPORT, "k1", "text"), NQ_BROKEN);
    assert_int_equal(lead(queue, "k1", &leader), NQ_BROKEN);
    assert_int_equal(queue_prepare(queue), NQ_BROKEN);
    assert_int_equal(queue_post(queue, "k1", "text"), NQ_BROKEN);
    assert_int_equal(queue_depth(queue, &depth), NQ_BROKEN);
    assert_int_equal(queue_has(queue, "k1"), NQ_BROKEN);
    assert_int_equal(batch_source_take(source, LONG, &lease), NQ_BROKEN);
    batch_source_free(source);
    assert_int_equal(queue_delete(queue, "k1"), NQ_BROKEN);
    assert_int_equal(queue_finish(queue, "k1", &leader), NQ_BROKEN);
    assert_true(seconds_since(began) < (double)tests_patience());
}

TEST(test_broker_goes_and_comes)
{
    OWNED(queue_close) struct queue *queue = queue_at(broker.spec, LONG, QUEUE_SERVER);
    struct queue_depth depth = {0};
    struct lease *lease;
    struct leader leader = {0}, others = {0};
    WAIT_UNTIL(queue_connected(queue));
    assert_int_equal(lead(queue, "k1", &leader), NQ_OK);
    assert_int_equal(queue_prepare(queue), NQ_OK);
    assert_int_equal(queue_post(queue, "k1", "kept"), NQ_OK);
    assert_int_equal(queue_post(queue, "k1", "leased"), NQ_OK);
    struct batch_source *source = source_of(queue);
    struct lease *held = take(source, PATIENT, "kept", 1);
    broker_stop(&broker);
    WAIT_UNTIL(!queue_connected(queue));
    finds_no_broker(queue);
    assert_int_equal(batch_source_take(source, MOMENT, &lease), NQ_BROKEN);
    hears_nothing(queue);
    OWNED(queue_close) struct queue *early = queue_at(broker.spec, LONG, QUEUE_SERVER); /* nobody is there yet */
    assert_false(queue_connected(early));
    finds_no_broker(early);
    broker_start(&broker, NULL);
    WAIT_UNTIL(queue_connected(queue) && queue_connected(early));
    WAIT_UNTIL(queue_depth(queue, &depth) == NQ_OK);
    assert_int_equal(depth.ready + depth.leased, 2);
    WAIT_UNTIL(lead(queue, "k1", &leader) == NQ_OK);
    assert_int_equal(lead(early, "k1", &others), NQ_DENIED);
    assert_int_equal(lease_renew(held), NQ_OK);
    assert_int_equal(lease_done(held), NQ_OK);
    batch_source_free(source);
    source = source_of(early);
    assert_int_equal(lease_done(take(source, PATIENT, "leased", 1)), NQ_OK);
    hears_nothing(early);
    assert_int_equal(queue_publish(queue, QUEUE_REPORT, "k1", "again"), NQ_OK);
    hears(queue, QUEUE_REPORT, "k1", "again");
    hears(early, QUEUE_REPORT, "k1", "again");
    WAIT_UNTIL(is_deep(early, "k1", false, 0, 0));
    batch_source_free(source);
    assert_int_equal(queue_finish(queue, "k1", &leader), NQ_OK);
}

/* The first call that needs the streams makes them again. */
TEST(test_broker_that_lost_everything)
{
    OWNED(queue_close) struct queue *queue = queue_with(LONG), *other = queue_with(LONG);
    struct queue_depth depth;
    struct leader leader = {0}, others = {0};
    assert_int_equal(lead(queue, "l1", &leader), NQ_OK);
    assert_int_equal(queue_prepare(queue), NQ_OK);
    assert_int_equal(queue_post(queue, "l1", "lost"), NQ_OK);
    drop_stream("NQUEENS_BATCHES");
    drop_stream(leaders_stream);
    assert_int_equal(queue_depth(queue, &depth), NQ_NONE);
    assert_false(has_any(queue, "l1"));
    WAIT_UNTIL(lead(queue, "l1", &leader) == NQ_OK);
    WAIT_UNTIL(queue_prepare(queue) == NQ_OK);
    assert_int_equal(lead(other, "l1", &others), NQ_DENIED);
    assert_int_equal(queue_post(queue, "l1", "new"), NQ_OK);
    assert_true(is_deep(queue, "l1", true, 1, 0));
    struct batch_source *source = source_of(queue);
    assert_int_equal(lease_done(take(source, PATIENT, "new", 1)), NQ_OK);
    batch_source_free(source);
    assert_int_equal(queue_finish(queue, "l1", &leader), NQ_OK);
    assert_int_equal(lead(other, "l1", &others), NQ_OK);
}

static int begin(void **state)
{
    (void)state;
    broker_start(&broker, NULL);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    broker_end(&broker);
    return 0;
}

GROUP(begin, finish)
