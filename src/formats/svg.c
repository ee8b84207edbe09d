/* svg.c - the queen of drawings. */
#include "formats/svg.h"

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

void svg_queen(struct bytes *out)
{
    bytes_text(out, "<path id=\"nq-queen\" transform=\"scale(.01)\" d=\"");
    polygon(out, QUEEN_CROWN, queen_crown);
    polygon(out, QUEEN_FOOT, queen_foot);
    for (size_t i = 0; i < QUEEN_PEARLS; i++)
        disc(out, queen_pearls[i]);
    bytes_text(out, "\"/>");
}
