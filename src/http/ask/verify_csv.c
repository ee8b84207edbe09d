/* verify_csv.c - boards as CSV: below "row 1..8,column 1..8" a queen a line, below "offset,row 1,..." a solution a
 * line; behind the first name a rule may stand, " rules=toroidal", and regions. */
#include <string.h>

#include "http/ask/verify_parts.h"

enum { HEAD_MAX = 79 + REGIONS_TEXT_MAX };

struct csv {
    struct verify_body *body;
    bool squares;     /* a queen a line */
    bool drawn;       /* a solution ends with its board */
    uint32_t columns; /* of rows */
};

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
        (void)verify_labelled(&head, ",row ", &base);
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
    for (int c; (c = verify_peek(body)) != '\n' && verify_goes_on(body); body->offset++) {
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
    for (int c; (c = verify_peek(body)) != ',' && c != '\n' && verify_goes_on(body); body->offset++) {
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
        more = verify_peek(body) == ',';
        body->offset += more;
    }
    while (more && csv->drawn && verify_peek(body) != '\n' && verify_goes_on(body))
        body->offset++; /* its board */
    if (body->status == NQ_OK && (field != fields || more != csv->drawn))
        verify_refuse_here(body, "a line must have as many fields as the first");
    if (body->status == NQ_OK && csv->squares)
        verify_queen(body, row, column);
}

static void read_line(struct csv *csv)
{
    struct verify_body *body = csv->body;
    if (verify_peek(body) == '\n' && (csv->squares || csv->columns))
        return;
    if (!csv->squares) {
        verify_solution(body);
        verify_kind(body, VERIFY_COLUMNS);
    }
    read_fields(csv);
}

void verify_read_csv(struct verify_body *body)
{
    struct csv csv = {.body = body};
    read_header(&csv);
    (void)verify_next(body);
    while (!verify_at_end(body) && verify_goes_on(body)) {
        read_line(&csv);
        (void)verify_next(body);
    }
}
