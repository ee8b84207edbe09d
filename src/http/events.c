/* events.c - every client that listens is either being written to by libmicrohttpd's thread, or suspended and on the
 * hub's list. Whoever takes it off that list, under the hub's lock, is the one who resumes it. */
#include "http/events.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "http/job_json.h"

/* Progress at most four times a second; a comment now and then, so that proxies do not think it dead. */
#define PROGRESS_EVERY (CLOCK_SECOND / 4)
#define HEARTBEAT_EVERY (15 * CLOCK_SECOND)

struct hub {
    struct engine *engine;
    const char *prefix;
    unsigned most, seconds;
    atomic_uint open;
    pthread_mutex_t waking; /* held while some are off the list and not resumed yet */
    pthread_mutex_t lock;
    struct events *waiting;
    atomic_bool closed;
};

struct events {
    struct party party;
    struct hub *hub;
    struct events *next;
    struct MHD_Connection *connection;
    char id[JOB_ID_SIZE];
    struct bytes text; /* what is being sent */
    size_t at;
    size_t told;      /* units done when progress was last told */
    bool any, ended;  /* something was told; the end was */
    uint64_t told_at; /* clock_now() */
    uint64_t until;   /* clock_now(): then it has heard enough at a time, and may come again */
    atomic_bool gone;
};

struct hub *hub_new(struct engine *engine, const char *prefix, unsigned most, unsigned seconds)
{
    struct hub *hub = calloc(1, sizeof *hub);
    if (!hub)
        return NULL;
    hub->engine = engine;
    hub->prefix = prefix;
    hub->most = most;
    hub->seconds = seconds;
    pthread_mutex_init(&hub->waking, NULL);
    pthread_mutex_init(&hub->lock, NULL);
    return hub;
}

void hub_free(struct hub *hub)
{
    pthread_mutex_destroy(&hub->lock);
    pthread_mutex_destroy(&hub->waking);
    free(hub);
}

/* Whether there is something to tell now. A job that cannot be looked at is over. */
static bool has_news(const struct events *events, uint64_t now)
{
    struct job_view view;
    if (atomic_load(&events->gone) || now >= events->until || now - events->told_at >= HEARTBEAT_EVERY)
        return true;
    if (engine_look(events->hub->engine, events->id, &view) != NQ_OK)
        return true;
    const bool over = job_state_over(view.state), moved = !events->any || view.progress.units_done != events->told;
    job_view_free(&view);
    return over || (moved && now - events->told_at >= PROGRESS_EVERY);
}

/* Takes off the list everyone who is to hear something, and returns them; with `all` everyone. */
static struct events *take(struct hub *hub, bool all)
{
    struct events *ready = NULL, *waiting, *quiet = NULL;
    pthread_mutex_lock(&hub->lock);
    if (all)
        atomic_store(&hub->closed, true);
    waiting = hub->waiting;
    hub->waiting = NULL;
    pthread_mutex_unlock(&hub->lock);
    const uint64_t now = clock_now();
    while (waiting) { /* nobody else has them now: the engine can be asked without the lock */
        struct events *events = waiting, **list = all || has_news(events, now) ? &ready : &quiet;
        waiting = events->next;
        events->next = *list;
        *list = events;
    }
    pthread_mutex_lock(&hub->lock);
    while (quiet) {
        struct events *events = quiet, **list = hub->closed || atomic_load(&events->gone) ? &ready : &hub->waiting;
        quiet = events->next;
        events->next = *list;
        *list = events;
    }
    pthread_mutex_unlock(&hub->lock);
    return ready;
}

/* Takes them off and resumes them, before anyone else does. */
static void wake_those(struct hub *hub, bool all)
{
    pthread_mutex_lock(&hub->waking);
    struct events *ready = take(hub, all);
    while (ready) {
        struct events *events = ready;
        ready = events->next; /* it may be gone once it is resumed */
        MHD_resume_connection(events->connection);
    }
    pthread_mutex_unlock(&hub->waking);
}

void hub_tick(struct hub *hub)
{
    wake_those(hub, false);
}

void hub_close(struct hub *hub)
{
    wake_those(hub, true);
}

static void dismiss(struct party *party, enum nq_status why)
{
    struct events *events = (struct events *)party;
    (void)why;
    atomic_store(&events->gone, true); /* the next tick resumes it */
}

static void events_free(struct party *party)
{
    struct events *events = (struct events *)party;
    atomic_fetch_sub(&events->hub->open, 1);
    bytes_free(&events->text);
    free(events);
}

static const char ended_id[] = "end";

bool events_heard_all(const char *last)
{
    return last && strcmp(last, ended_id) == 0;
}

enum nq_status events_open(struct hub *hub, const char *id, const char *last, struct MHD_Connection *connection,
                           struct events **out)
{
    if (atomic_fetch_add(&hub->open, 1) >= hub->most) {
        atomic_fetch_sub(&hub->open, 1);
        return NQ_BUSY;
    }
    struct events *events = calloc(1, sizeof *events);
    if (!events) {
        atomic_fetch_sub(&hub->open, 1);
        return NQ_NOMEM;
    }
    events->party = (struct party){.references = 1, .dismiss = dismiss, .free = events_free};
    events->hub = hub;
    events->connection = connection;
    events->until = clock_now() + hub->seconds * CLOCK_SECOND;
    (void)snprintf(events->id, sizeof events->id, "%s", id);
    char *end;
    if (last && *last >= '0' && *last <= '9') { /* how many units were done when it last heard of it */
        events->told = strtoul(last, &end, 10);
        events->any = *end == '\0';
        events->told_at = events->any ? clock_now() : 0;
    }
    *out = events;
    return NQ_OK;
}

void events_close(struct events *events)
{
    party_unref(&events->party);
}

struct party *events_party(struct events *events)
{
    return &events->party;
}

/* Writes what there is to tell now. */
static void tell(struct events *events)
{
    struct job_view view;
    struct bytes *text = &events->text;
    text->size = 0;
    events->at = 0;
    const enum nq_status status = engine_look(events->hub->engine, events->id, &view);
    if (status != NQ_OK) {
        events->ended = status == NQ_NONE; /* it was over for so long that it is forgotten */
        return;
    }
    const bool over = job_state_over(view.state);
    if (over || !events->any || view.progress.units_done != events->told) {
        if (over)
            bytes_format(text, "id: %s\nevent: done\ndata: ", ended_id);
        else
            bytes_format(text, "id: %zu\nevent: progress\ndata: ", view.progress.units_done);
        job_write(text, &view, events->hub->prefix);
        bytes_char(text, '\n');
    } else {
        bytes_text(text, ": still there\n\n");
    }
    events->ended = over;
    events->any = true;
    events->told = view.progress.units_done;
    events->told_at = clock_now();
    job_view_free(&view);
}

/* Suspends the connection and puts it on the list; false when nobody is to wait any more. */
static bool wait_for_news(struct events *events)
{
    struct hub *hub = events->hub;
    MHD_suspend_connection(events->connection);
    pthread_mutex_lock(&hub->lock);
    const bool waits = !hub->closed;
    if (waits) {
        events->next = hub->waiting;
        hub->waiting = events;
    }
    pthread_mutex_unlock(&hub->lock);
    if (!waits)
        MHD_resume_connection(events->connection);
    return waits;
}

ssize_t events_read(void *cls, uint64_t position, char *to, size_t size)
{
    struct events *events = cls;
    (void)position;
    if (events->at == events->text.size) {
        if (events->ended)
            return MHD_CONTENT_READER_END_OF_STREAM;
        if (atomic_load(&events->gone) || atomic_load(&events->hub->closed) || events->text.failed)
            return MHD_CONTENT_READER_END_WITH_ERROR;
        const uint64_t now = clock_now();
        if (now >= events->until)
            return MHD_CONTENT_READER_END_OF_STREAM; /* it comes again, with what it heard last */
        if (!has_news(events, now))
            return wait_for_news(events) ? 0 : MHD_CONTENT_READER_END_WITH_ERROR;
        tell(events);
    }
    const size_t left = events->text.size - events->at, count = left < size ? left : size;
    if (events->text.failed)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (!count)
        return events->ended ? MHD_CONTENT_READER_END_OF_STREAM : MHD_CONTENT_READER_END_WITH_ERROR;
    memcpy(to, events->text.data + events->at, count);
    events->at += count;
    return (ssize_t)count;
}
