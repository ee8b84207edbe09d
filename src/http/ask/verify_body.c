/* verify_body.c - the forms of a body, and what the numbers of one mean together. Members and lines come in any order:
 * what depends on several of them is checked at the end. */
#include "http/ask/verify_body.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/ask/query_values.h"
#include "http/ask/verify_drawn.h"
#include "http/ask/verify_parts.h"

/* ---- Text ---- */

/* Boards as text: "n = 8, base = 1", columns in one line or boards that are drawn, and READY. A line
 * that begins with digits gives columns, or the number of a solution before its columns, or is a row that is drawn. */

enum { HEAD_MAX = 79 + REGIONS_TEXT_MAX };

struct text {
    struct verify_body *body;
    bool headed, ready; /* the first line, and READY., have come */
    bool placements;    /* of squares: a board of any shape */
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
    const enum verify_row row = verify_row(body);
    if (row == VERIFY_ROW_EDGE)
        return;
    if (row == VERIFY_ROW_WIDTH)
        verify_refuse_here(body, "a row of the board has another number of squares than the first");
    if (body->status == NQ_OK && body->rows >= verify_rows(body, body->width)) {
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
    for (int c; (c = verify_peek(body)) != '\n' && verify_goes_on(body);) {
        size_t behind = body->offset;
        if (!verify_square(body, verify_sign(body->data, body->size, &behind)))
            verify_unexpected(body, (unsigned char)c, wanted);
        body->offset = behind;
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
    verify_kind(body, text->placements ? VERIFY_SQUARES : VERIFY_COLUMNS);
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

static void read_placed(struct verify_body *body)
{
    const uint32_t row = read_number(body);
    if (verify_peek(body) != ':') {
        verify_unexpected(body, (unsigned char)verify_peek(body), ":");
        return;
    }
    body->offset++;
    if (!verify_is_digit(verify_peek(body))) {
        verify_unexpected(body, (unsigned char)verify_peek(body), "a number");
        return;
    }
    verify_queen(body, row, read_number(body));
    end_number(body);
}

/* "1:3 2:5" */
static void read_placement(struct verify_body *body)
{
    for (skip_blanks(body); verify_peek(body) != '\n' && verify_goes_on(body); skip_blanks(body)) {
        if (!verify_is_digit(verify_peek(body))) {
            verify_unexpected(body, (unsigned char)verify_peek(body), "a number");
            return;
        }
        read_placed(body);
    }
}

/* What stands behind "1 > ". */
static void read_solution(struct text *text)
{
    begin_columns(text);
    text->listed = true;
    text->body->offset++;
    (text->placements ? read_placement : read_columns)(text->body);
}

/* "1 > 2 4 1 3" or "1 > 1:3 2:5", where the first number says which solution it is, or "2 4 1 3". */
static void read_numbers(struct text *text)
{
    struct verify_body *body = text->body;
    const uint32_t first = read_number(body);
    end_number(body);
    skip_blanks(body);
    if (body->status != NQ_OK)
        return;
    if (verify_peek(body) == '>') {
        read_solution(text);
    } else if (text->placements) {
        verify_unexpected(body, (unsigned char)verify_peek(body), ">");
    } else {
        begin_columns(text);
        add_column(body, first);
        read_columns(body);
    }
}

/* ---- Lines ---- */

/* "n = 8, base = 1, rules = toroidal, rows 2 to 3", perhaps with ", m = 6" or ", regions = aab/...", "next: ..." or
 * "READY." */
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
        body->has_m = text->placements = verify_labelled(&at, ", m = ", &body->m);
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

static void verify_text_read_line(struct text *text)
{
    struct verify_body *body = text->body;
    const bool indented = is_blank(verify_peek(body));
    skip_blanks(body);
    const int c = verify_peek(body);
    if (c == '\n')
        return;
    if (c == '>') {
        read_solution(text);
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

/* JSON that a browser sends as text, because it was given a string. */
static bool is_json(const struct verify_body *body)
{
    size_t at = 0;
    while (at < body->size && strchr(" \t\r\n", body->data[at] ? body->data[at] : 'x'))
        at++;
    return at < body->size && (body->data[at] == '{' || body->data[at] == '[');
}

/* Whether a text is a board of regions, a letter a square: then it is read. Up to so many signs may also be those of
 * squares with queens and without. */
static bool read_letters(struct verify_body *body)
{
    enum { SIGNS_MAX = 4 };
    struct regions regions;
    struct regions_fault fault;
    bool queens = false;
    if (body->size > PARAM_BOARD_MAX)
        return false;
    for (size_t i = 0; i < body->size; i++) {
        if (!isalpha((unsigned char)body->data[i]) && !strchr(" \t\r\n/,;", body->data[i] ? body->data[i] : 'x'))
            return false;
        queens |= (body->data[i] | 0x20) == 'q';
    }
    if (!regions_read(body->data, body->size, true, &regions, &fault) || (queens && regions.n <= SIGNS_MAX))
        return false;
    verify_regions_text(body, body->data, body->size);
    return true;
}

static void verify_read_text(struct verify_body *body)
{
    struct text text = {.body = body};
    if (body->asked->board && read_letters(body))
        return;
    if (verify_is_python(body)) {
        verify_read_python(body);
        return;
    }
    if (is_json(body)) {
        verify_read_json(body);
        return;
    }
    if (verify_read_drawn(body))
        return;
    while (!verify_at_end(body) && verify_goes_on(body)) {
        verify_text_read_line(&text);
        (void)verify_next(body);
    }
    if (body->status == NQ_OK && text.headed && !text.ready)
        verify_refuse_here(body, "the text ends without READY., as if it had been cut");
    else if (body->status == NQ_OK && body->rows)
        verify_drawing(body);
    if (body->status == NQ_OK && text.headed && body->n == 0 && body->solutions == 0)
        begin_columns(&text); /* a construction without rows has no line of columns */
}

/* ---- CSV ---- */

/* Boards as CSV: below "row 1..8,column 1..8" a queen a line, below "offset,row 1,..." a solution a
 * line, below "offset m=6 n=8,squares" a placement; behind the first name a rule may stand, " rules=toroidal", and
 * regions. */

struct csv {
    struct verify_body *body;
    bool squares;     /* a queen a line */
    bool drawn;       /* a solution ends with its board */
    bool placements;  /* a line has squares, "1:3 2:5": a board of any shape */
    uint32_t columns; /* of rows */
};

/* ---- Bytes, as spreadsheets write them: semicolons or tabs for commas, and quotes around cells ---- */

static bool parts_cells(const struct verify_body *body, size_t at)
{
    return at >= body->size || (body->data[at] && strchr(",;\t\r\n", body->data[at]));
}

static bool is_quote(const struct verify_body *body)
{
    const size_t at = body->offset;
    return at < body->size && body->data[at] == '"' &&
           (at == 0 || parts_cells(body, at - 1) || parts_cells(body, at + 1));
}

/* As verify_peek(). */
static int csv_peek(struct verify_body *body)
{
    int c = verify_peek(body);
    while (is_quote(body)) {
        body->offset++;
        c = verify_peek(body);
    }
    return c == ';' || c == '\t' ? ',' : c;
}

/* ---- The first line ---- */

/* "row 1..8": what is behind it stays in the text. "0..-1" is a board of n = 0. */
static bool read_size(struct verify_body *body, const char **text, uint32_t base)
{
    uint32_t last;
    const bool rows = verify_labelled(text, "..", &last) && last + 1 >= base;
    const bool none = !rows && strncmp(*text, "..-1", 4) == 0;
    verify_board(body, rows ? last + 1 - base : 0, base);
    *text += none ? 4 : 0;
    verify_rule_after(body, text, " rules=");
    return rows || (none && **text == ',');
}

/* " m=6 n=8", perhaps with " base=0". */
static bool read_shape(struct verify_body *body, const char **text)
{
    uint32_t n, base = 1;
    if (!verify_labelled(text, " m=", &body->m) || !verify_labelled(text, " n=", &n))
        return false;
    (void)verify_labelled(text, " base=", &base);
    verify_board(body, n, base);
    body->has_m = true;
    return true;
}

/* head: as much of the line as says something. */
static void end_header(struct csv *csv, const char *head)
{
    static const char wrong[] = "the first line must be row B..N,column B..N or offset,row B,...";
    struct verify_body *body = csv->body;
    uint32_t base = 1;
    if (verify_labelled(&head, "row ", &base)) {
        csv->squares = true;
        body->line = 2;
        if (!read_size(body, &head, base))
            verify_refuse_here(body, wrong);
        verify_solution(body);
        verify_kind(body, VERIFY_SQUARES);
    } else if (strncmp(head, "offset", 6) == 0) {
        head += 6;
        verify_rule_after(body, &head, " rules=");
        verify_regions_after(body, &head, " regions=");
        csv->placements = read_shape(body, &head);
        (void)verify_labelled(&head, ",row ", &base);
        if (!csv->placements)
            verify_board(body, csv->columns, base);
    } else {
        verify_refuse_here(body, wrong);
    }
}

/* The columns whose names begin with r are rows, one that begins with b is the board. */
static void read_header(struct csv *csv)
{
    struct verify_body *body = csv->body;
    char head[HEAD_MAX + 1];
    uint32_t length = 0;
    bool begins = true;
    for (int c; (c = csv_peek(body)) != '\n' && verify_goes_on(body); body->offset++) {
        csv->columns += begins && c == 'r';
        csv->drawn |= begins && c == 'b';
        begins = c == ',';
        if (length < HEAD_MAX)
            head[length++] = (char)c;
    }
    head[length] = '\0';
    if (body->status == NQ_OK)
        end_header(csv, head);
}

/* ---- The other lines ---- */

/* The number of a field, up to the comma or the end of the line behind it. Only the first field of a solution may be
 * empty, which says where it stands in the list. */
static uint32_t read_field(struct csv *csv, uint32_t field)
{
    struct verify_body *body = csv->body;
    uint32_t number = 0;
    bool empty = true;
    for (int c; (c = csv_peek(body)) != ',' && c != '\n' && verify_goes_on(body); body->offset++) {
        if (!verify_is_digit(c))
            verify_unexpected(body, (unsigned char)c, "a digit or a comma");
        number = verify_digit(number, c);
        empty = false;
    }
    if (empty && (csv->squares || field > 0))
        verify_refuse_here(body, "a field must not be empty");
    return number;
}

/* The line has something, or is a solution of n = 0, whose place is unknown. */
static void read_fields(struct csv *csv)
{
    struct verify_body *body = csv->body;
    const uint32_t fields = csv->squares ? 2 : csv->columns + 1;
    uint32_t field = 0, row = 0, column = 0;
    bool more = true;
    while (more && !(csv->drawn && field == fields) && verify_goes_on(body)) {
        const uint32_t number = read_field(csv, field);
        if (csv->squares)
            *(field ? &column : &row) = number;
        else if (field > 0)
            verify_queen(body, field - 1, number);
        field++;
        more = csv_peek(body) == ',';
        body->offset += more;
    }
    while (more && csv->drawn && csv_peek(body) != '\n' && verify_goes_on(body))
        body->offset++; /* its board */
    if (body->status == NQ_OK && (field != fields || more != csv->drawn))
        verify_refuse_here(body, "a line must have as many fields as the first");
    if (body->status == NQ_OK && csv->squares)
        verify_queen(body, row, column);
}

/* Where it stands in the list, and its squares. */
static void read_cells(struct csv *csv)
{
    struct verify_body *body = csv->body;
    (void)read_field(csv, 0);
    if (body->status == NQ_OK && csv_peek(body) != ',') {
        verify_refuse_here(body, "a line must have as many fields as the first");
        return;
    }
    body->offset++;
    while (csv_peek(body) != '\n' && verify_goes_on(body)) {
        if (verify_is_digit(csv_peek(body)))
            read_placed(body);
        else if (is_blank(csv_peek(body)))
            body->offset++;
        else
            verify_unexpected(body, (unsigned char)csv_peek(body), "a number");
    }
}

static void read_line(struct csv *csv)
{
    struct verify_body *body = csv->body;
    if (csv_peek(body) == '\n' && (csv->squares || csv->columns || csv->placements))
        return;
    if (!csv->squares) {
        verify_solution(body);
        verify_kind(body, csv->placements ? VERIFY_SQUARES : VERIFY_COLUMNS);
    }
    if (csv->placements)
        read_cells(csv);
    else
        read_fields(csv);
}

static void verify_read_csv(struct verify_body *body)
{
    struct csv csv = {.body = body};
    read_header(&csv);
    (void)verify_next(body);
    while (!verify_at_end(body) && verify_goes_on(body)) {
        read_line(&csv);
        (void)verify_next(body);
    }
}

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
    if (taken->fault.wrong != REGIONS_RIGHT || (taken->connected && !connected(&taken->regions, &taken->fault))) {
        struct validation_errors errors = {0};
        reject_regions(&errors, "regions", &taken->fault, body->base);
        verify_refuse_as(body, &errors);
    } else if (body->has_n && body->n != taken->regions.n) {
        verify_refuse_with(body, REFUSED_DISAGREES, "n", MEMBERS(NUMBER(body->n), NUMBER(taken->regions.n)),
                           "is %" PRIu32 ", but regions has %" PRIu32 " rows; leave n out", body->n, taken->regions.n);
    }
    body->n = taken->regions.n;
    body->has_n = true;
    return body->status == NQ_OK;
}

/* ---- What the numbers mean together ---- */

/* Makes the number of a row or column 0-based; false: it is not one of so many. */
static bool settle_number(const struct verify_body *body, uint32_t *number, uint32_t most)
{
    const uint32_t base = body->kind == VERIFY_DRAWN || body->kind == VERIFY_NAMED ? 0 : body->base;
    const bool inside = *number >= base && *number - base < most;
    *number -= base;
    return inside;
}

/* Of a row or column that is none of so many. zero: it was 0. */
static void refuse_number(struct verify_body *body, const char *where, uint32_t most, bool zero)
{
    if (most && body->base == 1 && zero)
        verify_refuse_with(body, REFUSED_OUTSIDE, where, MEMBERS(NUMBER(body->base), NUMBER(most - 1 + body->base)),
                           "must be %" PRIu32 " to %" PRIu32 "; if numbers begin with 0, give base 0", body->base,
                           most - 1 + body->base);
    else if (most)
        verify_refuse_with(body, REFUSED_OUTSIDE, where, MEMBERS(NUMBER(body->base), NUMBER(most - 1 + body->base)),
                           "must be %" PRIu32 " to %" PRIu32, body->base, most - 1 + body->base);
    else
        verify_refuse(body, REFUSED_OFF_BOARD, where, "is not on the board: it has no squares");
}

/* zero: the number was 0. */
static void refuse_queen(struct verify_body *body, uint32_t index, bool row, bool zero)
{
    char where[sizeof body->error.parameter];
    const char *member = row ? "row" : "column";
    if (body->line && body->kind == VERIFY_SQUARES)
        (void)snprintf(where, sizeof where, "%s of line %" PRIu32, member, index + body->line);
    else if (body->kind == VERIFY_COLUMNS)
        (void)snprintf(where, sizeof where, "permutation[%" PRIu32 "]", index);
    else
        (void)snprintf(where, sizeof where, "queens[%" PRIu32 "].%s", index, member);
    refuse_number(body, where, row ? body->height : body->n, zero);
}

/* Makes squares 0-based; name: of their list. */
static void settle_squares(struct verify_body *body, const struct verify_squares *list, const char *name)
{
    const uint32_t base = list->drawn ? 0 : body->base;
    for (uint32_t i = 0; body->status == NQ_OK && i < list->count; i++) {
        struct queen *square = &list->squares[i];
        const bool row = square->row >= base && square->row - base < body->height;
        if (!row || square->column < base || square->column - base >= body->n) {
            char where[sizeof body->error.parameter];
            (void)snprintf(where, sizeof where, "%s[%" PRIu32 "].%s", name, i, row ? "column" : "row");
            refuse_number(body, where, row ? body->n : body->height, (row ? square->column : square->row) == 0);
            return;
        }
        square->row -= base;
        square->column -= base;
    }
}

/* Puts the crosses behind the queens. */
static void settle_crosses(struct verify_body *body)
{
    const struct verify_squares *crosses = &body->crosses;
    settle_squares(body, crosses, "exclude");
    if (body->status != NQ_OK || crosses->count == 0 || !verify_grow(body, crosses->count))
        return;
    struct placement *placement = body->placement;
    memcpy(placement->queens + placement->count, crosses->squares, crosses->count * sizeof crosses->squares[0]);
    placement->crossed = crosses->count;
}

static void settle_queens(struct verify_body *body)
{
    for (uint32_t i = 0; body->status == NQ_OK && i < body->placement->count; i++) {
        struct queen *queen = &body->placement->queens[i];
        const uint32_t index = body->kind == VERIFY_COLUMNS ? queen->row : i;
        if (body->kind == VERIFY_COLUMNS) /* in order, and 0-based */
            queen->row += body->part ? body->first - body->base : 0;
        else if (!settle_number(body, &queen->row, body->height))
            refuse_queen(body, index, true, queen->row + body->base == 0);
        if (body->status == NQ_OK && !settle_number(body, &queen->column, body->n))
            refuse_queen(body, index, false, queen->column + body->base == 0);
    }
}

/* Whether the board is one of any shape. */
static bool is_shaped(const struct verify_body *body)
{
    return body->asked->shaped || body->has_m || body->maximal || body->queens[0] || body->walls.count;
}

/* Whether it is known which solution is meant, and there is one. */
static bool one_solution(struct verify_body *body)
{
    const uint32_t count = body->solutions, wanted = body->asked->wanted;
    const bool board = body->asked->board;
    const bool silent =
        !body->has_n && !body->ruled && !body->regions.given && body->crosses.count == 0 && !is_shaped(body);
    if (count == 0 && board && silent)
        verify_refuse(body, REFUSED_NO_QUEENS, "body", "has no board: give n, queens or regions");
    else if (count > 1 && board)
        verify_refuse_with(body, REFUSED_SEVERAL, "body", MEMBERS(NUMBER(count)),
                           "has %" PRIu32 " boards, and one is asked about: send one", count);
    else if (count == 0 && !board)
        verify_refuse(body, REFUSED_NO_QUEENS, "body", "has no queens");
    else if (wanted == VERIFY_ONLY && count > 1 && !board)
        verify_refuse_with(body, REFUSED_SEVERAL, "body", MEMBERS(NUMBER(count)),
                           "has %" PRIu32 " solutions, and one is checked: choose it with index=0 to index=%" PRIu32,
                           count, count - 1);
    else if (wanted != VERIFY_ONLY && wanted >= count)
        verify_refuse_with(body, REFUSED_OUTSIDE, "index", MEMBERS(NUMBER(0), NUMBER(count - 1)),
                           "must be %d to %" PRIu32 ": the body has %" PRIu32 " solutions", 0, count - 1, count);
    return body->status == NQ_OK;
}

/* Whether the columns are as many as rows are announced. */
static bool columns_agree(struct verify_body *body)
{
    const uint32_t count = body->listed, height = body->height;
    if (body->kind != VERIFY_COLUMNS)
        return true;
    if (body->part && (body->first < body->base || body->last < body->first || body->last - body->base >= body->height))
        verify_refuse(body, REFUSED_OFF_BOARD, "rows", "must be rows of the board, first and last");
    else if (body->part && count != body->last - body->first + 1)
        verify_refuse_with(body, REFUSED_DISAGREES, "permutation",
                           MEMBERS(NUMBER(count), NUMBER(body->last - body->first + 1)),
                           "has %" PRIu32 " columns, but rows has %" PRIu32, count, body->last - body->first + 1);
    else if (!body->part && count != height)
        verify_refuse_with(body, REFUSED_DISAGREES, "permutation", MEMBERS(NUMBER(count), NUMBER(height)),
                           "has %" PRIu32 " columns, but %s is %" PRIu32, count, height == body->n ? "n" : "m", height);
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

/* The queens fit on the board: n of them, or on one with regions, which people play on, and on one of any shape, one on
 * each square. */
static bool queens_fit(struct verify_body *body, uint32_t count)
{
    const bool each = body->regions.regions.n || is_shaped(body);
    const uint64_t squares = (uint64_t)body->height * body->n;
    if (body->asked->board)
        return true; /* what queens come to is what is asked */
    if (each && count > squares)
        verify_refuse_with(body, REFUSED_DISAGREES, "body", MEMBERS(NUMBER(count), NUMBER(squares)),
                           "has %" PRIu32 " queens, and the limit is the number of squares, %" PRIu64, count, squares);
    else if (!each && count > body->n)
        verify_refuse_with(body, REFUSED_DISAGREES, "body", MEMBERS(NUMBER(count), NUMBER(body->n)),
                           "has %" PRIu32 " queens, and the limit is n = %" PRIu32, count, body->n);
    return body->status == NQ_OK;
}

/* The size of a board that is asked about. If neither the body nor the address says it, no square is off the board
 * here. */
static void find_n(struct verify_body *body)
{
    const struct verify_asked *asked = body->asked;
    const bool counted = body->kind == VERIFY_DRAWN || (body->kind == VERIFY_COLUMNS && !body->has_m && !asked->m);
    if (body->has_n)
        return;
    body->has_n = counted || asked->has_n;
    body->n = body->kind == VERIFY_DRAWN ? body->drawn_width
              : asked->has_n             ? asked->n
              : counted                  ? body->listed
                                         : VERIFY_MAX_N;
}

/* The size of a board whose queens are verified: the body says it, or the address of a board of any shape. Else as many
 * columns as a drawn row or a permutation has, or as there are queens, if n of them are expected. */
static void find_size(struct verify_body *body)
{
    const struct verify_asked *asked = body->asked;
    const bool rows_said = body->has_m || asked->m, shaped = is_shaped(body);
    if (body->has_n)
        return;
    if (asked->has_n && shaped)
        body->n = asked->n;
    else if ((body->kind == VERIFY_SQUARES && !body->counted) || (body->kind != VERIFY_DRAWN && rows_said) ||
             (shaped && body->kind != VERIFY_DRAWN && body->kind != VERIFY_COLUMNS))
        verify_refuse(body, REFUSED_MISSING, "n", "is required with queens");
    else
        body->n = body->kind == VERIFY_DRAWN     ? body->drawn_width
                  : body->kind == VERIFY_COLUMNS ? body->listed
                                                 : verify_count(body);
    body->has_n = true;
}

/* Whether a drawn board is of the size that is said. */
static bool drawing_agrees(struct verify_body *body)
{
    const uint32_t rows = body->drawn, width = body->drawn_width;
    if (body->odd_rows && !body->has_m)
        verify_refuse_with(body, REFUSED_DISAGREES, "body", MEMBERS(NUMBER(body->odd_rows), NUMBER(body->odd_width)),
                           "has a board of %" PRIu32 " rows of %" PRIu32 " squares", body->odd_rows, body->odd_width);
    else if (body->kind == VERIFY_DRAWN && rows != body->height)
        verify_refuse_with(body, REFUSED_DISAGREES, "body", MEMBERS(NUMBER(rows), NUMBER(body->height)),
                           "has a board of %" PRIu32 " rows, but %s is %" PRIu32, rows,
                           body->has_m || body->asked->m ? "m" : "n", body->height);
    else if (body->kind == VERIFY_DRAWN && width != body->n)
        verify_refuse_with(body, REFUSED_DISAGREES, "body", MEMBERS(NUMBER(width), NUMBER(body->n)),
                           "has a board of %" PRIu32 " columns, but n is %" PRIu32, width, body->n);
    return body->status == NQ_OK;
}

static void settle(struct verify_body *body)
{
    if (body->status != NQ_OK || !one_solution(body))
        return;
    body->keep = true;
    if (!body->placement && !verify_grow(body, 0))
        return;
    if (!base_known(body) || !settle_regions(body))
        return;
    (body->asked->board ? find_n : find_size)(body);
    body->height = verify_rows(body, body->n);
    if (body->status != NQ_OK || !drawing_agrees(body))
        return;
    if (body->n > VERIFY_MAX_N && !body->asked->board)
        verify_refuse_with(body, REFUSED_UPPER_LIMIT, "n", MEMBERS(NUMBER(VERIFY_MAX_N)), "must be at most %d",
                           VERIFY_MAX_N);
    else if (columns_agree(body) && queens_fit(body, body->placement->count))
        settle_queens(body);
    settle_squares(body, &body->walls, "walls");
    settle_crosses(body);
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
    {.media_type = "text/json", .most = TEXT_MOST, .alias = true, .read = verify_read_json},
    {.media_type = "application/ndjson", .most = TEXT_MOST, .alias = true, .read = verify_read_lines},
    {.media_type = "application/jsonl", .most = TEXT_MOST, .alias = true, .read = verify_read_lines},
    {.media_type = "application/csv", .most = TEXT_MOST, .alias = true, .read = verify_read_csv},
    {0},
};

const struct verify_form *verify_form_of(const struct headers *headers)
{
    const struct verify_form *form = verify_forms;
    while (form->media_type && !headers_of_type(headers, form->media_type))
        form++;
    return form->media_type ? form : NULL;
}

enum nq_status verify_body_read(struct verify_body *body, const struct verify_form *form,
                                const struct verify_asked *asked, const char *data, size_t size)
{
    *body = (struct verify_body){.status = NQ_OK,
                                 .base = asked->board ? asked->base : 1,
                                 .form = form,
                                 .asked = asked,
                                 .data = data ? data : "",
                                 .size = size};
    body->regions.connected = asked->connected;
    if (form->unsized) {
        verify_board(body, asked->n, asked->base);
        body->has_n = asked->has_n;
    }
    static const char mark[] = "\xef\xbb\xbf"; /* of bytes in UTF-8, which Excel and PowerShell write */
    if (!form->unsized && body->size >= sizeof mark - 1 && memcmp(body->data, mark, sizeof mark - 1) == 0) {
        body->data += sizeof mark - 1;
        body->size -= sizeof mark - 1;
    }
    form->read(body);
    settle(body);
    free(body->crosses.squares);
    body->crosses = (struct verify_squares){0};
    body->asked = NULL;
    body->data = NULL;
    return body->status;
}

void verify_body_free(struct verify_body *body)
{
    placement_unref(body->placement);
    free(body->walls.squares);
    body->placement = NULL;
    body->walls = (struct verify_squares){0};
}
