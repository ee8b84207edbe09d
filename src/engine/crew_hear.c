/* crew_hear.c - what workers and other servers say: who is there, what a unit came to, and whether two agree on it. */
#include "engine/crew_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* ---- Workers; under the lock ---- */

unsigned crew_count_hands(const struct crews *crews)
{
    unsigned hands = 0;
    for (const struct hand *hand = crews->hands; hand; hand = hand->next)
        hands += hand->threads;
    return hands;
}

/* Whether there is a worker other than one. */
bool crew_anyone_but(const struct crews *crews, const char *id)
{
    const struct hand *hand = crews->hands;
    while (hand && strcmp(hand->id, id) == 0)
        hand = hand->next;
    return hand;
}

void crew_forget_silent(struct crews *crews)
{
    for (struct hand **at = &crews->hands; *at;) {
        struct hand *hand = *at;
        if (!timed_long_ago(hand->heard, SILENT_MS)) {
            at = &hand->next;
            continue;
        }
        *at = hand->next;
        free(hand);
    }
}

static void note_worker(struct crews *crews, const char *id, const struct worker_slip *slip)
{
    struct hand *hand = crews->hands;
    size_t count = 0;
    for (; hand && strcmp(hand->id, id) != 0; hand = hand->next)
        count++;
    if (!hand) {
        hand = count < HANDS_MOST ? calloc(1, sizeof *hand) : NULL;
        if (!hand)
            return; /* it will be heard again */
        (void)snprintf(hand->id, sizeof hand->id, "%s", id);
        hand->next = crews->hands;
        crews->hands = hand;
    }
    hand->threads = slip->threads;
    hand->heard = clock_now();
}

/* ---- What comes back ---- */

/* A share of all units, which none can tell beforehand. */
bool crew_is_audited(const struct crew *crew, size_t unit)
{
    uint64_t hash = hash_text(HASH_START, crew->id);
    hash = hash_bytes(hash, &crew->home->salt, sizeof crew->home->salt);
    hash = hash_bytes(hash, &unit, sizeof unit);
    const double drawn = (double)(hash >> 11) * 0x1p-53;
    return drawn < crew->home->options.audit;
}

void crew_begin_audit(struct crew *crew, size_t unit, uint64_t parts, const char *worker)
{
    struct audit *audit = calloc(1, sizeof *audit);
    const double weight = crew->class->weight(crew->who, unit);
    pthread_mutex_lock(&crew->home->lock);
    if (audit) {
        *audit =
            (struct audit){.next = crew->audits, .unit = unit, .weight = weight, .parts = parts, .since = clock_now()};
        (void)snprintf(audit->worker, sizeof audit->worker, "%s", worker);
        crew->audits = audit;
    } else {
        crew_fail(crew, NQ_NOMEM, "");
    }
    pthread_mutex_unlock(&crew->home->lock);
}

/* Two do not agree: no result can be believed. Under the lock. */
static void disagree(struct crew *crew, const struct slip_place *place, const char *one, const char *other)
{
    char why[WORK_WHY_MAX], piece[32] = "";
    if (place->piece != UNIT_WHOLE)
        (void)snprintf(piece, sizeof piece, "piece %" PRIu32 " of ", place->piece);
    (void)snprintf(why, sizeof why,
                   "Worker %.40s does not agree with %.40s on %sunit %" PRIu32 ": no result can be believed.", one,
                   other, piece, place->unit);
    crew->home->figures.disagreements++;
    crew_fail(crew, NQ_BROKEN, why);
}

/* Under the lock: what somebody else has found for a unit. */
void crew_check(struct crew *crew, size_t unit, uint64_t parts, const char *by)
{
    struct audit *audit = crew->audits;
    struct slip_run run;
    while (audit && (audit->unit != unit || audit->over || strcmp(audit->worker, by) == 0))
        audit = audit->next;
    if (!audit)
        return; /* it was checked already, or by itself */
    audit->over = true;
    crew->home->figures.audits++;
    crew->class->place(crew->who, unit, &run);
    if (audit->parts != parts)
        disagree(crew, &run.from, audit->worker, by);
}

/* A unit is not outstanding any more. */
double crew_settle(struct crew *crew, size_t unit)
{
    const double weight = pending_remove(&crew->out, unit);
    if (weight > 0) {
        crew->moved = clock_now();
        crew->reposts = 0;
    }
    return weight;
}

static void on_counted(struct crew *crew, size_t unit, const struct report_slip *slip)
{
    const double weight = crew_settle(crew, unit);
    if (crew->class->over(crew->who, unit))
        return;                                                          /* somebody was faster */
    if (weight > 0 && slip->seconds > 0 && slip->seconds < CREDIBLE_S) { /* one found in the store took none */
        crew->weight_back += weight;
        crew->seconds_back += slip->seconds;
        crew->reports++;
    }
    if (crew_is_audited(crew, unit))
        crew_begin_audit(crew, unit, slip->parts, slip->worker);
    crew->class->adopt(crew->who, unit, slip->parts, slip->nodes);
    pthread_mutex_lock(&crew->home->lock);
    crew->home->figures.units++;
    pthread_mutex_unlock(&crew->home->lock);
}

static void on_report(struct crew *crew, const struct report_slip *slip)
{
    size_t unit;
    if (!crew->begun || !crew->class->find(crew->who, &slip->place, &unit))
        return;
    if (slip->report == SLIP_COUNTED) {
        on_counted(crew, unit, slip);
        return;
    }
    pthread_mutex_lock(&crew->home->lock);
    if (slip->report == SLIP_CHECKED)
        crew_check(crew, unit, slip->parts, slip->worker);
    else
        disagree(crew, &slip->place, slip->worker, "the store");
    pthread_mutex_unlock(&crew->home->lock);
}

static void on_work(struct crew *crew, struct work_slip *slip)
{
    if (crew->state == LEADS)
        return; /* our own, for all we know */
    crew->heard = clock_now();
    pthread_mutex_lock(&crew->home->lock);
    crew->progress = slip->progress;
    pthread_mutex_unlock(&crew->home->lock);
}

/* Without the lock. */
void crew_heard(struct crews *crews, const struct heard *heard)
{
    struct worker_slip worker;
    struct report_slip report;
    struct work_slip work;
    const char *text = heard->text.data;
    const size_t size = heard->text.size;
    pthread_mutex_lock(&crews->lock);
    struct crew *crew = heard->topic == QUEUE_WORKER ? NULL : crew_find(crews, heard->id);
    if (heard->topic == QUEUE_WORKER && worker_slip_read(&worker, text, size) == NQ_OK)
        note_worker(crews, heard->id, &worker);
    pthread_mutex_unlock(&crews->lock); /* only this thread frees crews */
    if (!crew || !crew_enter(crew))
        return;
    if (heard->topic == QUEUE_REPORT && report_slip_read(&report, text, size) == NQ_OK)
        on_report(crew, &report);
    if (heard->topic == QUEUE_WORK && work_slip_read(&work, text, size) == NQ_OK) {
        on_work(crew, &work);
        work_slip_free(&work);
    }
    crew_leave(crew);
}
