/* test_engine_crew.c - tests of src/engine/crew.c and src/engine/worker.c, servers and workers in one process, with a
 * broker between them: whoever counts, the count is the same, and what cannot be believed is no count. */
#include "engine/worker.h"

#include <nats/nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asking.h"
#include "base/json.h"
#include "brokering.h"
#include "count/counting.h"
#include "engine/engine.h"
#include "engine/units.h"
#include "http/ask_count.h"
#include "kernels/join.h"

/* Some batches for workers, and an index that the fastest machine does not make on the side. */
enum { N = 16, THREADS = 2, LEASE_MS = 20000 };

static struct broker broker;

static struct queue *open_queue(bool worker)
{
    const struct nats_options options = {.replicas = 1};
    const bool listen[QUEUE_TOPICS] = {[QUEUE_WORK] = true, [QUEUE_WORKER] = !worker, [QUEUE_REPORT] = !worker};
    char error[STORE_ERROR_MAX] = "";
    struct queue *queue;
    if (queue_open(broker.spec, &options, LEASE_MS, listen, &queue, error) != NQ_OK)
        fail_msg("%s", error);
    WAIT_UNTIL(queue_connected(queue));
    return queue;
}

static struct store *open_store(void)
{
    const struct store_options options = {.capacity = 1 << 24, .nats.replicas = 1};
    char error[STORE_ERROR_MAX] = "";
    struct store *store;
    if (store_open(broker.spec, &options, &store, error) != NQ_OK)
        fail_msg("%s", error);
    WAIT_UNTIL(store_check(store) == NQ_OK);
    return store;
}

/* ---- Gates ---- */

/* The best kernel, but for a gate before every count and every match of halves: whoever comes to it while it is shut
 * stays there. A count lasts as long as a test wants so, on machines of any speed. */
static struct gate {
    atomic_bool shut;
    atomic_uint held;
    struct kernel kernel;
    struct join join;
} gates[2];

static void pass(struct gate *gate)
{
    atomic_fetch_add(&gate->held, 1);
    while (atomic_load(&gate->shut))
        asking_pause();
    atomic_fetch_sub(&gate->held, 1);
}

/* The kernel is not told whose it is. What nobody may stop is a sample, taken by who asks. */
#define GATED(i) \
    static enum nq_status count_##i(const struct kernel_board *board, const struct kernel_prefix *prefix, \
                                    const atomic_bool *stop, struct kernel_tally *tally) \
    { \
        if (stop) \
            pass(&gates[i]); \
        return kernel_find("auto")->count(board, prefix, stop, tally); \
    } \
    static void match_##i(const struct join_task *task, uint64_t found[2][2]) \
    { \
        pass(&gates[i]); \
        join_of(kernel_find("auto"))->match(task, found); \
    }
GATED(0)
GATED(1)

static const struct kernel *gate_shut(int i)
{
    struct gate *gate = &gates[i];
    atomic_store(&gate->shut, true);
    gate->join = *join_of(kernel_find("auto"));
    gate->join.match = i ? match_1 : match_0;
    gate->kernel = *kernel_find("auto");
    gate->kernel.join = &gate->join;
    gate->kernel.count = i ? count_1 : count_0;
    return &gate->kernel;
}

static void gate_open(int i)
{
    atomic_store(&gates[i].shut, false);
}

/* ---- A server ---- */

struct server {
    struct queue *queue;
    struct store *store;
    struct engine *engine;
};

static void on_trouble(void *who, bool broken)
{
    (void)who, (void)broken;
}

static void server_begin_with(struct server *server, const struct kernel *kernel, double audit)
{
    *server = (struct server){.queue = open_queue(false), .store = open_store()};
    const struct engine_options options = {.threads = THREADS,
                                           .kernel = kernel,
                                           .cache_bytes = 1 << 20,
                                           .queue = 4,
                                           .max_streams = 1,
                                           .max_stream_s = 1,
                                           .max_jobs = 4,
                                           .max_job_hours = 1,
                                           .store = server->store,
                                           .table_bytes = 1 << 24,
                                           .waiting_bytes = 1 << 24,
                                           .work = server->queue,
                                           .audit = audit,
                                           .trouble = on_trouble};
    server->engine = engine_new(&options);
    assert_non_null(server->engine);
}

static void server_begin(struct server *server, double audit)
{
    server_begin_with(server, kernel_find("auto"), audit);
}

static void server_end(struct server *server)
{
    assert_int_equal(engine_close(server->engine), NQ_OK);
    engine_free(server->engine);
    queue_close(server->queue);
    store_close(server->store);
}

static struct crews_figures crews_of(struct server *server)
{
    return engine_figures(server->engine).crews;
}

/* ---- A worker ---- */

struct helper {
    struct queue *queue;
    struct store *store;
    struct worker *worker;
};

static void tell(void *who, const char *event, const char *text)
{
    (void)who, (void)event, (void)text;
}

static void helper_begin(struct helper *helper)
{
    static const struct job_reopener reopener = {.reopen = ask_count_reopen, .release = ask_count_release};
    *helper = (struct helper){.queue = open_queue(true), .store = open_store()};
    const struct worker_options options = {.queue = helper->queue,
                                           .store = helper->store,
                                           .lease_ms = LEASE_MS,
                                           .kernel = kernel_find("auto"),
                                           .threads = THREADS,
                                           .table_bytes = 1 << 24,
                                           .reopener = &reopener,
                                           .tell = tell};
    helper->worker = worker_new(&options);
    assert_non_null(helper->worker);
}

/* in_time: it may end what it has begun. */
static struct worker_figures helper_end(struct helper *helper, bool in_time)
{
    assert_true(worker_stop(helper->worker, clock_now() + (in_time ? PATIENCE : 0)));
    const struct worker_figures figures = worker_figures(helper->worker);
    assert_int_equal(figures.busy, 0);
    assert_int_equal(figures.threads, THREADS);
    worker_free(helper->worker);
    queue_close(helper->queue);
    store_close(helper->store);
    return figures;
}

/* ---- A question ---- */

struct client {
    struct sleeper sleeper;
    struct question question;
    struct ticket *ticket;
};

/* more: of its path; NULL: nothing. */
static void client_ask_more(struct client *client, struct server *server, const char *more)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/count?n=%d&method=compute%s", N, more ? more : "");
    assert_int_equal(ask_count_reopen(NULL, path, &client->question), NQ_OK);
    sleeper_begin(&client->sleeper);
    client->ticket = engine_ask(server->engine, &client->question, sleeper_wake, &client->sleeper);
    assert_non_null(client->ticket);
}

static void client_ask(struct client *client, struct server *server)
{
    client_ask_more(client, server, NULL);
}

static bool is_answered(struct client *client)
{
    return atomic_load(&client->sleeper.woken) > 0;
}

static void client_gets(struct client *client, enum nq_status status)
{
    if (!sleeper_sleep(&client->sleeper))
        fail_msg("no answer comes");
    const struct ticket *ticket = client->ticket;
    if (ticket->status != status)
        fail_msg("%s: %s", nq_status_text(ticket->status), ticket->why);
    if (status != NQ_OK)
        return;
    json_t *json = json_loadb(ticket->answer->bytes, ticket->answer->size, 0, NULL);
    assert_non_null(json);
    assert_int_equal(facts_get(json, "count"), facts_term("all", client->question.n));
    assert_string_equal(json_string_value(json_object_get(json, "provenance")), "computed");
    json_decref(json);
}

static void client_end(struct client *client)
{
    party_unref(&client->ticket->party);
    sleeper_end(&client->sleeper);
    ask_count_release(&client->question);
}

/* ---- Tests ---- */

/* Two workers, and as many audits as there are units, or none; the server counts nothing itself. */
static void count_with(double audit)
{
    struct server server;
    struct helper helpers[2];
    struct client client;
    server_begin(&server, audit);
    helper_begin(&helpers[0]);
    helper_begin(&helpers[1]);
    WAIT_UNTIL(crews_of(&server).hands == 2 * THREADS);
    assert_int_equal(crews_of(&server).workers, 2);
    assert_true(crews_of(&server).connected);
    client_ask(&client, &server);
    client_gets(&client, NQ_OK);
    WAIT_UNTIL(crews_of(&server).led == 0);
    const struct crews_figures figures = crews_of(&server);
    assert_true(figures.units > 0 && figures.posted > 0);
    assert_int_equal(figures.audits, audit > 0 ? figures.units : 0);
    assert_int_equal(figures.disagreements, 0);
    assert_int_equal(figures.followed, 0);
    client_end(&client);
    server_end(&server);
    const struct worker_figures one = helper_end(&helpers[0], true), other = helper_end(&helpers[1], true);
    assert_true(one.units + other.units >= figures.units);
    assert_true(one.batches + other.batches > 0 && one.nodes + other.nodes > 0);
    if (!figures.reposted && !one.redelivered && !other.redelivered) {
        /* An audit that comes to the worker it is about again and again is the server's in the end. */
        assert_true(one.units + other.units <= figures.units + figures.audits);
        assert_true(audit > 0 || one.units + other.units == figures.units);
        assert_int_equal(one.refused + other.refused, 0);
        assert_true(one.batches + other.batches <= figures.posted);
    }
}

static void test_counted_by_workers(void **state)
{
    (void)state;
    count_with(0);
}

static void test_audited_by_the_other(void **state)
{
    (void)state;
    count_with(1);
}

/* Large units go out in pieces: as many results as there are of those. */
static void test_pieces_counted_by_workers(void **state)
{
    (void)state;
    const double usual = method_longest;
    method_longest = 2e6; /* for all who share the store */
    count_with(1);
    method_longest = usual;
}

/* Nobody else is there who could look: the server does. */
static void test_audited_by_the_server(void **state)
{
    (void)state;
    struct server server;
    struct helper helper;
    struct client client;
    server_begin(&server, 0.5);
    helper_begin(&helper);
    WAIT_UNTIL(crews_of(&server).hands == THREADS);
    client_ask(&client, &server);
    client_gets(&client, NQ_OK);
    WAIT_UNTIL(crews_of(&server).led == 0);
    const struct crews_figures figures = crews_of(&server);
    assert_true(figures.audits > 0 && figures.audits < figures.units);
    assert_int_equal(figures.disagreements, 0);
    client_end(&client);
    server_end(&server);
    (void)helper_end(&helper, true);
}

/* A worker is stopped at once while it counts, and another one comes. */
static void test_relieved(void **state)
{
    (void)state;
    struct server server;
    struct helper helper;
    struct client client;
    server_begin(&server, 0);
    helper_begin(&helper);
    WAIT_UNTIL(crews_of(&server).hands == THREADS);
    client_ask(&client, &server);
    WAIT_UNTIL(crews_of(&server).units > 0 || is_answered(&client));
    const struct worker_figures first = helper_end(&helper, false);
    assert_true(first.units > 0);
    helper_begin(&helper);
    client_gets(&client, NQ_OK);
    WAIT_UNTIL(crews_of(&server).led == 0);
    client_end(&client);
    server_end(&server);
    (void)helper_end(&helper, true);
}

/* Two servers are asked the same: one hands it out. */
static void test_one_leads(void **state)
{
    (void)state;
    struct server servers[2];
    struct helper helper;
    struct client clients[2];
    server_begin(&servers[0], 0);
    server_begin(&servers[1], 0);
    helper_begin(&helper);
    WAIT_UNTIL(crews_of(&servers[0]).hands == THREADS && crews_of(&servers[1]).hands == THREADS);
    client_ask(&clients[0], &servers[0]);
    client_ask(&clients[1], &servers[1]);
    for (int i = 0; i < 2; i++) {
        client_gets(&clients[i], NQ_OK);
        const struct progress *progress = &clients[i].ticket->progress;
        assert_int_equal(progress->weight_done, progress->weight);
        assert_int_equal(progress->units_done, progress->units);
    }
    assert_int_equal(crews_of(&servers[0]).units > 0 && crews_of(&servers[1]).units > 0, false);
    for (int i = 0; i < 2; i++) {
        client_end(&clients[i]);
        server_end(&servers[i]);
    }
    (void)helper_end(&helper, true);
}

/* ---- Two servers, and no workers ---- */

static const char by_index[] = "&by=index";

/* Placements tried for indexes. */
static uint64_t index_nodes(struct server *server)
{
    struct effort_figures figures;
    size_t i = 0;
    WAIT_UNTIL(engine_figures(server->engine).lengthy.running == 0); /* a thread tells when its slice is over */
    while (efforts_get(engine_efforts(server->engine), i, &figures) && figures.name != effort_index)
        i++;
    return figures.nodes;
}

/* Both are asked at once. */
static void test_one_makes_the_index(void **state)
{
    (void)state;
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
        WAIT_UNTIL(crews_of(&servers[i]).led == 0);
    for (int i = 0; i < 2; i++) {
        client_end(&clients[i]);
        server_end(&servers[i]);
    }
}

/* Who has it is told to stop: the other goes on, with all its threads. */
static void take_over(const char *more)
{
    struct server servers[2];
    struct client clients[2];
    for (int i = 0; i < 2; i++) {
        server_begin_with(&servers[i], gate_shut(i), 0);
        client_ask_more(&clients[i], &servers[i], more);
        WAIT_UNTIL(i ? crews_of(&servers[i]).followed == 1 : crews_of(&servers[i]).led == 1);
    }
    WAIT_UNTIL(atomic_load(&gates[0].held) == THREADS);
    WAIT_UNTIL(engine_figures(servers[1].engine).lengthy.resting == THREADS);
    assert_int_equal(atomic_load(&gates[1].held), 0);
    struct party *first = &clients[0].ticket->party;
    first->dismiss(first, NQ_CANCELLED);
    gate_open(0);
    client_gets(&clients[0], NQ_CANCELLED);
    WAIT_UNTIL(crews_of(&servers[1]).led == 1 && atomic_load(&gates[1].held) == THREADS);
    gate_open(1);
    client_gets(&clients[1], NQ_OK);
    for (int i = 0; i < 2; i++) {
        client_end(&clients[i]);
        server_end(&servers[i]);
    }
}

static void test_count_taken_over(void **state)
{
    (void)state;
    take_over(NULL);
}

static void test_index_taken_over(void **state)
{
    (void)state;
    take_over(by_index);
}

/* The key of the first unit of a question's first term. */
static char *first_key(const struct question *question)
{
    struct counting *counting;
    struct bytes name = {0};
    assert_int_equal(counting_open(&question->query, &counting), NQ_OK);
    counting_name(counting, 0, &name);
    char *text = bytes_take(&name), *key = units_key(text, 0, UNIT_WHOLE);
    assert_non_null(key);
    free(text);
    counting_close(counting);
    return key;
}

/* What the store has for a unit is not what a worker finds: nothing is believed, and the store forgets it. A made-up
 * worker is there from the beginning, so that all is handed out before the real one comes. */
static void test_store_differs(void **state)
{
    (void)state;
    static const char wrong[] = "1234567 1";
    struct server server;
    struct helper helper;
    struct client client;
    struct queue *queue = open_queue(true);
    struct heard heard = {.text = {0}};
    server_begin(&server, 0);
    WAIT_UNTIL(queue_say(queue, QUEUE_WORKER, "nobody", "{\"threads\":2}") == NQ_OK && crews_of(&server).hands == 2);
    client_ask(&client, &server);
    WAIT_UNTIL(queue_say(queue, QUEUE_WORKER, "nobody", "{\"threads\":2}") == NQ_OK &&
               queue_hear(queue, 100, &heard) == NQ_OK); /* the units are laid out */
    bytes_free(&heard.text);
    struct store *store = open_store();
    char *key = first_key(&client.question);
    const struct store_fact fact = {STORE_UNIT, key, wrong, strlen(wrong)};
    assert_int_equal(store_add(store, &fact), NQ_OK);
    helper_begin(&helper);
    client_gets(&client, NQ_BROKEN);
    assert_non_null(strstr(client.ticket->why, "does not agree with the store on unit 0"));
    WAIT_UNTIL(crews_of(&server).led == 0);
    assert_true(crews_of(&server).disagreements > 0);
    struct bytes value = {0};
    (void)helper_end(&helper, true);
    server_end(&server);
    const enum nq_status status = store_get(store, STORE_UNIT, key, &value);
    assert_true(status == NQ_NONE || value.size != strlen(wrong) || memcmp(value.data, wrong, value.size) != 0);
    bytes_free(&value);
    free(key);
    client_end(&client);
    store_close(store);
    queue_close(queue);
}

static int begin(void **state)
{
    (void)state;
    json_begin();
    units_lengthy = 0; /* on machines of any speed */
    broker_start(&broker, NULL);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    broker_clear(&broker);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    broker_end(&broker);
    nats_CloseAndWait(5000);
    return 0;
}

#define FRESH(test) cmocka_unit_test_setup(test, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FRESH(test_counted_by_workers),
        FRESH(test_audited_by_the_other),
        FRESH(test_audited_by_the_server),
        FRESH(test_pieces_counted_by_workers),
        FRESH(test_relieved),

        FRESH(test_one_leads),
        FRESH(test_store_differs),
        FRESH(test_one_makes_the_index),
        FRESH(test_count_taken_over),
        FRESH(test_index_taken_over),
    };
    return cmocka_run_group_tests(tests, begin, finish);
}
