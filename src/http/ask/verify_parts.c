/* verify_parts.c - what is wrong with a body and where, its queens, drawn boards and regions, whichever reader finds
 * them. */
#include "http/ask/verify_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/stop.h"
#include "rules/rule.h"

/* ---- What is wrong ---- */

static void drop(struct verify_body *body, enum nq_status status)
{
    body->status = status;
    placement_unref(body->placement);
    free(body->crosses.squares);
    free(body->walls.squares);
    body->placement = NULL;
    body->capacity = 0;
    body->crosses = body->walls = (struct verify_squares){0};
}

void verify_refuse_with(struct verify_body *body, enum refusal why, const char *where,
                        const struct refusal_member *members, const char *reason, ...)
{
    va_list args;
    if (body->status != NQ_OK)
        return; /* the first reason is the one to tell */
    va_start(args, reason);
    validation_error_write(&body->error, why, where, members, reason, args);
    va_end(args);
    drop(body, refusals[why].policy ? NQ_LIMIT : NQ_INVALID);
}

void verify_refuse_as(struct verify_body *body, const struct validation_errors *errors)
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

#define HERE MEMBERS(NUMBER(body->offset), NUMBER(line), NUMBER(column))
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
    verify_refuse_with(body, REFUSED_MALFORMED, "body", HERE, AT "%s", (uint64_t)body->offset, line, column, what);
}

void verify_unexpected(struct verify_body *body, unsigned char c, const char *wanted)
{
    char seen[8];
    uint32_t line, column;
    (void)snprintf(seen, sizeof seen, c > ' ' && c <= '~' ? "%c" : "0x%02x", c);
    find_place(body, &line, &column);
    verify_refuse_with(body, REFUSED_MALFORMED, "body", HERE, AT "expected %s, found %s", (uint64_t)body->offset, line,
                       column, wanted, seen);
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

/* The next capacity of a list of squares, which is counted already; 0: there is no room, and it has failed. */
static uint32_t next_capacity(struct verify_body *body, uint32_t capacity, uint32_t more)
{
    enum { LEAST = 64 };
    const struct verify_asked *asked = body->asked;
    uint32_t next = more ? capacity + more : capacity ? 2 * capacity : LEAST;
    if (!more && next > VERIFY_MAX_N)
        next = VERIFY_MAX_N;
    if (next == capacity) {
        verify_refuse_with(body, REFUSED_LONG, "body", MEMBERS(NUMBER(VERIFY_MAX_N)), "must have at most %d queens",
                           VERIFY_MAX_N);
        return 0;
    }
    if (asked->hold && !asked->hold(asked->who, (next - capacity) * sizeof(struct queen))) {
        verify_give_up(body, NQ_BUSY);
        return 0;
    }
    return next;
}

bool verify_grow(struct verify_body *body, uint32_t more)
{
    const uint32_t capacity = next_capacity(body, body->capacity, more);
    if (!capacity)
        return false;
    struct placement *placement = realloc(body->placement, sizeof *placement + capacity * sizeof placement->queens[0]);
    if (!placement) {
        verify_give_up(body, NQ_NOMEM);
        return false;
    }
    if (!body->placement) {
        atomic_init(&placement->references, 1);
        placement->count = placement->crossed = 0;
    }
    body->placement = placement;
    body->capacity = capacity;
    return true;
}

static bool grow_squares(struct verify_body *body, struct verify_squares *list)
{
    const uint32_t capacity = next_capacity(body, list->capacity, 0);
    struct queen *squares = capacity ? realloc(list->squares, capacity * sizeof *squares) : NULL;
    if (!squares) {
        verify_give_up(body, NQ_NOMEM);
        return false;
    }
    list->squares = squares;
    list->capacity = capacity;
    return true;
}

/* Beyond VERIFY_MAX_N they are dropped: no picture and no parameter has so many. */
static void list_square(struct verify_body *body, struct verify_squares *list, uint32_t row, uint32_t column)
{
    if (body->status != NQ_OK || list->count == VERIFY_MAX_N ||
        (list->count == list->capacity && !grow_squares(body, list)))
        return;
    list->squares[list->count++] = (struct queen){row, column};
}

void verify_cross(struct verify_body *body, bool drawn, uint32_t row, uint32_t column)
{
    struct verify_squares *crosses = &body->crosses;
    if ((drawn && !body->keep) || body->status != NQ_OK)
        return;
    if (crosses->count && crosses->drawn != drawn) {
        verify_refuse(body, REFUSED_SYNTAX, "exclude", "must not be given beside crosses of a drawn board");
        return;
    }
    crosses->drawn = drawn;
    list_square(body, crosses, row, column);
}

void verify_wall(struct verify_body *body, uint32_t row, uint32_t column)
{
    list_square(body, &body->walls, row, column);
}

bool verify_is_range(const char *text)
{
    const size_t first = strspn(text, "0123456789");
    const size_t last = text[first] == '-' ? strspn(text + first + 1, "0123456789") : 0;
    return strcmp(text, "any") == 0 ||
           (first && last && !text[first + 1 + last] && first + 1 + last <= VERIFY_RANGE_MAX);
}

uint32_t verify_count(const struct verify_body *body)
{
    return body->placement ? body->placement->count : 0;
}

void verify_queen(struct verify_body *body, uint32_t row, uint32_t column)
{
    if (!body->keep || body->status != NQ_OK || (verify_count(body) == body->capacity && !verify_grow(body, 0)))
        return;
    body->placement->queens[body->placement->count++] = (struct queen){row, column};
    body->listed = row + 1;
}

void verify_gap(struct verify_body *body, uint32_t row)
{
    if (body->keep)
        body->listed = row + 1;
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
    if (body->crosses.drawn)
        body->crosses.count = 0;
    body->kind = kind;
    body->listed = 0;
}

/* ---- Drawn boards ---- */

uint32_t verify_sign(const char *text, size_t size, size_t *at)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text + *at;
    const size_t left = size - *at;
    const size_t more = bytes[0] < 0x80       ? 0
                        : bytes[0] >> 5 == 6  ? 1
                        : bytes[0] >> 4 == 14 ? 2
                        : bytes[0] >> 3 == 30 ? 3
                                              : 4;
    uint32_t code = more == 0 ? bytes[0] : bytes[0] & (0x3fU >> more);
    (*at)++;
    if (more >= left || more > 3)
        return VERIFY_BROKEN;
    for (size_t i = 1; i <= more; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return VERIFY_BROKEN;
        code = code << 6 | (bytes[i] & 0x3f);
    }
    if (code < least[more])
        return VERIFY_BROKEN;
    *at += more;
    return code;
}

bool verify_square(struct verify_body *body, uint32_t code)
{
    enum { BLACK_QUEEN = 0x265b, MIDDLE_DOT = 0xb7 };                                  /* board=unicode */
    enum { CIRCLE = 0x25cf, LEFT_AND_LOWER = 0x1fb7c, LEFT = 0x258f, LOWER = 0x2581 }; /* petscii */
    switch (code) {
    case 'Q':
    case '1':
    case BLACK_QUEEN:
    case CIRCLE: verify_queen(body, body->rows, body->squares++); return true;
    case '.':
    case '0':
    case MIDDLE_DOT:
    case LEFT_AND_LOWER: body->squares++; return true;
    case LEFT: return true; /* the end of a row */
    case LOWER: body->edge = true; return true;
    default: return false;
    }
}

enum verify_row verify_row(struct verify_body *body)
{
    const bool edge = body->edge && !body->squares;
    body->edge = false;
    if (edge)
        return VERIFY_ROW_EDGE;
    if (body->rows == 0)
        body->width = body->squares;
    else if (body->squares != body->width)
        return VERIFY_ROW_WIDTH;
    body->rows++;
    body->squares = 0;
    if (body->rows > VERIFY_MAX_N)
        verify_refuse_with(body, REFUSED_LONG, "body", MEMBERS(NUMBER(VERIFY_MAX_N)), "must have at most %d rows",
                           VERIFY_MAX_N);
    return VERIFY_ROW;
}

uint32_t verify_rows(const struct verify_body *body, uint32_t width)
{
    return body->has_m ? body->m : body->asked->m ? body->asked->m : width;
}

void verify_drawing(struct verify_body *body)
{
    const bool odd = body->rows && body->rows != verify_rows(body, body->width);
    if (odd && !body->later) {
        verify_refuse_with(body, REFUSED_DISAGREES, "body", MEMBERS(NUMBER(body->rows), NUMBER(body->width)),
                           "has a board of %" PRIu32 " rows of %" PRIu32 " squares", body->rows, body->width);
    } else if (odd && !body->odd_rows) {
        body->odd_rows = body->rows;
        body->odd_width = body->width;
    }
    if (body->status == NQ_OK && body->keep) {
        body->drawn = body->rows;
        body->drawn_width = body->width;
    }
    body->rows = body->squares = 0;
}

/* ---- The board's size and rule ---- */

void verify_board(struct verify_body *body, uint32_t n, uint32_t base)
{
    body->n = n;
    body->base = base;
    body->has_n = body->has_base = true;
}

void verify_rule(struct verify_body *body, const char *name, size_t length)
{
    const size_t i = rule_find(name, length);
    if (!rules[i]) {
        struct validation_errors errors = {0};
        reject_choice(&errors, "rules", rule_name, NULL);
        verify_refuse_as(body, &errors);
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

/* ---- Regions: faults wait until the end ---- */

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
    if (size > PARAM_BOARD_MAX) {
        verify_refuse_with(body, REFUSED_LONG, "regions", MEMBERS(NUMBER(PARAM_BOARD_MAX)),
                           "must have at most %d characters", PARAM_BOARD_MAX);
        return;
    }
    if (regions_read(text, size, true, &regions, &fault))
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
