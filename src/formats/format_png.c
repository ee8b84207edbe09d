/* format_png.c - one board as pixels. What is kept in memory is a few rows of pixels and one queen. */
#include <string.h>

#include "formats/png.h"

enum { SMOOTH_FROM = 9 }; /* pixels along a square: below it a queen is a spot without shades */

/* A colour is the square's (0 light, 1 dark) and how much of the pixel is queen, from 0 to levels. */
struct drawing {
    uint32_t n, scale, levels;
    const uint32_t *columns;
    unsigned char queen[PNG_SCALE_MAX * PNG_SCALE_MAX]; /* levels of her square */
    unsigned char empty[2][PICTURE_MAX_N];              /* the pixels of a row of squares that begins light, and dark */
    png_color palette[2 * (PNG_LEVELS_MAX + 1)];
};

static void mix_palette(struct drawing *drawing)
{
    const struct picture_colours *colours = &picture_day;
    png_color *at = drawing->palette;
    for (int dark = 0; dark < 2; dark++)
        for (uint32_t level = 0; level <= drawing->levels; level++, at++) {
            const uint32_t square = dark ? colours->dark : colours->light;
            *at = png_mix(square, colours->queen, level, drawing->levels);
        }
}

/* The colour of an empty square. */
static unsigned char square(const struct drawing *drawing, uint32_t row, uint32_t column)
{
    return (unsigned char)((row + column) % 2 * (drawing->levels + 1));
}

static void draw_empty(struct drawing *drawing)
{
    for (uint32_t dark = 0; dark < 2; dark++)
        for (uint32_t column = 0; column < drawing->n; column++)
            memset(drawing->empty[dark] + (size_t)column * drawing->scale, square(drawing, dark, column),
                   drawing->scale);
}

static void draw_row(void *context, uint32_t at, unsigned char *pixels)
{
    const struct drawing *drawing = context;
    const uint32_t scale = drawing->scale, row = at / scale, y = at % scale, column = drawing->columns[row];
    memcpy(pixels, drawing->empty[row % 2], (size_t)drawing->n * scale);
    unsigned char *to = pixels + (size_t)column * scale;
    for (uint32_t x = 0; x < scale; x++)
        to[x] = (unsigned char)(square(drawing, row, column) + drawing->queen[y * scale + x]);
}

static enum nq_status png_draw(struct bytes *out, const struct painted_board *board, const atomic_bool *stop)
{
    const uint32_t n = board->n;
    struct drawing drawing = {.n = n, .scale = picture_scale(n), .columns = board->columns};
    drawing.levels = drawing.scale < SMOOTH_FROM ? 1 : PNG_LEVELS_MAX;
    png_queen(drawing.scale, drawing.levels, drawing.queen, stop);
    draw_empty(&drawing);
    mix_palette(&drawing);
    const struct png_picture picture = {.edge = n * drawing.scale,
                                        .depth = drawing.levels == 1 ? 2 : 8,
                                        .colours = 2 * ((int)drawing.levels + 1),
                                        .palette = drawing.palette,
                                        .row = draw_row,
                                        .drawing = &drawing};
    return png_write(out, &picture, stop);
}

/* A solution on light and dark squares is the fast way, for boards of any size. */
static enum nq_status png_paint(struct bytes *out, const struct painted_board *board, const atomic_bool *stop)
{
    return board->regions || board->marks ? paint_png(out, board, stop) : png_draw(out, board, stop);
}

const struct format format_png = {
    .name = "png",
    .media_type = "image/png",
    .picture = true,
    .paint = png_paint,
};
