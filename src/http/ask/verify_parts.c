/* verify_parts.c - the queens of a body, whichever parser reads them, and drawn boards. */
#include "http/ask/verify_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "rules/rule.h"

/* ---- Failing ---- */

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

void verify_fail(struct verify_body *body, const struct validation_errors *errors)
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

void verify_refuse_here(struct verify_body *body, const char *what)
{
    verify_refuse(body, REFUSED_MALFORMED, "body", "at byte %" PRIu64 ": %s", body->offset, what);
}

void verify_unexpected(struct verify_body *body, unsigned char c, const char *wanted)
{
    char seen[8];
    (void)snprintf(seen, sizeof seen, c > ' ' && c <= '~' ? "%c" : "0x%02x", c);
    verify_refuse(body, REFUSED_MALFORMED, "body", "at byte %" PRIu64 ": expected %s, found %s", body->offset, wanted,
                  seen);
}

/* ---- Queens ---- */

bool verify_grow(struct verify_body *body)
{
    enum { LEAST = 64 };
    uint32_t capacity = body->capacity ? 2 * body->capacity : LEAST;
    if (capacity > VERIFY_MAX_N)
        capacity = VERIFY_MAX_N;
    if (capacity == body->capacity) {
        verify_refuse(body, REFUSED_LONG, "body", "must have at most %d queens", VERIFY_MAX_N);
        return false;
    }
    if (body->hold && !body->hold(body->who, (capacity - body->capacity) * sizeof(struct queen))) {
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

void verify_drop(struct verify_body *body, uint32_t count)
{
    if (body->keep && body->placement)
        body->placement->count = count;
}

void verify_queen(struct verify_body *body, uint32_t row, uint32_t column)
{
    if (!body->keep || body->status != NQ_OK || (verify_count(body) == body->capacity && !verify_grow(body)))
        return;
    body->placement->queens[body->placement->count++] = (struct queen){row, column};
}

void verify_solution(struct verify_body *body)
{
    body->keep = body->solutions == (body->wanted == VERIFY_ONLY ? 0 : body->wanted);
    body->solutions += body->solutions < UINT32_MAX;
}

void verify_kind(struct verify_body *body, enum verify_kind kind)
{
    verify_drop(body, 0);
    if (body->keep)
        body->kind = kind;
}

void verify_board(struct verify_body *body, uint32_t n, uint32_t base)
{
    body->n = n;
    body->base = base;
    body->has_n = true;
}

/* ---- Rules ---- */

static void refuse_rule(struct verify_body *body)
{
    struct validation_errors errors = {0};
    reject_choice(&errors, "rules", rule_name, NULL);
    verify_fail(body, &errors);
}

void verify_rule(struct verify_body *body, const char *name, size_t length)
{
    const size_t i = rule_find(name, length);
    if (!rules[i])
        refuse_rule(body);
    else if (body->ruled && body->rule != i)
        verify_refuse(body, REFUSED_DISAGREES, "rules", "must be the same everywhere in the body");
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

void verify_row(struct verify_body *body)
{
    if (body->sign)
        verify_refuse_here(body, "a square ends within its sign");
    else if (body->rows == 0)
        body->width = body->squares;
    else if (body->squares != body->width)
        verify_refuse_here(body, "a row of the board has another number of squares than the first");
    body->rows++;
    body->squares = 0;
    if (body->rows > VERIFY_MAX_N)
        verify_refuse(body, REFUSED_LONG, "body", "must have at most %d rows", VERIFY_MAX_N);
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

/* ---- Numbers ---- */

void verify_digit(struct verify_body *body, unsigned char c)
{
    enum { LARGE = 100000000 };
    body->number = body->number >= LARGE ? UINT32_MAX : 10 * body->number + (uint32_t)(c - '0');
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
