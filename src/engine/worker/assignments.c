/* assignments.c - a list, searched from its beginning. */
#include "engine/worker/assignments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/timed.h"
#include "engine/ask/count_query.h"
#include "engine/cluster/waits.h"

/* Any client of the broker can make up assignments. */
enum { ASSIGNMENTS_MOST = 1000 };

static void assignment_free(struct assignment *assignment)
{
    if (assignment->counting)
        counting_close(assignment->counting);
    work_message_free(&assignment->message);
    free(assignment);
}

void assignments_begin(struct assignments *assignments)
{
    lock_init(&assignments->lock, LOCK_ASSIGNMENTS);
    timed_init(&assignments->opened);
}

void assignments_end(struct assignments *assignments)
{
    while (assignments->list) {
        struct assignment *assignment = assignments->list;
        assignments->list = assignment->next;
        assignment_free(assignment);
    }
    pthread_cond_destroy(&assignments->opened);
    lock_destroy(&assignments->lock);
}

/* ---- Which there are ---- */

/* A server that takes over may have more terms to count. */
static bool same_terms(const struct work_message *one, const struct work_message *other)
{
    bool same = one->terms == other->terms;
    for (size_t i = 0; same && i < one->terms; i++)
        same = one->term[i].term == other->term[i].term && strcmp(one->term[i].name, other->term[i].name) == 0;
    return same;
}

/* Under the lock; takes the message over. NULL: no room; it will be received again. */
static struct assignment *add(struct assignments *assignments, const char *id, struct work_message *message)
{
    size_t count = 0;
    for (const struct assignment *at = assignments->list; at; at = at->next)
        count++;
    struct assignment *assignment = count < ASSIGNMENTS_MOST ? calloc(1, sizeof *assignment) : NULL;
    if (!assignment) {
        work_message_free(message);
        return NULL;
    }
    (void)snprintf(assignment->id, sizeof assignment->id, "%s", id);
    assignment->message = *message;
    assignment->next = assignments->list;
    assignments->list = assignment;
    return assignment;
}

void assignments_receive(struct assignments *assignments, const char *id, struct work_message *message)
{
    lock_take(&assignments->lock);
    struct assignment *assignment = assignments->list;
    while (assignment && (assignment->stale || strcmp(assignment->id, id) != 0))
        assignment = assignment->next;
    const bool known = assignment && same_terms(&assignment->message, message);
    if (assignment && !known)
        assignment->stale = true;
    if (known)
        work_message_free(message);
    else
        assignment = add(assignments, id, message);
    if (assignment)
        assignment->received_at = clock_now();
    lock_release(&assignments->lock);
}

static bool is_over(const struct assignment *assignment)
{
    return assignment->stale || timed_long_ago(assignment->received_at, ASSIGNMENT_SILENT_MS);
}

void assignments_weed(struct assignments *assignments)
{
    struct assignment *over = NULL;
    lock_take(&assignments->lock);
    for (struct assignment **at = &assignments->list; *at;) {
        struct assignment *assignment = *at;
        if (assignment->users || !is_over(assignment)) {
            at = &assignment->next;
            continue;
        }
        *at = assignment->next;
        assignment->next = over;
        over = assignment;
    }
    lock_release(&assignments->lock);
    while (over) {
        struct assignment *assignment = over;
        over = assignment->next;
        assignment_free(assignment);
    }
}

/* Under the lock. */
static struct assignment *find_next(const struct assignments *assignments, const struct assignment *current)
{
    struct assignment *first = NULL, *next = NULL;
    bool passed = false;
    for (struct assignment *assignment = assignments->list; assignment; assignment = assignment->next) {
        const bool fit = assignment->state != HOPELESS && !is_over(assignment) && clock_now() >= assignment->retry_at;
        if (fit && passed && !next)
            next = assignment;
        if (fit && !first)
            first = assignment;
        passed |= assignment == current;
    }
    return next ? next : first;
}

struct assignment *assignments_next(struct assignments *assignments, const struct assignment *current)
{
    lock_take(&assignments->lock);
    struct assignment *next = find_next(assignments, current);
    if (next)
        next->users++;
    lock_release(&assignments->lock);
    return next;
}

void assignments_leave(struct assignments *assignments, struct assignment *assignment)
{
    lock_take(&assignments->lock);
    assignment->users--;
    lock_release(&assignments->lock);
}

bool assignments_has_other(struct assignments *assignments, const struct assignment *current)
{
    lock_take(&assignments->lock);
    const bool other = find_next(assignments, current) != current;
    lock_release(&assignments->lock);
    return other;
}

/* ---- Plans ---- */

/* By term: whether it is not to be counted. NULL: out of memory. */
static bool *terms_done(const struct assignment *assignment, const struct counting *counting)
{
    const size_t terms = counting_terms(counting);
    bool *done = malloc(terms + 1);
    for (size_t i = 0; done && i < terms; i++)
        done[i] = true;
    for (size_t i = 0; done && i < assignment->message.terms; i++) {
        const struct message_term *term = &assignment->message.term[i];
        struct bytes name = {0};
        if (term->term < terms)
            counting_name(counting, term->term, &name);
        char *text = bytes_take(&name);
        if (text && strcmp(text, term->name) == 0)
            done[term->term] = false; /* otherwise this release counts it by other units */
        free(text);
    }
    return done;
}

static enum nq_status open_counting(struct assignments *assignments, struct assignment *assignment)
{
    struct shared_question *query;
    enum nq_status status = count_query_parse(assignment->message.query, &query);
    if (status == NQ_OK)
        status = counting_open(&query->question.query, NULL, &assignment->counting);
    question_unref(query);
    if (status != NQ_OK)
        return status;
    bool *done = terms_done(assignment, assignment->counting);
    status = done ? counting_prepare(assignment->counting, done, plans_source(assignments->plans), assignments->stop)
                  : NQ_NOMEM;
    free(done);
    if (status == NQ_OK)
        return NQ_OK;
    counting_close(assignment->counting);
    assignment->counting = NULL;
    return status;
}

bool assignment_open(struct assignments *assignments, struct assignment *assignment)
{
    lock_take(&assignments->lock);
    while (assignment->state == OPENING)
        (void)timed_wait(&assignments->opened, &assignments->lock, timed_in(PAUSE_MS));
    const bool mine = assignment->state == SHUT;
    bool open = assignment->state == OPEN;
    if (mine)
        assignment->state = OPENING;
    lock_release(&assignments->lock);
    if (!mine)
        return open;
    const enum nq_status status = open_counting(assignments, assignment);
    open = status == NQ_OK;
    lock_take(&assignments->lock);
    assignment->state = open ? OPEN : status == NQ_INVALID || status == NQ_LIMIT ? HOPELESS : SHUT;
    assignment->retry_at = open ? 0 : timed_in(ASSIGNMENT_RETRY_MS);
    pthread_cond_broadcast(&assignments->opened);
    lock_release(&assignments->lock);
    assignments->notify(assignments->who, open ? "prepared" : "failed", assignment->message.query);
    return open;
}
