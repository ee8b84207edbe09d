/* count_work.c - a count by searching: every task takes the next item until none is left. The result of an item or of a
 * whole term is a fact: it goes to the journal, and what the journal has is not counted again. A long count is shared:
 * workers, if there are any, count its units while one task waits for them; if another server leads it, all tasks wait.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/ask/brief.h"
#include "engine/ask/count_instead.h"
#include "engine/counts/count_recall.h"
#include "engine/counts/count_shared.h"
#include "engine/counts/count_units.h"

/* Terms that are named between two looks at the stop flag: some tens of microseconds. */
enum { POLL_TERMS = 16 };

/* ---- Counting ---- */

/* Under the lock: whether no other term of the same method has been begun. */
static bool is_first(const struct count_work *count, size_t term)
{
    lock_assert(&count->lock);
    const char *method = counting_method(count->counting, term);
    for (size_t i = 0; i < counting_terms(count->counting); i++)
        if (count->sums[i].begun && counting_method(count->counting, i) == method)
            return false;
    return true;
}

/* The task's meter counts for the term's method from here on. */
static void meter_term(struct count_work *count, size_t term, struct meter *meter)
{
    struct sum *sum = &count->sums[term];
    bool first = false;
    if (!atomic_load_explicit(&sum->begun, memory_order_relaxed)) {
        lock_take(&count->lock);
        first = is_first(count, term);
        atomic_store_explicit(&sum->begun, true, memory_order_relaxed);
        lock_release(&count->lock);
    }
    (first ? meter_begin : meter_by)(meter, counting_method(count->counting, term));
}

/* audit: the result is only compared with a worker's. */
static enum nq_status count_item(struct count_work *count, size_t item, bool audit, struct meter *meter,
                                 const atomic_bool *stop)
{
    const struct counting *counting = count->counting;
    const size_t unit = item_unit(item), piece = item_piece(item);
    struct unit_result result = {0};
    meter_term(count, counting_term(counting, unit), meter);
    const enum nq_status status = piece == UNIT_WHOLE
                                      ? counting_count(counting, unit, count->kernel, stop, &result)
                                      : counting_count_piece(counting, unit, piece, count->kernel, stop, &result);
    meter_did(meter, result.nodes);
    if (status != NQ_OK)
        return status;
    count_found_memory(count);
    if (audit)
        shared_count_audited(count->shared, item, result.thirds);
    else
        count_add(count, item, &result, true);
    return NQ_OK;
}

/* Takes an item that this server itself is to count. */
static bool take(struct count_work *count, const atomic_bool *stop, size_t *item, bool *audit, bool *later)
{
    *later = count_pauses(count, item);
    if (*later)
        return false;
    *audit = *item != SIZE_MAX || (count->shared && shared_count_take_audit(count->shared, item));
    if (*audit)
        return true;
    if (count->without_tables && !shared_count_alone(count->shared))
        return false;
    return count_take(count, stop, item, later);
}

/* No result can be believed: the units in the store are deleted. */
static enum nq_status condemn(struct count_work *count, enum nq_status status, const struct fault *fault)
{
    lock_take(&count->lock);
    if (!count->work.fault.text[0])
        count->work.fault = *fault;
    lock_release(&count->lock);
    count_drop_units(count);
    return status;
}

/* NQ_OK: the count may go on. */
static enum nq_status check(struct count_work *count)
{
    struct fault fault;
    const enum nq_status status = count->shared ? shared_count_verdict(count->shared, &fault) : NQ_OK;
    return status == NQ_OK ? (enum nq_status)atomic_load(&count->failing) : condemn(count, status, &fault);
}

/* There is nothing to do for a task. It ends, but for the last one of a shared count, which waits for workers. */
static enum nq_status wait_or_end(struct count_work *count, const struct slice *slice)
{
    if (!count->shared)
        return (enum nq_status)atomic_load(&count->failing);
    if (units_complete(&count->units) && !shared_count_doubts(count->shared))
        return check(count); /* after the last audit: its verdict is final */
    if (atomic_fetch_sub(&count->tasks, 1) > 1)
        return NQ_OK;
    atomic_fetch_add(&count->tasks, 1);
    return slice_rest(slice);
}

/* There will be something to do. */
static enum nq_status rest(const struct slice *slice, const atomic_bool *stop)
{
    return stop_wanted(stop) ? NQ_CANCELLED : slice_rest(slice);
}

static enum nq_status count_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct count_work *count = (struct count_work *)work;
    enum nq_status status = count->shared ? shared_count_admit(count->shared, slice, stop) : NQ_OK;
    if (status == NQ_END)
        return NQ_OK;
    while (status == NQ_OK) {
        size_t item;
        bool audit, later;
        status = check(count);
        if (status != NQ_OK)
            return status;
        if (!take(count, stop, &item, &audit, &later))
            return later ? rest(slice, stop) : wait_or_end(count, slice);
        status = count_item(count, item, audit, slice->meter, stop);
        if (status == NQ_NOMEM && count_put_off(count, item, audit) == NQ_AGAIN)
            return slice_rest(slice);
        if (status == NQ_OK && clock_now() >= slice->deadline)
            return NQ_AGAIN;
    }
    return status;
}

static void count_progress(struct work *work, struct progress *progress)
{
    struct count_work *count = (struct count_work *)work;
    units_progress(&count->units, progress);
    if (count->is_shared)
        shared_count_progress(count->shared, progress);
}

/* ---- Beginning and end ---- */

static enum nq_status name_terms(struct count_work *count, const atomic_bool *stop)
{
    for (size_t term = 0; term < counting_terms(count->counting); term++) {
        struct bytes name = {0};
        if (term % POLL_TERMS == 0 && stop_wanted(stop))
            return NQ_CANCELLED;
        counting_name(count->counting, term, &name);
        count->sums[term].name = bytes_take(&name);
        if (!count->sums[term].name)
            return NQ_NOMEM;
    }
    return NQ_OK;
}

/* Rejects a count that would take more than the limit. */
static enum nq_status afford(struct count_work *count, const struct tools *tools, const atomic_bool *stop,
                             struct fault *fault)
{
    const double seconds = counting_cost(count->counting, count->done, tools->nodes_per_second, stop).seconds;
    if (units_afford(&count->work, count->question, tools, seconds))
        return NQ_OK;
    fault_write(fault, FAULT_COST, (const double[]){seconds, tools->most_core_seconds},
                "This needs about %.3g core-hours; the limit is %.3g.%s", seconds / 3600,
                tools->most_core_seconds / 3600, count_instead(count->question));
    return NQ_LIMIT;
}

/* A single task does not wait for other threads to wake, or for a turn in the pool. */
static unsigned tasks_for(const struct count_work *count)
{
    if (count->shared)
        return count->threads;
    return question_brief(count->question) || count->units.count < count->threads ? 1 : count->threads;
}

static enum nq_status count_prepare(struct work *work, const atomic_bool *stop)
{
    struct count_work *count = (struct count_work *)work;
    enum nq_status status = NQ_OK;
    if (count->unsure && work->lengthy)
        status = count_recall_terms(count, units_deadline(work, stop));
    if (status == NQ_OK)
        status = count_share(count);
    if (status == NQ_OK && !count->shared)
        status = count_lay_out(count, stop);
    work->tasks = tasks_for(count);
    count->tasks = work->tasks;
    return status;
}

static enum nq_status count_finish(struct work *work, struct answer **out)
{
    struct count_work *count = (struct count_work *)work;
    const struct question *question = count->question;
    const uint32_t n = question->n;
    nq_wide *thirds = calloc(counting_terms(count->counting) + 1, sizeof *thirds), *squares = NULL;
    enum nq_status status = NQ_NOMEM;
    if (!thirds)
        return NQ_NOMEM;
    for (size_t term = 0; term < counting_terms(count->counting); term++) {
        assert(count->done[term] || count->shared || count->sums[term].left == 0); /* every unit is in the sum */
        thirds[term] = count->done[term] ? count->sums[term].stored : count->sums[term].thirds;
        if (count->shared && !count->done[term])
            count_keep_term(count, term, thirds[term]);
        else if (count->shared)
            count_drop_term(count, term); /* the server that stored the sum may have died before it did that */
    }
    count->kept = true;
    if (question->query.by_square) {
        squares = calloc((size_t)n * n + 1, sizeof *squares);
        if (!squares)
            goto cleanup;
        for (uint32_t i = 0; i < n * n; i++)
            squares[i] = counting_square(count->counting, thirds, i / n, i % n);
    }
    status = count->answer(question, counting_total(count->counting, thirds), squares, out);
cleanup:
    free(squares);
    free(thirds);
    return status;
}

static void count_close(struct work *work)
{
    struct count_work *count = (struct count_work *)work;
    atomic_store(&count->closing, true);
    if (count->shared)
        shared_count_close(count->shared, count->kept);
    for (size_t term = 0; count->sums && term < counting_terms(count->counting); term++)
        free(count->sums[term].name);
    free(count->sums);
    free(count->done);
    free(count->thirds);
    units_close(&count->units);
    splits_close(&count->splits);
    want_close(&count->want);
    counting_close(count->counting);
    lock_destroy(&count->lock);
    free(count);
}

enum nq_status work_count(const struct question *question, const struct tools *tools, work_answer *answer,
                          const atomic_bool *stop, struct fault *fault, struct work **work)
{
    static const struct work_class class = {.prepare = count_prepare,
                                            .slice = count_slice,
                                            .finish = count_finish,
                                            .close = count_close,
                                            .progress = count_progress};
    struct counting *counting;
    enum nq_status status = counting_open(&question->query, stop, &counting);
    if (status != NQ_OK)
        return status;
    struct count_work *count = calloc(1, sizeof *count);
    if (!count) {
        counting_close(counting);
        return NQ_NOMEM;
    }
    count->work = (struct work){.class = &class, .tasks = 1};
    count->question = question;
    count->answer = answer;
    count->kernel = tools->kernel;
    count->threads = tools->threads;
    count->journal = tools->journal;
    count->plans = tools->plans;
    count->tableless = tools->tableless;
    count->coordinator = tools->coordinator;
    count->counting = counting;
    lock_init(&count->lock, LOCK_COUNT);
    const size_t terms = counting_terms(counting);
    count->sums = calloc(terms + 1, sizeof *count->sums);
    count->done = calloc(terms + 1, sizeof *count->done);
    const size_t takers = tools->threads + (size_t)1; /* tasks and the coordinator: each an item and an audit */
    const bool room = want_open(&count->want, 2 * takers);
    status = count->sums && count->done && room ? name_terms(count, stop) : NQ_NOMEM;
    if (status == NQ_OK)
        status = count_recall_terms(count, units_deadline(&count->work, stop));
    if (status == NQ_OK)
        status = afford(count, tools, stop, fault);
    if (status == NQ_OK)
        *work = &count->work;
    else
        count_close(&count->work);
    return status;
}
