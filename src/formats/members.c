/* members.c - JSON members that more than one representation writes. They are written as text: a list of a million
 * solutions must not become a tree first. */
#include <string.h>

#include "base/json.h"
#include "formats/format.h"

/* Room for the name of a member that has a text beside it. */
enum { FORMAT_NAME_MAX = 32 };

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

void format_numbers(struct bytes *out, uint32_t base, uint32_t count, const uint32_t *columns)
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

void format_columns(struct bytes *out, const char *name, uint32_t base, uint32_t count, const uint32_t *columns)
{
    json_begin_array(out, name);
    format_numbers(out, base, count, columns);
    json_end_array(out);
}

void format_exact(struct bytes *out, const char *name, nq_wide number)
{
    char name_text[FORMAT_NAME_MAX], digits[WIDE_TEXT_MAX];
    (void)stpcpy(stpcpy(name_text, name), "_text");
    if (number > INT64_MAX)
        json_write_null(out, name);
    else
        json_write_number(out, name, (uint64_t)number);
    json_write_text(out, name_text, wide_text(number, digits));
}

void format_rank(struct bytes *out, const char *name, uint64_t rank)
{
    char name_text[FORMAT_NAME_MAX];
    if (rank != RANK_UNKNOWN) {
        format_exact(out, name, rank);
        return;
    }
    (void)stpcpy(stpcpy(name_text, name), "_text");
    json_write_null(out, name);
    json_write_null(out, name_text);
}

void format_solution(struct bytes *out, const struct list_head *head, const uint32_t *columns, uint64_t rank)
{
    json_begin_object(out, NULL);
    format_columns(out, "permutation", head->base, head->n, columns);
    if (head->board != BOARD_NONE)
        format_board(out, "board", head, (struct board_queens){.columns = columns});
    if (head->ranked)
        format_rank(out, "rank", rank);
    json_end_object(out);
}

size_t format_link(struct bytes *out, const char *prefix, const char *next)
{
    if (!next) {
        json_write_null(out, "next");
        return 0;
    }
    json_begin_text(out, "next");
    bytes_text(out, prefix);
    const size_t link = out->size;
    bytes_text(out, next);
    json_end_text(out);
    return link;
}

size_t format_next(struct bytes *out, const char *prefix, const char *next, const char *next_cursor)
{
    const size_t link = format_link(out, prefix, next);
    json_write_text(out, "next_cursor", next_cursor);
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

/* Nothing where all regions are connected. text: regions as letters. */
static void format_apart(struct bytes *out, uint32_t base, const char *text)
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

void format_question(struct bytes *out, uint32_t n, uint32_t base, const char *rules, const char *regions)
{
    json_write_number(out, "n", n);
    json_write_number(out, "base", base);
    format_rules(out, base, rules, regions);
}

void format_rules(struct bytes *out, uint32_t base, const char *rules, const char *regions)
{
    json_text_if(out, "rules", rules);
    json_text_if(out, "regions", regions);
    if (regions)
        format_apart(out, base, regions);
}

void format_chance(struct bytes *out, const struct build_head *head)
{
    if (head->seeded)
        json_write_number(out, "seed", head->seed);
    if (head->random)
        json_write_bool(out, "uniform", head->uniform);
}
