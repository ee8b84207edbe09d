/* parallel_list.c - prefixes on one side, a lister for each of them and a format on the other. */
#include "engine/lists/parallel_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/lists/listing.h"
#include "formats/lines.h"
#include "kernels/prefixes.h"
#include "solvers/lister.h"
#include "solvers/solver.h"

/* Placements between two looks at the clock: well under a millisecond. */
enum { GRANT = 1 << 13 };

/* Solutions that pass from the lister to the format at a time. */
enum { BATCH = 256 };

/* On larger boards the cursor is faster, as it recognizes dead ends earlier; and shorter lists it makes soon enough. */
enum { PARALLEL_MAX_N = 20, PARALLEL_LEAST = 1 << 16 };

struct parallel_list {
    struct listing listing;
    const struct finder *finder;
    struct kernel_board board;
    struct prefixes prefixes;
    struct range first; /* position_length > 0: the list begins within it */
    unsigned group;     /* see query_group() */
    bool fast;          /* `lines` writes the solutions, not the format */
    struct lines lines;
};

bool parallel_list_suits(const struct question *question)
{
    return !question->list.samples && question->query.symmetry == SYMMETRY_ANY && question->format->lines &&
           question->n <= PARALLEL_MAX_N && !question->query.filter.rule && question->list.limit >= PARALLEL_LEAST &&
           solver_find(question->list.cursor.algorithm) == solvers[0] && !question->list.cursor.watched;
}

/* Goes to where the list begins; false when that is no placement. */
static bool seek(struct parallel_list *list, const struct list_start *from)
{
    struct range *first = &list->first;
    for (uint32_t row = 0; row < from->length && row < KERNEL_MAX_N; row++)
        first->position[row] = (uint8_t)from->prefix[row];
    if (from->length == 0)
        return true;
    if (from->length > list->board.n || !prefixes_seek(&list->prefixes, first->position, from->length))
        return false;
    if (from->length > list->prefixes.length) {
        first->position_length = from->length;
        first->length = list->prefixes.length;
        memcpy(first->prefix, first->position, sizeof first->prefix);
    }
    return true;
}

enum nq_status parallel_list_open(const struct question *question, const struct finder *finder,
                                  struct parallel_list **out)
{
    struct parallel_list *list = calloc(1, sizeof *list);
    if (!list)
        return NQ_NOMEM;
    list->finder = finder;
    list->board = kernel_board_of(question->n, question->query.filter.allow);
    list->group = query_group(&question->query);
    prefixes_begin(&list->prefixes, &list->board, lister_rows(question->n));
    if (!seek(list, &question->list.from)) {
        free(list);
        return NQ_INVALID;
    }
    listing_begin(&list->listing, question, "lexicographic", false);
    list->fast =
        question->format == format_find("ndjson") && question->list.board == BOARD_NONE && !question->list.ranked;
    if (list->fast)
        lines_begin(&list->lines, question->n, question->base);
    *out = list;
    return NQ_OK;
}

void parallel_list_close(struct parallel_list *list)
{
    free(list);
}

bool parallel_list_in_turn(const struct parallel_list *list)
{
    return list->listing.question->format->numbered || list->listing.head.ranked;
}

void parallel_list_head(struct parallel_list *list, struct bytes *out)
{
    listing_head(&list->listing, out);
}

bool parallel_list_next(struct parallel_list *list, struct range *range)
{
    const struct list_start *from = &list->listing.question->list.from;
    struct kernel_prefix below;
    if (list->first.position_length) {
        *range = list->first;
        list->first.position_length = 0;
        return true;
    }
    *range = (struct range){.length = list->prefixes.length};
    return !token_is_end(from->ordinal, from->length) && prefixes_next(&list->prefixes, range->prefix, &below);
}

static void write(const struct parallel_list *list, uint64_t index, const uint8_t *rows, size_t count,
                  struct bytes *out)
{
    const uint32_t n = list->board.n;
    if (list->fast) {
        char *to = bytes_reserve(out, count * list->lines.size + LINES_SLACK);
        if (to)
            out->size += lines_write(&list->lines, rows, count, to);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t columns[KERNEL_MAX_N];
        for (uint32_t row = 0; row < n; row++)
            columns[row] = rows[i * n + row];
        (void)listing_solution(&list->listing, out, columns, index + i,
                               rank_after(list->listing.head.offset, index + i), NULL);
    }
}

/* Keeps the representatives of classes, and returns how many they are. */
static size_t sift(const struct parallel_list *list, uint8_t *rows, size_t count)
{
    const uint32_t n = list->board.n;
    size_t kept = 0;
    for (size_t i = 0; list->group != 1 && i < count; i++)
        if (query_representative(list->group, n, rows + i * n))
            memmove(rows + n * kept++, rows + i * n, n);
    return list->group == 1 ? count : kept;
}

/* As parallel_list_fill, with a lister that stands where the range does. */
static enum nq_status fill_by(const struct parallel_list *list, struct lister *lister, uint64_t index,
                              struct filling *filling)
{
    uint8_t rows[BATCH * KERNEL_MAX_N];
    struct bytes *out = filling->out;
    while (out->size < filling->want) {
        const uint64_t left = filling->most - filling->solutions;
        uint64_t budget = GRANT;
        size_t count;
        const enum nq_status status =
            lister_next(lister, &budget, rows, left < BATCH ? (size_t)left : (size_t)BATCH, &count);
        meter_did(filling->slice->meter, GRANT - budget);
        const size_t listed = sift(list, rows, count);
        write(list, index + filling->solutions, rows, listed, out);
        if (out->failed)
            return NQ_NOMEM;
        filling->solutions += listed;
        if (status == NQ_END || filling->solutions == filling->most)
            return NQ_END;
        if (stop_wanted(filling->stop))
            return NQ_CANCELLED;
        if (clock_now() >= filling->slice->deadline)
            break;
    }
    return NQ_AGAIN;
}

enum nq_status parallel_list_fill(const struct parallel_list *list, struct range *range, struct filling *filling)
{
    struct lister *lister;
    enum nq_status status =
        lister_open(list->board.n, list->listing.question->query.filter.allow, list->finder, 0, &lister);
    if (status != NQ_OK)
        return status;
    status = lister_begin(lister, range->prefix, range->length);
    if (status == NQ_OK && range->position_length)
        status = lister_seek(lister, range->position, range->position_length);
    if (status == NQ_OK)
        status = fill_by(list, lister, range->index, filling);
    range->position_length = lister_position(lister, range->position);
    range->index += filling->solutions;
    lister_close(lister);
    return status;
}

void parallel_list_end(const struct parallel_list *list, uint64_t returned, const struct range *last, struct bytes *out)
{
    struct token place = {0};
    const bool goes_on = last && listing_goes_on(&list->listing, returned);
    if (goes_on) {
        place.length = last->position_length;
        for (uint32_t row = 0; row < place.length; row++)
            place.prefix[row] = last->position[row];
    }
    (void)listing_end(&list->listing, out, returned, true, goes_on ? &place : NULL);
}
