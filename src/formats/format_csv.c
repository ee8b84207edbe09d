/* format_csv.c - CSV as in RFC 4180, one solution or one queen a line. The names of the columns contain n, base and the
 * rule. Nothing marks the end of the list: over HTTP, an incomplete body lacks its last chunk. */
#include <inttypes.h>

#include "formats/format.h"

/* Behind the first name. */
static void csv_rule(struct bytes *out, const char *rules, const char *regions)
{
    if (rules)
        bytes_format(out, " rules=%s", rules);
    if (regions)
        bytes_format(out, " regions=%s", regions);
}

/* offset, by another rule than that of queens with its name, and the regions, then a column for every row of the board:
 * the last is named n - 1 + base. Of a board of any shape its size, and base if it is 0, then one column of squares. */
static void csv_list_begin(struct bytes *out, const struct list_head *head)
{
    bytes_text(out, "offset");
    csv_rule(out, head->rules, head->regions);
    if (head->shape) {
        bytes_format(out, " m=%" PRIu32 " n=%" PRIu32 "%s,squares", format_shape_rows(head), head->n,
                     head->base ? "" : " base=0");
        bytes_text(out, head->board == BOARD_NONE ? "\r\n" : ",board\r\n");
        return;
    }
    for (uint32_t row = 0; row < head->n; row++) {
        bytes_text(out, ",row ");
        bytes_number(out, (uint64_t)row + head->base);
    }
    bytes_text(out, head->board == BOARD_NONE ? "\r\n" : ",board\r\n");
}

/* The rows of a board stand between slashes, as in chess notation: a solution stays one line. */
static void csv_list_solution(struct bytes *out, const struct list_head *head, const uint32_t *columns, uint64_t index,
                              uint64_t rank)
{
    (void)index;
    if (rank != RANK_UNKNOWN)
        bytes_number(out, rank);
    bytes_text(out, head->n ? "," : "");
    format_numbers(out, head->base, head->n, columns);
    if (head->board != BOARD_NONE) {
        bytes_char(out, ',');
        format_squares(out, head, (struct board_queens){.columns = columns}, "/");
    }
    bytes_text(out, "\r\n");
}

/* "0,1:3 2:5": the squares of a placement stand in one cell. */
static void csv_list_placement(struct bytes *out, const struct list_head *head, const struct nq_square *squares,
                               uint32_t count, uint64_t index)
{
    if (head->offset != RANK_UNKNOWN)
        bytes_number(out, head->offset + index);
    bytes_char(out, ',');
    format_placement(out, head->base, squares, count);
    if (head->board != BOARD_NONE) {
        bytes_char(out, ',');
        format_squares(out, head, (struct board_queens){.squares = squares, .count = count}, "/");
    }
    bytes_text(out, "\r\n");
}

/* "row 1..8,column 1..8": what the numbers below run from and to; by another rule "row 1..8 rules=toroidal,...". */
static void csv_build_begin(struct bytes *out, const struct build_head *head)
{
    const int64_t last = (int64_t)head->n - 1 + head->base;
    bytes_format(out, "row %" PRIu32 "..%" PRId64, head->base, last);
    csv_rule(out, head->rules, NULL);
    bytes_format(out, ",column %" PRIu32 "..%" PRId64 "\r\n", head->base, last);
}

static void csv_build_rows(struct bytes *out, const struct build_head *head, uint32_t row, uint32_t count,
                           const uint32_t *columns)
{
    for (uint32_t i = 0; i < count; i++) {
        bytes_number(out, (uint64_t)row + i + head->base);
        bytes_char(out, ',');
        bytes_number(out, (uint64_t)columns[i] + head->base);
        bytes_text(out, "\r\n");
    }
}

const struct format format_csv = {
    .name = "csv",
    .media_type = "text/csv; charset=utf-8; header=present",
    .lines = true,
    .numbered = true,
    .list_begin = csv_list_begin,
    .list_solution = csv_list_solution,
    .list_placement = csv_list_placement,
    .build_begin = csv_build_begin,
    .build_rows = csv_build_rows,
};
