/* source_solve.c - a list of solutions writing itself: a solver's cursor on one side, a format on the other. */
#include <stdlib.h>

#include "base/clock.h"
#include "engine/source.h"

/* Placements between two looks at the clock: well under a millisecond. It is also the grain of a page's budget: the
 * grants must not depend on time, or pages would. */
enum { GRANT = 1 << 15 };

/* Room a page keeps for one more solution, drawn as wastefully as can be, and its end. */
enum { PAGE_RESERVE = 16 << 10 };

struct listing {
    struct source source;
    const struct question *question;
    struct nq_cursor *cursor;
    struct list_head head;
    bool begun, bounded;
    uint64_t nodes_left; /* of a page's budget */
};

/* Writes the end; place is where the list goes on, NULL at its end. */
static void end(struct listing *listing, struct bytes *out, bool goes_on)
{
    const struct question *question = listing->question;
    if (question->format->draw)
        return;
    struct list_tail tail = {
        .returned = listing->source.solutions,
        .complete = listing->source.complete,
        .prefix = listing->bounded ? "" : question->prefix, /* answers are shared, and get theirs when they are sent */
    };
    struct bytes next = {0};
    char cursor[TOKEN_TEXT_MAX];
    if (goes_on) {
        struct token place = {.ordinal = question->from.ordinal + listing->source.solutions};
        place.length = nq_cursor_position(listing->cursor, place.prefix);
        question_cursor(question, &place, cursor);
        bytes_format(&next, "%s&cursor=%s", question->path, cursor);
        listing->source.link_length = next.size;
        tail.next = bytes_take(&next);
        tail.next_cursor = cursor;
        out->failed |= !tail.next;
    }
    listing->source.link = question->format->list_end(out, &listing->head, &tail);
    free((char *)tail.next);
}

/* The list was cut at what was asked for: does anything follow? Beyond the table it may, and the next page will tell.
 */
static bool goes_on(const struct listing *listing)
{
    return !listing->head.total_known || listing->head.offset + listing->source.solutions < listing->head.total;
}

static enum nq_status fill(struct source *source, struct bytes *out, size_t want, const struct slice *slice,
                           const atomic_bool *stop)
{
    struct listing *listing = (struct listing *)source;
    const struct question *question = listing->question;
    uint32_t columns[NQ_SEARCH_MAX_N];
    uint64_t unseen = 0; /* placements since the last look at the clock */
    if (!listing->begun) {
        if (!question->format->draw)
            question->format->list_begin(out, &listing->head);
        listing->begun = true;
    }
    while (out->size < want && !out->failed) {
        if (unseen >= GRANT) {
            if (atomic_load_explicit(stop, memory_order_relaxed))
                return NQ_CANCELLED;
            if (clock_now() >= slice->deadline)
                return NQ_AGAIN;
            unseen = 0;
        }
        bool enough =
            source->solutions == question->limit || (listing->bounded && out->size >= PAGE_MAX_BYTES - PAGE_RESERVE);
        if (enough || listing->nodes_left == 0) {
            source->complete = enough;
            end(listing, out, !enough || goes_on(listing));
            return NQ_END;
        }
        uint64_t grant = listing->nodes_left < GRANT ? listing->nodes_left : GRANT, left = grant;
        enum nq_status status = nq_cursor_next(listing->cursor, &left, columns);
        unseen += grant - left + 1;
        if (listing->bounded)
            listing->nodes_left -= grant - left;
        if (status == NQ_OK) {
            if (question->format->draw)
                question->format->draw(out, question->n, question->base, columns);
            else
                question->format->list_solution(out, &listing->head, columns, source->solutions);
            source->solutions++;
        } else if (status == NQ_END) {
            end(listing, out, false);
            return NQ_END;
        }
    }
    return out->failed ? NQ_NOMEM : NQ_AGAIN;
}

static void close_listing(struct source *source)
{
    struct listing *listing = (struct listing *)source;
    nq_cursor_close(listing->cursor);
    free(listing);
}

enum nq_status source_solve(const struct question *question, bool bounded, struct source **source)
{
    static const struct source_class class = {.fill = fill, .close = close_listing};
    struct nq_cursor *cursor;
    enum nq_status status = nq_cursor_open(question->algorithm, question->n, &cursor);
    if (status != NQ_OK)
        return status;
    status = nq_cursor_seek(cursor, question->from.prefix, question->from.length);
    struct listing *listing = status == NQ_OK ? malloc(sizeof *listing) : NULL;
    if (!listing) {
        nq_cursor_close(cursor);
        return status == NQ_OK ? NQ_NOMEM : status;
    }
    *listing = (struct listing){
        .source = {.class = &class, .complete = true},
        .question = question,
        .cursor = cursor,
        .head = {.n = question->n,
                 .base = question->base,
                 .order = nq_cursor_order(cursor),
                 .board = question->board,
                 .offset = question->from.ordinal,
                 .limit = question->limit},
        .bounded = bounded,
        .nodes_left = bounded ? PAGE_MAX_NODES : UINT64_MAX,
    };
    listing->head.total_known = nq_known_count(question->n, &listing->head.total) == NQ_OK;
    *source = &listing->source;
    return NQ_OK;
}
