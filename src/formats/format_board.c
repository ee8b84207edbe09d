/* format_board.c - one board drawn in characters, for the other formats to embed. It knows nothing of lists. */
#include <string.h>

#include "base/json.h"
#include "formats/format.h"

/* What stands before, between and after the squares of a row, and the squares themselves. */
struct style {
    const char *open, *between, *close;
    const char *queen, *empty;
};

static const struct style styles[] = {
    [BOARD_ASCII] = {"\"", "", "\"", "Q", "."},
    [BOARD_UNICODE] = {"\"", "", "\"", "\xe2\x99\x9b", "\xc2\xb7"}, /* black queen, middle dot */
    [BOARD_GRID] = {"[", ",", "]", "1", "0"},
};

void format_board(struct bytes *out, const char *name, enum board_style style, uint32_t n, const uint32_t *columns)
{
    const struct style *draw = &styles[style];
    json_begin_array(out, name);
    for (uint32_t row = 0; row < n; row++) {
        json_name(out, NULL);
        bytes_text(out, draw->open);
        for (uint32_t column = 0; column < n; column++) {
            bytes_text(out, column ? draw->between : "");
            bytes_text(out, column == columns[row] ? draw->queen : draw->empty);
        }
        bytes_text(out, draw->close);
    }
    json_end_array(out);
}

void format_squares(struct bytes *out, enum board_style style, uint32_t n, const uint32_t *columns,
                    const char *between_rows)
{
    const struct style *draw = &styles[style];
    for (uint32_t row = 0; row < n; row++) {
        bytes_text(out, row ? between_rows : "");
        for (uint32_t column = 0; column < n; column++)
            bytes_text(out, column == columns[row] ? draw->queen : draw->empty);
    }
}
