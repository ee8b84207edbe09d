/* servers_and_workers.h - servers, workers and clients in one process, with a broker between them. */
#ifndef TESTS_UNIT_SUPPORT_SERVERS_AND_WORKERS_H
#define TESTS_UNIT_SUPPORT_SERVERS_AND_WORKERS_H

#include "engine/engine.h"
#include "engine/worker/worker.h"
#include "kernels/join.h"
#include "support/broker.h"
#include "support/questions.h"

/* Some batches for workers, and an index that the fastest machine does not make on the side. */
enum { N = 15, THREADS = 2, LEASE_MS = 20000 };

/* For a group of tests: a broker; for each test: without streams. */
int cluster_begin(void **state);
int cluster_clear(void **state);
int cluster_end(void **state);
#define FRESH(test) TEST_WITH(test, cluster_clear, NULL)

/* worker: as a worker listens. */
struct queue *open_queue(bool worker);
struct queue *open_queue_with(bool worker, unsigned lease_ms);
struct store *open_store(void);

/* The best kernel, with a gate before every count and every match of halves: a thread that comes to it while it is shut
 * stays there. So a count lasts as long as a test needs, on machines of any speed. */
extern struct gate {
    atomic_bool shut;
    atomic_uint held; /* threads */
    struct kernel kernel;
    struct join join;
} gates[2];
const struct kernel *gate_shut(int i);
void gate_open(int i);

extern double split_weight; /* of servers and workers; 0: as usual */

struct server {
    struct queue *queue;
    struct store *store;
    struct engine *engine;
};
void server_begin(struct server *server, double audit);
void server_begin_with(struct server *server, const struct kernel *kernel, double audit, unsigned lease_ms);
void server_end(struct server *server);
struct coordinator_stats server_stats(struct server *server);

struct worker_process {
    struct queue *queue;
    struct store *store;
    struct worker *worker;
};
void worker_process_begin(struct worker_process *process);
void worker_process_begin_with(struct worker_process *process, const struct kernel *kernel, unsigned lease_ms);
/* in_time: it may end its batches. */
struct worker_stats worker_process_end(struct worker_process *process, bool in_time);

/* Asks for a count of N; more: parameters, or NULL. */
struct client {
    struct sleeper sleeper;
    struct shared_question *asked;
    struct waiter *waiter;
};
void client_ask(struct client *client, struct server *server);
void client_ask_more(struct client *client, struct server *server, const char *more);
bool client_is_answered(struct client *client);
void client_gets(struct client *client, enum nq_status status);
void client_end(struct client *client);

#endif
