/* source_solve.c - a list of solutions: a solver's cursor on one side, a format on the other. */
#include <stdlib.h>

#include "count/first.h"
#include "engine/lists/listing.h"
#include "engine/lists/source.h"
#include "solvers/solver.h"

/* Placements between two looks at the clock: well under a millisecond, some milliseconds on boards so large that
 * solvers look ahead. It is also the grain of a page's budget: the grants must not depend on time, or pages would. */
enum { GRANT = 1 << 15 };

/* Bytes that take as long to write as a placement to try, about. */
enum { BYTES_A_PLACEMENT = 8 };

struct solving {
    struct source source;
    struct listing listing;
    struct nq_cursor *cursor;
    bool bounded;
    bool published; /* the list begins with the published first solution, where the cursor already stands */
    uint64_t again; /* solutions to be found again before the first that is listed */
    bool resumes;   /* else a page is found by the number of solutions before it alone */
};

static void end(struct solving *solving, struct bytes *out, bool goes_on)
{
    struct source *source = &solving->source;
    struct token place = {0};
    if (solving->resumes)
        place.length = nq_cursor_position(solving->cursor, place.prefix);
    if (solving->listing.question->list.cursor.watched)
        solving->listing.stats = cursor_stats(solving->cursor);
    solving->listing.placements = source->nodes;
    goes_on = goes_on && (solving->resumes || source->solutions); /* else the next page would be the same */
    source->link = listing_end(&solving->listing, out, source->solutions, source->complete, goes_on ? &place : NULL);
}

/* Whether a page may have no room for one more solution: on a large board one is larger than the reserve. */
static bool is_full(const struct solving *solving, const struct bytes *out)
{
    const struct question *question = solving->listing.question;
    const enum board_style board = question->list.board;
    const size_t n = question->n, drawn = board == BOARD_NONE      ? 0
                                          : board == BOARD_PETSCII ? 4 * n * (n + 2)
                                                                   : 3 * n * n;
    const bool reserved = n <= NQ_SEARCH_MAX_N && drawn <= (size_t)PAGE_RESERVE / 4 * 3;
    const size_t large = !reserved && solving->source.solutions ? 16 * n + drawn : 0;
    return out->size + large >= PAGE_MAX_BYTES - PAGE_RESERVE;
}

/* Writes a solution that was found, unless it is to be found again only. */
static enum nq_status take(struct solving *solving, struct bytes *out, const uint32_t *columns, const atomic_bool *stop)
{
    const struct listing *listing = &solving->listing;
    if (solving->again) {
        solving->again--;
        return NQ_OK;
    }
    const uint64_t index = solving->source.solutions++;
    return listing_solution(listing, out, columns, index, rank_after(listing->head.offset, index), stop);
}

static enum nq_status next(struct solving *solving, uint64_t *budget, uint32_t *columns)
{
    if (!solving->published)
        return nq_cursor_next(solving->cursor, budget, columns);
    solving->published = false;
    (void)nq_cursor_position(solving->cursor, columns);
    return NQ_OK;
}

static enum nq_status fill(struct source *source, struct bytes *out, size_t want, const struct slice *slice,
                           const atomic_bool *stop)
{
    struct solving *solving = (struct solving *)source;
    const struct question *question = solving->listing.question;
    uint32_t columns[NQ_LIST_MAX_N];
    uint64_t unseen = 0; /* placements since the last look at the clock */
    listing_head(&solving->listing, out);
    if (solving->resumes && token_is_end(question->list.from.ordinal, question->list.from.length)) {
        end(solving, out, false);
        return NQ_END;
    }
    while (out->size < want && !out->failed) {
        const enum nq_status look = slice_look(slice, stop, GRANT, &unseen);
        if (look != NQ_OK)
            return look;
        const uint64_t budget = solving->bounded ? PAGE_MAX_NODES - source->nodes : UINT64_MAX;
        const bool enough = source->solutions == question->list.limit || (solving->bounded && is_full(solving, out));
        if (enough || budget == 0) {
            source->complete = enough;
            end(solving, out, !enough || listing_goes_on(&solving->listing, source->solutions));
            return NQ_END;
        }
        const uint64_t grant = budget < GRANT ? budget : GRANT;
        uint64_t left = grant;
        enum nq_status status = next(solving, &left, columns);
        unseen += grant - left + 1;
        source->nodes += grant - left;
        if (status == NQ_OK) {
            const size_t before = out->size;
            status = take(solving, out, columns, stop);
            unseen += (out->size - before) / BYTES_A_PLACEMENT;
        } else if (status == NQ_END) {
            end(solving, out, false);
            return NQ_END;
        }
        if (status != NQ_OK && status != NQ_AGAIN)
            return status;
    }
    return NQ_AGAIN;
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
    solving->listing.head.first = first_oeis;
    return nq_cursor_seek(solving->cursor, first, question->n);
}

static enum nq_status open_cursor(struct solving *solving, const struct question *question)
{
    struct cursor_settings settings = question->list.cursor;
    settings.machine.allowance = question->allowance;
    const enum nq_status status = cursor_open(&settings, &question->query, &solving->cursor);
    if (status != NQ_OK)
        return status;
    listing_begin(&solving->listing, question, nq_cursor_order(solving->cursor), solving->bounded);
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
    static const struct source_class class = {.fill = fill, .close = close_solving};
    struct solving *solving = malloc(sizeof *solving);
    if (!solving)
        return NQ_NOMEM;
    *solving = (struct solving){.source = {.class = &class, .complete = true}, .bounded = bounded};
    return source_opened(&solving->source, open_cursor(solving, question), source);
}
