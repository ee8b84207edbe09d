/* engine.h - the one door to everything below: questions go in, answers and streams come out. The HTTP layer knows of
 * the engine what stands here and in the headers named here. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

/* The locks, in the order of their ranks (base/lock.h). A thread that holds a lock may take those below it in this
 * list, never one above it or of the same rank. A leaf: nothing is taken while it is held. A condition is waited for
 * with no other lock held.
 *
 *   of http, above the engine
 * PORTS         http/server/server.c   the listeners while ports are opened or closed. Then: WATCHER
 * WATCHER       http/guard/watcher.c  the connections and their pace. Leaf
 * ACCESS        http/guard/access.c   which keyring is in force. Leaf
 * CLIENTS       http/guard/client.c   what each client has under way. Leaf
 *
 *   of the engine and the stores
 * STORE         stores/stores.c       a store while it works, however long that takes. Leaf
 * JOBS          engine/jobs           the table of jobs and every job in it. Then: JOURNAL
 * JOURNAL       engine/journal        the facts that wait for the store; free while the store works. Leaf
 * FLIGHTS       engine/run            flights and waiters. Then: CACHE
 * CACHE         engine/ask/answer.c    the answers that are kept. Leaf
 * CHORES        engine/run/chore.c    the chores that are not over. Leaf
 * STREAMS       engine/lists          the list of open streams. Leaf
 * STREAM        engine/lists          the slots of one stream. Leaf
 * COORDINATOR   engine/cluster        the shared counts, and what workers report. Then: COUNT
 * COUNT         engine/counts         the sums of one count, and its units that are not done. Leaf
 * PLANS         engine/units/plans.c  the prepared plans and their tables. Leaf
 * POOL          engine/run            the tasks, turns and threads of one pool. Leaf
 * WORKER        engine/worker         the threads of one worker, and their leases. Leaf
 * ASSIGNMENTS   engine/worker         the assignments of one worker. Leaf
 * QUEUE_USE     stores/queue_*.c      the broker's connection: read while used, written while made anew. Then: QUEUE
 * QUEUE         stores/queue_*.c      what is made at the broker on first use. Leaf
 *
 *   taken by any thread
 * EVENTS        http/reply/events.c   the clients that listen to jobs, and which of them are suspended. Leaf
 * SLEEPER       bench/solve.c         whether a reader is awake. Leaf
 * LOG           http/guard/log.c      the lines that wait to be written. Leaf */

#include "base/lock.h"
#include "engine/ask/count_query.h"
#include "engine/ask/machines.h"
#include "engine/ask/placement.h"
#include "engine/ask/principal.h"
#include "engine/ask/query_values.h"
#include "engine/ask/question.h"
#include "engine/boards/verify.h"
#include "engine/cluster/coordinator.h"
#include "engine/jobs/jobs.h"
#include "engine/lists/needs.h"
#include "engine/lists/stream.h"
#include "engine/run/chore.h"
#include "engine/run/flight.h"
#include "engine/run/gzip.h"
#include "engine/run/pending.h"
#include "engine/run/pool.h"
#include "engine/units/plans.h"
#include "engine/worker/worker.h"
#include "formats/hint_words.h"

struct engine;

struct engine_options {
    unsigned threads;
    const struct kernel *kernel;
    size_t cache_bytes;
    size_t queue;          /* searches waiting for a thread */
    unsigned max_streams;  /* open at once */
    unsigned max_stream_s; /* seconds a stream may live */
    size_t max_jobs;       /* jobs that are not over */
    double max_job_hours;  /* of one core: what is estimated to take longer is refused */
    struct store *store;   /* must outlive the engine */
    size_t table_bytes;    /* tables of counts, all together */
    size_t search_bytes;   /* placements that algorithms and constructions keep, all together; 0: no limit */
    size_t waiting_bytes;  /* facts that may wait for the store */
    struct queue *work;    /* for workers, who share the store; NULL: there are none. Must outlive the engine */
    double audit;          /* the share of their results that is checked */
    unsigned lease_ms;     /* of what they are handed, as of the queue */
    /* As of struct method_means and struct tools; 0: as usual */
    double split_weight, lengthy_seconds;
    journal_trouble trouble;
    job_notify news;                                              /* NULL: nobody wants to know */
    void (*tell)(void *who, const char *event, const char *text); /* of workers, for a log; NULL: nobody */
    void *who;                                                    /* of all three */
};

/* NULL when out of memory or threads. */
struct engine *engine_new(const struct engine_options *options);

/* Dismisses everyone who waits, stops every search and stream, ends the threads. Nothing is woken after it returns.
 * NQ_OK.
 * NQ_BROKEN: the store did not accept in time what engine_waits() counts; the engine cannot be freed, but nobody uses
 * the store any more.
 * NQ_BUSY: the same, and a call of the store has not returned: it cannot be closed either.
 * NQ_TIMEOUT: a search does not heed its slice: the store has everything, but the engine cannot be freed, and some who
 * wait for that search may not have been woken. This may also be so after NQ_BROKEN or NQ_BUSY. */
enum nq_status engine_close(struct engine *engine);
void engine_free(struct engine *engine); /* NULL: nothing. Otherwise after engine_close returned NQ_OK */

/* The answer with a key if it is there, and what engine_ask() wants to know if it is not: see flights_peek(). */
struct answer *engine_peek(struct engine *engine, const char *key, uint64_t *seen);

/* Keeps an answer that was not asked for, as engine_peek() finds it: see cache_put(). */
void engine_keep(struct engine *engine, const char *key, struct answer *answer);

/* Waits for the answer: see flights_ask. A question whose time is up becomes a job, if it is one of ASK_COUNT that is
 * computed: the waiter's status is then NQ_AGAIN, and engine_job_of(waiter) names the job. */
struct waiter *engine_ask(struct engine *engine, const struct question *question, uint64_t seen, pending_wake *wake,
                          void *who);
const char *engine_job_of(const struct waiter *waiter);

/* Asks for a job, such a question being given: wakes as soon as it is known that the count can be made. The waiter's
 * status is then NQ_AGAIN; or NQ_OK, when the answer is there at once: engine_begin_job makes a job of it all the same,
 * and returns NQ_AGAIN and its id, or why there is none. */
struct waiter *engine_ask_job(struct engine *engine, const struct question *question, uint64_t seen, pending_wake *wake,
                              void *who);
enum nq_status engine_begin_job(struct waiter *waiter, char id[static JOB_ID_SIZE]);

/* Whether the job of such a question is done: see jobs_done(). */
bool engine_job_done(struct engine *engine, const struct question *question, char id[static JOB_ID_SIZE]);

/* Jobs: see jobs/jobs.h. What is sought is known when engine_settle() says so. */
bool engine_seek(struct engine *engine, const char *id, bool anyway);
bool engine_job_unread(struct engine *engine, const char *id, bool unasked);
enum nq_status engine_look(struct engine *engine, const char *id, bool anyway, struct job_view *view);
enum nq_status engine_cancel_job(struct engine *engine, const char *id, const char *name);

/* Waits until what has been begun, cancelled or sought is recorded, cannot be, or the wait is cancelled: wake(who)
 * comes exactly once, perhaps before this returns, unless NULL is returned (out of memory). Its status: NQ_OK;
 * NQ_NOMEM: it may not outlive the process, for want of memory; otherwise nobody knows. End it with pending_close(). */
struct pending *engine_settle(struct engine *engine, pending_wake *wake, void *who);

/* Counts what the store does not have yet: see journal_waits(). */
void engine_waits(struct engine *engine, size_t counts[static STORE_KINDS]);

/* See jobs_resume(). */
enum nq_status engine_resume(struct engine *engine, struct deadline deadline);

/* Carries out what is no question: see chore_begin(). */
struct chore *engine_begin_chore(struct engine *engine, const struct chore_order *order);

/* Whether a question can have the memory that it needs, when no other one has any. False: never, and why; it counts as
 * rejected. */
bool engine_has_room(struct engine *engine, const struct question *question, struct fault *fault);

/* Opens a stream: see stream_open. */
enum nq_status engine_stream(struct engine *engine, const struct question *question, pending_wake *wake, void *who,
                             struct stream **stream);

/* The counting kernel's name. */
const char *engine_kernel(const struct engine *engine);

struct engine_stats {
    uint64_t too_large; /* questions for which engine_has_room() had none */
    struct pool_stats pool;
    struct flight_stats flights;
    struct stream_stats streams;
    struct job_stats jobs;
    struct plans_stats plans;
    struct journal_stats journal;
    struct coordinator_stats coordinator; /* all 0 without workers */
};
/* Whether the store is broken, and why: see journal_fault(). */
bool engine_fault(struct engine *engine, char why[static STORE_ERROR_MAX]);

/* What every algorithm has been asked and has done. */
const struct efforts *engine_efforts(const struct engine *engine);
struct engine_stats engine_stats(struct engine *engine);

#ifdef CHECKS
/* Asserts what must hold of every structure at any time; returns how many there are. */
unsigned engine_check(struct engine *engine);
#endif

#endif
