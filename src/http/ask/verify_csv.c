/* verify_csv.c - a push parser for boards as CSV: below "row 1..8,column 1..8" a queen a line, below "offset,row 1,..."
 * a solution a line; behind the first name a rule may stand, " rules=toroidal", and
 * regions. It keeps no line. */
#include <string.h>

#include "http/ask/verify_csv.h"
#include "http/ask/verify_regions.h"

enum state { STATE_HEADER, STATE_LINE, STATE_FIELD, STATE_BOARD };

/* ---- The first line ---- */

/* A byte of it: the columns that begin with r are rows, one that begins with b is the board. */
static void read_header(struct verify_body *body, unsigned char c)
{
    struct verify_lines *lines = &body->lines;
    if (lines->empty && c == 'r')
        lines->columns++;
    lines->drawn |= lines->empty && c == 'b';
    lines->empty = c == ',';
    if (lines->length < VERIFY_HEAD_MAX)
        lines->head[lines->length++] = (char)c;
}

static void end_header(struct verify_body *body)
{
    static const char wrong[] = "the first line must be row B..N,column B..N or offset,row B,...";
    struct verify_lines *lines = &body->lines;
    const char *text = lines->head;
    uint32_t base = 1, last;
    lines->head[lines->length] = '\0';
    if (verify_labelled(&text, "row ", &base)) {
        const bool rows = verify_labelled(&text, "..", &last) && last + 1 >= base;
        const bool none = !rows && strncmp(text, "..-1", 4) == 0; /* "0..-1": a board of n = 0 */
        lines->squares = true;
        verify_board(body, rows ? last + 1 - base : 0, base);
        text += none ? 4 : 0;
        verify_rule_after(body, &text, " rules=");
        if (!rows && (!none || *text != ','))
            verify_refuse_here(body, wrong);
        verify_solution(body);
        verify_kind(body, VERIFY_SQUARES);
    } else if (strncmp(text, "offset", 6) == 0) {
        text += 6;
        verify_rule_after(body, &text, " rules=");
        verify_regions_after(body, &text, " regions=");
        (void)verify_labelled(&text, ",row ", &base);
        verify_board(body, lines->columns, base);
    } else {
        verify_refuse_here(body, wrong);
    }
    lines->headed = true;
    lines->state = STATE_LINE;
}

/* ---- The other lines ---- */

static void begin_line(struct verify_body *body)
{
    struct verify_lines *lines = &body->lines;
    if (!lines->squares) {
        verify_solution(body);
        verify_kind(body, VERIFY_COLUMNS);
    }
    lines->field = 0;
    lines->empty = true;
    body->number = 0;
    lines->state = STATE_FIELD;
}

/* Of a solution the first field says where it stands in the list. */
static void end_field(struct verify_body *body)
{
    struct verify_lines *lines = &body->lines;
    if (lines->empty && (lines->squares || lines->field > 0))
        verify_refuse_here(body, "a field must not be empty");
    else if (lines->squares && lines->field == 0)
        body->row = body->number;
    else if (lines->squares)
        body->column = body->number;
    else if (lines->field > 0)
        verify_queen(body, lines->field - 1, body->number);
    lines->field++;
    lines->empty = true;
    body->number = 0;
}

static void end_line(struct verify_body *body)
{
    struct verify_lines *lines = &body->lines;
    const uint32_t fields = lines->squares ? 2 : body->lines.columns + 1;
    if (lines->state == STATE_LINE && (lines->squares || lines->columns))
        return;                     /* an empty line */
    if (lines->state == STATE_LINE) /* the solution of n = 0, whose place is unknown */
        begin_line(body);
    if (lines->state == STATE_FIELD)
        end_field(body);
    if (body->status == NQ_OK && (lines->field != fields || (lines->state == STATE_BOARD) != lines->drawn))
        verify_refuse_here(body, "a line must have as many fields as the first");
    if (body->status == NQ_OK && lines->squares)
        verify_queen(body, body->row, body->column);
    lines->state = STATE_LINE;
}

static void read_field(struct verify_body *body, unsigned char c)
{
    struct verify_lines *lines = &body->lines;
    if (verify_is_digit(c)) {
        verify_digit(body, c);
        lines->empty = false;
    } else if (c == ',') {
        end_field(body);
        if (lines->drawn && lines->field == lines->columns + 1)
            lines->state = STATE_BOARD;
    } else {
        verify_unexpected(body, c, "a digit or a comma");
    }
}

void verify_csv_byte(struct verify_body *body, unsigned char c)
{
    struct verify_lines *lines = &body->lines;
    if (body->offset == 0)
        lines->empty = true;
    if (c == '\r')
        return;
    if (c == '\n') {
        if (lines->state == STATE_HEADER)
            end_header(body);
        else
            end_line(body);
        return;
    }
    if (lines->state == STATE_HEADER) {
        read_header(body, c);
        return;
    }
    if (lines->state == STATE_LINE)
        begin_line(body);
    if (lines->state == STATE_FIELD)
        read_field(body, c);
}

bool verify_csv_whole(struct verify_body *body)
{
    if (!body->lines.headed)
        end_header(body);
    else if (body->lines.state != STATE_LINE)
        end_line(body);
    return body->status == NQ_OK;
}
