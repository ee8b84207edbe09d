/* source_construct.c - one constructed solution writing itself, row by row, in constant memory. */
#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "engine/source.h"

/* Rows formatted between two looks at the clock: some twenty microseconds. */
enum { BATCH = 1024 };

struct building {
    struct source source;
    const struct question *question;
    struct nq_construction *construction;
    struct build_head head;
    uint32_t rows, written;
    bool begun;
};

/* A picture is made in one go: that takes fifty milliseconds at most. */
static enum nq_status draw(const struct building *building, struct bytes *out)
{
    uint32_t columns[PICTURE_MAX_N];
    assert(building->rows == building->head.n && building->head.n <= PICTURE_MAX_N);
    nq_construction_rows(building->construction, 0, building->rows, columns);
    building->question->format->draw(out, building->head.n, building->head.base, columns);
    return out->failed ? NQ_NOMEM : NQ_END;
}

static enum nq_status fill(struct source *source, struct bytes *out, size_t want, const struct slice *slice,
                           const atomic_bool *stop)
{
    struct building *building = (struct building *)source;
    const struct format *format = building->question->format;
    uint32_t columns[BATCH];
    if (format->draw)
        return draw(building, out);
    if (!building->begun) {
        format->build_begin(out, &building->head);
        building->begun = true;
    }
    while (building->written < building->rows) {
        if (out->failed)
            return NQ_NOMEM;
        if (atomic_load_explicit(stop, memory_order_relaxed))
            return NQ_CANCELLED;
        uint32_t left = building->rows - building->written, count = left < BATCH ? left : BATCH;
        uint32_t row = building->head.first + building->written;
        nq_construction_rows(building->construction, row, count, columns);
        format->build_rows(out, &building->head, row, count, columns);
        building->written += count;
        if (out->size >= want || clock_now() >= slice->deadline)
            return NQ_AGAIN; /* perhaps with the end alone left to write */
    }
    format->build_end(out, &building->head, building->written);
    return out->failed ? NQ_NOMEM : NQ_END;
}

static void close_building(struct source *source)
{
    struct building *building = (struct building *)source;
    nq_construction_close(building->construction);
    free(building);
}

enum nq_status source_construct(const struct question *question, struct source **source)
{
    static const struct source_class class = {.fill = fill, .close = close_building};
    struct nq_construction *construction;
    enum nq_status status = nq_construction_open(question->method, question->n, &construction);
    if (status != NQ_OK)
        return status;
    struct building *building = malloc(sizeof *building);
    if (!building) {
        nq_construction_close(construction);
        return NQ_NOMEM;
    }
    *building = (struct building){
        .source = {.class = &class, .complete = true},
        .question = question,
        .construction = construction,
        .head = {.n = question->n,
                 .base = question->base,
                 .method = question->method,
                 .part = question->part,
                 .first = question->first,
                 .last = question->last},
        .rows = question->n ? question->last - question->first + 1 : 0,
    };
    *source = &building->source;
    return NQ_OK;
}
