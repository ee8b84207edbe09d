/* stream.c - opening, reading and closing a stream. The reader takes the slots in order: stream_slots.c fills them. */
#include "engine/lists/stream.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/lists/stream_slots.h"

struct streams *streams_new(struct pool *pool, const struct kernel *kernel, unsigned most, unsigned seconds)
{
    struct streams *streams = calloc(1, sizeof *streams);
    if (!streams)
        return NULL;
    streams->pool = pool;
    streams->kernel = kernel;
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

static void stream_free(struct cancellable *cancellable)
{
    struct stream *stream = (struct stream *)cancellable;
    if (stream->source)
        stream->source->class->close(stream->source);
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

static void stream_dismiss(struct cancellable *cancellable, enum nq_status why)
{
    struct stream *stream = (struct stream *)cancellable;
    lock_take(&stream->lock);
    /* Where a worker fills, it says itself that the stream is cut. */
    if (stream->status == NQ_AGAIN)
        stream->status = why;
    lock_release(&stream->lock);
    stream_stop(stream);
}

/* Under the lock: adds the stream to the list. */
static enum nq_status admit(struct streams *streams, struct stream *stream)
{
    lock_assert(&streams->lock);
    if (streams->closed)
        return NQ_CLOSED;
    if (streams->running >= streams->most) {
        streams->refused++;
        return NQ_BUSY;
    }
    streams->running++;
    streams->started++;
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
    lock_take(&streams->lock);
    assert(streams->running && *stream->link == stream);
    *stream->link = stream->next;
    if (stream->next)
        stream->next->link = stream->link;
    streams->running--;
    streams->cut += !stream->ended;
    lock_release(&streams->lock);
}

/* What the body is made from. */
static enum nq_status open_body(struct stream *stream)
{
    const struct question *question = stream->question;
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
    stream->reading = &stream->edge;
    return stream->edge.failed ? NQ_NOMEM : NQ_OK;
}

enum nq_status stream_open(struct streams *streams, struct shared_question *question, cancellable_wake wake, void *who,
                           struct stream **out)
{
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NQ_NOMEM;
    stream->shared = question_ref(question);
    stream->question = &question->question;
    lock_init(&stream->lock, LOCK_STREAM);
    stream->home = streams;
    enum nq_status status = open_body(stream);
    if (status == NQ_OK)
        status = begin_body(stream);
    if (status != NQ_OK) {
        stream_free(&stream->cancellable);
        return status;
    }
    stream->packed = stream->parallel && parallel_list_packs(stream->parallel);
    stream->in_turn = stream->source || parallel_list_in_turn(stream->parallel);
    stream->cancellable = (struct cancellable){.references = 1, .dismiss = stream_dismiss, .free = stream_free};
    stream->ends_at = clock_now() + streams->lifetime;
    stream->status = NQ_AGAIN;
    stream->wake = wake;
    stream->who = who;
    stream_begin_slots(stream);
    lock_take(&streams->lock);
    status = admit(streams, stream);
    lock_release(&streams->lock);
    if (status != NQ_OK) {
        stream_free(&stream->cancellable);
        return status;
    }
    lock_take(&stream->lock);
    const unsigned given = stream_give(stream);
    lock_release(&stream->lock);
    stream_fill(stream, given);
    *out = stream;
    return NQ_OK;
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

bool stream_wait(struct stream *stream)
{
    lock_take(&stream->lock);
    stream->waiting = !stream->enough && stream->slot[stream->foremost].state == SLOT_FILLING;
    const bool waiting = stream->waiting;
    lock_release(&stream->lock);
    return waiting;
}

bool stream_cost(const struct stream *stream, struct cost *cost, uint64_t *waited)
{
    const uint64_t took_off = atomic_load(&stream->took_off);
    *cost = (struct cost){.nodes = atomic_load(&stream->nodes), .nanoseconds = atomic_load(&stream->worked)};
    *waited = took_off ? took_off - (stream->ends_at - stream->home->lifetime) : 0;
    return took_off;
}

struct cancellable *stream_cancellable(struct stream *stream)
{
    return &stream->cancellable;
}

void stream_close(struct stream *stream)
{
    lock_take(&stream->lock);
    stream->waiting = false;
    lock_release(&stream->lock);
    stream_stop(stream);
    leave(stream);
    cancellable_unref(&stream->cancellable);
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
        assert(atomic_load(&stream->cancellable.references) >= 1);
        assert((stream->source != NULL) != (stream->parallel != NULL));
        if (!lock_take_to_check(&stream->lock))
            continue;
        stream_check_slots(stream);
        lock_release(&stream->lock);
    }
    assert(streams->running == running && running <= streams->most);
    assert(streams->started >= running + streams->cut);
    lock_release(&streams->lock);
}
#endif
