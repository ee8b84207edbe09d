/* regions_link.c - boards as links of puzz.link: the borders between squares, as the engine pzpr writes and reads them.
 */
#include <string.h>

#include "board/regions.h"

static const char kind[] = "starbattle/";
enum { KIND = sizeof kind - 1, DIGIT_BITS = 5, NUMBER_MAX = 9999, NO_DIGIT = 32 };

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

static bool border(const char *borders, uint32_t index)
{
    return digit_of(borders[index / DIGIT_BITS]) >> (DIGIT_BITS - 1 - index % DIGIT_BITS) & 1;
}

/* Whether there is a border between a square and the one to the right of it, or below it. */
static bool border_between(uint32_t n, const char *borders, uint32_t a, uint32_t b)
{
    const uint32_t first = a < b ? a : b, row = first / n, column = first % n;
    if (first + n == a + b - first)
        return border(borders + digits(n * (n - 1)), first);
    return border(borders, row * (n - 1) + column);
}

/* Numbers the squares by the regions that the borders leave. */
static void paint(uint32_t n, const char *borders, uint64_t *ids)
{
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
                if (ids[beside[i]] == REGIONS_NO_ID && !border_between(n, borders, queue[at], beside[i])) {
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

bool regions_read_link(const char *text, size_t size, struct regions *regions, struct regions_fault *fault)
{
    uint64_t ids[REGIONS_MAX_SQUARES];
    size_t at;
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
    paint(n, text + at, ids);
    return regions_read_ids(n, ids, false, regions, fault);
}

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
    if (!is_plain(text, size))
        *fault = as_labels;
    return false;
}
