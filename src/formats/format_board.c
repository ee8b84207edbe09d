/* format_board.c - one board drawn in characters, for the other formats to embed. It knows nothing of lists. */
#include <string.h>

#include "base/json.h"
#include "formats/format.h"
#include "shapes/shape.h"

/* In JSON, what stands before, between and after the squares of a row; the squares themselves; what ends a row, and
 * what is above each square of the first row, as a row of its own. NULL: nothing is. */
struct style {
    const char *open, *between, *close;
    const char *queen, *empty, *wall;
    const char *end, *edge;
};

/* A C64 draws a square by its left and lower edge: E. Rapella, RetroMagazine 44 (2023), lines 120 and 170 to 190, by
 * its CHR$(113), 108, 165 and 164. */
#define BLACK_CIRCLE "\xe2\x97\x8f"
#define LEFT_AND_LOWER_EIGHTH "\xf0\x9f\xad\xbc"
#define LEFT_EIGHTH "\xe2\x96\x8f"
#define LOWER_EIGHTH "\xe2\x96\x81"
#define FULL_BLOCK "\xe2\x96\x88"
#define MEDIUM_SHADE "\xe2\x96\x92" /* its CHR$(166) */

static const struct style styles[] = {
    [BOARD_ASCII] = {"\"", "", "\"", "Q", ".", "#", "", NULL},
    [BOARD_UNICODE] = {"\"", "", "\"", "\xe2\x99\x9b", "\xc2\xb7", FULL_BLOCK, "", NULL}, /* black queen, middle dot */
    [BOARD_GRID] = {"[", ",", "]", "1", "0", "2", "", NULL},
    [BOARD_PETSCII] = {"\"", "", "\"", BLACK_CIRCLE, LEFT_AND_LOWER_EIGHTH, MEDIUM_SHADE, LEFT_EIGHTH, LOWER_EIGHTH},
};

static void write_edge(struct bytes *out, const struct style *draw, uint32_t n)
{
    for (uint32_t column = 0; column < n; column++)
        bytes_text(out, draw->edge);
}

/* Takes the next queen of a row of squares off those that are still to be shown. UINT32_MAX: the row has no more. */
static uint32_t take_queen(struct board_queens *queens, uint32_t row)
{
    if (!queens->count || queens->squares->row != row)
        return UINT32_MAX;
    queens->count--;
    return queens->squares++->column;
}

static void write_row(struct bytes *out, const struct list_head *head, uint32_t row, struct board_queens *queens,
                      const char *between)
{
    const struct style *draw = &styles[head->board];
    const struct shape *shape = head->shape;
    uint32_t queen = shape ? take_queen(queens, row) : queens->columns[row];
    for (uint32_t column = 0; column < head->n; column++) {
        bytes_text(out, column ? between : "");
        bytes_text(out, column == queen                              ? draw->queen
                        : shape && shape_is_wall(shape, row, column) ? draw->wall
                                                                     : draw->empty);
        if (shape && column == queen)
            queen = take_queen(queens, row);
    }
    bytes_text(out, draw->end);
}

static uint32_t rows_of(const struct list_head *head)
{
    return head->shape ? head->shape->rows : head->n;
}

void format_board(struct bytes *out, const char *name, const struct list_head *head, struct board_queens queens)
{
    const struct style *draw = &styles[head->board];
    json_begin_array(out, name);
    if (draw->edge && head->n) {
        json_name(out, NULL);
        bytes_text(out, draw->open);
        write_edge(out, draw, head->n);
        bytes_text(out, draw->close);
    }
    for (uint32_t row = 0; row < rows_of(head); row++) {
        json_name(out, NULL);
        bytes_text(out, draw->open);
        write_row(out, head, row, &queens, draw->between);
        bytes_text(out, draw->close);
    }
    json_end_array(out);
}

void format_squares(struct bytes *out, const struct list_head *head, struct board_queens queens,
                    const char *between_rows)
{
    const struct style *draw = &styles[head->board];
    if (draw->edge && head->n) {
        write_edge(out, draw, head->n);
        bytes_text(out, between_rows);
    }
    for (uint32_t row = 0; row < rows_of(head); row++) {
        bytes_text(out, row ? between_rows : "");
        write_row(out, head, row, &queens, "");
    }
}
