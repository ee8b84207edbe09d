/* seek.c - where a list begins that skips a number of solutions, or the rank of the solution after which it begins. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/lists/rank_lookup.h"
#include "engine/run/work.h"

enum { GRANT = 1 << 15 };

struct seeking {
    struct work work;
    const struct question *question;
    struct rank_lookup lookup;
    bool begun;
};

/* The list begins after the solution before the one at the offset, or at its end. */
static enum nq_status begin(struct seeking *seeking, const atomic_bool *stop)
{
    const struct question *question = seeking->question;
    const uint64_t total = index_total(seeking->lookup.index);
    const uint64_t skip = question->list.offset < total ? question->list.offset : total;
    if (question->list.from.length)
        return rank_lookup_count(&seeking->lookup, question->list.from.prefix, stop);
    return skip ? rank_lookup_find(&seeking->lookup, skip - 1, stop) : NQ_OK;
}

static enum nq_status seeking_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct seeking *seeking = (struct seeking *)work;
    enum nq_status status = seeking->begun ? NQ_OK : begin(seeking, stop);
    seeking->begun = true;
    if (status != NQ_OK)
        return status;
    do {
        status = rank_lookup_go_on(&seeking->lookup, GRANT);
        if (status == NQ_AGAIN && stop_wanted(stop))
            return NQ_CANCELLED;
    } while (status == NQ_AGAIN && clock_now() < slice->deadline);
    return status;
}

static enum nq_status seeking_finish(struct work *work, struct answer **answer)
{
    const struct seeking *seeking = (struct seeking *)work;
    const struct question *question = seeking->question;
    struct bytes none = {0};
    struct token *place = malloc(sizeof *place);
    if (!place || work_answered(&none, question, answer) != NQ_OK) {
        free(place);
        return NQ_NOMEM;
    }
    *place = (struct token){.ordinal = question->list.from.length ? seeking->lookup.rank : question->list.offset,
                            .length = seeking->lookup.length};
    memcpy(place->prefix, seeking->lookup.columns, place->length * sizeof place->prefix[0]);
    (*answer)->complete = false; /* nobody asks for it but on the way to a list */
    (*answer)->extra = place;
    (*answer)->free_extra = free;
    return NQ_OK;
}

static void seeking_close(struct work *work)
{
    struct seeking *seeking = (struct seeking *)work;
    rank_lookup_end(&seeking->lookup);
    free(seeking);
}

enum nq_status work_seek(const struct question *question, const struct tools *tools, struct work **work)
{
    static const struct work_class class = {.slice = seeking_slice, .finish = seeking_finish, .close = seeking_close};
    struct seeking *seeking = work_new(sizeof *seeking, &class);
    if (!seeking)
        return NQ_NOMEM;
    seeking->question = question;
    rank_lookup_begin(&seeking->lookup, question, tools->kernel);
    return work_opened(&seeking->work, NQ_OK, work);
}
