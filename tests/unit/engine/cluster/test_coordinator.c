/* test_coordinator.c - tests of src/engine/cluster and src/engine/worker: whatever worker counts a unit, the count is
 * the same, or fails if a result cannot be believed. */
/* CI builds: address thread */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "engine/cluster/messages.h"
#include "engine/units/division.h"
#include "support/sanitizer.h"
#include "support/servers_and_workers.h"

/* So many workers, two at most, and audits of a part of the units; the server counts nothing itself. */
static void count_more_with(unsigned count, double audit, const char *more)
{
    struct server server;
    struct worker_process workers[2];
    struct client client;
    server_begin(&server, audit);
    for (unsigned i = 0; i < count; i++)
        worker_process_begin(&workers[i]);
    WAIT_UNTIL(server_stats(&server).worker_threads == count * THREADS);
    assert_int_equal(server_stats(&server).workers, count);
    assert_true(server_stats(&server).connected);
    client_ask_more(&client, &server, more);
    client_gets(&client, NQ_OK);
    WAIT_UNTIL(server_stats(&server).led == 0);
    const struct coordinator_stats stats = server_stats(&server);
    assert_true(stats.units > 0 && stats.posted > 0);
    if (audit == 1) /* a result that the server finds in the store before its report comes is none of `units` */
        assert_true(stats.audits >= stats.units);
    else
        assert_true(audit > 0 ? stats.audits > 0 && stats.audits < stats.units : stats.audits == 0);
    assert_int_equal(stats.disagreements, 0);
    assert_int_equal(stats.followed, 0);
    client_end(&client);
    server_end(&server);
    struct worker_stats all = {.units = 0};
    for (unsigned i = 0; i < count; i++) {
        const struct worker_stats one = worker_process_end(&workers[i], true);
        all.units += one.units;
        all.audits += one.audits;
        all.batches += one.batches;
        all.nodes += one.nodes;
        all.redelivered += one.redelivered;
    }
    assert_true(all.units >= stats.units && all.batches > 0 && all.nodes > 0);
    assert_true(count > 1 && audit > 0 ? all.audits > 0 : all.audits == 0);
    if (!stats.reposted && !all.redelivered) {
        assert_true(all.units <= stats.units + all.audits);
        assert_true(all.batches <= stats.posted);
    }
}

static void count_with(unsigned count, double audit)
{
    count_more_with(count, audit, NULL);
}

/* All units counted twice. For works whose threads meet as in a count of all solutions: their sums differ. */
static void count_another(const char *more)
{
    if (!THREAD_SANITIZED)
        count_more_with(2, 1, more);
}

FRESH(test_counted_by_workers)
{
    count_with(2, 0);
}

FRESH(test_audited_by_the_other)
{
    count_with(2, 1);
}

/* A method whose results mean nothing but all together. */
FRESH(test_correlations_counted_by_workers)
{
    count_another("&rules=toroidal-semiqueens");
}

/* Results that are bytes: reports and audits have their digests. */
FRESH(test_an_index_made_by_workers)
{
    count_more_with(2, 1, "&by=index");
}

FRESH(test_a_statistic_counted_by_workers)
{
    count_another("&by=first-column");
}

FRESH(test_a_shape_counted_by_workers)
{
    count_another("&m=10&by=queens");
}

/* Large units are handed out in pieces: one result for each. */
FRESH(test_pieces_counted_by_workers)
{
    split_weight = 4e5; /* for all who share the store */
    count_with(2, 1);
    split_weight = 0;
}

/* There is no other worker: the server audits. */
FRESH(test_audited_by_the_server)
{
    count_with(1, 0.5);
}

/* A worker is stopped at once while it counts, and another one goes on. */
FRESH(test_worker_replaced)
{
    struct server server;
    struct worker_process worker;
    struct client client;
    server_begin(&server, 0);
    worker_process_begin(&worker);
    WAIT_UNTIL(server_stats(&server).worker_threads == THREADS);
    client_ask(&client, &server);
    WAIT_UNTIL(server_stats(&server).units > 0 || client_is_answered(&client));
    const struct worker_stats first = worker_process_end(&worker, false);
    assert_true(first.units > 0);
    worker_process_begin(&worker);
    client_gets(&client, NQ_OK);
    WAIT_UNTIL(server_stats(&server).led == 0);
    client_end(&client);
    server_end(&server);
    (void)worker_process_end(&worker, true);
}

/* Units that take longer than a lease: no other worker gets them. */
FRESH(test_long_units_are_kept)
{
    enum { SHORT_MS = 3000 }; /* a renewal may come a second late on a busy machine */
    struct server server;
    struct worker_process slow, quick;
    struct client client;
    server_begin_with(&server, kernel_find("auto"), 0, SHORT_MS);
    worker_process_begin_with(&slow, gate_shut(0), SHORT_MS);
    WAIT_UNTIL(server_stats(&server).worker_threads == THREADS);
    client_ask(&client, &server);
    WAIT_UNTIL(atomic_load(&gates[0].held) > 0);
    worker_process_begin_with(&quick, kernel_find("auto"), SHORT_MS);
    WAIT_UNTIL(server_stats(&server).worker_threads == 2 * THREADS);
    usleep(2 * SHORT_MS * 1000);
    gate_open(0);
    client_gets(&client, NQ_OK);
    WAIT_UNTIL(server_stats(&server).led == 0);
    assert_int_equal(server_stats(&server).reposted, 0);
    assert_int_equal(server_stats(&server).lost, 0);
    client_end(&client);
    server_end(&server);
    (void)worker_process_end(&slow, true);
    assert_int_equal(worker_process_end(&quick, true).redelivered, 0);
}

/* ---- A made-up server ---- */

/* A batch or an audit of one unit of the first term of a count of N. */
static char *one_unit(uint32_t unit)
{
    struct shared_question *asked;
    struct division *division;
    struct bytes name = {0}, text = {0};
    struct batch_message message = {.runs = 1, .run = {{{.unit = unit, .piece = UNIT_WHOLE}, 1}}};
    assert_int_equal(count_query_parse("/count?n=15&method=compute", &asked), NQ_OK);
    assert_int_equal(division_open(&asked->question, 1, INFINITY, NULL, &division), NQ_OK);
    division_name(division, 0, &name);
    message.query = (char *)"/count?n=15&method=compute";
    message.name = bytes_take(&name);
    batch_message_write(&message, &text);
    free(message.name);
    division_close(division);
    question_unref(asked);
    char *taken = bytes_take(&text);
    assert_non_null(taken);
    return taken;
}

/* The next report; the worker's messages that it is there are skipped. */
static struct report_message next_report(struct queue *queue)
{
    struct queue_message received = {.text = {0}};
    struct report_message report;
    do {
        received.text.size = 0;
        WAIT_UNTIL(queue_receive(queue, 100, &received) == NQ_OK);
    } while (received.topic != QUEUE_REPORT);
    assert_int_equal(report_message_read(&report, received.text.data, received.text.size), NQ_OK);
    bytes_free(&received.text);
    return report;
}

/* Waits until the worker has said so often that it is there: it has received what was published before. */
static void hear_beats(struct queue *queue, int beats)
{
    struct queue_message received = {.text = {0}};
    while (beats > 0) {
        WAIT_UNTIL(queue_receive(queue, 100, &received) == NQ_OK);
        beats -= received.topic == QUEUE_WORKER;
        received.text.size = 0;
    }
    bytes_free(&received.text);
}

/* Audits that come while all threads count are done before any other batch. They are not stored. */
FRESH(test_audits_before_batches)
{
    enum { BATCHES = 6 };
    OWNED(queue_close) struct queue *server = open_queue(false);
    struct worker_process worker;
    struct report_message report;
    char *batches[BATCHES];
    unsigned audits = 0;
    for (uint32_t i = 0; i < BATCHES; i++)
        batches[i] = one_unit(i);
    assert_int_equal(queue_prepare(server), NQ_OK);
    for (int i = 0; i < BATCHES; i++)
        assert_int_equal(queue_post(server, "0123456789abcdef", batches[i]), NQ_OK);
    worker_process_begin_with(&worker, gate_shut(0), LEASE_MS);
    WAIT_UNTIL(atomic_load(&gates[0].held) == THREADS); /* each has one of the first batches */
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(queue_publish(server, QUEUE_AUDIT, queue_self(worker.queue), batches[0]), NQ_OK);
    assert_int_equal(queue_publish(server, QUEUE_AUDIT, queue_self(worker.queue), "no batch"), NQ_OK);
    hear_beats(server, 3);
    gate_open(0);
    for (;;) {
        report = next_report(server);
        if (report.report == MESSAGE_COUNTED && report.place.unit >= THREADS)
            break;
        audits += report.report == MESSAGE_CHECKED && report.place.unit == 0;
    }
    assert_true(audits > 0); /* the other one may be under way */
    WAIT_UNTIL(worker_stats(worker.worker).batches == BATCHES && worker_stats(worker.worker).audits == THREADS);
    const struct worker_stats stats = worker_process_end(&worker, true);
    assert_int_equal(stats.units, BATCHES + THREADS);
    assert_int_equal(stats.redelivered + stats.returned, 0);
    for (int i = 0; i < BATCHES; i++)
        free(batches[i]);
}

GROUP(cluster_begin, cluster_end)
