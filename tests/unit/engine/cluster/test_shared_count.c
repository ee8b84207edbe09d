/* test_shared_count.c - tests of src/engine/cluster/coordinator.c: of several servers one counts; and what a count
 * must be able to rely on. */
/* CI builds: address thread */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/cluster/coordinator.h"
#include "support/memory_journal.h"
#include "support/servers_and_workers.h"

/* Two servers are asked the same: one of them leads. */
FRESH(test_one_leads)
{
    struct server servers[2];
    struct worker_process worker;
    struct client clients[2];
    server_begin(&servers[0], 0);
    server_begin(&servers[1], 0);
    worker_process_begin(&worker);
    WAIT_UNTIL(server_stats(&servers[0]).worker_threads == THREADS &&
               server_stats(&servers[1]).worker_threads == THREADS);
    client_ask(&clients[0], &servers[0]);
    client_ask(&clients[1], &servers[1]);
    for (int i = 0; i < 2; i++) {
        client_gets(&clients[i], NQ_OK);
        const struct progress *progress = &clients[i].waiter->progress;
        assert_int_equal(progress->weight_done, progress->weight);
        assert_int_equal(progress->units_done, progress->units);
    }
    assert_int_equal(server_stats(&servers[0]).units > 0 && server_stats(&servers[1]).units > 0, false);
    for (int i = 0; i < 2; i++) {
        client_end(&clients[i]);
        server_end(&servers[i]);
    }
    (void)worker_process_end(&worker, true);
}

static const char by_index[] = "&by=index";

/* Placements tried for indexes. */
static uint64_t index_nodes(struct server *server)
{
    struct effort_stats stats;
    size_t i = 0;
    WAIT_UNTIL(engine_stats(server->engine).pool.running == 0); /* nodes are added at the end of a slice */
    while (efforts_get(engine_efforts(server->engine), i, &stats) && stats.name != algorithm_index)
        i++;
    return stats.nodes;
}

/* Both are asked at once. */
FRESH(test_one_makes_the_index)
{
    struct server servers[2];
    struct client clients[2];
    for (int i = 0; i < 2; i++)
        server_begin(&servers[i], 0);
    for (int i = 0; i < 2; i++)
        client_ask_more(&clients[i], &servers[i], by_index);
    for (int i = 0; i < 2; i++)
        client_gets(&clients[i], NQ_OK);
    assert_int_equal((index_nodes(&servers[0]) > 0) + (index_nodes(&servers[1]) > 0), 1);
    for (int i = 0; i < 2; i++)
        WAIT_UNTIL(server_stats(&servers[i]).led == 0);
    for (int i = 0; i < 2; i++) {
        client_end(&clients[i]);
        server_end(&servers[i]);
    }
}

/* Whether one who leaves at once was told how far it is. */
static bool tells_progress(struct server *server, const char *more)
{
    struct client client;
    client_ask_more(&client, server, more);
    pending_cancel(&client.waiter->pending, NQ_CANCELLED);
    client_gets(&client, NQ_CANCELLED);
    const bool told = client.waiter->progress.weight > 0;
    client_end(&client);
    return told;
}

/* The leader's client leaves: the other server goes on, with all its threads. */
static void take_over(const char *more)
{
    struct server servers[2];
    struct client clients[2];
    for (int i = 0; i < 2; i++) {
        server_begin_with(&servers[i], gate_shut(i), 0, LEASE_MS);
        client_ask_more(&clients[i], &servers[i], more);
        WAIT_UNTIL(i ? server_stats(&servers[i]).followed == 1 : server_stats(&servers[i]).led == 1);
    }
    WAIT_UNTIL(atomic_load(&gates[0].held) == THREADS);
    WAIT_UNTIL(engine_stats(servers[1].engine).pool.resting == THREADS);
    assert_int_equal(atomic_load(&gates[1].held), 0);
    WAIT_UNTIL(tells_progress(&servers[1], more));
    struct pending *first = &clients[0].waiter->pending;
    pending_cancel(first, NQ_CANCELLED);
    gate_open(0);
    client_gets(&clients[0], NQ_CANCELLED);
    WAIT_UNTIL(server_stats(&servers[1]).led == 1 && atomic_load(&gates[1].held) == THREADS);
    gate_open(1);
    client_gets(&clients[1], NQ_OK);
    for (int i = 0; i < 2; i++) {
        client_end(&clients[i]);
        server_end(&servers[i]);
    }
}

FRESH(test_count_taken_over)
{
    take_over(NULL);
}

FRESH(test_index_taken_over)
{
    take_over(by_index);
}

/* ---- A made-up count and made-up workers ---- */

/* A count of UNITS units in one term; each callback needs the coordinator's lock for a moment. */
enum { UNITS = 150 };
struct made_up {
    struct coordinator *coordinator;
    pthread_mutex_t lock;
    size_t taken;
    bool known[UNITS];
    atomic_uint placed, rewound; /* calls */
};

/* The coordinator's lock can be taken: it asserts that this thread does not have it. */
static void assert_unlocked(struct made_up *made_up)
{
    (void)coordinator_stats(made_up->coordinator);
}

static void progress(void *who, struct progress *progress)
{
    assert_unlocked(who);
    progress->weight = UNITS;
}

static bool take(void *who, size_t *unit)
{
    struct made_up *made_up = who;
    assert_unlocked(made_up);
    *unit = made_up->taken;
    made_up->taken += *unit < UNITS;
    return *unit < UNITS;
}

static double weight(void *who, size_t unit)
{
    (void)unit;
    assert_unlocked(who);
    return 1;
}

static bool over(void *who, size_t unit)
{
    struct made_up *made_up = who;
    assert_unlocked(made_up);
    pthread_mutex_lock(&made_up->lock);
    const bool known = made_up->known[unit];
    pthread_mutex_unlock(&made_up->lock);
    return known;
}

static const char *place(void *who, size_t unit, struct message_place *place)
{
    assert_unlocked(who);
    atomic_fetch_add(&((struct made_up *)who)->placed, 1);
    *place = (struct message_place){0, (uint32_t)unit, UNIT_WHOLE};
    return "term";
}

static bool find(void *who, const struct message_place *place, nq_wide parts, size_t *unit)
{
    assert_unlocked(who);
    *unit = place->unit;
    return place->unit < UNITS && parts <= UINT64_MAX;
}

static void adopt(void *who, size_t unit, nq_wide parts, uint64_t nodes)
{
    struct made_up *made_up = who;
    (void)parts, (void)nodes;
    assert_unlocked(made_up);
    pthread_mutex_lock(&made_up->lock);
    made_up->known[unit] = true;
    pthread_mutex_unlock(&made_up->lock);
}

static void rewind_units(void *who)
{
    struct made_up *made_up = who;
    assert_unlocked(who);
    atomic_fetch_add(&made_up->rewound, 1);
}

/* Publishes that two workers have so many threads. */
static bool publish_workers(struct queue *queue, unsigned threads)
{
    char text[80];
    (void)snprintf(text, sizeof text, "{\"threads\":%u,\"version\":\"" NQ_VERSION "\"}", threads);
    return queue_publish(queue, QUEUE_WORKER, "ann", text) == NQ_OK &&
           queue_publish(queue, QUEUE_WORKER, "bob", text) == NQ_OK;
}

static void publish_report(struct queue *queue, const char *query, const struct report_message *message)
{
    char id[17];
    struct bytes text = {0};
    work_id(query, id);
    report_message_write(message, &text);
    char *taken = bytes_take(&text);
    assert_non_null(taken);
    assert_int_equal(queue_publish(queue, QUEUE_REPORT, id, taken), NQ_OK);
    free(taken);
}

static const char query[] = "/count?n=16&method=compute";
static const struct shared_count_class class = {.progress = progress,
                                                .take = take,
                                                .weight = weight,
                                                .over = over,
                                                .place = place,
                                                .find = find,
                                                .adopt = adopt,
                                                .rewind = rewind_units};

/* An audit finds another result, and units come back when both workers leave. */
FRESH(test_callbacks_without_the_lock)
{
    struct memory_journal kept;
    struct made_up made_up = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct queue *queue = open_queue(false), *workers = open_queue(true);
    memory_journal_begin(&kept);
    const struct coordinator_options options = {.queue = queue,
                                                .journal = kept.journal,
                                                .audit = 1,
                                                .seconds_per_weight = 1e-3,
                                                .threads = THREADS,
                                                .lease_ms = LEASE_MS};
    struct coordinator *coordinator = made_up.coordinator = coordinator_new(&options);
    assert_non_null(coordinator);
    WAIT_UNTIL(publish_workers(workers, 2) && coordinator_stats(coordinator).worker_threads == 4);
    struct shared_count *shared = shared_count_open(coordinator, query, &class, &made_up);
    assert_non_null(shared);
    shared_count_begin(shared);
    WAIT_UNTIL(publish_workers(workers, 2) && coordinator_stats(coordinator).posted > 0);
    struct report_message message = {
        .worker = "ann", .place = {.unit = 1, .piece = UNIT_WHOLE}, .parts = 7, .seconds = 0.001};
    publish_report(workers, query, &message);
    WAIT_UNTIL(publish_workers(workers, 2) && coordinator_stats(coordinator).units == 1);
    message = (struct report_message){
        .worker = "bob", .report = MESSAGE_CHECKED, .place = {.unit = 1, .piece = UNIT_WHOLE}, .parts = 8};
    publish_report(workers, query, &message);
    WAIT_UNTIL(coordinator_stats(coordinator).disagreements == 1);
    struct fault fault;
    assert_int_equal(shared_count_verdict(shared, &fault), NQ_BROKEN);
    assert_string_equal(fault.text, "Worker ann does not agree with bob on unit 1: no result can be believed.");
    assert_int_equal(atomic_load(&made_up.rewound), 0);
    WAIT_UNTIL(publish_workers(workers, 0) && atomic_load(&made_up.rewound) > 0);
    assert_true(atomic_load(&made_up.placed) > 0);
    shared_count_close(shared, false);
    coordinator_stop(coordinator);
    coordinator_free(coordinator);
    memory_journal_end(&kept);
    queue_close(workers);
    queue_close(queue);
}

/* More than are posted between two renewals of the claim: all are posted. */
FRESH(test_many_audits)
{
    SCOPED(memory_journal, kept);
    struct queue *queue = open_queue(false), *workers = open_queue(true);
    struct made_up made_up = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const struct coordinator_options options = {.queue = queue,
                                                .journal = kept.journal,
                                                .audit = 1,
                                                .seconds_per_weight = 1,
                                                .threads = THREADS,
                                                .lease_ms = LEASE_MS};
    struct coordinator *coordinator = made_up.coordinator = coordinator_new(&options);
    assert_non_null(coordinator);
    WAIT_UNTIL(publish_workers(workers, 2) && coordinator_stats(coordinator).worker_threads == 4);
    struct shared_count *shared = shared_count_open(coordinator, query, &class, &made_up);
    assert_non_null(shared);
    shared_count_begin(shared);
    for (uint32_t unit = 0; unit < UNITS; unit++) {
        const struct report_message message = {
            .worker = "ann", .place = {.unit = unit, .piece = UNIT_WHOLE}, .parts = 7, .seconds = 0.001};
        publish_report(workers, query, &message);
    }
    WAIT_UNTIL(publish_workers(workers, 2) && coordinator_stats(coordinator).units == UNITS);
    WAIT_UNTIL(publish_workers(workers, 2) && coordinator_stats(coordinator).posted >= UNITS);
    assert_true(shared_count_doubts(shared));
    for (uint32_t unit = 0; unit < UNITS; unit++) {
        const struct report_message message = {
            .worker = "bob", .report = MESSAGE_CHECKED, .place = {.unit = unit, .piece = UNIT_WHOLE}, .parts = 7};
        publish_report(workers, query, &message);
    }
    WAIT_UNTIL(!shared_count_doubts(shared));
    assert_int_equal(coordinator_stats(coordinator).audits, UNITS);
    assert_int_equal(coordinator_stats(coordinator).disagreements, 0);
    shared_count_close(shared, false);
    coordinator_stop(coordinator);
    coordinator_free(coordinator);
    queue_close(workers);
    queue_close(queue);
}

/* One was cancelled and is asked for again before the thread has freed it: the claim is never given up. */
FRESH(test_asked_again_at_once)
{
    struct queue *queue = open_queue(false), *other = open_queue(false);
    struct made_up made_up = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const struct coordinator_options options = {.queue = queue, .threads = THREADS, .lease_ms = LEASE_MS};
    struct coordinator *coordinator = made_up.coordinator = coordinator_new(&options);
    assert_non_null(coordinator);
    struct shared_count *first = shared_count_open(coordinator, query, &class, &made_up);
    struct shared_count *second = shared_count_open(coordinator, query, &class, &made_up);
    assert_true(first && second);
    shared_count_close(first, false);
    struct claim claim = {0};
    uint64_t renewal = 0;
    char id[17];
    work_id(query, id);
    for (int renewed = -1; renewed < 3; renewed += claim.others != renewal) {
        renewal = claim.others;
        usleep(20000);
        assert_int_equal(queue_claim(other, id, "", &claim, NULL), NQ_DENIED);
    }
    shared_count_close(second, false);
    WAIT_UNTIL(queue_claim(other, id, "", &claim, NULL) == NQ_OK); /* now it is */
    coordinator_stop(coordinator);
    coordinator_free(coordinator);
    queue_close(other);
    queue_close(queue);
}

GROUP(cluster_begin, cluster_end)
