/* estimation.c - an estimated count: every task takes the next block of walks until none is left; the blocks are added
 * in order, so that the sum is the same on any number of tasks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "count/estimate.h"
#include "engine/counts/count_answer.h"
#include "engine/run/work.h"
#include "kernels/kernel.h"
#include "shapes/shape.h"

/* From so many walks on the work is lengthy: some tenths of a second. */
enum { LENGTHY_WALKS = 200000 };

/* Core-seconds for a row of a walk, measured with n = 20 and n = 40; not by lines it is at most that with n = 40. Of a
 * shape for a square. */
#define ROW_SECONDS 3e-7
#define ROW_SECONDS_BY_RULE 2e-6
#define SQUARE_SECONDS 5e-8

struct estimation {
    struct work work;
    const struct question *question;
    struct filter filter;    /* settled */
    struct shape_plan *plan; /* of a shape; NULL: the filter's board */
    uint64_t count;
    atomic_ullong next; /* the first block nobody has taken */
    struct estimate blocks[];
};

static enum nq_status shape_block(struct estimation *estimation, uint64_t block, const atomic_bool *stop)
{
    enum { POLL = 64 };
    const struct question *question = estimation->question;
    const uint64_t from = block * ESTIMATE_BLOCK, left = question->count.walks - from;
    struct estimate *estimate = &estimation->blocks[block];
    *estimate = (struct estimate){0};
    for (uint64_t walk = 0; walk < ESTIMATE_BLOCK && walk < left; walk++) {
        if (walk % POLL == 0 && stop_wanted(stop))
            return NQ_CANCELLED;
        estimate_walk(estimate, shape_plan_sample(estimation->plan, question->seed, from + walk));
    }
    return NQ_OK;
}

static enum nq_status estimation_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct estimation *estimation = (struct estimation *)work;
    const struct question *question = estimation->question;
    do {
        const uint64_t block = atomic_fetch_add(&estimation->next, 1);
        if (block >= estimation->count)
            return NQ_OK;
        const enum nq_status status = estimation->plan
                                          ? shape_block(estimation, block, stop)
                                          : estimate_block(&estimation->filter, question->seed, question->count.walks,
                                                           block, stop, &estimation->blocks[block]);
        meter_did(slice->meter, estimation->blocks[block].walks);
        if (status != NQ_OK)
            return status;
    } while (clock_now() < slice->deadline);
    return NQ_AGAIN;
}

/* So many walks find enough solutions, if fewer of them do than of these, by two standard errors; to two digits. */
static double walks_wanted(const struct estimate *total)
{
    const double completed = (double)total->completed, fewest = completed - 2 * sqrt(completed);
    const double wanted = fewest > 0 ? ESTIMATE_MIN_COMPLETED * (double)total->walks / fewest : ESTIMATE_MOST_WALKS;
    const double digit = pow(10, floor(log10(wanted)) - 1);
    return fmin(ceil(wanted / digit) * digit, ESTIMATE_MOST_WALKS);
}

static enum nq_status estimation_finish(struct work *work, struct answer **answer)
{
    struct estimation *estimation = (struct estimation *)work;
    const struct question *question = estimation->question;
    struct estimate total = {0};
    for (uint64_t block = 0; block < estimation->count; block++)
        estimate_add(&total, &estimation->blocks[block]);
    if (!estimate_sound(&total)) {
        char advice[32] = "place fewer queens";
        if (total.walks < ESTIMATE_MOST_WALKS)
            (void)snprintf(advice, sizeof advice, "use walks=%.0f", walks_wanted(&total));
        fault_write(&work->fault, FAULT_COMPLETED, (const double[]){(double)total.completed, (double)total.walks},
                    "Only %llu of %llu walks found a solution, too few for an estimate; %s%s.",
                    (unsigned long long)total.completed, (unsigned long long)total.walks, advice,
                    question->n <= KERNEL_MAX_N ? "; POST /jobs?dry-run=true returns whether method=compute is accepted"
                                                : "");
        return NQ_LIMIT;
    }
    char text[ESTIMATE_TEXT];
    estimate_text(&total, text);
    struct count_fact fact = {
        .provenance = "estimate",
        .estimate = total.mean,
        .estimate_text = text,
        .standard_error = estimate_error(&total),
        .walks = total.walks,
        .completed = total.completed,
        .seed = question->seed,
    };
    return count_answer(question, &fact, answer);
}

static void estimation_close(struct work *work)
{
    struct estimation *estimation = (struct estimation *)work;
    if (estimation->plan)
        shape_plan_close(estimation->plan);
    free(estimation);
}

static double seconds_of(const struct question *question)
{
    const double walks = (double)question->count.walks;
    if (question->shape.rows)
        return walks * question->shape.rows * question->shape.columns * SQUARE_SECONDS;
    return walks * question->n * (rule_by_lines(question->query.filter.rule) ? ROW_SECONDS : ROW_SECONDS_BY_RULE);
}

enum nq_status work_estimate(const struct question *question, const struct tools *tools, const atomic_bool *stop,
                             struct work **work)
{
    static const struct work_class class = {
        .slice = estimation_slice, .finish = estimation_finish, .close = estimation_close};
    const uint64_t count = estimate_blocks(question->count.walks);
    struct estimation *estimation = work_new(sizeof *estimation + count * sizeof estimation->blocks[0], &class);
    if (!estimation)
        return NQ_NOMEM;
    if (count >= tools->threads)
        estimation->work.tasks = tools->threads;
    estimation->work.lengthy = question->count.walks >= LENGTHY_WALKS;
    estimation->work.seconds = seconds_of(question);
    estimation->question = question;
    estimation->filter = question->query.filter;
    estimation->count = count;
    if (!question->shape.rows)
        filter_settle(&estimation->filter);
    const enum nq_status status =
        question->shape.rows ? shape_plan_open(&question->shape, 1, 0, 0, stop, &estimation->plan) : NQ_OK;
    return work_opened(&estimation->work, status, work);
}
