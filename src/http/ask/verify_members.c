/* verify_members.c - what the members of a board in JSON mean, once their names and values are read. It knows no bytes.
 */
#include "http/ask/verify_members.h"

#include <inttypes.h>
#include <string.h>

#include "http/ask/verify_regions.h"

static const char *const names[] = {VERIFY_MEMBERS(NAME)};

/* The members of the innermost object. */
uint32_t *verify_seen(struct verify_body *body)
{
    switch (innermost(body)) {
    case IN_QUEEN:
    case IN_RANGE: return &body->json.seen_of_queen;
    case IN_SOLUTION: return &body->json.seen_of_solution;
    default: return &body->json.seen;
    }
}

/* ---- The end of a member, a queen or a line ---- */

static uint32_t members_of(const struct verify_body *body)
{
    const uint32_t board =
        bit(M_N) | bit(M_BASE) | bit(M_RULES) | bit(M_REGIONS) | bit(M_APART) | bit(M_ROWS) | VERIFY_GIVERS;
    switch (innermost(body)) {
    case IN_QUEEN: return bit(M_ROW) | bit(M_COLUMN);
    case IN_RANGE: return bit(M_FIRST) | bit(M_LAST);
    case IN_SOLUTION: return board;
    default:
        return body->shape == VERIFY_LINES ? board | bit(M_ROW) | bit(M_COLUMN) | bit(M_END) | bit(M_RETURNED)
                                           : board | bit(M_SOLUTIONS);
    }
}

void verify_end_name(struct verify_body *body)
{
    struct verify_json *json = &body->json;
    const uint32_t both = bit(M_PERMUTATION) | bit(M_QUEENS);
    enum json_member member = M_N;
    json->name[json->length] = '\0';
    while (member < MEMBERS && (json->long_name || strcmp(names[member], json->name) != 0))
        member++;
    uint32_t *seen = verify_seen(body);
    json->member = member;
    json->state = STATE_COLON;
    if (member == MEMBERS || !(members_of(body) & bit(member))) {
        json->member = MEMBERS;
    } else if (*seen & bit(member)) {
        verify_refuse(body, REFUSED_MALFORMED, "body", "at byte %" PRIu64 ": the member \"%s\" is given twice",
                      body->offset, json->name);
    } else {
        *seen |= bit(member);
        if ((*seen & both) == both)
            verify_refuse_here(body, "there must be either permutation or queens, not both");
    }
}

/* In a solution that is not wanted. */
static bool in_other(const struct verify_body *body)
{
    return innermost(body) == IN_SOLUTION && !body->keep;
}

void verify_end_rule(struct verify_body *body)
{
    struct verify_json *json = &body->json;
    if (!in_other(body))
        verify_rule(body, json->name, json->long_name ? 0 : json->length);
    json->state = STATE_AFTER;
}

void verify_end_number(struct verify_body *body)
{
    struct verify_json *json = &body->json;
    const bool other = in_other(body);
    json->state = STATE_AFTER;
    if (innermost(body) == IN_NUMBERS) {
        verify_queen(body, verify_count(body), body->number);
        return;
    }
    if (innermost(body) == IN_REGION_ROW) {
        verify_regions_id(body);
        return;
    }
    switch (json->member) {
    case M_N:
        body->n = other ? body->n : body->number;
        body->has_n |= !other;
        break;
    case M_BASE: body->base = other ? body->base : body->number; break;
    case M_ROW: body->row = body->number; break;
    case M_COLUMN: body->column = body->number; break;
    case M_FIRST: body->first = body->number; break;
    case M_LAST: body->last = body->number; break;
    default: json->returned = body->number; break;
    }
}

void verify_end_word(struct verify_body *body)
{
    if (body->json.member == M_APART && !in_other(body))
        body->regions.apart |= body->json.word[0] == 't';
    body->json.state = STATE_AFTER;
}

/* Those of a line count when it is known what the line is. */
void verify_end_regions(struct verify_body *body)
{
    body->json.painted = body->shape == VERIFY_LINES;
    if (body->shape != VERIFY_LINES && !in_other(body))
        verify_regions_take(body);
}

static void end_queen(struct verify_body *body)
{
    if (body->json.seen_of_queen == (bit(M_ROW) | bit(M_COLUMN)))
        verify_queen(body, body->row, body->column);
    else
        verify_refuse_here(body, "a queen must have row and column");
}

static void end_range(struct verify_body *body)
{
    if (body->json.seen_of_queen == (bit(M_FIRST) | bit(M_LAST)))
        body->part = true;
    else
        verify_refuse_here(body, "rows must have first and last");
}

/* The regions of a line, if it has some. */
static void take_painted(struct verify_body *body, bool wanted)
{
    if (body->json.painted && wanted)
        verify_regions_take(body);
    body->json.painted = false;
}

static void end_line(struct verify_body *body)
{
    struct verify_json *json = &body->json;
    const uint32_t square = bit(M_ROW) | bit(M_COLUMN), end = bit(M_END) | bit(M_N), seen = json->seen;
    if ((seen & end) == end && !(seen & (square | VERIFY_GIVERS))) {
        json->ended = true;
        take_painted(body, true);
        return;
    }
    const bool is_square = (seen & square) == square && !(seen & (end | VERIFY_GIVERS));
    const bool is_solution = seen & VERIFY_GIVERS && !(seen & (square | bit(M_END)));
    if (json->lines == 0)
        json->squares = is_square;
    if (!(json->squares ? is_square : is_solution))
        verify_refuse_here(body, "a line must have row and column, or end and n, or all lines a solution");
    if (json->squares && json->lines == 0) {
        verify_solution(body);
        verify_kind(body, VERIFY_SQUARES);
    }
    json->lines++;
    if (json->squares)
        verify_queen(body, body->row, body->column);
    take_painted(body, body->keep);
}

void verify_end_object(struct verify_body *body)
{
    switch (innermost(body)) {
    case IN_BOARD:
        if (body->shape == VERIFY_LINES)
            end_line(body);
        break;
    case IN_SOLUTION:
        if (!(body->json.seen_of_solution & VERIFY_GIVERS))
            verify_refuse_here(body, "a solution must have permutation, queens, board or states");
        break;
    case IN_QUEEN: end_queen(body); break;
    default: end_range(body); break;
    }
}
