/* stream_slots.c - slots are given to tasks, filled, and published to the reader. */
#include "engine/lists/stream_slots.h"

#include <assert.h>

#include "base/clock.h"

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

unsigned stream_give(struct stream *stream)
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
    const bool wake = stream->waiting && slot == &stream->slot[stream->foremost];
    stream->waiting = stream->waiting && !wake;
    const unsigned given = stream->in_turn ? stream_give(stream) : 0;
    lock_release(&stream->lock);
    lock_none_held();
    if (wake)
        stream->wake(stream->who);
    stream_fill(stream, given);
}

/* Whether the reader waits for this slot: then it gets the first bytes at once. */
static bool is_awaited(struct stream *stream, const struct slot *slot)
{
    lock_take(&stream->lock);
    const bool awaited = stream->waiting && slot == &stream->slot[stream->foremost];
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
    cancellable_unref(&stream->cancellable);
    return false;
}

void stream_fill(struct stream *stream, unsigned given)
{
    for (unsigned i = 0; i < STREAM_SLOTS; i++) {
        if (!(given >> i & 1))
            continue;
        struct slot *slot = &stream->slot[i];
        slot->solutions = 0;
        slot->copy.size = 0;
        slot->sum = (struct gzip_sum){0};
        slot->before = slot->range;
        cancellable_ref(&stream->cancellable);
        if (!pool_add(stream->home->pool, &slot->task)) {
            publish(slot, NQ_CLOSED);
            cancellable_unref(&stream->cancellable);
        } else if (atomic_load(&stream->stop)) {
            pool_hurry(&slot->task);
        }
    }
}

void stream_stop(struct stream *stream)
{
    atomic_store(&stream->stop, true);
    for (unsigned i = 0; i < STREAM_SLOTS; i++)
        pool_hurry(&stream->slot[i].task);
}

void stream_begin_slots(struct stream *stream)
{
    for (unsigned i = 0; i < STREAM_SLOTS; i++) {
        stream->slot[i].task = (struct pool_task){.run = run, .turn.client = stream->question->principal.client};
        stream->slot[i].stream = stream;
    }
}

#ifdef CHECKS
void stream_check_slots(const struct stream *stream)
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
    assert(!stream->waiting || stream->slot[stream->foremost].state == SLOT_FILLING); /* or nothing wakes the reader */
    assert(!stream->busy || filling);
}
#endif
