/* coordinator.c - the thread: it receives what the broker has, and then attends to each shared count in turn. */
#include "engine/cluster/coordinator.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "base/timed.h"
#include "engine/cluster/audits.h"

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
    if (message->seconds > 0 && message->seconds < CREDIBLE_S) { /* one found in the store took none */
        shared->weight_back += weight;
        shared->seconds_back += message->seconds;
        shared->reports++;
    }
    audits_begin(shared, unit, message->parts, message->worker);
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
    case MESSAGE_DIFFERS: audits_disagree(shared, &message->place, message->worker, "the store"); break;
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
    if (timed_long_ago(shared->claimed_at, CLAIM_MS) && !shared_count_claim(shared, threads))
        return;
    if (!shared->begun)
        return;
    if (!threads && shared->handed_out) {
        shared_count_withdraw(shared, threads);
        return;
    }
    if (threads)
        shared_count_post_more(shared, threads);
    shared_count_post_audits(shared);
    if (threads)
        shared_count_recover_stalled(shared, threads); /* at last: it may withdraw, and nothing is posted after that */
}

/* With the claim it reads how far the other server is. */
static void attend_other(struct shared_count *shared, unsigned threads)
{
    if (!timed_long_ago(shared->claimed_at, CLAIM_MS))
        return;
    if (shared_count_claim(shared, threads) && shared->begun) /* it led before, and stood still for too long */
        shared_count_withdraw(shared, threads);
}

/* One that was taken off the list. Its claim may have gone to another count of the same by now. */
static void shared_count_free(struct shared_count *shared)
{
    assert(!shared->busy);
    if (shared->claim.ours && !coordinator_find(shared->home, shared->id))
        (void)queue_finish(shared->home->options.queue, shared->id);
    audits_forget(shared, true);
    free(shared->query);
    free(shared);
}

/* Frees a shared count whose count is gone, and returns the next one: others may have the work, or its result. Should
 * the broker not answer, the claim lapses. Only the thread takes one off the list. */
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
        assert(audit->state <= AUDIT_OVER && memchr(audit->worker, '\0', sizeof audit->worker));
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
