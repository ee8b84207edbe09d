/* verify_drawn.c - what a text looks like decides which reader reads it. What can be read in two ways is refused, and
 * both are named. */
#include "http/ask/verify_drawn.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SIGNS_MAX = 4, BLANK = ' ' };

/* Of board=petscii, whose queen is as any other sign. */
enum { RIGHT_EDGE = 0x258f, UPPER_EDGE = 0x2581, EMPTY_C64 = 0x1fb7c };

/* A sign of a board, and how often it stands there. */
struct sign {
    uint32_t code, total, row; /* of Unicode; on all boards, in this row */
    bool once;                 /* in every row */
};

struct drawing {
    struct verify_body *body;
    const char *where; /* of a string; NULL: a body */
    const char *text;
    size_t size;
    /* Of all lines that have anything: */
    uint32_t lines, least, most; /* their number, and words in one of them */
    size_t shortest, longest;    /* words */
    bool names, numbers;         /* all words are names of squares, numbers, */
    bool bits;                   /* of digits 0 and 1 */
    bool commas, digits;         /* something has a comma or semicolon, a digit from 2 */
    bool dashes;                 /* - is a sign: it stands beside another one */
    bool plain;                  /* the signs of format=text alone, nothing between them */
    bool broken;                 /* it is no UTF-8, or has bytes that no text has */
    /* Of drawn boards: */
    struct sign signs[SIGNS_MAX];
    uint32_t kinds, rows;
    uint32_t queen; /* the sign of a queen */
};

/* ---- What is wrong ---- */

static void verify_refuse_drawn(struct drawing *drawing, const char *reason)
{
    verify_refuse(drawing->body, REFUSED_SYNTAX, drawing->where ? drawing->where : "body", "%s", reason);
}

/* ---- Characters ---- */

static uint32_t next_sign(const struct drawing *drawing, size_t *at)
{
    return verify_sign(drawing->text, drawing->size, at);
}

static bool is_gap(uint32_t code)
{
    return code == ' ' || code == '\t' || code == '\r' || code == ',' || code == ';' || code == RIGHT_EDGE;
}

static bool ends_line(uint32_t code)
{
    return code == '\n' || code == '/';
}

static bool is_bar(uint32_t code)
{
    return code == '|' || code == 0x2502 || code == 0x2503 || code == 0x2551;
}

/* A part of a frame, if it is no bar. */
static bool is_frame(uint32_t code)
{
    return code == '+' || code == '=' || code == UPPER_EDGE || (code >= 0x2500 && code <= 0x257f && !is_bar(code));
}

/* The end of a line, before what ends it. */
static size_t line_end(const struct drawing *drawing, size_t at)
{
    while (at < drawing->size && !ends_line((unsigned char)drawing->text[at]))
        at++;
    return at;
}

/* ---- What a text looks like ---- */

static bool is_name(const char *word, size_t size)
{
    size_t letters = 0, i;
    while (letters < size && ((word[letters] | 0x20) >= 'a' && (word[letters] | 0x20) <= 'z'))
        letters++;
    for (i = letters; i < size && verify_is_digit(word[i]); i++)
        ;
    return letters >= 1 && letters <= 4 && i == size && i > letters;
}

static void survey_word(struct drawing *drawing, const char *word, size_t size)
{
    size_t digits = 0, bits = 0;
    for (size_t i = 0; i < size; i++) {
        digits += verify_is_digit(word[i]);
        bits += word[i] == '0' || word[i] == '1';
    }
    drawing->names &= is_name(word, size);
    drawing->numbers &= digits == size;
    drawing->bits &= bits == size;
    drawing->digits |= digits > bits;
    if (size < drawing->shortest)
        drawing->shortest = size;
    if (size > drawing->longest)
        drawing->longest = size;
}

static void survey_signs(struct drawing *drawing, size_t at, size_t end)
{
    bool dash = false, other = false, gap = false, parted = false;
    while (at < end) {
        const uint32_t code = next_sign(drawing, &at);
        drawing->commas |= code == ',' || code == ';';
        drawing->broken |= code == VERIFY_BROKEN || (code < ' ' && code != '\t' && code != '\r');
        drawing->plain &= code == 'Q' || code == '.' || code == '-' || code == 0xb7 || code == 0x265b || code == '\r';
        parted |= gap && code == '-';
        gap |= dash && is_gap(code);
        dash |= code == '-';
        other |= code != '-' && !is_gap(code) && !is_bar(code) && !is_frame(code);
    }
    drawing->dashes |= parted || (dash && other);
    drawing->plain &= !dash || !other;
}

static void survey(struct drawing *drawing)
{
    drawing->names = drawing->numbers = drawing->bits = drawing->plain = true;
    drawing->shortest = drawing->size;
    drawing->least = UINT32_MAX;
    for (size_t at = 0, end; at < drawing->size && verify_goes_on(drawing->body); at = end + 1) {
        uint32_t words = 0;
        end = line_end(drawing, at);
        survey_signs(drawing, at, end);
        for (size_t word = at, behind; word < end; word = behind) {
            for (behind = word; behind < end && !is_gap((unsigned char)drawing->text[behind]); behind++)
                ;
            if (behind > word) {
                survey_word(drawing, drawing->text + word, behind - word);
                words++;
            }
            behind += behind == word;
        }
        drawing->lines += words > 0;
        if (words > 0 && words < drawing->least)
            drawing->least = words;
        if (words > drawing->most)
            drawing->most = words;
    }
}

/* ---- Drawn boards ---- */

struct walk {
    void (*square)(struct drawing *drawing, uint32_t code);
    void (*row)(struct drawing *drawing);
};

/* Whether a line is a part of a frame. */
static bool is_border(const struct drawing *drawing, size_t at, size_t end, uint32_t *bars)
{
    bool frame = false, dash = false, other = false;
    *bars = 0;
    while (at < end) {
        const uint32_t code = next_sign(drawing, &at);
        *bars += is_bar(code);
        frame |= is_frame(code);
        dash |= code == '-';
        other |= code != '-' && !is_gap(code) && !is_bar(code) && !is_frame(code);
    }
    return !other && (frame || (dash && !drawing->dashes));
}

/* A line with bars: between two of them one square, which may be blank. */
static void walk_bars(struct drawing *drawing, const struct walk *walk, size_t at, size_t end)
{
    uint32_t sign = BLANK, signs = 0;
    bool first = true;
    while (at < end) {
        const uint32_t code = next_sign(drawing, &at);
        if (is_bar(code)) {
            if (!first || signs)
                walk->square(drawing, sign);
            first = false;
            sign = BLANK;
            signs = 0;
        } else if (!is_gap(code)) {
            sign = code;
            if (++signs > 1)
                verify_refuse_drawn(drawing, "must have one sign between two bars");
        }
    }
    if (signs)
        walk->square(drawing, sign);
}

static void walk_boards(struct drawing *drawing, const struct walk *walk)
{
    for (size_t at = 0, end; at < drawing->size && verify_goes_on(drawing->body); at = end + 1) {
        uint32_t bars, squares = 0;
        end = line_end(drawing, at);
        if (is_border(drawing, at, end, &bars))
            continue;
        while (at < end && is_gap((unsigned char)drawing->text[at]))
            at++;
        size_t second = at;
        if (bars > 2 || (bars > 0 && !is_bar(next_sign(drawing, &second)))) {
            walk_bars(drawing, walk, at, end);
            walk->row(drawing);
            continue;
        }
        while (at < end) {
            const uint32_t code = next_sign(drawing, &at);
            if (is_gap(code) || is_bar(code))
                continue;
            walk->square(drawing, code);
            squares++;
        }
        if (squares)
            walk->row(drawing);
    }
}

/* ---- Which sign is the queen ---- */

static void count_square(struct drawing *drawing, uint32_t code)
{
    uint32_t i = 0;
    while (i < drawing->kinds && drawing->signs[i].code != code)
        i++;
    if (i == SIGNS_MAX) {
        verify_refuse_drawn(drawing, "must have two signs, one for a queen and one for an empty square, as Q and .");
        return;
    }
    if (i == drawing->kinds) {
        drawing->kinds++;
        drawing->signs[i] = (struct sign){.code = code, .once = drawing->rows == 0};
    }
    drawing->signs[i].total++;
    drawing->signs[i].row++;
}

static void count_row(struct drawing *drawing)
{
    for (uint32_t i = 0; i < drawing->kinds; i++) {
        drawing->signs[i].once &= drawing->signs[i].row == 1;
        drawing->signs[i].row = 0;
    }
    drawing->rows++;
}

static bool is_queen(uint32_t code)
{
    return code == 'Q' || code == 'q' || code == 0x2655 || code == 0x265b || code == '1';
}

/* Beside the sign of a queen: the signs of people who cross squares out. */
static bool is_cross(uint32_t code)
{
    return code == 'x' || code == 'X' || code == 0xd7 || (code >= 0x2715 && code <= 0x2718);
}

static bool is_empty(uint32_t code)
{
    return code == '.' || code == BLANK || code == 0xb7 || code == EMPTY_C64 || code == '0';
}

/* Which are mostly empty squares, but need not be. */
static bool is_rather_empty(uint32_t code)
{
    return code == '_' || code == '-';
}

static const char *show(uint32_t code, char text[static 12])
{
    (void)snprintf(text, 12, code > ' ' && code <= '~' ? "%c" : "U+%04" PRIX32, code);
    return text;
}

static void verify_refuse_signs(struct drawing *drawing, uint32_t a, uint32_t b)
{
    char first[12], second[12];
    verify_refuse(drawing->body, REFUSED_SYNTAX, drawing->where ? drawing->where : "body",
                  "can be read in two ways, with %s or with %s as the queens: write Q and .", show(a, first),
                  show(b, second));
}

/* Of two signs of which neither is known to be a queen. */
static void choose_of_two(struct drawing *drawing, const struct sign *a, const struct sign *b)
{
    if (is_empty(a->code) && is_empty(b->code)) {
        drawing->queen = VERIFY_BROKEN;
        return;
    }
    if (is_empty(a->code) || (is_rather_empty(a->code) && !is_empty(b->code) && !is_rather_empty(b->code))) {
        const struct sign *swapped = a;
        a = b;
        b = swapped;
    }
    /* Now a is a queen rather than b, if there is a difference. */
    const bool differ = is_empty(b->code) || (is_rather_empty(b->code) && !is_rather_empty(a->code));
    if (a->once != b->once && !(b->once && is_empty(b->code)))
        drawing->queen = a->once ? a->code : b->code;
    else if (differ && !b->once)
        drawing->queen = a->code;
    else if (differ && a->once)
        drawing->queen = a->code;
    else
        verify_refuse_signs(drawing, a->code, b->code);
}

/* Whether one of the signs is that of a cross, on a board that may have no queens: only if each row has one, it is a
 * queen. */
static bool may_be_crosses(const struct drawing *drawing)
{
    bool crosses = false;
    for (uint32_t i = 0; i < drawing->kinds; i++)
        crosses |= is_cross(drawing->signs[i].code) && !drawing->signs[i].once;
    return crosses && drawing->body->asked->board;
}

static const char either_cross[] = "can be read in two ways, with queens or with crosses: write Q for queens, or name "
                                   "the crosses in exclude";

static void choose_queen(struct drawing *drawing)
{
    const struct sign *signs = drawing->signs, *queen = NULL;
    for (uint32_t i = 0; i < drawing->kinds; i++) {
        if (!is_queen(signs[i].code))
            continue;
        if (queen)
            verify_refuse_signs(drawing, queen->code, signs[i].code);
        queen = &signs[i];
    }
    if (queen)
        drawing->queen = queen->code;
    else if (drawing->kinds == 2 && may_be_crosses(drawing))
        verify_refuse_drawn(drawing, either_cross);
    else if (drawing->kinds == 2)
        choose_of_two(drawing, &signs[0], &signs[1]);
    else if (drawing->kinds == 1 && !is_empty(signs[0].code) && !is_rather_empty(signs[0].code))
        verify_refuse_drawn(drawing, "can be read in two ways, as queens on all squares or on none: write Q or .");
    else if (drawing->kinds == 1)
        drawing->queen = VERIFY_BROKEN;
    else
        verify_refuse_drawn(drawing, "must have two signs, one for a queen and one for an empty square, as Q and .");
}

/* ---- Readers ---- */

static void begin_solution(struct drawing *drawing, enum verify_kind kind)
{
    if (!drawing->where)
        verify_solution(drawing->body);
    verify_kind(drawing->body, kind);
}

static void put_square(struct drawing *drawing, uint32_t code)
{
    struct verify_body *body = drawing->body;
    if (body->rows == 0 && body->squares == 0)
        begin_solution(drawing, VERIFY_DRAWN);
    if (code != drawing->queen && is_cross(code))
        verify_cross(body, true, body->rows, body->squares);
    (void)verify_square(body, code == drawing->queen ? '1' : '0');
}

static void put_row(struct drawing *drawing)
{
    struct verify_body *body = drawing->body;
    if (verify_row(body) == VERIFY_ROW_WIDTH)
        verify_refuse_drawn(drawing, "must have as many squares in each row as in the first");
    else if (body->rows >= verify_rows(body, body->width) && !drawing->where)
        verify_drawing(body);
}

/* Whether the lines are whole boards of so many columns. */
static bool makes_boards(const struct drawing *drawing, uint32_t width)
{
    const uint32_t rows = verify_rows(drawing->body, width);
    return rows && drawing->lines % rows == 0;
}

static bool is_board(const struct drawing *drawing)
{
    if (drawing->numbers && drawing->bits && drawing->longest == 1)
        return drawing->least > 1 && drawing->least == drawing->most && makes_boards(drawing, drawing->least);
    if (drawing->numbers)
        return drawing->bits && drawing->most == 1 && drawing->shortest == drawing->longest &&
               makes_boards(drawing, (uint32_t)drawing->longest);
    return !drawing->names && !drawing->digits && drawing->lines > 0;
}

static void read_boards(struct drawing *drawing)
{
    static const struct walk count = {count_square, count_row}, put = {put_square, put_row};
    struct verify_body *body = drawing->body;
    if (drawing->numbers && drawing->longest == 1 && drawing->least == 2) {
        verify_refuse_drawn(drawing,
                            "can be read in two ways, as rows of a board or as permutations from 0: write Q and .");
        return;
    }
    walk_boards(drawing, &count);
    if (verify_goes_on(body))
        choose_queen(drawing);
    if (!verify_goes_on(body))
        return;
    walk_boards(drawing, &put);
    if (verify_goes_on(body) && body->rows)
        verify_drawing(body);
}

/* ---- Boards whose empty squares are blanks ---- */

/* One sign, the queen, and blanks: where it stands in its line says the column. A square has one character, or two with
 * the blank behind it. */
struct blanks {
    uint32_t sign, lines;
    size_t last, shortest, longest; /* where the last queen stands in its line, from 0; characters of a line */
    bool blank, odd;                /* there is one; a queen stands behind an odd number of characters */
    bool empty;                     /* a line has none */
};

/* False: the line has something else. */
static bool survey_blanks(const struct drawing *drawing, struct blanks *blanks, size_t at, size_t end)
{
    size_t width = 0;
    for (; at < end; width++) {
        const uint32_t code = next_sign(drawing, &at);
        if (code == '\r' && at == end)
            break;
        blanks->blank |= code == BLANK;
        if (code == BLANK)
            continue;
        if (blanks->sign == 0)
            blanks->sign = code;
        if (code != blanks->sign)
            return false;
        blanks->odd |= width % 2 == 1;
        if (width > blanks->last)
            blanks->last = width;
    }
    blanks->empty |= width == 0;
    blanks->shortest = width < blanks->shortest ? width : blanks->shortest;
    blanks->longest = width > blanks->longest ? width : blanks->longest;
    return true;
}

static bool is_queens_alone(uint32_t code)
{
    return code > BLANK && !is_empty(code) && !is_rather_empty(code) && !is_gap(code) && !is_bar(code) &&
           !is_frame(code) && !(code >= '0' && code <= '9') && code != VERIFY_BROKEN;
}

/* Whether there are as many lines as columns, if a square has so many characters. */
static bool fits(const struct blanks *blanks, size_t step)
{
    return (step == 1 || !blanks->odd) && blanks->last / step < blanks->lines && blanks->longest / 2 <= blanks->lines;
}

static bool find_blanks(const struct drawing *drawing, struct blanks *blanks)
{
    *blanks = (struct blanks){.shortest = SIZE_MAX};
    for (size_t at = 0, end; at < drawing->size && verify_goes_on(drawing->body); at = end + 1, blanks->lines++) {
        end = line_end(drawing, at);
        if (!survey_blanks(drawing, blanks, at, end))
            return false;
    }
    return blanks->blank && blanks->lines > 1 && is_queens_alone(blanks->sign) && (fits(blanks, 1) || fits(blanks, 2));
}

static bool is_blanks(const struct drawing *drawing)
{
    struct blanks blanks;
    return find_blanks(drawing, &blanks);
}

/* How many characters a square has; 0: that can be read in two ways. */
static size_t step_of(const struct blanks *blanks)
{
    if (!fits(blanks, 2) || blanks->last == 0)
        return 1;
    if (!fits(blanks, 1) || blanks->shortest + 1 >= 2 * (size_t)blanks->lines)
        return 2;
    return blanks->shortest == blanks->lines && blanks->longest == blanks->lines ? 1 : 0;
}

/* Whether the lines may also be several boards, one below the other: no line has the last column, and smaller boards
 * have all columns with queens. */
static bool may_be_several(const struct blanks *blanks, size_t step)
{
    if (blanks->longest + 1 >= (blanks->lines + 1) * step)
        return false;
    for (uint32_t n = (uint32_t)(blanks->last / step) + 1; n <= blanks->lines / 2; n++)
        if (blanks->lines % n == 0)
            return true;
    return false;
}

static void put_blanks(struct drawing *drawing, const struct blanks *blanks, size_t step)
{
    struct verify_body *body = drawing->body;
    uint32_t row = 0;
    begin_solution(drawing, VERIFY_DRAWN);
    for (size_t at = 0, end; at < drawing->size && verify_goes_on(body); at = end + 1, row++) {
        end = line_end(drawing, at);
        for (size_t width = 0; at < end; width++)
            if (next_sign(drawing, &at) == blanks->sign)
                verify_queen(body, row, (uint32_t)(width / step));
    }
    body->rows = body->width = row;
    verify_drawing(body);
}

static void read_blanks(struct drawing *drawing)
{
    struct blanks blanks;
    (void)find_blanks(drawing, &blanks);
    const size_t step = step_of(&blanks);
    if (drawing->body->has_m || drawing->body->asked->m)
        verify_refuse_drawn(drawing, "does not show how many columns the board has: write Q and .");
    else if (blanks.empty)
        verify_refuse_drawn(drawing, "can be read in two ways, with empty lines as rows or between boards: "
                                     "write Q and .");
    else if (step == 0)
        verify_refuse_drawn(drawing, "can be read in two ways, with one or with two characters for a square: "
                                     "write Q and .");
    else if (may_be_several(&blanks, step))
        verify_refuse_drawn(drawing, "can be read in two ways, as one board or as several: write Q and .");
    else
        put_blanks(drawing, &blanks, step);
    if (drawing->body->asked->board && is_cross(blanks.sign) && verify_count(drawing->body) != blanks.lines)
        verify_refuse_drawn(drawing, either_cross);
}

/* ---- Other readers ---- */

/* So far such a list has a byte that shows it: what begins with so many numbers goes on with them. */
enum { PYTHON_WITHIN = 4096 };

/* Whether a body is a list as Python prints it: no JSON begins with a parenthesis, or has one, a single quote, or one
 * of the words True, False and None before the first string. */
static bool is_python(const struct drawing *drawing)
{
    size_t at = 0;
    while (at < drawing->size && strchr(" \t\r\n", drawing->text[at] ? drawing->text[at] : 'x'))
        at++;
    if (drawing->where || at == drawing->size || !strchr("[{(", drawing->text[at] ? drawing->text[at] : 'x'))
        return false;
    const size_t end = drawing->size - at > PYTHON_WITHIN ? at + PYTHON_WITHIN : drawing->size;
    while (at < end && !strchr("\"'(TFN", drawing->text[at] ? drawing->text[at] : 'x'))
        at++;
    return at < end && drawing->text[at] != '"';
}

static bool is_names(const struct drawing *drawing)
{
    return drawing->lines > 0 && drawing->names;
}

/* "c2": the third square of the second row. */
static void read_names(struct drawing *drawing)
{
    struct verify_body *body = drawing->body;
    if (drawing->lines > 1 && drawing->most > 1) {
        verify_refuse_drawn(drawing, "can be read in two ways, as one board or as a board a line: write one line");
        return;
    }
    begin_solution(drawing, VERIFY_NAMED);
    for (size_t at = 0; at < drawing->size && verify_goes_on(body);) {
        uint32_t column = 0, row = 0;
        for (; at < drawing->size && (drawing->text[at] | 0x20) >= 'a' && (drawing->text[at] | 0x20) <= 'z'; at++)
            column = 26 * column + (uint32_t)((drawing->text[at] | 0x20) - 'a' + 1);
        for (; at < drawing->size && verify_is_digit(drawing->text[at]); at++)
            row = verify_digit(row, drawing->text[at]);
        if (column)
            verify_queen(body, row - 1, column - 1);
        else
            at++; /* between two names */
    }
}

static bool is_digits(const struct drawing *drawing)
{
    return drawing->lines > 0 && drawing->numbers && drawing->most == 1 && drawing->shortest > 1;
}

static void read_digits(struct drawing *drawing)
{
    struct verify_body *body = drawing->body;
    bool begun = drawing->where && drawing->lines == 1;
    if (drawing->shortest == 2) {
        verify_refuse_drawn(drawing,
                            "can be read in two ways, as one number or as two digits: put blanks between the columns");
        return;
    }
    if (drawing->longest > 9 || (drawing->where && drawing->lines > 1)) {
        verify_refuse_drawn(drawing, "must have blanks between the columns");
        return;
    }
    if (begun)
        verify_kind(body, VERIFY_COLUMNS);
    uint32_t row = 0;
    for (size_t at = 0; at < drawing->size && verify_goes_on(body); at++) {
        if (!verify_is_digit(drawing->text[at])) {
            row = 0;
            continue;
        }
        if (row == 0 && !drawing->where)
            begin_solution(drawing, VERIFY_COLUMNS);
        verify_queen(body, row++, (uint32_t)(drawing->text[at] - '0'));
    }
}

static bool is_numbers(const struct drawing *drawing)
{
    return drawing->lines > 0 && drawing->numbers;
}

/* A solution a line; a string is one. */
static void read_columns_apart(struct drawing *drawing)
{
    struct verify_body *body = drawing->body;
    bool within = false, begun = false;
    uint32_t number = 0, row = 0;
    for (size_t at = 0; at <= drawing->size && verify_goes_on(body); at++) {
        const int c = at < drawing->size ? drawing->text[at] : '\n';
        if (verify_is_digit(c)) {
            if (!begun)
                begin_solution(drawing, VERIFY_COLUMNS);
            begun = within = true;
            number = verify_digit(number, c);
            continue;
        }
        if (within)
            verify_queen(body, row++, number);
        within = false;
        number = 0;
        if (ends_line((unsigned char)c) && !drawing->where) {
            begun = false;
            row = 0;
        }
    }
}

static const struct {
    const char *name; /* as in docs/contract/verify.yaml, whose examples it reads */
    bool (*is)(const struct drawing *drawing);
    void (*read)(struct drawing *drawing); /* NULL: the reader of JSON */
} readers[] = {
    {.name = "python", .is = is_python},
    {.name = "blanks", .is = is_blanks, .read = read_blanks},
    {.name = "names", .is = is_names, .read = read_names},
    {.name = "board", .is = is_board, .read = read_boards},
    {.name = "digits", .is = is_digits, .read = read_digits},
    {.name = "columns", .is = is_numbers, .read = read_columns_apart},
};

enum { READERS = sizeof readers / sizeof readers[0] };

/* False: no reader reads it. */
static bool read_drawing(struct drawing *drawing)
{
    for (size_t i = 0; i < READERS; i++)
        if (readers[i].read && readers[i].is(drawing)) {
            readers[i].read(drawing);
            return true;
        }
    return false;
}

/* In the forms that format=text writes, or has: its first line, READY., numbers of solutions. */
static bool is_own(const struct drawing *drawing)
{
    size_t at = 0;
    while (at < drawing->size && (is_gap((unsigned char)drawing->text[at]) || drawing->text[at] == '\n'))
        at++;
    const bool headed = at + 3 < drawing->size && memcmp(drawing->text + at, "n = ", 4) == 0;
    const bool numbers = drawing->numbers && !drawing->commas;
    const bool apart = numbers && drawing->longest == 1 && drawing->bits && drawing->lines > 1 && drawing->most > 1;
    const bool digits = numbers && drawing->most == 1 && drawing->shortest > 1 && !drawing->bits;
    return headed || drawing->broken || drawing->plain || memchr(drawing->text, '>', drawing->size) ||
           (numbers && !apart && !digits);
}

bool verify_is_python(struct verify_body *body)
{
    return is_python(&(struct drawing){.body = body, .text = body->data, .size = body->size});
}

bool verify_read_drawn(struct verify_body *body)
{
    struct drawing drawing = {.body = body, .text = body->data, .size = body->size};
    survey(&drawing);
    return !verify_goes_on(body) || (!is_own(&drawing) && read_drawing(&drawing));
}

void verify_read_string(struct verify_body *body, const char *text, size_t size, const char *where)
{
    struct drawing drawing = {.body = body, .where = where, .text = text, .size = size};
    survey(&drawing);
    if (verify_goes_on(body) && (drawing.broken || !read_drawing(&drawing)))
        verify_refuse_drawn(&drawing, "must be a drawn board, columns or names of squares");
}
