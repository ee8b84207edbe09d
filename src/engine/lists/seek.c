/* seek.c - a look-up in an index, slice by slice, and the question that begins where it ends. */
#include "engine/lists/seek.h"

#include <stdlib.h>

#include "base/clock.h"
#include "engine/lists/rank_lookup.h"

enum { GRANT = 1 << 15 };

struct seeking {
    struct question question; /* that begins there: it needs no index any more */
    struct rank_lookup lookup;
};

bool seek_wanted(const struct question *question)
{
    return question->kind == ASK_SOLVE && question->needed[NEED_INDEX] && !question->list.samples;
}

/* The list begins after the solution before the one at the offset, or at its end. */
static enum nq_status begin(struct rank_lookup *lookup, const atomic_bool *stop)
{
    const struct list_question *list = &lookup->question->list;
    const uint64_t total = index_total(lookup->index), skip = list->offset < total ? list->offset : total;
    if (list->from.length)
        return rank_lookup_count(lookup, list->from.prefix, stop);
    return skip ? rank_lookup_find(lookup, skip - 1, stop) : NQ_OK;
}

static enum nq_status look(struct rank_lookup *lookup, const struct slice *slice, const atomic_bool *stop)
{
    enum nq_status status;
    do {
        status = rank_lookup_go_on(lookup, GRANT);
        if (status == NQ_AGAIN && stop_wanted(stop))
            return NQ_CANCELLED;
    } while (status == NQ_AGAIN && clock_now() < slice->deadline);
    return status;
}

enum nq_status seek_start(struct seeking **seeking, const struct question **question, const struct kernel *kernel,
                          const struct slice *slice, const atomic_bool *stop)
{
    const struct list_question *list = &(*question)->list;
    struct seeking *here = *seeking;
    enum nq_status status = NQ_OK;
    if (!seek_wanted(*question))
        return NQ_OK;
    meter_by(slice->meter, algorithm_index);
    if (!here) {
        here = *seeking = calloc(1, sizeof *here);
        if (!here)
            return NQ_NOMEM;
        meter_begin(slice->meter, algorithm_index);
        rank_lookup_begin(&here->lookup, *question, kernel);
        status = begin(&here->lookup, stop);
    }
    if (status == NQ_OK)
        status = look(&here->lookup, slice, stop);
    if (status != NQ_OK)
        return status;
    here->question = **question;
    here->question.needed[NEED_INDEX] = NULL;
    here->question.list.from = (struct list_start){.ordinal = list->from.length ? here->lookup.rank : list->offset,
                                                   .length = here->lookup.length,
                                                   .prefix = here->lookup.columns};
    *question = &here->question;
    meter_by(slice->meter, question_algorithm(*question));
    return NQ_OK;
}

void seek_close(struct seeking *seeking)
{
    if (seeking)
        rank_lookup_end(&seeking->lookup);
    free(seeking);
}
