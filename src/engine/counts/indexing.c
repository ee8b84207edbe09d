/* indexing.c - a count that makes the rank index of the list, which goes with the answer. */
#include <stdlib.h>

#include "count/index.h"
#include "engine/counts/count_answer.h"
#include "engine/counts/gathering.h"
#include "solvers/solver.h"
#include "statistics/visit.h"

/* Placements between two looks at the stop flag. */
enum { GRANT = 1 << 15 };

struct indexing {
    struct gathering gathering;
    struct index *index; /* NULL: the answer has it */
    unsigned group;      /* of listed ones: see query_group() */
    size_t memory;       /* that the index will take */
};

/* ---- Units that are listed: no kernel can count them ---- */

struct selection {
    unsigned group;
    uint32_t n;
    struct index_tally *tally;
};

static void select_solution(void *context, const uint8_t *columns)
{
    const struct selection *selection = context;
    if (query_representative(selection->group, selection->n, columns))
        index_tally_add(selection->tally, columns);
}

static enum nq_status list_fast(const struct indexing *indexing, struct index_tally *tally, const uint8_t *stem,
                                uint32_t length, const atomic_bool *stop, uint64_t *nodes)
{
    const struct filter *filter = &indexing->gathering.question->query.filter;
    struct selection selection = {.group = indexing->group, .n = filter->n, .tally = tally};
    struct visit visit = {.filter = filter,
                          .finder = finder_of(indexing->gathering.kernel),
                          .stop = stop,
                          .visit = select_solution,
                          .context = &selection};
    const enum nq_status status = visit_below(&visit, stem, length);
    *nodes += visit.nodes;
    return status;
}

/* The cursor lists by orbits. There is only one unit. */
static enum nq_status list_orbits(const struct indexing *indexing, struct index_tally *tally, const atomic_bool *stop,
                                  uint64_t *nodes)
{
    const struct query *query = &indexing->gathering.question->query;
    struct nq_cursor *cursor;
    uint32_t columns[NQ_SEARCH_MAX_N];
    enum nq_status status = cursor_open(NULL, query, &cursor);
    if (status != NQ_OK)
        return status;
    while (status == NQ_OK || status == NQ_AGAIN) {
        uint64_t left = GRANT;
        uint8_t row[KERNEL_MAX_N];
        status = nq_cursor_next(cursor, &left, columns);
        for (uint32_t i = 0; status == NQ_OK && i < query->filter.n; i++)
            row[i] = (uint8_t)columns[i];
        if (status == NQ_OK)
            index_tally_add(tally, row);
        *nodes += GRANT - left;
        if (stop_wanted(stop))
            status = NQ_CANCELLED;
    }
    nq_cursor_close(cursor);
    return status == NQ_END ? NQ_OK : status;
}

static enum nq_status list_unit(const struct indexing *indexing, size_t unit, const atomic_bool *stop,
                                struct bytes *result, uint64_t *nodes)
{
    uint8_t stem[INDEX_STEM_MAX];
    struct index_tally tally;
    const uint32_t length = index_stem(indexing->index, unit, stem);
    index_tally_begin(&tally, indexing->index, unit, result);
    enum nq_status status = indexing->gathering.question->query.symmetry == SYMMETRY_ANY
                                ? list_fast(indexing, &tally, stem, length, stop, nodes)
                                : list_orbits(indexing, &tally, stop, nodes);
    const enum nq_status ended = index_tally_end(&tally);
    return status == NQ_OK ? ended : status;
}

/* ---- Units ---- */

static enum nq_status make(const struct gathering *gathering, size_t unit, const atomic_bool *stop,
                           struct bytes *result, uint64_t *nodes)
{
    const struct indexing *indexing = (const struct indexing *)gathering;
    return index_listed(indexing->index) ? list_unit(indexing, unit, stop, result, nodes)
                                         : index_count(indexing->index, unit, gathering->kernel, stop, result, nodes);
}

static enum nq_status put(struct gathering *gathering, size_t unit, const void *result, size_t size)
{
    return index_put(((struct indexing *)gathering)->index, unit, result, size);
}

static double weight(const struct gathering *gathering, size_t unit)
{
    return index_weight(((const struct indexing *)gathering)->index, unit, NULL);
}

/* ---- The work ---- */

static enum nq_status indexing_prepare(struct work *work, const atomic_bool *stop)
{
    struct indexing *indexing = (struct indexing *)work;
    indexing->memory = (size_t)index_memory(indexing->index, stop);
    return gathering_prepare(work, stop);
}

static void close_index(void *index)
{
    index_close(index);
}

static enum nq_status indexing_finish(struct work *work, struct answer **out)
{
    struct indexing *indexing = (struct indexing *)work;
    index_finish(indexing->index);
    const enum nq_status status =
        count_answer_computed(indexing->gathering.question, index_total(indexing->index), NULL, out);
    if (status != NQ_OK)
        return status;
    (*out)->extra = indexing->index;
    (*out)->extra_size = indexing->memory;
    (*out)->free_extra = close_index;
    indexing->index = NULL;
    indexing->gathering.made = true;
    return NQ_OK;
}

static void indexing_close(struct work *work)
{
    struct indexing *indexing = (struct indexing *)work;
    gathering_close(&indexing->gathering);
    if (indexing->index)
        index_close(indexing->index);
    free(indexing);
}

/* Rejects an index that would take more than the limit. */
static enum nq_status lay(struct indexing *indexing, const struct tools *tools, const atomic_bool *stop,
                          struct fault *fault)
{
    struct bytes name = {0};
    index_name(indexing->index, &name);
    const enum nq_status status = gathering_lay(&indexing->gathering, &name, index_units(indexing->index),
                                                index_cost(indexing->index, stop), tools);
    const double seconds = indexing->gathering.work.seconds;
    if (status == NQ_LIMIT)
        fault_write(fault, FAULT_COST_INDEX, (const double[]){seconds, tools->most_core_seconds},
                    "The index needs about %.3g core-hours; the limit is %.3g. Use after or cursor, which need no "
                    "index.",
                    seconds / 3600, tools->most_core_seconds / 3600);
    return status;
}

enum nq_status work_index(const struct question *question, const struct tools *tools, const atomic_bool *stop,
                          struct fault *fault, struct work **work)
{
    static const struct work_class class = {.prepare = indexing_prepare,
                                            .slice = gathering_slice,
                                            .finish = indexing_finish,
                                            .close = indexing_close,
                                            .progress = gathering_progress};
    static const struct gathering_class gathered = {.make = make, .put = put, .weight = weight};
    struct indexing *indexing = work_new(sizeof *indexing, &class);
    if (!indexing)
        return NQ_NOMEM;
    gathering_begin(&indexing->gathering, &gathered, question, tools);
    indexing->group = query_group(&question->query);
    enum nq_status status = index_open(&question->query, stop, &indexing->index);
    if (status == NQ_OK)
        status = lay(indexing, tools, stop, fault);
    return work_opened(&indexing->gathering.work, status, work);
}
