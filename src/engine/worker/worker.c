/* worker.c - threads that take batches, and one that publishes that it is there, and renews the leases of the others.
 * The lock guards leases and statistics; nothing is counted, stored or published under it. */
#include "engine/worker/worker.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/process.h"
#include "base/stop.h"
#include "base/timed.h"
#include "engine/cluster/waits.h"
#include "engine/worker/batch.h"

/* Milliseconds. */
enum {
    TURN_MS = 100,
    PUBLISH_MS = 1000, /* that it is there */
    TAKE_MS = 500,
    SHORT_MS = 20,    /* it does not ask for less; and what it asks for has ended so long before it must not */
    IDLE_MS = 5000,   /* until a plan that no batch needs is given up */
    RETURN_MS = 5000, /* until a batch is tried again that cannot be counted now */
};

/* Times that a batch is handed out before it is given up: its server finds out, and hands its units out again. */
enum { DELIVERIES = 10 };

/* Milliseconds until batches for another worker come again, more for each delivery, but for no more than so many; and
 * so many times as long as it took to return them. After that, this worker leaves them to others for a while. */
enum { ANOTHER_MS = 250, LATER_MS = 25, OFTEN = 400, REST = 4, YIELD_MS = 50 };

struct worker_thread {
    struct worker *worker;
    pthread_t thread;
    struct lease *lease; /* under the lock */
};

struct worker {
    struct worker_options options;
    char id[17];
    struct assignments assignments;
    struct batch_tools tools;
    struct plans *plans;
    struct lock lock;
    pthread_cond_t turned; /* a thread has ended */
    struct worker_stats stats;
    uint64_t came_at, again_at; /* when what other workers must count came, and comes again */
    uint64_t returning;         /* nanoseconds of all threads that it has taken since, to return it */
    unsigned ended;
    atomic_bool stopping, stop; /* no more batches; not even those under way */
    pthread_t publisher;
    atomic_bool silent; /* the publisher is to end */
    unsigned started;
    struct worker_thread threads[];
};

static void pause_for(unsigned milliseconds)
{
    const struct timespec moment = {.tv_nsec = (long)(milliseconds * CLOCK_MILLISECOND)};
    nanosleep(&moment, NULL);
}

static void notify(const struct worker *worker, const char *event, const char *text)
{
    worker->options.notify(worker->options.who, event, text);
}

/* ---- A batch ---- */

/* The lease is not renewed from here on. */
static struct lease *take_lease(struct worker_thread *thread)
{
    lock_take(&thread->worker->lock);
    struct lease *lease = thread->lease;
    assert(lease && thread->worker->stats.busy);
    thread->lease = NULL;
    thread->worker->stats.busy--;
    lock_release(&thread->worker->lock);
    return lease;
}

/* Another worker had it, and has returned it or is gone. */
static void note_again(struct worker *worker, const char *query, unsigned deliveries)
{
    char text[400];
    lock_take(&worker->lock);
    worker->stats.redelivered++;
    lock_release(&worker->lock);
    (void)snprintf(text, sizeof text, "a batch of %.300s comes for time %u", query, deliveries);
    notify(worker, "takeover", text);
}

/* A batch must go to another worker: milliseconds until it comes again. The broker gives it to the first that asks. So
 * that this is another worker, all such batches come again at one moment: what threads of this worker ask for ends
 * before it, and they do not ask for a while after it. The longer all others are busy, and the longer it takes to
 * return the batches, the later they come again, so that this worker gets to its own work. */
static unsigned yield(struct worker *worker, uint64_t asked_at, unsigned deliveries)
{
    lock_take(&worker->lock);
    const uint64_t now = clock_now();
    if (now >= worker->again_at + YIELD_MS * CLOCK_MILLISECOND) {
        const uint64_t late = (ANOTHER_MS + LATER_MS * (deliveries < OFTEN ? deliveries : OFTEN)) * CLOCK_MILLISECOND;
        const uint64_t rest = REST * worker->returning / worker->options.threads;
        worker->came_at = worker->again_at;
        worker->again_at = now + (late > rest ? late : rest);
        worker->returning = 0;
    }
    if (deliveries > 1 && asked_at > worker->came_at && now < worker->again_at)
        worker->returning += now - asked_at; /* what is new may have been waited for, with nothing else to do */
    const uint64_t wait = worker->again_at > now ? worker->again_at - now + CLOCK_MILLISECOND : 0;
    lock_release(&worker->lock);
    return (unsigned)(wait / CLOCK_MILLISECOND);
}

/* For how many milliseconds a thread may ask for a batch; first it pauses, if it must not ask now. */
static unsigned time_to_ask(struct worker *worker)
{
    lock_take(&worker->lock);
    const uint64_t now = clock_now(), again_at = worker->again_at;
    lock_release(&worker->lock);
    const uint64_t until = again_at + YIELD_MS * CLOCK_MILLISECOND, from = now + 2 * CLOCK_MILLISECOND * SHORT_MS;
    if (now >= until || now + TAKE_MS * CLOCK_MILLISECOND <= again_at)
        return TAKE_MS;
    if (again_at >= from)
        return (unsigned)((again_at - now) / CLOCK_MILLISECOND) - SHORT_MS;
    pause_for((unsigned)((until - now) / CLOCK_MILLISECOND) + 1);
    return TAKE_MS;
}

/* Counts a batch, unless it is this worker's own result that is to be audited. NQ_DENIED: it is for another one;
 * NQ_END: it came too often. An audit may come as often as it likes: its server counts the unit itself in the end. */
static enum nq_status count_batch(struct worker *worker, const struct batch_message *message, unsigned deliveries)
{
    struct assignment *assignment;
    const bool audit = *message->not_for;
    if (audit && strcmp(message->not_for, worker->id) == 0)
        return NQ_DENIED;
    if (deliveries > 1 && !audit) /* an audit may have been returned by the one that must not do it */
        note_again(worker, message->query, deliveries);
    if (deliveries > DELIVERIES && !audit)
        return NQ_END;
    enum nq_status status = assignments_use(&worker->assignments, message, &assignment);
    if (status != NQ_OK)
        return status;
    status = batch_count(&worker->tools, assignment, message, deliveries > 1);
    assignments_leave(&worker->assignments, assignment);
    return status;
}

/* What cannot be read is for nobody. */
static enum nq_status read_and_count(struct worker *worker, const struct lease *lease, unsigned deliveries)
{
    struct bytes text = {0};
    struct batch_message message;
    lease_text(lease, &text);
    enum nq_status status = text.failed ? NQ_NOMEM : batch_message_read(&message, text.data, text.size);
    bytes_free(&text);
    if (status != NQ_OK)
        return status == NQ_INVALID ? NQ_END : status;
    status = count_batch(worker, &message, deliveries);
    batch_message_free(&message);
    return status;
}

static void carry_out(struct worker_thread *thread, struct lease *lease, uint64_t asked_at)
{
    struct worker *worker = thread->worker;
    const unsigned deliveries = lease_deliveries(lease);
    lock_take(&worker->lock);
    assert(!thread->lease); /* one that is not given back is never renewed */
    thread->lease = lease;
    worker->stats.busy++;
    lock_release(&worker->lock);
    const enum nq_status status = read_and_count(worker, lease, deliveries);
    lease = take_lease(thread);
    if (status == NQ_OK || status == NQ_END)
        (void)lease_done(lease); /* or it comes again, and is found to be done */
    else
        (void)lease_return(lease, status == NQ_DENIED      ? yield(worker, asked_at, deliveries)
                                  : status == NQ_CANCELLED ? 0
                                                           : RETURN_MS);
    lock_take(&worker->lock);
    worker->stats.batches += status == NQ_OK;
    worker->stats.returned += status != NQ_OK;
    lock_release(&worker->lock);
    if (status != NQ_OK && status != NQ_DENIED && status != NQ_CANCELLED)
        notify(worker, "returned", nq_status_text(status));
}

/* ---- The threads ---- */

/* Gives up plans that were not used for so long; what the store does not answer is tried again. */
static void clean_up(struct worker *worker, unsigned milliseconds)
{
    struct assignment *assignment;
    while ((assignment = assignments_take_idle(&worker->assignments, milliseconds))) {
        if (batch_clean_up(&worker->tools, assignment) != NQ_OK) {
            assignments_give_back(&worker->assignments, assignment);
            return;
        }
        assignment_free(assignment);
    }
}

static void *work(void *arg)
{
    struct worker_thread *thread = arg;
    struct worker *worker = thread->worker;
    struct batch_source *source = NULL;
    thread_name_numbered("worker", (unsigned)(thread - worker->threads));
    while (!stop_wanted(&worker->stopping)) {
        struct lease *lease;
        const unsigned milliseconds = time_to_ask(worker);
        if (!source)
            source = batch_source_new(worker->options.queue);
        const uint64_t asked_at = clock_now();
        const enum nq_status status = source ? batch_source_take(source, milliseconds, &lease) : NQ_NOMEM;
        if (status == NQ_OK)
            carry_out(thread, lease, asked_at);
        else if (status != NQ_TIMEOUT)
            pause_for(PAUSE_MS);
        clean_up(worker, IDLE_MS);
    }
    clean_up(worker, 0);
    batch_source_free(source);
    lock_take(&worker->lock);
    worker->ended++;
    pthread_cond_broadcast(&worker->turned);
    lock_release(&worker->lock);
    return NULL;
}

/* Announces so many threads; 0: it takes no more batches. */
static void publish(struct worker *worker, unsigned threads)
{
    const struct worker_message message = {.threads = threads};
    struct bytes text = {0};
    worker_message_write(&message, &text);
    char *taken = bytes_take(&text);
    if (taken)
        (void)queue_publish(worker->options.queue, QUEUE_WORKER, worker->id, taken);
    free(taken);
}

static void renew(struct worker *worker)
{
    lock_take(&worker->lock);
    for (unsigned i = 0; i < worker->started; i++)
        if (worker->threads[i].lease)
            (void)lease_renew(worker->threads[i].lease); /* a line into a buffer */
    lock_release(&worker->lock);
}

static void *exchange(void *arg)
{
    struct worker *worker = arg;
    uint64_t published = 0, renewed = 0;
    bool left = false;
    thread_name("publisher");
    while (!stop_wanted(&worker->silent)) {
        (void)queue_receive(worker->options.queue, TURN_MS, NULL); /* it listens to nothing */
        if (timed_long_ago(published, PUBLISH_MS) && !stop_wanted(&worker->stopping)) {
            published = clock_now();
            publish(worker, worker->options.threads);
        }
        if (!left && stop_wanted(&worker->stopping)) {
            left = true;
            publish(worker, 0);
        }
        if (timed_long_ago(renewed, worker->options.lease_ms / 3)) {
            renewed = clock_now();
            renew(worker);
        }
    }
    return NULL;
}

/* ---- From outside ---- */

struct worker *worker_new(const struct worker_options *options)
{
    struct worker *worker = calloc(1, sizeof *worker + options->threads * sizeof worker->threads[0]);
    if (!worker)
        return NULL;
    worker->options = *options;
    worker->stats.threads = options->threads;
    process_draw_id(worker->id);
    lock_init(&worker->lock, LOCK_WORKER);
    timed_init(&worker->turned);
    worker->plans = plans_new(options->table_bytes, options->threads, options->split_weight);
    worker->assignments = (struct assignments){
        .plans = worker->plans, .stop = &worker->stop, .notify = options->notify, .who = options->who};
    assignments_begin(&worker->assignments);
    worker->tools = (struct batch_tools){.queue = options->queue,
                                         .store = options->store,
                                         .kernel = options->kernel,
                                         .id = worker->id,
                                         .stop = &worker->stop};
    if (!worker->plans || pthread_create(&worker->publisher, NULL, exchange, worker) != 0)
        goto fail;
    for (unsigned i = 0; i < options->threads; i++) {
        worker->threads[i].worker = worker;
        if (pthread_create(&worker->threads[i].thread, NULL, work, &worker->threads[i]) != 0)
            break;
        lock_take(&worker->lock);
        worker->started++;
        lock_release(&worker->lock);
    }
    if (worker->started)
        return worker;
    atomic_store(&worker->silent, true);
    pthread_join(worker->publisher, NULL);
fail:
    worker_free(worker);
    return NULL;
}

/* Whether all threads have ended by then. */
static bool await(struct worker *worker, uint64_t until)
{
    lock_take(&worker->lock);
    while (worker->ended < worker->started && clock_now() < until)
        (void)timed_wait(&worker->turned, &worker->lock, until);
    const bool ended = worker->ended == worker->started;
    lock_release(&worker->lock);
    return ended;
}

bool worker_stop(struct worker *worker, uint64_t until)
{
    enum { LAST_MS = 3000 }; /* for units to stop */
    atomic_store(&worker->stopping, true);
    bool ended = await(worker, until);
    atomic_store(&worker->stop, true);
    ended = ended || await(worker, timed_in(LAST_MS));
    atomic_store(&worker->silent, true);
    pthread_join(worker->publisher, NULL);
    for (unsigned i = 0; ended && i < worker->started; i++)
        pthread_join(worker->threads[i].thread, NULL);
    return ended;
}

void worker_free(struct worker *worker)
{
    assignments_end(&worker->assignments);
    if (worker->plans)
        plans_free(worker->plans);
    pthread_cond_destroy(&worker->turned);
    lock_destroy(&worker->lock);
    free(worker);
}

struct worker_stats worker_stats(struct worker *worker)
{
    lock_take(&worker->lock);
    struct worker_stats stats = worker->stats;
    lock_release(&worker->lock);
    stats.units = worker->tools.units;
    stats.nodes = worker->tools.nodes;
    stats.worked = worker->tools.worked;
    stats.refused = worker->tools.refused;
    stats.connected = queue_connected(worker->options.queue);
    stats.plans = plans_stats(worker->plans);
    return stats;
}

#ifdef CHECKS
void worker_check(struct worker *worker)
{
    unsigned busy = 0;
    assignments_check(&worker->assignments);
    if (!lock_take_to_check(&worker->lock))
        return;
    for (unsigned i = 0; i < worker->options.threads; i++) {
        assert(!worker->threads[i].worker || worker->threads[i].worker == worker);
        busy += worker->threads[i].lease != NULL;
    }
    assert(worker->stats.busy == busy && worker->ended + busy <= worker->options.threads);
    assert(worker->started <= worker->options.threads);
    lock_release(&worker->lock);
}
#endif
