/* flight.c - the search of a flight: task 0 opens and prepares its work, then all tasks carry it out, slice by slice.
 */
#include "engine/run/flight.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/run/flight_waiters.h"

struct flights *flights_new(struct pool *pool, struct pool *lengthy, size_t cache_bytes, unsigned tasks,
                            flight_opener open, void *context)
{
    struct flights *flights = calloc(1, sizeof *flights);
    struct cache *cache = cache_new(cache_bytes);
    if (!flights || !cache) {
        free(flights);
        cache_free(cache);
        return NULL;
    }
    *flights = (struct flights){.cache = cache,
                                .answered = 1,
                                .pool = pool,
                                .lengthy = lengthy,
                                .tasks = tasks,
                                .open = open,
                                .context = context};
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
    flight->pool = work->lengthy ? flights->lengthy : flights->pool;
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
    for (unsigned i = 1; i < tasks; i++)
        if (!pool_add(flight->pool, &flight->tasks[i].pooled))
            atomic_fetch_sub(&flight->flying, 1); /* the pool is stopping, and so is this flight */
    for (unsigned i = 1; i < tasks && atomic_load(&flight->stop); i++)
        pool_hurry(&flight->tasks[i].pooled); /* the flight was cancelled before they were added */
    return NQ_OK;
}

/* The cost of a task's slice goes to the flight. */
static void account(struct flight *flight, const struct meter *meter)
{
    const struct cost cost = meter_read(meter);
    atomic_fetch_add(&flight->nodes, cost.nodes);
    atomic_fetch_add(&flight->worked, cost.nanoseconds);
}

/* Task 0, which goes on in the other pool. False: that pool's queue is full. */
static bool move_on(struct flight *flight)
{
    struct pool_task *pooled = &flight->tasks[0].pooled;
    pooled->bounded = pooled->bounded && !atomic_load(&flight->admitted);
    atomic_fetch_add(&flight->flying, 1); /* or it might be over as soon as it is there */
    const bool moved = pool_move(flight->pool, pooled);
    if (moved && atomic_load(&flight->stop))
        pool_hurry(pooled);
    if (moved)
        flight_leave(flight);
    else
        atomic_fetch_sub(&flight->flying, 1);
    return moved;
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
        if (status == NQ_OK && flight->pool != flight->home->pool) {
            account(flight, slice->meter);
            if (move_on(flight))
                return false;
            status = NQ_BUSY; /* or both pools are stopping, and all waiters have been dismissed */
        }
    }
    struct work *work = flight->work;
    if (status == NQ_OK && !flight->spread && clock_now() < slice->deadline)
        status = spread(flight);
    meter_by(slice->meter, question_algorithm(flight->question));
    if (status == NQ_OK) /* opening or preparing it may have taken the slice */
        status = clock_now() < slice->deadline ? work->class->slice(work, slice, &flight->stop) : NQ_AGAIN;
    account(flight, slice->meter);
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

static struct flight *flight_new(struct flights *flights, struct shared_question *question)
{
    struct flight *flight = calloc(1, sizeof *flight + flights->tasks * sizeof flight->tasks[0]);
    if (!flight)
        return NULL;
    flight->shared = question_ref(question);
    flight->question = &question->question;
    flight->home = flights;
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
    lock_take(&flights->lock);
    enum nq_status status = flight_join(flights, waiter, &question->question, asking->seen);
    if (status == NQ_NONE && (fresh = flight_new(flights, question))) {
        flight_list(fresh, waiter);
        status = NQ_AGAIN;
    }
    if (status == NQ_AGAIN && asking->admitted)
        atomic_store(&waiter->flight->admitted, true);
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

bool flights_run(struct flights *flights, struct pool_task *task)
{
    return pool_add(flights->pool, task);
}

#ifdef CHECKS
/* Those that this many younger flights leave: the list is searched from its beginning, too. */
enum { COMPARED = 64 };

static void check_flight(const struct flight *flight)
{
    assert(flight->listed && flight->waiters); /* the last waiter out takes it off the list */
    assert(flight->question == &flight->shared->question);
    for (const struct waiter *waiter = flight->waiters; waiter; waiter = waiter->next) {
        assert(waiter->flight == flight && waiter->home == flight->home);
        assert(atomic_load(&waiter->cancellable.references) >= 1);
        assert(waiter->status == NQ_OK && !waiter->answer && waiter->wake); /* it gets both when it leaves */
        assert(!waiter_conditional(waiter) || atomic_load(&flight->conditional));
    }
}

void flights_check(struct flights *flights)
{
    size_t listed = 0;
    if (!lock_take_to_check(&flights->lock))
        return;
    for (const struct flight *flight = flights->list; flight; flight = flight->next, listed++) {
        assert(flight->home == flights && listed < flights->stats.running);
        check_flight(flight);
        const struct flight *same = listed < COMPARED ? flights->list : flight;
        while (same != flight && strcmp(same->question->key, flight->question->key) != 0)
            same = same->next;
        assert(same == flight);
    }
    assert(atomic_load(&flights->answered) >= 1);
    assert(flights->stats.misses >= flights->stats.started && flights->stats.started >= flights->stats.cancelled);
    cache_check(flights->cache);
    lock_release(&flights->lock);
}
#endif
