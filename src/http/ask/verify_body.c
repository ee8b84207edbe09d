/* verify_body.c - the forms of a body, and what the numbers of one mean together. Members and lines come in any order:
 * what depends on several of them is checked at the end. */
#include "http/ask/verify_body.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/ask/query_values.h"
#include "engine/ask/rows.h"

/* ---- Regions: whether they must be connected may come after them ---- */

static bool connected(const struct regions *regions, struct regions_fault *fault)
{
    uint64_t ids[REGIONS_MAX_SQUARES];
    struct regions again;
    for (uint32_t square = 0; square < regions->n * regions->n; square++)
        ids[square] = regions->of[square];
    return regions_read_ids(regions->n, ids, false, &again, fault);
}

/* Makes body->regions those of the body or of the parameter, which must be the same. False: they are no board, or not
 * of n rows; and it has failed. */
static bool settle_regions(struct verify_body *body)
{
    struct verify_regions *taken = &body->regions;
    const char *parameter = body->asked->regions;
    if (parameter)
        verify_regions_text(body, parameter, strlen(parameter));
    if (body->status != NQ_OK || !taken->given)
        return body->status == NQ_OK;
    if (taken->fault.wrong != REGIONS_RIGHT || (!taken->apart && !connected(&taken->regions, &taken->fault))) {
        struct validation_errors errors = {0};
        reject_regions(&errors, "regions", &taken->fault, body->base);
        verify_refuse_as(body, &errors);
    } else if (body->has_n && body->n != taken->regions.n) {
        verify_refuse(body, REFUSED_DISAGREES, "n", "is %" PRIu32 ", but regions has %" PRIu32 " rows; leave n out",
                      body->n, taken->regions.n);
    }
    body->n = taken->regions.n;
    body->has_n = true;
    return body->status == NQ_OK;
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
    if (body->line && body->kind == VERIFY_SQUARES)
        (void)snprintf(where, sizeof where, "%s of line %" PRIu32, member, index + body->line);
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
    const uint32_t count = body->solutions, wanted = body->asked->wanted;
    if (count == 0)
        verify_refuse(body, REFUSED_NO_QUEENS, "body", "has no queens");
    else if (wanted == VERIFY_ONLY && count > 1)
        verify_refuse(body, REFUSED_SEVERAL, "body",
                      "has %" PRIu32 " solutions, and one is checked: choose it with index=0 to index=%" PRIu32, count,
                      count - 1);
    else if (wanted != VERIFY_ONLY && wanted >= count)
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

static void settle(struct verify_body *body)
{
    if (body->status != NQ_OK || !one_solution(body))
        return;
    body->keep = true;
    if (!body->placement && !verify_grow(body))
        return;
    const uint32_t count = body->placement->count;
    if (!base_known(body) || !settle_regions(body))
        return;
    if (!body->has_n && body->kind == VERIFY_SQUARES)
        verify_refuse(body, REFUSED_MISSING, "n", "is required with queens");
    else if (body->kind == VERIFY_DRAWN && body->has_n && body->n != body->drawn)
        verify_refuse(body, REFUSED_DISAGREES, "body", "has a board of %" PRIu32 " rows, but n is %" PRIu32,
                      body->drawn, body->n);
    else if (!body->has_n)
        body->n = body->kind == VERIFY_DRAWN ? body->drawn : count;
    if (body->status != NQ_OK)
        return;
    if (body->n > VERIFY_MAX_N)
        verify_refuse(body, REFUSED_UPPER_LIMIT, "n", "must be at most %d", VERIFY_MAX_N);
    else if (columns_agree(body, count) && queens_fit(body, count))
        settle_queens(body);
}

/* ---- Forms ---- */

static void read_octets(struct verify_body *body)
{
    enum { OCTETS = 4 };
    verify_solution(body);
    verify_kind(body, VERIFY_COLUMNS);
    for (; body->offset + OCTETS <= body->size && verify_goes_on(body); body->offset += OCTETS) {
        const unsigned char *at = (const unsigned char *)body->data + body->offset;
        verify_queen(body, verify_count(body),
                     at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);
    }
    body->offset = body->size;
    if (body->size % OCTETS)
        verify_refuse_here(body, "the octets end within a column, which has four");
}

enum { TEXT_MOST = 16 << 20, OCTETS_MOST = 64 << 20 };

const struct verify_form verify_forms[] = {
    {.media_type = "application/json", .most = TEXT_MOST, .read = verify_read_json},
    {.media_type = "application/x-ndjson", .most = TEXT_MOST, .read = verify_read_lines},
    {.media_type = "text/plain", .most = TEXT_MOST, .read = verify_read_text},
    {.media_type = "text/csv", .most = TEXT_MOST, .read = verify_read_csv},
    {.media_type = "application/octet-stream", .most = OCTETS_MOST, .unsized = true, .read = read_octets},
    {0},
};

enum nq_status verify_body_read(struct verify_body *body, const struct verify_form *form,
                                const struct verify_asked *asked, const char *data, size_t size)
{
    *body = (struct verify_body){
        .status = NQ_OK, .base = 1, .form = form, .asked = asked, .data = data ? data : "", .size = size};
    body->regions.apart = asked->apart;
    if (form->unsized) {
        verify_board(body, asked->n, asked->base);
        body->has_n = asked->has_n;
    }
    form->read(body);
    settle(body);
    body->asked = NULL;
    body->data = NULL;
    return body->status;
}

void verify_body_free(struct verify_body *body)
{
    placement_unref(body->placement);
    body->placement = NULL;
}
