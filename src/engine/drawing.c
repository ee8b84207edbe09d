/* drawing.c - one drawn solution: an index, then a rank. It knows neither formats nor
 * who waits. */
#include "engine/drawing.h"

#include <stdlib.h>

#include "base/random.h"
#include "engine/spot.h"

struct drawing {
    uint64_t seed;
    const struct kernel *kernel;
    struct spot spot; /* until it is drawn */
    bool drawn;
    struct index_place place;
};

enum nq_status drawing_open(uint32_t n, uint64_t seed, const struct kernel *kernel, struct drawing **out)
{
    struct drawing *drawing = calloc(1, sizeof *drawing);
    if (!drawing)
        return NQ_NOMEM;
    drawing->seed = seed;
    drawing->kernel = kernel;
    const enum nq_status status = spot_open(&drawing->spot, n);
    if (status != NQ_OK) {
        free(drawing);
        return status;
    }
    *out = drawing;
    return NQ_OK;
}

enum nq_status drawing_work(struct drawing *drawing, const atomic_bool *stop)
{
    if (drawing->drawn)
        return NQ_OK;
    const struct index *index = drawing->spot.index;
    enum nq_status status = spot_make(&drawing->spot, drawing->kernel, stop);
    if (status != NQ_OK)
        return status;
    struct random random = random_begin(drawing->seed, 0);
    const uint64_t rank = random_below_wide(&random, index_total(index));
    status = index_unrank(index, rank, 0, drawing->kernel, stop, &drawing->place);
    if (status != NQ_OK)
        return status;
    spot_close(&drawing->spot);
    drawing->drawn = true;
    return NQ_OK;
}

void drawing_rows(const struct drawing *drawing, uint32_t first, uint32_t count, uint32_t *columns)
{
    for (uint32_t i = 0; i < count; i++)
        columns[i] = drawing->place.columns[first + i];
}

void drawing_close(struct drawing *drawing)
{
    spot_close(&drawing->spot);
    free(drawing);
}
