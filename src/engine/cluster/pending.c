/* pending.c - a sorted array: numbers come and go near its ends. */
#include "engine/cluster/pending.h"

#include <stdlib.h>
#include <string.h>

void pending_close(struct pending *pending)
{
    free(pending->at);
    *pending = (struct pending){.at = NULL};
}

bool pending_reserve(struct pending *pending, size_t more)
{
    size_t room = pending->room ? pending->room : 16;
    while (room - pending->count < more)
        room *= 2;
    if (room == pending->room)
        return true;
    struct pending_unit *at = realloc(pending->at, room * sizeof *at);
    if (!at)
        return false;
    pending->at = at;
    pending->room = room;
    return true;
}

/* Where a unit is or belongs. */
static size_t place(const struct pending *pending, size_t unit)
{
    size_t low = 0, high = pending->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (pending->at[middle].unit < unit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void pending_add(struct pending *pending, size_t unit, double weight)
{
    const size_t at = place(pending, unit);
    struct pending_unit *here = pending->at + at;
    if (at < pending->count && here->unit == unit)
        return;
    memmove(here + 1, here, (pending->count - at) * sizeof *here);
    *here = (struct pending_unit){unit, weight};
    pending->count++;
    pending->weight += weight;
}

double pending_remove(struct pending *pending, size_t unit)
{
    const size_t at = place(pending, unit);
    if (at == pending->count || pending->at[at].unit != unit)
        return 0;
    struct pending_unit *here = pending->at + at;
    const double weight = here->weight;
    pending->count--;
    memmove(here, here + 1, (pending->count - at) * sizeof *here);
    pending->weight = pending->count ? pending->weight - weight : 0; /* nothing is left by rounding */
    return weight;
}

bool pending_pop(struct pending *pending, size_t *unit)
{
    if (!pending->count)
        return false;
    *unit = pending->at[pending->count - 1].unit;
    (void)pending_remove(pending, *unit);
    return true;
}
