/* paint_png.c - a board with regions as pixels: coloured regions with thick borders, and their letters. */
#include <string.h>

#include "formats/palette.h"
#include "formats/png.h"

/* Letters a to t, 5 pixels wide and 7 high: our own. Those with a tail stand higher, for each stands alone. */
enum { GLYPH_WIDTH = 5, GLYPH_HEIGHT = 7 };
static const uint8_t glyphs[REGIONS_MAX_N][GLYPH_HEIGHT] = {
    {0x00, 0x00, 0x0e, 0x01, 0x0f, 0x11, 0x0f}, /* a */
    {0x10, 0x10, 0x16, 0x19, 0x11, 0x11, 0x1e}, /* b */
    {0x00, 0x00, 0x0e, 0x11, 0x10, 0x11, 0x0e}, /* c */
    {0x01, 0x01, 0x0d, 0x13, 0x11, 0x11, 0x0f}, /* d */
    {0x00, 0x00, 0x0e, 0x11, 0x1f, 0x10, 0x0e}, /* e */
    {0x06, 0x09, 0x08, 0x1c, 0x08, 0x08, 0x08}, /* f */
    {0x0d, 0x13, 0x11, 0x13, 0x0d, 0x01, 0x0e}, /* g */
    {0x10, 0x10, 0x16, 0x19, 0x11, 0x11, 0x11}, /* h */
    {0x04, 0x00, 0x0c, 0x04, 0x04, 0x04, 0x0e}, /* i */
    {0x02, 0x00, 0x06, 0x02, 0x02, 0x12, 0x0c}, /* j */
    {0x10, 0x10, 0x12, 0x14, 0x18, 0x14, 0x12}, /* k */
    {0x0c, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0e}, /* l */
    {0x00, 0x00, 0x1a, 0x15, 0x15, 0x11, 0x11}, /* m */
    {0x00, 0x00, 0x16, 0x19, 0x11, 0x11, 0x11}, /* n */
    {0x00, 0x00, 0x0e, 0x11, 0x11, 0x11, 0x0e}, /* o */
    {0x16, 0x19, 0x11, 0x19, 0x16, 0x10, 0x10}, /* p */
    {0x0d, 0x13, 0x11, 0x13, 0x0d, 0x01, 0x01}, /* q */
    {0x00, 0x00, 0x16, 0x19, 0x10, 0x10, 0x10}, /* r */
    {0x00, 0x00, 0x0f, 0x10, 0x0e, 0x01, 0x1e}, /* s */
    {0x08, 0x08, 0x1c, 0x08, 0x08, 0x09, 0x06}, /* t */
};

enum {
    LEVELS = 8, /* shades of a queen on each colour */
    BORDER = 8,
    THIN = 1,   /* of a square's edge: the part of a thick line; pixels of a thin one */
    GLYPH = 24, /* of a square's edge: the part of a dot of a letter */
    LINE = PALETTE * (LEVELS + 1),
    GRID,
    COLOURS
};

static const uint32_t grid_colour = 0x857c74;

struct painting {
    const struct painted_board *board;
    uint32_t n, scale, half;       /* pixels of a square's edge, and of a half of a thick line */
    uint32_t crown;                /* pixels of the edge of a queen's own square, QUEEN_BESIDE eighths of that */
    uint32_t first[REGIONS_MAX_N]; /* square of each region: it has the letter */
    uint8_t entry[REGIONS_MAX_N];
    unsigned char queen[PNG_SCALE_MAX * PNG_SCALE_MAX];
    png_color palette[COLOURS];
};

/* A pixel of a square. */
struct place {
    int row, column, x, y;
};

/* Whether the region of a square is another one, or there is no square. */
static bool differs(const struct painting *painting, const struct place *place, int down, int right)
{
    const int n = (int)painting->n, row = place->row + down, column = place->column + right;
    const uint8_t *of = painting->board->regions->of;
    return row < 0 || column < 0 || row >= n || column >= n ||
           of[row * n + column] != of[place->row * n + place->column];
}

/* -1, 0 or 1: on which half line of its square a pixel is. */
static int side(int at, int scale, int half)
{
    return at < half ? -1 : at >= scale - half;
}

static bool on_border(const struct painting *painting, const struct place *place)
{
    const int scale = (int)painting->scale, half = (int)painting->half;
    const int down = side(place->y, scale, half), right = side(place->x, scale, half);
    return (down && differs(painting, place, down, 0)) || (right && differs(painting, place, 0, right)) ||
           (down && right && differs(painting, place, down, right));
}

static bool on_letter(const struct painting *painting, const struct place *place)
{
    const uint32_t square = (uint32_t)place->row * painting->n + (uint32_t)place->column;
    const uint8_t region = painting->board->regions->of[square];
    const int dot = (int)painting->scale / GLYPH, from = (int)painting->half + dot / 2;
    const int x = place->x - from, y = place->y - from;
    return painting->first[region] == square && x >= 0 && y >= 0 && x / dot < GLYPH_WIDTH && y / dot < GLYPH_HEIGHT &&
           glyphs[region][y / dot] >> (GLYPH_WIDTH - 1 - x / dot) & 1;
}

/* How much of a pixel is queen, from 0 to LEVELS. */
static unsigned char queen(const struct painting *painting, const struct place *place)
{
    const int edge = (int)painting->crown, room = (int)painting->scale - edge;
    const int x = place->x - room / 2, y = place->y - room;
    return x < 0 || y < 0 || x >= edge || y >= edge ? 0 : painting->queen[y * edge + x];
}

static unsigned char pixel(const struct painting *painting, const struct place *place)
{
    const uint32_t *columns = painting->board->columns;
    const int last = (int)painting->scale - THIN;
    if (on_border(painting, place) || on_letter(painting, place))
        return LINE;
    if (place->x >= last || place->y >= last)
        return GRID;
    const uint8_t region = painting->board->regions->of[place->row * (int)painting->n + place->column];
    const bool taken = columns && columns[place->row] == (uint32_t)place->column;
    return (unsigned char)(painting->entry[region] * (LEVELS + 1) + (taken ? queen(painting, place) : 0));
}

/* The outer half of the outermost lines is a margin. */
static void paint_row(void *context, uint32_t at, unsigned char *pixels)
{
    const struct painting *painting = context;
    const uint32_t edge = painting->n * painting->scale, half = painting->half;
    memset(pixels, LINE, edge + 2 * half);
    if (at < half || at >= edge + half)
        return;
    struct place place = {.row = (int)((at - half) / painting->scale), .y = (int)((at - half) % painting->scale)};
    for (uint32_t i = 0; i < edge; i++) {
        place.column = (int)(i / painting->scale);
        place.x = (int)(i % painting->scale);
        pixels[half + i] = pixel(painting, &place);
    }
}

static void mix_palette(struct painting *painting)
{
    for (uint32_t colour = 0; colour < PALETTE; colour++)
        for (uint32_t level = 0; level <= LEVELS; level++)
            painting->palette[colour * (LEVELS + 1) + level] =
                png_mix(palette[colour], picture_day.queen, level, LEVELS);
    painting->palette[LINE] = png_mix(picture_day.queen, picture_day.queen, 0, 1);
    painting->palette[GRID] = png_mix(grid_colour, grid_colour, 0, 1);
}

enum nq_status paint_png(struct bytes *out, const struct painted_board *board, const atomic_bool *stop)
{
    const uint32_t n = board->regions->n, scale = picture_scale(n);
    struct painting painting = {
        .board = board, .n = n, .scale = scale, .half = scale / BORDER / 2, .crown = scale * QUEEN_BESIDE / 8};
    for (uint32_t square = n * n; square-- > 0;)
        painting.first[board->regions->of[square]] = square;
    palette_assign(board->regions, painting.entry);
    mix_palette(&painting);
    if (board->columns)
        png_queen(painting.crown, LEVELS, painting.queen, stop);
    const struct png_picture picture = {.edge = n * scale + 2 * painting.half,
                                        .depth = 8,
                                        .colours = COLOURS,
                                        .palette = painting.palette,
                                        .row = paint_row,
                                        .drawing = &painting};
    return png_write(out, &picture, stop);
}
