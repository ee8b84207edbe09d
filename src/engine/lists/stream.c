/* stream.c - opening, reading and closing a stream: threads of the pool fill slots, the reader takes them in order. */
#include "engine/lists/stream.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/lists/parallel_list.h"
#include "engine/lists/rank_lookup.h"
#include "engine/lists/source.h"
#include "engine/run/gzip.h"

/* ---- Slots ----
 *
 * A ring of slots between the threads that make a body and its one reader. A parallel list is made by several threads
 * at once, one range in each slot; any other body by one thread after the other. A reader that stalls leaves all slots
 * full and holds no thread. */

/* One is being read; each of the others may be being filled by a thread. */
enum { STREAM_SLOTS = 4 };

enum slot_state { SLOT_FREE, SLOT_FILLING, SLOT_READY };

struct slot {
    struct pool_task task;
    struct stream *stream;
    /* While it is being filled the thread's, then the reader's. */
    struct bytes bytes;
    struct bytes copy;          /* of a compressed stream: what is read instead of the bytes, which may be packed, */
    struct gzip_sum sum;        /* and what is in it */
    uint64_t solutions, most;   /* in it, and that may be in it */
    struct range range, before; /* of a parallel list: its range, and as that was before the slot was filled */
    /* Guarded by the stream's lock. */
    enum slot_state state;
    enum nq_status status; /* while SLOT_READY. NQ_AGAIN: there is more for this slot; NQ_END: not; else cut there */
};

struct streams {
    struct lock lock;
    struct stream *list;
    unsigned running, most;
    uint64_t started, cut, refused;
    atomic_ullong solutions; /* made by all streams */
    bool closed;
    struct pool *pool;
    const struct kernel *kernel;
    struct allowance *allowance; /* for what algorithms keep; NULL: no limit */
    uint64_t lifetime;           /* ns */
};

struct stream {
    struct pending pending;
    struct streams *home;
    struct stream *next, **link; /* in home->list; its lock guards them, and: */
    bool started;                /* counted in home->started */
    struct shared_question *shared;
    const struct question *question; /* in that, or from the opening on in: */
    struct seeking *seeking;         /* if it had to be found where the list begins; else NULL */
    struct pool_task opener;         /* makes the next ones, up to in_turn, before any slot is filled: */
    struct source *source;           /* or else: */
    struct parallel_list *parallel;
    bool packed;      /* slots are filled with packed solutions: see parallel_list_packs() */
    bool in_turn;     /* nothing can be made before what precedes it */
    uint64_t ends_at; /* clock_now() */
    atomic_bool stop;
    atomic_ullong took_off, nodes, worked; /* see stream_spent() */

    /* The reader's. */
    struct bytes edge; /* head or end of a parallel list, or of a compressed stream */
    const struct bytes
        *reading; /* edge, or the bytes or the copy of the foremost slot; NULL: all that was ready has been read */
    size_t read;  /* of them; */
    bool begun;   /* the head is being read, or has been */
    struct packed_place place;  /* or so much of packed ones: */
    char line[PACKED_LINE_MAX]; /* lines for which a reader has no room, */
    size_t line_size, line_read;
    enum nq_status outcome; /* how reading has ended; NQ_OK: it has not */
    uint64_t delivered;     /* solutions */
    bool enough;            /* as many as were asked for, the last ones of this range: */
    struct range last;
    bool closing;        /* the end of a parallel list is written */
    struct gzip_sum sum; /* of a compressed stream: of all that has been read, or is being */
    bool ended;          /* the reader has all of the body: it is not cut */

    struct lock lock; /* guards all below, and the slots' states */
    bool opening;     /* the opener has not ended: nothing can be read */
    bool opened;      /* it has, and there is a body */
    struct slot slot[STREAM_SLOTS];
    unsigned foremost, free; /* of the slots: to be read next, to be filled next */
    bool busy;               /* some slot is being filled */
    bool rest_left;          /* made in turn: the range that is continued in the next slot */
    struct range rest;
    uint64_t made;         /* solutions, in turn */
    enum nq_status status; /* after the slots NQ_AGAIN: more follows; NQ_END: the body's end; else it is cut there */
};

/* Bytes of a slot. libmicrohttpd sends one chunk of 128 KB best. With so few slots of this size, a reader that stalls
 * takes less than half a MB. */
enum { STRETCH = 76 << 10 };

/* Bytes of a packed slot: 5000 solutions, most of its ranges have less. */
enum { PACKED_STRETCH = 40 << 10 };

static size_t stretch_of(const struct stream *stream)
{
    return stream->packed ? PACKED_STRETCH : STRETCH;
}

/* Under the lock: what the next slot is to be filled with; false when nothing follows. */
static bool lay(struct stream *stream, struct slot *slot)
{
    assert(!stream->parallel || stream->made <= stream->question->list.limit); /* or `most` has no limit */
    slot->bytes.size = 0;
    slot->most = stream->question->list.limit - stream->made;
    if (stream->source)
        return true;
    if (stream->rest_left)
        slot->range = stream->rest;
    else if (!parallel_list_next(stream->parallel, &slot->range))
        return false;
    else
        slot->range.index = stream->made;
    stream->rest_left = false;
    return true;
}

/* Under the stream's lock: returns the slots to be filled from now on, a bit each. */
static unsigned stream_give(struct stream *stream)
{
    lock_assert(&stream->lock);
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
        stream->free = (stream->free + 1) % STREAM_SLOTS;
    }
    return given;
}

/* The status of a slot, for a body that is made in turn: it goes on in the next one. */
static enum nq_status turn(struct stream *stream, struct slot *slot, enum nq_status status)
{
    stream->made += slot->solutions;
    assert(!stream->parallel || stream->made <= stream->question->list.limit);
    if (stream->source) {
        stream->status = status;
    } else if (stream->made == stream->question->list.limit) {
        stream->status = NQ_END;
    } else if (status == NQ_AGAIN) {
        stream->rest_left = true;
        stream->rest = slot->range;
    }
    return status == NQ_AGAIN ? NQ_END : status;
}

static void stream_fill(struct stream *stream, unsigned given);

/* Lays a slot ready, and wakes the reader if it waits for this one. */
static void publish(struct slot *slot, enum nq_status status)
{
    struct stream *stream = slot->stream;
    atomic_fetch_add(&stream->home->solutions, slot->solutions);
    lock_take(&stream->lock);
    assert(slot->state == SLOT_FILLING && status != NQ_OK); /* a slot that says nothing would end nothing */
    stream->busy = false;
    slot->status = stream->in_turn ? turn(stream, slot, status) : status;
    slot->state = SLOT_READY;
    const bool foremost = slot == &stream->slot[stream->foremost];
    const unsigned given = stream->in_turn ? stream_give(stream) : 0;
    lock_release(&stream->lock);
    lock_none_held();
    if (foremost)
        pending_notify(&stream->pending);
    stream_fill(stream, given);
}

/* Whether the reader waits for this slot: then it gets the first bytes at once. */
static bool is_awaited(struct stream *stream, const struct slot *slot)
{
    lock_take(&stream->lock);
    const bool awaited = atomic_load(&stream->pending.armed) && slot == &stream->slot[stream->foremost];
    lock_release(&stream->lock);
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
        struct filling filling = {.most = slot->most - slot->solutions,
                                  .out = &slot->bytes,
                                  .want = stretch_of(stream),
                                  .slice = slice,
                                  .stop = &stream->stop};
        status = parallel_list_fill(stream->parallel, &slot->range, &filling);
        solutions = filling.solutions;
    }
    slot->solutions += solutions;
    return status;
}

/* From now on the thread's meter counts for the stream's algorithm. */
static void begin(struct stream *stream, struct meter *meter)
{
    unsigned long long nobody = 0;
    if (atomic_compare_exchange_strong(&stream->took_off, &nobody, clock_now()))
        meter_begin(meter, question_algorithm(stream->question));
    else
        meter_by(meter, question_algorithm(stream->question));
}

static void account(struct stream *stream, const struct meter *meter)
{
    const struct cost cost = meter_read(meter);
    atomic_fetch_add(&stream->nodes, cost.nodes);
    atomic_fetch_add(&stream->worked, cost.nanoseconds);
}

/* Compresses packed solutions, in pieces as long as other slots are. */
static void compress_packed(struct slot *slot)
{
    const struct parallel_list *list = slot->stream->parallel;
    struct packed_place place = {0};
    struct bytes text = {0};
    char *to = bytes_reserve(&text, STRETCH);
    slot->copy.failed |= !to;
    while (to && (text.size = parallel_list_write(list, &slot->bytes, &place, to, STRETCH))) {
        struct gzip_sum sum;
        gzip_block(&text, &slot->copy, &sum);
        gzip_add(&slot->sum, &sum);
    }
    bytes_free(&text);
}

/* Returns the status of the slot then. */
static enum nq_status compress_slot(struct slot *slot, enum nq_status status)
{
    slot->copy.size = 0;
    slot->sum = (struct gzip_sum){0};
    if (slot->stream->packed)
        compress_packed(slot);
    else
        gzip_block(&slot->bytes, &slot->copy, &slot->sum);
    return slot->copy.failed ? NQ_NOMEM : status;
}

static bool run(struct pool_task *task, const struct slice *slice)
{
    struct slot *slot = (struct slot *)((char *)task - offsetof(struct slot, task));
    struct stream *stream = slot->stream;
    enum nq_status status = NQ_CANCELLED;
    begin(stream, slice->meter);
    if (!atomic_load(&stream->stop))
        status = make(stream, slot, slice);
    if (status == NQ_AGAIN && clock_now() >= stream->ends_at)
        status = NQ_TIMEOUT;
    const bool more =
        status == NQ_AGAIN && slot->bytes.size < stretch_of(stream) && !(slot->bytes.size && is_awaited(stream, slot));
    if (!more && stream->question->compressed)
        status = compress_slot(slot, status);
    account(stream, slice->meter);
    if (more)
        return true;
    publish(slot, status);
    pending_unref(&stream->pending);
    return false;
}

/* Has threads fill the given slots. Each task holds a reference. Not under the lock. */
static void stream_fill(struct stream *stream, unsigned given)
{
    for (unsigned i = 0; i < STREAM_SLOTS; i++) {
        if (!(given >> i & 1))
            continue;
        struct slot *slot = &stream->slot[i];
        slot->solutions = 0;
        slot->copy.size = 0;
        slot->sum = (struct gzip_sum){0};
        slot->before = slot->range;
        pending_ref(&stream->pending);
        if (!pool_add(stream->home->pool, &slot->task)) {
            publish(slot, NQ_CLOSED);
            pending_unref(&stream->pending);
        } else if (atomic_load(&stream->stop)) {
            pool_hurry(&slot->task);
        }
    }
}

/* The reader is gone: tasks that wait for a thread end at once. Not under the stream's lock. */
static void stream_stop(struct stream *stream)
{
    atomic_store(&stream->stop, true);
    pool_hurry(&stream->opener);
    for (unsigned i = 0; i < STREAM_SLOTS; i++)
        pool_hurry(&stream->slot[i].task);
}

/* Prepares the slots of a stream, whose question is set. */
static void stream_begin_slots(struct stream *stream)
{
    for (unsigned i = 0; i < STREAM_SLOTS; i++) {
        stream->slot[i].task = (struct pool_task){.run = run, .turn.client = stream->question->principal.client};
        stream->slot[i].stream = stream;
    }
}

#ifdef CHECKS
/* Under the stream's lock: asserts that the slots are a ring. */
static void stream_check_slots(const struct stream *stream)
{
    unsigned taken = 0, filling = 0;
    assert(stream->foremost < STREAM_SLOTS && stream->free < STREAM_SLOTS);
    for (unsigned i = 0; i < STREAM_SLOTS; i++) {
        const struct slot *slot = &stream->slot[(stream->foremost + i) % STREAM_SLOTS];
        assert(slot->stream == stream);
        assert(slot->state == SLOT_FREE || taken == i); /* no free one before one that is taken */
        taken += slot->state != SLOT_FREE;
        filling += slot->state == SLOT_FILLING;
    }
    assert((stream->foremost + taken) % STREAM_SLOTS == stream->free);
    assert(!stream->in_turn || filling <= 1);
    assert(stream->opened || !taken);
    assert(!stream->busy || filling);
}
#endif

struct streams *streams_new(struct pool *pool, const struct kernel *kernel, struct allowance *allowance, unsigned most,
                            unsigned seconds)
{
    struct streams *streams = calloc(1, sizeof *streams);
    if (!streams)
        return NULL;
    streams->pool = pool;
    streams->kernel = kernel;
    streams->allowance = allowance;
    streams->most = most;
    streams->lifetime = seconds * CLOCK_SECOND;
    lock_init(&streams->lock, LOCK_STREAMS);
    return streams;
}

void streams_free(struct streams *streams)
{
    if (!streams)
        return;
    lock_destroy(&streams->lock);
    free(streams);
}

/* ---- Coming and going ---- */

static void stream_free(struct pending *pending)
{
    struct stream *stream = (struct stream *)pending;
    if (stream->source)
        stream->source->class->close(stream->source);
    seek_close(stream->seeking);
    parallel_list_close(stream->parallel);
    question_unref(stream->shared);
    bytes_free(&stream->edge);
    for (unsigned i = 0; i < STREAM_SLOTS; i++) {
        bytes_free(&stream->slot[i].bytes);
        bytes_free(&stream->slot[i].copy);
    }
    lock_destroy(&stream->lock);
    free(stream);
}

static void stream_cancel(struct pending *pending, enum nq_status why)
{
    struct stream *stream = (struct stream *)pending;
    lock_take(&stream->lock);
    /* Where a worker fills, it says itself that the stream is cut. */
    if (stream->status == NQ_AGAIN)
        stream->status = why;
    lock_release(&stream->lock);
    stream_stop(stream);
}

/* Takes one of the places. It comes before any work or memory that depends on the question: what is refused costs less
 * than what is answered. */
static enum nq_status admit(struct streams *streams)
{
    enum nq_status status = NQ_OK;
    lock_take(&streams->lock);
    if (streams->closed)
        status = NQ_CLOSED;
    else if (streams->running >= streams->most)
        status = NQ_BUSY;
    streams->running += status == NQ_OK;
    streams->refused += status == NQ_BUSY;
    lock_release(&streams->lock);
    return status;
}

static void enlist(struct stream *stream)
{
    struct streams *streams = stream->home;
    lock_take(&streams->lock);
    stream->next = streams->list;
    stream->link = &streams->list;
    if (stream->next)
        stream->next->link = &stream->next;
    streams->list = stream;
    if (streams->closed) /* since it was admitted */
        atomic_store(&stream->stop, true);
    lock_release(&streams->lock);
}

static void leave(struct stream *stream)
{
    struct streams *streams = stream->home;
    lock_take(&streams->lock);
    assert(streams->running && *stream->link == stream);
    *stream->link = stream->next;
    if (stream->next)
        stream->next->link = stream->link;
    streams->running--;
    streams->cut += stream->started && !stream->ended;
    lock_release(&streams->lock);
}

/* ---- Opening: a task of the pool, since algorithms set up boards and tables ---- */

/* What the body is made from, once it is found where it begins. */
static enum nq_status open_body(struct stream *stream, const struct slice *slice)
{
    const enum nq_status status =
        seek_start(&stream->seeking, &stream->question, stream->home->kernel, slice, &stream->stop);
    const struct question *question = stream->question;
    if (status != NQ_OK)
        return status == NQ_AGAIN && clock_now() >= stream->ends_at ? NQ_TIMEOUT : status;
    if (question->kind != ASK_SOLVE || !parallel_list_suits(question))
        return source_open(question, stream->home->kernel, false, &stream->source);
    return parallel_list_open(question, finder_of(stream->home->kernel), &stream->parallel);
}

/* Appends head or end of a parallel list to the edge, and frees it: as it is, or as a block. */
static void add_edge(struct stream *stream, struct bytes *text)
{
    struct gzip_sum sum;
    if (stream->question->compressed) {
        gzip_store(text, &stream->edge, &sum);
        gzip_add(&stream->sum, &sum);
    } else {
        bytes_add(&stream->edge, text->data, text->size);
        stream->edge.failed |= text->failed;
    }
    bytes_free(text);
}

/* What stands before the first slot. */
static enum nq_status begin_body(struct stream *stream)
{
    struct bytes head = {0};
    if (stream->question->compressed)
        gzip_head(&stream->edge);
    if (stream->parallel)
        parallel_list_head(stream->parallel, &head);
    add_edge(stream, &head);
    return stream->edge.failed ? NQ_NOMEM : NQ_OK;
}

/* The opener has ended: wakes the reader if it waits for that, and has the first slots filled. */
static void end_opening(struct stream *stream, enum nq_status status)
{
    unsigned given = 0;
    if (status == NQ_OK) {
        lock_take(&stream->home->lock);
        stream->home->started++;
        stream->started = true;
        lock_release(&stream->home->lock);
    }
    lock_take(&stream->lock);
    assert(stream->opening);
    stream->opening = false;
    stream->opened = status == NQ_OK;
    if (stream->opened)
        given = stream_give(stream);
    else if (stream->status == NQ_AGAIN) /* else it was cancelled, for another reason */
        stream->status = status;
    lock_release(&stream->lock);
    lock_none_held();
    pending_notify(&stream->pending);
    stream_fill(stream, given);
}

static bool open_stream(struct pool_task *task, const struct slice *slice)
{
    struct stream *stream = (struct stream *)((char *)task - offsetof(struct stream, opener));
    enum nq_status status = NQ_CLOSED;
    if (!atomic_load(&stream->stop)) {
        begin(stream, slice->meter);
        status = open_body(stream, slice);
        if (status == NQ_OK)
            status = begin_body(stream);
        if (status == NQ_OK) {
            stream->packed = stream->parallel && parallel_list_packs(stream->parallel);
            stream->in_turn = stream->source || parallel_list_in_turn(stream->parallel);
        }
        account(stream, slice->meter);
    }
    if (status == NQ_AGAIN)
        return true;
    end_opening(stream, status);
    pending_unref(&stream->pending);
    return false;
}

static void stream_spent(const struct pending *pending, struct spent *spent)
{
    const struct stream *stream = (const struct stream *)pending;
    const uint64_t took_off = atomic_load(&stream->took_off);
    *spent = (struct spent){
        .searched = took_off,
        .waited = took_off ? took_off - (stream->ends_at - stream->home->lifetime) : 0,
        .cost = {.nodes = atomic_load(&stream->nodes), .nanoseconds = atomic_load(&stream->worked)},
    };
}

/* Nobody reads any more. */
static void stream_close(struct pending *pending)
{
    struct stream *stream = (struct stream *)pending;
    (void)pending_disarm(pending); /* who leaves is not woken */
    stream_stop(stream);
    leave(stream);
}

static const struct pending_class stream_class = {
    .cancel = stream_cancel, .free = stream_free, .spent = stream_spent, .close = stream_close};

static struct stream *stream_new(struct streams *streams, const struct question *question, pending_wake *wake,
                                 void *who)
{
    struct stream *stream = calloc(1, sizeof *stream);
    struct shared_question *shared = question_share(question);
    if (!stream || !shared) {
        free(stream);
        question_unref(shared);
        return NULL;
    }
    shared->question.allowance = streams->allowance;
    stream->shared = shared;
    stream->question = &shared->question;
    stream->home = streams;
    stream->pending = (struct pending){
        .class = &stream_class, .references = 2, .status = NQ_AGAIN, .wake = wake, .who = who}; /* not armed yet */
    stream->ends_at = clock_now() + streams->lifetime;
    stream->status = NQ_AGAIN;
    stream->opening = true;
    stream->opener = (struct pool_task){.run = open_stream, .turn.client = question->principal.client};
    lock_init(&stream->lock, LOCK_STREAM);
    stream_begin_slots(stream);
    return stream;
}

enum nq_status stream_open(struct streams *streams, const struct question *question, pending_wake *wake, void *who,
                           struct stream **out)
{
    const enum nq_status status = admit(streams);
    if (status != NQ_OK)
        return status;
    struct stream *stream = stream_new(streams, question, wake, who);
    if (!stream) {
        lock_take(&streams->lock);
        streams->running--;
        lock_release(&streams->lock);
        return NQ_NOMEM;
    }
    enlist(stream);
    *out = stream;
    if (!pool_add(streams->pool, &stream->opener)) {
        end_opening(stream, NQ_CLOSED);
        pending_unref(&stream->pending);
    }
    return NQ_OK;
}

enum nq_status stream_opened(struct stream *stream)
{
    lock_take(&stream->lock);
    const enum nq_status status = stream->opened ? NQ_OK : stream->opening ? NQ_AGAIN : stream->status;
    lock_release(&stream->lock);
    return status;
}

/* ---- Reading ---- */

/* What a reader gets of a slot. */
static const struct bytes *content(const struct stream *stream, const struct slot *slot)
{
    return stream->question->compressed ? &slot->copy : &slot->bytes;
}

/* All of what was being read has been read. Under the lock, as the next two: adds to *given the slots to be filled. */
static enum nq_status leave_slot(struct stream *stream, unsigned *given)
{
    struct slot *slot = &stream->slot[stream->foremost];
    if (stream->reading == content(stream, slot)) {
        if (slot->status != NQ_AGAIN && slot->status != NQ_END)
            return slot->status;
        slot->bytes.size = 0;
        if (slot->status == NQ_AGAIN) {
            slot->state = SLOT_FILLING;
            *given |= 1U << stream->foremost;
        } else {
            slot->state = SLOT_FREE;
            stream->foremost = (stream->foremost + 1) % STREAM_SLOTS;
            *given |= stream_give(stream);
        }
    }
    stream->reading = NULL;
    return NQ_OK;
}

/* The foremost slot is ready: begins to read it, or has it filled once more if it holds more than was asked for. */
static enum nq_status enter_slot(struct stream *stream, unsigned *given)
{
    struct slot *slot = &stream->slot[stream->foremost];
    assert(slot->state == SLOT_READY && !stream->reading);
    assert(!stream->parallel || stream->delivered <= stream->question->list.limit);
    const uint64_t left = stream->question->list.limit - stream->delivered;
    if (slot->solutions > left) {
        slot->range = slot->before;
        slot->bytes.size = 0;
        slot->most = left;
        slot->state = SLOT_FILLING;
        *given |= 1U << stream->foremost;
        return NQ_AGAIN;
    }
    stream->delivered += slot->solutions;
    if (stream->parallel && slot->solutions == left && (slot->status == NQ_AGAIN || slot->status == NQ_END)) {
        stream->enough = true;
        stream->last = slot->range;
        slot->status = stream->status = NQ_END;
        atomic_store(&stream->stop, true); /* nobody wants what is behind it */
    }
    gzip_add(&stream->sum, &slot->sum);
    stream->reading = content(stream, slot);
    return NQ_OK;
}

/* All slots have been read: the end of a parallel list and of a compressed stream are left. */
static enum nq_status conclude(struct stream *stream)
{
    if (!stream->enough && stream->status != NQ_END)
        return stream->status;
    struct bytes end = {0};
    if (stream->closing)
        return NQ_END;
    stream->closing = true;
    stream->edge.size = 0;
    if (stream->parallel)
        parallel_list_end(stream->parallel, stream->delivered, stream->enough ? &stream->last : NULL, &end);
    add_edge(stream, &end);
    if (stream->question->compressed)
        gzip_end(&stream->sum, &stream->edge);
    if (stream->edge.failed)
        return NQ_NOMEM;
    stream->reading = &stream->edge;
    return NQ_OK;
}

/* Goes on to the next bytes. */
static enum nq_status go_on(struct stream *stream)
{
    unsigned given = 0;
    lock_take(&stream->lock);
    if (!stream->opened) {
        const enum nq_status why = stream->opening ? NQ_AGAIN : stream->status;
        lock_release(&stream->lock);
        return why;
    }
    if (!stream->begun) {
        stream->begun = true;
        stream->reading = &stream->edge; /* what the opener has written there */
        lock_release(&stream->lock);
        return NQ_OK;
    }
    enum nq_status status = leave_slot(stream, &given);
    const enum slot_state next = stream->slot[stream->foremost].state;
    if (status == NQ_OK && (stream->enough || next == SLOT_FREE))
        status = conclude(stream);
    else if (status == NQ_OK)
        status = next == SLOT_READY ? enter_slot(stream, &given) : NQ_AGAIN;
    lock_release(&stream->lock);
    stream_fill(stream, given);
    return status;
}

/* Copies what is left of some bytes. */
static size_t hand_over(const char *data, size_t all, size_t *read, char *to, size_t size)
{
    assert(*read <= all);
    const size_t left = all - *read, some = left < size ? left : size;
    if (some)
        memcpy(to, data + *read, some);
    *read += some;
    return some;
}

/* Packed solutions are written where the reader wants them, but for the last lines, which its end may cut. */
static size_t hand_over_packed(struct stream *stream, char *to, size_t size)
{
    size_t got = hand_over(stream->line, stream->line_size, &stream->line_read, to, size);
    got += parallel_list_write(stream->parallel, stream->reading, &stream->place, to + got, size - got);
    if (got < size && stream->line_read == stream->line_size) {
        stream->line_size =
            parallel_list_write(stream->parallel, stream->reading, &stream->place, stream->line, sizeof stream->line);
        stream->line_read = 0;
        got += hand_over(stream->line, stream->line_size, &stream->line_read, to + got, size - got);
    }
    return got;
}

/* Copies what there is of what is being read. */
static size_t read_some(struct stream *stream, char *to, size_t size)
{
    if (!stream->reading)
        return 0;
    if (stream->packed && stream->reading == &stream->slot[stream->foremost].bytes)
        return hand_over_packed(stream, to, size);
    return hand_over(stream->reading->data, stream->reading->size, &stream->read, to, size);
}

enum nq_status stream_read(struct stream *stream, char *to, size_t size, size_t *got)
{
    *got = 0;
    while (*got < size) {
        const size_t some = read_some(stream, to + *got, size - *got);
        *got += some;
        assert(*got <= size);
        if (some)
            continue;
        const enum nq_status status = stream->outcome ? stream->outcome : go_on(stream);
        if (status != NQ_AGAIN)
            stream->outcome = status; /* for the next call, if this one has something to give */
        if (status != NQ_OK && *got)
            return NQ_OK;
        stream->ended = status == NQ_END;
        if (status != NQ_OK)
            return status;
        stream->read = 0;
        stream->place = (struct packed_place){0};
    }
    return NQ_OK;
}

void stream_enough(struct stream *stream)
{
    stream->ended = true;
}

/* Arms the reader before it looks, so that what comes in between wakes it. */
static bool wait_while(struct stream *stream, bool (*busy)(const struct stream *stream))
{
    pending_arm(&stream->pending);
    lock_take(&stream->lock);
    const bool waits = busy(stream);
    lock_release(&stream->lock);
    return waits || !pending_disarm(&stream->pending);
}

static bool is_opening(const struct stream *stream)
{
    return stream->opening;
}

static bool is_filling(const struct stream *stream)
{
    return stream->opening || (!stream->enough && stream->slot[stream->foremost].state == SLOT_FILLING);
}

bool stream_wait_opened(struct stream *stream)
{
    return wait_while(stream, is_opening);
}

bool stream_wait(struct stream *stream)
{
    return wait_while(stream, is_filling);
}

struct pending *stream_pending(struct stream *stream)
{
    return &stream->pending;
}

void streams_close(struct streams *streams)
{
    if (!streams)
        return;
    lock_take(&streams->lock);
    streams->closed = true;
    for (struct stream *stream = streams->list; stream; stream = stream->next)
        atomic_store(&stream->stop, true);
    lock_release(&streams->lock);
}

struct stream_stats streams_stats(struct streams *streams)
{
    lock_take(&streams->lock);
    const struct stream_stats stats = {.running = streams->running,
                                       .most = streams->most,
                                       .started = streams->started,
                                       .cut = streams->cut,
                                       .refused = streams->refused,
                                       .solutions = atomic_load(&streams->solutions)};
    lock_release(&streams->lock);
    return stats;
}

#ifdef CHECKS
void streams_check(struct streams *streams)
{
    unsigned running = 0;
    struct stream *const *link = &streams->list;
    if (!lock_take_to_check(&streams->lock))
        return;
    for (struct stream *stream = streams->list; stream; link = &stream->next, stream = stream->next, running++) {
        assert(running < streams->running && stream->home == streams && stream->link == link);
        assert(atomic_load(&stream->pending.references) >= 1);
        if (!lock_take_to_check(&stream->lock))
            continue;
        assert(!stream->opened || (stream->source != NULL) != (stream->parallel != NULL));
        assert(!(stream->opening && stream->opened));
        stream_check_slots(stream);
        lock_release(&stream->lock);
    }
    assert(streams->running >= running && streams->running <= streams->most); /* more: some are being allocated */
    assert(streams->started >= streams->cut);
    lock_release(&streams->lock);
}
#endif
