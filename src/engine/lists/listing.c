/* listing.c - heads, ends and links, for pages and streams alike. */
#include "engine/lists/listing.h"

#include <stdlib.h>

#include "count/known.h"
#include "engine/ask/answer.h"

void listing_begin(struct listing *listing, const struct question *question, const char *order, bool shared)
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
        .shared = shared,
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
    struct list_tail tail = {.returned = returned,
                             .complete = complete,
                             .stats = listing->stats,
                             .prefix = listing->shared ? "" : question->prefix};
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
