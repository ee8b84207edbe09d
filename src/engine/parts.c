/* parts.c - prefixes on one side, a lister for each of them and a format on the other. */
#include "engine/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/listing.h"
#include "formats/lines.h"
#include "kernels/prefixes.h"
#include "solvers/lister.h"
#include "solvers/solver.h"

/* Placements between two looks at the clock: well under a millisecond. */
enum { GRANT = 1 << 15 };

/* Solutions that pass from the lister to the format at a time. */
enum { BATCH = 256 };

/* Beyond it the cursor is better at finding the few there are among what is dead; and fewer it has made soon enough. */
enum { PARTS_MAX_N = 20, PARTS_LEAST = 1 << 16 };

struct parts {
    struct listing listing;
    const struct finder *finder;
    struct kernel_board board;
    struct prefixes prefixes;
    struct part first; /* position_length > 0: the list begins within it */
    unsigned group;    /* see query_group() */
    bool fast;         /* lines are ours to write */
    struct lines lines;
};

bool parts_suit(const struct question *question)
{
    return !question->samples && question->query.symmetry == SYMMETRY_ANY && question->format->lines &&
           question->n <= PARTS_MAX_N && question->limit >= PARTS_LEAST &&
           solver_find(question->cursor.algorithm) == solvers[0] && !question->cursor.watched;
}

/* Goes to where the list begins; false when that is no placement. */
static bool go(struct parts *parts, const struct token *from)
{
    struct part *first = &parts->first;
    for (uint32_t row = 0; row < from->length && row < KERNEL_MAX_N; row++)
        first->position[row] = (uint8_t)from->prefix[row];
    if (from->length == 0)
        return true;
    if (from->length > parts->board.n || !prefixes_seek(&parts->prefixes, first->position, from->length))
        return false;
    if (from->length > parts->prefixes.length) {
        first->position_length = from->length;
        first->length = parts->prefixes.length;
        memcpy(first->prefix, first->position, sizeof first->prefix);
    }
    return true;
}

enum nq_status parts_open(const struct question *question, const struct finder *finder, struct parts **out)
{
    struct parts *parts = calloc(1, sizeof *parts);
    if (!parts)
        return NQ_NOMEM;
    parts->finder = finder;
    parts->board = kernel_board_of(question->n, question->query.filter.allow);
    parts->group = query_group(&question->query);
    prefixes_begin(&parts->prefixes, &parts->board, lister_rows(question->n));
    if (!go(parts, &question->from)) {
        free(parts);
        return NQ_INVALID;
    }
    listing_begin(&parts->listing, question, "lexicographic", false);
    parts->fast = question->format == format_find("ndjson") && question->board == BOARD_NONE && !question->ranked;
    if (parts->fast)
        lines_begin(&parts->lines, question->n, question->base);
    *out = parts;
    return NQ_OK;
}

void parts_close(struct parts *parts)
{
    free(parts);
}

bool parts_in_turn(const struct parts *parts)
{
    return parts->listing.question->format->numbered || parts->listing.head.ranked;
}

void parts_begin(const struct parts *parts, struct bytes *out)
{
    parts->listing.question->format->list_begin(out, &parts->listing.head);
}

bool parts_next(struct parts *parts, struct part *part)
{
    struct kernel_prefix below;
    if (parts->first.position_length) {
        *part = parts->first;
        parts->first.position_length = 0;
        return true;
    }
    *part = (struct part){.length = parts->prefixes.length};
    return !token_is_end(&parts->listing.question->from) && prefixes_next(&parts->prefixes, part->prefix, &below);
}

static void write(const struct parts *parts, uint64_t index, const uint8_t *rows, size_t count, struct bytes *out)
{
    const struct question *question = parts->listing.question;
    const uint32_t n = question->n;
    if (parts->fast) {
        char *to = bytes_reserve(out, count * parts->lines.size + LINES_SLACK);
        if (to)
            out->size += lines_write(&parts->lines, rows, count, to);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t columns[KERNEL_MAX_N];
        for (uint32_t row = 0; row < n; row++)
            columns[row] = rows[i * n + row];
        question->format->list_solution(out, &parts->listing.head, columns, index + i,
                                        rank_after(parts->listing.head.offset, index + i));
    }
}

/* Leaves those that stand for their classes, and returns how many they are. */
static size_t sift(const struct parts *parts, uint8_t *rows, size_t count)
{
    const uint32_t n = parts->board.n;
    size_t kept = 0;
    for (size_t i = 0; parts->group != 1 && i < count; i++)
        if (query_representative(parts->group, n, rows + i * n))
            memmove(rows + n * kept++, rows + i * n, n);
    return parts->group == 1 ? count : kept;
}

/* As parts_make, with a lister that stands where the part does. */
static enum nq_status list(const struct parts *parts, struct lister *lister, uint64_t index, uint64_t most,
                           struct bytes *out, size_t want, const struct slice *slice, const atomic_bool *stop,
                           uint64_t *solutions)
{
    uint8_t rows[BATCH * KERNEL_MAX_N];
    while (out->size < want) {
        uint64_t budget = GRANT;
        size_t count;
        const enum nq_status status =
            lister_next(lister, &budget, rows, most < BATCH ? (size_t)most : (size_t)BATCH, &count);
        meter_did(slice->meter, GRANT - budget);
        const size_t listed = sift(parts, rows, count);
        write(parts, index + *solutions, rows, listed, out);
        if (out->failed)
            return NQ_NOMEM;
        *solutions += listed;
        most -= listed;
        if (status == NQ_END || most == 0)
            return NQ_END;
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        if (clock_now() >= slice->deadline)
            break;
    }
    return NQ_AGAIN;
}

enum nq_status parts_make(const struct parts *parts, struct part *part, uint64_t most, struct bytes *out, size_t want,
                          const struct slice *slice, const atomic_bool *stop, uint64_t *solutions)
{
    struct lister *lister;
    *solutions = 0;
    enum nq_status status =
        lister_open(parts->board.n, parts->listing.question->query.filter.allow, parts->finder, 0, &lister);
    if (status != NQ_OK)
        return status;
    status = lister_begin(lister, part->prefix, part->length);
    if (status == NQ_OK && part->position_length)
        status = lister_seek(lister, part->position, part->position_length);
    if (status == NQ_OK)
        status = list(parts, lister, part->index, most, out, want, slice, stop, solutions);
    part->position_length = lister_position(lister, part->position);
    part->index += *solutions;
    lister_close(lister);
    return status;
}

void parts_end(const struct parts *parts, uint64_t returned, const struct part *last, struct bytes *out)
{
    struct token place = {0};
    size_t link, link_length;
    const bool goes_on = last && listing_goes_on(&parts->listing, returned);
    if (goes_on) {
        place.length = last->position_length;
        for (uint32_t row = 0; row < place.length; row++)
            place.prefix[row] = last->position[row];
    }
    listing_end(&parts->listing, out, returned, true, goes_on ? &place : NULL, &link, &link_length);
}
