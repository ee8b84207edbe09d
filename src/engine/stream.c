/* stream.c - a ring of slots between those who make a body and the one who reads it. A body in parts is made by several
 * workers at once, a part a slot; any other by one after the other, a stretch a slot. The reader takes the slots in
 * order; one who stalls leaves them all full and holds nobody. */
#include "engine/stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/parts.h"
#include "engine/source.h"

/* Bytes made ready at a time: what libmicrohttpd sends best in one chunk is 128 KB. So many are kept ready; one is
 * being read, and each of the others may have a worker. With both, a reader who stalls takes less than half a MB. */
enum { SLOTS = 4, STRETCH = 76 << 10 };

enum slot_state { SLOT_FREE, SLOT_FILLING, SLOT_READY };

struct slot {
    struct pool_task task;
    struct stream *stream;
    /* While it is being filled all below is the worker's, then the reader's. */
    struct bytes bytes;
    uint64_t solutions;       /* in it */
    uint64_t most;            /* that may be */
    struct part part, before; /* of a body in parts: what it holds, and as it was before */
    /* Guarded by the stream's lock. */
    enum slot_state state;
    enum nq_status status; /* while SLOT_READY. NQ_AGAIN: there is more for this slot; NQ_END: not; else cut there */
};

struct stream {
    struct party party;
    struct streams *home;
    struct stream *next, **link; /* the list of open streams; its lock guards them */
    struct question question;
    struct source *source; /* either of them */
    struct parts *parts;
    bool in_turn;     /* what follows cannot be made before what stands before it */
    uint64_t ends_at; /* clock_now() */
    atomic_bool stop;
    atomic_ullong took_off, nodes, worked; /* see stream_cost() */

    /* The reader's. */
    struct bytes edge;           /* the beginning or the end of a body in parts */
    const struct bytes *reading; /* edge, or those of the foremost slot */
    size_t read;                 /* of them */
    uint64_t delivered;          /* solutions */
    bool enough;                 /* those were as many as were asked for, the last ones by this part: */
    struct part last;
    bool closing, over; /* the end is being read, has been */
    bool ended;         /* told so */

    pthread_mutex_t lock; /* guards all below, and the slots' states */
    struct slot slot[SLOTS];
    unsigned foremost, free; /* of the slots: to be read next, to be filled next */
    bool busy;               /* some slot is being filled */
    bool rest_left;          /* made in turn: the part that goes on in the next slot */
    struct part rest;
    uint64_t made;         /* in turn */
    enum nq_status status; /* behind the slots: NQ_AGAIN: more; NQ_END: the body's end; else cut there */
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
    const struct kernel *kernel;
    unsigned most;
    uint64_t lifetime;
};

struct streams *streams_new(struct pool *pool, const struct kernel *kernel, unsigned most, unsigned seconds)
{
    struct streams *streams = calloc(1, sizeof *streams);
    if (!streams)
        return NULL;
    streams->pool = pool;
    streams->kernel = kernel;
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

/* ---- Making ---- */

/* Under the lock: what the next slot is to be filled with; false when nothing follows. */
static bool lay(struct stream *stream, struct slot *slot)
{
    slot->bytes.size = 0;
    slot->most = stream->question.limit - stream->made;
    if (stream->source)
        return true;
    if (stream->rest_left)
        slot->part = stream->rest;
    else if (!parts_next(stream->parts, &slot->part))
        return false;
    else
        slot->part.index = stream->made;
    stream->rest_left = false;
    return true;
}

/* Under the lock: which slots may be filled from now on, a bit each. */
static unsigned give(struct stream *stream)
{
    unsigned given = 0;
    while (stream->status == NQ_AGAIN && stream->slot[stream->free].state == SLOT_FREE &&
           !(stream->in_turn && stream->busy)) {
        struct slot *slot = &stream->slot[stream->free];
        if (clock_now() >= stream->ends_at) {
            stream->status = NQ_TIMEOUT;
            break;
        }
        if (!lay(stream, slot)) {
            stream->status = NQ_END;
            break;
        }
        slot->state = SLOT_FILLING;
        stream->busy = true;
        given |= 1U << stream->free;
        stream->free = (stream->free + 1) % SLOTS;
    }
    return given;
}

/* What a slot came to, for a body that is made in turn: it goes on in the next one. */
static enum nq_status turn(struct stream *stream, struct slot *slot, enum nq_status status)
{
    stream->made += slot->solutions;
    if (stream->source) {
        stream->status = status;
    } else if (stream->made == stream->question.limit) {
        stream->status = NQ_END;
    } else if (status == NQ_AGAIN) {
        stream->rest_left = true;
        stream->rest = slot->part;
    }
    return status == NQ_AGAIN ? NQ_END : status;
}

static void fill(struct stream *stream, unsigned given);

/* Lays a slot ready, and wakes the reader if it waits for this one. */
static void publish(struct slot *slot, enum nq_status status)
{
    struct stream *stream = slot->stream;
    pthread_mutex_lock(&stream->home->lock);
    stream->home->figures.solutions += slot->solutions;
    pthread_mutex_unlock(&stream->home->lock);
    pthread_mutex_lock(&stream->lock);
    stream->busy = false;
    slot->status = stream->in_turn ? turn(stream, slot, status) : status;
    slot->state = SLOT_READY;
    const bool wake = stream->waiting && slot == &stream->slot[stream->foremost];
    stream->waiting = stream->waiting && !wake;
    const unsigned given = stream->in_turn ? give(stream) : 0;
    pthread_mutex_unlock(&stream->lock);
    if (wake)
        stream->wake(stream->who);
    fill(stream, given);
}

/* Whether somebody waits for just this slot: then little is better than much later. */
static bool is_awaited(struct stream *stream, const struct slot *slot)
{
    pthread_mutex_lock(&stream->lock);
    const bool awaited = stream->waiting && slot == &stream->slot[stream->foremost];
    pthread_mutex_unlock(&stream->lock);
    return awaited;
}

static enum nq_status make(struct stream *stream, struct slot *slot, const struct slice *slice)
{
    uint64_t solutions;
    enum nq_status status;
    if (stream->source) {
        const uint64_t before = stream->source->solutions;
        status = source_fill(stream->source, &slot->bytes, STRETCH, slice, &stream->stop);
        solutions = stream->source->solutions - before;
    } else {
        status = parts_make(stream->parts, &slot->part, slot->most - slot->solutions, &slot->bytes, STRETCH, slice,
                            &stream->stop, &solutions);
    }
    slot->solutions += solutions;
    return status;
}

/* Tells the thread's meter by what it works from here on. */
static void begin(struct stream *stream, struct meter *meter)
{
    unsigned long long nobody = 0;
    if (atomic_compare_exchange_strong(&stream->took_off, &nobody, clock_now()))
        meter_begin(meter, question_algorithm(&stream->question));
    else
        meter_by(meter, question_algorithm(&stream->question));
}

static void account(struct stream *stream, const struct meter *meter)
{
    const struct cost cost = meter_read(meter);
    atomic_fetch_add(&stream->nodes, cost.nodes);
    atomic_fetch_add(&stream->worked, cost.nanoseconds);
}

static bool run(struct pool_task *task, const struct slice *slice)
{
    struct slot *slot = (struct slot *)((char *)task - offsetof(struct slot, task));
    struct stream *stream = slot->stream;
    enum nq_status status = NQ_CANCELLED;
    begin(stream, slice->meter);
    if (!atomic_load(&stream->stop))
        status = make(stream, slot, slice);
    account(stream, slice->meter);
    if (status == NQ_AGAIN && clock_now() >= stream->ends_at)
        status = NQ_TIMEOUT;
    if (status == NQ_AGAIN && slot->bytes.size < STRETCH && !(slot->bytes.size && is_awaited(stream, slot)))
        return true;
    publish(slot, status);
    party_unref(&stream->party);
    return false;
}

/* Has workers fill what was given. Each task holds a reference. */
static void fill(struct stream *stream, unsigned given)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        if (!(given >> i & 1))
            continue;
        struct slot *slot = &stream->slot[i];
        slot->solutions = 0;
        slot->before = slot->part;
        party_ref(&stream->party);
        if (!pool_add(stream->home->pool, &slot->task)) {
            publish(slot, NQ_CLOSED);
            party_unref(&stream->party);
        }
    }
}

/* ---- Coming and going ---- */

static void stream_free(struct party *party)
{
    struct stream *stream = (struct stream *)party;
    if (stream->source)
        stream->source->class->close(stream->source);
    parts_close(stream->parts);
    question_free(&stream->question);
    bytes_free(&stream->edge);
    for (unsigned i = 0; i < SLOTS; i++)
        bytes_free(&stream->slot[i].bytes);
    pthread_mutex_destroy(&stream->lock);
    free(stream);
}

static void stream_dismiss(struct party *party, enum nq_status why)
{
    struct stream *stream = (struct stream *)party;
    atomic_store(&stream->stop, true);
    pthread_mutex_lock(&stream->lock);
    /* Where a worker fills, it says itself that the stream is cut. */
    if (stream->status == NQ_AGAIN)
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

/* What the body is made from. */
static enum nq_status open_body(struct stream *stream)
{
    const struct question *question = &stream->question;
    if (question->kind != ASK_SOLVE || !parts_suit(question))
        return source_open(question, stream->home->kernel, false, &stream->source);
    const enum nq_status status = parts_open(question, finder_of(stream->home->kernel), &stream->parts);
    if (status != NQ_OK)
        return status;
    parts_begin(stream->parts, &stream->edge);
    stream->reading = &stream->edge;
    return stream->edge.failed ? NQ_NOMEM : NQ_OK;
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
    pthread_mutex_init(&stream->lock, NULL);
    stream->home = streams;
    enum nq_status status = open_body(stream);
    if (status != NQ_OK) {
        stream_free(&stream->party);
        return status;
    }
    stream->in_turn = stream->source || parts_in_turn(stream->parts);
    stream->party = (struct party){.references = 1, .dismiss = stream_dismiss, .free = stream_free};
    stream->ends_at = clock_now() + streams->lifetime;
    stream->status = NQ_AGAIN;
    stream->wake = wake;
    stream->who = who;
    for (unsigned i = 0; i < SLOTS; i++) {
        stream->slot[i].task = (struct pool_task){.run = run, .client = question->asker.client};
        stream->slot[i].stream = stream;
    }
    pthread_mutex_lock(&streams->lock);
    status = admit(streams, stream);
    pthread_mutex_unlock(&streams->lock);
    if (status != NQ_OK) {
        stream_free(&stream->party);
        return status;
    }
    pthread_mutex_lock(&stream->lock);
    const unsigned given = give(stream);
    pthread_mutex_unlock(&stream->lock);
    fill(stream, given);
    *out = stream;
    return NQ_OK;
}

/* ---- Reading ---- */

/* Nothing is left of what was being read. Under the lock, as the rest: adds to *given what may be filled now. */
static enum nq_status leave_off(struct stream *stream, unsigned *given)
{
    struct slot *slot = &stream->slot[stream->foremost];
    if (stream->reading == &slot->bytes) {
        if (slot->status != NQ_AGAIN && slot->status != NQ_END)
            return slot->status;
        slot->bytes.size = 0;
        if (slot->status == NQ_AGAIN) {
            slot->state = SLOT_FILLING;
            *given |= 1U << stream->foremost;
        } else {
            slot->state = SLOT_FREE;
            stream->foremost = (stream->foremost + 1) % SLOTS;
            *given |= give(stream);
        }
    }
    stream->over = stream->closing;
    stream->reading = NULL;
    return NQ_OK;
}

/* The foremost slot is ready: takes it up, or has it made once more if it holds more than was asked for. */
static enum nq_status take_up(struct stream *stream, unsigned *given)
{
    struct slot *slot = &stream->slot[stream->foremost];
    const uint64_t left = stream->question.limit - stream->delivered;
    if (slot->solutions > left) {
        slot->part = slot->before;
        slot->bytes.size = 0;
        slot->most = left;
        slot->state = SLOT_FILLING;
        *given |= 1U << stream->foremost;
        return NQ_AGAIN;
    }
    stream->delivered += slot->solutions;
    if (stream->parts && slot->solutions == left && (slot->status == NQ_AGAIN || slot->status == NQ_END)) {
        stream->enough = true;
        stream->last = slot->part;
        slot->status = stream->status = NQ_END;
        atomic_store(&stream->stop, true); /* nobody wants what is behind it */
    }
    stream->reading = &slot->bytes;
    return NQ_OK;
}

/* There are no slots any more. */
static enum nq_status conclude(struct stream *stream)
{
    if (!stream->enough && stream->status != NQ_END)
        return stream->status;
    if (stream->source || stream->over) {
        stream->over = true;
        return NQ_END;
    }
    stream->closing = true;
    stream->edge.size = 0;
    parts_end(stream->parts, stream->delivered, stream->enough ? &stream->last : NULL, &stream->edge);
    stream->reading = &stream->edge;
    return stream->edge.failed ? NQ_NOMEM : NQ_OK;
}

/* What was being read has been: goes on to the next bytes there are. */
static enum nq_status go_on(struct stream *stream)
{
    unsigned given = 0;
    pthread_mutex_lock(&stream->lock);
    enum nq_status status = leave_off(stream, &given);
    const enum slot_state next = stream->slot[stream->foremost].state;
    if (status == NQ_OK && (stream->enough || stream->over || next == SLOT_FREE))
        status = conclude(stream);
    else if (status == NQ_OK)
        status = next == SLOT_READY ? take_up(stream, &given) : NQ_AGAIN;
    pthread_mutex_unlock(&stream->lock);
    fill(stream, given);
    return status;
}

enum nq_status stream_read(struct stream *stream, char *to, size_t size, size_t *got)
{
    while (!stream->reading || stream->read == stream->reading->size) {
        const enum nq_status status = go_on(stream);
        stream->ended = status == NQ_END;
        if (status != NQ_OK)
            return status;
        stream->read = 0;
    }
    const size_t left = stream->reading->size - stream->read;
    *got = left < size ? left : size;
    memcpy(to, stream->reading->data + stream->read, *got);
    stream->read += *got;
    return NQ_OK;
}

void stream_enough(struct stream *stream)
{
    stream->ended = true;
}

bool stream_wait(struct stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    stream->waiting = !stream->enough && stream->slot[stream->foremost].state == SLOT_FILLING;
    const bool waiting = stream->waiting;
    pthread_mutex_unlock(&stream->lock);
    return waiting;
}

bool stream_cost(const struct stream *stream, struct cost *cost, uint64_t *waited)
{
    const uint64_t took_off = atomic_load(&stream->took_off);
    *cost = (struct cost){.nodes = atomic_load(&stream->nodes), .nanoseconds = atomic_load(&stream->worked)};
    *waited = took_off ? took_off - (stream->ends_at - stream->home->lifetime) : 0;
    return took_off;
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
    figures.most = streams->most;
    pthread_mutex_unlock(&streams->lock);
    return figures;
}
