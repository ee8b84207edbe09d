/* stream.c - two buffers between a source and a reader. The front one is the reader's; the back one belongs to the
 * worker while it is being filled, then lies ready. A reader that stalls leaves both full and holds nobody. */
#include "engine/stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/source.h"

/* Bytes made ready at a time: what libmicrohttpd sends best in one chunk. */
enum { STRETCH = 128 << 10 };

enum back { BACK_EMPTY, BACK_FILLING, BACK_READY };

struct stream {
    struct party party;
    struct pool_task task;
    struct streams *home;
    struct stream *next, **link; /* the list of open streams; its lock guards them */
    struct question question;
    struct source *source;
    uint64_t ends_at; /* clock_now() */
    atomic_bool stop;
    struct bytes front; /* the reader's */
    size_t front_at;
    bool ended;           /* read to its end */
    pthread_mutex_t lock; /* guards all below, but back's bytes while BACK_FILLING */
    struct bytes back;
    enum back state;
    enum nq_status status; /* NQ_AGAIN: more after the back buffer; NQ_END: not; else cut there */
    bool waiting;          /* the reader wants to be woken */
    party_wake wake;
    void *who;
};

struct streams {
    pthread_mutex_t lock;
    struct stream *list;
    struct stream_figures figures;
    bool closed;
    struct pool *pool;
    unsigned most;
    uint64_t lifetime;
};

struct streams *streams_new(struct pool *pool, unsigned most, unsigned seconds)
{
    struct streams *streams = calloc(1, sizeof *streams);
    if (!streams)
        return NULL;
    streams->pool = pool;
    streams->most = most;
    streams->lifetime = seconds * CLOCK_SECOND;
    pthread_mutex_init(&streams->lock, NULL);
    return streams;
}

void streams_free(struct streams *streams)
{
    pthread_mutex_destroy(&streams->lock);
    free(streams);
}

/* Lays the back buffer ready, with what follows it, and wakes the reader if it waits. */
static void publish(struct stream *stream, enum nq_status status, uint64_t solutions)
{
    pthread_mutex_lock(&stream->home->lock);
    stream->home->figures.solutions += solutions;
    pthread_mutex_unlock(&stream->home->lock);
    pthread_mutex_lock(&stream->lock);
    stream->state = BACK_READY;
    stream->status = status;
    bool wake = stream->waiting;
    stream->waiting = false;
    pthread_mutex_unlock(&stream->lock);
    if (wake)
        stream->wake(stream->who);
}

static bool run(struct pool_task *task, const struct slice *slice)
{
    struct stream *stream = (struct stream *)((char *)task - offsetof(struct stream, task));
    struct source *source = stream->source;
    const uint64_t before = source->solutions;
    enum nq_status status = NQ_CANCELLED;
    if (!atomic_load(&stream->stop))
        status = source->class->fill(source, &stream->back, STRETCH, slice, &stream->stop);
    if (status == NQ_AGAIN && clock_now() >= stream->ends_at)
        status = NQ_TIMEOUT;
    if (status == NQ_AGAIN && stream->back.size == 0)
        return true; /* nothing found yet */
    publish(stream, status, source->solutions - before);
    party_unref(&stream->party);
    return false;
}

/* The back buffer is empty and there is more: has a worker fill it. The task holds a reference. */
static void fill_back(struct stream *stream)
{
    party_ref(&stream->party);
    if (!pool_add(stream->home->pool, &stream->task)) {
        publish(stream, NQ_CLOSED, 0);
        party_unref(&stream->party);
    }
}

static void stream_free(struct party *party)
{
    struct stream *stream = (struct stream *)party;
    stream->source->class->close(stream->source);
    question_free(&stream->question);
    bytes_free(&stream->front);
    bytes_free(&stream->back);
    pthread_mutex_destroy(&stream->lock);
    free(stream);
}

static void stream_dismiss(struct party *party, enum nq_status why)
{
    struct stream *stream = (struct stream *)party;
    atomic_store(&stream->stop, true);
    pthread_mutex_lock(&stream->lock);
    /* While a worker fills, it says itself that the stream is cut. */
    if (stream->state != BACK_FILLING && stream->status == NQ_AGAIN)
        stream->status = why;
    pthread_mutex_unlock(&stream->lock);
}

/* Under the lock: makes the stream one of those that are open. */
static enum nq_status admit(struct streams *streams, struct stream *stream)
{
    if (streams->closed)
        return NQ_CLOSED;
    if (streams->figures.running >= streams->most) {
        streams->figures.refused++;
        return NQ_BUSY;
    }
    streams->figures.running++;
    streams->figures.started++;
    stream->next = streams->list;
    stream->link = &streams->list;
    if (stream->next)
        stream->next->link = &stream->next;
    streams->list = stream;
    return NQ_OK;
}

static void leave(struct stream *stream)
{
    struct streams *streams = stream->home;
    pthread_mutex_lock(&streams->lock);
    *stream->link = stream->next;
    if (stream->next)
        stream->next->link = stream->link;
    streams->figures.running--;
    streams->figures.cut += !stream->ended;
    pthread_mutex_unlock(&streams->lock);
}

enum nq_status stream_open(struct streams *streams, const struct question *question, party_wake wake, void *who,
                           struct stream **out)
{
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NQ_NOMEM;
    if (!question_copy(&stream->question, question)) {
        free(stream);
        return NQ_NOMEM;
    }
    enum nq_status status = question->kind == ASK_SOLVE ? source_solve(&stream->question, false, &stream->source)
                                                        : source_construct(&stream->question, &stream->source);
    if (status != NQ_OK) {
        question_free(&stream->question);
        free(stream);
        return status;
    }
    stream->party = (struct party){.references = 1, .dismiss = stream_dismiss, .free = stream_free};
    stream->task.run = run;
    stream->home = streams;
    stream->ends_at = clock_now() + streams->lifetime;
    stream->state = BACK_FILLING;
    stream->status = NQ_AGAIN;
    stream->wake = wake;
    stream->who = who;
    pthread_mutex_init(&stream->lock, NULL);
    pthread_mutex_lock(&streams->lock);
    status = admit(streams, stream);
    pthread_mutex_unlock(&streams->lock);
    if (status != NQ_OK) {
        stream_free(&stream->party);
        return status;
    }
    fill_back(stream);
    *out = stream;
    return NQ_OK;
}

/* The front buffer has been read: takes the back one, and has the next filled. */
static enum nq_status swap(struct stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    enum nq_status status = NQ_AGAIN;
    bool fill = false;
    if (stream->state == BACK_READY) {
        struct bytes read = stream->front;
        read.size = 0;
        stream->front = stream->back;
        stream->front_at = 0;
        stream->back = read;
        fill = stream->status == NQ_AGAIN;
        stream->state = fill ? BACK_FILLING : BACK_EMPTY;
        status = NQ_OK;
    } else if (stream->state == BACK_EMPTY) {
        status = stream->status;
    }
    pthread_mutex_unlock(&stream->lock);
    if (fill)
        fill_back(stream);
    return status;
}

enum nq_status stream_read(struct stream *stream, char *to, size_t size, size_t *got)
{
    while (stream->front_at == stream->front.size) {
        enum nq_status status = swap(stream);
        stream->ended = status == NQ_END;
        if (status != NQ_OK)
            return status;
    }
    size_t left = stream->front.size - stream->front_at;
    *got = left < size ? left : size;
    memcpy(to, stream->front.data + stream->front_at, *got);
    stream->front_at += *got;
    return NQ_OK;
}

bool stream_wait(struct stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    stream->waiting = stream->state == BACK_FILLING;
    bool waiting = stream->waiting;
    pthread_mutex_unlock(&stream->lock);
    return waiting;
}

struct party *stream_party(struct stream *stream)
{
    return &stream->party;
}

void stream_close(struct stream *stream)
{
    atomic_store(&stream->stop, true);
    pthread_mutex_lock(&stream->lock);
    stream->waiting = false;
    pthread_mutex_unlock(&stream->lock);
    leave(stream);
    party_unref(&stream->party);
}

void streams_close(struct streams *streams)
{
    pthread_mutex_lock(&streams->lock);
    streams->closed = true;
    for (struct stream *stream = streams->list; stream; stream = stream->next)
        atomic_store(&stream->stop, true);
    pthread_mutex_unlock(&streams->lock);
}

struct stream_figures streams_figures(struct streams *streams)
{
    pthread_mutex_lock(&streams->lock);
    struct stream_figures figures = streams->figures;
    pthread_mutex_unlock(&streams->lock);
    return figures;
}
