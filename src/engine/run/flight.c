/* flight.c - the flights under way and their waiters. Waiters join a flight and leave it; its task 0 opens and prepares
 * its work, then all its tasks carry it out, slice by slice. One lock guards the list of flights and the waiters on
 * them; it is never held while anything is searched, woken or handed to a pool. The thread that takes a waiter off its
 * flight, under the lock, is the one that wakes it. */
#include "engine/run/flight.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/lock.h"
#include "engine/ask/count_query.h"
#include "engine/ask/question.h"

struct flight_task {
    struct pool_task pooled;
    struct flight *flight;
};

struct flight {
    struct flights *home;
    struct flight *next; /* in its bucket */
    uint64_t hash;       /* of its key */
    struct waiter *waiters;
    bool listed;             /* can be joined */
    atomic_bool conditional; /* a waiter may leave as soon as the work is open: see flight_screen() */
    struct shared_question *shared;
    const struct question *question; /* in that */
    struct work *_Atomic work;       /* opened by task 0, before the others start */
    bool spread;                     /* the other tasks have started, if there are any */
    struct fault fault;          /* no work could be opened: more about that. Task 0's, then of whoever completes it */
    atomic_ullong took_off;      /* clock_now(), 0 before */
    atomic_ullong nodes, worked; /* cost of all tasks so far */
    atomic_ullong idled;         /* nanoseconds that its tasks waited after they had begun, on average */
    atomic_bool stop;
    atomic_int failure;     /* the first enum nq_status but NQ_OK of a task */
    atomic_uint flying;     /* tasks that have not ended, and threads that use the flight without the lock: see pin() */
    struct flight_task end; /* completes it, where the thread that leaves last should not: see unpin() */
    struct flight_task tasks[];
};

/* As many flights may be under way as there are connections, 500 unless an operator wants more: a chain has one or two,
 * and some tens where there are 100 000. */
enum { BUCKETS = 2048 };

struct flights {
    struct lock lock;
    struct cache *cache;
    atomic_ullong answered; /* answers that went to the cache, plus 1: counted before their flights are unlisted */
    struct flight *bucket[BUCKETS]; /* those that can be joined, by their keys */
    struct flight_stats stats;
    bool closed;
    struct pool *pool;
    atomic_ullong brief_at; /* clock_now(), from which on work may begin on a thread that asks */
    unsigned tasks;
    enum nq_status (*open)(void *context, const struct question *question, const atomic_bool *stop, struct fault *fault,
                           struct work **work);
    void *context;
};

/* ---- Under the lock ---- */

static struct flight **bucket_of(struct flights *flights, uint64_t hash)
{
    return &flights->bucket[hash % BUCKETS];
}

static void unlist(struct flight *flight)
{
    struct flight **at = bucket_of(flight->home, flight->hash);
    lock_assert(&flight->home->lock);
    if (!flight->listed)
        return;
    while (*at != flight)
        at = &(*at)->next;
    *at = flight->next;
    flight->listed = false;
}

/* Keeps a flight from completing until leave(). False: it is completing. */
static bool pin(struct flight *flight)
{
    unsigned flying = atomic_load(&flight->flying);
    while (flying && !atomic_compare_exchange_weak(&flight->flying, &flying, flying + 1)) {
    }
    return flying;
}

/* No waiter is left. */
static void cancel(struct flight *flight)
{
    atomic_store(&flight->stop, true);
    unlist(flight);
    flight->home->stats.cancelled++;
}

static const struct fault no_fault;

/* The waiter is off the flight's list. */
static void end_wait(struct waiter *waiter, enum nq_status status, const struct fault *fault)
{
    struct flight *flight = waiter->flight;
    lock_assert(&waiter->home->lock);
    assert(flight); /* who takes it off wakes it: a second one would do so twice */
    waiter->progress.took_off = atomic_load(&flight->took_off);
    waiter->cost = (struct cost){.nodes = atomic_load(&flight->nodes), .nanoseconds = atomic_load(&flight->worked)};
    waiter->idled = atomic_load(&flight->idled);
    waiter->fault = *fault;
    (void)pending_end(&waiter->pending, status);
    waiter->flight = NULL;
}

/* Takes all waiters off a flight; the caller wakes them after unlocking. */
static struct waiter *detach_all(struct flight *flight, enum nq_status status, const struct fault *fault)
{
    struct waiter *waiters = flight->waiters;
    flight->waiters = NULL;
    for (struct waiter *waiter = waiters; waiter; waiter = waiter->next)
        end_wait(waiter, status, fault);
    return waiters;
}

/* Takes one waiter off its flight; the last one out stops the search. The caller lets it go after unlocking, with the
 * flight that is returned: pinned, or NULL if it is completing. */
static struct flight *detach(struct waiter *waiter, enum nq_status status, const struct fault *fault)
{
    struct flight *flight = waiter->flight;
    lock_assert(&waiter->home->lock);
    assert(flight && flight->waiters);
    struct waiter **at = &flight->waiters;
    while (*at != waiter)
        at = &(*at)->next;
    *at = waiter->next;
    waiter->next = NULL;
    end_wait(waiter, status, fault);
    if (!flight->waiters)
        cancel(flight);
    return pin(flight) ? flight : NULL;
}

/* Detaches a waiter whose principal cannot afford the work, as detach() does. */
static bool too_dear(struct waiter *waiter, const struct work *work, struct flight **flight)
{
    const struct principal *principal = &waiter->principal;
    struct fault fault;
    const double numbers[] = {work->seconds, principal->seconds};
    const bool keyed = *principal->name;
    if (principal_affords(principal, work->seconds) || (principal->keyless && !waiter->on_timeout))
        return false;
    const char *instead = count_instead(waiter->flight->question);
    if (principal->keyless)
        fault_write(&fault, FAULT_COST_WITHOUT_JOB, numbers,
                    "This needs about %.*f core-seconds; the limit of a request that starts no job is %.3g. Send "
                    "Prefer: respond-async to start one.%s",
                    work->seconds < 10 ? 2 : 0, work->seconds, principal->seconds, instead);
    else
        fault_write(&fault, keyed ? FAULT_COST_FOR_KEY : FAULT_COST_WITHOUT_KEY, numbers,
                    "This needs about %.3g core-seconds; %s the limit is %.3g.%s%s", work->seconds,
                    keyed ? "for this key" : "without a key", principal->seconds,
                    keyed ? "" : " Send a key that allows more as Authorization: Bearer KEY.", instead);
    *flight = detach(waiter, principal->keyless ? NQ_LIMIT : NQ_DENIED, &fault);
    return true;
}

/* Whether a waiter may leave as soon as the work is open. */
static bool waiter_conditional(const struct waiter *waiter)
{
    return waiter->principal.limited || (waiter->on_timeout && waiter->on_timeout->at_once);
}

static void add(struct flight *flight, struct waiter *waiter)
{
    lock_assert(&flight->home->lock);
    assert(!waiter->flight && pending_status(&waiter->pending) == NQ_AGAIN);
    waiter->flight = flight;
    waiter->next = flight->waiters;
    flight->waiters = waiter;
    if (waiter_conditional(waiter))
        atomic_store(&flight->conditional, true); /* before the caller looks whether the work is open */
}

/* Under the lock: answers a waiter from the cache, or puts it on the flight of an equal question. NQ_OK: it does not
 * wait, and the caller wakes it; NQ_AGAIN: it waits; NQ_NONE: there is no such flight. hash: of the question's key;
 * seen: see flights_ask(). */
static enum nq_status flight_join(struct flights *flights, struct waiter *waiter, const struct question *question,
                                  uint64_t hash, uint64_t seen)
{
    lock_assert(&flights->lock);
    assert(!waiter->flight);
    if (flights->closed) {
        (void)pending_end(&waiter->pending, NQ_CLOSED);
        return NQ_OK;
    }
    waiter->answer = seen == atomic_load(&flights->answered) ? NULL : cache_get(flights->cache, question->key);
    if (waiter->answer) {
        (void)pending_end(&waiter->pending, NQ_OK);
        return NQ_OK;
    }
    flights->stats.misses++;
    struct flight *flight = *bucket_of(flights, hash);
    while (flight && strcmp(flight->question->key, question->key) != 0)
        flight = flight->next;
    if (!flight)
        return NQ_NONE;
    add(flight, waiter);
    return NQ_AGAIN;
}

/* Under the lock: lists a new flight, with its first waiter. */
static void flight_list(struct flight *flight, struct waiter *waiter)
{
    struct flights *flights = flight->home;
    lock_assert(&flights->lock);
    assert(!flight->listed && !flight->waiters);
    struct flight **bucket = bucket_of(flights, flight->hash);
    flight->listed = true;
    flight->next = *bucket;
    *bucket = flight;
    flights->stats.started++;
    flights->stats.running++;
    add(flight, waiter);
}

/* ---- Not under the lock ---- */

/* Of a flight that is pinned, or completing on this thread: a work may take locks to find out. */
static struct progress progress_of(struct flight *flight)
{
    struct work *work = flight->work;
    struct progress progress = {0};
    if (work && work->class->progress)
        work->class->progress(work, &progress);
    progress.took_off = atomic_load(&flight->took_off);
    return progress;
}

/* Wakes waiters that are on no flight any more, and gives up the flight's references to them. */
static void waiters_wake(struct waiter *waiters)
{
    lock_none_held();
    while (waiters) {
        struct waiter *waiter = waiters;
        assert(!waiter->flight); /* a flight that has it would wake it once more */
        waiters = waiter->next;
        pending_notify(&waiter->pending); /* may end the caller's reference */
        pending_unref(&waiter->pending);
    }
}

void flights_keep(struct flights *flights, const char *key, struct answer *answer)
{
    cache_put(flights->cache, key, answer);
    atomic_fetch_add(&flights->answered, 1);
}

/* The flight is over: its answer, or why there is none, goes to all who wait. */
static void complete(struct flight *flight)
{
    enum nq_status status = (enum nq_status)atomic_load(&flight->failure);
    struct flights *flights = flight->home;
    struct answer *answer = NULL;
    struct work *work = flight->work;
    if (status == NQ_OK)
        status = work->class->finish(work, &answer);
    const struct fault *fault = status == NQ_OK               ? &no_fault
                                : work && work->fault.text[0] ? &work->fault
                                                              : &flight->fault;
    const struct progress progress = progress_of(flight);
    if (status == NQ_OK && answer->complete)
        flights_keep(flights, flight->question->key, answer);
    lock_take(&flights->lock);
    unlist(flight);
    flights->stats.running--;
    struct waiter *waiters = detach_all(flight, status, fault);
    lock_release(&flights->lock);
    for (struct waiter *waiter = waiters; waiter; waiter = waiter->next) {
        waiter->progress = progress;
        waiter->answer = status == NQ_OK ? answer_ref(answer) : NULL;
    }
    if (work)
        work->class->close(work);
    answer_unref(answer); /* after the work, which may look into what it has given away */
    question_unref(flight->shared);
    free(flight);
    waiters_wake(waiters);
}

/* A task has failed: the flight has no answer. */
static void flight_fail(struct flight *flight, enum nq_status status)
{
    assert(status != NQ_OK && status != NQ_AGAIN); /* it would count as an answer */
    int none = NQ_OK;
    atomic_compare_exchange_strong(&flight->failure, &none, (int)status);
}

/* A task has ended. The last one completes the flight: frees it, and wakes its waiters. */
static void flight_leave(struct flight *flight)
{
    assert(atomic_load(&flight->flying) > 0);
    if (atomic_fetch_sub(&flight->flying, 1) == 1)
        complete(flight);
}

/* A flight that is to stop comes to its end: its tasks leave their queues, or go on if they were set aside. The caller
 * keeps it from completing. */
static void flight_hurry(struct flight *flight)
{
    for (unsigned i = 0; i < flight->home->tasks && atomic_load(&flight->stop); i++)
        pool_hurry(&flight->tasks[i].pooled);
}

static bool end(struct pool_task *pooled, const struct slice *slice)
{
    struct flight *flight = ((struct flight_task *)pooled)->flight;
    (void)slice;
    complete(flight);
    return false;
}

/* Ends a pin. If all tasks have ended meanwhile, a thread of the pool completes the flight: that may take long, and the
 * calling thread may be the one that serves all clients. */
static void unpin(struct flight *flight)
{
    flight_hurry(flight);
    if (atomic_fetch_sub(&flight->flying, 1) != 1)
        return;
    flight->end = (struct flight_task){.pooled = {.run = end, .turn.client = flight->question->principal.client},
                                       .flight = flight};
    if (!pool_add_hurried(flight->home->pool, &flight->end.pooled))
        complete(flight);
}

/* Wakes waiters that detach() took off a flight, which it returned. */
static void let_go(struct waiter *waiters, struct flight *flight)
{
    if (flight) {
        const struct progress progress = progress_of(flight);
        for (struct waiter *waiter = waiters; waiter; waiter = waiter->next)
            waiter->progress = progress;
        unpin(flight);
    }
    waiters_wake(waiters);
}

static bool waits(const struct waiter *waiter)
{
    lock_take(&waiter->home->lock);
    const bool waits = waiter->flight;
    lock_release(&waiter->home->lock);
    return waits;
}

/* Takes one waiter off its flight, for a reason other than an answer. The last one out stops the search. */
static void waiter_cancel(struct pending *pending, enum nq_status why)
{
    struct waiter *waiter = (struct waiter *)pending;
    struct flights *flights = waiter->home;
    if (why == NQ_TIMEOUT && waiter->on_timeout) {
        if (!waits(waiter))
            return; /* what it waited for has come */
        if (atomic_exchange(&waiter->on_timeout->used, true))
            return; /* another thread cancels it */
        lock_none_held();
        why = waiter->on_timeout->stay(waiter->on_timeout);
    }
    lock_take(&flights->lock);
    const bool waited = waiter->flight;
    struct flight *flight = waited ? detach(waiter, why, &no_fault) : NULL;
    lock_release(&flights->lock);
    if (waited)
        let_go(waiter, flight);
}

static void waiter_free(struct pending *pending)
{
    struct waiter *waiter = (struct waiter *)pending;
    answer_unref(waiter->answer);
    if (waiter->on_timeout)
        waiter->on_timeout->free(waiter->on_timeout);
    free(waiter);
}

/* The search may have begun before the waiter asked: another one may share it. */
static void waiter_spent(const struct pending *pending, struct spent *spent)
{
    const struct waiter *waiter = (const struct waiter *)pending;
    const uint64_t took_off = waiter->progress.took_off, asked = waiter->asked;
    *spent = (struct spent){.searched = took_off,
                            .took_off = took_off,
                            .waited = took_off > asked ? took_off - asked : 0,
                            .idled = took_off ? waiter->idled : 0,
                            .cost = waiter->cost};
}

static const struct pending_class waiter_class = {.cancel = waiter_cancel, .free = waiter_free, .spent = waiter_spent};

/* A waiter with two references: the caller's, and that of the flight or of the wake. NULL: out of memory. */
static struct waiter *waiter_new(struct flights *flights, const struct principal *principal,
                                 const struct asking *asking)
{
    assert(asking->wake);
    struct waiter *waiter = malloc(sizeof *waiter);
    if (waiter)
        *waiter = (struct waiter){.pending = PENDING_ONCE(&waiter_class, asking->wake, asking->who),
                                  .home = flights,
                                  .principal = *principal,
                                  .asked = clock_now(),
                                  .on_timeout = asking->on_timeout};
    return waiter;
}

/* The work is open: cancels the waiter if its principal cannot afford the work, or if it waits for nothing more. */
static void waiter_screen(struct waiter *waiter)
{
    struct flight *flight = NULL;
    lock_take(&waiter->home->lock);
    const bool refused = waiter->flight && too_dear(waiter, waiter->flight->work, &flight);
    lock_release(&waiter->home->lock);
    if (refused)
        let_go(waiter, flight);
    else if (waiter->on_timeout && waiter->on_timeout->at_once)
        waiter_cancel(&waiter->pending, NQ_TIMEOUT);
}

/* A waiter that waits for nothing more than that the work is open, with a reference; NULL: there is none. */
static struct waiter *next_at_once(struct flight *flight)
{
    struct flights *flights = flight->home;
    lock_take(&flights->lock);
    struct waiter *waiter = flight->waiters;
    while (waiter && !(waiter->on_timeout && waiter->on_timeout->at_once && !atomic_load(&waiter->on_timeout->used)))
        waiter = waiter->next;
    if (waiter)
        pending_ref(&waiter->pending);
    lock_release(&flights->lock);
    return waiter;
}

/* The same for all waiters on a flight. */
static void flight_screen(struct flight *flight)
{
    struct waiter *refused = NULL;
    struct flight *pinned = NULL;
    if (!atomic_load(&flight->conditional))
        return;
    lock_take(&flight->home->lock);
    for (struct waiter *waiter = flight->waiters, *next; waiter; waiter = next) {
        next = waiter->next;
        if (too_dear(waiter, flight->work, &pinned)) {
            waiter->next = refused;
            refused = waiter;
        }
    }
    lock_release(&flight->home->lock);
    for (struct waiter *waiter = refused, *next; waiter; waiter = next) {
        next = waiter->next;
        waiter->next = NULL;
        let_go(waiter, pinned); /* a pin each */
    }
    for (struct waiter *waiter; (waiter = next_at_once(flight));) {
        waiter_cancel(&waiter->pending, NQ_TIMEOUT);
        pending_unref(&waiter->pending);
    }
}

/* ---- What all flights can be asked ---- */

struct answer *flights_peek(struct flights *flights, const char *key, uint64_t *seen)
{
    const uint64_t answered = atomic_load(&flights->answered); /* first: what comes while it looks must change it */
    struct answer *answer = cache_get(flights->cache, key);
    *seen = answer ? 0 : answered;
    return answer;
}

bool flights_progress(struct flights *flights, const struct waiter *waiter, struct progress *progress)
{
    *progress = (struct progress){0};
    lock_take(&flights->lock);
    struct flight *flight = waiter->flight && pin(waiter->flight) ? waiter->flight : NULL;
    lock_release(&flights->lock);
    if (!flight)
        return false;
    *progress = progress_of(flight);
    unpin(flight);
    return progress->took_off;
}

void flights_close(struct flights *flights)
{
    if (!flights)
        return;
    for (size_t i = 0; i < BUCKETS;) { /* nothing is added to what is closed */
        struct waiter *waiters = NULL;
        bool pinned = false;
        lock_take(&flights->lock);
        flights->closed = true;
        struct flight *flight = flights->bucket[i];
        if (flight) {
            cancel(flight);
            waiters = detach_all(flight, NQ_CLOSED, &no_fault);
            pinned = pin(flight);
        }
        lock_release(&flights->lock);
        let_go(waiters, pinned ? flight : NULL);
        i += !flight;
    }
}

/* Of one core. */
static double seconds_left(struct flight *flight)
{
    const struct work *work = flight->work;
    const struct progress progress = progress_of(flight);
    return progress.weight ? work->seconds * (1 - (double)progress.weight_done / (double)progress.weight)
                           : work->seconds;
}

/* Of all lengthy works that somebody waits for; 0 when memory is out. */
static double all_seconds_left(struct flights *flights)
{
    double seconds = 0;
    size_t count = 0;
    lock_take(&flights->lock);
    struct flight **pinned = calloc(flights->stats.running + 1, sizeof(struct flight *));
    for (size_t i = 0; i < BUCKETS && pinned; i++)
        for (struct flight *flight = flights->bucket[i]; flight; flight = flight->next) {
            const struct work *work = flight->waiters ? flight->work : NULL;
            if (work && work->lengthy && pin(flight))
                pinned[count++] = flight;
        }
    lock_release(&flights->lock);
    for (size_t i = 0; i < count; i++) {
        seconds += seconds_left(pinned[i]);
        unpin(pinned[i]);
    }
    free(pinned);
    return seconds;
}

struct flight_stats flights_stats(struct flights *flights)
{
    const double seconds = all_seconds_left(flights);
    lock_take(&flights->lock);
    struct flight_stats stats = flights->stats;
    lock_release(&flights->lock);
    stats.lengthy_seconds = seconds;
    stats.cache = cache_stats(flights->cache);
    return stats;
}

struct flights *flights_new(struct pool *pool, size_t cache_bytes, unsigned tasks, flight_opener open, void *context)
{
    struct flights *flights = calloc(1, sizeof *flights);
    struct cache *cache = cache_new(cache_bytes);
    if (!flights || !cache) {
        free(flights);
        cache_free(cache);
        return NULL;
    }
    *flights =
        (struct flights){.cache = cache, .answered = 1, .pool = pool, .tasks = tasks, .open = open, .context = context};
    lock_init(&flights->lock, LOCK_FLIGHTS);
    return flights;
}

void flights_free(struct flights *flights)
{
    if (!flights)
        return;
    cache_free(flights->cache);
    lock_destroy(&flights->lock);
    free(flights);
}

/* ---- Tasks ---- */

/* Task 0, first slice. */
static enum nq_status open_work(struct flight *flight, struct meter *meter)
{
    atomic_store(&flight->took_off, clock_now());
    meter_begin(meter, question_algorithm(flight->question));
    struct flights *flights = flight->home;
    struct work *work = NULL;
    const enum nq_status status =
        flights->open(flights->context, flight->question, &flight->stop, &flight->fault, &work);
    if (status != NQ_OK)
        return status;
    assert(work); /* NQ_OK says so */
    flight->fault.text[0] = '\0';
    flight->work = work; /* a waiter that joins from here on is screened by its own thread */
    flight_screen(flight);
    return NQ_OK;
}

/* Task 0: prepares the work and starts the other tasks. */
static enum nq_status spread(struct flight *flight)
{
    struct work *work = flight->work;
    if (work->class->prepare) {
        const enum nq_status status = work->class->prepare(work, &flight->stop);
        if (status != NQ_OK)
            return status;
    }
    flight->spread = true;
    const unsigned tasks = work->tasks;
    assert(tasks >= 1 && tasks <= flight->home->tasks); /* the flight has no more */
    atomic_fetch_add(&flight->flying, tasks - 1);
    for (unsigned i = 1; i < tasks; i++) {
        flight->tasks[i].pooled.turn.expected = flight->tasks[0].pooled.turn.expected;
        if (!pool_add(flight->home->pool, &flight->tasks[i].pooled))
            atomic_fetch_sub(&flight->flying, 1); /* the pool is stopping, and so is this flight */
    }
    for (unsigned i = 1; i < tasks && atomic_load(&flight->stop); i++)
        pool_hurry(&flight->tasks[i].pooled); /* the flight was cancelled before they were added */
    return NQ_OK;
}

/* The cost of a task's slice, and how long it waited in and before it, go to the flight. */
static void account(struct flight *flight, struct pool_task *pooled, const struct meter *meter)
{
    const unsigned tasks = flight->spread ? flight->work->tasks : 1;
    atomic_fetch_add(&flight->idled, pooled->idled / tasks);
    pooled->idled = 0;
    const struct cost cost = meter_read(meter);
    atomic_fetch_add(&flight->nodes, cost.nodes);
    atomic_fetch_add(&flight->worked, cost.nanoseconds);
}

/* A task of work that is known to take long waits behind shorter ones of its client from now on: a kernel cannot be
 * left at will, so that many long tasks which had begun would hold all the threads. False: it does so already. */
static bool wait_behind_shorter(struct pool_task *pooled, const struct work *work)
{
    const double seconds = work->seconds < 1 ? 1 : work->seconds < 1e6 ? work->seconds : 1e6;
    if (!work->lengthy || pooled->turn.expected)
        return false;
    pooled->turn.expected = (uint64_t)(seconds * CLOCK_SECOND);
    return true;
}

/* One slice of one task. */
static bool fly(struct pool_task *pooled, const struct slice *slice)
{
    struct flight *flight = ((struct flight_task *)pooled)->flight;
    enum nq_status status = atomic_load(&flight->stop) ? NQ_CANCELLED : NQ_OK;
    if (status == NQ_OK && !flight->work) {
        status = open_work(flight, slice->meter);
        if (status == NQ_OK && atomic_load(&flight->stop))
            status = NQ_CANCELLED;
    }
    struct work *work = flight->work;
    if (status == NQ_OK && wait_behind_shorter(pooled, work))
        status = NQ_AGAIN;
    if (status == NQ_OK && !flight->spread && clock_now() < slice->deadline)
        status = spread(flight);
    meter_by(slice->meter, question_algorithm(flight->question));
    if (status == NQ_OK) /* opening or preparing it may have taken the slice */
        status = clock_now() < slice->deadline ? work->class->slice(work, slice, &flight->stop) : NQ_AGAIN;
    account(flight, pooled, slice->meter);
    if (status == NQ_AGAIN)
        return true;
    if (status != NQ_OK) {
        flight_fail(flight, status);
        atomic_store(&flight->stop, true); /* the other tasks need not go on */
    }
    flight_leave(flight);
    return false;
}

/* ---- Asking ---- */

static struct flight *flight_new(struct flights *flights, struct shared_question *question, uint64_t hash)
{
    struct flight *flight = calloc(1, sizeof *flight + flights->tasks * sizeof flight->tasks[0]);
    if (!flight)
        return NULL;
    flight->shared = question_ref(question);
    flight->question = &question->question;
    flight->home = flights;
    flight->hash = hash;
    flight->flying = 1;
    for (unsigned i = 0; i < flights->tasks; i++)
        flight->tasks[i] = (struct flight_task){
            .pooled = {.run = fly, .turn.client = flight->question->principal.client}, .flight = flight};
    return flight;
}

/* Task 0 waits for a thread, perhaps after a first slice on the thread that asks. */
static void start(struct flight *flight, bool admitted)
{
    struct flights *flights = flight->home;
    if ((admitted ? pool_add : pool_try_add)(flights->pool, &flight->tasks[0].pooled))
        return;
    lock_take(&flights->lock);
    flights->stats.refused++;
    lock_release(&flights->lock);
    flight_fail(flight, NQ_BUSY);
    atomic_store(&flight->stop, true); /* that slice may have started the other tasks */
    flight_hurry(flight);
    flight_leave(flight);
}

/* A brief question is begun on the thread that asks: to wake another one, and be woken by it, takes as long when
 * nothing else runs, and many times as long when all processors are taken. That thread serves all clients, so no more
 * than a quarter of its time goes there, after a pause a little more; what comes beyond that waits for a thread of the
 * pool. False: there is more to do. */
static bool answer_here(struct flight *flight)
{
    enum { SLICE_NS = 50 * 1000, SHARE = 4, PAUSE_NS = 10 * 1000 * 1000 };
    struct flights *flights = flight->home;
    const uint64_t begin = clock_now(), from = atomic_load(&flights->brief_at);
    if (begin < from)
        return false;
    const bool more = pool_begin_here(flights->pool, &flight->tasks[0].pooled, SLICE_NS);
    const uint64_t earliest = from + PAUSE_NS > begin ? from : begin - PAUSE_NS;
    atomic_store(&flights->brief_at, earliest + SHARE * (clock_now() - begin));
    return !more;
}

struct waiter *flights_ask(struct flights *flights, struct shared_question *question, const struct asking *asking)
{
    struct waiter *waiter = waiter_new(flights, &question->question.principal, asking);
    struct flight *fresh = NULL;
    if (!waiter)
        return NULL;
    const uint64_t hash = cache_hash(flights->cache, question->question.key);
    lock_take(&flights->lock);
    enum nq_status status = flight_join(flights, waiter, &question->question, hash, asking->seen);
    if (status == NQ_NONE && (fresh = flight_new(flights, question, hash))) {
        flight_list(fresh, waiter);
        status = NQ_AGAIN;
    }
    const bool screen = status == NQ_AGAIN && waiter->flight->work && waiter_conditional(waiter);
    lock_release(&flights->lock);
    if (status == NQ_NONE) {
        free(waiter);
        return NULL;
    }
    if (status == NQ_OK)
        waiters_wake(waiter);
    else if (screen)
        waiter_screen(waiter);
    else if (fresh && !(asking->brief && answer_here(fresh)))
        start(fresh, asking->admitted);
    return waiter;
}

uint64_t flights_hash(const struct flights *flights, const char *key)
{
    return cache_hash(flights->cache, key);
}

bool flights_run(struct flights *flights, struct pool_task *task)
{
    return pool_add(flights->pool, task);
}

#ifdef CHECKS
static void check_flight(struct flight *flight)
{
    const struct flight *same = *bucket_of(flight->home, flight->hash);
    while (same && strcmp(same->question->key, flight->question->key) != 0)
        same = same->next;
    assert(same == flight);                    /* in its bucket, and the only one of its key there */
    assert(flight->listed && flight->waiters); /* the last waiter out takes it off the list */
    assert(flight->question == &flight->shared->question);
    for (const struct waiter *waiter = flight->waiters; waiter; waiter = waiter->next) {
        assert(waiter->flight == flight && waiter->home == flight->home);
        assert(atomic_load(&waiter->pending.references) >= 1 && atomic_load(&waiter->pending.armed));
        assert(pending_status(&waiter->pending) == NQ_AGAIN && !waiter->answer); /* it gets both when it leaves */
        assert(!waiter_conditional(waiter) || atomic_load(&flight->conditional));
    }
}

void flights_check(struct flights *flights)
{
    size_t listed = 0;
    if (!lock_take_to_check(&flights->lock))
        return;
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct flight *flight = flights->bucket[i]; flight; flight = flight->next, listed++) {
            assert(flight->home == flights && listed < flights->stats.running);
            check_flight(flight);
        }
    assert(atomic_load(&flights->answered) >= 1);
    assert(flights->stats.misses >= flights->stats.started && flights->stats.started >= flights->stats.cancelled);
    cache_check(flights->cache);
    lock_release(&flights->lock);
}
#endif
