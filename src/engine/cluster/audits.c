/* audits.c - a list of units, each for a short while, searched from its beginning. */
#include "engine/cluster/audits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* A random fraction of all units, which no worker can predict. */
static bool is_drawn(const struct shared_count *shared, size_t unit)
{
    uint64_t hash = hash_text(HASH_START, shared->id);
    hash = hash_bytes(hash, &shared->home->salt, sizeof shared->home->salt);
    hash = hash_bytes(hash, &unit, sizeof unit);
    const double drawn = (double)(hash >> 11) * 0x1p-53;
    return drawn < shared->home->options.audit;
}

void audits_begin(struct shared_count *shared, size_t unit, nq_wide parts, const char *worker)
{
    if (!is_drawn(shared, unit))
        return;
    struct audit *audit = calloc(1, sizeof *audit);
    lock_take(&shared->home->lock);
    if (audit) {
        *audit = (struct audit){.next = shared->audits, .unit = unit, .parts = parts, .since = clock_now()};
        (void)snprintf(audit->worker, sizeof audit->worker, "%s", worker);
        shared->audits = audit;
    } else {
        shared_count_fail(shared, NQ_NOMEM, &(struct fault){0});
    }
    lock_release(&shared->home->lock);
}

/* Under the lock. */
static void disagree(struct shared_count *shared, const struct message_place *place, const char *one, const char *other)
{
    lock_assert(&shared->home->lock);
    struct fault fault;
    char piece[32] = "";
    if (place->piece != UNIT_WHOLE)
        (void)snprintf(piece, sizeof piece, "piece %" PRIu32 " of ", place->piece);
    fault_write(&fault, FAULT_DISAGREE, (const double[]){place->unit},
                "Worker %.40s does not agree with %.40s on %sunit %" PRIu32 ": no result can be believed.", one, other,
                piece, place->unit);
    shared->home->stats.disagreements++;
    shared_count_fail(shared, NQ_BROKEN, &fault);
}

void audits_disagree(struct shared_count *shared, const struct message_place *place, const char *one, const char *other)
{
    lock_take(&shared->home->lock);
    disagree(shared, place, one, other);
    lock_release(&shared->home->lock);
}

void audits_check(struct shared_count *shared, size_t unit, nq_wide parts, const char *by)
{
    struct message_place place;
    (void)shared->class->place(shared->who, unit, &place);
    lock_take(&shared->home->lock);
    struct audit *audit = shared->audits;
    while (audit && (audit->unit != unit || audit->state == AUDIT_OVER || strcmp(audit->worker, by) == 0))
        audit = audit->next;
    if (audit) { /* otherwise it was checked already, or by itself */
        audit->state = AUDIT_OVER;
        shared->home->stats.audits++;
    }
    if (audit && audit->parts != parts)
        disagree(shared, &place, audit->worker, by);
    lock_release(&shared->home->lock);
}

/* Under the lock. */
static struct audit *find(struct shared_count *shared, bool own)
{
    struct audit *audit = shared->audits;
    while (audit && (own ? audit->state != AUDIT_OWN : audit->state == AUDIT_OVER))
        audit = audit->next;
    return audit;
}

bool audits_take(struct shared_count *shared, size_t *unit)
{
    lock_take(&shared->home->lock);
    struct audit *audit = find(shared, true);
    if (audit) {
        audit->state = AUDIT_TAKEN;
        *unit = audit->unit;
    }
    lock_release(&shared->home->lock);
    return audit;
}

bool audits_open(struct shared_count *shared)
{
    lock_take(&shared->home->lock);
    const bool open = find(shared, false);
    lock_release(&shared->home->lock);
    return open;
}

void audits_forget(struct shared_count *shared, bool all)
{
    lock_take(&shared->home->lock);
    for (struct audit **at = &shared->audits; *at;) {
        struct audit *audit = *at;
        if (audit->state != AUDIT_OVER && !all) {
            at = &audit->next;
            continue;
        }
        *at = audit->next;
        free(audit);
    }
    lock_release(&shared->home->lock);
}
