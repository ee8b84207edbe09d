/* test_coordinator.c - tests of src/engine/cluster and src/engine/worker: whatever worker counts a unit, the count is
 * the same, or fails if a result cannot be believed. */
/* CI builds: address thread */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "engine/units/division.h"
#include "engine/units/units.h"
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
        all.batches += one.batches;
        all.nodes += one.nodes;
        all.redelivered += one.redelivered;
        all.refused += one.refused;
    }
    assert_true(all.units >= stats.units && all.batches > 0 && all.nodes > 0);
    if (!stats.reposted && !all.redelivered) {
        assert_true(all.units <= stats.units + stats.audits); /* fewer where the server had to audit itself */
        assert_int_equal(all.refused, 0);
        assert_true(all.batches <= stats.posted);
    }
}

static void count_with(unsigned count, double audit)
{
    count_more_with(count, audit, NULL);
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
    count_more_with(2, 1, "&rules=toroidal-semiqueens");
}

/* Results that are bytes: reports and audits have their digests. */
FRESH(test_an_index_made_by_workers)
{
    count_more_with(2, 1, "&by=index");
}

FRESH(test_a_statistic_counted_by_workers)
{
    count_more_with(2, 1, "&by=first-column");
}

FRESH(test_a_shape_counted_by_workers)
{
    count_more_with(2, 1, "&m=10&by=queens");
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
    assert_int_equal(worker_process_end(&slow, true).refused, 0);
    assert_int_equal(worker_process_end(&quick, true).redelivered, 0);
}

/* The key of the first unit of a question's first term. */
static char *first_key(const struct question *question)
{
    struct division *division;
    struct bytes name = {0};
    assert_int_equal(division_open(question, 1, INFINITY, NULL, &division), NQ_OK);
    division_name(division, 0, &name);
    char *text = bytes_take(&name), *key = units_key(text, 0, UNIT_WHOLE);
    assert_non_null(key);
    free(text);
    division_close(division);
    return key;
}

/* The store has another result for a unit than a worker finds: the count fails, and the store's units are removed. A
 * made-up worker makes the server hand everything out before the real one comes. */
static void differs(const char *more, const char *wrong)
{
    static const char made_up[] = "{\"threads\":2,\"version\":\"" NQ_VERSION "\"}";
    struct server server;
    struct worker_process worker;
    struct client client;
    struct queue *queue = open_queue(true);
    server_begin(&server, 0);
    WAIT_UNTIL(queue_publish(queue, QUEUE_WORKER, "nobody", made_up) == NQ_OK &&
               server_stats(&server).worker_threads == 2);
    client_ask_more(&client, &server, more);
    WAIT_UNTIL(queue_publish(queue, QUEUE_WORKER, "nobody", made_up) == NQ_OK &&
               server_stats(&server).posted > 0); /* the units are laid out */
    struct store *store = open_store();
    char *key = first_key(&client.asked->question);
    const struct store_fact fact = {STORE_UNIT, key, wrong, strlen(wrong)};
    assert_int_equal(store_add(store, &fact), NQ_OK);
    worker_process_begin(&worker);
    client_gets(&client, NQ_BROKEN);
    assert_non_null(strstr(client.waiter->fault.text, "does not agree with the store on unit 0"));
    WAIT_UNTIL(server_stats(&server).led == 0);
    assert_true(server_stats(&server).disagreements > 0);
    struct bytes value = {0};
    (void)worker_process_end(&worker, true);
    server_end(&server);
    const enum nq_status status = store_get(store, STORE_UNIT, key, &value);
    assert_true(status == NQ_NONE || value.size != strlen(wrong) || memcmp(value.data, wrong, value.size) != 0);
    bytes_free(&value);
    free(key);
    client_end(&client);
    store_close(store);
    queue_close(queue);
}

FRESH(test_store_differs)
{
    differs(NULL, "1234567 1");
}

FRESH(test_store_differs_in_bytes)
{
    differs("&m=10&by=queens", "0 0 0 0 0 0 0 0 0 0 1");
}

GROUP(cluster_begin, cluster_end)
