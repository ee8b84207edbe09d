/* rank_lookup.c - by the index as far as it goes, then along the list. */
#include "engine/lists/rank_lookup.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/ask/answer.h"
#include "solvers/solver.h"

void rank_lookup_begin(struct rank_lookup *lookup, const struct question *question, const struct kernel *kernel)
{
    *lookup =
        (struct rank_lookup){.question = question, .index = question->needed[NEED_INDEX]->extra, .kernel = kernel};
}

void rank_lookup_end(struct rank_lookup *lookup)
{
    nq_cursor_close(lookup->cursor);
    lookup->cursor = NULL;
}

static void take_columns(struct rank_lookup *lookup, const uint8_t *columns)
{
    assert(lookup->question->n <= NQ_SEARCH_MAX_N);
    lookup->length = lookup->question->n;
    for (uint32_t row = 0; row < lookup->length; row++)
        lookup->columns[row] = columns[row];
}

/* Opens the list at the first solution of a part that has some: after the last solution of the part before it. */
static enum nq_status open_list(struct rank_lookup *lookup, const struct index_place *place)
{
    struct index_place before = {0};
    uint32_t prefix[INDEX_MAX_N];
    rank_lookup_end(lookup);
    enum nq_status status = cursor_open(&lookup->question->list.cursor, &lookup->question->query, &lookup->cursor);
    if (status == NQ_OK && place->before)
        status = index_unrank(lookup->index, place->before - 1, &(struct index_depth){.most = UINT64_MAX}, &before);
    if (status != NQ_OK)
        return status;
    for (uint32_t row = 0; row < before.length; row++)
        prefix[row] = before.columns[row];
    return nq_cursor_seek(lookup->cursor, prefix, before.length);
}

enum nq_status rank_lookup_find(struct rank_lookup *lookup, uint64_t rank, const atomic_bool *stop)
{
    struct index_place place;
    const struct index_depth depth = {.kernel = lookup->kernel, .stop = stop};
    enum nq_status status = index_unrank(lookup->index, rank, &depth, &place);
    assert(status != NQ_OK || place.before <= rank); /* or the list is read nearly without end */
    lookup->by_rank = true;
    lookup->rank = rank;
    lookup->left = rank - place.before;
    if (status == NQ_OK && place.length == lookup->question->n)
        take_columns(lookup, place.columns);
    else if (status == NQ_OK)
        status = open_list(lookup, &place);
    return status;
}

enum nq_status rank_lookup_count(struct rank_lookup *lookup, const uint32_t *columns, const atomic_bool *stop)
{
    struct index_place place;
    const uint32_t n = lookup->question->n;
    assert(n <= INDEX_MAX_N);
    uint8_t wanted[INDEX_MAX_N];
    for (uint32_t row = 0; row < n; row++)
        wanted[row] = (uint8_t)columns[row];
    const struct index_depth depth = {.kernel = lookup->kernel, .stop = stop};
    const enum nq_status status = index_rank(lookup->index, wanted, n, &depth, &place);
    if (status != NQ_OK)
        return status;
    take_columns(lookup, wanted);
    lookup->by_rank = false;
    lookup->rank = place.before;
    if (place.length == n)
        lookup->rank += place.count;
    else if (place.count)
        return open_list(lookup, &place);
    return NQ_OK;
}

static bool is_after(const uint32_t *a, const uint32_t *b, uint32_t n)
{
    for (uint32_t row = 0; row < n; row++)
        if (a[row] != b[row])
            return a[row] > b[row];
    return false;
}

enum nq_status rank_lookup_go_on(struct rank_lookup *lookup, uint64_t budget)
{
    const uint32_t n = lookup->question->n;
    while (lookup->cursor) {
        uint32_t columns[NQ_SEARCH_MAX_N];
        const enum nq_status status = nq_cursor_next(lookup->cursor, &budget, columns);
        if (status == NQ_AGAIN)
            return status;
        if (status == NQ_END || (!lookup->by_rank && is_after(columns, lookup->columns, n))) {
            rank_lookup_end(lookup);
        } else if (!lookup->by_rank) {
            lookup->rank++;
        } else if (lookup->left-- == 0) {
            lookup->length = n;
            memcpy(lookup->columns, columns, n * sizeof *columns);
            rank_lookup_end(lookup);
        }
    }
    return NQ_OK;
}

/* ---- Where a list begins ---- */

/* A look-up in an index, slice by slice, and the question that begins where it ends. */

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
