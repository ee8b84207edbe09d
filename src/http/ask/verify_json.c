/* verify_json.c - a push parser for boards in JSON, whole or one object a line: one state, a few containers, one byte
 * at a time, so that the text may be cut anywhere. Members that it does not know are skipped: their brackets and
 * strings are matched, no more. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "http/ask/verify_json.h"
#include "http/ask/verify_members.h"
#include "http/ask/verify_regions.h"
#include "http/ask/verify_skip.h"

static void enter(struct verify_body *body, enum json_container container)
{
    body->json.containers[body->json.depth++] = container;
    body->json.state = is_list(container) ? STATE_FIRST_ITEM : STATE_FIRST_NAME;
    if (container == IN_QUEEN || container == IN_RANGE)
        body->json.seen_of_queen = 0;
    if (container == IN_SOLUTION)
        body->json.seen_of_solution = 0;
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
        verify_end_number(body);
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
        verify_end_rule(body);
    else if (c == '"')
        verify_end_name(body);
    else if (c == '\\')
        verify_refuse_here(body, "names must be written without escapes");
    else if (c < ' ' || c > '~')
        verify_unexpected(body, c, "a letter of a name");
    else if (json->length == VERIFY_NAME_MAX)
        json->long_name = true;
    else
        json->name[json->length++] = (char)c;
}

static void read_word(struct verify_body *body, unsigned char c)
{
    struct verify_json *json = &body->json;
    if (c != (unsigned char)json->word[json->length])
        verify_unexpected(body, c, json->word);
    else if (!json->word[++json->length])
        verify_end_word(body);
}

/* `end` is true; `apart` is true or false. */
static void begin_word(struct verify_body *body, unsigned char c)
{
    body->json.word = body->json.member == M_APART && c == 'f' ? "false" : "true";
    body->json.length = 0;
    body->json.state = STATE_IN_WORD;
    read_word(body, c);
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

/* A line of regions, or all of them: a slash and the ends of lines may be escaped. */
static void read_letters(struct verify_body *body, unsigned char c)
{
    static const char escapes[] = "/nr", meant[] = "/\n\r";
    struct verify_json *json = &body->json;
    const char *escape = json->escaped && c ? strchr(escapes, c) : NULL;
    if (json->escaped && !escape)
        verify_unexpected(body, c, "/, n or r after the backslash");
    else if (json->escaped)
        verify_regions_letter(body, (unsigned char)meant[escape - escapes]);
    else if (c == '"' && innermost(body) == IN_REGIONS)
        verify_regions_row(body, PAINTED_LETTERS);
    else if (c == '"')
        verify_end_regions(body);
    else if (c < ' ' || c > '~')
        verify_unexpected(body, c, "a letter");
    else if (c != '\\')
        verify_regions_letter(body, c);
    json->escaped = !json->escaped && c == '\\';
    if (c == '"')
        json->state = STATE_AFTER;
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

/* The others that are taken rather than a list that gives the queens: columns rather than the same board drawn. */
static uint32_t better(enum json_member member)
{
    const uint32_t listed = bit(M_PERMUTATION) | bit(M_QUEENS) | bit(M_CLUES);
    switch (member) {
    case M_BOARD: return listed;
    case M_STATES: return listed | bit(M_BOARD);
    case M_GRID: return listed | bit(M_BOARD) | bit(M_STATES);
    default: return 0;
    }
}

/* A list that gives the queens. */
static void begin_queens(struct verify_body *body, unsigned char c)
{
    const enum json_member member = body->json.member;
    const uint32_t seen = *verify_seen(body) & VERIFY_GIVERS;
    const bool again = seen != bit(member);
    if (seen & better(member)) {
        begin_skipped(body, c);
        return;
    }
    if (c != '[') {
        verify_unexpected(body, c, "[");
        return;
    }
    if (!again && innermost(body) == IN_BOARD)
        verify_solution(body);
    const bool drawn = member == M_BOARD || member == M_STATES || member == M_GRID;
    verify_kind(body, member == M_PERMUTATION ? VERIFY_COLUMNS : drawn ? VERIFY_DRAWN : VERIFY_SQUARES);
    enter(body, member == M_PERMUTATION ? IN_NUMBERS : drawn ? IN_DRAWING : IN_QUEENS);
}

/* The name of a member or of a rule. */
static void begin_string(struct verify_body *body, enum json_state state)
{
    body->json.length = 0;
    body->json.long_name = false;
    body->json.state = state;
}

static void begin_regions(struct verify_body *body, unsigned char c)
{
    verify_regions_begin(body);
    if (c == '[')
        enter(body, IN_REGIONS);
    else if (c == '"')
        body->json.state = STATE_IN_LETTERS;
    else
        verify_unexpected(body, c, "a string or [");
}

static void begin_value(struct verify_body *body, unsigned char c)
{
    switch (body->json.member) {
    case M_PERMUTATION:
    case M_QUEENS:
    case M_CLUES:
    case M_BOARD:
    case M_STATES:
    case M_GRID: begin_queens(body, c); break;
    case M_REGIONS: begin_regions(body, c); break;
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
    case M_APART: begin_word(body, c); break;
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

/* In states, 2 is a square without a queen, as 0 is. */
static void begin_square(struct verify_body *body, unsigned char c)
{
    const bool states = body->json.member == M_STATES;
    const bool known = c == '0' || c == '1' || (states && c == '2');
    body->json.state = STATE_AFTER;
    if (!known || !verify_square(body, c == '2' ? '0' : c))
        verify_unexpected(body, c, states ? "0, 1 or 2" : "0 or 1");
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
    case IN_DRAWN_ROW: begin_square(body, c); break;
    case IN_REGIONS:
        if (c == '"')
            json->state = STATE_IN_LETTERS;
        else if (c == '[')
            enter(body, IN_REGION_ROW);
        else
            verify_unexpected(body, c, "a row of regions");
        break;
    case IN_REGION_ROW: begin_number(body, c); break;
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
    case IN_SOLUTION:
    case IN_QUEEN:
    case IN_RANGE: verify_end_object(body); break;
    case IN_DRAWN_ROW: verify_row(body); break;
    case IN_DRAWING: verify_drawing(body); break;
    case IN_REGION_ROW: verify_regions_row(body, PAINTED_NUMBERS); break;
    case IN_REGIONS: verify_end_regions(body); break;
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
    case STATE_IN_LETTERS: read_letters(body, c); return;
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
