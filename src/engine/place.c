/* place.c - where a list begins that is to skip so many solutions, or what rank the solution has after which it begins.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/standing.h"
#include "engine/work.h"

enum { GRANT = 1 << 15 };

struct placing {
    struct work work;
    const struct question *question;
    struct standing standing;
    bool begun;
};

/* The list begins after the solution before the one at the offset, or at its end. */
static enum nq_status begin(struct placing *placing, const atomic_bool *stop)
{
    const struct question *question = placing->question;
    const uint64_t total = index_total(placing->standing.index);
    const uint64_t skip = question->offset < total ? question->offset : total;
    if (question->from.length)
        return standing_count(&placing->standing, question->from.prefix, stop);
    placing->standing.length = 0;
    return skip ? standing_find(&placing->standing, skip - 1, stop) : NQ_OK;
}

static enum nq_status placing_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct placing *placing = (struct placing *)work;
    enum nq_status status = placing->begun ? NQ_OK : begin(placing, stop);
    placing->begun = true;
    if (status != NQ_OK)
        return status;
    do {
        status = standing_go_on(&placing->standing, GRANT);
        if (status == NQ_AGAIN && stop_wanted(stop))
            return NQ_CANCELLED;
    } while (status == NQ_AGAIN && clock_now() < slice->deadline);
    return status;
}

static enum nq_status placing_finish(struct work *work, struct answer **out)
{
    const struct placing *placing = (struct placing *)work;
    const struct question *question = placing->question;
    const struct bytes none = {0};
    struct token *place = malloc(sizeof *place);
    struct answer *answer = place ? answer_new(&none, question->format->media_type) : NULL;
    if (!answer) {
        free(place);
        return NQ_NOMEM;
    }
    *place = (struct token){.ordinal = question->from.length ? placing->standing.rank : question->offset,
                            .length = placing->standing.length};
    memcpy(place->prefix, placing->standing.columns, place->length * sizeof place->prefix[0]);
    answer->complete = false; /* nobody asks for it but on the way to a list */
    answer->extra = place;
    answer->free_extra = free;
    *out = answer;
    return NQ_OK;
}

static void placing_close(struct work *work)
{
    struct placing *placing = (struct placing *)work;
    standing_end(&placing->standing);
    free(placing);
}

enum nq_status work_place(const struct question *question, const struct tools *tools, struct work **work)
{
    static const struct work_class class = {.slice = placing_slice, .finish = placing_finish, .close = placing_close};
    struct placing *placing = calloc(1, sizeof *placing);
    if (!placing)
        return NQ_NOMEM;
    placing->work = (struct work){.class = &class, .lanes = 1};
    placing->question = question;
    standing_begin(&placing->standing, question, tools->kernel);
    *work = &placing->work;
    return NQ_OK;
}
