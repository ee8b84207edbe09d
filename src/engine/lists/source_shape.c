/* source_shape.c - a list of the placements of a board of any shape. */
#include <stdlib.h>

#include "engine/lists/listing.h"
#include "engine/lists/source.h"
#include "shapes/shape_find.h"
#include "shapes/shape_list.h"

/* Placements between two looks at the clock: well under a millisecond. */
enum { GRANT = 1 << 13 };

/* Bytes that take as long to write as a placement to try, about. */
enum { BYTES_A_PLACEMENT = 8 };

struct shape_source {
    struct source source;
    struct listing listing;
    struct shape_list *list;   /* or */
    struct shape_find *find;   /* in any order */
    struct nq_square *squares; /* of a placement */
    bool bounded;
};

/* Where the list goes on; false: nowhere, for the place has more squares than a cursor. */
static bool find_place(const struct shape_source *shaped, struct token *place)
{
    uint32_t count;
    if (shaped->find)
        return (place->length = shape_find_position(shaped->find, place->prefix)) > 0;
    return shape_list_position(shaped->list, shaped->squares, &count) &&
           question_shape_place(shaped->listing.question, shaped->squares, count, place);
}

static enum nq_status end(struct shape_source *shaped, struct bytes *out, bool goes_on)
{
    struct source *source = &shaped->source;
    struct token place = {0};
    if (goes_on && !find_place(shaped, &place))
        source->complete = goes_on = false;
    shaped->listing.placements = source->nodes;
    source->link = listing_end(&shaped->listing, out, source->solutions, source->complete, goes_on ? &place : NULL);
    return NQ_END;
}

static enum nq_status fill(struct source *source, struct bytes *out, size_t want, const struct slice *slice,
                           const atomic_bool *stop)
{
    struct shape_source *shaped = (struct shape_source *)source;
    const struct question *question = shaped->listing.question;
    uint64_t unseen = 0; /* placements since the last look at the clock */
    listing_head(&shaped->listing, out);
    while (out->size < want && !out->failed) {
        const enum nq_status look = slice_look(slice, stop, GRANT, &unseen);
        if (look != NQ_OK)
            return look;
        const uint64_t budget = shaped->bounded ? PAGE_MAX_NODES - source->nodes : UINT64_MAX;
        const bool full = shaped->bounded && out->size >= PAGE_MAX_BYTES - PAGE_RESERVE;
        const bool enough = source->solutions == question->list.limit || full;
        if (enough || budget == 0) {
            source->complete = enough;
            return end(shaped, out, !enough || listing_goes_on(&shaped->listing, source->solutions));
        }
        const uint64_t grant = budget < GRANT ? budget : GRANT;
        const size_t before = out->size;
        uint64_t left = grant;
        uint32_t count;
        enum nq_status status = shaped->find ? shape_find_next(shaped->find, &left, shaped->squares, &count)
                                             : shape_list_next(shaped->list, &left, shaped->squares, &count);
        source->nodes += grant - left;
        if (status == NQ_END)
            return end(shaped, out, false);
        if (status == NQ_OK)
            status = listing_placement(&shaped->listing, out, shaped->squares, count, source->solutions++, stop);
        if (status != NQ_OK && status != NQ_AGAIN)
            return status;
        unseen += grant - left + 1 + (out->size - before) / BYTES_A_PLACEMENT;
    }
    return NQ_AGAIN;
}

static void close_shape(struct source *source)
{
    struct shape_source *shaped = (struct shape_source *)source;
    if (shaped->list)
        shape_list_close(shaped->list);
    shape_find_close(shaped->find);
    free(shaped->squares);
    free(shaped);
}

static enum nq_status open_find(struct shape_source *shaped, const struct question *question)
{
    const struct list_start *from = &question->list.from;
    const enum nq_status status = shape_find_open(&question->shape, &shaped->find);
    if (status != NQ_OK)
        return status;
    shaped->squares = malloc((question->shape.most + 1) * sizeof *shaped->squares);
    if (!shaped->squares)
        return NQ_NOMEM;
    listing_begin(&shaped->listing, question, solver_find(question->list.cursor.algorithm)->order, shaped->bounded);
    if (from->length && shape_find_seek(shaped->find, from->prefix, from->length) != NQ_OK)
        shaped->source.complete = false;
    return NQ_OK;
}

static enum nq_status open_list(struct shape_source *shaped, const struct question *question)
{
    const enum nq_status status = shape_list_open(&question->shape, question_shape_group(question), &shaped->list);
    if (status != NQ_OK)
        return status;
    shaped->squares = malloc((shape_list_top(shaped->list) + 1) * sizeof *shaped->squares);
    if (!shaped->squares)
        return NQ_NOMEM;
    listing_begin(&shaped->listing, question, "lexicographic", shaped->bounded);
    if (question_shape_seek(question, &question->list.from, shaped->list) != NQ_OK)
        shaped->source.complete = false; /* somebody made up the cursor: nothing follows, and that proves nothing */
    return NQ_OK;
}

enum nq_status source_shape(const struct question *question, bool bounded, struct source **source)
{
    static const struct source_class class = {.fill = fill, .close = close_shape};
    struct shape_source *shaped = malloc(sizeof *shaped);
    if (!shaped)
        return NQ_NOMEM;
    *shaped = (struct shape_source){.source = {.class = &class, .complete = true}, .bounded = bounded};
    return source_opened(&shaped->source,
                         question->list.any ? open_find(shaped, question) : open_list(shaped, question), source);
}
