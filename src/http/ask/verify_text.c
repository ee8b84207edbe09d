/* verify_text.c - a push parser for boards as text: "n = 8, base = 1", columns in one line or boards that are drawn,
 * and READY. It keeps no line. What the first digits of one are, a column, the number of a solution or the beginning of
 * a row that is drawn, is seen behind them. */
#include <string.h>

#include "http/ask/verify_regions.h"
#include "http/ask/verify_text.h"

enum state {
    STATE_LINE,    /* nothing of the line yet but blanks */
    STATE_MAYBE,   /* 0 and 1 only, at its beginning */
    STATE_FIRST,   /* the first number */
    STATE_SECOND,  /* behind it */
    STATE_COLUMNS, /* behind a column, or behind > */
    STATE_COLUMN,  /* in one */
    STATE_DRAWN,   /* in a row of a board */
    STATE_RULE,    /* the line below a board */
    STATE_WORDS,
};

/* No column has more digits. */
enum { DIGITS_MAX = 7 };

/* ---- Lines ---- */

/* A row is drawn: of a new board, or of the one under way. */
static void begin_row(struct verify_body *body)
{
    if (body->lines.listed) {
        body->keep = false; /* its columns have come */
    } else if (body->rows == 0) {
        verify_solution(body);
        verify_kind(body, VERIFY_DRAWN);
    }
    body->lines.state = STATE_DRAWN;
}

static void end_row(struct verify_body *body)
{
    verify_row(body);
    if (body->status == NQ_OK && body->rows >= body->width) {
        verify_drawing(body);
        body->lines.listed = false;
    }
}

static void begin_columns(struct verify_body *body)
{
    if (body->rows)
        verify_refuse_here(body, "the board before has too few rows");
    verify_solution(body);
    verify_kind(body, VERIFY_COLUMNS);
    body->lines.listed = false;
    body->lines.state = STATE_COLUMNS;
}

static void end_column(struct verify_body *body)
{
    verify_queen(body, verify_count(body), body->number);
    body->lines.state = STATE_COLUMNS;
}

/* The first number was a column. */
static void end_first(struct verify_body *body)
{
    begin_columns(body);
    end_column(body);
}

/* "n = 8, base = 1, rules = toroidal, rows 2 to 3", perhaps with ", regions = aab/...", "next: ..." or "READY." */
static void end_words(struct verify_body *body)
{
    struct verify_lines *lines = &body->lines;
    const char *text = lines->head;
    uint32_t n, base;
    lines->head[lines->length < VERIFY_HEAD_MAX ? lines->length : VERIFY_HEAD_MAX] = '\0';
    if (strcmp(lines->head, "READY.") == 0) {
        lines->ready = true;
    } else if (!lines->headed && body->solutions == 0 && verify_labelled(&text, "n = ", &n) &&
               verify_labelled(&text, ", base = ", &base)) {
        lines->headed = true;
        verify_rule_after(body, &text, ", rules = ");
        verify_regions_after(body, &text, ", regions = ");
        body->part = verify_labelled(&text, ", rows ", &body->first) && verify_labelled(&text, " to ", &body->last);
        verify_board(body, n, base);
    } else if (strncmp(lines->head, "next: ", 6) != 0) {
        verify_refuse_here(body, "a line must be n = N, base = B; columns; a row of a board; next: or READY.");
    }
}

/* The digits that were kept are a row. */
static void end_maybe(struct verify_body *body)
{
    struct verify_lines *lines = &body->lines;
    begin_row(body);
    for (uint32_t i = 0; i < lines->length && body->status == NQ_OK; i++)
        (void)verify_square(body, (unsigned char)lines->head[i]);
}

static void end_line(struct verify_body *body)
{
    switch (body->lines.state) {
    case STATE_MAYBE:
        end_maybe(body);
        end_row(body);
        break;
    case STATE_FIRST:
    case STATE_SECOND: end_first(body); break;
    case STATE_COLUMN: end_column(body); break;
    case STATE_DRAWN: end_row(body); break;
    case STATE_WORDS: end_words(body); break;
    default: break;
    }
    body->lines.state = STATE_LINE;
    body->lines.length = 0;
}

/* ---- Byte by byte ---- */

static void begin_number(struct verify_body *body, unsigned char c, enum state state)
{
    body->number = 0;
    verify_digit(body, c);
    body->lines.state = state;
}

static void keep_byte(struct verify_body *body, unsigned char c)
{
    if (body->lines.length < VERIFY_HEAD_MAX)
        body->lines.head[body->lines.length] = (char)c;
    body->lines.length++;
}

static void begin_line(struct verify_body *body, unsigned char c, bool indented)
{
    struct verify_lines *lines = &body->lines;
    if (c == '>') {
        begin_columns(body);
        lines->listed = true;
    } else if (!indented && (c == '0' || c == '1')) {
        lines->state = STATE_MAYBE;
        keep_byte(body, c);
    } else if (verify_is_digit(c)) {
        begin_number(body, c, STATE_FIRST);
    } else if (c == 'n' || c == 'R') {
        lines->state = STATE_WORDS;
        keep_byte(body, c);
    } else if (c == '-') {
        lines->state = STATE_RULE;
    } else {
        begin_row(body);
        if (body->status == NQ_OK && !verify_square(body, c))
            verify_unexpected(body, c, "a number or a square");
    }
}

static void read_maybe(struct verify_body *body, unsigned char c)
{
    struct verify_lines *lines = &body->lines;
    if ((c == '0' || c == '1') && lines->length < DIGITS_MAX) {
        keep_byte(body, c);
    } else if (c == '0' || c == '1') {
        end_maybe(body);
        if (body->status == NQ_OK)
            (void)verify_square(body, c);
    } else {
        body->number = 0;
        for (uint32_t i = 0; i < lines->length; i++)
            verify_digit(body, (unsigned char)lines->head[i]);
        lines->length = 0;
        lines->state = STATE_FIRST;
        verify_text_byte(body, c);
    }
}

static void read_number(struct verify_body *body, unsigned char c)
{
    const bool first = body->lines.state == STATE_FIRST;
    if (verify_is_digit(c)) {
        verify_digit(body, c);
        return;
    }
    if (first)
        body->lines.state = STATE_SECOND;
    else
        end_column(body);
    if (c != ' ' && c != '\t')
        verify_unexpected(body, c, "a blank or the end of the line");
}

static void read_blanks(struct verify_body *body, unsigned char c)
{
    const bool second = body->lines.state == STATE_SECOND;
    if (c == ' ' || c == '\t')
        return;
    if (second && c == '>') {
        begin_columns(body);
        body->lines.listed = true;
        return;
    }
    if (second)
        end_first(body);
    if (body->status != NQ_OK)
        return;
    if (verify_is_digit(c))
        begin_number(body, c, STATE_COLUMN);
    else
        verify_unexpected(body, c, "a number");
}

void verify_text_byte(struct verify_body *body, unsigned char c)
{
    if (c == '\r')
        return;
    if (c == '\n') {
        end_line(body);
        body->lines.indented = false;
        return;
    }
    switch (body->lines.state) {
    case STATE_LINE:
        if (c == ' ' || c == '\t')
            body->lines.indented = true;
        else
            begin_line(body, c, body->lines.indented);
        break;
    case STATE_MAYBE: read_maybe(body, c); break;
    case STATE_FIRST:
    case STATE_COLUMN: read_number(body, c); break;
    case STATE_SECOND:
    case STATE_COLUMNS: read_blanks(body, c); break;
    case STATE_DRAWN:
        if (!verify_square(body, c))
            verify_unexpected(body, c, "a square");
        break;
    case STATE_RULE:
        if (c != '-')
            verify_unexpected(body, c, "-");
        break;
    default: keep_byte(body, c); break;
    }
}

bool verify_text_whole(struct verify_body *body)
{
    end_line(body);
    if (body->status == NQ_OK && body->lines.headed && !body->lines.ready)
        verify_refuse_here(body, "the text ends without READY., as if it had been cut");
    else if (body->status == NQ_OK && body->rows)
        verify_drawing(body);
    if (body->status == NQ_OK && body->lines.headed && body->n == 0 && body->solutions == 0)
        begin_columns(body); /* a construction without rows has no line of columns */
    return body->status == NQ_OK;
}
