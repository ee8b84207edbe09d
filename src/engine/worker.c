/* worker.c - so many threads that take batches, and one that hears, is heard, and renews the leases of the others. The
 * lock guards the list of works and the leases; nothing is counted, stored or said under it. */
#include "engine/worker.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/process.h"
#include "base/stop.h"
#include "base/timed.h"
#include "count/counting.h"
#include "engine/slips.h"
#include "engine/units.h"
#include "engine/waits.h"

/* Milliseconds. */
enum {
    HEAR_MS = 100,
    SAY_MS = 2000,    /* that it is there */
    SILENT_MS = 7000, /* a work of which nothing is heard is over */
    TAKE_MS = 500,
    LATER_MS = 5000, /* a batch that cannot be carried out now */
};

/* Works of which it is known. */
enum { ERRANDS_MOST = 1000 };

/* A work that servers have told of. */
struct errand {
    struct errand *next;
    char id[QUEUE_ID_MAX + 1];
    struct work_slip slip;
    uint64_t heard;
    uint64_t later; /* clock_now(): it cannot be opened before that */
    bool stale;     /* another one has its id now */
    unsigned users;
    enum { SHUT, OPENING, OPEN, HOPELESS } state;
    struct counting *counting; /* OPEN */
};

struct hand {
    struct worker *worker;
    pthread_t thread;
    struct errand *errand; /* its own */
    struct intake *intake;
    struct lease *lease; /* under the lock */
};

struct worker {
    struct worker_options options;
    char id[17];
    struct plans *plans;
    pthread_mutex_t lock;
    pthread_cond_t turned; /* an errand is open, or a thread has ended */
    struct errand *list;
    struct worker_figures figures;
    unsigned ended;
    atomic_bool stopping, stop; /* no more batches; not even the ones under way */
    pthread_t talker;
    atomic_bool silent; /* the talker is to end */
    unsigned started;
    struct hand hands[];
};

static void pause_for(unsigned milliseconds)
{
    const struct timespec moment = {.tv_nsec = (long)(milliseconds * CLOCK_MILLISECOND)};
    nanosleep(&moment, NULL);
}

/* ---- Works ---- */

static void errand_free(struct errand *errand)
{
    if (errand->counting)
        counting_close(errand->counting);
    work_slip_free(&errand->slip);
    free(errand);
}

/* Under the lock. */
static struct errand *find(const struct worker *worker, const char *id)
{
    struct errand *errand = worker->list;
    while (errand && (errand->stale || strcmp(errand->id, id) != 0))
        errand = errand->next;
    return errand;
}

/* The same terms are still to be counted: a server that takes over may have more of them. */
static bool same_terms(const struct work_slip *one, const struct work_slip *other)
{
    bool same = one->terms == other->terms;
    for (size_t i = 0; same && i < one->terms; i++)
        same = one->term[i].term == other->term[i].term && strcmp(one->term[i].name, other->term[i].name) == 0;
    return same;
}

/* Under the lock; takes the slip over. One whose terms have changed is another work, and the old one is over. */
static void note(struct worker *worker, const char *id, struct work_slip *slip)
{
    struct errand *errand = find(worker, id);
    size_t count = 0;
    for (const struct errand *at = worker->list; at; at = at->next)
        count++;
    if (errand && !same_terms(&errand->slip, slip)) {
        errand->stale = true;
        errand = NULL;
    }
    if (errand || count >= ERRANDS_MOST || !(errand = calloc(1, sizeof *errand))) {
        work_slip_free(slip);
    } else {
        (void)snprintf(errand->id, sizeof errand->id, "%s", id);
        errand->slip = *slip;
        errand->next = worker->list;
        worker->list = errand;
    }
    if (errand)
        errand->heard = clock_now();
}

static bool is_over(const struct errand *errand)
{
    return errand->stale || timed_long_ago(errand->heard, SILENT_MS);
}

/* Takes those off the list that are over and that nobody is at. */
static void weed(struct worker *worker)
{
    struct errand *over = NULL;
    pthread_mutex_lock(&worker->lock);
    for (struct errand **at = &worker->list; *at;) {
        struct errand *errand = *at;
        if (errand->users || !is_over(errand)) {
            at = &errand->next;
            continue;
        }
        *at = errand->next;
        errand->next = over;
        over = errand;
    }
    pthread_mutex_unlock(&worker->lock);
    while (over) {
        struct errand *errand = over;
        over = errand->next;
        errand_free(errand);
    }
}

/* Which of its terms are not to be counted. */
static bool *terms_done(const struct errand *errand, const struct counting *counting)
{
    const size_t terms = counting_terms(counting);
    bool *done = malloc(terms + 1);
    for (size_t i = 0; done && i < terms; i++)
        done[i] = true;
    for (size_t i = 0; done && i < errand->slip.terms; i++) {
        const struct slip_term *term = &errand->slip.term[i];
        struct bytes name = {0};
        if (term->term < terms)
            counting_name(counting, term->term, &name);
        char *text = bytes_take(&name);
        if (text && strcmp(text, term->name) == 0)
            done[term->term] = false; /* otherwise this release counts it by other units */
        free(text);
    }
    return done;
}

/* Makes the plan, with its tables. */
static enum nq_status open_counting(struct worker *worker, struct errand *errand)
{
    const struct job_reopener *reopener = worker->options.reopener;
    struct question question;
    enum nq_status status = reopener->reopen(reopener->context, errand->slip.query, &question);
    if (status == NQ_OK)
        status = counting_open(&question.query, &errand->counting);
    reopener->release(&question);
    if (status != NQ_OK)
        return status;
    bool *done = terms_done(errand, errand->counting);
    status = done ? counting_prepare(errand->counting, done, plans_source(worker->plans), &worker->stop) : NQ_NOMEM;
    free(done);
    if (status == NQ_OK)
        return NQ_OK;
    counting_close(errand->counting);
    errand->counting = NULL;
    return status;
}

/* A work is opened by the first who is at it; the others wait. */
static bool open_errand(struct worker *worker, struct errand *errand)
{
    pthread_mutex_lock(&worker->lock);
    while (errand->state == OPENING)
        (void)timed_wait(&worker->turned, &worker->lock, timed_in(PAUSE_MS));
    const bool mine = errand->state == SHUT;
    if (mine)
        errand->state = OPENING;
    pthread_mutex_unlock(&worker->lock);
    if (mine) {
        const enum nq_status status = open_counting(worker, errand);
        pthread_mutex_lock(&worker->lock);
        errand->state = status == NQ_OK ? OPEN : status == NQ_INVALID || status == NQ_LIMIT ? HOPELESS : SHUT;
        errand->later = status == NQ_OK ? 0 : timed_in(LATER_MS);
        pthread_cond_broadcast(&worker->turned);
        pthread_mutex_unlock(&worker->lock);
        worker->options.tell(worker->options.who, status == NQ_OK ? "prepared" : "failed", errand->slip.query);
    }
    pthread_mutex_lock(&worker->lock);
    const bool open = errand->state == OPEN;
    pthread_mutex_unlock(&worker->lock);
    return open;
}

/* ---- A batch ---- */

static void report(struct worker *worker, const struct errand *errand, const struct report_slip *slip)
{
    struct bytes text = {0};
    report_slip_write(slip, &text);
    char *taken = bytes_take(&text);
    if (taken)
        (void)queue_say(worker->options.queue, QUEUE_REPORT, errand->id, taken); /* the store has it, too */
    free(taken);
}

/* What the store has of a unit. */
static enum nq_status look(struct worker *worker, const char *key, uint64_t *parts, uint64_t *nodes)
{
    struct bytes value = {0};
    nq_wide read = 0;
    enum nq_status status = store_get(worker->options.store, STORE_UNIT, key, &value);
    if (status == NQ_OK && !units_read_fact(value.data, value.size, &read, nodes))
        status = NQ_NONE;
    *parts = (uint64_t)read;
    bytes_free(&value);
    return status;
}

/* Stores a result, as soon as there is a broker to store it; what another has stored before must be the same. */
static enum nq_status keep(struct worker *worker, const char *key, struct report_slip *slip)
{
    char value[UNIT_FACT_MAX];
    uint64_t parts, nodes;
    enum nq_status status;
    units_fact(slip->parts, slip->nodes, value);
    const struct store_fact fact = {.kind = STORE_UNIT, .key = key, .value = value, .size = strlen(value)};
    while ((status = store_add(worker->options.store, &fact)) == NQ_BROKEN && !stop_wanted(&worker->stop))
        pause_for(PAUSE_MS);
    if (status != NQ_DENIED)
        return status;
    pthread_mutex_lock(&worker->lock);
    worker->figures.refused++;
    pthread_mutex_unlock(&worker->lock);
    if (look(worker, key, &parts, &nodes) == NQ_OK && parts != slip->parts)
        slip->report = SLIP_DIFFERS;
    return NQ_OK;
}

static enum nq_status count_it(const struct worker *worker, const struct errand *errand, const struct slip_place *place,
                               struct unit_result *result)
{
    const struct counting *counting = errand->counting;
    const struct kernel *kernel = worker->options.kernel;
    const size_t unit = counting_first(counting, place->term) + place->unit;
    return place->piece == UNIT_WHOLE
               ? counting_count(counting, unit, kernel, &worker->stop, result)
               : counting_count_piece(counting, unit, place->piece, kernel, &worker->stop, result);
}

/* audit: it is only to be compared. again: somebody may have counted it before. */
static enum nq_status count_unit(struct worker *worker, const struct errand *errand, const struct slip_place *place,
                                 bool audit, bool again)
{
    struct report_slip slip = {.report = audit ? SLIP_CHECKED : SLIP_COUNTED, .place = *place};
    const uint64_t since = clock_now();
    struct unit_result result;
    struct bytes name = {0};
    memcpy(slip.worker, worker->id, sizeof worker->id);
    counting_name(errand->counting, place->term, &name);
    char *text = bytes_take(&name), *key = text ? units_key(text, place->unit, place->piece) : NULL;
    enum nq_status status = key ? NQ_AGAIN : NQ_NOMEM;
    if (key && again && !audit)
        status = look(worker, key, &slip.parts, &slip.nodes) == NQ_OK ? NQ_OK : NQ_AGAIN;
    if (status == NQ_AGAIN) {
        status = count_it(worker, errand, place, &result);
        slip.parts = result.parts;
        slip.nodes = result.nodes;
        slip.seconds = (double)(clock_now() - since) / (double)CLOCK_SECOND;
        if (status == NQ_OK && !audit)
            status = keep(worker, key, &slip);
    }
    if (status == NQ_OK) {
        report(worker, errand, &slip);
        pthread_mutex_lock(&worker->lock);
        worker->figures.units++;
        worker->figures.nodes += slip.nodes;
        worker->figures.worked += clock_now() - since;
        pthread_mutex_unlock(&worker->lock);
    }
    free(key);
    free(text);
    return status;
}

static bool is_there(const struct errand *errand, const struct slip_place *place)
{
    const struct counting *counting = errand->counting;
    return place->term < counting_terms(counting) &&
           place->unit < counting_first(counting, place->term + 1) - counting_first(counting, place->term);
}

static enum nq_status count_batch(struct worker *worker, const struct errand *errand, const struct batch_slip *slip,
                                  bool again)
{
    enum nq_status status = NQ_OK;
    for (size_t i = 0; i < slip->runs && status == NQ_OK; i++) {
        const struct slip_run *run = &slip->run[i];
        for (uint32_t j = 0; j < run->count && status == NQ_OK; j++) {
            const struct slip_place place = slip_place(run, j);
            status = is_there(errand, &place) ? count_unit(worker, errand, &place, *slip->not_for, again) : NQ_INVALID;
        }
    }
    return status;
}

/* The lease is not renewed from here on. */
static struct lease *take_lease(struct hand *hand)
{
    pthread_mutex_lock(&hand->worker->lock);
    struct lease *lease = hand->lease;
    hand->lease = NULL;
    hand->worker->figures.busy--;
    pthread_mutex_unlock(&hand->worker->lock);
    return lease;
}

static void carry_out(struct hand *hand, struct lease *lease)
{
    struct worker *worker = hand->worker;
    struct batch_slip slip;
    struct bytes text = {0};
    const bool again = lease_deliveries(lease) > 1;
    pthread_mutex_lock(&worker->lock);
    hand->lease = lease;
    worker->figures.busy++;
    worker->figures.redelivered += again;
    pthread_mutex_unlock(&worker->lock);
    lease_text(lease, &text);
    enum nq_status status = text.failed ? NQ_NOMEM : batch_slip_read(&slip, text.data, text.size);
    bytes_free(&text);
    const bool own = status == NQ_OK && strcmp(slip.not_for, worker->id) == 0;
    if (status == NQ_OK && !own)
        status = count_batch(worker, hand->errand, &slip, again);
    const bool done = status == NQ_OK && !own;
    lease = take_lease(hand);
    if (done)
        (void)lease_done(lease); /* or it comes again, and is found to be done */
    else
        (void)lease_return(lease, own ? ANOTHER_MS : status == NQ_CANCELLED ? 0 : LATER_MS);
    pthread_mutex_lock(&worker->lock);
    worker->figures.batches += done;
    worker->figures.returned += !done;
    pthread_mutex_unlock(&worker->lock);
    if (!done && !own && status != NQ_CANCELLED)
        worker->options.tell(worker->options.who, "returned", nq_status_text(status));
}

/* ---- The threads ---- */

static void leave(struct hand *hand)
{
    if (hand->intake)
        intake_close(hand->intake);
    hand->intake = NULL;
    if (!hand->errand)
        return;
    pthread_mutex_lock(&hand->worker->lock);
    hand->errand->users--;
    pthread_mutex_unlock(&hand->worker->lock);
    hand->errand = NULL;
}

/* Under the lock: the work after one, or the first. */
static struct errand *another(const struct worker *worker, const struct errand *than)
{
    struct errand *first = NULL, *later = NULL;
    bool passed = false;
    for (struct errand *errand = worker->list; errand; errand = errand->next) {
        const bool fit = errand->state != HOPELESS && !is_over(errand) && clock_now() >= errand->later;
        if (fit && passed && !later)
            later = errand;
        if (fit && !first)
            first = errand;
        passed |= errand == than;
    }
    return later ? later : first;
}

/* Whether its work is over, or there is another one. */
static bool elsewhere(const struct hand *hand)
{
    pthread_mutex_lock(&hand->worker->lock);
    const bool elsewhere = another(hand->worker, hand->errand) != hand->errand;
    pthread_mutex_unlock(&hand->worker->lock);
    return elsewhere;
}

/* Goes to another work; false: there is none, or it cannot be carried out now. */
static bool move_on(struct hand *hand)
{
    struct worker *worker = hand->worker;
    pthread_mutex_lock(&worker->lock);
    struct errand *next = another(worker, hand->errand);
    if (next)
        next->users++;
    pthread_mutex_unlock(&worker->lock);
    leave(hand);
    hand->errand = next;
    return next && open_errand(worker, next) && queue_intake(worker->options.queue, next->id, &hand->intake) == NQ_OK;
}

static void *work(void *arg)
{
    struct hand *hand = arg;
    struct worker *worker = hand->worker;
    while (!stop_wanted(&worker->stopping)) {
        struct lease *lease;
        if (!hand->intake && !move_on(hand)) {
            pause_for(PAUSE_MS);
            continue;
        }
        const enum nq_status status = intake_take(hand->intake, TAKE_MS, &lease);
        if (status == NQ_OK) {
            carry_out(hand, lease);
            continue;
        }
        if (status == NQ_TIMEOUT && !elsewhere(hand))
            continue;
        intake_close(hand->intake); /* it is over, or the broker is away, or others have more to do */
        hand->intake = NULL;
        if (status != NQ_TIMEOUT)
            pause_for(PAUSE_MS);
    }
    leave(hand);
    pthread_mutex_lock(&worker->lock);
    worker->ended++;
    pthread_cond_broadcast(&worker->turned);
    pthread_mutex_unlock(&worker->lock);
    return NULL;
}

static void say(struct worker *worker)
{
    const struct worker_slip slip = {.threads = worker->options.threads};
    struct bytes text = {0};
    worker_slip_write(&slip, &text);
    char *taken = bytes_take(&text);
    if (taken)
        (void)queue_say(worker->options.queue, QUEUE_WORKER, worker->id, taken);
    free(taken);
}

static void renew(struct worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    for (unsigned i = 0; i < worker->started; i++)
        if (worker->hands[i].lease)
            (void)lease_renew(worker->hands[i].lease); /* a line into a buffer */
    pthread_mutex_unlock(&worker->lock);
}

static void hear(struct worker *worker, const struct heard *heard)
{
    struct work_slip slip;
    char id[17];
    if (work_slip_read(&slip, heard->text.data, heard->text.size) != NQ_OK)
        return;
    work_slip_id(slip.query, id);
    if (!slip.terms || strcmp(id, heard->id) != 0) { /* nothing is for workers; or for another question's work */
        work_slip_free(&slip);
        return;
    }
    pthread_mutex_lock(&worker->lock);
    note(worker, heard->id, &slip);
    pthread_mutex_unlock(&worker->lock);
}

static void *talk(void *arg)
{
    struct worker *worker = arg;
    uint64_t said = 0, renewed = 0;
    while (!stop_wanted(&worker->silent)) {
        struct heard heard = {.text = {0}};
        if (queue_hear(worker->options.queue, HEAR_MS, &heard) == NQ_OK)
            hear(worker, &heard);
        bytes_free(&heard.text);
        weed(worker);
        if (timed_long_ago(said, SAY_MS) && !stop_wanted(&worker->stopping)) {
            said = clock_now();
            say(worker);
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
    struct worker *worker = calloc(1, sizeof *worker + options->threads * sizeof worker->hands[0]);
    if (!worker)
        return NULL;
    worker->options = *options;
    worker->figures.threads = options->threads;
    process_draw_id(worker->id);
    pthread_mutex_init(&worker->lock, NULL);
    timed_init(&worker->turned);
    worker->plans = plans_new(options->table_bytes, options->threads);
    if (!worker->plans || pthread_create(&worker->talker, NULL, talk, worker) != 0)
        goto fail;
    for (unsigned i = 0; i < options->threads; i++) {
        worker->hands[i].worker = worker;
        if (pthread_create(&worker->hands[i].thread, NULL, work, &worker->hands[i]) != 0)
            break;
        pthread_mutex_lock(&worker->lock);
        worker->started++;
        pthread_mutex_unlock(&worker->lock);
    }
    if (worker->started)
        return worker;
    atomic_store(&worker->silent, true);
    pthread_join(worker->talker, NULL);
fail:
    if (worker->plans)
        plans_free(worker->plans);
    pthread_cond_destroy(&worker->turned);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
    return NULL;
}

/* Whether all threads have ended by then. */
static bool await(struct worker *worker, uint64_t until)
{
    pthread_mutex_lock(&worker->lock);
    while (worker->ended < worker->started && clock_now() < until)
        (void)timed_wait(&worker->turned, &worker->lock, until);
    const bool ended = worker->ended == worker->started;
    pthread_mutex_unlock(&worker->lock);
    return ended;
}

bool worker_stop(struct worker *worker, uint64_t until)
{
    enum { LAST_MS = 3000 }; /* for what was told to stop to come back */
    atomic_store(&worker->stopping, true);
    bool ended = await(worker, until);
    atomic_store(&worker->stop, true);
    ended = ended || await(worker, timed_in(LAST_MS));
    atomic_store(&worker->silent, true);
    pthread_join(worker->talker, NULL);
    for (unsigned i = 0; ended && i < worker->started; i++)
        pthread_join(worker->hands[i].thread, NULL);
    return ended;
}

void worker_free(struct worker *worker)
{
    while (worker->list) {
        struct errand *errand = worker->list;
        worker->list = errand->next;
        errand_free(errand);
    }
    plans_free(worker->plans);
    pthread_cond_destroy(&worker->turned);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}

struct worker_figures worker_figures(struct worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    struct worker_figures figures = worker->figures;
    pthread_mutex_unlock(&worker->lock);
    figures.connected = queue_connected(worker->options.queue);
    figures.plans = plans_figures(worker->plans);
    return figures;
}
