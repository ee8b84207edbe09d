/* drawing.c - one drawn solution: the units of the index one after the other, then a rank. It knows neither formats nor
 * who waits. */
#include "engine/drawing.h"

#include <stdlib.h>

#include "base/random.h"
#include "count/index.h"

struct drawing {
    uint32_t n;
    uint64_t seed;
    const struct kernel *kernel;
    struct index *index; /* until it is drawn */
    size_t unit;         /* to be counted next */
    struct bytes result; /* of a unit */
    struct index_place place;
};

enum nq_status drawing_open(uint32_t n, uint64_t seed, const struct kernel *kernel, struct drawing **out)
{
    struct query query = {0};
    struct drawing *drawing = calloc(1, sizeof *drawing);
    if (!drawing)
        return NQ_NOMEM;
    drawing->n = n;
    drawing->seed = seed;
    drawing->kernel = kernel;
    filter_begin(&query.filter, n);
    const enum nq_status status = index_open(&query, &drawing->index);
    if (status != NQ_OK) {
        free(drawing);
        return status;
    }
    *out = drawing;
    return NQ_OK;
}

static enum nq_status count_unit(struct drawing *drawing, const atomic_bool *stop)
{
    uint64_t nodes = 0;
    drawing->result.size = 0;
    enum nq_status status = index_count(drawing->index, drawing->unit, drawing->kernel, stop, &drawing->result, &nodes);
    if (status == NQ_OK)
        status = index_put(drawing->index, drawing->unit, drawing->result.data, drawing->result.size);
    if (status != NQ_OK)
        return status;
    drawing->unit++;
    return NQ_AGAIN;
}

static enum nq_status draw(struct drawing *drawing, const atomic_bool *stop)
{
    struct random random = random_begin(drawing->seed, 0);
    index_finish(drawing->index);
    const uint64_t rank = random_below_wide(&random, index_total(drawing->index));
    const enum nq_status status = index_unrank(drawing->index, rank, 0, drawing->kernel, stop, &drawing->place);
    if (status == NQ_OK) {
        index_close(drawing->index);
        drawing->index = NULL;
    }
    return status;
}

enum nq_status drawing_work(struct drawing *drawing, const atomic_bool *stop)
{
    if (!drawing->index)
        return NQ_OK;
    return drawing->unit < index_units(drawing->index) ? count_unit(drawing, stop) : draw(drawing, stop);
}

void drawing_rows(const struct drawing *drawing, uint32_t first, uint32_t count, uint32_t *columns)
{
    for (uint32_t i = 0; i < count; i++)
        columns[i] = drawing->place.columns[first + i];
}

void drawing_close(struct drawing *drawing)
{
    if (drawing->index)
        index_close(drawing->index);
    bytes_free(&drawing->result);
    free(drawing);
}
