/* shape_list.c - listing placements: the tree of shape_count.c, in which every node is a placement, in preorder. Placed
 * queens come in their turn: no queen passes over them. */
#include "shapes/shape.h"

#include <stdlib.h>
#include <string.h>

#include "shapes/shape_board.h"

/* A placement on the way down, and what has not been tried below it. */
struct level {
    uint32_t segment; /* the next queen stands there, or later */
    uint64_t untried; /* its squares */
    struct nq_square queen;
    uint64_t open[SHAPE_MAX_SIDE];
};

struct shape_list {
    struct shape_board board;
    unsigned group;
    bool begun, over;
    uint32_t placed; /* segments up to the last one with a placed queen */
    uint32_t depth;  /* queens */
    uint64_t queens[SHAPE_MAX_SIDE];
    struct level *levels; /* one more than there can be queens */
};

/* Before its first child. */
static void rewind_level(const struct shape_list *list, struct level *level, uint32_t segment)
{
    level->segment = segment;
    level->untried = shape_candidates(&list->board, &list->board.segment[segment], level->open);
}

static void push(struct shape_list *list, struct nq_square queen)
{
    const struct shape_board *board = &list->board;
    struct level *level = &list->levels[list->depth++], *next = level + 1;
    const uint32_t from = board->shape.maximal ? 0 : queen.row;
    shape_place(shape_attack(board, shape_square(&board->shape, queen.row, queen.column)), from, board->shape.rows - 1,
                level->open, next->open);
    next->queen = queen;
    list->queens[queen.row] |= UINT64_C(1) << queen.column;
    rewind_level(list, next, level->segment + 1);
}

static void pop(struct shape_list *list)
{
    const struct nq_square queen = list->levels[list->depth--].queen;
    list->queens[queen.row] &= ~(UINT64_C(1) << queen.column);
}

/* Finds a segment with squares that are untried. False: there are no more children. */
static bool has_child(const struct shape_list *list, struct level *level)
{
    const struct shape_board *board = &list->board;
    if (list->depth == board->top)
        return false;
    while (!level->untried) {
        const struct shape_segment *at = &board->segment[level->segment];
        if (level->segment == board->segments || at->placed)
            return false;
        rewind_level(list, level, level->segment + 1);
    }
    return list->depth + board->segments - level->segment >= board->shape.least;
}

/* Whether the node that was just reached is listed. */
static bool wanted(const struct shape_list *list)
{
    const struct shape *shape = &list->board.shape;
    const struct level *level = &list->levels[list->depth];
    return list->depth >= shape->least && level->segment >= list->placed && shape_complete(&list->board, level->open) &&
           (list->group == 1 || shape_representative(shape, list->group, list->queens));
}

/* Goes to the next node. False: there is none. */
static bool step(struct shape_list *list)
{
    if (!list->begun) {
        list->begun = true;
        list->over = list->board.impossible || list->board.top < list->board.shape.least;
        return !list->over;
    }
    while (!list->over) {
        struct level *level = &list->levels[list->depth];
        if (has_child(list, level)) {
            const uint32_t column = (uint32_t)__builtin_ctzll(level->untried);
            level->untried &= level->untried - 1;
            push(list, (struct nq_square){list->board.segment[level->segment].row, column});
            return true;
        }
        list->over = !list->depth;
        if (list->depth)
            pop(list);
    }
    return false;
}

bool shape_list_position(const struct shape_list *list, struct nq_square *squares, uint32_t *count)
{
    *count = list->depth;
    for (uint32_t i = 0; i < list->depth; i++)
        squares[i] = list->levels[i + 1].queen;
    return list->begun;
}

enum nq_status shape_list_next(struct shape_list *list, uint64_t *budget, struct nq_square *squares, uint32_t *count)
{
    for (uint64_t left = *budget ? *budget : 1; left--;) {
        const bool more = step(list);
        *budget -= *budget > 0;
        if (!more)
            return NQ_END;
        if (wanted(list)) {
            (void)shape_list_position(list, squares, count);
            return NQ_OK;
        }
    }
    return NQ_AGAIN;
}

/* Goes on to a child. False: there is none with this queen. */
static bool push_child(struct shape_list *list, struct nq_square queen)
{
    const struct shape *shape = &list->board.shape;
    struct level *level = &list->levels[list->depth];
    if (list->depth == list->board.top || queen.row >= shape->rows || queen.column >= shape->columns ||
        !(shape->allow[queen.row] >> queen.column & 1))
        return false;
    const uint32_t to = shape_segment_of(&list->board, shape_square(shape, queen.row, queen.column));
    while (level->segment < to && !list->board.segment[level->segment].placed)
        rewind_level(list, level, level->segment + 1);
    if (level->segment != to || !(level->untried >> queen.column & 1))
        return false;
    level->untried &= ~((UINT64_C(2) << queen.column) - 1); /* those behind it */
    push(list, queen);
    return true;
}

enum nq_status shape_list_seek(struct shape_list *list, const struct nq_square *squares, uint32_t count)
{
    uint32_t done = 0;
    while (list->depth)
        pop(list);
    rewind_level(list, list->levels, 0);
    while (done < count && push_child(list, squares[done]))
        done++;
    list->begun = true;
    list->over = done < count || list->board.impossible || list->board.top < list->board.shape.least;
    return done < count ? NQ_INVALID : NQ_OK;
}

static enum nq_status fill(struct shape_list *list, const struct shape *shape)
{
    const enum nq_status status = shape_board_open(shape, 0, &list->board);
    if (status != NQ_OK)
        return status;
    list->levels = calloc(list->board.top + 1, sizeof *list->levels);
    if (!list->levels)
        return NQ_NOMEM;
    for (uint32_t segment = 0; segment < list->board.segments; segment++)
        list->placed = list->board.segment[segment].placed ? segment + 1 : list->placed;
    memcpy(list->levels->open, list->board.open, sizeof list->levels->open);
    rewind_level(list, list->levels, 0);
    return NQ_OK;
}

enum nq_status shape_list_open(const struct shape *shape, unsigned group, struct shape_list **out)
{
    struct shape_list *list = calloc(1, sizeof *list);
    if (!list)
        return NQ_NOMEM;
    list->group = group;
    const enum nq_status status = fill(list, shape);
    if (status == NQ_OK)
        *out = list;
    else
        shape_list_close(list);
    return status;
}

void shape_list_close(struct shape_list *list)
{
    if (list) {
        shape_board_close(&list->board);
        free(list->levels);
    }
    free(list);
}

uint32_t shape_list_top(const struct shape_list *list)
{
    return list->board.top;
}
