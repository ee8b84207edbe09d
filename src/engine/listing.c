/* listing.c - heads, ends and links, for pages and streams alike. */
#include "engine/listing.h"

#include <stdlib.h>

#include "count/known.h"

void listing_begin(struct listing *listing, const struct question *question, const char *order, bool shared)
{
    *listing = (struct listing){
        .question = question,
        .head = {.n = question->n,
                 .base = question->base,
                 .order = order,
                 .distinct = question->distinct,
                 .symmetry = question->symmetry,
                 .board = question->board,
                 .ranked = question->ranked,
                 .offset = question->from.ordinal,
                 .limit = question->limit},
        .shared = shared,
    };
    listing->head.samples = question->samples;
    listing->head.seeded = solver_find(question->cursor.algorithm)->heeds & HEEDS_SEED;
    listing->head.seed = question->seed;
    struct known known;
    if (question->total_known) {
        listing->head.total_known = true;
        listing->head.total = (uint64_t)question->total;
    } else if (question_listed(question) && filter_whole(&question->query.filter) &&
               known_find(question->n, question->query.distinct, question->query.symmetry, &known)) {
        listing->head.total_known = true;
        listing->head.total = known.count;
    }
}

bool listing_goes_on(const struct listing *listing, uint64_t returned)
{
    const struct list_head *head = &listing->head;
    return !head->total_known || head->offset == RANK_UNKNOWN || head->offset + returned < head->total;
}

void listing_end(const struct listing *listing, struct bytes *out, uint64_t returned, bool complete,
                 struct token *place, size_t *link, size_t *link_length)
{
    const struct question *question = listing->question;
    struct list_tail tail = {.returned = returned,
                             .complete = complete,
                             .stats = listing->stats,
                             .prefix = listing->shared ? "" : question->prefix};
    char cursor[TOKEN_TEXT_MAX];
    if (place) {
        place->ordinal = rank_after(question->from.ordinal, returned);
        tail.next = question_next(question, place, cursor, link_length);
        tail.next_cursor = cursor;
        out->failed |= !tail.next;
    }
    *link = question->format->list_end(out, &listing->head, &tail);
    free((char *)tail.next);
}
