/* format_board.c - one board drawn in characters, for the other formats to embed. It knows nothing of lists. */
#include <string.h>

#include "base/json.h"
#include "formats/format.h"

/* In JSON, what stands before, between and after the squares of a row; the squares themselves; what ends a row, and
 * what is above each square of the first row, as a row of its own. NULL: nothing is. */
struct style {
    const char *open, *between, *close;
    const char *queen, *empty;
    const char *end, *edge;
};

/* A C64 draws a square by its left and lower edge: E. Rapella, RetroMagazine 44 (2023), lines 120 and 170 to 190, by
 * its CHR$(113), 108, 165 and 164. */
#define BLACK_CIRCLE "\xe2\x97\x8f"
#define LEFT_AND_LOWER_EIGHTH "\xf0\x9f\xad\xbc"
#define LEFT_EIGHTH "\xe2\x96\x8f"
#define LOWER_EIGHTH "\xe2\x96\x81"

static const struct style styles[] = {
    [BOARD_ASCII] = {"\"", "", "\"", "Q", ".", "", NULL},
    [BOARD_UNICODE] = {"\"", "", "\"", "\xe2\x99\x9b", "\xc2\xb7", "", NULL}, /* black queen, middle dot */
    [BOARD_GRID] = {"[", ",", "]", "1", "0", "", NULL},
    [BOARD_PETSCII] = {"\"", "", "\"", BLACK_CIRCLE, LEFT_AND_LOWER_EIGHTH, LEFT_EIGHTH, LOWER_EIGHTH},
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
