/* worker.c - threads that take batches, one that publishes that it is there, and renews the leases of the others, and
 * one that asks the store whether it works. The lock guards leases and statistics; nothing is counted, stored or
 * published under it. */
#include "engine/worker/worker.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/process.h"
#include "base/stop.h"
#include "base/timed.h"
#include "engine/ask/count_query.h"
#include "engine/cluster/messages.h"
#include "engine/cluster/waits.h"
#include "engine/units/division.h"
#include "engine/units/plans.h"
#include "engine/units/units.h"
#include "kernels/kernel.h"
#include "stores/queue.h"

/* ---- Assignments ---- */

/* The terms of counts that batches are of, each with its plan while batches of it come. */

struct assignment {
    struct assignment *next;
    char *query, *name; /* canonical path of the count; the term's name */
    uint32_t term;
    uint64_t used_at; /* clock_now(), of the last batch */
    unsigned users;   /* threads; it stays while there are any */
    enum { SHUT, OPENING, OPEN } state;
    struct shared_question *asked; /* OPEN: they stay as long as the division */
    struct division *division;
};

/* The owner sets the first group. */
struct assignments {
    struct plans *plans;
    const atomic_bool *stop;
    void (*notify)(void *who, const char *event, const char *text); /* for a log; any thread */
    void *who;
    struct lock lock;      /* guards what follows */
    pthread_cond_t opened; /* or could not be */
    struct assignment *list;
};

/* NULL: nothing */
static void assignment_free(struct assignment *assignment)
{
    if (!assignment)
        return;
    assert(!assignment->users);
    division_close(assignment->division);
    question_unref(assignment->asked);
    free(assignment->query);
    free(assignment->name);
    free(assignment);
}

static void assignments_begin(struct assignments *assignments)
{
    lock_init(&assignments->lock, LOCK_ASSIGNMENTS);
    timed_init(&assignments->opened);
}

static void assignments_end(struct assignments *assignments)
{
    while (assignments->list) {
        struct assignment *assignment = assignments->list;
        assignments->list = assignment->next;
        assignment_free(assignment);
    }
    pthread_cond_destroy(&assignments->opened);
    lock_destroy(&assignments->lock);
}

/* ---- Which there are ---- */

/* Under the lock. NULL: out of memory. */
static struct assignment *add(struct assignments *assignments, const struct batch_message *message)
{
    struct assignment *assignment = calloc(1, sizeof *assignment);
    if (!assignment)
        return NULL;
    *assignment = (struct assignment){.query = strdup(message->query),
                                      .name = strdup(message->name),
                                      .term = message->run[0].from.term,
                                      .next = assignments->list};
    if (!assignment->query || !assignment->name) {
        assignment_free(assignment);
        return NULL;
    }
    assignments->list = assignment;
    return assignment;
}

static bool is_of(const struct assignment *assignment, const struct batch_message *message)
{
    return assignment->term == message->run[0].from.term && strcmp(assignment->query, message->query) == 0 &&
           strcmp(assignment->name, message->name) == 0;
}

static void assignments_leave(struct assignments *assignments, struct assignment *assignment)
{
    lock_take(&assignments->lock);
    assert(assignment->users > 0);
    assignment->users--;
    assignment->used_at = clock_now();
    lock_release(&assignments->lock);
}

/* Takes one off the list that had no user for so long. NULL: there is none. Give it back, or free it. */
static struct assignment *assignments_take_idle(struct assignments *assignments, unsigned milliseconds)
{
    lock_take(&assignments->lock);
    struct assignment **at = &assignments->list;
    while (*at && ((*at)->users || !timed_long_ago((*at)->used_at, milliseconds)))
        at = &(*at)->next;
    struct assignment *assignment = *at;
    if (assignment)
        *at = assignment->next;
    lock_release(&assignments->lock);
    return assignment;
}

static void assignments_give_back(struct assignments *assignments, struct assignment *assignment)
{
    lock_take(&assignments->lock);
    assignment->used_at = clock_now();
    assignment->next = assignments->list;
    assignments->list = assignment;
    lock_release(&assignments->lock);
}

/* ---- Plans ---- */

static bool has_name(const struct division *division, uint32_t term, const char *name)
{
    struct bytes text = {0};
    if (term < division_terms(division))
        division_name(division, term, &text);
    char *known = bytes_take(&text);
    const bool same = known && strcmp(known, name) == 0;
    free(known);
    return same;
}

/* Plans one term, as if all others were counted already. */
static enum nq_status prepare(struct assignments *assignments, struct division *division, uint32_t term)
{
    const size_t terms = division_terms(division);
    bool *done = malloc(terms + 1);
    if (!done)
        return NQ_NOMEM;
    for (size_t i = 0; i < terms; i++)
        done[i] = i != term;
    const enum nq_status status = division_prepare(division, done, plans_source(assignments->plans), assignments->stop);
    free(done);
    return status;
}

/* Weights are the server's business. */
static enum nq_status open_division(struct assignments *assignments, struct assignment *assignment)
{
    struct shared_question *asked;
    struct division *division = NULL;
    enum nq_status status = count_query_parse(assignment->query, &asked);
    if (status == NQ_OK)
        status = division_open(&asked->question, 1, INFINITY, assignments->stop, &division);
    if (status == NQ_OK && !has_name(division, assignment->term, assignment->name))
        status = NQ_INVALID;
    if (status == NQ_OK)
        status = prepare(assignments, division, assignment->term);
    if (status == NQ_OK) {
        assignment->asked = asked;
        assignment->division = division;
        return NQ_OK;
    }
    division_close(division);
    question_unref(asked);
    return status;
}

/* As its user. */
static enum nq_status open_it(struct assignments *assignments, struct assignment *assignment)
{
    lock_take(&assignments->lock);
    while (assignment->state == OPENING)
        (void)timed_wait(&assignments->opened, &assignments->lock, timed_in(PAUSE_MS));
    const bool open = assignment->state == OPEN;
    if (!open)
        assignment->state = OPENING;
    lock_release(&assignments->lock);
    if (open)
        return NQ_OK;
    const enum nq_status status = open_division(assignments, assignment);
    lock_take(&assignments->lock);
    assignment->state = status == NQ_OK ? OPEN : SHUT;
    pthread_cond_broadcast(&assignments->opened);
    lock_release(&assignments->lock);
    assignments->notify(assignments->who, status == NQ_OK ? "prepared" : "failed", assignment->query);
    return status;
}

/* The assignment of a batch, for one more user, with its plan and tables: makes them, or waits if another thread does.
 * NQ_INVALID: this release counts the term by other units; or why it cannot be made now. */
static enum nq_status assignments_use(struct assignments *assignments, const struct batch_message *message,
                                      struct assignment **out)
{
    lock_take(&assignments->lock);
    struct assignment *assignment = assignments->list;
    while (assignment && !is_of(assignment, message))
        assignment = assignment->next;
    if (!assignment)
        assignment = add(assignments, message);
    if (assignment)
        assignment->users++;
    lock_release(&assignments->lock);
    if (!assignment)
        return NQ_NOMEM;
    const enum nq_status status = open_it(assignments, assignment);
    if (status == NQ_OK)
        *out = assignment;
    else
        assignments_leave(assignments, assignment);
    return status;
}

#ifdef CHECKS
static void assignments_check(struct assignments *assignments)
{
    if (!lock_take_to_check(&assignments->lock))
        return;
    for (const struct assignment *assignment = assignments->list; assignment; assignment = assignment->next) {
        assert(assignment->query && assignment->name);
        assert(assignment->state == OPENING || (assignment->state == OPEN) == (assignment->division != NULL));
        assert(assignment->state != OPENING || assignment->users);
    }
    lock_release(&assignments->lock);
}
#endif

/* ---- Batch ---- */

/* A batch of units: each is counted, stored and reported. */

struct batch_tools {
    struct queue *queue;
    struct store *store;
    const struct kernel *kernel;
    const char *id; /* of the worker */
    const atomic_bool *stop;
    atomic_ullong units, audits; /* done; those of them that were audits */
    atomic_ullong nodes, worked; /* placements; nanoseconds of threads by the clock */
};

static void report(const struct batch_tools *tools, const struct assignment *assignment,
                   const struct report_message *message)
{
    struct bytes text = {0};
    char id[17];
    work_id(assignment->query, id);
    report_message_write(message, &text);
    char *taken = bytes_take(&text);
    if (taken)
        (void)queue_publish(tools->queue, QUEUE_REPORT, id, taken); /* the store has it, too */
    free(taken);
}

/* Stores a result, as soon as there is a broker: what a unit comes to is the same whoever counts it. */
static enum nq_status keep(struct batch_tools *tools, const struct assignment *assignment, const char *key,
                           const struct unit_made *made)
{
    struct bytes value = {0};
    enum nq_status status = NQ_NOMEM;
    division_write(assignment->division, made, &value);
    const struct store_fact fact = {
        .kind = STORE_UNIT, .key = key, .value = value.size ? value.data : "", .size = value.size};
    const struct timespec pause = {.tv_nsec = PAUSE_MS * CLOCK_MILLISECOND};
    while (!value.failed && (status = store_put(tools->store, &fact, 1)) == NQ_BROKEN && !stop_wanted(tools->stop))
        nanosleep(&pause, NULL);
    bytes_free(&value);
    return status;
}

/* audit: the result is only reported, for comparison. */
static enum nq_status make_unit(struct batch_tools *tools, const struct assignment *assignment, const char *key,
                                bool audit, struct unit_made *made, struct report_message *message)
{
    const struct message_place *place = &message->place;
    const size_t unit = division_first(assignment->division, place->term) + place->unit;
    const uint64_t since = clock_now();
    enum nq_status status = division_make(assignment->division, unit, place->piece, tools->kernel, tools->stop, made);
    message->seconds = (double)(clock_now() - since) / (double)CLOCK_SECOND;
    if (status == NQ_OK && !audit)
        status = keep(tools, assignment, key, made);
    bytes_free(&made->bytes);
    return status;
}

static enum nq_status count_unit(struct batch_tools *tools, const struct assignment *assignment,
                                 const struct message_place *place, bool audit)
{
    struct report_message message = {.report = audit ? MESSAGE_CHECKED : MESSAGE_COUNTED, .place = *place};
    const uint64_t since = clock_now();
    struct unit_made made;
    strncpy(message.worker, tools->id, sizeof message.worker - 1);
    char *key = units_key(assignment->name, place->unit, place->piece);
    const enum nq_status status = key ? make_unit(tools, assignment, key, audit, &made, &message) : NQ_NOMEM;
    if (status == NQ_OK) {
        message.parts = made.parts;
        message.nodes = made.nodes;
        report(tools, assignment, &message);
        atomic_fetch_add(&tools->units, 1);
        atomic_fetch_add(&tools->audits, audit);
        atomic_fetch_add(&tools->nodes, message.nodes);
        atomic_fetch_add(&tools->worked, clock_now() - since);
    }
    free(key);
    return status;
}

static bool is_there(const struct assignment *assignment, const struct message_place *place)
{
    const struct division *division = assignment->division;
    const size_t units = division_first(division, place->term + 1) - division_first(division, place->term);
    return place->unit < units && (division->counting || place->piece == UNIT_WHOLE);
}

/* audit: results are only reported. NQ_OK, or why it was not finished. Any thread. */
static enum nq_status batch_count(struct batch_tools *tools, const struct assignment *assignment,
                                  const struct batch_message *message, bool audit)
{
    enum nq_status status = NQ_OK;
    for (size_t i = 0; i < message->runs && status == NQ_OK; i++) {
        const struct message_run *run = &message->run[i];
        for (uint32_t j = 0; j < run->count && status == NQ_OK; j++) {
            const struct message_place place = message_place(run, j);
            status = is_there(assignment, &place) ? count_unit(tools, assignment, &place, audit) : NQ_INVALID;
        }
    }
    return status;
}

/* Where the sum is stored nobody needs the units. */
static enum nq_status batch_clean_up(const struct batch_tools *tools, const struct assignment *assignment)
{
    struct bytes sum = {0};
    enum nq_status status = store_get(tools->store, STORE_RESULT, assignment->name, &sum);
    bytes_free(&sum);
    if (status != NQ_OK)
        return status == NQ_NONE ? NQ_OK : status;
    char *prefix = units_prefix(assignment->name);
    status = prefix ? store_delete_prefix(tools->store, STORE_UNIT, prefix) : NQ_NOMEM;
    free(prefix);
    return status;
}

/* ---- Worker ---- */

/* Milliseconds. */
enum {
    TURN_MS = 100,
    PUBLISH_MS = 1000, /* that it is there */
    CHECK_MS = 1000,   /* between two checks of the store */
    TAKE_MS = 500,     /* it asks for a batch for so long; */
    TAKE_SOON_MS = 50, /* at first, and twice as long whenever there is none: an audit may come meanwhile */
    IDLE_MS = 5000,    /* until a plan that no batch needs is given up */
    RETURN_MS = 5000,  /* until a batch is tried again that cannot be counted now */
};

/* Times that a batch is handed out before it is given up: its server finds out, and hands its units out again. */
enum { DELIVERIES = 10 };

struct worker_thread {
    struct worker *worker;
    pthread_t thread;
    struct lease *lease; /* under the lock */
};

struct worker {
    struct worker_options options;
    struct assignments assignments;
    struct batch_tools tools;
    struct plans *plans;
    struct lock lock;
    pthread_cond_t turned; /* a thread has ended, or the checker is to end */
    struct worker_stats stats;
    unsigned ended;
    atomic_bool stopping, stop; /* no more batches; not even those under way */
    pthread_t publisher, checker;
    atomic_bool silent; /* these two are to end */
    bool broken;        /* the store did not work when it was checked last; stats.why says why */
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

/* audit: as of batch_count(). */
static enum nq_status count_message(struct worker *worker, const struct batch_message *message, bool audit)
{
    struct assignment *assignment;
    enum nq_status status = assignments_use(&worker->assignments, message, &assignment);
    if (status != NQ_OK)
        return status;
    status = batch_count(&worker->tools, assignment, message, audit);
    assignments_leave(&worker->assignments, assignment);
    return status;
}

/* NQ_END: it came too often. */
static enum nq_status count_batch(struct worker *worker, const struct batch_message *message, unsigned deliveries)
{
    if (deliveries > 1)
        note_again(worker, message->query, deliveries);
    return deliveries > DELIVERIES ? NQ_END : count_message(worker, message, false);
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

static void carry_out(struct worker_thread *thread, struct lease *lease)
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
        (void)lease_return(lease, status == NQ_CANCELLED ? 0 : RETURN_MS);
    lock_take(&worker->lock);
    worker->stats.batches += status == NQ_OK;
    worker->stats.returned += status != NQ_OK;
    lock_release(&worker->lock);
    if (status != NQ_OK && status != NQ_CANCELLED)
        notify(worker, "returned", nq_status_text(status));
}

/* ---- Audits: a server asks this worker by its name, and asks another one if no answer comes ---- */

/* What is no batch, or comes when memory is out, counts as lost. */
static void carry_out_audit(struct worker *worker, const struct bytes *text)
{
    struct batch_message message;
    if (batch_message_read(&message, text->data, text->size) != NQ_OK)
        return;
    const enum nq_status status = count_message(worker, &message, true);
    if (status != NQ_OK && status != NQ_CANCELLED)
        notify(worker, "returned", nq_status_text(status)); /* its server asks another worker */
    batch_message_free(&message);
}

/* Before any batch: a count may wait for nothing but an audit. Those that no thread has begun wait in the queue. */
static void carry_out_audits(struct worker *worker)
{
    struct queue_message asked = {.text = {0}};
    while (!stop_wanted(&worker->stopping) && queue_poll(worker->options.queue, &asked) == NQ_OK) {
        carry_out_audit(worker, &asked.text);
        bytes_free(&asked.text);
    }
    bytes_free(&asked.text);
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
    unsigned milliseconds = TAKE_SOON_MS;
    thread_name_numbered("worker", (unsigned)(thread - worker->threads));
    while (!stop_wanted(&worker->stopping)) {
        struct lease *lease;
        carry_out_audits(worker);
        if (!source)
            source = batch_source_new(worker->options.queue);
        const enum nq_status status = source ? batch_source_take(source, milliseconds, &lease) : NQ_NOMEM;
        milliseconds = status == NQ_OK ? TAKE_SOON_MS : 2 * milliseconds < TAKE_MS ? 2 * milliseconds : TAKE_MS;
        if (status == NQ_OK)
            carry_out(thread, lease);
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
        (void)queue_publish(worker->options.queue, QUEUE_WORKER, queue_self(worker->options.queue), taken);
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
        queue_tend(worker->options.queue, TURN_MS);
        if (queue_forbidden(worker->options.queue)) /* its batches may come all the same, and audits do not */
            notify(worker, "forbidden",
                   "NATS does not let this worker publish or receive something that it needs: compare the rights of "
                   "its user with docker/nats/nats.conf");
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

/* A thread of its own: a broker without an answer holds it for seconds, and leases must be renewed meanwhile. */
static void check_store(struct worker *worker)
{
    char why[STORE_ERROR_MAX] = "";
    const enum nq_status status = store_check(worker->options.store, false);
    const bool broken = status == NQ_BROKEN;
    if (broken)
        store_trouble(worker->options.store, why);
    if (status != NQ_OK && !broken)
        return;
    lock_take(&worker->lock);
    const bool turned = worker->broken != broken;
    worker->broken = broken;
    memcpy(worker->stats.why, why, sizeof why);
    lock_release(&worker->lock);
    if (turned)
        notify(worker, "store", broken ? why : "it works again");
}

static void *watch_store(void *arg)
{
    struct worker *worker = arg;
    thread_name("checker");
    while (!stop_wanted(&worker->silent)) {
        check_store(worker);
        const uint64_t until = timed_in(CHECK_MS);
        lock_take(&worker->lock);
        while (!stop_wanted_locked(&worker->silent) && timed_wait(&worker->turned, &worker->lock, until)) {
        }
        lock_release(&worker->lock);
    }
    return NULL;
}

/* The publisher and the checker. False: out of threads; then neither runs. */
static bool start_helpers(struct worker *worker)
{
    if (pthread_create(&worker->publisher, NULL, exchange, worker) != 0)
        return false;
    if (pthread_create(&worker->checker, NULL, watch_store, worker) == 0)
        return true;
    atomic_store(&worker->silent, true);
    pthread_join(worker->publisher, NULL);
    return false;
}

static void stop_helpers(struct worker *worker)
{
    lock_take(&worker->lock);
    atomic_store(&worker->silent, true);
    pthread_cond_broadcast(&worker->turned);
    lock_release(&worker->lock);
    pthread_join(worker->publisher, NULL);
    pthread_join(worker->checker, NULL);
}

/* ---- From outside ---- */

struct worker *worker_new(const struct worker_options *options)
{
    struct worker *worker = calloc(1, sizeof *worker + options->threads * sizeof worker->threads[0]);
    if (!worker)
        return NULL;
    worker->options = *options;
    worker->stats.threads = options->threads;
    lock_init(&worker->lock, LOCK_WORKER);
    timed_init(&worker->turned);
    worker->plans = plans_new(options->table_bytes, options->threads, options->split_weight);
    worker->assignments = (struct assignments){
        .plans = worker->plans, .stop = &worker->stop, .notify = options->notify, .who = options->who};
    assignments_begin(&worker->assignments);
    worker->tools = (struct batch_tools){.queue = options->queue,
                                         .store = options->store,
                                         .kernel = options->kernel,
                                         .id = queue_self(options->queue),
                                         .stop = &worker->stop};
    if (!worker->plans || !start_helpers(worker))
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
    stop_helpers(worker);
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
    stop_helpers(worker);
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
    const bool broken = worker->broken;
    lock_release(&worker->lock);
    stats.units = worker->tools.units;
    stats.audits = worker->tools.audits;
    stats.nodes = worker->tools.nodes;
    stats.worked = worker->tools.worked;
    stats.connected = !broken && queue_connected(worker->options.queue);
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
