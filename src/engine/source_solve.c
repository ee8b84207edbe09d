/* source_solve.c - a list of solutions writing itself: a solver's cursor on one side, a format on the other. */
#include <stdlib.h>
#include <string.h>

#include "engine/listing.h"
#include "engine/source.h"
#include "solvers/solver.h"

/* Placements between two looks at the clock: well under a millisecond, some milliseconds on boards so large that
 * solvers look ahead. It is also the grain of a page's budget: the grants must not depend on time, or pages would. */
enum { GRANT = 1 << 15 };

struct solving {
    struct source source;
    struct listing listing;
    struct nq_cursor *cursor;
    bool begun, bounded;
    uint64_t nodes_left; /* of a page's budget */
    uint64_t again;      /* solutions to be found again before the first that is listed */
    struct token last;   /* the place after the last one listed, where the cursor cannot tell */
    bool resumes;
};

static void end(struct solving *solving, struct bytes *out, bool goes_on)
{
    struct source *source = &solving->source;
    struct token place;
    if (solving->listing.question->format->draw)
        return;
    if (solving->resumes)
        place.length = nq_cursor_position(solving->cursor, place.prefix);
    else
        place = solving->last;
    if (solving->listing.question->cursor.watched)
        solving->listing.stats = cursor_stats(solving->cursor);
    goes_on = goes_on && (solving->resumes || source->solutions); /* nothing gained, nowhere to go on from */
    listing_end(&solving->listing, out, source->solutions, source->complete, goes_on ? &place : NULL, &source->link,
                &source->link_length);
}

/* Writes a solution that was found; or, if it is to be found again only, looks whether it is the one it should be. */
static enum nq_status take(struct solving *solving, struct bytes *out, const uint32_t *columns)
{
    const struct question *question = solving->listing.question;
    struct source *source = &solving->source;
    const size_t size = question->n * sizeof *columns;
    if (solving->again) {
        const bool last = --solving->again == 0;
        return last && memcmp(columns, question->from.prefix, size) != 0 ? NQ_INVALID : NQ_OK;
    }
    if (question->format->draw)
        question->format->draw(out, question->n, question->base, columns);
    else
        question->format->list_solution(out, &solving->listing.head, columns, source->solutions,
                                        rank_after(solving->listing.head.offset, source->solutions));
    source->solutions++;
    if (!solving->resumes) {
        solving->last.length = question->n;
        memcpy(solving->last.prefix, columns, size);
    }
    return NQ_OK;
}

static enum nq_status fill(struct source *source, struct bytes *out, size_t want, const struct slice *slice,
                           const atomic_bool *stop)
{
    struct solving *solving = (struct solving *)source;
    const struct question *question = solving->listing.question;
    uint32_t columns[NQ_SEARCH_MAX_N];
    uint64_t unseen = 0; /* placements since the last look at the clock */
    if (!solving->begun) {
        if (!question->format->draw)
            question->format->list_begin(out, &solving->listing.head);
        solving->begun = true;
    }
    if (token_is_end(&question->from)) {
        end(solving, out, false);
        return NQ_END;
    }
    while (out->size < want && !out->failed) {
        const enum nq_status look = slice_look(slice, stop, GRANT, &unseen);
        if (look != NQ_OK)
            return look;
        bool enough =
            source->solutions == question->limit || (solving->bounded && out->size >= PAGE_MAX_BYTES - PAGE_RESERVE);
        if (enough || solving->nodes_left == 0) {
            source->complete = enough;
            end(solving, out, !enough || listing_goes_on(&solving->listing, source->solutions));
            return NQ_END;
        }
        uint64_t grant = solving->nodes_left < GRANT ? solving->nodes_left : GRANT, left = grant;
        enum nq_status status = nq_cursor_next(solving->cursor, &left, columns);
        unseen += grant - left + 1;
        source->nodes += grant - left;
        if (solving->bounded)
            solving->nodes_left -= grant - left;
        if (status == NQ_OK) {
            status = take(solving, out, columns);
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

enum nq_status source_solve(const struct question *question, bool bounded, struct source **source)
{
    static const struct source_class class = {.fill = fill, .close = close_solving};
    struct nq_cursor *cursor;
    struct cursor_settings settings = question->cursor;
    settings.machine.allowance = question->allowance;
    enum nq_status status = cursor_open(&settings, &question->query, &cursor);
    if (status != NQ_OK)
        return status;
    const bool resumes = solver_resumes(solver_find(settings.algorithm));
    if (resumes)
        status = nq_cursor_seek(cursor, question->from.prefix, question->from.length);
    struct solving *solving = status == NQ_OK ? malloc(sizeof *solving) : NULL;
    if (!solving) {
        nq_cursor_close(cursor);
        return status == NQ_OK ? NQ_NOMEM : status;
    }
    *solving = (struct solving){
        .source = {.class = &class, .complete = true},
        .cursor = cursor,
        .bounded = bounded,
        .nodes_left = bounded ? PAGE_MAX_NODES : UINT64_MAX,
        .again = resumes ? 0 : question->from.ordinal,
        .resumes = resumes,
    };
    listing_begin(&solving->listing, question, nq_cursor_order(cursor), bounded);
    *source = &solving->source;
    return NQ_OK;
}
