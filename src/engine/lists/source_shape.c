/* source_shape.c - a list of the placements of a board of any shape. */
#include <stdlib.h>

#include "engine/lists/source.h"
#include "shapes/shape.h"

struct shape_source {
    struct searched searched;
    struct shape_list *list;   /* or */
    struct shape_find *find;   /* in any order */
    struct nq_square *squares; /* of the placement that was found, */
    uint32_t count;            /* so many */
};

static enum nq_status shaped_next(struct searched *searched, uint64_t *budget)
{
    struct shape_source *shaped = (struct shape_source *)searched;
    return shaped->find ? shape_find_next(shaped->find, budget, shaped->squares, &shaped->count)
                        : shape_list_next(shaped->list, budget, shaped->squares, &shaped->count);
}

static enum nq_status shaped_write(struct searched *searched, struct bytes *out, const atomic_bool *stop)
{
    const struct shape_source *shaped = (struct shape_source *)searched;
    return listing_placement(&searched->listing, out, shaped->squares, shaped->count, searched->source.solutions++,
                             stop);
}

/* Nowhere, if the place has more squares than a cursor. */
static bool shaped_place(const struct searched *searched, struct token *place)
{
    const struct shape_source *shaped = (const struct shape_source *)searched;
    uint32_t count;
    if (shaped->find)
        return (place->length = shape_find_position(shaped->find, place->prefix)) > 0;
    return shape_list_position(shaped->list, shaped->squares, &count) &&
           question_shape_place(searched->listing.question, shaped->squares, count, place);
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
    const enum nq_status status = shape_find_open(&question->shape, 0, &shaped->find);
    if (status != NQ_OK)
        return status;
    shaped->squares = malloc((question->shape.most + 1) * sizeof *shaped->squares);
    if (!shaped->squares)
        return NQ_NOMEM;
    listing_begin(&shaped->searched.listing, question, solver_find(question->list.cursor.algorithm)->order);
    if (from->length && shape_find_seek(shaped->find, from->prefix, from->length) != NQ_OK)
        shaped->searched.source.complete = false;
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
    listing_begin(&shaped->searched.listing, question, "lexicographic");
    if (question_shape_seek(question, &question->list.from, shaped->list) != NQ_OK)
        shaped->searched.source.complete =
            false; /* somebody made up the cursor: nothing follows, and that proves nothing */
    return NQ_OK;
}

enum nq_status source_shape(const struct question *question, bool bounded, struct source **source)
{
    static const struct source_class class = {.fill = searched_fill, .close = close_shape};
    static const struct searched_calls calls = {
        .grant = 1 << 13, .next = shaped_next, .write = shaped_write, .place = shaped_place};
    struct shape_source *shaped = malloc(sizeof *shaped);
    if (!shaped)
        return NQ_NOMEM;
    *shaped = (struct shape_source){
        .searched = {.source = {.class = &class, .complete = true}, .calls = &calls, .bounded = bounded}};
    return source_opened(&shaped->searched.source,
                         question->list.any ? open_find(shaped, question) : open_list(shaped, question), source);
}
