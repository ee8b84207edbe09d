/* svg.c - the queen of drawings, and where queens are in words. */
#include "formats/svg.h"

#include <inttypes.h>

static void polygon(struct bytes *out, size_t count, const struct picture_point *points)
{
    for (size_t i = 0; i < count; i++)
        bytes_format(out, "%c%d %d", i ? 'L' : 'M', points[i].x, points[i].y);
    bytes_char(out, 'z');
}

/* A disc in two halves, clockwise like the polygons: where they overlap both count as inside. */
static void disc(struct bytes *out, struct picture_point at)
{
    enum { R = QUEEN_PEARL_RADIUS };
    bytes_format(out, "M%d %da%d %d 0 0 1 %d 0a%d %d 0 0 1 %d 0z", at.x - R, at.y, R, R, 2 * R, R, R, -2 * R);
}

static void transform(struct bytes *out, bool beside)
{
    enum { ROOM = 8 - QUEEN_BESIDE };
    if (beside)
        bytes_format(out, "translate(.%04d .%04d)scale(.%05d)", ROOM * 625, ROOM * 1250, QUEEN_BESIDE * 125);
    else
        bytes_text(out, "scale(.01)");
}

void svg_queen(struct bytes *out, bool beside)
{
    bytes_text(out, "<path id=\"nq-queen\" transform=\"");
    transform(out, beside);
    bytes_text(out, "\" d=\"");
    polygon(out, QUEEN_CROWN, queen_crown);
    polygon(out, QUEEN_FOOT, queen_foot);
    for (size_t i = 0; i < QUEEN_PEARLS; i++)
        disc(out, queen_pearls[i]);
    bytes_text(out, "\"/>");
}

void svg_columns(struct bytes *out, uint32_t n, uint32_t base, const uint32_t *columns)
{
    enum { DESCRIBED = 100 };
    bytes_format(out, "The queens' columns from the top row down, counted from %" PRIu32 ":", base);
    for (uint32_t row = 0; row < n && row < DESCRIBED; row++) {
        bytes_text(out, row ? ", " : " ");
        bytes_number(out, (uint64_t)columns[row] + base);
    }
    bytes_text(out, n > DESCRIBED ? " and so on." : ".");
}
