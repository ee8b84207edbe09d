/* regions_text.c - boards as rows of letters. */
#include <string.h>

#include "board/regions.h"

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
