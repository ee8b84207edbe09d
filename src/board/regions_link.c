/* regions_link.c - boards as the borders between squares: links of puzz.link, as the engine pzpr writes and reads them,
 * and the codes of Star Battle notation. */
#include <string.h>

#include "board/regions.h"

static const char kind[] = "starbattle/";
enum { KIND = sizeof kind - 1, DIGIT_BITS = 5, NUMBER_MAX = 9999, NO_DIGIT = 32, HEXADECIMAL = 16, LINK_MAX = 8192 };

/* Digits of so many borders. */
static size_t digits(uint32_t borders)
{
    return (borders + DIGIT_BITS - 1) / DIGIT_BITS;
}

static uint32_t digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0');
    if (c >= 'a' && c <= 'v')
        return (uint32_t)(c - 'a' + 10);
    return c >= 'A' && c <= 'V' ? (uint32_t)(c - 'A' + 10) : NO_DIGIT;
}

/* What follows the kind of puzzle, at the beginning or behind a question mark; size if there is none. */
static size_t after_kind(const char *text, size_t size)
{
    for (size_t at = 0; at + KIND <= size; at++)
        if ((!at || text[at - 1] == '?') && memcmp(text + at, kind, KIND) == 0)
            return at + KIND;
    return size;
}

/* A link within the address of another page (penpa-edit/?p=...), where its signs may be escaped: as it was. What does
 * not fit into a link is left out. Returns the size. */
static size_t unescape(const char *text, size_t size, char link[static LINK_MAX])
{
    size_t to = 0;
    for (size_t at = 0; at < size && to < LINK_MAX; at++) {
        const uint32_t high = at + 2 < size && text[at] == '%' ? digit_of(text[at + 1]) : NO_DIGIT;
        const uint32_t low = high < NO_DIGIT ? digit_of(text[at + 2]) : NO_DIGIT;
        const bool escaped = high < HEXADECIMAL && low < HEXADECIMAL;
        link[to] = text[at];
        if (escaped) {
            link[to] = (char)(unsigned char)(high * HEXADECIMAL + low);
            at += 2;
        }
        to++;
    }
    return to;
}

/* Without what follows the link in such an address. */
static size_t link_end(const char *text, size_t size)
{
    size_t at = after_kind(text, size);
    while (at < size && text[at] != '&' && text[at] != '#')
        at++;
    return at;
}

bool regions_is_link(const char *text, size_t size)
{
    return after_kind(text, size) < size || (size >= 4 && memcmp(text, "http", 4) == 0);
}

/* A number, and the slash behind it. */
static bool read_number(const char *text, size_t size, size_t *at, uint32_t *number)
{
    const size_t first = *at;
    for (*number = 0; *at < size && text[*at] >= '0' && text[*at] <= '9'; ++*at) {
        *number = *number * 10 + (uint32_t)(text[*at] - '0');
        if (*number > NUMBER_MAX)
            return false;
    }
    return *at > first && *at < size && text[(*at)++] == '/';
}

/* Borders of a board: digits, and whether they have one between a square and the next in its row, or the one below. */
struct borders {
    uint32_t n;
    const char *digits;
    bool (*beside)(const struct borders *borders, uint32_t row, uint32_t column);
    bool (*below)(const struct borders *borders, uint32_t row, uint32_t column);
};

static bool link_bit(const char *borders, uint32_t index)
{
    return digit_of(borders[index / DIGIT_BITS]) >> (DIGIT_BITS - 1 - index % DIGIT_BITS) & 1;
}

static bool link_beside(const struct borders *borders, uint32_t row, uint32_t column)
{
    return link_bit(borders->digits, row * (borders->n - 1) + column);
}

static bool link_below(const struct borders *borders, uint32_t row, uint32_t column)
{
    return link_bit(borders->digits + digits(borders->n * (borders->n - 1)), row * borders->n + column);
}

static bool border_between(const struct borders *borders, uint32_t a, uint32_t b)
{
    const uint32_t n = borders->n, first = a < b ? a : b;
    const bool down = first + n == a + b - first;
    return (down ? borders->below : borders->beside)(borders, first / n, first % n);
}

/* Numbers the squares by the regions that the borders leave. */
static void paint(const struct borders *borders, uint64_t *ids)
{
    const uint32_t n = borders->n;
    uint32_t queue[REGIONS_MAX_SQUARES], beside[4];
    for (uint32_t square = 0; square < n * n; square++)
        ids[square] = REGIONS_NO_ID;
    for (uint32_t square = 0; square < n * n; square++) {
        uint32_t count = 0;
        if (ids[square] == REGIONS_NO_ID) {
            ids[square] = square;
            queue[count++] = square;
        }
        for (uint32_t at = 0; at < count; at++)
            for (unsigned i = regions_beside(n, queue[at], beside); i-- > 0;)
                if (ids[beside[i]] == REGIONS_NO_ID && !border_between(borders, queue[at], beside[i])) {
                    ids[beside[i]] = square;
                    queue[count++] = beside[i];
                }
    }
}

static bool read_head(const char *text, size_t size, size_t *at, struct regions_fault *fault)
{
    uint32_t columns, rows, stars;
    *fault = (struct regions_fault){.wrong = REGIONS_LINK};
    *at = after_kind(text, size);
    if (!read_number(text, size, at, &columns) || !read_number(text, size, at, &rows) ||
        !read_number(text, size, at, &stars))
        return false;
    *fault = (struct regions_fault){.n = columns};
    if (columns != rows) {
        fault->wrong = REGIONS_LINK_SIZE;
        fault->number = rows;
    } else if (rows < REGIONS_MIN_N || rows > REGIONS_MAX_N) {
        fault->wrong = REGIONS_SIZE;
        fault->number = rows;
    } else if (stars != 1) {
        fault->wrong = REGIONS_STARS;
        fault->number = stars;
    }
    return fault->wrong == REGIONS_RIGHT;
}

bool regions_read_link(const char *address, size_t length, struct regions *regions, struct regions_fault *fault)
{
    uint64_t ids[REGIONS_MAX_SQUARES];
    char text[LINK_MAX];
    size_t at, size = unescape(address, length, text);
    size = link_end(text, size);
    if (!read_head(text, size, &at, fault))
        return false;
    const uint32_t n = fault->n;
    const size_t given = size - at;
    if (given != 2 * digits(n * (n - 1))) {
        *fault = (struct regions_fault){.wrong = REGIONS_BORDERS, .n = n, .number = (uint32_t)given};
        return false;
    }
    for (size_t i = 0; i < given; i++)
        if (digit_of(text[at + i]) == NO_DIGIT) {
            *fault = (struct regions_fault){.wrong = REGIONS_DIGIT, .n = n, .number = (uint32_t)i + 1};
            return false;
        }
    paint(&(struct borders){n, text + at, link_beside, link_below}, ids);
    return regions_read_ids(n, ids, false, regions, fault);
}

/* ---- Star Battle notation ---- */

static const char code_digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
enum { CODE_BITS = 6, CODE_HEAD = 4, CODE_MIN_N = 5 };

static uint32_t code_digit(char c)
{
    const char *digit = c ? strchr(code_digits, c) : NULL;
    return digit ? (uint32_t)(digit - code_digits) : sizeof code_digits;
}

static uint32_t code_size(uint32_t n)
{
    return (2 * n * (n - 1) + CODE_BITS - 1) / CODE_BITS;
}

/* Bits that are left over stand before the first border. */
static bool code_bit(const struct borders *borders, uint32_t index)
{
    const uint32_t n = borders->n, bit = index + CODE_BITS * code_size(n) - 2 * n * (n - 1);
    return code_digit(borders->digits[bit / CODE_BITS]) >> (CODE_BITS - 1 - bit % CODE_BITS) & 1;
}

static bool code_beside(const struct borders *borders, uint32_t row, uint32_t column)
{
    return code_bit(borders, row * (borders->n - 1) + column);
}

/* These are written column by column. */
static bool code_below(const struct borders *borders, uint32_t row, uint32_t column)
{
    const uint32_t n = borders->n;
    return code_bit(borders, n * (n - 1) + column * (n - 1) + row);
}

/* A code of Star Battle notation, "551W9jo0cIn": n as a digit of base 64 (0-9, A-Z, a-z, -, _), twice; stars; W,
 * or e with marks of a player behind the board, which are not read; then borders as bits, six in a digit,
 * right-justified: those between squares of a row, row by row; then those between squares of a column, column by
 * column. n is at least 5 there. A tilde and moves may follow, which are not read, either. */
static bool regions_is_code(const char *text, size_t size)
{
    if (size <= CODE_HEAD || text[0] != text[1] || text[2] < '0' || text[2] > '9' || (text[3] != 'W' && text[3] != 'e'))
        return false;
    const uint32_t n = code_digit(text[0]);
    if (n < CODE_MIN_N || n > REGIONS_MAX_N)
        return false;
    const size_t end = CODE_HEAD + code_size(n);
    for (size_t at = CODE_HEAD; at < end; at++)
        if (at >= size || code_digit(text[at]) == sizeof code_digits)
            return false;
    return size == end || text[3] == 'e' || text[end] == '~';
}

/* Without blanks and line ends behind it. */
static size_t code_end(const char *text, size_t size)
{
    while (size && text[size - 1] <= ' ')
        size--;
    return size;
}

static bool regions_read_code(const char *text, struct regions *regions, struct regions_fault *fault)
{
    uint64_t ids[REGIONS_MAX_SQUARES];
    const uint32_t n = code_digit(*text);
    *fault = (struct regions_fault){.wrong = REGIONS_STARS, .n = n, .number = (uint32_t)(text[2] - '0')};
    if (text[2] != '1')
        return false;
    paint(&(struct borders){n, text + CODE_HEAD, code_beside, code_below}, ids);
    return regions_read_ids(n, ids, false, regions, fault);
}

/* ---- Written ---- */

/* Appends borders as digits: those between a square and the one `step` further. */
static void write_borders(const struct regions *regions, uint32_t step, struct bytes *out)
{
    const uint32_t n = regions->n;
    uint32_t digit = 0, bits = 0;
    for (uint32_t square = 0; square < n * n; square++) {
        if (step == 1 ? square % n == n - 1 : square + n >= n * n)
            continue;
        digit = digit << 1 | (regions->of[square] != regions->of[square + step]);
        if (++bits % DIGIT_BITS == 0) {
            bytes_char(out, "0123456789abcdefghijklmnopqrstuv"[digit]);
            digit = 0;
        }
    }
    if (bits % DIGIT_BITS)
        bytes_char(out, "0123456789abcdefghijklmnopqrstuv"[digit << (DIGIT_BITS - bits % DIGIT_BITS)]);
}

void regions_write_link(const struct regions *regions, struct bytes *out)
{
    bytes_format(out, "%s%u/%u/1/", kind, (unsigned)regions->n, (unsigned)regions->n);
    write_borders(regions, 1, out);
    write_borders(regions, regions->n, out);
}

/* Whether a text can only be meant as rows of letters. */
static bool is_plain(const char *text, size_t size)
{
    bool ends = false;
    for (size_t at = 0; at < size; at++) {
        const char c = text[at];
        ends |= c == '/' || c == '\n';
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '.' && c != '/' && c != '\n' && c != '\r')
            return false;
    }
    return ends;
}

bool regions_read(const char *text, size_t size, bool apart, struct regions *regions, struct regions_fault *fault)
{
    enum { MARK = 3 };
    struct regions_fault as_labels;
    const size_t mark = size >= MARK && memcmp(text, "\xef\xbb\xbf", MARK) == 0 ? MARK : 0;
    text += mark;
    size -= mark;
    if (regions_is_link(text, size))
        return regions_read_link(text, size, regions, fault);
    if (regions_read_text(text, size, apart, regions, fault))
        return true;
    if (regions_read_labels(text, size, apart, regions, &as_labels)) {
        fault->wrong = REGIONS_RIGHT;
        return true;
    }
    if (regions_is_code(text, code_end(text, size)))
        return regions_read_code(text, regions, fault);
    if (!is_plain(text, size))
        *fault = as_labels;
    return false;
}
