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

static void write_row(struct bytes *out, const struct style *draw, uint32_t n, uint32_t queen, const char *between)
{
    for (uint32_t column = 0; column < n; column++) {
        bytes_text(out, column ? between : "");
        bytes_text(out, column == queen ? draw->queen : draw->empty);
    }
    bytes_text(out, draw->end);
}

void format_board(struct bytes *out, const char *name, enum board_style style, uint32_t n, const uint32_t *columns)
{
    const struct style *draw = &styles[style];
    json_begin_array(out, name);
    if (draw->edge && n) {
        json_name(out, NULL);
        bytes_text(out, draw->open);
        write_edge(out, draw, n);
        bytes_text(out, draw->close);
    }
    for (uint32_t row = 0; row < n; row++) {
        json_name(out, NULL);
        bytes_text(out, draw->open);
        write_row(out, draw, n, columns[row], draw->between);
        bytes_text(out, draw->close);
    }
    json_end_array(out);
}

void format_squares(struct bytes *out, enum board_style style, uint32_t n, const uint32_t *columns,
                    const char *between_rows)
{
    const struct style *draw = &styles[style];
    if (draw->edge && n) {
        write_edge(out, draw, n);
        bytes_text(out, between_rows);
    }
    for (uint32_t row = 0; row < n; row++) {
        bytes_text(out, row ? between_rows : "");
        write_row(out, draw, n, columns[row], "");
    }
}

/* Placements: squares are in reading order, so that those of a row follow those of the row before. Returns how many of
 * them are in a row. */
static uint32_t write_shape_row(struct bytes *out, const struct list_head *head, uint32_t row,
                                const struct nq_square *squares, uint32_t count, const char *between)
{
    const struct style *draw = &styles[head->board];
    uint32_t next = 0;
    for (uint32_t column = 0; column < head->n; column++) {
        const bool queen = next < count && squares[next].row == row && squares[next].column == column;
        next += queen;
        bytes_text(out, column ? between : "");
        bytes_text(out, queen ? draw->queen : shape_is_wall(head->shape, row, column) ? draw->wall : draw->empty);
    }
    bytes_text(out, draw->end);
    return next;
}

void format_placement_board(struct bytes *out, const char *name, const struct list_head *head,
                            const struct nq_square *squares, uint32_t count)
{
    const struct style *draw = &styles[head->board];
    json_begin_array(out, name);
    if (draw->edge) {
        json_name(out, NULL);
        bytes_text(out, draw->open);
        write_edge(out, draw, head->n);
        bytes_text(out, draw->close);
    }
    for (uint32_t row = 0, from = 0; row < head->shape->rows; row++) {
        json_name(out, NULL);
        bytes_text(out, draw->open);
        from += write_shape_row(out, head, row, squares + from, count - from, draw->between);
        bytes_text(out, draw->close);
    }
    json_end_array(out);
}

void format_placement_rows(struct bytes *out, const struct list_head *head, const struct nq_square *squares,
                           uint32_t count, const char *between_rows)
{
    const struct style *draw = &styles[head->board];
    if (draw->edge) {
        write_edge(out, draw, head->n);
        bytes_text(out, between_rows);
    }
    for (uint32_t row = 0, from = 0; row < head->shape->rows; row++) {
        bytes_text(out, row ? between_rows : "");
        from += write_shape_row(out, head, row, squares + from, count - from, "");
    }
}
