/* source_solve.c - a list of solutions: a solver's cursor on one side, a format on the other. */
#include <stdlib.h>

#include "count/known.h"
#include "engine/lists/source.h"
#include "solvers/solver.h"

struct solving {
    struct searched searched;
    struct nq_cursor *cursor;
    bool published; /* the list begins with the published first solution, where the cursor already stands */
    uint64_t again; /* solutions to be found again before the first that is listed */
    bool resumes;   /* else a page is found by the number of solutions before it alone */
    uint32_t columns[NQ_LIST_MAX_N]; /* of the solution that was found */
};

static enum nq_status solving_next(struct searched *searched, uint64_t *budget)
{
    struct solving *solving = (struct solving *)searched;
    const struct list_start *from = &searched->listing.question->list.from;
    if (solving->resumes && token_is_end(from->ordinal, from->length))
        return NQ_END;
    if (!solving->published)
        return nq_cursor_next(solving->cursor, budget, solving->columns);
    solving->published = false;
    (void)nq_cursor_position(solving->cursor, solving->columns);
    return NQ_OK;
}

/* Unless it is to be found again only. */
static enum nq_status solving_write(struct searched *searched, struct bytes *out, const atomic_bool *stop)
{
    struct solving *solving = (struct solving *)searched;
    const struct listing *listing = &searched->listing;
    if (solving->again) {
        solving->again--;
        return NQ_OK;
    }
    const uint64_t index = searched->source.solutions++;
    return listing_solution(listing, out, solving->columns, index, rank_after(listing->head.offset, index), stop);
}

/* Nowhere, if the next page would be the same. */
static bool solving_place(const struct searched *searched, struct token *place)
{
    const struct solving *solving = (const struct solving *)searched;
    if (solving->resumes)
        place->length = nq_cursor_position(solving->cursor, place->prefix);
    return solving->resumes || searched->source.solutions;
}

static const struct stats *solving_stats(const struct searched *searched)
{
    const struct solving *solving = (const struct solving *)searched;
    return searched->listing.question->list.cursor.watched ? cursor_stats(solving->cursor) : NULL;
}

static void close_solving(struct source *source)
{
    struct solving *solving = (struct solving *)source;
    nq_cursor_close(solving->cursor);
    free(solving);
}

/* Begins a list with the first solution of its board, if that is published and in the list: then no other comes before
 * it. */
static enum nq_status begin_published(struct solving *solving, const struct question *question)
{
    uint32_t first[FIRST_MOST_N];
    if (!question->list.first || question->list.from.length || question->list.from.ordinal ||
        question->query.symmetry != SYMMETRY_ANY || !first_find(question->n, first) ||
        !query_permits(&question->query, first))
        return NQ_OK;
    solving->published = true;
    solving->searched.listing.head.first = first_oeis;
    return nq_cursor_seek(solving->cursor, first, question->n);
}

static enum nq_status open_cursor(struct solving *solving, const struct question *question)
{
    struct cursor_settings settings = question->list.cursor;
    settings.machine.allowance = question->allowance;
    const enum nq_status status = cursor_open(&settings, &question->query, &solving->cursor);
    if (status != NQ_OK)
        return status;
    listing_begin(&solving->searched.listing, question, nq_cursor_order(solving->cursor));
    solving->resumes = solver_resumes(solver_find(settings.algorithm));
    if (solving->resumes && question->list.from.length == 0)
        return begin_published(solving, question);
    if (solving->resumes)
        return nq_cursor_seek(solving->cursor, question->list.from.prefix, question->list.from.length);
    solving->again = question->list.from.ordinal;
    return NQ_OK;
}

enum nq_status source_solve(const struct question *question, bool bounded, struct source **source)
{
    static const struct source_class class = {.fill = searched_fill, .close = close_solving};
    /* Some milliseconds on boards so large that solvers look ahead. */
    static const struct searched_calls calls = {
        .grant = 1 << 15, .next = solving_next, .write = solving_write, .place = solving_place, .stats = solving_stats};
    struct solving *solving = malloc(sizeof *solving);
    if (!solving)
        return NQ_NOMEM;
    *solving = (struct solving){
        .searched = {.source = {.class = &class, .complete = true}, .calls = &calls, .bounded = bounded}};
    return source_opened(&solving->searched.source, open_cursor(solving, question), source);
}
