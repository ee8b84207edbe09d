/* verify_text.c - boards as text: "n = 8, base = 1", columns in one line or boards that are drawn, and READY. A line
 * that begins with digits gives columns, or the number of a solution before its columns, or is a row that is drawn. */
#include <string.h>

#include "http/ask/verify_parts.h"

enum { HEAD_MAX = 79 + REGIONS_TEXT_MAX };

struct text {
    struct verify_body *body;
    bool headed, ready; /* the first line, and READY., have come */
    bool listed;        /* a board that follows is of a solution whose columns were given */
};

static bool is_blank(int c)
{
    return c == ' ' || c == '\t';
}

static void skip_blanks(struct verify_body *body)
{
    while (is_blank(verify_peek(body)) && verify_goes_on(body))
        body->offset++;
}

/* ---- Rows of a board ---- */

static void begin_row(struct text *text)
{
    struct verify_body *body = text->body;
    if (text->listed) {
        body->keep = false; /* its columns have come */
    } else if (body->rows == 0) {
        verify_solution(body);
        verify_kind(body, VERIFY_DRAWN);
    }
}

static void end_row(struct text *text)
{
    struct verify_body *body = text->body;
    switch (verify_row(body)) {
    case VERIFY_ROW_CUT: verify_refuse_here(body, "a square ends within its sign"); break;
    case VERIFY_ROW_WIDTH:
        verify_refuse_here(body, "a row of the board has another number of squares than the first");
        break;
    case VERIFY_ROW: break;
    }
    if (body->status == NQ_OK && body->rows >= body->width) {
        verify_drawing(body);
        text->listed = false;
    }
}

/* first: what the first byte must be. */
static void read_row(struct text *text, const char *first)
{
    struct verify_body *body = text->body;
    const char *wanted = first;
    begin_row(text);
    for (int c; (c = verify_peek(body)) != '\n' && verify_goes_on(body); body->offset++) {
        if (!verify_square(body, (unsigned char)c))
            verify_unexpected(body, (unsigned char)c, wanted);
        wanted = "a square";
    }
    if (body->status == NQ_OK)
        end_row(text);
}

/* ---- Columns ---- */

static void begin_columns(struct text *text)
{
    struct verify_body *body = text->body;
    if (body->rows)
        verify_refuse_here(body, "the board before has too few rows");
    verify_solution(body);
    verify_kind(body, VERIFY_COLUMNS);
    text->listed = false;
}

static void add_column(struct verify_body *body, uint32_t number)
{
    verify_queen(body, verify_count(body), number);
}

static uint32_t read_number(struct verify_body *body)
{
    uint32_t number = 0;
    for (; verify_is_digit(verify_peek(body)) && verify_goes_on(body); body->offset++)
        number = verify_digit(number, verify_peek(body));
    return number;
}

/* What stands behind a number. */
static void end_number(struct verify_body *body)
{
    const int c = verify_peek(body);
    if (c != '\n' && !is_blank(c))
        verify_unexpected(body, (unsigned char)c, "a blank or the end of the line");
}

static void read_columns(struct verify_body *body)
{
    for (skip_blanks(body); verify_peek(body) != '\n' && verify_goes_on(body); skip_blanks(body)) {
        if (!verify_is_digit(verify_peek(body))) {
            verify_unexpected(body, (unsigned char)verify_peek(body), "a number");
            return;
        }
        add_column(body, read_number(body));
        end_number(body);
    }
}

/* "1 > 2 4 1 3", where the first number says which solution it is, or "2 4 1 3". */
static void read_numbers(struct text *text)
{
    struct verify_body *body = text->body;
    const uint32_t first = read_number(body);
    end_number(body);
    skip_blanks(body);
    if (body->status != NQ_OK)
        return;
    begin_columns(text);
    if (verify_peek(body) == '>') {
        text->listed = true;
        body->offset++;
    } else {
        add_column(body, first);
    }
    read_columns(body);
}

/* ---- Lines ---- */

/* "n = 8, base = 1, rules = toroidal, rows 2 to 3", perhaps with ", regions = aab/...", "next: ..." or "READY." */
static void read_words(struct text *text)
{
    struct verify_body *body = text->body;
    char words[HEAD_MAX + 1];
    const char *at = words;
    uint32_t length = 0, n, base;
    for (int c; (c = verify_peek(body)) != '\n' && verify_goes_on(body); body->offset++)
        if (length < HEAD_MAX)
            words[length++] = (char)c;
    words[length] = '\0';
    if (body->status != NQ_OK)
        return;
    if (strcmp(words, "READY.") == 0) {
        text->ready = true;
    } else if (!text->headed && body->solutions == 0 && verify_labelled(&at, "n = ", &n) &&
               verify_labelled(&at, ", base = ", &base)) {
        text->headed = true;
        verify_rule_after(body, &at, ", rules = ");
        verify_regions_after(body, &at, ", regions = ");
        body->part = verify_labelled(&at, ", rows ", &body->first) && verify_labelled(&at, " to ", &body->last);
        verify_board(body, n, base);
    } else if (strncmp(words, "next: ", 6) != 0) {
        verify_refuse_here(body, "a line must be n = N, base = B; columns; a row of a board; next: or READY.");
    }
}

/* The line below a board. */
static void read_rule(struct verify_body *body)
{
    for (int c; (c = verify_peek(body)) != '\n' && verify_goes_on(body); body->offset++)
        if (c != '-')
            verify_unexpected(body, (unsigned char)c, "-");
}

/* Whether a line that begins with 0 or 1 is a row: nothing but these digits, or more of them than a column has. */
static bool is_drawn(struct verify_body *body)
{
    enum { DIGITS_MAX = 7 };
    const size_t begin = body->offset;
    unsigned digits = 0;
    int c;
    for (; ((c = verify_peek(body)) == '0' || c == '1') && digits <= DIGITS_MAX; body->offset++)
        digits++;
    body->offset = begin;
    return digits > DIGITS_MAX || c == '\n';
}

static void read_line(struct text *text)
{
    struct verify_body *body = text->body;
    const bool indented = is_blank(verify_peek(body));
    skip_blanks(body);
    const int c = verify_peek(body);
    if (c == '\n')
        return;
    if (c == '>') {
        begin_columns(text);
        text->listed = true;
        body->offset++;
        read_columns(body);
    } else if (!indented && (c == '0' || c == '1') && is_drawn(body)) {
        read_row(text, "a square");
    } else if (verify_is_digit(c)) {
        read_numbers(text);
    } else if (c == 'n' || c == 'R') {
        read_words(text);
    } else if (c == '-') {
        read_rule(body);
    } else {
        read_row(text, "a number or a square");
    }
}

void verify_read_text(struct verify_body *body)
{
    struct text text = {.body = body};
    while (!verify_at_end(body) && verify_goes_on(body)) {
        read_line(&text);
        (void)verify_next(body);
    }
    if (body->status == NQ_OK && text.headed && !text.ready)
        verify_refuse_here(body, "the text ends without READY., as if it had been cut");
    else if (body->status == NQ_OK && body->rows)
        verify_drawing(body);
    if (body->status == NQ_OK && text.headed && body->n == 0 && body->solutions == 0)
        begin_columns(&text); /* a construction without rows has no line of columns */
}
