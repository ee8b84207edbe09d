/* coordinator.c - the thread receives what the broker has, and then attends to each shared count in turn. The lock
 * guards what tasks and the thread share. Neither the broker nor a count is called under it: while the thread uses a
 * shared count that is `busy`, and closing it waits. Lists are searched from their beginnings: they are short. */
#include "engine/cluster/coordinator.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/lock.h"
#include "base/process.h"
#include "base/stop.h"
#include "base/timed.h"
#include "engine/cluster/waits.h"

/* Milliseconds. */
enum {
    RECEIVE_MS = 20,
    RENEW_MS = 1000,  /* until the leader's key is written again, with the progress */
    SILENT_MS = 4000, /* a worker that sent nothing for so long is lost */
};

/* ALONE: no broker could be asked. */
enum state { ALONE, LEADS, FOLLOWS };

struct known_worker {
    struct known_worker *next;
    char id[QUEUE_ID_MAX + 1];
    char release[RELEASE_MAX + 1];
    bool foreign; /* its release is another one: it gets no batches */
    bool left;
    unsigned threads;
    uint64_t received_at;
};

/* asked_at: when another worker was asked last, 0: none was. OWN: the server itself is to count it; TAKEN: a task does.
 */
struct audit {
    struct audit *next;
    size_t unit;
    nq_wide parts;
    uint64_t since, asked_at;
    unsigned patience; /* milliseconds, by waits_for() */
    char worker[QUEUE_ID_MAX + 1];
    enum { AUDIT_OPEN, AUDIT_OWN, AUDIT_TAKEN } state;
};

struct shared_count {
    struct coordinator *home;
    struct shared_count *next;
    const struct shared_count_class *class;
    void *who;
    char id[17], *query;
    bool busy;   /* the thread uses it */
    bool closed; /* the count is gone: */
    bool kept;   /* its result was given to the journal, */
    bool stored; /* and is stored */
    atomic_int state;
    atomic_bool begun;    /* it is laid out here, with all that was stored when this server began to lead */
    atomic_bool attended; /* a task begins it */
    atomic_bool followed; /* another server led it before this one began */
    struct audit *audits;
    enum nq_status verdict;
    struct fault fault;
    struct progress progress; /* another server's, as it published last */
    double seconds;           /* to go; 0: not known */
    /* Only the thread uses the rest. */
    struct leader leader;
    uint64_t tried_at, moved_at;      /* tried: to write the leader's key. moved: a result came */
    double out;                       /* weight of units that were handed out and are not back, about; */
    size_t out_count;                 /* how many, about */
    size_t held;                      /* a unit for the next batch */
    bool has_held, handed_out;        /* handed_out: some was, since all were to be handed out again */
    struct batch_message batch;       /* made, and not posted yet */
    double weight_back, seconds_back; /* of units that were reported */
    unsigned reports, reposts;
};

struct coordinator {
    struct coordinator_options options;
    pthread_t thread;
    struct lock lock;
    pthread_cond_t left; /* a shared count is not busy any more */
    struct shared_count *list;
    struct known_worker *workers;
    size_t known;         /* workers */
    uint64_t measured_at; /* only the thread uses it: the depth of the queue was read */
    uint64_t connected;   /* since when, clock_now(); 0: it is not */
    uint64_t salt;        /* of the draw of audits: workers do not know it */
    bool stopping;
    struct coordinator_stats stats; /* but what can be counted */
};

enum { LOG_MAX = 400 };

/* Workers that are known: any client of the broker can make up workers. */
enum { WORKERS_MOST = 65536 };

/* For the log, without the lock. */
static void coordinator_log(const struct coordinator *coordinator, const char *event, const char *format, ...)
{
    char text[LOG_MAX];
    va_list args;
    if (!coordinator->options.notify)
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    coordinator->options.notify(coordinator->options.who, event, text);
}

/* ---- Shared counts ---- */

static void coordinator_add(struct coordinator *coordinator, struct shared_count *shared)
{
    lock_take(&coordinator->lock);
    shared->next = coordinator->list;
    coordinator->list = shared;
    lock_release(&coordinator->lock);
}

static struct shared_count *coordinator_find(struct coordinator *coordinator, const char *id)
{
    lock_take(&coordinator->lock);
    struct shared_count *shared = coordinator->list;
    while (shared && strcmp(shared->id, id) != 0)
        shared = shared->next;
    lock_release(&coordinator->lock);
    return shared;
}

/* The thread uses a shared count from here on; false: its count is gone, or is just opening it. */
static bool shared_count_enter(struct shared_count *shared)
{
    lock_take(&shared->home->lock);
    const bool entered = !shared->busy && !shared->closed;
    shared->busy |= entered;
    lock_release(&shared->home->lock);
    return entered;
}

static void shared_count_leave(struct shared_count *shared)
{
    lock_take(&shared->home->lock);
    assert(shared->busy); /* or two threads have used it */
    shared->busy = false;
    pthread_cond_broadcast(&shared->home->left);
    lock_release(&shared->home->lock);
}

/* Under the lock: the count is to fail, unless it fails already. */
static void shared_count_fail(struct shared_count *shared, enum nq_status status, const struct fault *fault)
{
    lock_assert(&shared->home->lock);
    assert(status != NQ_OK);
    if (shared->verdict != NQ_OK)
        return;
    shared->verdict = status;
    shared->fault = *fault;
}

/* ---- Workers ---- */

/* Under the lock: threads of all workers of this release. */
static unsigned workers_threads(const struct coordinator *coordinator)
{
    unsigned threads = 0;
    for (const struct known_worker *worker = coordinator->workers; worker; worker = worker->next)
        threads += worker->foreign ? 0 : worker->threads;
    return threads;
}

/* Under the lock: the next worker of this release but one, from that one on; NULL: there is none. */
static const struct known_worker *workers_next(const struct known_worker *worker, const char *but)
{
    while (worker && (worker->foreign || worker->left || strcmp(worker->id, but) == 0))
        worker = worker->next;
    return worker;
}

/* Under the lock: any worker of this release but one, each as often as it has threads: no worker can predict which.
 * NULL: there is none. */
static const struct known_worker *workers_draw(const struct coordinator *coordinator, const char *but)
{
    const struct known_worker *drawn = workers_next(coordinator->workers, but);
    uint64_t threads = 0;
    for (const struct known_worker *at = drawn; at; at = workers_next(at->next, but))
        threads += at->threads;
    for (uint64_t i = threads ? process_draw() % threads : 0; drawn && i >= drawn->threads;) {
        i -= drawn->threads;
        drawn = workers_next(drawn->next, but);
    }
    return drawn;
}

/* Unlinks one that fell silent or has left, for the caller to free. */
static struct known_worker *unlink_lost(struct coordinator *coordinator)
{
    lock_take(&coordinator->lock);
    struct known_worker **at = &coordinator->workers;
    while (*at && !(*at)->left && !timed_long_ago((*at)->received_at, SILENT_MS))
        at = &(*at)->next;
    struct known_worker *worker = *at;
    if (worker) {
        *at = worker->next;
        assert(coordinator->known > 0);
        coordinator->known--;
        coordinator->stats.lost += !worker->left;
    }
    lock_release(&coordinator->lock);
    return worker;
}

/* Takes over that the broker is connected now, or not, and forgets workers that fell silent; without a broker none
 * does. */
static void workers_refresh(struct coordinator *coordinator, bool connected)
{
    lock_take(&coordinator->lock);
    if (connected && !coordinator->connected) /* none could be received until now */
        for (struct known_worker *worker = coordinator->workers; worker; worker = worker->next)
            worker->received_at = clock_now();
    if (connected != !!coordinator->connected)
        coordinator->connected = connected ? clock_now() : 0;
    lock_release(&coordinator->lock);
    for (struct known_worker *worker; connected && (worker = unlink_lost(coordinator)); free(worker))
        if (worker->left)
            coordinator_log(coordinator, "worker", "%s left", worker->id);
        else
            coordinator_log(coordinator, "worker",
                            "%s sent nothing for %d s and is taken for lost; another one gets what it had", worker->id,
                            SILENT_MS / 1000);
}

/* Under the lock. NULL: no room; it will be received again. */
static struct known_worker *add_worker(struct coordinator *coordinator, const char *id,
                                       const struct worker_message *message)
{
    lock_assert(&coordinator->lock);
    assert(message->threads > 0); /* who leaves is not added */
    struct known_worker *worker = coordinator->known < WORKERS_MOST ? calloc(1, sizeof *worker) : NULL;
    if (!worker)
        return NULL;
    (void)snprintf(worker->id, sizeof worker->id, "%s", id);
    memcpy(worker->release, message->release, sizeof worker->release);
    worker->foreign = strcmp(message->release, build_id) != 0;
    worker->next = coordinator->workers;
    coordinator->workers = worker;
    coordinator->known++;
    return worker;
}

static void log_joined(const struct coordinator *coordinator, const char *id, const struct worker_message *message)
{
    if (strcmp(message->release, build_id) == 0)
        coordinator_log(coordinator, "worker", "%s joined with %u threads", id, message->threads);
    else
        coordinator_log(coordinator, "worker", "%s runs release %s, this server %s: it gets no work from here", id,
                        *message->release ? message->release : "unknown", build_id);
}

/* A worker has sent how many threads it has; 0: it leaves. */
static void workers_receive(struct coordinator *coordinator, const char *id, const struct worker_message *message)
{
    lock_take(&coordinator->lock);
    struct known_worker *worker = coordinator->workers;
    while (worker && strcmp(worker->id, id) != 0)
        worker = worker->next;
    const bool joined = !worker && message->threads && (worker = add_worker(coordinator, id, message));
    if (worker) {
        worker->threads = message->threads;
        worker->left = !message->threads;
        worker->received_at = clock_now();
    }
    lock_release(&coordinator->lock);
    if (joined)
        log_joined(coordinator, id, message);
}

/* ---- Audits ---- */

/* Units that are counted twice, by another worker or by the server itself, to check a result: a list, each for a short
 * while. All without the lock. */

/* A random fraction of all units, which no worker can predict. */
static bool is_drawn(const struct shared_count *shared, size_t unit)
{
    uint64_t hash = hash_text(HASH_START, shared->id);
    hash = hash_bytes(hash, &shared->home->salt, sizeof shared->home->salt);
    hash = hash_bytes(hash, &unit, sizeof unit);
    const double drawn = (double)(hash >> 11) * 0x1p-53;
    return drawn < shared->home->options.audit;
}

/* Under the lock: where the audit of a unit stands. */
static struct audit **audits_of(struct shared_count *shared, size_t unit)
{
    struct audit **at = &shared->audits;
    while (*at && (*at)->unit != unit)
        at = &(*at)->next;
    return at;
}

/* A result came from a worker: begins an audit of it, if the unit is one of those that are audited. A report may come
 * twice before its unit counts as done. seconds: that the unit takes. */
static void audits_begin(struct shared_count *shared, size_t unit, double seconds, const struct report_message *message)
{
    if (!is_drawn(shared, unit))
        return;
    struct audit *audit = calloc(1, sizeof *audit);
    lock_take(&shared->home->lock);
    if (!audit) {
        shared_count_fail(shared, NQ_NOMEM, &(struct fault){0});
    } else if (*audits_of(shared, unit)) {
        free(audit);
    } else {
        *audit = (struct audit){.next = shared->audits,
                                .unit = unit,
                                .parts = message->parts,
                                .since = clock_now(),
                                .patience = waits_for(seconds)};
        memcpy(audit->worker, message->worker, sizeof audit->worker);
        shared->audits = audit;
    }
    lock_release(&shared->home->lock);
}

/* Under the lock. */
static void disagree(struct shared_count *shared, const struct message_place *place, const char *one, const char *other)
{
    lock_assert(&shared->home->lock);
    struct fault fault;
    char piece[32] = "";
    if (place->piece != UNIT_WHOLE)
        (void)snprintf(piece, sizeof piece, "piece %" PRIu32 " of ", place->piece);
    fault_write(&fault, FAULT_DISAGREE, (const double[]){place->unit},
                "Worker %.40s does not agree with %.40s on %sunit %" PRIu32 ": no result can be believed.", one, other,
                piece, place->unit);
    shared->home->stats.disagreements++;
    shared_count_fail(shared, NQ_BROKEN, &fault);
}

/* The second result of a unit has come. */
static void audits_check(struct shared_count *shared, size_t unit, nq_wide parts, const char *by)
{
    struct message_place place;
    (void)shared->class->place(shared->who, unit, &place);
    lock_take(&shared->home->lock);
    struct audit **at = audits_of(shared, unit), *audit = *at;
    if (audit && strcmp(audit->worker, by) != 0) { /* otherwise it was checked already, or by itself */
        shared->home->stats.audits++;
        if (audit->parts != parts)
            disagree(shared, &place, audit->worker, by);
        *at = audit->next;
        free(audit);
    }
    lock_release(&shared->home->lock);
}

/* A unit that the server itself is to count. False: there is none. */
bool shared_count_take_audit(struct shared_count *shared, size_t *unit)
{
    lock_take(&shared->home->lock);
    struct audit *audit = shared->audits;
    while (audit && audit->state != AUDIT_OWN)
        audit = audit->next;
    if (audit) {
        audit->state = AUDIT_TAKEN;
        *unit = audit->unit;
    }
    lock_release(&shared->home->lock);
    return audit;
}

/* Whether some are not over. */
bool shared_count_doubts(struct shared_count *shared)
{
    lock_take(&shared->home->lock);
    const bool open = shared->audits;
    lock_release(&shared->home->lock);
    return open;
}

/* ---- What is handed out ---- */

/* Milliseconds without any result, beside what units take, after which the store is asked. */
enum { STALL_MS = 5000 };

/* Batches that are posted in one go. */
enum { POSTS = 64 };

/* Reports from which on the workers' speed is known. */
enum { ENOUGH_REPORTS = 8 };

/* Times that all batches may come to nothing in a row: no worker survives them. What workers report may get lost, too:
 * of one message in thirty, a million runs of the simulation lost the same one four times, once. */
enum { REPOSTS = 6 };

static double seconds_per_weight(const struct shared_count *shared)
{
    return shared->reports >= ENOUGH_REPORTS ? shared->seconds_back / shared->weight_back
                                             : shared->home->options.seconds_per_weight;
}

/* Adds a unit to a batch. False: it is of another term, or there is no room. */
static bool add_unit(struct batch_message *batch, const struct message_place *unit)
{
    assert(batch->runs <= MESSAGE_RUNS_MAX);
    struct message_run *last = batch->runs ? &batch->run[batch->runs - 1] : NULL;
    const struct message_place next = last ? message_place(last, last->count) : *unit;
    if (next.term != unit->term)
        return false;
    if (last && next.unit == unit->unit && next.piece == unit->piece)
        return last->count++, true;
    if (batch->runs == MESSAGE_RUNS_MAX)
        return false;
    batch->run[batch->runs++] = (struct message_run){*unit, 1};
    return true;
}

static bool next_unit(struct shared_count *shared, size_t *unit)
{
    if (!shared->has_held)
        return shared->class->take(shared->who, unit);
    shared->has_held = false;
    *unit = shared->held;
    return true;
}

/* Fills the batch with units of a term, for so much weight. */
static void make_batch(struct shared_count *shared, double most)
{
    assert(shared->busy && shared->batch.runs == 0); /* units of a batch that is not posted would be lost */
    size_t unit;
    shared->batch = (struct batch_message){.query = shared->query};
    for (double weight = 0; weight < most && next_unit(shared, &unit);) {
        struct message_place place;
        const char *name = shared->class->place(shared->who, unit, &place);
        const double one = shared->class->weight(shared->who, unit);
        shared->has_held = !add_unit(&shared->batch, &place);
        shared->held = unit;
        if (shared->has_held)
            return;
        shared->batch.name = (char *)name;
        shared->handed_out = true;
        shared->out += one;
        shared->out_count++;
        weight += one;
    }
}

/* NQ_DENIED: another server may lead by now. That is asked at the last moment. */
static enum nq_status post(struct shared_count *shared, const struct batch_message *batch)
{
    struct bytes text = {0};
    batch_message_write(batch, &text);
    char *taken = bytes_take(&text);
    enum nq_status status = taken ? NQ_DENIED : NQ_NOMEM;
    if (taken && leader_is_sure(&shared->leader))
        status = queue_post(shared->home->options.queue, shared->id, taken);
    free(taken);
    if (status == NQ_OK) {
        lock_take(&shared->home->lock);
        shared->home->stats.posted++;
        lock_release(&shared->home->lock);
    }
    return status;
}

/* Seconds of one thread that the next batch should take: long enough that handing it out costs little, and towards the
 * end a fraction of what is left, so that no thread is late. left: seconds of one thread that all units take which are
 * not handed out; threads: of all workers. After guided self-scheduling: C. Polychronopoulos and D. Kuck, IEEE
 * Transactions on Computers C-36 (1987). */
static double seconds_of_batch(double left, unsigned threads)
{
    assert(threads > 0);
    const double most = 1, least = 0.05;
    return fmax(fmin(left / (2.0 * threads), most), least);
}

/* Whether too little is ready: of what is out, the workers have taken a part, most of it when units take long. */
static bool wants_more(const struct shared_count *shared, unsigned threads, double each)
{
    return shared->out * each < 2.0 * threads || shared->out_count < 2 * (size_t)threads;
}

/* Posts batches while too few are ready. One that cannot be posted now is the first one later. */
static void shared_count_post_more(struct shared_count *shared, unsigned threads)
{
    const double each = seconds_per_weight(shared);
    struct progress progress = {.weight = 0};
    shared->class->progress(shared->who, &progress);
    double left = ((double)(progress.weight - progress.weight_done) - shared->out) * each;
    for (int i = 0; i < POSTS; i++) {
        if (!shared->batch.runs && wants_more(shared, threads, each))
            make_batch(shared, seconds_of_batch(left, threads) / each);
        if (!shared->batch.runs || post(shared, &shared->batch) != NQ_OK)
            return;
        shared->batch.runs = 0;
        left -= seconds_of_batch(left, threads);
    }
}

/* Asks a worker to audit a unit. What is asked may get lost, and so may who is asked. */
static enum nq_status ask_worker(struct shared_count *shared, size_t unit, const char *worker)
{
    struct batch_message batch = {.query = shared->query, .runs = 1, .run = {{.count = 1}}};
    struct bytes text = {0};
    batch.name = (char *)shared->class->place(shared->who, unit, &batch.run[0].from);
    batch_message_write(&batch, &text);
    char *taken = bytes_take(&text);
    const enum nq_status status =
        taken ? queue_publish(shared->home->options.queue, QUEUE_AUDIT, worker, taken) : NQ_NOMEM;
    free(taken);
    return status;
}

/* Finds a unit that another worker is to be asked to audit now, and whom to ask. False: there is none. What no worker
 * has audited in so long is the server's own from here on. */
static bool next_to_ask(struct shared_count *shared, size_t *unit, char id[static QUEUE_ID_MAX + 1])
{
    const struct known_worker *other = NULL;
    lock_take(&shared->home->lock);
    for (struct audit *audit = shared->audits; audit && !other; audit = audit->next) {
        if (audit->state != AUDIT_OPEN ||
            (audit->asked_at && !timed_long_ago(audit->asked_at, AUDIT_AGAIN_MS + audit->patience)))
            continue;
        other = workers_draw(shared->home, audit->worker);
        if (timed_long_ago(audit->since, other ? AUDIT_MS + audit->patience : SETTLE_MS)) {
            audit->state = AUDIT_OWN;
            other = NULL;
        } else if (other) {
            audit->asked_at = clock_now();
            *unit = audit->unit;
            memcpy(id, other->id, sizeof other->id);
        }
    }
    lock_release(&shared->home->lock);
    return other;
}

/* Has units audited: by another worker, by one more if that one says nothing, and in the end by the server itself. */
static void shared_count_ask_audits(struct shared_count *shared)
{
    char id[QUEUE_ID_MAX + 1];
    size_t unit;
    for (int i = 0; i < POSTS && next_to_ask(shared, &unit, id); i++)
        (void)ask_worker(shared, unit, id);
}

/* ---- The leader's key ---- */

/* Seconds of a unit that is out, on average. */
static double seconds_of_unit(const struct shared_count *shared)
{
    return shared->out_count ? shared->out * seconds_per_weight(shared) / (double)shared->out_count : 0;
}

/* Seconds to go, by what workers have needed so far, with all their threads, or the server's if there are none; 0: not
 * known. No less than a unit that is out; a unit that is late may be lost: then it comes once more when its lease is
 * over. */
static double seconds_to_go(const struct shared_count *shared, const struct progress *progress, unsigned threads)
{
    const struct coordinator_options *options = &shared->home->options;
    const double one = seconds_of_unit(shared);
    if (shared->reports < ENOUGH_REPORTS)
        return 0;
    const double left = (double)(progress->weight - progress->weight_done) * seconds_per_weight(shared) /
                        (threads ? threads : options->threads);
    const bool late =
        shared->out_count && timed_long_ago(shared->moved_at, RENEW_MS + (unsigned)(1000 * fmin(one, 3600)));
    return fmin(fmax(left, one) + (late ? options->lease_ms / 1e3 : 0), MESSAGE_SECONDS_MAX);
}

/* How far it is, for servers that follow; NULL: out of memory. */
static char *describe(struct shared_count *shared, unsigned threads)
{
    struct progress progress = {.weight = 0};
    struct bytes text = {0};
    shared->class->progress(shared->who, &progress);
    progress.seconds = seconds_to_go(shared, &progress, threads);
    lock_take(&shared->home->lock);
    shared->seconds = progress.seconds;
    lock_release(&shared->home->lock);
    progress_write(&progress, &text);
    return bytes_take(&text);
}

/* NQ_DENIED: another server may lead by now, whose batches they would be. */
static enum nq_status delete_batches(struct shared_count *shared)
{
    return leader_is_sure(&shared->leader) ? queue_delete(shared->home->options.queue, shared->id) : NQ_DENIED;
}

/* Only where its batches can be taken: otherwise they would stay. Those of who led before go: it may have died. */
static enum nq_status lead(struct shared_count *shared)
{
    enum nq_status status = queue_prepare(shared->home->options.queue);
    if (status == NQ_OK)
        status = delete_batches(shared);
    if (status != NQ_OK)
        return status;
    shared->state = LEADS;
    return NQ_OK;
}

/* Waits for no batch any more. */
static void forget_batches(struct shared_count *shared)
{
    shared->out = 0;
    shared->out_count = 0;
    shared->has_held = false;
    shared->handed_out = false;
    shared->batch.runs = 0;
}

/* Should it lead later, it begins with what is stored by then. */
static void follow(struct shared_count *shared, const struct bytes *note)
{
    struct progress progress;
    shared->state = FOLLOWS;
    shared->followed = true;
    shared->begun = false;
    forget_batches(shared);
    if (progress_read(&progress, note->data, note->size) != NQ_OK)
        return;
    lock_take(&shared->home->lock);
    shared->progress = progress;
    lock_release(&shared->home->lock);
}

/* Writes the leader's key, if it is ours or nobody's. threads: of all workers. False: another server leads, or there is
 * no broker. */
static bool shared_count_lead(struct shared_count *shared, unsigned threads)
{
    struct bytes theirs = {0};
    char *note = shared->begun ? describe(shared, threads) : NULL;
    enum nq_status status =
        queue_lead(shared->home->options.queue, shared->id, note ? note : "", &shared->leader, &theirs);
    shared->tried_at = clock_now();
    if (status == NQ_OK && shared->state != LEADS)
        status = lead(shared);
    if (status == NQ_DENIED)
        follow(shared, &theirs);
    bytes_free(&theirs);
    free(note);
    return status == NQ_OK;
}

/* ---- What does not come back ---- */

static void log_again(const struct shared_count *shared, unsigned threads)
{
    if (threads)
        coordinator_log(shared->home, "takeover", "%zu units of %.300s came to nothing and are handed out again",
                        shared->out_count, shared->query);
    else
        coordinator_log(shared->home, "takeover", "no worker is left: this server itself counts %zu units of %.300s",
                        shared->out_count, shared->query);
}

/* Units of batches are for other workers, or for the server's tasks, if there are none. */
static void shared_count_hand_out_again(struct shared_count *shared, unsigned threads)
{
    if (shared->out_count)
        log_again(shared, threads);
    (void)delete_batches(shared); /* to count them twice would be no fault */
    lock_take(&shared->home->lock);
    shared->home->stats.reposted += shared->out_count;
    lock_release(&shared->home->lock);
    forget_batches(shared);
    shared->class->rewind(shared->who);
}

/* Hands out again what was lost, if no result has come for too long and no batch is left. */
static void shared_count_recover_stalled(struct shared_count *shared, unsigned threads)
{
    struct fault fault;
    struct progress progress = {.weight = 0};
    if (!shared->handed_out || !timed_long_ago(shared->moved_at, STALL_MS + waits_for(seconds_of_unit(shared))))
        return;
    shared->moved_at = clock_now();
    shared->class->progress(shared->who, &progress);
    const size_t open = progress.units - progress.units_done, out = shared->out_count;
    if (!open || queue_has(shared->home->options.queue, shared->id) != NQ_NONE)
        return;
    shared_count_hand_out_again(shared, threads);
    if (out && ++shared->reposts > REPOSTS) {
        fault_write(&fault, FAULT_UNITS, (const double[]){(double)open},
                    "%zu units were handed out again and again, and no worker could count them.", open);
        lock_take(&shared->home->lock);
        shared_count_fail(shared, NQ_BROKEN, &fault);
        lock_release(&shared->home->lock);
    }
}

/* ---- What the tasks of a count ask ---- */

struct shared_count *shared_count_open(struct coordinator *coordinator, const char *query,
                                       const struct shared_count_class *class, void *who)
{
    struct shared_count *shared = calloc(1, sizeof *shared);
    if (!shared)
        return NULL;
    *shared = (struct shared_count){
        .home = coordinator, .class = class, .who = who, .query = strdup(query), .moved_at = clock_now()};
    if (!shared->query) {
        free(shared);
        return NULL;
    }
    work_id(query, shared->id);
    shared->busy = true;
    coordinator_add(coordinator, shared); /* first: an earlier count of the same must not end the work now */
    (void)shared_count_lead(shared, 0);   /* or the thread does it */
    shared_count_leave(shared);
    return shared;
}

static void on_stored(void *who, enum nq_status status)
{
    (void)status;
    struct shared_count *shared = who;
    lock_take(&shared->home->lock);
    shared->stored = true;
    lock_release(&shared->home->lock);
}

void shared_count_close(struct shared_count *shared, bool kept)
{
    assert(!shared->closed);
    struct coordinator *coordinator = shared->home;
    lock_take(&coordinator->lock);
    while (shared->busy)
        (void)timed_wait(&coordinator->left, &coordinator->lock, timed_in(RECEIVE_MS));
    shared->kept = kept;
    shared->closed = true; /* the thread frees it, as soon as it is stored if it is kept */
    lock_release(&coordinator->lock);
    if (kept && !journal_notify(coordinator->options.journal, on_stored, shared))
        on_stored(shared, NQ_NOMEM);
}

/* Another server leads it: when that one is gone its result is in the store, or what it had of it. */
static bool follows(const struct shared_count *shared)
{
    return shared->state == FOLLOWS;
}

enum nq_status shared_count_admit(struct shared_count *shared, const struct slice *slice, const atomic_bool *stop)
{
    enum nq_status status = NQ_OK;
    if (!follows(shared) && shared->begun)
        return NQ_OK;
    if (follows(shared) || atomic_exchange(&shared->attended, true))
        return slice_rest(slice);
    if (!shared->begun)
        status = shared->class->begin(shared->who, stop);
    atomic_store(&shared->attended, false);
    return status;
}

void shared_count_begin(struct shared_count *shared)
{
    struct progress progress = {.weight = 0};
    shared->class->progress(shared->who, &progress);
    if (shared->followed && progress.units_done < progress.units)
        coordinator_log(shared->home, "takeover", "this server goes on with %.300s, which another one led",
                        shared->query);
    shared->followed = false;
    shared->begun = true;
}

/* settled: every worker there is has been received. */
static unsigned threads_now(struct coordinator *coordinator, bool *settled)
{
    lock_take(&coordinator->lock);
    const unsigned threads = coordinator->connected ? workers_threads(coordinator) : 0;
    *settled = coordinator->connected && timed_long_ago(coordinator->connected, SETTLE_MS);
    lock_release(&coordinator->lock);
    return threads;
}

unsigned shared_count_threads(struct shared_count *shared, const atomic_bool *stop)
{
    const struct timespec moment = {.tv_nsec = RECEIVE_MS * CLOCK_MILLISECOND};
    const uint64_t until = timed_in(SETTLE_MS);
    bool settled;
    unsigned threads;
    while (!(threads = threads_now(shared->home, &settled)) && !settled && clock_now() < until && !stop_wanted(stop))
        nanosleep(&moment, NULL);
    return threads;
}

bool shared_count_alone(struct shared_count *shared)
{
    bool settled;
    return !threads_now(shared->home, &settled) && settled;
}

void shared_count_audited(struct shared_count *shared, size_t unit, nq_wide parts)
{
    audits_check(shared, unit, parts, "this server");
}

enum nq_status shared_count_verdict(struct shared_count *shared, struct fault *fault)
{
    lock_take(&shared->home->lock);
    const enum nq_status status = shared->verdict;
    *fault = shared->fault;
    lock_release(&shared->home->lock);
    return status;
}

void shared_count_progress(struct shared_count *shared, struct progress *progress)
{
    lock_take(&shared->home->lock);
    if (follows(shared) || !shared->begun || !progress->units)
        *progress = shared->progress;
    else
        progress->seconds =
            shared->home->connected ? shared->seconds : 0; /* without a broker it is not kept up to date */
    lock_release(&shared->home->lock);
}

/* Milliseconds between two looks at the depth of the queue. */
enum { MEASURE_MS = 2000 };

/* Messages that are received in one go. */
enum { RECEIVED = 1024 };

/* ---- What is received ---- */

/* A report of more seconds than that for a unit is not used to estimate others. */
enum { CREDIBLE_S = 1000000 };

static void on_counted(struct shared_count *shared, size_t unit, const struct report_message *message)
{
    assert(shared->busy); /* its count may not be closed meanwhile */
    const double weight = shared->class->weight(shared->who, unit);
    shared->moved_at = clock_now();
    shared->reposts = 0;
    if (shared->class->over(shared->who, unit))
        return; /* another worker was faster */
    shared->out = shared->out > weight ? shared->out - weight : 0;
    shared->out_count -= shared->out_count > 0;
    if (message->seconds > 0 && message->seconds < CREDIBLE_S) {
        shared->weight_back += weight;
        shared->seconds_back += message->seconds;
        shared->reports++;
    }
    audits_begin(shared, unit, weight * seconds_per_weight(shared), message);
    shared->class->adopt(shared->who, unit, message->parts, message->nodes);
    lock_take(&shared->home->lock);
    shared->home->stats.units++;
    lock_release(&shared->home->lock);
}

static void on_report(struct shared_count *shared, const struct report_message *message)
{
    size_t unit;
    if (!shared->begun || !shared->class->find(shared->who, &message->place, message->parts, &unit))
        return;
    switch (message->report) {
    case MESSAGE_COUNTED: on_counted(shared, unit, message); break;
    case MESSAGE_CHECKED: audits_check(shared, unit, message->parts, message->worker); break;
    }
}

static void receive(struct coordinator *coordinator, const struct queue_message *message)
{
    struct worker_message worker;
    struct report_message report;
    const char *text = message->text.data;
    const size_t size = message->text.size;
    if (!*message->id)
        return; /* nobody's: it would be logged as it is */
    if (message->topic == QUEUE_WORKER) {
        if (worker_message_read(&worker, text, size) == NQ_OK)
            workers_receive(coordinator, message->id, &worker);
        return;
    }
    struct shared_count *shared = coordinator_find(coordinator, message->id); /* only this thread frees one */
    if (!shared || !shared_count_enter(shared))
        return;
    if (message->topic == QUEUE_REPORT && report_message_read(&report, text, size) == NQ_OK)
        on_report(shared, &report);
    shared_count_leave(shared);
}

/* ---- What is attended to ---- */

static void attend_led(struct shared_count *shared, unsigned threads)
{
    if (timed_long_ago(shared->tried_at, RENEW_MS) && !shared_count_lead(shared, threads))
        return;
    if (!shared->begun)
        return;
    if (!threads && shared->handed_out) {
        shared_count_hand_out_again(shared, threads);
        return;
    }
    if (threads)
        shared_count_post_more(shared, threads);
    shared_count_ask_audits(shared);
    if (threads)
        shared_count_recover_stalled(shared, threads);
}

/* What the leader's key says is how far the other server is. */
static void attend_other(struct shared_count *shared, unsigned threads)
{
    if (timed_long_ago(shared->tried_at, RENEW_MS))
        (void)shared_count_lead(shared, threads);
}

/* One that was taken off the list. Its key may have gone to another count of the same by now. */
static void shared_count_free(struct shared_count *shared)
{
    assert(!shared->busy);
    if (shared->leader.revision && !coordinator_find(shared->home, shared->id))
        (void)queue_finish(shared->home->options.queue, shared->id, &shared->leader);
    for (struct audit *audit; (audit = shared->audits); free(audit))
        shared->audits = audit->next;
    free(shared->query);
    free(shared);
}

/* Frees a shared count whose count is gone, and returns the next one: others may have the work, or its result. Should
 * the broker not answer, the key lapses. Only the thread takes one off the list. */
static struct shared_count *next_of(struct coordinator *coordinator, struct shared_count *shared)
{
    lock_take(&coordinator->lock);
    struct shared_count **at = &coordinator->list, *next = shared->next;
    const bool gone = shared->closed && (shared->stored || !shared->kept);
    while (*at != shared)
        at = &(*at)->next;
    if (gone)
        *at = next;
    lock_release(&coordinator->lock);
    if (gone)
        shared_count_free(shared);
    return next;
}

static void measure(struct coordinator *coordinator, bool leads)
{
    struct queue_depth depth = {0};
    if (!timed_long_ago(coordinator->measured_at, MEASURE_MS))
        return;
    coordinator->measured_at = clock_now();
    if (leads && queue_depth(coordinator->options.queue, &depth) == NQ_NONE)
        (void)queue_prepare(coordinator->options.queue);
    lock_take(&coordinator->lock);
    coordinator->stats.ready = depth.ready;
    coordinator->stats.leased = depth.leased;
    lock_release(&coordinator->lock);
}

static void attend_all(struct coordinator *coordinator)
{
    const bool connected = queue_connected(coordinator->options.queue);
    bool leads = false;
    workers_refresh(coordinator, connected);
    lock_take(&coordinator->lock);
    const unsigned threads = workers_threads(coordinator);
    struct shared_count *shared = coordinator->list;
    lock_release(&coordinator->lock);
    for (; shared; shared = next_of(coordinator, shared)) {
        if (!shared_count_enter(shared))
            continue;
        leads |= shared->state == LEADS;
        if (connected)
            (shared->state == LEADS ? attend_led : attend_other)(shared, threads);
        shared_count_leave(shared);
    }
    measure(coordinator, leads);
}

static bool stops(struct coordinator *coordinator)
{
    lock_take(&coordinator->lock);
    const bool stops = coordinator->stopping;
    lock_release(&coordinator->lock);
    return stops;
}

static void *run(void *arg)
{
    struct coordinator *coordinator = arg;
    thread_name("coordinator");
    while (!stops(coordinator)) {
        struct queue_message message = {.text = {0}};
        unsigned milliseconds = RECEIVE_MS;
        for (int i = 0; i < RECEIVED && queue_receive(coordinator->options.queue, milliseconds, &message) == NQ_OK;
             i++) {
            receive(coordinator, &message);
            message.text.size = 0;
            milliseconds = 0;
        }
        bytes_free(&message.text);
        attend_all(coordinator);
    }
    return NULL;
}

struct coordinator *coordinator_new(const struct coordinator_options *options)
{
    struct coordinator *coordinator = calloc(1, sizeof *coordinator);
    if (!coordinator)
        return NULL;
    coordinator->options = *options;
    coordinator->salt = process_draw();
    lock_init(&coordinator->lock, LOCK_COORDINATOR);
    timed_init(&coordinator->left);
    if (pthread_create(&coordinator->thread, NULL, run, coordinator) != 0) {
        coordinator_free(coordinator);
        return NULL;
    }
    return coordinator;
}

void coordinator_stop(struct coordinator *coordinator)
{
    lock_take(&coordinator->lock);
    coordinator->stopping = true;
    lock_release(&coordinator->lock);
    pthread_join(coordinator->thread, NULL);
}

void coordinator_free(struct coordinator *coordinator)
{
    while (coordinator->list) {
        struct shared_count *shared = coordinator->list;
        assert(shared->closed); /* its count would call a coordinator that is gone */
        coordinator->list = shared->next;
        shared_count_free(shared);
    }
    while (coordinator->workers) {
        struct known_worker *worker = coordinator->workers;
        coordinator->workers = worker->next;
        free(worker);
    }
    pthread_cond_destroy(&coordinator->left);
    lock_destroy(&coordinator->lock);
    free(coordinator);
}

struct coordinator_stats coordinator_stats(struct coordinator *coordinator)
{
    lock_take(&coordinator->lock);
    struct coordinator_stats stats = coordinator->stats;
    stats.connected = coordinator->connected;
    stats.worker_threads = workers_threads(coordinator);
    for (const struct known_worker *worker = coordinator->workers; worker; worker = worker->next) {
        stats.workers += !worker->foreign;
        stats.foreign += worker->foreign;
        if (worker->foreign)
            memcpy(stats.foreign_release, worker->release, sizeof worker->release);
    }
    for (const struct shared_count *shared = coordinator->list; shared; shared = shared->next) {
        stats.led += shared->state == LEADS && !shared->closed;
        stats.followed += shared->state == FOLLOWS && !shared->closed;
    }
    lock_release(&coordinator->lock);
    return stats;
}

#ifdef CHECKS
static void check_shared_count(const struct shared_count *shared)
{
    assert(shared->query && shared->class);
    assert(strlen(shared->id) == sizeof shared->id - 1);
    const int state = atomic_load(&shared->state);
    assert(state == ALONE || state == LEADS || state == FOLLOWS);
    assert(!shared->kept || shared->closed);
    assert(!shared->stored || shared->kept); /* what is not kept is not waited for */
    assert(!shared->closed || !shared->busy);
    for (const struct audit *audit = shared->audits; audit; audit = audit->next)
        assert(audit->state <= AUDIT_TAKEN && memchr(audit->worker, '\0', sizeof audit->worker));
}

static void check_workers(const struct coordinator *coordinator)
{
    enum { COMPARED = 64 }; /* with all that are younger */
    size_t known = 0;
    for (const struct known_worker *worker = coordinator->workers; worker; worker = worker->next, known++) {
        assert(known < coordinator->known); /* or it is a circle */
        assert(worker->left == (worker->threads == 0));
        const struct known_worker *same = known < COMPARED ? coordinator->workers : worker;
        while (same != worker && strcmp(same->id, worker->id) != 0)
            same = same->next;
        assert(same == worker);
    }
    assert(coordinator->known == known);
}

void coordinator_check(struct coordinator *coordinator)
{
    if (!lock_take_to_check(&coordinator->lock))
        return;
    for (const struct shared_count *shared = coordinator->list; shared; shared = shared->next) {
        assert(shared->home == coordinator);
        check_shared_count(shared);
    }
    check_workers(coordinator);
    lock_release(&coordinator->lock);
}
#endif
