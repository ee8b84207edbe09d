/* lines.c - numbers by table, two at a time. The bytes go out in words of eight, of which the next ones overwrite what
 * is too much: no byte is looked at, and nothing branches but on the end. */
#include "formats/lines.h"

#include <string.h>

static const char head[] = "{\"permutation\":[", tail[] = "]}\n";

/* Where an entry keeps the number of its bytes. */
enum { SIZE_AT = 7 };

static size_t put_number(char *to, uint32_t number)
{
    size_t size = 0;
    if (number >= 10)
        to[size++] = (char)('0' + number / 10);
    to[size++] = (char)('0' + number % 10);
    to[size++] = ',';
    return size;
}

void lines_begin(struct lines *lines, uint32_t n, uint32_t base)
{
    *lines = (struct lines){.n = n};
    size_t numbers = 0;
    for (uint32_t a = 0; a < n; a++) {
        char text[8] = {0};
        text[SIZE_AT] = (char)put_number(text, a + base);
        numbers += (size_t)text[SIZE_AT];
        memcpy(&lines->one[a], text, sizeof text);
        for (uint32_t b = 0; b < n; b++) {
            const size_t first = put_number(text, a + base);
            text[SIZE_AT] = (char)(first + put_number(text + first, b + base));
            memcpy(&lines->two[a << 5 | b], text, sizeof text);
        }
    }
    lines->size = strlen(head) + numbers - (n > 0) + strlen(tail);
}

static inline char *put(char *to, const uint64_t *entry)
{
    memcpy(to, entry, sizeof *entry);
    return to + ((const char *)entry)[SIZE_AT];
}

size_t lines_write(const struct lines *lines, const uint8_t *columns, size_t count, char *to)
{
    const uint32_t n = lines->n;
    char *at = to;
    for (size_t i = 0; i < count; i++, columns += n) {
        uint32_t row = 0;
        memcpy(at, head, strlen(head));
        at += strlen(head);
        for (; row + 1 < n; row += 2)
            at = put(at, &lines->two[(uint32_t)columns[row] << 5 | columns[row + 1]]);
        if (row < n)
            at = put(at, &lines->one[columns[row]]);
        at -= n > 0; /* the last comma */
        memcpy(at, tail, strlen(tail));
        at += strlen(tail);
    }
    return (size_t)(at - to);
}
