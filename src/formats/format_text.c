/* format_text.c - plain text as a C64 printed it: the number of a solution, its columns, the board if one was asked
 * for, and READY. when all is done; without it the list was cut. After the program of E. Rapella, RetroMagazine 44
 * (2023), lines 160 to 200, which always draws the board, as with BOARD_PETSCII. It knows no squares: format_board.c
 * does. */
#include <inttypes.h>

#include "formats/format.h"

/* The line below a board, as long as in the magazine. */
#define RULE "-------------------------------------"

static void text_list_begin(struct bytes *out, const struct list_head *head)
{
    bytes_format(out, "n = %" PRIu32 ", base = %" PRIu32, head->n, head->base);
    if (head->shape)
        bytes_format(out, ", m = %" PRIu32, format_shape_rows(head));
    if (head->rules)
        bytes_format(out, ", rules = %s", head->rules);
    if (head->regions)
        bytes_format(out, ", regions = %s", head->regions);
    bytes_text(out, "\n\n");
}

/* PRINT puts a blank before a number, for its sign, and one after it. */
static void text_columns(struct bytes *out, uint32_t base, uint32_t count, const uint32_t *columns, bool first)
{
    for (uint32_t i = 0; i < count; i++) {
        bytes_text(out, first && i == 0 ? " " : "  ");
        bytes_number(out, (uint64_t)columns[i] + base);
    }
}

static void text_list_solution(struct bytes *out, const struct list_head *head, const uint32_t *columns, uint64_t index,
                               uint64_t rank)
{
    (void)index;
    bytes_char(out, ' ');
    if (rank != RANK_UNKNOWN)
        bytes_number(out, rank + 1);
    bytes_text(out, " >");
    text_columns(out, head->base, head->n, columns, false);
    bytes_char(out, '\n');
    if (head->board != BOARD_NONE) {
        format_squares(out, head, (struct board_queens){.columns = columns}, "\n");
        bytes_text(out, head->n ? "\n" RULE "\n\n" : RULE "\n\n");
    }
}

static void text_list_placement(struct bytes *out, const struct list_head *head, const struct nq_square *squares,
                                uint32_t count, uint64_t index)
{
    bytes_char(out, ' ');
    if (head->offset != RANK_UNKNOWN)
        bytes_number(out, head->offset + index + 1);
    bytes_text(out, " > ");
    format_placement(out, head->base, squares, count);
    bytes_char(out, '\n');
    if (head->board != BOARD_NONE) {
        format_squares(out, head, (struct board_queens){.squares = squares, .count = count}, "\n");
        bytes_text(out, "\n" RULE "\n\n");
    }
}

static size_t text_list_end(struct bytes *out, const struct list_head *head, const struct list_tail *tail)
{
    size_t link = 0;
    if (tail->returned && head->board == BOARD_NONE)
        bytes_char(out, '\n');
    if (tail->next) {
        bytes_format(out, "next: %s", tail->prefix);
        link = out->size;
        bytes_format(out, "%s\n\n", tail->next);
    }
    bytes_text(out, "READY.\n");
    return link;
}

static void text_build_begin(struct bytes *out, const struct build_head *head)
{
    bytes_format(out, "n = %" PRIu32 ", base = %" PRIu32, head->n, head->base);
    if (head->rules)
        bytes_format(out, ", rules = %s", head->rules);
    if (head->part)
        bytes_format(out, ", rows %" PRIu32 " to %" PRIu32, head->first + head->base, head->last + head->base);
    bytes_text(out, "\n\n");
}

static void text_build_rows(struct bytes *out, const struct build_head *head, uint32_t row, uint32_t count,
                            const uint32_t *columns)
{
    text_columns(out, head->base, count, columns, row == head->first);
}

static void text_build_end(struct bytes *out, const struct build_head *head, uint64_t returned)
{
    (void)head;
    bytes_text(out, returned ? "\n\nREADY.\n" : "READY.\n");
}

/* Rows of letters, as people exchange them. */
static enum nq_status text_paint(struct bytes *out, const struct painted_board *board, const atomic_bool *stop)
{
    (void)stop;
    regions_write_text(board->regions, '\n', out);
    bytes_char(out, '\n');
    return NQ_OK;
}

const struct format format_text = {
    .name = "text",
    .media_type = "text/plain; charset=utf-8",
    .lines = true,
    .numbered = true,
    .list_begin = text_list_begin,
    .list_solution = text_list_solution,
    .list_placement = text_list_placement,
    .list_end = text_list_end,
    .build_begin = text_build_begin,
    .build_rows = text_build_rows,
    .build_end = text_build_end,
    .paint = text_paint,
};
