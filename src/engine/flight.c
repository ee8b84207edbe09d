/* flight.c - who waits for which search. One lock guards the cache, the list of flights and the tickets on them: being
 * on a flight's list is the right to be woken, so whoever takes a ticket off it is the one who wakes. The lock is never
 * held while anything is searched, woken or handed to the pool. */
#include "engine/flight.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

struct lane {
    struct pool_task task;
    struct flight *flight;
};

struct flight {
    struct flights *home;
    struct flight *next;
    struct ticket *tickets;
    bool listed;  /* still to be joined */
    bool counted; /* one of figures.running */
    struct question question;
    struct work *_Atomic work;   /* opened by lane 0, before the others start */
    struct pool *pool;           /* where it goes on */
    bool spread;                 /* the other lanes have started, if there are any */
    char why[WORK_WHY_MAX];      /* there is none. Under the lock */
    atomic_ullong took_off;      /* clock_now(), 0 before */
    atomic_ullong nodes, worked; /* what all lanes have cost so far */
    atomic_bool stop;
    atomic_int failure; /* the first enum nq_status but NQ_OK of a lane */
    atomic_uint flying; /* lanes that have not ended */
    struct lane lanes[];
};

struct flights {
    pthread_mutex_t lock;
    struct cache *cache;
    struct flight *list;
    struct flight_figures figures;
    bool closed;
    struct pool *pool, *lengthy;
    unsigned lanes;
    flight_opener open;
    void *context;
};

struct flights *flights_new(struct pool *pool, struct pool *lengthy, size_t cache_bytes, unsigned lanes,
                            flight_opener open, void *context)
{
    struct flights *flights = calloc(1, sizeof *flights);
    struct cache *cache = cache_new(cache_bytes);
    if (!flights || !cache) {
        free(flights);
        free(cache);
        return NULL;
    }
    *flights = (struct flights){
        .cache = cache, .pool = pool, .lengthy = lengthy, .lanes = lanes, .open = open, .context = context};
    pthread_mutex_init(&flights->lock, NULL);
    return flights;
}

void flights_free(struct flights *flights)
{
    cache_free(flights->cache);
    pthread_mutex_destroy(&flights->lock);
    free(flights);
}

/* ---- Under the lock ---- */

static void unlist(struct flight *flight)
{
    struct flight **at = &flight->home->list;
    if (!flight->listed)
        return;
    while (*at != flight)
        at = &(*at)->next;
    *at = flight->next;
    flight->listed = false;
}

static void read_progress(struct flight *flight, struct progress *progress)
{
    struct work *work = flight->work;
    *progress = (struct progress){0};
    if (work && work->class->progress)
        work->class->progress(work, progress);
    progress->took_off = atomic_load(&flight->took_off);
}

/* A ticket is no longer waiting. */
static void take_leave(struct ticket *ticket, enum nq_status status)
{
    struct flight *flight = ticket->flight;
    read_progress(flight, &ticket->progress);
    ticket->cost = (struct cost){.nodes = atomic_load(&flight->nodes), .nanoseconds = atomic_load(&flight->worked)};
    memcpy(ticket->why, flight->why, sizeof ticket->why);
    ticket->status = status;
    ticket->flight = NULL;
}

/* Takes all tickets off a flight, with what they get; the caller wakes them after unlocking. */
static struct ticket *take_tickets(struct flight *flight, enum nq_status status, struct answer *answer)
{
    struct ticket *tickets = flight->tickets;
    flight->tickets = NULL;
    for (struct ticket *ticket = tickets; ticket; ticket = ticket->next) {
        take_leave(ticket, status);
        ticket->answer = status == NQ_OK ? answer_ref(answer) : NULL;
    }
    return tickets;
}

/* ---- Not under the lock ---- */

/* The waker's reference keeps the list whole while the woken end their tickets. */
static void wake_all(struct ticket *tickets)
{
    while (tickets) {
        struct ticket *ticket = tickets;
        tickets = ticket->next;
        ticket->wake(ticket->who);
        party_unref(&ticket->party);
    }
}

static void flight_free(struct flight *flight)
{
    struct work *work = flight->work;
    if (work)
        work->class->close(work);
    question_free(&flight->question);
    free(flight);
}

/* The flight is over: its answer, or why there is none, goes to all who wait. */
static void land(struct flight *flight, enum nq_status status)
{
    struct flights *flights = flight->home;
    struct answer *answer = NULL;
    struct work *work = flight->work;
    if (status == NQ_OK)
        status = work->class->finish(work, &answer);
    pthread_mutex_lock(&flights->lock);
    if (status != NQ_OK && work && work->why)
        (void)snprintf(flight->why, sizeof flight->why, "%s", work->why);
    if (status == NQ_OK && answer->complete)
        cache_put(flights->cache, flight->question.key, answer);
    unlist(flight);
    flights->figures.running -= flight->counted;
    struct ticket *tickets = take_tickets(flight, status, answer);
    pthread_mutex_unlock(&flights->lock);
    answer_unref(answer);
    flight_free(flight);
    wake_all(tickets);
}

static bool fly(struct pool_task *task, const struct slice *slice);

/* Under the lock: takes one ticket off its flight, with more about why; the caller wakes it. The last one out stops the
 * search. */
static void get_off(struct ticket *ticket, enum nq_status status, const char *why)
{
    struct flight *flight = ticket->flight;
    struct ticket **at = &flight->tickets;
    while (*at != ticket)
        at = &(*at)->next;
    *at = ticket->next;
    ticket->next = NULL;
    take_leave(ticket, status);
    if (*why)
        (void)snprintf(ticket->why, sizeof ticket->why, "%s", why);
    if (!flight->tickets) {
        atomic_store(&flight->stop, true);
        unlist(flight);
        flight->home->figures.cancelled++;
    }
}

/* Under the lock: takes a ticket off whose asker may not have what the work takes, and says so. */
static bool too_dear(struct ticket *ticket, const struct work *work)
{
    char why[WORK_WHY_MAX];
    if (asker_affords(&ticket->asker, work->seconds))
        return false;
    (void)snprintf(why, sizeof why, "It would take about %.3g seconds of one core; whoever asks may have %.3g.",
                   work->seconds, ticket->asker.seconds);
    get_off(ticket, NQ_DENIED, why);
    return true;
}

/* The work is open: those go who may not have it, others may stay for it. */
static void screen(struct flight *flight)
{
    struct ticket *refused = NULL;
    pthread_mutex_lock(&flight->home->lock);
    for (struct ticket *ticket = flight->tickets, *next; ticket; ticket = next) {
        next = ticket->next;
        if (too_dear(ticket, flight->work)) {
            ticket->next = refused;
            refused = ticket;
        }
    }
    pthread_mutex_unlock(&flight->home->lock);
    wake_all(refused);
}

/* A ticket that waits for nothing more than that the work is open, with a reference; NULL: there is none. */
static struct ticket *next_at_once(struct flight *flight)
{
    struct flights *flights = flight->home;
    pthread_mutex_lock(&flights->lock);
    struct ticket *ticket = flight->tickets;
    while (ticket && !(ticket->outlast && ticket->outlast->at_once && !atomic_load(&ticket->outlast->used)))
        ticket = ticket->next;
    if (ticket)
        party_ref(&ticket->party);
    pthread_mutex_unlock(&flights->lock);
    return ticket;
}

/* Lane 0, first slice: opens the work, and tells those whom this is enough. */
static enum nq_status take_off(struct flight *flight, struct meter *meter)
{
    atomic_store(&flight->took_off, clock_now());
    meter_begin(meter, question_algorithm(&flight->question));
    struct flights *flights = flight->home;
    struct work *work = NULL;
    char why[WORK_WHY_MAX] = "";
    const enum nq_status status = flights->open(flights->context, &flight->question, &flight->stop, why, &work);
    if (status != NQ_OK) {
        pthread_mutex_lock(&flights->lock);
        memcpy(flight->why, why, sizeof why);
        pthread_mutex_unlock(&flights->lock);
        return status;
    }
    flight->work = work; /* from here on, who comes sees to it alone */
    flight->pool = work->lengthy ? flights->lengthy : flights->pool;
    screen(flight);
    for (struct ticket *ticket; (ticket = next_at_once(flight));) {
        ticket->party.dismiss(&ticket->party, NQ_TIMEOUT);
        party_unref(&ticket->party);
    }
    return NQ_OK;
}

/* Lane 0: prepares the work and starts the other lanes. */
static enum nq_status spread(struct flight *flight)
{
    struct work *work = flight->work;
    if (work->class->prepare) {
        const enum nq_status status = work->class->prepare(work, &flight->stop);
        if (status != NQ_OK)
            return status;
    }
    flight->spread = true;
    const unsigned lanes = work->lanes;
    atomic_store(&flight->flying, lanes);
    for (unsigned i = 1; i < lanes; i++) {
        flight->lanes[i] =
            (struct lane){.task = {.run = fly, .client = flight->question.asker.client}, .flight = flight};
        if (!pool_add(flight->pool, &flight->lanes[i].task))
            atomic_fetch_sub(&flight->flying, 1); /* the pool is stopping, and so is this flight */
    }
    return NQ_OK;
}

/* What a lane has done in a slice goes to the flight's account. */
static void account(struct flight *flight, const struct meter *meter)
{
    const struct cost cost = meter_read(meter);
    atomic_fetch_add(&flight->nodes, cost.nodes);
    atomic_fetch_add(&flight->worked, cost.nanoseconds);
}

/* One slice of one lane. */
static bool fly(struct pool_task *task, const struct slice *slice)
{
    struct lane *lane = (struct lane *)task;
    struct flight *flight = lane->flight;
    enum nq_status status = atomic_load(&flight->stop) ? NQ_CANCELLED : NQ_OK;
    if (status == NQ_OK && !flight->work) {
        status = take_off(flight, slice->meter);
        if (status == NQ_OK && flight->pool != flight->home->pool) {
            account(flight, slice->meter);
            if (pool_add(flight->pool, task))
                return false; /* it is there now */
            status = NQ_CLOSED;
        }
    }
    struct work *work = flight->work;
    if (status == NQ_OK && !flight->spread)
        status = spread(flight);
    meter_by(slice->meter, question_algorithm(&flight->question));
    if (status == NQ_OK)
        status = work->class->slice(work, slice, &flight->stop);
    account(flight, slice->meter);
    if (status == NQ_AGAIN)
        return true;
    if (status != NQ_OK) {
        int none = NQ_OK;
        atomic_compare_exchange_strong(&flight->failure, &none, (int)status);
        atomic_store(&flight->stop, true); /* the other lanes need not go on */
    }
    if (atomic_fetch_sub(&flight->flying, 1) == 1)
        land(flight, (enum nq_status)atomic_load(&flight->failure));
    return false;
}

static bool waits(const struct ticket *ticket)
{
    pthread_mutex_lock(&ticket->home->lock);
    const bool waits = ticket->flight;
    pthread_mutex_unlock(&ticket->home->lock);
    return waits;
}

/* Takes one ticket off its flight, for a reason other than an answer. The last one out stops the search. */
static void dismiss(struct party *party, enum nq_status why)
{
    struct ticket *ticket = (struct ticket *)party;
    struct flights *flights = ticket->home;
    if (why == NQ_TIMEOUT && ticket->outlast) {
        if (!waits(ticket))
            return; /* what it waited for has come */
        if (atomic_exchange(&ticket->outlast->used, true))
            return; /* another thread is about it */
        why = ticket->outlast->stay(ticket->outlast);
    }
    pthread_mutex_lock(&flights->lock);
    const bool waited = ticket->flight;
    if (waited)
        get_off(ticket, why, "");
    pthread_mutex_unlock(&flights->lock);
    if (waited)
        wake_all(ticket);
}

static void ticket_free(struct party *party)
{
    struct ticket *ticket = (struct ticket *)party;
    answer_unref(ticket->answer);
    if (ticket->outlast)
        ticket->outlast->free(ticket->outlast);
    free(ticket);
}

struct answer *flights_peek(struct flights *flights, const char *key)
{
    pthread_mutex_lock(&flights->lock);
    struct answer *answer = cache_get(flights->cache, key);
    flights->figures.hits += answer != NULL;
    pthread_mutex_unlock(&flights->lock);
    return answer;
}

static struct flight *flight_new(struct flights *flights, const struct question *question)
{
    struct flight *flight = calloc(1, sizeof *flight + flights->lanes * sizeof flight->lanes[0]);
    if (flight && !question_copy(&flight->question, question)) {
        free(flight);
        flight = NULL;
    }
    if (flight) {
        flight->home = flights;
        flight->flying = 1;
        flight->lanes[0] =
            (struct lane){.task = {.run = fly, .client = flight->question.asker.client}, .flight = flight};
    }
    return flight;
}

static struct flight *find(const struct flights *flights, const char *key)
{
    struct flight *flight = flights->list;
    while (flight && strcmp(flight->question.key, key) != 0)
        flight = flight->next;
    return flight;
}

/* Under the lock: answers the ticket at once (false), or puts it on a flight, on `mine` if there is none yet. */
static bool board(struct flights *flights, struct ticket *ticket, const char *key, struct flight *mine)
{
    if (flights->closed) {
        ticket->status = NQ_CLOSED;
        return false;
    }
    ticket->answer = cache_get(flights->cache, key); /* it may have come since the peek */
    flights->figures.hits += ticket->answer != NULL;
    if (ticket->answer)
        return false;
    flights->figures.misses++;
    struct flight *flight = find(flights, key);
    if (!flight) {
        flight = mine;
        flight->listed = true;
        flight->counted = true;
        flight->next = flights->list;
        flights->list = flight;
        flights->figures.started++;
        flights->figures.running++;
    }
    ticket->flight = flight;
    ticket->next = flight->tickets;
    flight->tickets = ticket;
    return true;
}

struct ticket *flights_ask(struct flights *flights, const struct question *question, struct outlast *outlast,
                           bool admitted, party_wake wake, void *who)
{
    struct ticket *ticket = malloc(sizeof *ticket);
    struct flight *mine = ticket ? flight_new(flights, question) : NULL;
    if (!mine) {
        free(ticket);
        return NULL;
    }
    *ticket = (struct ticket){.party = {.references = 2, .dismiss = dismiss, .free = ticket_free},
                              .home = flights,
                              .status = NQ_OK,
                              .why = "",
                              .asker = question->asker,
                              .asked = clock_now(),
                              .wake = wake,
                              .who = who,
                              .outlast = outlast};
    pthread_mutex_lock(&flights->lock);
    bool waits = board(flights, ticket, question->key, mine);
    bool start = mine->listed;
    const struct work *work = waits ? ticket->flight->work : NULL;
    waits = waits && !(work && too_dear(ticket, work));
    const bool opened = waits && work && outlast && outlast->at_once;
    pthread_mutex_unlock(&flights->lock);
    if (!start)
        flight_free(mine);
    if (!waits)
        wake_all(ticket);
    else if (opened)
        ticket->party.dismiss(&ticket->party, NQ_TIMEOUT);
    else if (start && !(admitted ? pool_add : pool_try_add)(flights->pool, &mine->lanes[0].task)) {
        pthread_mutex_lock(&flights->lock);
        flights->figures.refused++;
        pthread_mutex_unlock(&flights->lock);
        land(mine, NQ_BUSY);
    }
    return ticket;
}

bool flights_progress(struct flights *flights, const struct ticket *ticket, struct progress *progress)
{
    *progress = (struct progress){0};
    pthread_mutex_lock(&flights->lock);
    if (ticket->flight) /* its work stays as long as the ticket is on the list */
        read_progress(ticket->flight, progress);
    pthread_mutex_unlock(&flights->lock);
    return progress->took_off;
}

void flights_close(struct flights *flights)
{
    pthread_mutex_lock(&flights->lock);
    flights->closed = true;
    struct ticket *all = NULL;
    for (struct flight *flight = flights->list; flight; flight = flights->list) {
        atomic_store(&flight->stop, true);
        unlist(flight);
        flights->figures.cancelled++;
        struct ticket *tickets = take_tickets(flight, NQ_CLOSED, NULL);
        for (struct ticket *next; tickets; tickets = next) {
            next = tickets->next;
            tickets->next = all;
            all = tickets;
        }
    }
    pthread_mutex_unlock(&flights->lock);
    wake_all(all);
}

struct flight_figures flights_figures(struct flights *flights)
{
    pthread_mutex_lock(&flights->lock);
    struct flight_figures figures = flights->figures;
    figures.cache = cache_figures(flights->cache);
    pthread_mutex_unlock(&flights->lock);
    return figures;
}
