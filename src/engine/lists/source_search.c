/* source_search.c - a list of what a search finds one by one, within the bounds of a page and the slices of the pool.
 * It knows neither solvers nor squares. */
#include "engine/lists/source.h"

/* Bytes that take as long to write as a placement to try, about. */
enum { BYTES_A_PLACEMENT = 8 };

/* A list that is cut where no place can be named goes on nowhere, and is not complete. */
static enum nq_status end(struct searched *searched, struct bytes *out, bool goes_on)
{
    struct source *source = &searched->source;
    struct token place = {0};
    if (goes_on && !searched->calls->place(searched, &place))
        source->complete = goes_on = false;
    if (searched->calls->stats)
        searched->listing.stats = searched->calls->stats(searched);
    searched->listing.placements = source->nodes;
    source->link = listing_end(&searched->listing, out, source->solutions, source->complete, goes_on ? &place : NULL);
    return NQ_END;
}

/* Whether a page may have no room for one more: on a large board one is larger than the reserve. */
static bool is_full(const struct searched *searched, const struct bytes *out)
{
    const struct question *question = searched->listing.question;
    const struct shape *shape = question->shape.rows ? &question->shape : NULL;
    const enum board_style board = question->list.board;
    const size_t n = question->n, rows = shape ? shape->rows : n, queens = shape ? shape->most : n;
    const size_t drawn = board == BOARD_NONE ? 0 : board == BOARD_PETSCII ? 4 * rows * (n + 2) : 3 * rows * n;
    const bool reserved = queens <= NQ_SEARCH_MAX_N && drawn <= (size_t)PAGE_RESERVE / 4 * 3;
    const size_t large = !reserved && searched->source.solutions ? 16 * queens + drawn : 0;
    return out->size + large >= PAGE_MAX_BYTES - PAGE_RESERVE;
}

enum nq_status searched_fill(struct source *source, struct bytes *out, size_t want, const struct slice *slice,
                             const atomic_bool *stop)
{
    struct searched *searched = (struct searched *)source;
    const struct searched_calls *calls = searched->calls;
    const struct question *question = searched->listing.question;
    uint64_t unseen = 0; /* placements since the last look at the clock */
    listing_head(&searched->listing, out);
    while (out->size < want && !out->failed) {
        const enum nq_status look = slice_look(slice, stop, calls->grant, &unseen);
        if (look != NQ_OK)
            return look;
        const uint64_t budget = searched->bounded ? PAGE_MAX_NODES - source->nodes : UINT64_MAX;
        const bool enough = source->solutions == question->list.limit || (searched->bounded && is_full(searched, out));
        if (enough || budget == 0) {
            source->complete = enough;
            return end(searched, out, !enough || listing_goes_on(&searched->listing, source->solutions));
        }
        const uint64_t grant = budget < calls->grant ? budget : calls->grant;
        const size_t before = out->size;
        uint64_t left = grant;
        enum nq_status status = calls->next(searched, &left);
        source->nodes += grant - left;
        if (status == NQ_END)
            return end(searched, out, false);
        if (status == NQ_OK)
            status = calls->write(searched, out, stop);
        if (status != NQ_OK && status != NQ_AGAIN)
            return status;
        unseen += grant - left + 1 + (out->size - before) / BYTES_A_PLACEMENT;
    }
    return NQ_AGAIN;
}
