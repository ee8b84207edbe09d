/* units.c - a ticket each, and sums. */
#include "engine/units.h"

#include <stdlib.h>

bool units_lay(struct units *units, size_t count)
{
    units->count = count;
    units->known = calloc(count + 1, sizeof *units->known);
    return units->known;
}

void units_close(struct units *units)
{
    free(units->known);
}

bool units_restore(struct units *units, size_t unit, uint64_t weight)
{
    if (units->known[unit])
        return false;
    units->known[unit] = true;
    units->restored++;
    units->weight_restored += weight;
    return true;
}

void units_begin(struct units *units)
{
    units->done = units->restored;
    units->weight_done = units->weight_restored;
    atomic_store(&units->laid, true);
}

bool units_take(struct units *units, size_t *unit)
{
    do
        *unit = atomic_fetch_add(&units->next, 1);
    while (*unit < units->count && units->known[*unit]);
    return *unit < units->count;
}

void units_finish(struct units *units, uint64_t weight, uint64_t nodes)
{
    atomic_fetch_add(&units->done, 1);
    atomic_fetch_add(&units->weight_done, weight);
    atomic_fetch_add(&units->nodes, nodes);
}

void units_progress(const struct units *units, struct progress *progress)
{
    if (!atomic_load(&units->laid))
        return;
    progress->weight = units->weight;
    progress->weight_done = atomic_load(&units->weight_done);
    progress->weight_restored = units->weight_restored;
    progress->units = units->count;
    progress->units_done = atomic_load(&units->done);
    progress->units_restored = units->restored;
    progress->nodes = atomic_load(&units->nodes);
}
