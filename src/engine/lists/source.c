/* source.c - lists as text, and lists of what a search finds one by one. It knows neither solvers nor squares. */
#include "engine/lists/source.h"

#include <stdlib.h>

#include "count/known.h"
#include "engine/ask/answer.h"

/* ---- A list as text ---- */

/* Heads, ends and links, for pages and streams alike. */

void listing_begin(struct listing *listing, const struct question *question, const char *order)
{
    *listing = (struct listing){
        .question = question,
        .head = {.n = question->n,
                 .base = question->base,
                 .order = order,
                 .distinct = question_distinct(question),
                 .symmetry = question_symmetry(question),
                 .rules = question_rules(question),
                 .shape = question->shape.rows ? &question->shape : NULL,
                 .note = question->shape.rows ? NULL : rule_note(question->query.filter.rule, question->query.filter.n),
                 .board = question->list.board,
                 .ranked = question->list.ranked,
                 .offset = question->list.from.ordinal,
                 .limit = question->list.limit},
    };
    if (question->list.transform)
        listing->head.transform = question_transforms(question->list.transform);
    if (question->query.regions.n) {
        regions_transform(question->list.transform, &question->query.regions, &listing->shown);
        listing->head.regions = regions_text(&listing->shown, '/', listing->regions);
    }
    listing->head.samples = question->list.samples;
    listing->head.seeded = solver_find(question->list.cursor.algorithm)->heeds & HEEDS_SEED;
    listing->head.seed = question->seed;
    struct known known;
    if (question->needed[NEED_TOTAL]) {
        listing->head.total_known = true;
        listing->head.total = (uint64_t)question->needed[NEED_TOTAL]->count;
    } else if (question_table_total(question) &&
               known_find(question->query.filter.rule, question->n, question->query.distinct, question->query.symmetry,
                          &known)) {
        listing->head.total_known = true;
        listing->head.total = known.count;
    }
}

void listing_head(struct listing *listing, struct bytes *out)
{
    const struct format *format = listing->question->format;
    if (!listing->begun && format->list_begin)
        format->list_begin(out, &listing->head);
    listing->begun = true;
}

enum nq_status listing_solution(const struct listing *listing, struct bytes *out, const uint32_t *columns,
                                uint64_t index, uint64_t rank, const atomic_bool *stop)
{
    const struct question *question = listing->question;
    uint32_t image[NQ_LIST_MAX_N];
    if (question->list.transform) {
        nq_transform(question->list.transform, question->n, columns, image);
        columns = image;
    }
    if (question->format->picture) {
        const struct painted_board board = {.n = question->n,
                                            .regions = listing->shown.n ? &listing->shown : NULL,
                                            .rules = listing->head.rules,
                                            .columns = columns,
                                            .base = question->base};
        return question->format->paint(out, &board, stop);
    }
    question->format->list_solution(out, &listing->head, columns, index, rank);
    return NQ_OK;
}

enum nq_status listing_placement(const struct listing *listing, struct bytes *out, const struct nq_square *squares,
                                 uint32_t count, uint64_t index, const atomic_bool *stop)
{
    const struct question *question = listing->question;
    if (question->format->picture) {
        const struct painted_board board = {.n = question->n,
                                            .shape = &question->shape,
                                            .squares = squares,
                                            .count = count,
                                            .rules = listing->head.rules,
                                            .base = question->base};
        return question->format->paint(out, &board, stop);
    }
    question->format->list_placement(out, &listing->head, squares, count, index);
    return NQ_OK;
}

bool listing_goes_on(const struct listing *listing, uint64_t returned)
{
    const struct list_head *head = &listing->head;
    return !head->total_known || head->offset == RANK_UNKNOWN || head->offset + returned < head->total;
}

/* A list that has ended after no solution proves that there is none: only lists of all completions have this. A page
 * can begin after solutions; beyond the last one, `offset` is not how many there are. */
static struct completion completion_of(const struct listing *listing, uint64_t returned, bool ended)
{
    const struct list_head *head = &listing->head;
    const struct list_question *list = &listing->question->list;
    const bool found = returned || (list->from.length && list->from.ordinal);
    const bool counts = ended && head->offset != RANK_UNKNOWN && (returned || !list->offset);
    return (struct completion){
        .decided = found || ended || head->total_known,
        .completable = found || (head->total_known && head->total),
        .counted = head->total_known || counts,
        .count = head->total_known ? head->total : head->offset + returned,
        .placements = listing->placements,
    };
}

struct listing_link listing_end(const struct listing *listing, struct bytes *out, uint64_t returned, bool complete,
                                struct token *place)
{
    const struct question *question = listing->question;
    struct list_tail tail = {
        .returned = returned, .complete = complete, .stats = listing->stats, .prefix = question->prefix};
    const struct completion completion = completion_of(listing, returned, complete && !place);
    if (question->list.completes)
        tail.completion = &completion;
    struct listing_link link = {0};
    if (question->format->picture)
        return link;
    char cursor[TOKEN_TEXT_MAX], *next = NULL;
    if (place) {
        place->ordinal = rank_after(question->list.from.ordinal, returned);
        out->failed |= !question_next(question, place, cursor, &next, &link.length);
        tail.next = next;
        tail.next_cursor = cursor;
    }
    if (question->format->list_end)
        link.at = question->format->list_end(out, &listing->head, &tail);
    free(next);
    return link;
}

/* ---- A list of what a search finds ---- */

/* Within the bounds of a page and the slices of the pool. */

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
