/* coordinator_state.c - two lists, searched from their beginnings. */
#include "engine/cluster/coordinator_state.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "base/timed.h"

enum { LOG_MAX = 400 };

/* Workers that are known: any client of the broker can make up workers. */
enum { WORKERS_MOST = 65536 };

void coordinator_log(const struct coordinator *coordinator, const char *event, const char *format, ...)
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

void coordinator_add(struct coordinator *coordinator, struct shared_count *shared)
{
    lock_take(&coordinator->lock);
    shared->next = coordinator->list;
    coordinator->list = shared;
    lock_release(&coordinator->lock);
}

struct shared_count *coordinator_find(struct coordinator *coordinator, const char *id)
{
    lock_take(&coordinator->lock);
    struct shared_count *shared = coordinator->list;
    while (shared && strcmp(shared->id, id) != 0)
        shared = shared->next;
    lock_release(&coordinator->lock);
    return shared;
}

bool shared_count_enter(struct shared_count *shared)
{
    lock_take(&shared->home->lock);
    const bool entered = !shared->busy && !shared->closed;
    shared->busy |= entered;
    lock_release(&shared->home->lock);
    return entered;
}

void shared_count_leave(struct shared_count *shared)
{
    lock_take(&shared->home->lock);
    assert(shared->busy); /* or two threads have used it */
    shared->busy = false;
    pthread_cond_broadcast(&shared->home->left);
    lock_release(&shared->home->lock);
}

void shared_count_fail(struct shared_count *shared, enum nq_status status, const struct fault *fault)
{
    lock_assert(&shared->home->lock);
    assert(status != NQ_OK);
    if (shared->verdict != NQ_OK)
        return;
    shared->verdict = status;
    shared->fault = *fault;
}

/* ---- Workers ---- */

unsigned workers_threads(const struct coordinator *coordinator)
{
    unsigned threads = 0;
    for (const struct known_worker *worker = coordinator->workers; worker; worker = worker->next)
        threads += worker->foreign ? 0 : worker->threads;
    return threads;
}

bool workers_other_than(const struct coordinator *coordinator, const char *id)
{
    const struct known_worker *worker = coordinator->workers;
    while (worker && (worker->foreign || worker->left || strcmp(worker->id, id) == 0))
        worker = worker->next;
    return worker;
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

void workers_refresh(struct coordinator *coordinator, bool connected)
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

void workers_receive(struct coordinator *coordinator, const char *id, const struct worker_message *message)
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
