/* engine.h - the one door to everything below: questions go in, answers and streams come out. The HTTP layer knows of
 * the engine what stands here and in the headers named here. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "engine/crew.h"
#include "engine/flight.h"
#include "engine/job.h"
#include "engine/plans.h"
#include "engine/pool.h"
#include "engine/question.h"
#include "engine/stream.h"

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
    size_t waiting_bytes;  /* facts that may wait for the store */
    struct queue *work;    /* for workers, who share the store; NULL: there are none. Must outlive the engine */
    double audit;          /* the share of their results that is checked */
    ledger_trouble trouble;
    job_teller news; /* NULL: nobody wants to know */
    void *who;       /* of both */
};

/* NULL when out of memory or threads. */
struct engine *engine_new(const struct engine_options *options);

/* Dismisses everyone who waits, stops every search and stream, ends the threads. Nothing is woken after it returns.
 * NQ_OK; NQ_BROKEN: the store does not take what is left in time, and neither it nor the engine can be freed;
 * NQ_TIMEOUT: a search does not heed its slice: the store has everything, but the engine cannot be freed, and some who
 * wait for that search may not have been woken. */
enum nq_status engine_close(struct engine *engine);
void engine_free(struct engine *engine); /* after engine_close came to NQ_OK */

/* Up to how many free rows a count is quick enough to be computed whenever it is asked for, by what symmetry its
 * solutions have. */
enum { ENGINE_QUICK_ROWS = 16, ENGINE_QUICK_ROWS_POINT = 24, ENGINE_QUICK_ROWS_QUARTER = 32 };

/* The most that is computed at all, and the most that is done for every square of the board. */
enum { ENGINE_COMPUTE_MAX_N = 32, ENGINE_SQUARES_MAX_N = 18 };

/* The answer if it is there: never waits. A new reference, or NULL. */
struct answer *engine_peek(struct engine *engine, const struct question *question);

/* Waits for the answer: see flights_ask. A question whose time is up becomes a job, if it is one of ASK_COUNT that is
 * computed: the ticket's status is then NQ_AGAIN, and engine_job_of(ticket) names the job. */
struct ticket *engine_ask(struct engine *engine, const struct question *question, party_wake wake, void *who);
const char *engine_job_of(const struct ticket *ticket);

/* Asks for a job, such a question being given: wakes as soon as it is known that the count can be made. The ticket's
 * status is then NQ_AGAIN; or NQ_OK, when the answer is there at once: engine_begin_job makes a job of it all the same.
 * own: see jobs_begin. */
struct ticket *engine_ask_job(struct engine *engine, const struct question *question, bool own, party_wake wake,
                              void *who);
enum nq_status engine_begin_job(struct ticket *ticket);

/* Jobs: see job.h. What is sought is known when engine_settle() says so. */
bool engine_seek(struct engine *engine, const char *id, bool anyway);
enum nq_status engine_look(struct engine *engine, const char *id, struct job_view *view);
enum nq_status engine_cancel_job(struct engine *engine, const char *id, const char *name);

/* Waits until what has been begun, cancelled or sought is recorded, cannot be, or the party is dismissed: wake(who)
 * comes exactly once, perhaps before this returns, unless NULL is returned (out of memory). End it with party_unref. */
struct party *engine_settle(struct engine *engine, party_wake wake, void *who);

/* What that came to: NQ_OK; NQ_NOMEM: it may not outlive the process, for want of memory; otherwise nobody knows. */
enum nq_status engine_settled(const struct party *party);

/* See jobs_resume(). */
enum nq_status engine_resume(struct engine *engine, const struct job_reopener *reopener, struct patience patience);

/* Opens a stream: see stream_open. */
enum nq_status engine_stream(struct engine *engine, const struct question *question, party_wake wake, void *who,
                             struct stream **stream);

/* The counting kernel's name. */
const char *engine_kernel(const struct engine *engine);

struct engine_figures {
    struct pool_figures pool, lengthy;
    struct flight_figures flights;
    struct stream_figures streams;
    struct job_figures jobs;
    struct plans_figures plans;
    struct ledger_figures ledger;
    struct crews_figures crews; /* all 0 without workers */
};
/* Whether the store is broken, and why: see ledger_ails(). */
bool engine_ails(struct engine *engine, char why[static STORE_ERROR_MAX]);

/* What every algorithm has been asked and has done. */
const struct efforts *engine_efforts(const struct engine *engine);
struct engine_figures engine_figures(struct engine *engine);

#endif
