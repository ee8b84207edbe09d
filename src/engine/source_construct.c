/* source_construct.c - one constructed solution writing itself: made ready slice by slice, then told row by row in
 * memory of its own that does not grow. */
#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/stop.h"
#include "engine/drawing.h"
#include "engine/source.h"

/* Rows formatted, and placements or swaps tried, between two looks at the clock: some microseconds, and a millisecond.
 */
enum { BATCH = 1024, GRANT = 1 << 15 };

struct building {
    struct source source;
    const struct question *question;
    struct nq_construction *construction; /* or: */
    struct drawing *drawing;
    struct build_head head;
    uint32_t rows, written;
    bool ready, begun;
};

static enum nq_status make_ready(struct building *building, const struct slice *slice, const atomic_bool *stop)
{
    enum nq_status status;
    do {
        uint64_t budget = GRANT;
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        status = building->drawing ? drawing_work(building->drawing, stop)
                                   : construction_work(building->construction, &budget);
        building->source.nodes += GRANT - budget;
    } while (status == NQ_AGAIN && clock_now() < slice->deadline);
    building->ready = status == NQ_OK;
    return status;
}

static void tell(const struct building *building, uint32_t first, uint32_t count, uint32_t *columns)
{
    if (building->drawing)
        drawing_rows(building->drawing, first, count, columns);
    else
        nq_construction_rows(building->construction, first, count, columns);
}

/* A picture is made in one go: that takes fifty milliseconds at most. */
static enum nq_status draw(const struct building *building, struct bytes *out)
{
    uint32_t columns[PICTURE_MAX_N];
    assert(building->rows == building->head.n && building->head.n <= PICTURE_MAX_N);
    tell(building, 0, building->rows, columns);
    building->question->format->draw(out, building->head.n, building->head.base, columns);
    return NQ_END;
}

static enum nq_status fill(struct source *source, struct bytes *out, size_t want, const struct slice *slice,
                           const atomic_bool *stop)
{
    struct building *building = (struct building *)source;
    const struct format *format = building->question->format;
    uint32_t columns[BATCH];
    const enum nq_status status = building->ready ? NQ_OK : make_ready(building, slice, stop);
    if (status != NQ_OK)
        return status;
    if (format->draw)
        return draw(building, out);
    if (!building->begun) {
        format->build_begin(out, &building->head);
        building->begun = true;
    }
    while (building->written < building->rows) {
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        uint32_t left = building->rows - building->written, count = left < BATCH ? left : BATCH;
        uint32_t row = building->head.first + building->written;
        tell(building, row, count, columns);
        format->build_rows(out, &building->head, row, count, columns);
        building->written += count;
        if (out->failed || out->size >= want || clock_now() >= slice->deadline)
            return NQ_AGAIN; /* perhaps with the end alone left to write */
    }
    format->build_end(out, &building->head, building->written);
    return NQ_END;
}

static void close_building(struct source *source)
{
    struct building *building = (struct building *)source;
    nq_construction_close(building->construction);
    if (building->drawing)
        drawing_close(building->drawing);
    free(building);
}

/* What it is made by: a construction that only the engine can put together draws a small board, and leaves a large one
 * to the local search. */
static enum nq_status open_plan(struct building *building, const struct construction *method, bool draws,
                                const struct kernel *kernel)
{
    struct construction_settings settings = building->question->construction;
    settings.n = building->head.n;
    settings.allowance = building->question->allowance;
    if (building->head.uniform)
        return drawing_open(settings.n, settings.seed, kernel, &building->drawing);
    return construction_open(draws ? construction_find("local-search") : method, &settings, &building->construction);
}

enum nq_status source_construct(const struct question *question, const struct kernel *kernel, struct source **source)
{
    static const struct source_class class = {.fill = fill, .close = close_building};
    const struct construction *method = construction_find(question->method);
    if (!method)
        return NQ_INVALID;
    const bool draws = !method->open && !method->machine, none = question->n == 2 || question->n == 3;
    struct building *building = malloc(sizeof *building);
    if (!building)
        return NQ_NOMEM;
    *building = (struct building){
        .source = {.class = &class, .complete = true},
        .question = question,
        .head = {.n = question->n,
                 .base = question->base,
                 .method = question->method,
                 .part = question->part,
                 .first = question->first,
                 .last = question->last,
                 .seeded = method->takes & TAKES_SEED,
                 .seed = question->construction.seed,
                 .random = draws,
                 .uniform = draws && !none && question->n <= DRAWING_MAX_N},
        .rows = question->n ? question->last - question->first + 1 : 0,
    };
    const enum nq_status status = open_plan(building, method, draws, kernel);
    if (status != NQ_OK) {
        free(building);
        return status;
    }
    *source = &building->source;
    return NQ_OK;
}
