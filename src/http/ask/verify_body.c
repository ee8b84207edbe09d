/* verify_body.c - gives a body to the parser of its shape, and says what its numbers mean together. Members and lines
 * come in any order: what depends on several of them is checked at the end. */
#include "http/ask/verify_body.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/ask/rows.h"
#include "http/ask/verify_csv.h"
#include "http/ask/verify_json.h"
#include "http/ask/verify_regions.h"
#include "http/ask/verify_text.h"

/* ---- Pieces ---- */

void verify_body_begin(struct verify_body *body, enum verify_shape shape, uint32_t wanted, verify_hold hold, void *who)
{
    *body =
        (struct verify_body){.status = NQ_OK, .base = 1, .shape = shape, .wanted = wanted, .hold = hold, .who = who};
    if (shape == VERIFY_OCTETS) {
        verify_solution(body);
        verify_kind(body, VERIFY_COLUMNS);
    }
}

static void octets_byte(struct verify_body *body, unsigned char c)
{
    enum { OCTETS = 4 };
    const unsigned at = body->offset % OCTETS;
    body->number = (at ? body->number : 0) | (uint32_t)c << 8 * at;
    if (at == OCTETS - 1)
        verify_queen(body, verify_count(body), body->number);
}

void verify_body_add(struct verify_body *body, const char *piece, size_t size)
{
    static void (*const readers[])(struct verify_body *, unsigned char) = {
        [VERIFY_JSON] = verify_json_byte, [VERIFY_LINES] = verify_json_byte, [VERIFY_TEXT] = verify_text_byte,
        [VERIFY_CSV] = verify_csv_byte,   [VERIFY_OCTETS] = octets_byte,
    };
    for (size_t i = 0; i < size && body->status == NQ_OK; i++) {
        readers[body->shape](body, (unsigned char)piece[i]);
        body->offset++;
    }
}

void verify_body_paint(struct verify_body *body, const char *regions, bool apart)
{
    body->regions.parameter = regions;
    body->regions.apart |= apart;
}

void verify_body_free(struct verify_body *body)
{
    placement_unref(body->placement);
    body->placement = NULL;
}

/* ---- What the numbers mean together ---- */

/* Makes the number of a row or column 0-based; false: it is off the board. */
static bool settle_number(const struct verify_body *body, uint32_t *number)
{
    const uint32_t base = body->kind == VERIFY_DRAWN ? 0 : body->base;
    const bool inside = *number >= base && *number - base < body->n;
    *number -= base;
    return inside;
}

static void refuse_queen(struct verify_body *body, uint32_t index, const char *member)
{
    char where[sizeof body->error.parameter];
    if (body->shape != VERIFY_JSON && body->kind == VERIFY_SQUARES)
        (void)snprintf(where, sizeof where, "%s of line %" PRIu32, member, index + 1 + (body->shape == VERIFY_CSV));
    else if (body->kind == VERIFY_COLUMNS)
        (void)snprintf(where, sizeof where, "permutation[%" PRIu32 "]", index);
    else
        (void)snprintf(where, sizeof where, "queens[%" PRIu32 "].%s", index, member);
    if (body->n)
        verify_refuse(body, REFUSED_OUTSIDE, where, "must be %" PRIu32 " to %" PRIu32, body->base,
                      body->n - 1 + body->base);
    else
        verify_refuse(body, REFUSED_OFF_BOARD, where, "is not on the board: it has no squares");
}

static void settle_queens(struct verify_body *body)
{
    for (uint32_t i = 0; body->status == NQ_OK && i < body->placement->count; i++) {
        struct queen *queen = &body->placement->queens[i];
        if (body->kind == VERIFY_COLUMNS) /* in order, and 0-based */
            queen->row += body->part ? body->first - body->base : 0;
        else if (!settle_number(body, &queen->row))
            refuse_queen(body, i, "row");
        if (body->status == NQ_OK && !settle_number(body, &queen->column))
            refuse_queen(body, i, "column");
    }
}

/* Whether it is known which solution is meant, and there is one. */
static bool one_solution(struct verify_body *body)
{
    const uint32_t count = body->solutions;
    if (count == 0)
        verify_refuse(body, REFUSED_NO_QUEENS, "body",
                      body->shape == VERIFY_JSON ? "must have permutation, queens, board or states" : "has no queens");
    else if (body->wanted == VERIFY_ONLY && count > 1)
        verify_refuse(body, REFUSED_SEVERAL, "body",
                      "has %" PRIu32 " solutions, and one is checked: choose it with index=0 to index=%" PRIu32, count,
                      count - 1);
    else if (body->wanted != VERIFY_ONLY && body->wanted >= count)
        verify_refuse(body, REFUSED_OUTSIDE, "index", "must be %d to %" PRIu32 ": the body has %" PRIu32 " solutions",
                      0, count - 1, count);
    return body->status == NQ_OK;
}

/* Whether the columns are as many as rows are announced. */
static bool columns_agree(struct verify_body *body, uint32_t count)
{
    if (body->kind != VERIFY_COLUMNS)
        return true;
    if (body->part && (body->first < body->base || body->last < body->first || body->last - body->base >= body->n))
        verify_refuse(body, REFUSED_OFF_BOARD, "rows", "must be rows of the board, first and last");
    else if (body->part && count != body->last - body->first + 1)
        verify_refuse(body, REFUSED_DISAGREES, "permutation", "has %" PRIu32 " columns, but rows has %" PRIu32, count,
                      body->last - body->first + 1);
    else if (!body->part && count != body->n)
        verify_refuse(body, REFUSED_DISAGREES, "permutation", "has %" PRIu32 " columns, but n is %" PRIu32, count,
                      body->n);
    return body->status == NQ_OK;
}

static bool base_known(struct verify_body *body)
{
    if (body->base <= 1)
        return true;
    verify_refuse(body, REFUSED_CHOICE, "base", "must be 1 or 0");
    body->error.choices = row_bases;
    return false;
}

static bool whole(struct verify_body *body)
{
    switch (body->shape) {
    case VERIFY_TEXT: return verify_text_whole(body);
    case VERIFY_CSV: return verify_csv_whole(body);
    case VERIFY_OCTETS:
        if (body->offset % 4)
            verify_refuse_here(body, "the octets end within a column, which has four");
        return body->status == NQ_OK;
    default: return verify_json_whole(body);
    }
}

/* The queens fit on the board: n of them, or on one with regions, which people play on, one on each square. */
static bool queens_fit(struct verify_body *body, uint32_t count)
{
    if (body->regions.regions.n && count > body->n * body->n)
        verify_refuse(body, REFUSED_DISAGREES, "body",
                      "has %" PRIu32 " queens, and the limit is the number of squares, %" PRIu32, count,
                      body->n * body->n);
    else if (!body->regions.regions.n && count > body->n)
        verify_refuse(body, REFUSED_DISAGREES, "body", "has %" PRIu32 " queens, and the limit is n = %" PRIu32, count,
                      body->n);
    return body->status == NQ_OK;
}

enum nq_status verify_body_end(struct verify_body *body)
{
    if (body->status != NQ_OK || !whole(body) || !one_solution(body))
        return body->status;
    body->keep = true;
    if (!body->placement && !verify_grow(body))
        return body->status;
    const uint32_t count = body->placement->count;
    if (!base_known(body) || !verify_regions_settle(body))
        return body->status;
    if (!body->has_n && body->kind == VERIFY_SQUARES)
        verify_refuse(body, REFUSED_MISSING, "n", "is required with queens");
    else if (body->kind == VERIFY_DRAWN && body->has_n && body->n != body->drawn)
        verify_refuse(body, REFUSED_DISAGREES, "body", "has a board of %" PRIu32 " rows, but n is %" PRIu32,
                      body->drawn, body->n);
    else if (!body->has_n)
        body->n = body->kind == VERIFY_DRAWN ? body->drawn : count;
    if (body->status != NQ_OK)
        return body->status;
    if (body->n > VERIFY_MAX_N)
        verify_refuse(body, REFUSED_UPPER_LIMIT, "n", "must be at most %d", VERIFY_MAX_N);
    else if (columns_agree(body, count) && queens_fit(body, count))
        settle_queens(body);
    return body->status;
}
