/* lines.c - numbers by table, two at a time. The bytes go out in words of eight, of which the next ones overwrite what
 * is too much: no byte is looked at, and nothing branches but on the end. Lines are of one size, so that a line does
 * not wait for the end of the one before: a processor writes several at once. */
#include "formats/lines.h"

#include <string.h>

static const char head[] = "{\"permutation\":[", tail[] = "]}\n";

/* Where an entry keeps the number of its bytes. */
enum { SIZE_AT = 7 };

/* What lines of a run have in common is copied in pieces of this size: mostly one. */
enum { PIECE = LINES_SLACK };

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
    *lines = (struct lines){.n = n, .bits = find_bits(n)};
    size_t numbers = 0;
    for (uint32_t a = 0; a < n; a++) {
        char text[8] = {0};
        text[SIZE_AT] = (char)put_number(text, a + base);
        numbers += (size_t)text[SIZE_AT];
        memcpy(&lines->one[a], text, sizeof text);
        for (uint32_t b = 0; b < n; b++) {
            const size_t first = put_number(text, a + base);
            text[SIZE_AT] = (char)(first + put_number(text + first, b + base));
            memcpy(&lines->two[a << lines->bits | b], text, sizeof text);
        }
    }
    lines->size = sizeof head - 1 + numbers - (n > 0) + sizeof tail - 1;
}

static inline __attribute__((always_inline)) char *put(char *to, const uint64_t *entry)
{
    memcpy(to, entry, sizeof *entry);
    return to + ((const char *)entry)[SIZE_AT];
}

/* Ends a line of that size, over its last comma. */
static inline void put_tail(char *line, size_t size)
{
    memcpy(line + size - (sizeof tail - 1), tail, sizeof tail - 1);
}

size_t lines_write(const struct lines *lines, const uint8_t *columns, size_t count, char *to)
{
    const uint32_t n = lines->n;
    const size_t line = lines->size;
    for (size_t i = 0; i < count; i++, columns += n, to += line) {
        uint32_t row = 0;
        memcpy(to, head, sizeof head - 1);
        char *at = to + sizeof head - 1;
        for (; row + 1 < n; row += 2)
            at = put(at, &lines->two[(uint32_t)columns[row] << lines->bits | columns[row + 1]]);
        if (row < n)
            (void)put(at, &lines->one[columns[row]]);
        put_tail(to, line);
    }
    return count * line;
}

/* What all lines of a run begin with. */
struct lead {
    size_t size;
    char text[LINES_MAX_SIZE + PIECE];
};

/* Writes the columns of each path behind the lead: `pairs` of them two by two, and before them one, if they are odd. */
static inline __attribute__((always_inline)) void put_paths(const struct lines *lines, struct run run,
                                                            const struct lead *lead, char *to, const unsigned bits,
                                                            const unsigned pairs)
{
    const uint64_t one = (UINT64_C(1) << bits) - 1, two = (UINT64_C(1) << 2 * bits) - 1;
    const size_t line = lines->size, size = lead->size;
    const bool odd = (lines->n - run.length) & 1;
    for (size_t i = 0; i < run.count; i++, to += line) {
        const uint64_t path = run.paths[i];
        char *at = to + size;
        memcpy(to, lead->text, PIECE);
        for (size_t done = PIECE; done < size; done += PIECE)
            memcpy(to + done, lead->text + done, PIECE);
        if (odd)
            at = put(at, &lines->one[path >> 2 * bits * pairs & one]);
        for (unsigned pair = pairs; pair-- > 0;)
            at = put(at, &lines->two[path >> 2 * bits * pair & two]);
        put_tail(to, line);
    }
}

/* As many rows as listers leave to their finders are written without a loop. */
static inline __attribute__((always_inline)) void put_run(const struct lines *lines, struct run run,
                                                          const struct lead *lead, char *to, const unsigned bits)
{
    switch ((lines->n - run.length) / 2) {
    case 5: put_paths(lines, run, lead, to, bits, 5); break;
    case 6: put_paths(lines, run, lead, to, bits, 6); break;
    default: put_paths(lines, run, lead, to, bits, (lines->n - run.length) / 2);
    }
}

size_t lines_write_run(const struct lines *lines, const struct run *run, char *to)
{
    struct lead lead = {.text = {0}};
    char *at = lead.text + sizeof head - 1;
    memcpy(lead.text, head, sizeof head - 1);
    for (uint32_t row = 0; row < run->length; row++)
        at = put(at, &lines->one[run->columns[row]]);
    lead.size = (size_t)(at - lead.text);
    if (lines->bits == 4)
        put_run(lines, *run, &lead, to, 4);
    else
        put_run(lines, *run, &lead, to, 5);
    return run->count * lines->size;
}
