/* reloads.c - the last reload, under a lock. */
#include "http/guard/reloads.h"

#include <stdio.h>
#include <time.h>

void reloads_begin(struct reloads *reloads)
{
    *reloads = (struct reloads){.last.time = time(NULL)};
    lock_init(&reloads->lock, LOCK_RELOADS);
}

void reloads_end(struct reloads *reloads)
{
    lock_destroy(&reloads->lock);
}

void reloads_note(struct reloads *reloads, const char *why)
{
    struct reload last = {.failed = why, .time = time(NULL)};
    (void)snprintf(last.why, sizeof last.why, "%s", why ? why : "");
    lock_take(&reloads->lock);
    reloads->last = last;
    lock_release(&reloads->lock);
}

struct reload reloads_last(struct reloads *reloads)
{
    lock_take(&reloads->lock);
    const struct reload last = reloads->last;
    lock_release(&reloads->lock);
    return last;
}
