/* test_queue.c - tests of src/stores/queue.c with a broker of their own: a work is one's, a batch is one's until
 * it is done or its lease is over, and calls report what the broker loses. */
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

static struct broker broker;

static struct queue *queue_at(const char *where, unsigned lease_ms, bool listen)
{
    const struct nats_options options = broker_patient();
    char error[STORE_ERROR_MAX] = "";
    struct queue *queue;
    if (queue_open(where, &options, lease_ms, listen, &queue, error) != NQ_OK)
        fail_msg("%s", error);
    return queue;
}

/* One that listens to nothing. */
static struct queue *queue_with(unsigned lease_ms)
{
    struct queue *queue = queue_at(broker.spec, lease_ms, false);
    WAIT_UNTIL(queue_connected(queue));
    return queue;
}

static double seconds_since(uint64_t began)
{
    return (double)(clock_now() - began) / (double)CLOCK_SECOND;
}

/* ---- Claims ---- */

static enum nq_status claim_it(struct queue *queue, const char *id, struct claim *claim)
{
    return queue_claim(queue, id, "", claim, NULL);
}

/* Another's note, which must be this one. */
static void read_note(struct queue *queue, const char *id, const char *note)
{
    struct claim claim = {0};
    struct bytes theirs = {0};
    assert_int_equal(queue_claim(queue, id, "not to be read", &claim, &theirs), NQ_DENIED);
    assert_int_equal(theirs.size, strlen(note));
    assert_true(!*note || memcmp(theirs.data, note, theirs.size) == 0);
    bytes_free(&theirs);
}

TEST(test_note_of_a_claim)
{
    struct queue *one = queue_with(LONG), *other = queue_with(LONG);
    struct claim claim = {0};
    struct bytes theirs = {0};
    assert_int_equal(queue_claim(one, "n1", "{\"half\":1}", &claim, &theirs), NQ_OK);
    read_note(other, "n1", "{\"half\":1}");
    assert_int_equal(queue_claim(one, "n1", "", &claim, &theirs), NQ_OK);
    read_note(other, "n1", "");
    assert_int_equal(queue_claim(one, "n1", "all", &claim, &theirs), NQ_OK);
    read_note(other, "n1", "all");
    assert_int_equal(theirs.size, 0);
    assert_int_equal(queue_finish(one, "n1"), NQ_OK);
    queue_close(one);
    queue_close(other);
}

TEST(test_one_process_has_a_claim)
{
    struct queue *one = queue_with(LONG), *other = queue_with(LONG);
    struct claim claim = {0}, others = {0}, again = {0};
    assert_int_equal(claim_it(one, "a1", &claim), NQ_OK);
    assert_true(claim.ours > 0);
    assert_int_equal(claim_it(other, "a1", &others), NQ_DENIED);
    for (int i = 0; i < 3; i++)
        assert_int_equal(claim_it(one, "a1", &claim), NQ_OK);
    assert_int_equal(claim_it(other, "a1", &others), NQ_DENIED);
    assert_int_equal(claim_it(one, "a1", &again), NQ_OK);    /* who has forgotten the claim still has it */
    assert_int_equal(claim_it(other, "a2", &others), NQ_OK); /* another work */
    assert_int_equal(claim_it(one, "a2", &(struct claim){0}), NQ_DENIED);
    others = (struct claim){0};
    assert_int_equal(queue_finish(one, "a1"), NQ_OK);
    assert_int_equal(claim_it(other, "a1", &others), NQ_OK); /* at once */
    assert_int_equal(claim_it(one, "a1", &claim), NQ_DENIED);
    assert_int_equal(queue_finish(other, "a1"), NQ_OK);
    assert_int_equal(claim_it(one, "a1", &claim), NQ_OK); /* with a claim of long ago */
    assert_int_equal(queue_finish(one, "a1"), NQ_OK);
    assert_int_equal(queue_finish(one, "a1"), NQ_OK); /* nothing is left to be done */
    assert_int_equal(queue_finish(other, "a2"), NQ_OK);
    queue_close(one);
    queue_close(other);
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
        struct claim claim = {0};
        (void)snprintf(id, sizeof id, "race%d", race);
        (void)pthread_barrier_wait(rival->together);
        rival->status[race] = claim_it(rival->queue, id, &claim);
    }
    return NULL;
}

TEST(test_concurrent_claims_have_one_winner)
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
        unsigned owners = 0, denied = 0;
        for (int i = 0; i < RIVALS; i++) {
            owners += rivals[i].status[race] == NQ_OK;
            denied += rivals[i].status[race] == NQ_DENIED;
        }
        assert_int_equal(owners, 1);
        assert_int_equal(denied, RIVALS - 1);
    }
    for (int i = 0; i < RIVALS; i++)
        queue_close(rivals[i].queue);
    assert_int_equal(pthread_barrier_destroy(&together), 0);
}

/* Not as long as it is renewed, and then not at once; nor for who has not looked at it all the while. */
TEST(test_a_claim_lapses)
{
    struct queue *one = queue_with(LONG), *other = queue_with(LONG);
    struct claim claim = {0}, often = {0}, rarely = {0};
    uint64_t renewed;
    enum nq_status status;
    assert_int_equal(claim_it(one, "late", &claim), NQ_OK);
    assert_int_equal(claim_it(other, "late", &rarely), NQ_DENIED);
    do {
        renewed = clock_now();
        assert_int_equal(claim_it(one, "late", &claim), NQ_OK);
        assert_int_equal(claim_it(other, "late", &often), NQ_DENIED);
        usleep(100000);
    } while (seconds_since(rarely.looked) < 1.1 * QUEUE_CLAIM_MS / 1e3);
    rarely.others = often.others;
    assert_int_equal(claim_it(other, "late", &rarely), NQ_DENIED);
    while ((status = claim_it(other, "late", &often)) != NQ_OK) {
        assert_int_equal(status, NQ_DENIED);
        assert_true(seconds_since(renewed) < 60 * (double)tests_patience());
        usleep(100000);
    }
    assert_true(seconds_since(renewed) > 0.9 * QUEUE_CLAIM_MS / 1e3);
    assert_int_equal(claim_it(one, "late", &claim), NQ_DENIED);
    assert_int_equal(queue_finish(other, "late"), NQ_OK);
    queue_close(one);
    queue_close(other);
}

/* ---- Batches ---- */

static struct batch_source *source_of(struct queue *queue)
{
    struct batch_source *source = batch_source_new(queue);
    assert_non_null(source);
    return source;
}

/* Claims a work and posts to it: otherwise nobody gets its batches. */
static void begin_work(struct queue *queue, const char *id)
{
    assert_int_equal(claim_it(queue, id, &(struct claim){0}), NQ_OK);
    assert_int_equal(queue_prepare(queue), NQ_OK);
}

static enum nq_status post(struct queue *queue, const char *id, const char *text)
{
    return queue_post(queue, id, &(struct claim){0}, QUEUE_BATCH, text);
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

/* Of the work, and of all works. */
static bool is_deep(struct queue *queue, const char *id, uint64_t left, uint64_t ready, uint64_t leased)
{
    struct queue_depth depth = {77, 77};
    uint64_t batches = 77;
    assert_int_equal(queue_left(queue, id, &(struct claim){0}, &batches), NQ_OK);
    assert_int_equal(queue_depth(queue, &depth), NQ_OK);
    return batches == left && depth.ready == ready && depth.leased == leased;
}

static bool has_left(struct queue *queue, const char *id, uint64_t left)
{
    uint64_t batches = 77;
    assert_int_equal(queue_left(queue, id, &(struct claim){0}, &batches), NQ_OK);
    return batches == left;
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
    struct queue *queue = queue_with(LONG), *other = queue_with(LONG);
    struct taker takers[TAKERS] = {{.taken = 0}};
    pthread_t threads[TAKERS];
    begin_work(queue, "b1");
    assert_true(is_deep(queue, "b1", 0, 0, 0));
    for (int i = 0; i < BATCHES; i++) {
        char text[16];
        (void)snprintf(text, sizeof text, "%d", i);
        assert_int_equal(post(queue, "b1", text), NQ_OK);
    }
    assert_true(is_deep(queue, "b1", BATCHES, BATCHES, 0));
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
    WAIT_UNTIL(is_deep(queue, "b1", 0, 0, 0)); /* what is done is not waited for */
    assert_int_equal(queue_finish(queue, "b1"), NQ_OK);
    queue_close(queue);
    queue_close(other);
}

/* Batches of two works come in the order in which they were posted, with any bytes in them. Audits are not left of a
 * work. */
TEST(test_two_works)
{
    static const char odd[] = "{\"a\":[1,2]}\n\x01\xff end";
    struct queue *queue = queue_with(LONG);
    begin_work(queue, "c1");
    begin_work(queue, "c2");
    assert_int_equal(post(queue, "c2", odd), NQ_OK);
    assert_int_equal(post(queue, "c1", "of the first"), NQ_OK);
    assert_int_equal(queue_post(queue, "c2", &(struct claim){0}, QUEUE_AUDIT, ""), NQ_OK);
    struct batch_source *source = source_of(queue);
    struct lease *lease = take(source, PATIENT, odd, 1);
    assert_true(is_deep(queue, "c1", 1, 2, 1));
    assert_true(is_deep(queue, "c2", 1, 2, 1));
    assert_int_equal(lease_done(lease), NQ_OK);
    assert_int_equal(lease_done(take(source, PATIENT, "of the first", 1)), NQ_OK);
    WAIT_UNTIL(is_deep(queue, "c2", 0, 1, 0));
    assert_int_equal(lease_done(take(source, PATIENT, "", 1)), NQ_OK);
    take_nothing(source, MOMENT);
    batch_source_free(source);
    assert_int_equal(queue_finish(queue, "c1"), NQ_OK);
    assert_int_equal(queue_finish(queue, "c2"), NQ_OK);
    queue_close(queue);
}

TEST(test_returned_batch_is_handed_out_again)
{
    struct queue *one = queue_with(LONG), *other = queue_with(LONG);
    begin_work(one, "d1");
    assert_int_equal(post(one, "d1", "batch"), NQ_OK);
    struct batch_source *mine = source_of(one), *its = source_of(other);
    struct lease *lease = take(mine, PATIENT, "batch", 1);
    uint64_t began = clock_now();
    assert_int_equal(lease_return(lease, 600), NQ_OK);
    take_nothing(its, MOMENT);
    take_nothing(mine, MOMENT);
    lease = take(its, PATIENT, "batch", 2);
    assert_true(seconds_since(began) > 0.5);
    assert_int_equal(lease_return(lease, 0), NQ_OK); /* at once */
    began = clock_now();
    lease = take(mine, PATIENT, "batch", 3);
    assert_true(seconds_since(began) < 5 * (double)tests_patience());
    assert_int_equal(lease_done(lease), NQ_OK);
    take_nothing(its, MOMENT);
    batch_source_free(mine);
    batch_source_free(its);
    assert_int_equal(queue_finish(one, "d1"), NQ_OK);
    queue_close(one);
    queue_close(other);
}

TEST(test_batch_comes_until_it_is_done)
{
    enum { OFTEN = 20 };
    (void)state;
    struct queue *queue = queue_with(LONG);
    begin_work(queue, "e1");
    assert_int_equal(post(queue, "e1", "bad"), NQ_OK);
    struct batch_source *source = source_of(queue);
    for (unsigned i = 1; i <= OFTEN; i++)
        assert_int_equal(lease_return(take(source, PATIENT, "bad", i), 0), NQ_OK);
    assert_int_equal(lease_done(take(source, PATIENT, "bad", OFTEN + 1)), NQ_OK);
    take_nothing(source, SHORT);
    WAIT_UNTIL(is_deep(queue, "e1", 0, 0, 0));
    batch_source_free(source);
    assert_int_equal(queue_finish(queue, "e1"), NQ_OK);
    queue_close(queue);
}

TEST(test_a_lease_lapses)
{
    struct queue *one = queue_with(SHORT), *other = queue_with(SHORT);
    begin_work(one, "f1");
    assert_int_equal(post(one, "f1", "batch"), NQ_OK);
    struct batch_source *mine = source_of(one), *its = source_of(other);
    struct lease *lease = take(mine, PATIENT, "batch", 1), *later = take(its, PATIENT, "batch", 2);
    assert_int_equal(lease_done(later), NQ_OK);
    take_nothing(mine, SHORT + MOMENT);
    assert_int_equal(lease_done(lease), NQ_OK); /* who comes too late does no harm */
    WAIT_UNTIL(is_deep(one, "f1", 0, 0, 0));
    batch_source_free(mine);
    batch_source_free(its);
    assert_int_equal(queue_finish(one, "f1"), NQ_OK);
    queue_close(one);
    queue_close(other);
}

TEST(test_renewed_lease_does_not_lapse)
{
    struct queue *one = queue_with(4 * SHORT), *other = queue_with(4 * SHORT);
    begin_work(one, "g1");
    assert_int_equal(post(one, "g1", "batch"), NQ_OK);
    struct batch_source *mine = source_of(one), *its = source_of(other);
    struct lease *lease = take(mine, PATIENT, "batch", 1);
    for (uint64_t began = clock_now(); seconds_since(began) < 3;) {
        assert_int_equal(lease_renew(lease), NQ_OK);
        take_nothing(its, MOMENT);
    }
    assert_true(is_deep(one, "g1", 1, 0, 1));
    assert_int_equal(lease_done(lease), NQ_OK);
    WAIT_UNTIL(is_deep(one, "g1", 0, 0, 0));
    batch_source_free(mine);
    batch_source_free(its);
    assert_int_equal(queue_finish(one, "g1"), NQ_OK);
    queue_close(one);
    queue_close(other);
}

/* No worker gets a batch whose poster has given the work up, or of whom another one has taken it over. */
TEST(test_a_batch_is_worth_its_claim)
{
    struct queue *queue = queue_with(LONG), *other = queue_with(LONG);
    begin_work(queue, "i1");
    assert_int_equal(post(queue, "i1", "of who leaves"), NQ_OK);
    assert_int_equal(queue_finish(other, "i1"), NQ_DENIED); /* only who has it ends it */
    assert_int_equal(queue_finish(queue, "i1"), NQ_OK);
    assert_int_equal(queue_finish(queue, "i1"), NQ_OK); /* nothing is left to be done */
    begin_work(other, "i1");
    assert_int_equal(post(queue, "i1", "too late"), NQ_OK);
    assert_int_equal(post(other, "i1", "wanted"), NQ_OK);
    assert_true(has_left(queue, "i1", 2) && has_left(other, "i1", 1)); /* each its own */
    const struct claim next = {.serial = 1};
    assert_int_equal(queue_post(other, "i1", &next, QUEUE_BATCH, "of a claim that is not made yet"), NQ_OK);
    struct batch_source *source = source_of(other);
    struct lease *lease;
    for (int i = 0; i < 2; i++)
        assert_int_equal(batch_source_take(source, PATIENT, &lease), NQ_TIMEOUT);
    assert_int_equal(lease_done(take(source, PATIENT, "wanted", 1)), NQ_OK);
    assert_int_equal(batch_source_take(source, PATIENT, &lease), NQ_TIMEOUT);
    WAIT_UNTIL(is_deep(queue, "i1", 0, 0, 0));
    struct claim renumbered = {.serial = 2}; /* and of no revision: as if writing it had failed */
    assert_int_equal(claim_it(other, "i1", &renumbered), NQ_OK);
    assert_int_equal(queue_post(other, "i1", &renumbered, QUEUE_BATCH, "of a claim that is made anew"), NQ_OK);
    assert_int_equal(lease_done(take(source, PATIENT, "of a claim that is made anew", 1)), NQ_OK);
    batch_source_free(source);
    assert_int_equal(queue_finish(other, "i1"), NQ_OK);
    queue_close(queue);
    queue_close(other);
}

/* Its poster may have been away; but not for long. */
TEST(test_a_batch_of_nobody_ends)
{
    struct queue *queue = queue_with(LONG);
    begin_work(queue, "i2");
    assert_int_equal(queue_finish(queue, "i2"), NQ_OK);
    assert_int_equal(post(queue, "i2", "first"), NQ_OK);
    struct batch_source *source = source_of(queue);
    take_nothing(source, SHORT);
    begin_work(queue, "i2");
    struct lease *lease = NULL;
    WAIT_UNTIL(batch_source_take(source, SHORT, &lease) == NQ_OK);
    assert_int_equal(lease_done(lease), NQ_OK);
    assert_int_equal(queue_finish(queue, "i2"), NQ_OK);
    assert_int_equal(post(queue, "i2", "second"), NQ_OK);
    const uint64_t since = clock_now();
    WAIT_UNTIL((take_nothing(source, SHORT), has_left(queue, "i2", 0)));
    assert_true(seconds_since(since) > 2);
    batch_source_free(source);
    queue_close(queue);
}

/* ---- What is said ---- */

static void hears(struct queue *queue, enum queue_topic topic, const char *id, const char *text)
{
    struct queue_message received = {.text = {0}};
    bytes_text(&received.text, "> ");
    WAIT_UNTIL(queue_receive(queue, MOMENT, &received) == NQ_OK);
    char *all = bytes_take(&received.text);
    assert_int_equal(received.topic, topic);
    assert_string_equal(received.id, id);
    assert_memory_equal(all, "> ", 2);
    assert_string_equal(all + 2, text);
    free(all);
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
    struct queue *one = queue_at(broker.spec, LONG, true), *other = queue_at(broker.spec, LONG, true);
    struct queue *deaf = queue_with(LONG);
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
    queue_close(one);
    queue_close(other);
    queue_close(deaf);
}

/* ---- Jobs ---- */

struct told {
    pthread_mutex_t lock;
    char text[1000]; /* "id=text;" for each */
};

static void note_job(void *who, const char *id, const void *text, size_t size)
{
    struct told *told = who;
    pthread_mutex_lock(&told->lock);
    const size_t used = strlen(told->text);
    if (text)
        (void)snprintf(told->text + used, sizeof told->text - used, "%s=%.*s;", id, (int)size, (const char *)text);
    else
        (void)snprintf(told->text + used, sizeof told->text - used, "%s is none;", id);
    pthread_mutex_unlock(&told->lock);
}

static bool was_told(struct told *told, const char *text)
{
    pthread_mutex_lock(&told->lock);
    const bool same = strcmp(told->text, text) == 0;
    pthread_mutex_unlock(&told->lock);
    return same;
}

static void put(struct store *store, enum store_kind kind, const char *key, const char *value)
{
    const struct store_fact fact = {kind, key, value, strlen(value)};
    WAIT_UNTIL(store_put(store, &fact, 1) == NQ_OK);
}

static bool was_told_last(struct told *told, const char *text)
{
    pthread_mutex_lock(&told->lock);
    const size_t size = strlen(told->text), last = strlen(text);
    const bool same = size >= last && strcmp(told->text + size - last, text) == 0;
    pthread_mutex_unlock(&told->lock);
    return same;
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
    jsCtx *js = NULL;
    (void)snprintf(subject, sizeof subject, NATS_JOBS "%s", id);
    assert_int_equal(jsPubOptions_Init(&options), NATS_OK);
    options.ExpectLastSubjectSeq = sequence;
    assert_int_equal(natsConnection_ConnectTo(&connection, broker.spec), NATS_OK);
    assert_int_equal(natsConnection_JetStream(&js, connection, NULL), NATS_OK);
    const natsStatus status = js_Publish(NULL, js, subject, text, (int)strlen(text), &options, NULL);
    jsCtx_Destroy(js);
    natsConnection_Destroy(connection);
    return status;
}

TEST(test_watched_jobs)
{
    struct told told = {.text = ""};
    struct store *store = store_here();
    struct queue *queue = queue_with(LONG);
    pthread_mutex_init(&told.lock, NULL);
    put(store, STORE_JOB, "0123456789abcdef", "long ago");
    put(store, STORE_JOB, "0123456789abcdef", "there");
    queue_watch_jobs(queue, note_job, &told);
    WAIT_UNTIL(was_told(&told, "0123456789abcdef=there;"));
    put(store, STORE_JOB, "0123456789abcdef", "begun");
    WAIT_UNTIL(was_told(&told, "0123456789abcdef=there;0123456789abcdef=begun;"));
    put(store, STORE_RESULT, "aa", "no job");
    put(store, STORE_UNIT, "bb", "no job either");
    assert_int_not_equal(put_after("0123456789abcdef", "refused", 1),
                         NATS_OK); /* the stream does not accept it, and on_job is not called */
    put(store, STORE_JOB, "0123456789abcdef", "done");
    WAIT_UNTIL(was_told(&told, "0123456789abcdef=there;0123456789abcdef=begun;0123456789abcdef=done;"));
    queue_close(queue);
    put(store, STORE_JOB, "fedcba9876543210", "too late");
    usleep(1000 * MOMENT);
    assert_true(was_told(&told, "0123456789abcdef=there;0123456789abcdef=begun;0123456789abcdef=done;"));
    store_close(store);
    pthread_mutex_destroy(&told.lock);
}

/* A message that no store has written; sum: in place of a store's checksum, NULL: none. */
static void put_by_hand(const char *id, const char *text, const char *sum)
{
    char subject[96];
    natsConnection *connection = NULL;
    natsMsg *message = NULL;
    jsCtx *js = NULL;
    (void)snprintf(subject, sizeof subject, NATS_JOBS "%s", id);
    assert_int_equal(natsConnection_ConnectTo(&connection, broker.spec), NATS_OK);
    assert_int_equal(natsConnection_JetStream(&js, connection, NULL), NATS_OK);
    assert_int_equal(natsMsg_Create(&message, subject, NULL, text, (int)strlen(text)), NATS_OK);
    if (sum)
        assert_int_equal(natsMsgHeader_Set(message, "Nq-Sum", sum), NATS_OK);
    assert_int_equal(js_PublishMsg(NULL, js, message, NULL, NULL), NATS_OK);
    natsMsg_Destroy(message);
    jsCtx_Destroy(js);
    natsConnection_Destroy(connection);
}

/* What no store has written is no job, whether it comes first or later. A key that was deleted by hand is gone. */
TEST(test_messages_that_are_no_jobs)
{
    struct told told = {.text = ""};
    struct store *store = store_here();
    struct queue *queue = queue_with(LONG);
    pthread_mutex_init(&told.lock, NULL);
    broker_clear(&broker);
    WAIT_UNTIL(store_check(store, true) == NQ_OK);
    put(store, STORE_JOB, "0123456789abcdef", "there");
    put_by_hand("0123456789abcde0", "forged", NULL);
    queue_watch_jobs(queue, note_job, &told);
    WAIT_UNTIL(was_told(&told, "0123456789abcdef=there;0123456789abcde0 is none;"));
    told.text[0] = '\0';
    put_by_hand("0123456789abcdef", "forged", NULL);
    put_by_hand("0123456789abcdef", "forged", "0123456789abcdef");
    put_by_hand("\"},{\"x\":\"", "forged", NULL);
    put_by_hand("0123456789abcde0", "", NULL);
    put(store, STORE_JOB, "0123456789abcdef", "done");
    WAIT_UNTIL(was_told(&told, "0123456789abcdef is none;0123456789abcdef is none;\"},{\"x\":\" is none;"
                               "0123456789abcdef=done;"));
    queue_close(queue);
    store_close(store);
    pthread_mutex_destroy(&told.lock);
}

/* Receives until on_job was last called with that. */
static bool receives(struct queue *queue, struct told *told, const char *text)
{
    struct queue_message received = {.text = {0}};
    (void)queue_receive(queue, SHORT / 10, &received);
    bytes_free(&received.text);
    return was_told_last(told, text);
}

/* A watcher sees the last state of the jobs, although the broker restarts and loses its streams. */
TEST(test_watched_jobs_while_the_broker_fails)
{
    struct told told = {.text = ""};
    pthread_mutex_init(&told.lock, NULL);
    broker_stop(&broker);
    struct queue *queue = queue_at(broker.spec, LONG, true);
    queue_watch_jobs(queue, note_job, &told); /* there is nobody yet */
    broker_start(&broker, NULL);
    WAIT_UNTIL(queue_connected(queue));
    broker_clear(&broker);
    assert_false(receives(queue, &told, ";")); /* nor any bucket */
    struct store *store = store_here();
    put(store, STORE_JOB, "0123456789abcdef", "begun");
    WAIT_UNTIL(receives(queue, &told, "0123456789abcdef=begun;"));
    for (int round = 0; round < 3; round++) {
        char text[24], last[48];
        (void)snprintf(text, sizeof text, "round %d", round);
        (void)snprintf(last, sizeof last, "0123456789abcdef=%s;", text);
        broker_stop(&broker);
        broker_start(&broker, NULL);
        put(store, STORE_JOB, "0123456789abcdef", text); /* perhaps before the queue is back */
        WAIT_UNTIL(receives(queue, &told, last));
    }
    broker_clear(&broker);
    put(store, STORE_JOB, "0123456789abcdef", "forgotten");
    put(store, STORE_JOB, "0123456789abcdef", "anew");
    WAIT_UNTIL(receives(queue, &told, "0123456789abcdef=anew;"));
    queue_close(queue);
    store_close(store);
    pthread_mutex_destroy(&told.lock);
}

struct slow {
    atomic_bool begun, ended;
};

static void tell_slowly(void *who, const char *id, const void *text, size_t size)
{
    struct slow *slow = who;
    (void)id, (void)text, (void)size;
    atomic_store(&slow->begun, true);
    usleep(1000 * SHORT);
    atomic_store(&slow->ended, true);
}

/* When it returns, no call is under way: its argument may be freed. */
TEST(test_unwatch_waits_for_a_call)
{
    struct slow *slow = calloc(1, sizeof *slow);
    struct store *store = store_here();
    struct queue *queue = queue_with(LONG);
    assert_non_null(slow);
    put(store, STORE_JOB, "0123456789abcdef", "text");
    queue_watch_jobs(queue, tell_slowly, slow);
    for (int i = 0; i < 5; i++)
        put(store, STORE_JOB, "0123456789abcdef", "text");
    WAIT_UNTIL(atomic_load(&slow->begun));
    queue_unwatch_jobs(queue);
    assert_true(atomic_load(&slow->ended));
    free(slow);
    put(store, STORE_JOB, "0123456789abcdef", "to nobody");
    usleep(1000 * MOMENT);
    queue_unwatch_jobs(queue); /* once more */
    queue_close(queue);
    store_close(store);
}

struct stuck {
    struct queue *queue;
    atomic_bool begun, go_on;
};

static void tell_until(void *who, const char *id, const void *text, size_t size)
{
    struct stuck *stuck = who;
    (void)id, (void)text, (void)size;
    atomic_store(&stuck->begun, true);
    for (int i = 0; i < 4000 && !atomic_load(&stuck->go_on); i++)
        usleep(1000);
}

static void *unwatch(void *stuck)
{
    queue_unwatch_jobs(((struct stuck *)stuck)->queue);
    return NULL;
}

/* Other threads can use the queue while one waits for the end of a call. */
TEST(test_unwatching_locks_nothing)
{
    pthread_t thread;
    struct store *store = store_here();
    struct stuck stuck = {.queue = queue_with(LONG)};
    queue_watch_jobs(stuck.queue, tell_until, &stuck);
    put(store, STORE_JOB, "0123456789abcdef", "text");
    WAIT_UNTIL(atomic_load(&stuck.begun));
    assert_int_equal(pthread_create(&thread, NULL, unwatch, &stuck), 0);
    usleep(100000);
    const uint64_t began = clock_now();
    assert_true(queue_connected(stuck.queue));
    assert_true(seconds_since(began) < 2 * (double)tests_patience());
    atomic_store(&stuck.go_on, true);
    pthread_join(thread, NULL);
    queue_close(stuck.queue);
    store_close(store);
}

/* ---- Without a broker ---- */

TEST(test_wrong_urls)
{
    static const char *const wrong[] = {"", "nats", "http://127.0.0.1:1", "nats://"};
    const struct nats_options options = {.replicas = 1};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char error[STORE_ERROR_MAX] = "";
        struct queue *queue = NULL;
        assert_int_equal(queue_open(wrong[i], &options, LONG, true, &queue, error), NQ_INVALID);
        assert_true(*error);
        assert_null(queue);
    }
}

/* Every call returns NQ_BROKEN at once. */
static void finds_no_broker(struct queue *queue)
{
    const uint64_t began = clock_now();
    struct claim claim = {0};
    struct queue_depth depth;
    struct batch_source *source = source_of(queue);
    struct lease *lease;
    uint64_t left;
    assert_int_equal(queue_publish(queue, QUEUE_REPORT, "k1", "text"), NQ_BROKEN);
    assert_int_equal(claim_it(queue, "k1", &claim), NQ_BROKEN);
    assert_int_equal(queue_prepare(queue), NQ_BROKEN);
    assert_int_equal(post(queue, "k1", "text"), NQ_BROKEN);
    assert_int_equal(queue_depth(queue, &depth), NQ_BROKEN);
    assert_int_equal(queue_left(queue, "k1", &(struct claim){0}, &left), NQ_BROKEN);
    assert_int_equal(batch_source_take(source, LONG, &lease), NQ_BROKEN);
    batch_source_free(source);
    assert_int_equal(queue_finish(queue, "k1"), NQ_BROKEN);
    assert_true(seconds_since(began) < (double)tests_patience());
}

TEST(test_broker_goes_and_comes)
{
    struct queue *queue = queue_at(broker.spec, LONG, true);
    struct queue_depth depth = {0};
    struct lease *lease;
    struct claim claim = {0}, others = {0};
    WAIT_UNTIL(queue_connected(queue));
    assert_int_equal(claim_it(queue, "k1", &claim), NQ_OK);
    begin_work(queue, "k1");
    assert_int_equal(post(queue, "k1", "kept"), NQ_OK);
    assert_int_equal(post(queue, "k1", "leased"), NQ_OK);
    struct batch_source *source = source_of(queue);
    struct lease *held = take(source, PATIENT, "kept", 1);
    broker_stop(&broker);
    WAIT_UNTIL(!queue_connected(queue));
    finds_no_broker(queue);
    assert_int_equal(batch_source_take(source, MOMENT, &lease), NQ_BROKEN);
    hears_nothing(queue);
    struct queue *early = queue_at(broker.spec, LONG, true); /* nobody is there yet */
    assert_false(queue_connected(early));
    finds_no_broker(early);
    broker_start(&broker, NULL);
    WAIT_UNTIL(queue_connected(queue) && queue_connected(early));
    WAIT_UNTIL(queue_depth(queue, &depth) == NQ_OK);
    assert_int_equal(depth.ready + depth.leased, 2);
    WAIT_UNTIL(claim_it(queue, "k1", &claim) == NQ_OK);
    assert_int_equal(claim_it(early, "k1", &others), NQ_DENIED);
    assert_int_equal(lease_renew(held), NQ_OK);
    assert_int_equal(lease_done(held), NQ_OK);
    batch_source_free(source);
    source = source_of(early);
    assert_int_equal(lease_done(take(source, PATIENT, "leased", 1)), NQ_OK);
    hears_nothing(early);
    assert_int_equal(queue_publish(queue, QUEUE_REPORT, "k1", "again"), NQ_OK);
    hears(queue, QUEUE_REPORT, "k1", "again");
    hears(early, QUEUE_REPORT, "k1", "again");
    WAIT_UNTIL(is_deep(early, "k1", 0, 0, 0));
    batch_source_free(source);
    assert_int_equal(queue_finish(queue, "k1"), NQ_OK);
    queue_close(queue);
    queue_close(early);
}

static void drop_streams(void)
{
    static const char *const names[] = {"NQUEENS_BATCHES", "KV_nqueens_claim"};
    natsConnection *connection = NULL;
    jsCtx *js = NULL;
    assert_int_equal(natsConnection_ConnectTo(&connection, broker.spec), NATS_OK);
    assert_int_equal(natsConnection_JetStream(&js, connection, NULL), NATS_OK);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(js_DeleteStream(js, names[i], NULL, NULL), NATS_OK);
    jsCtx_Destroy(js);
    natsConnection_Destroy(connection);
}

/* The first call that needs the streams makes them again. */
TEST(test_broker_that_lost_everything)
{
    struct queue *queue = queue_with(LONG), *other = queue_with(LONG);
    struct queue_depth depth;
    struct claim claim = {0}, others = {0};
    assert_int_equal(claim_it(queue, "l1", &claim), NQ_OK);
    begin_work(queue, "l1");
    assert_int_equal(post(queue, "l1", "lost"), NQ_OK);
    drop_streams();
    assert_int_equal(queue_depth(queue, &depth), NQ_NONE);
    assert_true(has_left(queue, "l1", 0));
    WAIT_UNTIL(claim_it(queue, "l1", &claim) == NQ_OK);
    WAIT_UNTIL(queue_prepare(queue) == NQ_OK);
    assert_int_equal(claim_it(other, "l1", &others), NQ_DENIED);
    assert_int_equal(post(queue, "l1", "new"), NQ_OK);
    assert_true(is_deep(queue, "l1", 1, 1, 0));
    struct batch_source *source = source_of(queue);
    assert_int_equal(lease_done(take(source, PATIENT, "new", 1)), NQ_OK);
    batch_source_free(source);
    assert_int_equal(queue_finish(queue, "l1"), NQ_OK);
    assert_int_equal(claim_it(other, "l1", &others), NQ_OK);
    queue_close(queue);
    queue_close(other);
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
