/* png.c - pixels as a file, written row by row by libpng: the same bytes for the same picture, whenever and wherever.
 * Palette only. */
#include "formats/png.h"

#include <setjmp.h>

#include "base/stop.h"

enum { SAMPLES = 8 }; /* along a pixel's edge: the precision of its share of the queen */

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

void png_queen(uint32_t scale, uint32_t levels, unsigned char *queen, const atomic_bool *stop)
{
    const int edge = (int)scale, share = SAMPLES * SAMPLES / (int)levels;
    for (int y = 0; y < edge && !stop_wanted(stop); y++)
        for (int x = 0; x < edge; x++)
            queen[y * edge + x] =
                levels == 1 ? in_spot(x, y, edge) : (unsigned char)((coverage(x, y, edge) + share / 2) / share);
}

/* ---- Colours ---- */

static png_byte mix(uint32_t from, uint32_t to, uint32_t level, uint32_t levels, unsigned shift)
{
    const uint32_t a = from >> shift & 0xff, b = to >> shift & 0xff;
    return (png_byte)((a * (levels - level) + b * level + levels / 2) / levels);
}

png_color png_mix(uint32_t from, uint32_t to, uint32_t level, uint32_t levels)
{
    return (png_color){.red = mix(from, to, level, levels, 16),
                       .green = mix(from, to, level, levels, 8),
                       .blue = mix(from, to, level, levels, 0)};
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
static void write_file(png_structp png, png_infop info, const struct png_picture *picture, struct bytes *out,
                       const atomic_bool *stop)
{
    unsigned char pixels[PNG_EDGE_MAX];
    png_set_write_fn(png, out, on_write, on_flush);
    png_set_IHDR(png, info, picture->edge, picture->edge, picture->depth, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_PLTE(png, info, picture->palette, picture->colours);
    png_set_compression_level(png, 6);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP); /* most rows are as the one above */
    png_write_info(png, info);
    png_set_packing(png);
    for (uint32_t y = 0; y < picture->edge && !out->failed; y++) {
        if (stop_wanted(stop))
            return;
        picture->row(picture->drawing, y, pixels);
        png_write_row(png, pixels);
    }
    if (!out->failed)
        png_write_end(png, NULL);
}

enum nq_status png_write(struct bytes *out, const struct png_picture *picture, const atomic_bool *stop)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_error, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png)))
        out->failed = true;
    else
        write_file(png, info, picture, out, stop);
    png_destroy_write_struct(&png, &info);
    return stop_wanted(stop) ? NQ_CANCELLED : NQ_OK;
}
