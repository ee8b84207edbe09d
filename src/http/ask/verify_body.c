/* verify_body.c - the forms of a body, what their readers share, and what the numbers of a body mean together. Members
 * and lines come in any order: what depends on several of them is checked at the end. */
#include "http/ask/verify_body.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/stop.h"
#include "engine/ask/query_values.h"
#include "engine/ask/rows.h"
#include "http/ask/verify_parts.h"
#include "rules/rule.h"

/* ---- What is wrong ---- */

static void drop(struct verify_body *body, enum nq_status status)
{
    body->status = status;
    placement_unref(body->placement);
    body->placement = NULL;
    body->capacity = 0;
}

void verify_refuse(struct verify_body *body, enum refusal why, const char *where, const char *reason, ...)
{
    va_list args;
    if (body->status != NQ_OK)
        return; /* the first reason is the one to tell */
    va_start(args, reason);
    validation_error_write(&body->error, why, where, reason, args);
    va_end(args);
    drop(body, refusals[why].policy ? NQ_LIMIT : NQ_INVALID);
}

/* With the first of these errors. */
static void refuse_as(struct verify_body *body, const struct validation_errors *errors)
{
    if (body->status != NQ_OK)
        return;
    body->error = errors->list[0];
    drop(body, NQ_INVALID);
}

void verify_give_up(struct verify_body *body, enum nq_status status)
{
    if (body->status == NQ_OK)
        drop(body, status);
}

#define AT "at byte %" PRIu64 ", line %" PRIu32 ", column %" PRIu32 ": "

/* Line and column of body->offset, counted from 1: a column is a character, not a byte of one. */
static void find_place(const struct verify_body *body, uint32_t *line, uint32_t *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < body->offset; i++) {
        const unsigned char c = (unsigned char)body->data[i];
        *line += c == '\n';
        *column = c == '\n' ? 1 : *column + ((c & 0xc0) != 0x80);
    }
}

void verify_refuse_here(struct verify_body *body, const char *what)
{
    uint32_t line, column;
    find_place(body, &line, &column);
    verify_refuse(body, REFUSED_MALFORMED, "body", AT "%s", (uint64_t)body->offset, line, column, what);
}

void verify_unexpected(struct verify_body *body, unsigned char c, const char *wanted)
{
    char seen[8];
    uint32_t line, column;
    (void)snprintf(seen, sizeof seen, c > ' ' && c <= '~' ? "%c" : "0x%02x", c);
    find_place(body, &line, &column);
    verify_refuse(body, REFUSED_MALFORMED, "body", AT "expected %s, found %s", (uint64_t)body->offset, line, column,
                  wanted, seen);
}

bool verify_goes_on(struct verify_body *body)
{
    if (body->status == NQ_OK && stop_wanted(body->asked->stop))
        verify_give_up(body, NQ_CANCELLED);
    return body->status == NQ_OK;
}

/* ---- Bytes and numbers ---- */

int verify_peek(struct verify_body *body)
{
    while (body->offset < body->size && body->data[body->offset] == '\r')
        body->offset++;
    return body->offset < body->size ? (unsigned char)body->data[body->offset] : '\n';
}

int verify_next(struct verify_body *body)
{
    const int c = verify_peek(body);
    body->offset += body->offset < body->size;
    return c;
}

uint32_t verify_digit(uint32_t number, int digit)
{
    enum { LARGE = 100000000 };
    return number >= LARGE ? UINT32_MAX : 10 * number + (uint32_t)(digit - '0');
}

bool verify_labelled(const char **text, const char *label, uint32_t *number)
{
    enum { DIGITS_MAX = 9 };
    const size_t size = strlen(label);
    if (strncmp(*text, label, size) != 0)
        return false;
    const char *at = *text + size;
    const size_t digits = strspn(at, "0123456789");
    if (digits == 0 || digits > DIGITS_MAX)
        return false;
    *number = (uint32_t)strtoul(at, NULL, 10);
    *text = at + digits;
    return true;
}

/* ---- Queens ---- */

/* Makes room for more; false: there is none, and it has failed. */
static bool grow(struct verify_body *body)
{
    enum { LEAST = 64 };
    const struct verify_asked *asked = body->asked;
    uint32_t capacity = body->capacity ? 2 * body->capacity : LEAST;
    if (capacity > VERIFY_MAX_N)
        capacity = VERIFY_MAX_N;
    if (capacity == body->capacity) {
        verify_refuse(body, REFUSED_LONG, "body", "must have at most %d queens", VERIFY_MAX_N);
        return false;
    }
    if (asked->hold && !asked->hold(asked->who, (capacity - body->capacity) * sizeof(struct queen))) {
        verify_give_up(body, NQ_BUSY);
        return false;
    }
    struct placement *placement = realloc(body->placement, sizeof *placement + capacity * sizeof placement->queens[0]);
    if (!placement) {
        verify_give_up(body, NQ_NOMEM);
        return false;
    }
    if (!body->placement) {
        atomic_init(&placement->references, 1);
        placement->count = 0;
    }
    body->placement = placement;
    body->capacity = capacity;
    return true;
}

uint32_t verify_count(const struct verify_body *body)
{
    return body->placement ? body->placement->count : 0;
}

void verify_queen(struct verify_body *body, uint32_t row, uint32_t column)
{
    if (!body->keep || body->status != NQ_OK || (verify_count(body) == body->capacity && !grow(body)))
        return;
    body->placement->queens[body->placement->count++] = (struct queen){row, column};
}

void verify_solution(struct verify_body *body)
{
    const uint32_t wanted = body->asked->wanted;
    body->keep = body->solutions == (wanted == VERIFY_ONLY ? 0 : wanted);
    body->solutions += body->solutions < UINT32_MAX;
}

void verify_kind(struct verify_body *body, enum verify_kind kind)
{
    if (!body->keep)
        return;
    if (body->placement)
        body->placement->count = 0;
    body->kind = kind;
}

/* ---- Drawn boards ---- */

static void add_square(struct verify_body *body, bool queen)
{
    if (queen)
        verify_queen(body, body->rows, body->squares);
    body->squares++;
}

bool verify_square(struct verify_body *body, unsigned char c)
{
    static const unsigned char queen[] = "\xe2\x99\x9b", empty[] = "\xc2\xb7";
    const unsigned at = body->sign & 3;
    const bool is_queen = body->sign & 4 || (at == 0 && c == queen[0]);
    const unsigned char *sign = is_queen ? queen : empty;
    if (at == 0 && c && strchr("Q.10", c)) {
        add_square(body, c == 'Q' || c == '1');
        return true;
    }
    if (c != sign[at])
        return false;
    if (sign[at + 1]) {
        body->sign = (is_queen ? 4 : 0) | (at + 1);
    } else {
        body->sign = 0;
        add_square(body, is_queen);
    }
    return true;
}

enum verify_row verify_row(struct verify_body *body)
{
    if (body->sign)
        return VERIFY_ROW_CUT;
    if (body->rows == 0)
        body->width = body->squares;
    else if (body->squares != body->width)
        return VERIFY_ROW_WIDTH;
    body->rows++;
    body->squares = 0;
    if (body->rows > VERIFY_MAX_N)
        verify_refuse(body, REFUSED_LONG, "body", "must have at most %d rows", VERIFY_MAX_N);
    return VERIFY_ROW;
}

void verify_drawing(struct verify_body *body)
{
    if (body->rows && body->rows != body->width)
        verify_refuse(body, REFUSED_DISAGREES, "body", "has a board of %" PRIu32 " rows of %" PRIu32 " squares",
                      body->rows, body->width);
    else if (body->keep)
        body->drawn = body->rows;
    body->rows = body->squares = 0;
}

/* ---- The board's size and rule ---- */

void verify_board(struct verify_body *body, uint32_t n, uint32_t base)
{
    body->n = n;
    body->base = base;
    body->has_n = true;
}

void verify_rule(struct verify_body *body, const char *name, size_t length)
{
    const size_t i = rule_find(name, length);
    if (!rules[i]) {
        struct validation_errors errors = {0};
        reject_choice(&errors, "rules", rule_name, NULL);
        refuse_as(body, &errors);
    } else if (body->ruled && body->rule != i) {
        verify_refuse(body, REFUSED_DISAGREES, "rules", "must be the same everywhere in the body");
    }
    body->ruled = true;
    body->rule = (uint32_t)i;
}

void verify_rule_after(struct verify_body *body, const char **text, const char *label)
{
    const size_t size = strlen(label);
    if (strncmp(*text, label, size) != 0)
        return;
    const char *name = *text + size;
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz-");
    verify_rule(body, name, length);
    *text = name + length;
}

/* ---- Regions. Whether they must be connected, and from which number rows count in a sentence, may come after them:
 * faults wait until the end ---- */

/* The first regions, or the same once more. */
static void take_regions(struct verify_body *body, const struct regions *regions, const struct regions_fault *fault)
{
    struct verify_regions *taken = &body->regions;
    if (body->status != NQ_OK)
        return;
    if (!taken->given) {
        taken->given = true;
        taken->regions = *regions;
        taken->fault = *fault;
    } else if (taken->fault.wrong == REGIONS_RIGHT) {
        taken->fault = *fault;
        if (fault->wrong == REGIONS_RIGHT &&
            (regions->n != taken->regions.n ||
             memcmp(regions->of, taken->regions.of, (size_t)regions->n * regions->n) != 0))
            verify_refuse(body, REFUSED_DISAGREES, "regions", "must be the same everywhere");
    }
}

void verify_regions_text(struct verify_body *body, const char *text, size_t size)
{
    struct regions regions = {0};
    struct regions_fault fault;
    if (size > PARAM_TEXT_MAX) {
        verify_refuse(body, REFUSED_LONG, "regions", "must have at most %d characters", PARAM_TEXT_MAX);
        return;
    }
    if (regions_read(text, size, true, &regions, &fault))
        fault.wrong = REGIONS_RIGHT;
    take_regions(body, &regions, &fault);
}

/* Whether they may be read as regions of any connection. */
static bool read_ids(uint32_t n, const uint32_t *lengths, const uint64_t *ids, struct regions *regions,
                     struct regions_fault *fault)
{
    *fault = (struct regions_fault){.wrong = REGIONS_SIZE, .number = n};
    if (n < REGIONS_MIN_N || n > REGIONS_MAX_N)
        return false;
    for (uint32_t row = 0; row < n; row++)
        if (lengths[row] != n) {
            *fault = (struct regions_fault){REGIONS_ROW, n, row, 0, lengths[row]};
            return false;
        }
    return regions_read_ids(n, ids, true, regions, fault);
}

void verify_regions_ids(struct verify_body *body, uint32_t n, const uint32_t *lengths, const uint64_t *ids)
{
    struct regions regions = {0};
    struct regions_fault fault;
    if (read_ids(n, lengths, ids, &regions, &fault))
        fault.wrong = REGIONS_RIGHT;
    take_regions(body, &regions, &fault);
}

void verify_regions_after(struct verify_body *body, const char **text, const char *label)
{
    const size_t length = strlen(label);
    if (strncmp(*text, label, length) != 0)
        return;
    const size_t size = strspn(*text + length, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/");
    verify_regions_text(body, *text + length, size);
    *text += length + size;
}

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
        refuse_as(body, &errors);
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
    if (!body->placement && !grow(body))
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
