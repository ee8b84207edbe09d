/* crew.c - one thread tends all crews in turn; and what counts ask of theirs. */
#include "engine/crew_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/stop.h"
#include "base/timed.h"

/* ---- Under the lock ---- */

void crew_fail(struct crew *crew, enum nq_status status, const char *why)
{
    if (crew->verdict != NQ_OK)
        return;
    crew->verdict = status;
    (void)snprintf(crew->why, sizeof crew->why, "%s", why);
}

struct crew *crew_find(const struct crews *crews, const char *id)
{
    struct crew *crew = crews->list;
    while (crew && strcmp(crew->id, id) != 0)
        crew = crew->next;
    return crew;
}

/* The thread is at a crew from here on; false: its count is gone, or just coming. */
bool crew_enter(struct crew *crew)
{
    pthread_mutex_lock(&crew->home->lock);
    const bool there = !crew->busy && !crew->closed;
    crew->busy |= there;
    pthread_mutex_unlock(&crew->home->lock);
    return there;
}

void crew_leave(struct crew *crew)
{
    pthread_mutex_lock(&crew->home->lock);
    crew->busy = false;
    pthread_cond_broadcast(&crew->home->rested);
    pthread_mutex_unlock(&crew->home->lock);
}

/* ---- Who hands out ---- */

/* What an earlier leader posted is withdrawn before anything else is: it is not known here. */
static bool claim(struct crew *crew)
{
    enum nq_status status = queue_claim(crew->home->options.queue, crew->id, &crew->claim);
    crew->renewed = clock_now();
    if (status == NQ_OK && crew->state != LEADS)
        status = queue_clear(crew->home->options.queue, crew->id);
    if (status == NQ_OK || status == NQ_DENIED)
        crew->state = status == NQ_OK ? LEADS : FOLLOWS;
    return status == NQ_OK;
}

static void tend_led(struct crew *crew, unsigned hands)
{
    if (timed_long_ago(crew->renewed, RENEW_MS) && !claim(crew))
        return;
    if (!crew->begun)
        return;
    if (timed_long_ago(crew->said, SAY_MS)) {
        crew->said = clock_now();
        crew_say(crew);
    }
    if (hands)
        crew_post_more(crew, hands);
    crew_post_audits(crew);
    if (crew->out.count && timed_long_ago(crew->moved, crew_patience(crew)))
        crew_unstall(crew, hands);
    if (timed_long_ago(crew->looked, LOOK_MS)) {
        crew->looked = clock_now();
        crew_look_at_depth(crew);
    }
}

static void tend_other(struct crew *crew)
{
    if (!timed_long_ago(crew->looked, LOOK_MS) || (crew->state == FOLLOWS && !timed_long_ago(crew->heard, SILENT_MS)))
        return;
    crew->looked = clock_now();
    if (claim(crew) && crew->begun) /* it led before, and stood still for too long */
        crew_take_back(crew);
}

/* Whether no other count has the work of one that is gone. */
static bool is_last(const struct crew *crew)
{
    unsigned count = 0;
    pthread_mutex_lock(&crew->home->lock);
    for (const struct crew *at = crew->home->list; at; at = at->next)
        count += strcmp(at->id, crew->id) == 0;
    pthread_mutex_unlock(&crew->home->lock);
    return count == 1;
}

/* Others may have the work, or its result. */
static void bury(struct crew *crew)
{
    if (crew->state == LEADS)
        (void)queue_finish(crew->home->options.queue, crew->id); /* or the claim lapses */
}

static void crew_free(struct crew *crew)
{
    while (crew->audits) {
        struct audit *audit = crew->audits;
        crew->audits = audit->next;
        free(audit);
    }
    pending_close(&crew->out);
    pending_close(&crew->again);
    free(crew->query);
    free(crew);
}

/* One round; only the thread takes crews off the list. */
static void tend_all(struct crews *crews)
{
    const bool connected = queue_connected(crews->options.queue);
    pthread_mutex_lock(&crews->lock);
    if (connected != !!crews->connected)
        crews->connected = connected ? clock_now() : 0;
    if (connected)
        crew_forget_silent(crews); /* without a broker nobody is heard */
    const unsigned hands = crew_count_hands(crews);
    struct crew *crew = crews->list;
    pthread_mutex_unlock(&crews->lock);
    for (struct crew *next; crew; crew = next) {
        const bool there = crew_enter(crew);
        if (there && connected)
            (crew->state == LEADS ? tend_led(crew, hands) : tend_other(crew));
        if (there)
            crew_leave(crew);
        pthread_mutex_lock(&crews->lock);
        next = crew->next;
        const bool gone = crew->closed && (crew->stored || !crew->kept);
        pthread_mutex_unlock(&crews->lock);
        if (!gone)
            continue;
        if (is_last(crew)) /* its work may have been begun anew */
            bury(crew);
        pthread_mutex_lock(&crews->lock);
        struct crew **at = &crews->list;
        while (*at != crew)
            at = &(*at)->next;
        *at = next = crew->next;
        pthread_mutex_unlock(&crews->lock);
        crew_free(crew);
    }
}

static bool stops(struct crews *crews)
{
    pthread_mutex_lock(&crews->lock);
    const bool stops = crews->stopping;
    pthread_mutex_unlock(&crews->lock);
    return stops;
}

static void *run(void *arg)
{
    struct crews *crews = arg;
    while (!stops(crews)) {
        struct heard heard = {.text = {0}};
        unsigned milliseconds = HEAR_MS;
        for (int i = 0; i < HEARD && queue_hear(crews->options.queue, milliseconds, &heard) == NQ_OK; i++) {
            crew_heard(crews, &heard);
            heard.text.size = 0;
            milliseconds = 0;
        }
        bytes_free(&heard.text);
        tend_all(crews);
    }
    return NULL;
}

/* ---- Other servers' jobs, on a thread of the broker's ---- */

static void on_job(void *who, const char *id, const void *text, size_t size)
{
    const struct crews *crews = who;
    jobs_hear(crews->options.jobs, id, text, size);
}

/* ---- The engine's part ---- */

struct crews *crews_new(const struct crews_options *options)
{
    struct crews *crews = calloc(1, sizeof *crews);
    if (!crews)
        return NULL;
    crews->options = *options;
    crews->salt = clock_now();
    pthread_mutex_init(&crews->lock, NULL);
    timed_init(&crews->rested);
    if (pthread_create(&crews->thread, NULL, run, crews) != 0) {
        crews_free(crews);
        return NULL;
    }
    queue_watch_jobs(options->queue, on_job, crews);
    return crews;
}

void crews_stop(struct crews *crews)
{
    queue_unwatch_jobs(crews->options.queue);
    pthread_mutex_lock(&crews->lock);
    crews->stopping = true;
    pthread_mutex_unlock(&crews->lock);
    queue_unwatch_jobs(crews->options.queue);
    pthread_join(crews->thread, NULL);
}

void crews_free(struct crews *crews)
{
    while (crews->list) {
        struct crew *crew = crews->list;
        crews->list = crew->next;
        bury(crew);
        crew_free(crew);
    }
    while (crews->hands) {
        struct hand *hand = crews->hands;
        crews->hands = hand->next;
        free(hand);
    }
    pthread_cond_destroy(&crews->rested);
    pthread_mutex_destroy(&crews->lock);
    free(crews);
}

struct crews_figures crews_figures(struct crews *crews)
{
    pthread_mutex_lock(&crews->lock);
    struct crews_figures figures = crews->figures;
    figures.connected = crews->connected;
    figures.hands = crew_count_hands(crews);
    for (const struct hand *hand = crews->hands; hand; hand = hand->next)
        figures.workers++;
    for (const struct crew *crew = crews->list; crew; crew = crew->next) {
        figures.led += crew->state == LEADS && !crew->closed;
        figures.followed += crew->state == FOLLOWS && !crew->closed;
        figures.ready += crew->ready;
        figures.leased += crew->leased;
    }
    pthread_mutex_unlock(&crews->lock);
    return figures;
}

/* ---- The count's part ---- */

struct crew *crew_open(struct crews *crews, const char *query, const struct crew_class *class, void *who)
{
    struct crew *crew = calloc(1, sizeof *crew);
    if (!crew)
        return NULL;
    *crew = (struct crew){.home = crews, .class = class, .who = who, .query = strdup(query), .moved = clock_now()};
    if (!crew->query) {
        free(crew);
        return NULL;
    }
    work_slip_id(query, crew->id);
    crew->busy = true; /* with what follows; an earlier count of the same is not to end the work of this one */
    pthread_mutex_lock(&crews->lock);
    crew->next = crews->list;
    crews->list = crew;
    pthread_mutex_unlock(&crews->lock);
    if (!claim(crew))
        crew->heard = clock_now(); /* it will be told by who leads, or is silent */
    crew_leave(crew);
    return crew;
}

static void on_stored(void *who, enum nq_status status)
{
    (void)status;
    struct crew *crew = who;
    pthread_mutex_lock(&crew->home->lock);
    crew->stored = true;
    pthread_mutex_unlock(&crew->home->lock);
}

void crew_close(struct crew *crew, bool kept)
{
    struct crews *crews = crew->home;
    pthread_mutex_lock(&crews->lock);
    while (crew->busy)
        (void)timed_wait(&crews->rested, &crews->lock, timed_in(HEAR_MS));
    crew->kept = kept;
    crew->closed = true; /* nothing of the count's is touched from here on; nor the crew, unless it is kept */
    pthread_mutex_unlock(&crews->lock);
    if (kept && !ledger_notify(crews->options.ledger, on_stored, crew))
        on_stored(crew, NQ_NOMEM);
}

bool crew_follows(struct crew *crew)
{
    return crew->state == FOLLOWS;
}

/* One lane at a time. */
static enum nq_status attend(struct crew *crew, const struct slice *slice, const atomic_bool *stop)
{
    if (!crew_follows(crew))
        return crew->begun ? NQ_OK : crew->class->begin(crew->who, stop);
    if (!timed_long_ago(crew->sought, SEEK_MS))
        return slice_rest(slice);
    const enum nq_status status = crew->class->look(crew->who, slice, stop);
    if (status == NQ_OK) {
        atomic_store(&crew->complete, true);
        return NQ_END;
    }
    if (status != NQ_NONE)
        return status;
    crew->sought = clock_now();
    return slice_rest(slice);
}

enum nq_status crew_admit(struct crew *crew, const struct slice *slice, const atomic_bool *stop)
{
    if (atomic_load(&crew->complete))
        return NQ_END;
    if (!crew_follows(crew) && crew->begun)
        return NQ_OK;
    if (atomic_exchange(&crew->attended, true))
        return slice_rest(slice);
    const enum nq_status status = attend(crew, slice, stop);
    atomic_store(&crew->attended, false);
    return status;
}

void crew_begin(struct crew *crew)
{
    atomic_store(&crew->begun, true);
}

void crew_recalled(struct crew *crew, size_t unit, uint64_t parts)
{
    if (crew_is_audited(crew, unit))
        crew_begin_audit(crew, unit, parts, "the store");
}

static unsigned hands_now(struct crews *crews, bool *settled)
{
    pthread_mutex_lock(&crews->lock);
    const unsigned hands = crews->connected ? crew_count_hands(crews) : 0; /* without a broker nobody is heard */
    *settled = crews->connected && timed_long_ago(crews->connected, SETTLE_MS);
    pthread_mutex_unlock(&crews->lock);
    return hands;
}

unsigned crew_hands(struct crew *crew, const atomic_bool *stop)
{
    const struct timespec moment = {.tv_nsec = HEAR_MS * CLOCK_MILLISECOND};
    const uint64_t until = timed_in(SETTLE_MS);
    bool settled;
    unsigned hands;
    while (!(hands = hands_now(crew->home, &settled)) && !settled && clock_now() < until && !stop_wanted(stop))
        nanosleep(&moment, NULL);
    return hands;
}

bool crew_alone(struct crew *crew)
{
    bool settled;
    return !hands_now(crew->home, &settled) && settled;
}

/* Under the lock: one for a lane to count. */
static bool take_audit(struct crew *crew, size_t *unit)
{
    struct audit *audit = crew->audits;
    while (audit && (!audit->mine || audit->taken || audit->over))
        audit = audit->next;
    if (!audit)
        return false;
    audit->taken = true;
    *unit = audit->unit;
    return true;
}

bool crew_take(struct crew *crew, size_t *unit, bool *audit)
{
    pthread_mutex_lock(&crew->home->lock);
    *audit = take_audit(crew, unit);
    const bool taken = *audit || (!crew->home->hands && crew_take_again(crew, unit));
    pthread_mutex_unlock(&crew->home->lock);
    return taken;
}

void crew_audited(struct crew *crew, size_t unit, uint64_t parts)
{
    pthread_mutex_lock(&crew->home->lock);
    crew_check(crew, unit, parts, "this server");
    pthread_mutex_unlock(&crew->home->lock);
}

bool crew_doubts(struct crew *crew)
{
    bool doubts = false;
    pthread_mutex_lock(&crew->home->lock);
    for (const struct audit *audit = crew->audits; audit; audit = audit->next)
        doubts |= !audit->over;
    pthread_mutex_unlock(&crew->home->lock);
    return doubts;
}

enum nq_status crew_verdict(struct crew *crew, char why[static WORK_WHY_MAX])
{
    pthread_mutex_lock(&crew->home->lock);
    const enum nq_status status = crew->verdict;
    memcpy(why, crew->why, sizeof crew->why);
    pthread_mutex_unlock(&crew->home->lock);
    return status;
}

void crew_progress(struct crew *crew, struct progress *progress)
{
    pthread_mutex_lock(&crew->home->lock);
    *progress = crew->progress;
    pthread_mutex_unlock(&crew->home->lock);
    if (atomic_load(&crew->complete)) { /* found in the store, before the one that leads has said so */
        progress->weight_done = progress->weight;
        progress->units_done = progress->units;
    }
}
