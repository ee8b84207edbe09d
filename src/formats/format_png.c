/* format_png.c - one board as pixels, written row by row by libpng: the same bytes for the same board, whenever and
 * wherever. Palette only; what is kept in memory is a few rows of pixels and one queen. */
#include <png.h>
#include <setjmp.h>
#include <string.h>

#include "base/stop.h"
#include "formats/format.h"

enum {
    SCALE_MAX = 64,
    SMOOTH_FROM = 9, /* pixels along a square: below it a queen is a spot without shades */
    SAMPLES = 8      /* along a pixel's edge: the precision of its share of the queen */
};

/* A colour is the square's (0 light, 1 dark) and how much of the pixel is queen, from 0 to levels. */
struct drawing {
    uint32_t n, scale, levels;
    const uint32_t *columns;
    unsigned char queen[SCALE_MAX * SCALE_MAX]; /* levels of her square */
    unsigned char empty[2][PICTURE_MAX_N];      /* the pixels of a row of squares that begins light, and dark */
    unsigned char row[PICTURE_MAX_N];
    png_color palette[2 * (SAMPLES * SAMPLES + 1)];
};

/* ---- The queen in pixels: whole numbers only, so that all machines round alike ---- */

/* Points are compared in units in which samples, too, have whole coordinates. */
static struct picture_point times(struct picture_point point, int factor)
{
    return (struct picture_point){point.x * factor, point.y * factor};
}

/* Whether a ray to the right crosses the polygon's edges an odd number of times. */
static bool in_polygon(struct picture_point at, size_t count, const struct picture_point *points, int factor)
{
    bool inside = false;
    struct picture_point a = times(points[count - 1], factor);
    for (size_t i = 0; i < count; i++) {
        const struct picture_point b = times(points[i], factor);
        if ((a.y > at.y) != (b.y > at.y)) {
            const int64_t turn = (int64_t)(b.x - a.x) * (at.y - a.y) - (int64_t)(at.x - a.x) * (b.y - a.y);
            inside ^= (turn > 0) == (b.y > a.y);
        }
        a = b;
    }
    return inside;
}

static bool in_disc(struct picture_point at, struct picture_point centre, int factor)
{
    const int64_t radius = (int64_t)QUEEN_PEARL_RADIUS * factor;
    const int64_t x = at.x - (int64_t)centre.x * factor, y = at.y - (int64_t)centre.y * factor;
    return x * x + y * y <= radius * radius;
}

static bool in_queen(struct picture_point at, int factor)
{
    if (in_polygon(at, QUEEN_CROWN, queen_crown, factor) || in_polygon(at, QUEEN_FOOT, queen_foot, factor))
        return true;
    for (size_t i = 0; i < QUEEN_PEARLS; i++)
        if (in_disc(at, queen_pearls[i], factor))
            return true;
    return false;
}

/* How many samples of the pixel lie in the queen. A sample is the middle of a field of a grid over the whole square. */
static unsigned char coverage(int x, int y, int scale)
{
    const int fields = scale * SAMPLES; /* so a hundredth of the square is 2 * fields units, a field is 200 */
    unsigned char count = 0;
    for (int i = 0; i < SAMPLES; i++)
        for (int k = 0; k < SAMPLES; k++) {
            const struct picture_point at = {(2 * (x * SAMPLES + k) + 1) * 100, (2 * (y * SAMPLES + i) + 1) * 100};
            count += in_queen(at, 2 * fields);
        }
    return count;
}

/* A spot: a disc as wide as the square, which fills it when that is a few pixels only. */
static bool in_spot(int x, int y, int scale)
{
    const int right = 2 * x + 1 - scale, down = 2 * y + 1 - scale;
    return right * right + down * down <= scale * scale;
}

static void draw_queen(struct drawing *drawing, const atomic_bool *stop)
{
    const int scale = (int)drawing->scale;
    for (int y = 0; y < scale && !stop_wanted(stop); y++)
        for (int x = 0; x < scale; x++)
            drawing->queen[y * scale + x] = drawing->levels == 1 ? in_spot(x, y, scale) : coverage(x, y, scale);
}

/* ---- Colours and rows ---- */

static png_byte mix(uint32_t from, uint32_t to, uint32_t level, uint32_t levels, unsigned shift)
{
    const uint32_t a = from >> shift & 0xff, b = to >> shift & 0xff;
    return (png_byte)((a * (levels - level) + b * level + levels / 2) / levels);
}

static void mix_palette(struct drawing *drawing)
{
    const struct picture_colours *colours = &picture_day;
    png_color *at = drawing->palette;
    for (int dark = 0; dark < 2; dark++)
        for (uint32_t level = 0; level <= drawing->levels; level++, at++) {
            const uint32_t square = dark ? colours->dark : colours->light;
            at->red = mix(square, colours->queen, level, drawing->levels, 16);
            at->green = mix(square, colours->queen, level, drawing->levels, 8);
            at->blue = mix(square, colours->queen, level, drawing->levels, 0);
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

/* One row of pixels: the y-th of a row of squares. */
static void draw_row(struct drawing *drawing, uint32_t row, uint32_t y)
{
    const uint32_t scale = drawing->scale, column = drawing->columns[row];
    memcpy(drawing->row, drawing->empty[row % 2], (size_t)drawing->n * scale);
    unsigned char *to = drawing->row + (size_t)column * scale;
    for (uint32_t x = 0; x < scale; x++)
        to[x] = (unsigned char)(square(drawing, row, column) + drawing->queen[y * scale + x]);
}

/* ---- The file ---- */

static void on_write(png_structp png, png_bytep data, size_t size)
{
    bytes_add(png_get_io_ptr(png), data, size);
}

static void on_flush(png_structp png)
{
    (void)png;
}

static void on_error(png_structp png, png_const_charp message)
{
    (void)message; /* it has run out of memory: nothing else can go wrong */
    png_longjmp(png, 1);
}

/* Sets everything that the bytes depend on, and nothing that changes with time. */
static void write_file(png_structp png, png_infop info, struct drawing *drawing, struct bytes *out,
                       const atomic_bool *stop)
{
    const uint32_t edge = drawing->n * drawing->scale;
    const int colours = 2 * ((int)drawing->levels + 1);
    png_set_write_fn(png, out, on_write, on_flush);
    png_set_IHDR(png, info, edge, edge, drawing->levels == 1 ? 2 : 8, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_PLTE(png, info, drawing->palette, colours);
    png_set_compression_level(png, 6);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP); /* most rows are as the one above */
    png_write_info(png, info);
    png_set_packing(png);
    for (uint32_t row = 0; row < drawing->n && !out->failed; row++)
        for (uint32_t y = 0; y < drawing->scale; y++) {
            if (stop_wanted(stop))
                return;
            draw_row(drawing, row, y);
            png_write_row(png, drawing->row);
        }
    if (!out->failed)
        png_write_end(png, NULL);
}

static enum nq_status png_draw(struct bytes *out, uint32_t n, uint32_t base, const char *rules, const uint32_t *columns,
                               const atomic_bool *stop)
{
    (void)base;
    (void)rules;
    struct drawing drawing = {.n = n, .scale = picture_scale(n), .columns = columns};
    drawing.levels = drawing.scale < SMOOTH_FROM ? 1 : SAMPLES * SAMPLES;
    draw_queen(&drawing, stop);
    draw_empty(&drawing);
    mix_palette(&drawing);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_error, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png)))
        out->failed = true;
    else
        write_file(png, info, &drawing, out, stop);
    png_destroy_write_struct(&png, &info);
    return stop_wanted(stop) ? NQ_CANCELLED : NQ_OK;
}

const struct format format_png = {
    .name = "png",
    .media_type = "image/png",
    .draw = png_draw,
};
