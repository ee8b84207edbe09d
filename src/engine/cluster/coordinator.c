/* coordinator.c - the thread: it receives what the broker has, and then attends to each shared count in turn. */
#include "engine/cluster/coordinator.h"

#include <stdlib.h>
#include <string.h>

#include "base/timed.h"
#include "engine/cluster/audits.h"
#include "engine/cluster/coordinator_publish.h"
#include "engine/cluster/coordinator_receive.h"

/* Milliseconds between two looks at the depth of the queue. */
enum { MEASURE_MS = 2000 };

/* Messages that are received in one go. */
enum { RECEIVED = 1024 };

static void attend_led(struct shared_count *shared, unsigned threads)
{
    const bool due = timed_long_ago(shared->claimed_at, CLAIM_MS) || (shared->begun && !shared->described);
    if (due && !shared_count_claim(shared, threads))
        return;
    if (!shared->begun)
        return;
    if (threads)
        shared_count_post_more(shared, threads);
    else if (shared->out.count)
        shared_count_withdraw(shared, threads);
    shared_count_post_audits(shared);
    shared_count_recover_stalled(shared, threads);
    if (timed_long_ago(shared->measured_at, MEASURE_MS)) {
        shared->measured_at = clock_now();
        shared_count_measure(shared);
    }
}

/* With the claim it reads how far the other server is. */
static void attend_other(struct shared_count *shared, unsigned threads)
{
    if (!timed_long_ago(shared->claimed_at, CLAIM_MS))
        return;
    if (shared_count_claim(shared, threads) && shared->begun) /* it led before, and stood still for too long */
        shared_count_withdraw(shared, threads);
}

/* The server gives the work up; others may have it, or its result. False: the broker must be asked again, for batches
 * do not go by themselves. */
static bool remove_work(struct shared_count *shared)
{
    if (!shared->claim.ours)
        return true;
    const enum nq_status status = queue_finish(shared->home->options.queue, shared->id);
    shared->removed_at = clock_now();
    return status == NQ_OK || status == NQ_DENIED;
}

static void shared_count_free(struct shared_count *shared)
{
    audits_forget(shared, true);
    pending_close(&shared->out);
    pending_close(&shared->requeued);
    free(shared->query);
    free(shared);
}

/* Frees a shared count whose count is gone, and returns the next one. Only the thread takes one off the list. */
static struct shared_count *next_of(struct coordinator *coordinator, struct shared_count *shared)
{
    unsigned same = 0;
    lock_take(&coordinator->lock);
    struct shared_count *next = shared->next;
    const bool gone = shared->closed && (shared->stored || !shared->kept) &&
                      timed_long_ago(shared->removed_at, CLAIM_MS); /* or it was tried just now */
    for (const struct shared_count *at = coordinator->list; at; at = at->next)
        same += strcmp(at->id, shared->id) == 0;
    lock_release(&coordinator->lock);
    if (!gone)
        return next;
    if (same == 1 && !remove_work(shared)) /* otherwise it was begun anew, and has the same work */
        return next;
    lock_take(&coordinator->lock);
    struct shared_count **at = &coordinator->list;
    while (*at != shared)
        at = &(*at)->next;
    *at = next = shared->next;
    lock_release(&coordinator->lock);
    shared_count_free(shared);
    return next;
}

static void attend_all(struct coordinator *coordinator)
{
    const bool connected = queue_connected(coordinator->options.queue);
    workers_refresh(coordinator, connected);
    lock_take(&coordinator->lock);
    const unsigned threads = workers_threads(coordinator);
    struct shared_count *shared = coordinator->list;
    lock_release(&coordinator->lock);
    for (; shared; shared = next_of(coordinator, shared)) {
        if (!shared_count_enter(shared))
            continue;
        if (connected)
            (shared->state == LEADS ? attend_led : attend_other)(shared, threads);
        shared_count_leave(shared);
    }
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
    while (!stops(coordinator)) {
        struct queue_message message = {.text = {0}};
        unsigned milliseconds = RECEIVE_MS;
        for (int i = 0; i < RECEIVED && queue_receive(coordinator->options.queue, milliseconds, &message) == NQ_OK;
             i++) {
            coordinator_receive(coordinator, &message);
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
    coordinator->salt = clock_now();
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
        coordinator->list = shared->next;
        (void)remove_work(shared);
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
        stats.ready += shared->ready;
        stats.leased += shared->leased;
    }
    lock_release(&coordinator->lock);
    return stats;
}
