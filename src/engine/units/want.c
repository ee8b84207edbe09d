/* want.c - a short list, and a pause that grows. */
#include "engine/units/want.h"

#include <assert.h>
#include <stdlib.h>

#include "base/timed.h"

enum { FIRST_MS = 10, LONGEST_MS = 1000, PATIENCE_MS = 60000 };

bool want_open(struct want *want, size_t room)
{
    want->list = calloc(room, sizeof *want->list);
    want->room = room;
    return want->list;
}

void want_close(struct want *want)
{
    free(want->list);
}

enum nq_status want_begin(struct want *want, size_t item, bool audit)
{
    if (!want->since) {
        want->since = clock_now();
        want->pause_ms = FIRST_MS / 2;
    } else if (timed_long_ago(want->since, PATIENCE_MS)) {
        return NQ_NOMEM;
    }
    assert(want->count < want->room); /* its owner takes from the list before anything else */
    want->list[want->count++] = (struct wanted){item, audit};
    want->pause_ms = want->pause_ms < LONGEST_MS / 2 ? 2 * want->pause_ms : LONGEST_MS;
    want->until = timed_in(want->pause_ms);
    return NQ_AGAIN;
}

void want_over(struct want *want)
{
    want->since = want->until = 0;
}

bool want_pauses(const struct want *want)
{
    return want->until && clock_now() < want->until;
}

bool want_take(struct want *want, bool audit, size_t *item)
{
    for (size_t i = 0; i < want->count; i++) {
        if (want->list[i].audit != audit)
            continue;
        *item = want->list[i].item;
        want->list[i] = want->list[--want->count];
        return true;
    }
    return false;
}
