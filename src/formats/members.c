/* members.c - JSON members that more than one representation writes. They are written as text: a list of a million
 * solutions must not become a tree first. */
#include <inttypes.h>
#include <string.h>

#include "base/json_write.h"
#include "formats/format.h"

/* Writes a number of up to ten digits at `at`; returns the end. */
static char *put_number(char *at, uint32_t number)
{
    char digits[10];
    int count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    while (count)
        *at++ = digits[--count];
    return at;
}

void format_columns(struct bytes *out, uint32_t base, uint32_t count, const uint32_t *columns)
{
    char *start = bytes_reserve(out, (size_t)count * 11), *at = start;
    if (!start)
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            *at++ = ',';
        at = put_number(at, columns[i] + base);
    }
    out->size += (size_t)(at - start);
}

void format_exact(struct bytes *out, const char *name, uint64_t number)
{
    bytes_format(out, ",\"%s\":%" PRIu64 ",\"%s_text\":\"%" PRIu64 "\"", name, number, name, number);
}

void format_rank(struct bytes *out, const char *name, uint64_t rank)
{
    if (rank == RANK_UNKNOWN)
        bytes_format(out, ",\"%s\":null,\"%s_text\":null", name, name);
    else
        format_exact(out, name, rank);
}

void format_solution(struct bytes *out, const struct list_head *head, const uint32_t *columns, uint64_t rank)
{
    bytes_text(out, "{\"permutation\":[");
    format_columns(out, head->base, head->n, columns);
    bytes_char(out, ']');
    if (head->board != BOARD_NONE) {
        bytes_text(out, ",\"board\":");
        format_board(out, head->board, head->n, columns);
    }
    if (head->ranked)
        format_rank(out, "rank", rank);
    bytes_char(out, '}');
}

size_t format_next(struct bytes *out, const char *prefix, const char *next, const char *next_cursor)
{
    if (!next) {
        bytes_text(out, "\"next\":null,\"next_cursor\":null");
        return 0;
    }
    bytes_format(out, "\"next\":\"%s", prefix);
    const size_t link = out->size;
    bytes_format(out, "%s\",\"next_cursor\":\"%s\"", next, next_cursor);
    return link;
}

void format_place(struct bytes *out, uint32_t base, uint32_t row, uint32_t column)
{
    json_write_number(out, "row", (uint64_t)row + base);
    json_write_number(out, "column", (uint64_t)column + base);
}

void format_square(struct bytes *out, const char *name, uint32_t base, uint32_t row, uint32_t column)
{
    json_begin_object(out, name);
    format_place(out, base, row, column);
    json_end_object(out);
}

void format_apart(struct bytes *out, uint32_t base, const char *text)
{
    struct regions regions;
    struct regions_fault fault;
    bool apart[REGIONS_MAX_SQUARES];
    if (!regions_read_text(text, strlen(text), true, &regions, &fault) || !regions_apart(&regions, apart))
        return;
    json_write_bool(out, "connected", false);
    json_begin_array(out, "apart");
    for (uint32_t square = 0; square < regions.n * regions.n; square++)
        if (apart[square])
            format_square(out, NULL, base, square / regions.n, square % regions.n);
    json_end_array(out);
}

void format_rules(struct bytes *out, uint32_t base, const char *rules, const char *regions)
{
    if (rules)
        bytes_format(out, ",\"rules\":\"%s\"", rules);
    if (regions)
        bytes_format(out, ",\"regions\":\"%s\"", regions);
    if (regions)
        format_apart(out, base, regions);
}

void format_chance(struct bytes *out, const struct build_head *head)
{
    if (head->seeded)
        bytes_format(out, ",\"seed\":%" PRIu64, head->seed);
    if (head->random)
        bytes_format(out, ",\"uniform\":%s", head->uniform ? "true" : "false");
}
