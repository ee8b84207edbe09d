/* regions.c - what a painted board must be, whatever form it came in. */
#include "board/regions.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

void regions_fault_text(const struct regions_fault *fault, uint32_t base, struct bytes *out)
{
    const uint32_t row = fault->row + base, column = fault->column + base, n = fault->n, number = fault->number;
    switch (fault->wrong) {
    case REGIONS_RIGHT: return;
    case REGIONS_SIZE:
        bytes_format(out, "The board has %" PRIu32 " rows; there must be %d to %d.", number, REGIONS_MIN_N,
                     REGIONS_MAX_N);
        return;
    case REGIONS_ROW:
        bytes_format(out, "Row %" PRIu32 " has %" PRIu32 " squares; a board of %" PRIu32 " rows needs %" PRIu32 ".",
                     row, number, n, n);
        return;
    case REGIONS_LETTER:
        bytes_format(out, "Row %" PRIu32 ", column %" PRIu32 " is no letter; write one letter (a-z, A-Z) per square.",
                     row, column);
        return;
    case REGIONS_NONE:
        bytes_format(out, "Row %" PRIu32 ", column %" PRIu32 " is in no region; every square needs one.", row, column);
        return;
    case REGIONS_FEW:
        bytes_format(out, "The board has %" PRIu32 " regions; %" PRIu32 " rows need %" PRIu32 ".", number, n, n);
        return;
    case REGIONS_MANY:
        bytes_format(out,
                     "The board has %" PRIu32 " regions; %" PRIu32 " rows need %" PRIu32
                     ". The first of one too many is row %" PRIu32 ", column %" PRIu32 ".",
                     number, n, n, row, column);
        return;
    case REGIONS_APART:
        bytes_format(out,
                     "Row %" PRIu32 ", column %" PRIu32
                     " is not connected with the squares of its region that come before it; the squares of a region "
                     "must be connected by their sides.",
                     row, column);
        return;
    case REGIONS_LINK: bytes_text(out, "The link must end with starbattle/n/n/1/borders."); return;
    case REGIONS_LINK_SIZE:
        bytes_format(out, "The board of the link has %" PRIu32 " columns and %" PRIu32 " rows; it must be square.", n,
                     number);
        return;
    case REGIONS_STARS:
        bytes_format(out, "It asks for %" PRIu32 " stars in each row; only boards with 1 are accepted.", number);
        return;
    case REGIONS_BORDERS:
        bytes_format(out, "The link has %" PRIu32 " digits of borders; a board of %" PRIu32 " rows needs %" PRIu32 ".",
                     number, n, 2 * ((n * (n - 1) + 4) / 5));
        return;
    case REGIONS_LABELS:
        bytes_format(out,
                     "It has %" PRIu32 " labels; a board of n rows needs n * n of them, or n words of n letters, for n "
                     "= %d to %d.",
                     number, REGIONS_MIN_N, REGIONS_MAX_N);
        return;
    case REGIONS_TWO_WAYS:
        bytes_format(out,
                     "It is both a board of %" PRIu32
                     " rows, each a word, and one whose squares are these words; write "
                     "a comma between all squares, or rows of letters with / between them.",
                     n);
        return;
    case REGIONS_DIGIT:
        bytes_format(out, "Digit %" PRIu32 " of the link's borders is none of 0-9 and a-v.", number);
        return;
    }
}

unsigned regions_beside(uint32_t n, uint32_t square, uint32_t beside[static 4])
{
    const uint32_t row = square / n, column = square % n;
    unsigned count = 0;
    if (row > 0)
        beside[count++] = square - n;
    if (column > 0)
        beside[count++] = square - 1;
    if (column + 1 < n)
        beside[count++] = square + 1;
    if (row + 1 < n)
        beside[count++] = square + n;
    return count;
}

/* Marks the squares of a region that are connected with one; returns how many. */
static uint32_t flood(uint32_t n, const uint8_t *of, uint32_t from, bool *reached)
{
    uint32_t queue[REGIONS_MAX_SQUARES], beside[4], count = 0;
    queue[count++] = from;
    reached[from] = true;
    for (uint32_t at = 0; at < count; at++)
        for (unsigned i = regions_beside(n, queue[at], beside); i-- > 0;)
            if (!reached[beside[i]] && of[beside[i]] == of[from]) {
                reached[beside[i]] = true;
                queue[count++] = beside[i];
            }
    return count;
}

bool regions_connected(uint32_t n, const uint8_t *of, uint8_t region, uint32_t without)
{
    assert(n <= REGIONS_MAX_N && without <= REGIONS_MAX_SQUARES);
    bool reached[REGIONS_MAX_SQUARES] = {false};
    uint32_t first = n * n, size = 0;
    if (without < n * n)
        reached[without] = true;
    for (uint32_t square = n * n; square-- > 0;)
        if (of[square] == region && square != without) {
            first = square;
            size++;
        }
    return !size || flood(n, of, first, reached) == size;
}

bool regions_apart(const struct regions *regions, bool apart[static REGIONS_MAX_SQUARES])
{
    const uint32_t squares = regions->n * regions->n;
    bool reached[REGIONS_MAX_SQUARES] = {false}, begun[REGIONS_MAX_N] = {false}, any = false;
    for (uint32_t square = 0; square < squares; square++) {
        const uint8_t region = regions->of[square];
        if (!begun[region])
            (void)flood(regions->n, regions->of, square, reached);
        begun[region] = true;
        apart[square] = !reached[square];
        any |= apart[square];
    }
    return any;
}

void regions_number(struct regions *regions)
{
    assert(regions->n <= REGIONS_MAX_N);
    const uint32_t squares = regions->n * regions->n;
    uint8_t number[UINT8_MAX + 1], count = 0;
    memset(number, UINT8_MAX, sizeof number);
    for (uint32_t square = 0; square < squares; square++) {
        uint8_t *of = &regions->of[square];
        if (number[*of] == UINT8_MAX)
            number[*of] = count++;
        *of = number[*of];
    }
}

static bool wrong(struct regions_fault *fault, enum regions_wrong wrong, uint32_t square, uint32_t number)
{
    fault->wrong = wrong;
    fault->row = fault->n ? square / fault->n : 0;
    fault->column = fault->n ? square % fault->n : 0;
    fault->number = number;
    return false;
}

/* The regions by number, and how many; from n on they are counted only. */
static bool number_ids(uint32_t n, const uint64_t *ids, struct regions *regions, struct regions_fault *fault)
{
    uint64_t seen[REGIONS_MAX_SQUARES];
    uint32_t count = 0, beyond = 0;
    for (uint32_t square = 0; square < n * n; square++) {
        uint32_t number = 0;
        if (ids[square] == REGIONS_NO_ID)
            return wrong(fault, REGIONS_NONE, square, 0);
        while (number < count && seen[number] != ids[square])
            number++;
        if (number == count) {
            seen[count++] = ids[square];
            beyond = count == n + 1 ? square : beyond;
        }
        regions->of[square] = (uint8_t)number; /* that of a board with too many may not fit */
    }
    if (count == n)
        return true;
    return wrong(fault, count < n ? REGIONS_FEW : REGIONS_MANY, beyond, count);
}

bool regions_read_ids(uint32_t n, const uint64_t *ids, bool apart, struct regions *regions, struct regions_fault *fault)
{
    bool reached[REGIONS_MAX_SQUARES] = {false}, begun[REGIONS_MAX_N] = {false};
    *fault = (struct regions_fault){.n = n};
    if (n < REGIONS_MIN_N || n > REGIONS_MAX_N)
        return wrong(fault, REGIONS_SIZE, 0, n);
    regions->n = n;
    if (!number_ids(n, ids, regions, fault))
        return false;
    for (uint32_t square = 0; square < n * n && !apart; square++) {
        if (reached[square])
            continue;
        if (begun[regions->of[square]])
            return wrong(fault, REGIONS_APART, square, 0);
        begun[regions->of[square]] = true;
        (void)flood(n, regions->of, square, reached);
    }
    return true;
}

/* ---- Text ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_end(char c)
{
    return c == '/' || c == '\n';
}

/* Where the row that begins at `at` ends. */
static size_t row_end(const char *text, size_t size, size_t at)
{
    while (at < size && !is_end(text[at]))
        at++;
    return at;
}

/* Without a carriage return before its end. */
static size_t row_length(const char *text, size_t at, size_t end)
{
    return end - at - (end > at && text[end - 1] == '\r');
}

static uint32_t count_rows(const char *text, size_t size)
{
    uint32_t rows = 0;
    for (size_t at = 0; at < size; at = row_end(text, size, at) + 1)
        rows++;
    return rows;
}

bool regions_read_text(const char *text, size_t size, bool apart, struct regions *regions, struct regions_fault *fault)
{
    uint64_t ids[REGIONS_MAX_SQUARES];
    const uint32_t n = count_rows(text, size);
    size_t at = 0;
    *fault = (struct regions_fault){.wrong = REGIONS_SIZE, .number = n};
    if (n < REGIONS_MIN_N || n > REGIONS_MAX_N)
        return false;
    for (uint32_t row = 0; row < n; row++) {
        const size_t end = row_end(text, size, at), length = row_length(text, at, end);
        *fault = (struct regions_fault){REGIONS_ROW, n, row, 0, (uint32_t)length};
        if (length != n)
            return false;
        for (uint32_t column = 0; column < n; column++) {
            const char c = text[at + column];
            *fault = (struct regions_fault){c == '.' ? REGIONS_NONE : REGIONS_LETTER, n, row, column, 0};
            if (!is_letter(c))
                return false;
            ids[row * n + column] = (unsigned char)c;
        }
        at = end + 1;
    }
    return regions_read_ids(n, ids, apart, regions, fault);
}

const char *regions_text(const struct regions *regions, char separator, char text[static REGIONS_TEXT_MAX])
{
    const uint32_t n = regions->n;
    char *at = text;
    for (uint32_t square = 0; square < n * n; square++) {
        if (square && square % n == 0)
            *at++ = separator;
        *at++ = (char)('a' + regions->of[square]);
    }
    *at = '\0';
    return text;
}

void regions_write_text(const struct regions *regions, char separator, struct bytes *out)
{
    char text[REGIONS_TEXT_MAX];
    bytes_text(out, regions_text(regions, separator, text));
}
