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

/* Publishes that a worker has so many threads. */
static bool publish_worker(struct queue *queue, const char *id, unsigned threads)
{
    char text[80];
    (void)snprintf(text, sizeof text, "{\"threads\":%u,\"version\":\"" NQ_VERSION "\"}", threads);
    return queue_publish(queue, QUEUE_WORKER, id, text) == NQ_OK;
}

/* The same of two workers. */
static bool publish_workers(struct queue *queue, unsigned threads)
{
    return publish_worker(queue, "ann", threads) && publish_worker(queue, "bob", threads);
}

static void publish_report(struct queue *queue, const char *query, const struct report_message *message)
{
    char id[17];
    struct bytes text = {0};
    work_id(query, id);
    report_message_write(message, &text);
    OWNED(free) char *taken = bytes_take(&text);
    assert_non_null(taken);
    assert_int_equal(queue_publish(queue, QUEUE_REPORT, id, taken), NQ_OK);
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

/* The count, led by a coordinator of its own. */
struct company {
    struct memory_journal kept;
    struct queue *queue;
    struct made_up made_up;
    struct coordinator *coordinator;
    struct shared_count *shared;
};

static void company_begin(struct company *company, double audit)
{
    *company = (struct company){.queue = open_queue(false), .made_up = {.lock = PTHREAD_MUTEX_INITIALIZER}};
    memory_journal_begin(&company->kept);
    const struct coordinator_options options = {.queue = company->queue,
                                                .journal = company->kept.journal,
                                                .audit = audit,
                                                .seconds_per_weight = 1e-3,
                                                .threads = THREADS,
                                                .lease_ms = LEASE_MS};
    company->coordinator = company->made_up.coordinator = coordinator_new(&options);
    assert_non_null(company->coordinator);
    company->shared = shared_count_open(company->coordinator, query, &class, &company->made_up);
    assert_non_null(company->shared);
    shared_count_begin(company->shared);
}

static void company_end(struct company *company)
{
    shared_count_close(company->shared, false);
    coordinator_stop(company->coordinator);
    coordinator_free(company->coordinator);
    memory_journal_end(&company->kept);
    queue_close(company->queue);
}

static struct coordinator_stats stats_of(const struct company *company)
{
    return coordinator_stats(company->coordinator);
}

/* A report of the worker ann that a unit came to 7, or of another one that an audit of it came to so many. */
static void publish_unit(struct queue *queue, uint32_t unit)
{
    const struct report_message message = {
        .worker = "ann", .place = {.unit = unit, .piece = UNIT_WHOLE}, .parts = 7, .seconds = 0.001};
    publish_report(queue, query, &message);
}

static void publish_audit(struct queue *queue, const char *worker, uint32_t unit, nq_wide parts)
{
    struct report_message message = {
        .report = MESSAGE_CHECKED, .place = {.unit = unit, .piece = UNIT_WHOLE}, .parts = parts};
    (void)snprintf(message.worker, sizeof message.worker, "%s", worker);
    publish_report(queue, query, &message);
}

/* An audit finds another result, and units come back when both workers leave. */
FRESH(test_callbacks_without_the_lock)
{
    SCOPED(company, company, 1);
    OWNED(queue_close) struct queue *workers = open_queue(true);
    struct made_up *made_up = &company.made_up;
    WAIT_UNTIL(publish_workers(workers, 2) && stats_of(&company).posted > 0);
    publish_unit(workers, 1);
    WAIT_UNTIL(publish_workers(workers, 2) && stats_of(&company).units == 1);
    publish_audit(workers, "bob", 1, 8);
    WAIT_UNTIL(stats_of(&company).disagreements == 1);
    struct fault fault;
    assert_int_equal(shared_count_verdict(company.shared, &fault), NQ_BROKEN);
    assert_string_equal(fault.text, "Worker ann does not agree with bob on unit 1: no result can be believed.");
    assert_int_equal(atomic_load(&made_up->rewound), 0);
    WAIT_UNTIL(publish_workers(workers, 0) && atomic_load(&made_up->rewound) > 0);
    assert_true(atomic_load(&made_up->placed) > 0);
}

/* A worker is asked to audit a unit, which must be this one. */
enum { ANY = UNITS };
static bool hears_audit(struct queue *worker, uint32_t unit)
{
    struct queue_message received = {.text = {0}};
    struct batch_message message;
    const enum nq_status status = queue_receive(worker, 1, &received);
    if (status == NQ_OK) {
        assert_int_equal(received.topic, QUEUE_AUDIT);
        assert_string_equal(received.id, queue_self(worker));
        assert_int_equal(batch_message_read(&message, received.text.data, received.text.size), NQ_OK);
        assert_string_equal(message.query, query);
        assert_string_equal(message.name, "term");
        assert_true(message.runs == 1 && message.run[0].count == 1);
        assert_true(unit == ANY ? message.run[0].from.unit < UNITS : message.run[0].from.unit == unit);
        batch_message_free(&message);
    }
    bytes_free(&received.text);
    return status == NQ_OK;
}

/* The worker that is asked goes without an answer: another one is asked. Never the one that counted the unit. */
FRESH(test_audit_asked_again)
{
    SCOPED(company, company, 1);
    struct queue *ann = open_queue(true), *workers[] = {open_queue(true), open_queue(true)};
    unsigned heard[2] = {0};
    WAIT_UNTIL(publish_worker(ann, "ann", 1) && stats_of(&company).worker_threads == 1);
    for (int i = 0; i < 2; i++)
        WAIT_UNTIL(publish_worker(workers[i], queue_self(workers[i]), 1) &&
                   stats_of(&company).workers == 2u + (unsigned)i);
    publish_unit(ann, 3);
    for (unsigned asked = 0; asked < 2;) {
        WAIT_UNTIL(publish_worker(ann, "ann", 1) && publish_worker(workers[0], queue_self(workers[0]), !heard[0]) &&
                   publish_worker(workers[1], queue_self(workers[1]), !heard[1]) &&
                   ((heard[0] += hears_audit(workers[0], 3)) + (heard[1] += hears_audit(workers[1], 3)) > asked));
        asked = heard[0] + heard[1];
    }
    assert_true(heard[0] == 1 && heard[1] == 1 && shared_count_doubts(company.shared));
    for (int i = 0; i < 2; i++)
        assert_false(hears_audit(workers[i], 3)); /* not without waiting for the answer */
    publish_audit(ann, "ann", 3, 8);              /* its own result it cannot audit */
    publish_audit(workers[1], queue_self(workers[1]), 3, 7);
    WAIT_UNTIL(!shared_count_doubts(company.shared));
    assert_int_equal(stats_of(&company).audits, 1);
    assert_int_equal(stats_of(&company).disagreements, 0);
    queue_close(ann);
    queue_close(workers[0]);
    queue_close(workers[1]);
}

/* More than are asked for in one go: all are. */
FRESH(test_many_audits)
{
    SCOPED(company, company, 1);
    OWNED(queue_close) struct queue *bob = open_queue(true);
    size_t heard = 0;
    WAIT_UNTIL(publish_worker(bob, "ann", 2) && publish_worker(bob, queue_self(bob), 2) &&
               stats_of(&company).posted > 0);
    for (uint32_t unit = 0; unit < UNITS; unit++)
        publish_unit(bob, unit);
    WAIT_UNTIL(publish_worker(bob, "ann", 2) && publish_worker(bob, queue_self(bob), 2) &&
               (heard += hears_audit(bob, ANY)) >= UNITS);
    assert_int_equal(stats_of(&company).units, UNITS);
    assert_true(shared_count_doubts(company.shared));
    for (uint32_t unit = 0; unit < UNITS; unit++)
        publish_audit(bob, queue_self(bob), unit, 7);
    WAIT_UNTIL(!shared_count_doubts(company.shared));
    assert_int_equal(stats_of(&company).audits, UNITS);
    assert_int_equal(stats_of(&company).disagreements, 0);
}

/* One was cancelled and is asked for again before the thread has freed it: its key is never given up. */
FRESH(test_asked_again_at_once)
{
    enum { RENEWALS_S = 3 };
    OWNED(queue_close) struct queue *other = open_queue(false);
    struct company company;
    struct leader leader = {0};
    char id[17];
    work_id(query, id);
    company_begin(&company, 0);
    struct shared_count *first = company.shared;
    company.shared = shared_count_open(company.coordinator, query, &class, &company.made_up);
    assert_non_null(company.shared);
    shared_count_close(first, false);
    for (const uint64_t began = clock_now(); clock_now() - began < RENEWALS_S * CLOCK_SECOND; usleep(20000))
        assert_int_equal(queue_lead(other, id, "", &leader, NULL), NQ_DENIED);
    company_end(&company);
    assert_int_equal(queue_lead(other, id, "", &leader, NULL), NQ_OK); /* now it is */
}

GROUP(cluster_begin, cluster_end)
