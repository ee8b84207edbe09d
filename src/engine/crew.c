/* crew.c - one thread tends all crews in turn. The lock guards what lanes and that thread share; it is not held while
 * the broker or a count is called: a crew that is being tended is busy, and whoever closes it waits for that. */
#include "engine/crew.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "base/stop.h"
#include "base/timed.h"
#include "engine/batching.h"

/* Milliseconds. */
enum {
    HEAR_MS = 20,
    RENEW_MS = 3000,  /* a claim */
    SAY_MS = 1000,    /* what is under way */
    LOOK_MS = 2000,   /* at the depth of the queue, and at a claim that may be free */
    SILENT_MS = 7000, /* a worker or leader of whom nothing is heard is gone */
    STALL_MS = 5000,  /* nothing comes back: the store is asked */
    AUDIT_MS = 20000, /* nobody checks: the server does */
    SETTLE_MS = 2500, /* after which all workers have been heard */
};

/* Posted, or heard, in one go. */
enum { POSTS = 64, HEARD = 1024 };

/* Workers of whom it is known; seconds that a unit may take. */
enum { HANDS_MOST = 65536, CREDIBLE_S = 1000000 };

/* Reports from which on their speed is known; and times that a count is handed out anew when nothing comes of it. */
enum { ENOUGH_REPORTS = 8, REPOSTS = 3 };

/* ALONE: there was no broker to ask. */
enum state { ALONE, LEADS, FOLLOWS };

struct hand {
    struct hand *next;
    char id[QUEUE_ID_MAX + 1];
    unsigned threads;
    uint64_t heard;
};

struct audit {
    struct audit *next;
    size_t unit;
    uint64_t parts;
    char worker[QUEUE_ID_MAX + 1];
    uint64_t since;
    bool posted;      /* the thread's own */
    bool mine, taken; /* the server's to count; a lane does */
    bool over;
};

struct crew {
    struct crews *home;
    struct crew *next;
    const struct crew_class *class;
    void *who;
    char id[17], *query;
    bool busy;   /* the thread is at it */
    bool closed; /* the count is gone: */
    bool kept;   /* its result is on its way to the store, */
    bool stored; /* or there */
    atomic_int state;
    atomic_bool begun; /* there is something to be handed out */
    size_t units;
    size_t *again; /* units that were handed out in vain */
    size_t agains;
    struct audit *audits;
    enum nq_status verdict;
    char why[WORK_WHY_MAX];
    struct progress progress; /* the leader's */
    uint64_t ready, leased;
    /* the thread's own */
    uint64_t claim, renewed, said, looked, moved, heard;
    bool *out; /* by unit: handed out and not back */
    size_t outstanding;
    struct batch_slip batch; /* made, and not posted yet */
    double weight_out;
    double weight_back, seconds_back;
    unsigned reports, reposts;
};

struct crews {
    struct crews_options options;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t rested; /* a crew is not busy any more */
    struct crew *list;
    struct hand *hands;
    uint64_t connected; /* since when, clock_now(); 0: it is not */
    uint64_t salt;
    bool stopping;
    struct crews_figures figures;
};

static bool long_ago(uint64_t moment, unsigned milliseconds)
{
    return clock_now() - moment > milliseconds * CLOCK_MILLISECOND;
}

/* ---- Under the lock ---- */

static unsigned count_hands(const struct crews *crews)
{
    unsigned hands = 0;
    for (const struct hand *hand = crews->hands; hand; hand = hand->next)
        hands += hand->threads;
    return hands;
}

/* Whether there is a worker other than one. */
static bool anyone_but(const struct crews *crews, const char *id)
{
    const struct hand *hand = crews->hands;
    while (hand && strcmp(hand->id, id) == 0)
        hand = hand->next;
    return hand;
}

static void forget_silent(struct crews *crews)
{
    for (struct hand **at = &crews->hands; *at;) {
        struct hand *hand = *at;
        if (!long_ago(hand->heard, SILENT_MS)) {
            at = &hand->next;
            continue;
        }
        *at = hand->next;
        free(hand);
    }
}

static void note_worker(struct crews *crews, const char *id, const struct worker_slip *slip)
{
    struct hand *hand = crews->hands;
    size_t count = 0;
    for (; hand && strcmp(hand->id, id) != 0; hand = hand->next)
        count++;
    if (!hand) {
        hand = count < HANDS_MOST ? calloc(1, sizeof *hand) : NULL;
        if (!hand)
            return; /* it will be heard again */
        (void)snprintf(hand->id, sizeof hand->id, "%s", id);
        hand->next = crews->hands;
        crews->hands = hand;
    }
    hand->threads = slip->threads;
    hand->heard = clock_now();
}

static void fail(struct crew *crew, enum nq_status status, const char *why)
{
    if (crew->verdict != NQ_OK)
        return;
    crew->verdict = status;
    (void)snprintf(crew->why, sizeof crew->why, "%s", why);
}

static struct crew *find_crew(const struct crews *crews, const char *id)
{
    struct crew *crew = crews->list;
    while (crew && strcmp(crew->id, id) != 0)
        crew = crew->next;
    return crew;
}

/* The thread is at a crew from here on; false: its count is gone, or just coming. */
static bool enter(struct crew *crew)
{
    pthread_mutex_lock(&crew->home->lock);
    const bool there = !crew->busy && !crew->closed;
    crew->busy |= there;
    pthread_mutex_unlock(&crew->home->lock);
    return there;
}

static void leave(struct crew *crew)
{
    pthread_mutex_lock(&crew->home->lock);
    crew->busy = false;
    pthread_cond_broadcast(&crew->home->rested);
    pthread_mutex_unlock(&crew->home->lock);
}

/* ---- What comes back. On the thread, as all that follows until the lanes' part; the crew is busy ---- */

/* A share of all units, which none can tell beforehand. */
static bool is_audited(const struct crew *crew, size_t unit)
{
    uint64_t hash = hash_text(HASH_START, crew->id);
    hash = hash_bytes(hash, &crew->home->salt, sizeof crew->home->salt);
    hash = hash_bytes(hash, &unit, sizeof unit);
    const double drawn = (double)(hash >> 11) * 0x1p-53;
    return drawn < crew->home->options.audit;
}

static void begin_audit(struct crew *crew, size_t unit, uint64_t parts, const char *worker)
{
    struct audit *audit = calloc(1, sizeof *audit);
    pthread_mutex_lock(&crew->home->lock);
    if (audit) {
        *audit = (struct audit){.next = crew->audits, .unit = unit, .parts = parts, .since = clock_now()};
        (void)snprintf(audit->worker, sizeof audit->worker, "%s", worker);
        crew->audits = audit;
    } else {
        fail(crew, NQ_NOMEM, "");
    }
    pthread_mutex_unlock(&crew->home->lock);
}

/* Under the lock: what somebody else has found for a unit. */
static void check(struct crew *crew, size_t unit, uint64_t parts, const char *by)
{
    struct audit *audit = crew->audits;
    char why[WORK_WHY_MAX];
    while (audit && (audit->unit != unit || audit->over || strcmp(audit->worker, by) == 0))
        audit = audit->next;
    if (!audit)
        return; /* it was checked already, or by itself */
    audit->over = true;
    crew->home->figures.audits++;
    if (audit->parts != parts) {
        (void)snprintf(why, sizeof why, "Worker %.40s and %.40s do not agree on unit %zu: no result can be believed.",
                       audit->worker, by, unit);
        crew->home->figures.disagreements++;
        fail(crew, NQ_BROKEN, why);
    }
}

/* A unit is not outstanding any more. */
static void settle(struct crew *crew, size_t unit)
{
    if (!crew->out[unit])
        return;
    crew->out[unit] = false;
    crew->outstanding--;
    crew->weight_out -= crew->class->weight(crew->who, unit);
    crew->moved = clock_now();
    crew->reposts = 0;
}

static void on_counted(struct crew *crew, size_t unit, const struct report_slip *slip)
{
    settle(crew, unit);
    if (crew->class->over(crew->who, unit))
        return;                                            /* somebody was faster */
    if (slip->seconds > 0 && slip->seconds < CREDIBLE_S) { /* one that was found in the store took none */
        crew->weight_back += crew->class->weight(crew->who, unit);
        crew->seconds_back += slip->seconds;
        crew->reports++;
    }
    if (is_audited(crew, unit))
        begin_audit(crew, unit, slip->parts, slip->worker);
    crew->class->adopt(crew->who, unit, slip->parts, slip->nodes);
    pthread_mutex_lock(&crew->home->lock);
    crew->home->figures.units++;
    pthread_mutex_unlock(&crew->home->lock);
}

static void on_report(struct crew *crew, const struct report_slip *slip)
{
    char why[WORK_WHY_MAX];
    size_t unit;
    if (!crew->begun || !crew->class->find(crew->who, slip->term, slip->unit, &unit))
        return;
    if (slip->report == SLIP_COUNTED) {
        on_counted(crew, unit, slip);
        return;
    }
    pthread_mutex_lock(&crew->home->lock);
    if (slip->report == SLIP_CHECKED) {
        check(crew, unit, slip->parts, slip->worker);
    } else {
        (void)snprintf(why, sizeof why,
                       "Worker %.40s does not agree with the store on unit %zu: no result can be believed.",
                       slip->worker, unit);
        crew->home->figures.disagreements++;
        fail(crew, NQ_BROKEN, why);
    }
    pthread_mutex_unlock(&crew->home->lock);
}

static void on_work(struct crew *crew, struct work_slip *slip)
{
    if (crew->state == LEADS)
        return; /* our own, for all we know */
    crew->heard = clock_now();
    pthread_mutex_lock(&crew->home->lock);
    crew->progress = slip->progress;
    pthread_mutex_unlock(&crew->home->lock);
}

/* Without the lock. */
static void on_heard(struct crews *crews, const struct heard *heard)
{
    struct worker_slip worker;
    struct report_slip report;
    struct work_slip work;
    const char *text = heard->text.data;
    const size_t size = heard->text.size;
    pthread_mutex_lock(&crews->lock);
    struct crew *crew = heard->topic == QUEUE_WORKER ? NULL : find_crew(crews, heard->id);
    if (heard->topic == QUEUE_WORKER && worker_slip_read(&worker, text, size) == NQ_OK)
        note_worker(crews, heard->id, &worker);
    pthread_mutex_unlock(&crews->lock); /* only this thread frees crews */
    if (!crew || !enter(crew))
        return;
    if (heard->topic == QUEUE_REPORT && report_slip_read(&report, text, size) == NQ_OK)
        on_report(crew, &report);
    if (heard->topic == QUEUE_WORK && work_slip_read(&work, text, size) == NQ_OK) {
        on_work(crew, &work);
        work_slip_free(&work);
    }
    leave(crew);
}

/* ---- What goes out ---- */

static double seconds_per_weight(const struct crew *crew)
{
    return crew->reports >= ENOUGH_REPORTS ? crew->seconds_back / crew->weight_back
                                           : crew->home->options.seconds_per_weight;
}

/* A unit more in a batch: false when there is no room for it. */
static bool add_unit(struct batch_slip *batch, const struct slip_run *unit)
{
    struct slip_run *last = batch->runs ? &batch->run[batch->runs - 1] : NULL;
    if (last && last->term == unit->term && last->first + last->units == unit->first) {
        last->units++;
        return true;
    }
    batch->run[batch->runs++] = *unit;
    return batch->runs < SLIP_RUNS_MAX;
}

/* Under the lock: one that was handed out in vain, and is still wanted. */
static bool take_again(struct crew *crew, size_t *unit)
{
    while (crew->agains) {
        *unit = crew->again[--crew->agains];
        if (!crew->class->over(crew->who, *unit))
            return true;
    }
    return false;
}

static bool take_next(struct crew *crew, size_t *unit)
{
    pthread_mutex_lock(&crew->home->lock);
    const bool again = take_again(crew, unit);
    pthread_mutex_unlock(&crew->home->lock);
    return again || crew->class->take(crew->who, unit);
}

/* Takes units for so much weight. */
static void make_batch(struct crew *crew, double most)
{
    size_t unit;
    double weight = 0;
    bool more = true;
    crew->batch = (struct batch_slip){.runs = 0};
    while (more && weight < most && take_next(crew, &unit)) {
        struct slip_run run;
        crew->class->place(crew->who, unit, &run);
        more = add_unit(&crew->batch, &run);
        weight += crew->class->weight(crew->who, unit);
        crew->out[unit] = true;
        crew->outstanding++;
    }
    crew->weight_out += weight;
}

static enum nq_status post(struct crew *crew, const struct batch_slip *batch)
{
    struct bytes text = {0};
    batch_slip_write(batch, &text);
    char *taken = bytes_take(&text);
    const enum nq_status status = taken ? queue_post(crew->home->options.queue, crew->id, taken) : NQ_NOMEM;
    free(taken);
    if (status == NQ_OK) {
        pthread_mutex_lock(&crew->home->lock);
        crew->home->figures.posted++;
        pthread_mutex_unlock(&crew->home->lock);
    }
    return status;
}

/* Whether there is too little that nobody has taken yet: what is out is not all of that, when units take long. */
static bool wants_more(const struct crew *crew, unsigned hands, double each)
{
    return crew->weight_out * each < batching_ahead(hands) || crew->outstanding < 2 * (size_t)hands;
}

/* Posts what lies ready too little. A batch that cannot be posted now is the first one later. */
static void post_more(struct crew *crew, unsigned hands)
{
    const double each = seconds_per_weight(crew);
    struct work_slip slip = {.query = NULL};
    crew->class->describe(crew->who, &slip);
    double left = ((double)(slip.progress.weight - slip.progress.weight_done) - crew->weight_out) * each;
    for (int i = 0; i < POSTS; i++) {
        if (!crew->batch.runs && wants_more(crew, hands, each))
            make_batch(crew, batching_seconds(left, hands) / each);
        if (!crew->batch.runs || post(crew, &crew->batch) != NQ_OK)
            return;
        crew->batch.runs = 0;
        left -= batching_seconds(left, hands);
    }
}

static void forget_audits(struct crew *crew)
{
    pthread_mutex_lock(&crew->home->lock);
    for (struct audit **at = &crew->audits; *at;) {
        struct audit *audit = *at;
        if (!audit->over) {
            at = &audit->next;
            continue;
        }
        *at = audit->next;
        free(audit);
    }
    pthread_mutex_unlock(&crew->home->lock);
}

/* Only the thread changes the list; lanes what is said in it. */
static void post_audits(struct crew *crew)
{
    struct crews *crews = crew->home;
    forget_audits(crew);
    for (struct audit *audit = crew->audits; audit; audit = audit->next) {
        struct batch_slip batch = {.runs = 1};
        pthread_mutex_lock(&crews->lock);
        const bool lonely = !anyone_but(crews, audit->worker);
        audit->mine |= lonely ? long_ago(audit->since, SETTLE_MS) : long_ago(audit->since, AUDIT_MS);
        const bool wanted = !audit->over && !audit->mine && !audit->posted && !lonely;
        memcpy(batch.not_for, audit->worker, sizeof batch.not_for);
        pthread_mutex_unlock(&crews->lock);
        crew->class->place(crew->who, audit->unit, &batch.run[0]);
        if (wanted && !(audit->posted = post(crew, &batch) == NQ_OK))
            break; /* the broker is away */
    }
}

static void say(struct crew *crew)
{
    struct work_slip slip = {.query = crew->query};
    struct bytes text = {0};
    crew->class->describe(crew->who, &slip);
    work_slip_write(&slip, &text);
    char *taken = bytes_take(&text);
    if (taken)
        (void)queue_say(crew->home->options.queue, QUEUE_WORK, crew->id, taken);
    free(taken);
}

/* Takes all back that is out: for others, or for the server's lanes. */
static void take_back(struct crew *crew)
{
    if (queue_clear(crew->home->options.queue, crew->id) != NQ_OK)
        return;
    pthread_mutex_lock(&crew->home->lock);
    for (size_t unit = 0; unit < crew->units; unit++) {
        if (!crew->out[unit])
            continue;
        crew->out[unit] = false;
        crew->again[crew->agains++] = unit;
        crew->home->figures.reposted++;
    }
    crew->outstanding = 0;
    crew->weight_out = 0;
    crew->batch.runs = 0;
    pthread_mutex_unlock(&crew->home->lock);
}

/* Nothing has come back for a while: reports may have been lost, and then batches, and those that no worker survives
 * are not handed out any more. */
static void unstall(struct crew *crew, unsigned hands)
{
    struct queue_depth depth;
    char why[WORK_WHY_MAX];
    const size_t out = crew->outstanding;
    crew->moved = clock_now();
    crew->class->recall(crew->who);
    for (size_t unit = 0; unit < crew->units; unit++)
        if (crew->out[unit] && crew->class->over(crew->who, unit))
            settle(crew, unit);
    if (!crew->outstanding)
        return;
    const enum nq_status status = queue_depth(crew->home->options.queue, crew->id, &depth);
    const bool lost = status == NQ_NONE || (status == NQ_OK && !depth.ready && !depth.leased);
    if (!hands || lost)
        take_back(crew);
    if (hands && lost && ++crew->reposts > REPOSTS) {
        (void)snprintf(why, sizeof why, "%zu units were handed out again and again, and no worker could count them.",
                       out);
        pthread_mutex_lock(&crew->home->lock);
        fail(crew, NQ_BROKEN, why);
        pthread_mutex_unlock(&crew->home->lock);
    }
}

/* Milliseconds for something to come back: some units take minutes. */
static unsigned patience(const struct crew *crew)
{
    const double unit = crew->weight_out * seconds_per_weight(crew) / (double)crew->outstanding;
    return STALL_MS + (unsigned)(unit < 3600 ? 3000 * unit : 3000 * 3600);
}

static void look_at_depth(struct crew *crew)
{
    struct queue_depth depth = {0};
    if (queue_depth(crew->home->options.queue, crew->id, &depth) != NQ_OK)
        return;
    pthread_mutex_lock(&crew->home->lock);
    crew->ready = depth.ready;
    crew->leased = depth.leased;
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
    if (long_ago(crew->renewed, RENEW_MS) && !claim(crew))
        return;
    if (!crew->begun)
        return;
    if (long_ago(crew->said, SAY_MS)) {
        crew->said = clock_now();
        say(crew);
    }
    if (hands)
        post_more(crew, hands);
    post_audits(crew);
    if (crew->outstanding && long_ago(crew->moved, patience(crew)))
        unstall(crew, hands);
    if (long_ago(crew->looked, LOOK_MS)) {
        crew->looked = clock_now();
        look_at_depth(crew);
    }
}

static void tend_other(struct crew *crew)
{
    if (!long_ago(crew->looked, LOOK_MS) || (crew->state == FOLLOWS && !long_ago(crew->heard, SILENT_MS)))
        return;
    crew->looked = clock_now();
    if (claim(crew) && crew->begun) /* it led before, and stood still for too long */
        take_back(crew);
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
    free(crew->out);
    free(crew->again);
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
        forget_silent(crews); /* without a broker nobody is heard */
    const unsigned hands = count_hands(crews);
    struct crew *crew = crews->list;
    pthread_mutex_unlock(&crews->lock);
    for (struct crew *next; crew; crew = next) {
        const bool there = enter(crew);
        if (there && connected)
            (crew->state == LEADS ? tend_led(crew, hands) : tend_other(crew));
        if (there)
            leave(crew);
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
            on_heard(crews, &heard);
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
    const bool runs = pthread_create(&crews->thread, NULL, run, crews) == 0;
    if (runs && queue_watch_jobs(options->queue, on_job, crews) == NQ_OK)
        return crews;
    if (runs)
        crews_stop(crews);
    crews_free(crews);
    return NULL;
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
    figures.hands = count_hands(crews);
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
    leave(crew);
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

bool crew_begin(struct crew *crew, size_t units)
{
    crew->out = calloc(units + 1, sizeof *crew->out);
    crew->again = calloc(units + 1, sizeof *crew->again);
    if (!crew->out || !crew->again)
        return false;
    crew->units = units;
    atomic_store(&crew->begun, true);
    return true;
}

void crew_recalled(struct crew *crew, size_t unit, uint64_t parts)
{
    if (is_audited(crew, unit))
        begin_audit(crew, unit, parts, "the store");
}

static unsigned hands_now(struct crews *crews, bool *settled)
{
    pthread_mutex_lock(&crews->lock);
    const unsigned hands = crews->connected ? count_hands(crews) : 0; /* without a broker nobody is heard */
    *settled = crews->connected && long_ago(crews->connected, SETTLE_MS);
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
    const bool taken = *audit || (!crew->home->hands && take_again(crew, unit));
    pthread_mutex_unlock(&crew->home->lock);
    return taken;
}

void crew_audited(struct crew *crew, size_t unit, uint64_t parts)
{
    pthread_mutex_lock(&crew->home->lock);
    check(crew, unit, parts, "this server");
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
}
