/* verify_json.c - a push parser for boards in JSON, whole or one object a line: one state, a few containers, one byte
 * at a time, so that the text may be cut anywhere. Members that it does not know are skipped: their brackets and
 * strings are matched, no more. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "http/ask/verify_json.h"
#include "http/ask/verify_skip.h"

static const char *const names[] = {VERIFY_MEMBERS(NAME)};

static void enter(struct verify_body *body, enum json_container container)
{
    body->json.containers[body->json.depth++] = container;
    body->json.state = is_list(container) ? STATE_FIRST_ITEM : STATE_FIRST_NAME;
    if (container == IN_QUEEN || container == IN_RANGE)
        body->json.seen_of_queen = 0;
    if (container == IN_SOLUTION)
        body->json.seen_of_solution = 0;
}

/* The members of the innermost object. */
static uint32_t *seen_in(struct verify_body *body)
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
    const uint32_t board = bit(M_N) | bit(M_BASE) | bit(M_RULES) | bit(M_PERMUTATION) | bit(M_QUEENS) | bit(M_CLUES) |
                           bit(M_BOARD) | bit(M_ROWS);
    switch (innermost(body)) {
    case IN_QUEEN: return bit(M_ROW) | bit(M_COLUMN);
    case IN_RANGE: return bit(M_FIRST) | bit(M_LAST);
    case IN_SOLUTION: return board;
    default:
        return body->shape == VERIFY_LINES ? board | bit(M_ROW) | bit(M_COLUMN) | bit(M_END) | bit(M_RETURNED)
                                           : board | bit(M_SOLUTIONS);
    }
}

static void end_name(struct verify_body *body)
{
    struct verify_json *json = &body->json;
    const uint32_t both = bit(M_PERMUTATION) | bit(M_QUEENS);
    enum json_member member = M_N;
    json->name[json->length] = '\0';
    while (member < MEMBERS && (json->long_name || strcmp(names[member], json->name) != 0))
        member++;
    uint32_t *seen = seen_in(body);
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

static void end_rule(struct verify_body *body)
{
    struct verify_json *json = &body->json;
    if (!in_other(body))
        verify_rule(body, json->name, json->long_name ? 0 : json->length);
    json->state = STATE_AFTER;
}

static void end_number(struct verify_body *body)
{
    struct verify_json *json = &body->json;
    const bool other = in_other(body);
    json->state = STATE_AFTER;
    if (innermost(body) == IN_NUMBERS) {
        verify_queen(body, verify_count(body), body->number);
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

/* The members that give the queens. */
static const uint32_t givers = 1 << M_PERMUTATION | 1 << M_QUEENS | 1 << M_CLUES | 1 << M_BOARD;

static void end_line(struct verify_body *body)
{
    struct verify_json *json = &body->json;
    const uint32_t square = bit(M_ROW) | bit(M_COLUMN), end = bit(M_END) | bit(M_N), seen = json->seen;
    if ((seen & end) == end && !(seen & (square | givers))) {
        json->ended = true;
        return;
    }
    const bool is_square = (seen & square) == square && !(seen & (end | givers));
    const bool is_solution = seen & givers && !(seen & (square | bit(M_END)));
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
}

/* ---- Values ---- */

static void begin_number(struct verify_body *body, unsigned char c)
{
    if (c == '-')
        verify_refuse_here(body, "numbers must not be negative");
    else if (!verify_is_digit(c))
        verify_unexpected(body, c, "a number");
    body->number = (uint32_t)(c - '0');
    body->json.state = STATE_IN_NUMBER;
}

/* Whether the byte belongs to the number. */
static bool read_number(struct verify_body *body, unsigned char c)
{
    if (c == '.' || c == 'e' || c == 'E') {
        verify_refuse_here(body, "numbers must be whole, without fraction or exponent");
        return true;
    }
    if (!verify_is_digit(c)) {
        end_number(body);
        return false;
    }
    if (body->number == 0)
        verify_refuse_here(body, "numbers must not begin with 0");
    verify_digit(body, c);
    return true;
}

static void read_name(struct verify_body *body, unsigned char c)
{
    struct verify_json *json = &body->json;
    if (c == '"' && json->state == STATE_IN_RULE)
        end_rule(body);
    else if (c == '"')
        end_name(body);
    else if (c == '\\')
        verify_refuse_here(body, "names must be written without escapes");
    else if (c < ' ' || c > '~')
        verify_unexpected(body, c, "a letter of a name");
    else if (json->length == VERIFY_NAME_MAX)
        json->long_name = true;
    else
        json->name[json->length++] = (char)c;
}

/* `end` is true. */
static void read_word(struct verify_body *body, unsigned char c)
{
    static const char word[] = "true";
    if (c != (unsigned char)word[body->json.length])
        verify_unexpected(body, c, word);
    else if (!word[++body->json.length])
        body->json.state = STATE_AFTER;
}

/* A row of a board that is a string. */
static void read_row(struct verify_body *body, unsigned char c)
{
    if (c == '"') {
        verify_row(body);
        body->json.state = STATE_AFTER;
    } else if (!verify_square(body, c)) {
        verify_unexpected(body, c, "a square, Q or .");
    }
}

static void read_skipped(struct verify_body *body, unsigned char c)
{
    if (verify_skip(body, c))
        body->json.state = STATE_AFTER;
}

static void begin_skipped(struct verify_body *body, unsigned char c)
{
    body->json.state = STATE_IN_SKIPPED;
    if (c == ',' || c == '}' || c == ']')
        verify_unexpected(body, c, "a value");
    else
        read_skipped(body, c);
}

/* ---- Bytes between names and values ---- */

/* A list that gives the queens. Columns are taken rather than the same board drawn. */
static void begin_queens(struct verify_body *body, unsigned char c)
{
    const enum json_member member = body->json.member;
    const uint32_t seen = *seen_in(body) & givers;
    const bool again = seen != bit(member);
    if (member == M_BOARD && again) {
        begin_skipped(body, c);
        return;
    }
    if (c != '[') {
        verify_unexpected(body, c, "[");
        return;
    }
    if (!again && innermost(body) == IN_BOARD)
        verify_solution(body);
    verify_kind(body, member == M_PERMUTATION ? VERIFY_COLUMNS : member == M_BOARD ? VERIFY_DRAWN : VERIFY_SQUARES);
    enter(body, member == M_PERMUTATION ? IN_NUMBERS : member == M_BOARD ? IN_DRAWING : IN_QUEENS);
}

/* The name of a member or of a rule. */
static void begin_string(struct verify_body *body, enum json_state state)
{
    body->json.length = 0;
    body->json.long_name = false;
    body->json.state = state;
}

static void begin_value(struct verify_body *body, unsigned char c)
{
    switch (body->json.member) {
    case M_PERMUTATION:
    case M_QUEENS:
    case M_CLUES:
    case M_BOARD: begin_queens(body, c); break;
    case M_RULES:
        if (c != '"')
            verify_unexpected(body, c, "\"");
        begin_string(body, STATE_IN_RULE);
        break;
    case M_SOLUTIONS:
        if (c != '[')
            verify_unexpected(body, c, "[");
        enter(body, IN_LIST);
        break;
    case M_ROWS:
        if (c != '{')
            verify_unexpected(body, c, "{");
        enter(body, IN_RANGE);
        break;
    case M_END:
        body->json.length = 0;
        body->json.state = STATE_IN_WORD;
        read_word(body, c);
        break;
    case MEMBERS: begin_skipped(body, c); break;
    default: begin_number(body, c); break;
    }
}

/* The first item of an array that is the whole text: it is a list of solutions, a permutation or a board. */
static void begin_first(struct verify_body *body, unsigned char c)
{
    struct verify_json *json = &body->json;
    if (c == '{' || json->depth > 1)
        return;
    const bool columns = verify_is_digit(c);
    verify_solution(body);
    verify_kind(body, columns ? VERIFY_COLUMNS : VERIFY_DRAWN);
    json->containers[0] = columns ? IN_NUMBERS : IN_DRAWING;
}

static void begin_item(struct verify_body *body, unsigned char c)
{
    struct verify_json *json = &body->json;
    if (json->state == STATE_FIRST_ITEM && innermost(body) == IN_LIST)
        begin_first(body, c);
    switch (innermost(body)) {
    case IN_NUMBERS: begin_number(body, c); break;
    case IN_DRAWING:
        if (c == '"')
            json->state = STATE_IN_ROW;
        else if (c == '[')
            enter(body, IN_DRAWN_ROW);
        else
            verify_unexpected(body, c, "a row of the board");
        break;
    case IN_DRAWN_ROW:
        json->state = STATE_AFTER;
        if ((c != '0' && c != '1') || !verify_square(body, c))
            verify_unexpected(body, c, "0 or 1");
        break;
    case IN_LIST:
        if (c != '{')
            verify_unexpected(body, c, "{");
        verify_solution(body);
        enter(body, IN_SOLUTION);
        break;
    default:
        if (c != '{')
            verify_unexpected(body, c, "{");
        enter(body, IN_QUEEN);
        break;
    }
}

static void end_container(struct verify_body *body)
{
    struct verify_json *json = &body->json;
    switch (innermost(body)) {
    case IN_BOARD:
        if (body->shape == VERIFY_LINES)
            end_line(body);
        break;
    case IN_SOLUTION:
        if (!(json->seen_of_solution & givers))
            verify_refuse_here(body, "a solution must have permutation, queens or board");
        break;
    case IN_QUEEN: end_queen(body); break;
    case IN_RANGE: end_range(body); break;
    case IN_DRAWN_ROW: verify_row(body); break;
    case IN_DRAWING: verify_drawing(body); break;
    default: break;
    }
    json->depth--;
    json->state = json->depth ? STATE_AFTER : STATE_OVER;
}

static void read_after(struct verify_body *body, unsigned char c)
{
    const bool list = is_list(innermost(body));
    if (c == ',')
        body->json.state = list ? STATE_ITEM : STATE_NAME;
    else if (c == (list ? ']' : '}'))
        end_container(body);
    else
        verify_unexpected(body, c, list ? "a comma or ]" : "a comma or }");
}

static void begin_text(struct verify_body *body, unsigned char c)
{
    if (c == '[' && body->shape == VERIFY_JSON) {
        enter(body, IN_LIST);
    } else if (c != '{') {
        verify_unexpected(body, c, "{");
    } else if (body->json.ended) {
        verify_refuse_here(body, "there must be nothing after the end line");
    } else {
        body->json.seen = 0;
        enter(body, IN_BOARD);
    }
}

/* A line feed, where lines matter. */
static void read_line_feed(struct verify_body *body)
{
    if (body->json.state == STATE_OVER)
        body->json.state = STATE_START;
    else if (body->json.state != STATE_START)
        verify_refuse_here(body, "a line must contain a complete object");
    else if (!body->json.ended)
        verify_refuse_here(body, "a line must not be empty");
}

static void begin_name(struct verify_body *body, unsigned char c)
{
    const bool first = body->json.state == STATE_FIRST_NAME;
    begin_string(body, STATE_IN_NAME);
    if (first && c == '}')
        end_container(body);
    else if (c != '"')
        verify_unexpected(body, c, first ? "a name or }" : "a name");
}

/* A byte that is not part of a name, number, word, row or skipped value. */
static void read_mark(struct verify_body *body, unsigned char c)
{
    if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && body->shape == VERIFY_JSON))
        return;
    if (c == '\n') {
        read_line_feed(body);
        return;
    }
    switch (body->json.state) {
    case STATE_START: begin_text(body, c); break;
    case STATE_FIRST_NAME:
    case STATE_NAME: begin_name(body, c); break;
    case STATE_COLON:
        body->json.state = STATE_VALUE;
        if (c != ':')
            verify_unexpected(body, c, "a colon");
        break;
    case STATE_VALUE: begin_value(body, c); break;
    case STATE_FIRST_ITEM:
        if (c == ']')
            end_container(body);
        else
            begin_item(body, c);
        break;
    case STATE_ITEM: begin_item(body, c); break;
    case STATE_AFTER: read_after(body, c); break;
    default:
        verify_unexpected(body, c, body->shape == VERIFY_LINES ? "the end of the line" : "the end of the text");
        break;
    }
}

void verify_json_byte(struct verify_body *body, unsigned char c)
{
    switch (body->json.state) {
    case STATE_IN_NAME:
    case STATE_IN_RULE: read_name(body, c); return;
    case STATE_IN_WORD: read_word(body, c); return;
    case STATE_IN_ROW: read_row(body, c); return;
    case STATE_IN_SKIPPED:
        if (body->json.open || body->json.quoted || !strchr(",}]", c)) {
            read_skipped(body, c);
            return;
        }
        body->json.state = STATE_AFTER; /* a number or a word has ended */
        break;
    case STATE_IN_NUMBER:
        if (read_number(body, c) || body->status != NQ_OK)
            return;
        break;
    default: break;
    }
    read_mark(body, c);
}

bool verify_json_whole(struct verify_body *body)
{
    struct verify_json *json = &body->json;
    const bool lines = body->shape == VERIFY_LINES;
    if (json->state != STATE_OVER && !(lines && json->state == STATE_START)) {
        verify_refuse_here(body, "the text ends too early");
    } else if (lines && !json->ended && (body->solutions == 0 || body->kind == VERIFY_SQUARES)) {
        verify_refuse_here(body, "the text ends without an end line, {\"end\":true,\"n\":...}, as if it had been cut");
    } else if (lines && json->seen & bit(M_RETURNED) && json->returned != json->lines) {
        verify_refuse(body, REFUSED_DISAGREES, "returned", "is %" PRIu32 ", but %" PRIu32 " lines came before it",
                      json->returned, json->lines);
    } else if (lines && body->solutions == 0) { /* no queens on a board of n */
        verify_solution(body);
        verify_kind(body, VERIFY_SQUARES);
    }
    return body->status == NQ_OK;
}
