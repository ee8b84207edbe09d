/* events.c - each client is either being written to by libmicrohttpd's thread, or suspended, and then its `pending` is
 * armed. The hub finds out under its lock whom to wake, and wakes them without it: libmicrohttpd has a lock of its
 * own. */
#include "http/reply/events.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/lock.h"
#include "formats/format.h"
#include "http/reply/job_json.h"

/* Progress at most four times a second; a comment now and then, or proxies take the connection for dead. */
#define PROGRESS_EVERY (CLOCK_SECOND / 4)
#define HEARTBEAT_EVERY (15 * CLOCK_SECOND)

struct hub {
    struct engine *engine;
    unsigned most, seconds;
    struct lock lock; /* guards all below, and of each client what says so. The engine is not called under it */
    unsigned open;
    unsigned waking;      /* threads that are about to wake clients, */
    pthread_cond_t awake; /* until there are none */
    bool closed;
    struct events *clients;
};

struct events {
    struct pending pending;
    struct hub *hub;
    const char *prefix;
    char id[JOB_ID_SIZE];
    uint64_t until; /* clock_now(): then the stream ends, and the client may come again */

    /* Under the hub's lock. */
    struct events *next;
    struct events *woken; /* the next one of those that a thread has disarmed, and is about to wake */
    bool gone;
    bool changed;       /* it shows more than progress, or was never looked at */
    size_t units;       /* done, by the last look for any client of the job */
    uint64_t looked_at; /* clock_now() */

    /* Libmicrohttpd's thread's, unless armed: then under the hub's lock. */
    struct bytes text; /* what is being sent */
    size_t at;
    size_t sent_units; /* done, by the last event */
    uint64_t sent_at;  /* clock_now(): the last event or comment */
    bool any, ended;   /* an event was sent; the last one was */
};

static bool progress_due(const struct events *events, size_t units, uint64_t now)
{
    return !events->any || (units != events->sent_units && now - events->sent_at >= PROGRESS_EVERY);
}

/* ---- Under the lock ---- */

static bool look_due(const struct events *events, uint64_t now)
{
    return events->changed || progress_due(events, events->units, now) || now - events->sent_at >= HEARTBEAT_EVERY;
}

/* Whether there is more for its reader than to wait. While it is armed, or by its reader. */
static bool is_due(const struct events *events, uint64_t now)
{
    lock_assert(&events->hub->lock);
    return events->gone || events->hub->closed || now >= events->until || look_due(events, now);
}

/* Puts a client that waits on a list of those to be woken. It stays until it is woken: its connection is suspended. */
static void disarm(struct events *events, struct events **woken)
{
    lock_assert(&events->hub->lock);
    if (!pending_disarm(&events->pending))
        return;
    events->woken = *woken;
    *woken = events;
}

/* Releases the lock, and wakes those on the list. */
static void release_and_wake(struct hub *hub, struct events *woken)
{
    hub->waking += woken != NULL;
    lock_release(&hub->lock);
    if (!woken)
        return;
    while (woken) {
        struct pending *pending = &woken->pending;
        woken = woken->woken; /* its reader may end it at once */
        pending->wake(pending->who);
    }
    lock_take(&hub->lock);
    if (--hub->waking == 0)
        pthread_cond_broadcast(&hub->awake);
    lock_release(&hub->lock);
}

/* ---- The hub ---- */

/* Looks at a job for all its clients. */
static enum nq_status look_at(struct hub *hub, const char *id, uint64_t now, struct job_view *view)
{
    const enum nq_status status = engine_look(hub->engine, id, false, view);
    lock_take(&hub->lock);
    for (struct events *events = hub->clients; events; events = events->next) {
        if (strcmp(events->id, id) != 0)
            continue;
        events->looked_at = now;
        events->changed |= status != NQ_OK || job_state_over(view->state);
        if (status == NQ_OK)
            events->units = view->progress.units_done;
    }
    lock_release(&hub->lock);
    return status;
}

struct hub *hub_new(struct engine *engine, unsigned most, unsigned seconds)
{
    struct hub *hub = calloc(1, sizeof *hub);
    if (!hub)
        return NULL;
    *hub = (struct hub){.engine = engine, .most = most, .seconds = seconds};
    lock_init(&hub->lock, LOCK_EVENTS);
    pthread_cond_init(&hub->awake, NULL);
    return hub;
}

void hub_free(struct hub *hub)
{
    if (!hub)
        return;
    pthread_cond_destroy(&hub->awake);
    lock_destroy(&hub->lock);
    free(hub);
}

/* The job to be looked at next in a tick: one that a client waits for. False: none. */
static bool next_job(struct hub *hub, uint64_t now, char id[static JOB_ID_SIZE])
{
    lock_take(&hub->lock);
    const struct events *events = hub->clients;
    while (events && !(atomic_load(&events->pending.armed) && events->looked_at < now))
        events = events->next;
    if (events)
        memcpy(id, events->id, sizeof events->id);
    lock_release(&hub->lock);
    return events;
}

static void wake_due(struct hub *hub, uint64_t now)
{
    struct events *woken = NULL;
    lock_take(&hub->lock);
    for (struct events *events = hub->clients; events; events = events->next)
        if (atomic_load(&events->pending.armed) && is_due(events, now)) /* or what it sent is its reader's to write */
            disarm(events, &woken);
    release_and_wake(hub, woken);
}

void hub_tick(struct hub *hub)
{
    const uint64_t now = clock_now();
    char id[JOB_ID_SIZE];
    struct job_view view;
    while (next_job(hub, now, id))
        if (look_at(hub, id, now, &view) == NQ_OK)
            job_view_free(&view);
    wake_due(hub, now);
}

void hub_close(struct hub *hub)
{
    lock_take(&hub->lock);
    hub->closed = true;
    lock_release(&hub->lock);
    wake_due(hub, clock_now());
    lock_take(&hub->lock);
    while (hub->waking)
        lock_wait(&hub->awake, &hub->lock);
    lock_release(&hub->lock);
}

/* ---- One client ---- */

static void cancel(struct pending *pending, enum nq_status why)
{
    struct events *events = (struct events *)pending;
    (void)why;
    lock_take(&events->hub->lock);
    events->gone = true;
    lock_release(&events->hub->lock);
    pending_notify(pending);
}

static void events_free(struct pending *pending)
{
    struct events *events = (struct events *)pending;
    struct hub *hub = events->hub;
    struct events **at = &hub->clients;
    lock_take(&hub->lock);
    assert(hub->open > 0);
    while (*at != events)
        at = &(*at)->next;
    *at = events->next;
    hub->open--;
    lock_release(&hub->lock);
    bytes_free(&events->text);
    free(events);
}

static const char ended_id[] = EVENT_ID_END;

bool events_complete(const char *last)
{
    return last && strcmp(last, ended_id) == 0;
}

static const struct pending_class events_class = {.cancel = cancel, .free = events_free};

void events_set_prefix(struct events *events, const char *prefix)
{
    events->prefix = prefix;
}

enum nq_status events_open(struct hub *hub, const char *id, const char *last, pending_wake *wake, void *who,
                           struct events **out)
{
    struct events *events = calloc(1, sizeof *events);
    if (!events)
        return NQ_NOMEM;
    events->pending = (struct pending){
        .class = &events_class, .references = 1, .status = NQ_AGAIN, .wake = wake, .who = who}; /* not armed yet */
    events->hub = hub;
    events->prefix = "";
    events->until = clock_now() + hub->seconds * CLOCK_SECOND;
    events->changed = true; /* the first look is due */
    (void)snprintf(events->id, sizeof events->id, "%s", id);
    char *end;
    if (last && *last >= '0' && *last <= '9') { /* the units done by the last event that the client received */
        events->sent_units = strtoul(last, &end, 10);
        events->any = *end == '\0';
        events->sent_at = events->any ? clock_now() : 0;
    }
    lock_take(&hub->lock);
    const bool room = hub->open < hub->most;
    if (room) {
        hub->open++;
        events->next = hub->clients;
        hub->clients = events;
        *out = events;
    }
    lock_release(&hub->lock);
    if (!room)
        free(events);
    return room ? NQ_OK : NQ_BUSY;
}

struct pending *events_pending(struct events *events)
{
    return &events->pending;
}

bool events_wait(struct events *events)
{
    struct hub *hub = events->hub;
    pending_arm(&events->pending); /* before it looks: what comes in between wakes it */
    lock_take(&hub->lock);
    const bool goes_on =
        is_due(events, clock_now()) && pending_disarm(&events->pending); /* under the lock: see wake_due() */
    lock_release(&hub->lock);
    return !goes_on;
}

enum action { ACT_WAIT, ACT_LOOK, ACT_END, ACT_CUT };

/* What to do next. */
static enum action next_action(struct events *events, uint64_t now)
{
    enum action action = ACT_WAIT;
    lock_take(&events->hub->lock);
    if (events->gone || events->hub->closed) {
        action = ACT_CUT;
    } else if (now >= events->until) {
        action = ACT_END;
    } else if (look_due(events, now)) {
        action = ACT_LOOK;
        events->changed = false; /* a change from here on is one after the look */
    }
    lock_release(&events->hub->lock);
    return action;
}

/* Looks at the job, and writes an event or a comment if one is due. False: out of memory. */
static bool look(struct events *events, uint64_t now)
{
    struct job_view view;
    struct bytes *text = &events->text;
    const enum nq_status status = look_at(events->hub, events->id, now, &view);
    events->ended = status == NQ_NONE /* forgotten */ || (status == NQ_OK && job_state_over(view.state));
    if (status != NQ_OK)
        return events->ended;
    if (events->ended || progress_due(events, view.progress.units_done, now)) {
        events->any = true;
        events->sent_units = view.progress.units_done;
        if (events->ended)
            bytes_format(text, "id: %s\nevent: done\ndata: ", ended_id);
        else
            bytes_format(text, "id: %zu\nevent: progress\ndata: ", events->sent_units);
        job_write(text, &view, events->prefix);
        bytes_char(text, '\n');
    } else if (now - events->sent_at >= HEARTBEAT_EVERY) {
        bytes_text(text, ": still there\n\n");
    }
    if (text->size)
        events->sent_at = now;
    job_view_free(&view);
    return !text->failed;
}

ssize_t events_read(void *cls, uint64_t position, char *to, size_t size)
{
    struct events *events = cls;
    struct bytes *text = &events->text;
    (void)position;
    assert(events->at <= text->size);
    if (events->at == text->size)
        text->size = events->at = 0;
    while (!text->size && !events->ended) {
        const uint64_t now = clock_now();
        switch (next_action(events, now)) {
        case ACT_WAIT: return 0;
        case ACT_END: return MHD_CONTENT_READER_END_OF_STREAM; /* the client comes again, with the last event's id */
        case ACT_CUT: return MHD_CONTENT_READER_END_WITH_ERROR;
        case ACT_LOOK:
            if (!look(events, now))
                return MHD_CONTENT_READER_END_WITH_ERROR;
        }
    }
    if (!text->size)
        return MHD_CONTENT_READER_END_OF_STREAM;
    const size_t left = text->size - events->at, count = left < size ? left : size;
    memcpy(to, text->data + events->at, count);
    events->at += count;
    return (ssize_t)count;
}
