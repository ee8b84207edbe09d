/* assignments.c - a list, searched from its beginning. */
#include "engine/worker/assignments.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/timed.h"
#include "engine/ask/count_query.h"
#include "engine/cluster/waits.h"

void assignment_free(struct assignment *assignment)
{
    if (!assignment)
        return;
    assert(!assignment->users);
    if (assignment->counting)
        counting_close(assignment->counting);
    free(assignment->query);
    free(assignment->name);
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

/* Under the lock. NULL: out of memory. */
static struct assignment *add(struct assignments *assignments, const struct batch_message *message)
{
    struct assignment *assignment = calloc(1, sizeof *assignment);
    if (!assignment)
        return NULL;
    *assignment = (struct assignment){.query = strdup(message->query),
                                      .name = strdup(message->name),
                                      .term = message->run[0].from.term,
                                      .next = assignments->list};
    if (!assignment->query || !assignment->name) {
        assignment_free(assignment);
        return NULL;
    }
    assignments->list = assignment;
    return assignment;
}

static bool is_of(const struct assignment *assignment, const struct batch_message *message)
{
    return assignment->term == message->run[0].from.term && strcmp(assignment->query, message->query) == 0 &&
           strcmp(assignment->name, message->name) == 0;
}

void assignments_leave(struct assignments *assignments, struct assignment *assignment)
{
    lock_take(&assignments->lock);
    assert(assignment->users > 0);
    assignment->users--;
    assignment->used_at = clock_now();
    lock_release(&assignments->lock);
}

struct assignment *assignments_take_idle(struct assignments *assignments, unsigned milliseconds)
{
    lock_take(&assignments->lock);
    struct assignment **at = &assignments->list;
    while (*at && ((*at)->users || !timed_long_ago((*at)->used_at, milliseconds)))
        at = &(*at)->next;
    struct assignment *assignment = *at;
    if (assignment)
        *at = assignment->next;
    lock_release(&assignments->lock);
    return assignment;
}

void assignments_give_back(struct assignments *assignments, struct assignment *assignment)
{
    lock_take(&assignments->lock);
    assignment->used_at = clock_now();
    assignment->next = assignments->list;
    assignments->list = assignment;
    lock_release(&assignments->lock);
}

/* ---- Plans ---- */

static bool has_name(const struct counting *counting, uint32_t term, const char *name)
{
    struct bytes text = {0};
    if (term < counting_terms(counting))
        counting_name(counting, term, &text);
    char *known = bytes_take(&text);
    const bool same = known && strcmp(known, name) == 0;
    free(known);
    return same;
}

/* Plans one term, as if all others were counted already. */
static enum nq_status prepare(struct assignments *assignments, struct counting *counting, uint32_t term)
{
    const size_t terms = counting_terms(counting);
    bool *done = malloc(terms + 1);
    if (!done)
        return NQ_NOMEM;
    for (size_t i = 0; i < terms; i++)
        done[i] = i != term;
    const enum nq_status status = counting_prepare(counting, done, plans_source(assignments->plans), assignments->stop);
    free(done);
    return status;
}

static enum nq_status open_counting(struct assignments *assignments, struct assignment *assignment)
{
    struct shared_question *query;
    struct counting *counting = NULL;
    enum nq_status status = count_query_parse(assignment->query, &query);
    if (status == NQ_OK)
        status = counting_open(&query->question.query, NULL, &counting);
    question_unref(query);
    if (status == NQ_OK && !has_name(counting, assignment->term, assignment->name))
        status = NQ_INVALID;
    if (status == NQ_OK)
        status = prepare(assignments, counting, assignment->term);
    if (status == NQ_OK)
        assignment->counting = counting;
    else if (counting)
        counting_close(counting);
    return status;
}

/* As its user. */
static enum nq_status open_it(struct assignments *assignments, struct assignment *assignment)
{
    lock_take(&assignments->lock);
    while (assignment->state == OPENING)
        (void)timed_wait(&assignments->opened, &assignments->lock, timed_in(PAUSE_MS));
    const bool open = assignment->state == OPEN;
    if (!open)
        assignment->state = OPENING;
    lock_release(&assignments->lock);
    if (open)
        return NQ_OK;
    const enum nq_status status = open_counting(assignments, assignment);
    lock_take(&assignments->lock);
    assignment->state = status == NQ_OK ? OPEN : SHUT;
    pthread_cond_broadcast(&assignments->opened);
    lock_release(&assignments->lock);
    assignments->notify(assignments->who, status == NQ_OK ? "prepared" : "failed", assignment->query);
    return status;
}

enum nq_status assignments_use(struct assignments *assignments, const struct batch_message *message,
                               struct assignment **out)
{
    lock_take(&assignments->lock);
    struct assignment *assignment = assignments->list;
    while (assignment && !is_of(assignment, message))
        assignment = assignment->next;
    if (!assignment)
        assignment = add(assignments, message);
    if (assignment)
        assignment->users++;
    lock_release(&assignments->lock);
    if (!assignment)
        return NQ_NOMEM;
    const enum nq_status status = open_it(assignments, assignment);
    if (status == NQ_OK)
        *out = assignment;
    else
        assignments_leave(assignments, assignment);
    return status;
}

#ifdef CHECKS
void assignments_check(struct assignments *assignments)
{
    if (!lock_take_to_check(&assignments->lock))
        return;
    for (const struct assignment *assignment = assignments->list; assignment; assignment = assignment->next) {
        assert(assignment->query && assignment->name);
        assert(assignment->state == OPENING || (assignment->state == OPEN) == (assignment->counting != NULL));
        assert(assignment->state != OPENING || assignment->users);
    }
    lock_release(&assignments->lock);
}
#endif
