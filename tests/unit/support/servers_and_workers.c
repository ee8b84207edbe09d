/* servers_and_workers.c - see servers_and_workers.h. */
#include "support/servers_and_workers.h"

#include <stdio.h>

#include "base/json.h"
#include "kernels/join.h"
#include "shapes/shape.h"
#include "support/broker.h"

static struct broker broker;

double split_weight;
struct gate gates[2];

struct queue *open_queue_with(bool worker, unsigned lease_ms)
{
    const struct nats_options options = broker_patient();
    char error[STORE_ERROR_MAX] = "";
    struct queue *queue;
    if (queue_open(broker.spec, &options, lease_ms, worker ? QUEUE_COUNTS : QUEUE_SERVER, &queue, error) != NQ_OK)
        fail_msg("%s", error);
    WAIT_UNTIL(queue_connected(queue));
    return queue;
}

struct queue *open_queue(bool worker)
{
    return open_queue_with(worker, LEASE_MS);
}

struct store *open_store(void)
{
    const struct store_options options = {.capacity = 1 << 24, .nats = broker_patient()};
    char error[STORE_ERROR_MAX] = "";
    struct store *store;
    if (store_open(broker.spec, &options, &store, error) != NQ_OK)
        fail_msg("%s", error);
    WAIT_UNTIL(store_check(store, true) == NQ_OK);
    return store;
}

/* ---- Gates ---- */

static void pass(struct gate *gate)
{
    atomic_fetch_add(&gate->held, 1);
    while (atomic_load(&gate->shut))
        asking_pause();
    atomic_fetch_sub(&gate->held, 1);
}

/* A kernel does not know its gate. A sample, which nothing can stop, passes. */
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

const struct kernel *gate_shut(int i)
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

void gate_open(int i)
{
    atomic_store(&gates[i].shut, false);
}

/* ---- Servers ---- */

static void on_trouble(void *who, const char *why)
{
    (void)who, (void)why;
}

void server_begin_with(struct server *server, const struct kernel *kernel, double audit, unsigned lease_ms)
{
    *server = (struct server){.queue = open_queue_with(false, lease_ms), .store = open_store()};
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
                                           .split_weight = split_weight,
                                           .lengthy_seconds = 1e-9, /* on machines of any speed */
                                           .trouble = on_trouble};
    server->engine = engine_new(&options);
    assert_non_null(server->engine);
}

void server_begin(struct server *server, double audit)
{
    server_begin_with(server, kernel_find("auto"), audit, LEASE_MS);
}

void server_end(struct server *server)
{
    assert_int_equal(engine_close(server->engine), NQ_OK);
    engine_free(server->engine);
    queue_close(server->queue);
    store_close(server->store);
}

struct coordinator_stats server_stats(struct server *server)
{
    return engine_stats(server->engine).coordinator;
}

/* ---- Workers ---- */

static void notify(void *who, const char *event, const char *text)
{
    (void)who, (void)event, (void)text;
}

void worker_process_begin_with(struct worker_process *process, const struct kernel *kernel, unsigned lease_ms)
{
    *process = (struct worker_process){.queue = open_queue_with(true, lease_ms), .store = open_store()};
    const struct worker_options options = {.queue = process->queue,
                                           .store = process->store,
                                           .lease_ms = lease_ms,
                                           .kernel = kernel,
                                           .threads = THREADS,
                                           .table_bytes = 1 << 24,
                                           .split_weight = split_weight,
                                           .notify = notify};
    process->worker = worker_new(&options);
    assert_non_null(process->worker);
}

void worker_process_begin(struct worker_process *process)
{
    worker_process_begin_with(process, kernel_find("auto"), LEASE_MS);
}

struct worker_stats worker_process_end(struct worker_process *process, bool in_time)
{
    assert_true(worker_stop(process->worker, clock_now() + (in_time ? PATIENCE : 0)));
    const struct worker_stats stats = worker_stats(process->worker);
    assert_int_equal(stats.busy, 0);
    assert_int_equal(stats.threads, THREADS);
    worker_free(process->worker);
    queue_close(process->queue);
    store_close(process->store);
    return stats;
}

/* ---- Clients ---- */

void client_ask_more(struct client *client, struct server *server, const char *more)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/count?n=%d&method=compute%s", N, more ? more : "");
    assert_int_equal(count_query_parse(path, &client->asked), NQ_OK);
    sleeper_begin(&client->sleeper);
    client->waiter = engine_ask(server->engine, &client->asked->question, 0, sleeper_wake, &client->sleeper);
    assert_non_null(client->waiter);
}

void client_ask(struct client *client, struct server *server)
{
    client_ask_more(client, server, NULL);
}

bool client_is_answered(struct client *client)
{
    return atomic_load(&client->sleeper.woken) > 0;
}

/* Of a shape, in one unit on this thread. */
static uint64_t placements_of(const struct shape *shape)
{
    struct shape_plan *plan;
    nq_wide profile[SHAPE_MAX_SIDE] = {0}; /* boards without walls have no more queens than rows */
    uint64_t nodes = 0, all = 0;
    assert_int_equal(shape_plan_open(shape, 1, 0, 0, NULL, &plan), NQ_OK);
    for (size_t unit = 0; unit < shape_plan_units(plan); unit++)
        assert_int_equal(shape_plan_count(plan, unit, NULL, profile, &nodes), NQ_OK);
    for (uint32_t queens = 0; queens <= shape_plan_top(plan); queens++)
        all += (uint64_t)profile[queens];
    shape_plan_close(plan);
    return all;
}

void client_gets(struct client *client, enum nq_status status)
{
    if (!sleeper_sleep(&client->sleeper))
        fail_msg("no answer comes");
    const struct waiter *waiter = client->waiter;
    if (pending_status(&waiter->pending) != status)
        fail_msg("%s: %s", nq_status_text(pending_status(&waiter->pending)), waiter->fault.text);
    if (status != NQ_OK)
        return;
    OWNED(json_decref) json_t *json = json_loadb(waiter->answer->bytes, waiter->answer->size, 0, NULL);
    assert_non_null(json);
    const struct rule *rule = client->asked->question.query.filter.rule;
    uint64_t published = 0;
    if (client->asked->question.shape.rows)
        published = placements_of(&client->asked->question.shape);
    else if (rule_by_lines(rule))
        published = facts_term("all", client->asked->question.n);
    else
        assert_true(facts_published(rule->name, client->asked->question.n, &published));
    assert_int_equal(facts_get(json, "count"), published);
    assert_string_equal(json_string_value(json_object_get(json, "provenance")), "computed");
}

void client_end(struct client *client)
{
    pending_close(&client->waiter->pending);
    sleeper_end(&client->sleeper);
    question_unref(client->asked);
}

/* ---- The broker ---- */

int cluster_begin(void **state)
{
    (void)state;
    json_begin();
    broker_start(&broker, NULL);
    return 0;
}

int cluster_clear(void **state)
{
    (void)state;
    broker_clear(&broker);
    return 0;
}

int cluster_end(void **state)
{
    (void)state;
    broker_end(&broker);
    return 0;
}
