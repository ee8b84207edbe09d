/* format_png.c - one board as pixels, written row by row by libpng: the same bytes for the same picture, whenever and
 * wherever. A solution on light and dark squares needs a few rows of pixels and one queen in memory; a board with
 * regions or marks has coloured regions with borders and their letters, queens, crosses, what a hint rests on, and
 * attacks as lines. */
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "board/conflicts.h"
#include "formats/format.h"
#include "formats/palette.h"

enum { PNG_SCALE_MAX = 64, PNG_EDGE_MAX = PICTURE_MAX_N, PNG_LEVELS_MAX = 64 };

struct png_picture {
    uint32_t width, height; /* pixels, PNG_EDGE_MAX at most */
    int depth;              /* bits of a pixel */
    int colours;
    const png_color *palette;
    /* Writes the pixels of a row, as entries of the palette: those of the row before are still there. */
    void (*row)(void *drawing, uint32_t y, unsigned char *pixels);
    void *drawing;
};

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

/* How much of each pixel of a square of so many is queen, from 0 to levels, row by row; levels 1: she is a spot. Levels
 * divide PNG_LEVELS_MAX. */
static void png_queen(uint32_t scale, uint32_t levels, unsigned char *queen, const atomic_bool *stop)
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

/* `level` of `levels` parts of a colour to another one, 0xRRGGBB. */
static png_color png_mix(uint32_t from, uint32_t to, uint32_t level, uint32_t levels)
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
    png_set_IHDR(png, info, picture->width, picture->height, picture->depth, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_PLTE(png, info, picture->palette, picture->colours);
    png_set_compression_level(png, 6);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP); /* most rows are as the one above */
    png_write_info(png, info);
    png_set_packing(png);
    for (uint32_t y = 0; y < picture->height && !out->failed; y++) {
        if (stop_wanted(stop))
            return;
        picture->row(picture->drawing, y, pixels);
        png_write_row(png, pixels);
    }
    if (!out->failed)
        png_write_end(png, NULL);
}

/* Appends the file: the same bytes for the same picture. NQ_OK, also if `out` has failed, or NQ_CANCELLED soon after
 * *stop (may be NULL). */
static enum nq_status png_write(struct bytes *out, const struct png_picture *picture, const atomic_bool *stop)
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

/* ---- Boards with regions or marks ---- */

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
    BORDER = 16,
    THIN = 1,   /* of a square's edge: the part of a border; pixels of a thin line */
    GLYPH = 24, /* of a square's edge: the part of a dot of a letter */
    LINE = PALETTE * (LEVELS + 1),
    GRID,
    WALL,
    HATCH,
    ATTACK,
    HINT,
    CROSS,
    WRONG, /* shades of a queen on a wall, which has the colour of attacks; pictures without her do not have them */
    COLOURS = WRONG + LEVELS
};

/* What is on a square: bits. */
enum { HAS_QUEEN = 1, HAS_CROSS = 2, IS_LIT = 4, IS_TARGET = 8, IS_TAKEN = 16, IS_WALL = 32 };

static const uint32_t grid_colour = 0xa69e96, attack_colour = 0xc1121f, hint_colour = 0x00296b, cross_colour = 0x5f5750;

struct painting {
    const struct painted_board *board;
    uint32_t n, rows, scale, half; /* pixels of a square's edge, and of a half of a border */
    uint32_t crown;                /* pixels of the edge of a queen's own square, QUEEN_BESIDE eighths of that */
    uint32_t first[REGIONS_MAX_N]; /* square of each region: it has the letter */
    uint8_t entry[REGIONS_MAX_N];
    uint8_t *on; /* by square */
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

/* The entry of a square without anything on it. */
static uint32_t entry_of(const struct painting *painting, const struct place *place)
{
    if (!painting->board->regions)
        return (uint32_t)(place->row + place->column) % 2;
    return painting->entry[painting->board->regions->of[place->row * (int)painting->n + place->column]];
}

/* Whether a pixel is on one of two strokes from corner to corner, `part` of 16 inside of the square. */
static bool on_cross(const struct painting *painting, const struct place *place, int part, int width)
{
    const int scale = (int)painting->scale, from = scale * part / 16, to = scale - 1 - from;
    const int down = place->x - place->y, up = place->x + place->y - (scale - 1);
    return place->x >= from && place->x <= to && place->y >= from && place->y <= to &&
           (abs(down) <= width || abs(up) <= width);
}

static bool on_frame(const struct painting *painting, const struct place *place)
{
    const int scale = (int)painting->scale, from = scale / 12, to = scale - 1 - from, width = scale / 16 + 1;
    const bool inside = place->x >= from && place->x <= to && place->y >= from && place->y <= to;
    return inside &&
           (place->x < from + width || place->x > to - width || place->y < from + width || place->y > to - width);
}

static bool on_dot(const struct painting *painting, const struct place *place)
{
    const int scale = (int)painting->scale, right = place->x - scale / 2, down = place->y - scale / 2;
    return 144 * (right * right + down * down) <= scale * scale;
}

/* Whether a pixel of a wall is on one of its lines: two of them meet in each of its sides. */
static bool on_hatch(const struct painting *painting, const struct place *place)
{
    const int apart = (int)painting->scale / 2, width = (int)painting->scale / 20 + 1;
    return (place->x + place->y + 1 + width / 2) % apart < width;
}

/* A queen there is wrong: her wall has the colour of attacks, and she that of light squares. */
static unsigned char wall_pixel(const struct painting *painting, const struct place *place, bool wrong)
{
    const unsigned char level = wrong ? queen(painting, place) : 0;
    if (!level && on_hatch(painting, place))
        return HATCH;
    return level ? (unsigned char)(WRONG + level - 1) : wrong ? ATTACK : WALL;
}

static unsigned char pixel(const struct painting *painting, const struct place *place)
{
    const struct painted_board *board = painting->board;
    const int last = (int)painting->scale - THIN, stroke = (int)painting->scale / 32;
    const uint8_t on = painting->on[place->row * (int)painting->n + place->column];
    const bool placed = board->marks && board->marks->placed;
    if (board->regions && (on_border(painting, place) || on_letter(painting, place)))
        return LINE;
    if (board->regions && (place->x >= last || place->y >= last))
        return GRID;
    if (on & IS_WALL)
        return wall_pixel(painting, place, on & HAS_QUEEN);
    const unsigned char level = on & HAS_QUEEN || (on & IS_TARGET && placed) ? queen(painting, place) : 0;
    if (on & IS_TARGET && (placed ? level > LEVELS / 2 : on_cross(painting, place, 4, stroke + 1)))
        return HINT;
    if (on & IS_LIT && on_frame(painting, place))
        return HINT;
    if (on & IS_TAKEN && on_dot(painting, place))
        return HINT;
    if (on & HAS_CROSS && on_cross(painting, place, 5, stroke))
        return CROSS;
    return (unsigned char)(entry_of(painting, place) * (LEVELS + 1) + level);
}

/* Whether a pixel is within `width` of the line between two others. */
static bool near_line(int64_t x, int64_t y, const struct picture_point *a, const struct picture_point *b, int64_t width)
{
    const int64_t dx = b->x - a->x, dy = b->y - a->y, length = dx * dx + dy * dy;
    const int64_t along = (x - a->x) * dx + (y - a->y) * dy, across = (x - a->x) * dy - (y - a->y) * dx;
    return along >= 0 && along <= length && across * across <= width * width * length;
}

/* From the middle of one square to that of another. */
struct line {
    const struct queen *from, *to;
    int width;
    unsigned char colour;
};

/* Draws what a line has in a row of pixels. */
static void draw_line(const struct painting *painting, const struct line *line, int y, unsigned char *pixels)
{
    const struct queen *from = line->from, *to = line->to;
    const int width = line->width;
    const int scale = (int)painting->scale, edge = (int)painting->n * scale;
    const struct picture_point a = {(int)from->column * scale + scale / 2, (int)from->row * scale + scale / 2};
    const struct picture_point b = {(int)to->column * scale + scale / 2, (int)to->row * scale + scale / 2};
    if (y < (a.y < b.y ? a.y : b.y) - width || y > (a.y > b.y ? a.y : b.y) + width)
        return;
    int left = (a.x < b.x ? a.x : b.x) - width, right = (a.x > b.x ? a.x : b.x) + width;
    if (a.y != b.y) { /* as much of this as the line crosses in this row */
        const int dx = b.x - a.x, dy = b.y - a.y, middle = a.x + (int)((int64_t)dx * (y - a.y) / dy);
        const int reach = 2 + width * (abs(dx) + abs(dy)) / abs(dy);
        left = left > middle - reach ? left : middle - reach;
        right = right < middle + reach ? right : middle + reach;
    }
    for (int x = left < 0 ? 0 : left; x <= right && x < edge; x++)
        if (near_line(x, y, &a, &b, width))
            pixels[x] = line->colour;
}

/* The lines between queens, and thin ones to squares that are not free where a hint looks. */
static void draw_lines(const struct painting *painting, int y, unsigned char *pixels)
{
    const struct shown_marks *marks = painting->board->marks;
    const int thin = 1 + (int)painting->scale / 128, thick = (int)painting->scale / 24 + 1;
    if (!marks)
        return;
    for (size_t i = 0; i < marks->taken.count; i++) {
        const struct line line = {&marks->takers[i], &marks->taken.list[i], thin, HINT};
        draw_line(painting, &line, y, pixels);
    }
    for (size_t i = 0; i < marks->attack_count; i++) {
        const struct line line = {&marks->attacks[i].a, &marks->attacks[i].b, thick, ATTACK};
        draw_line(painting, &line, y, pixels);
    }
}

/* The outer half of the outermost lines is a margin. */
static void paint_row(void *context, uint32_t at, unsigned char *pixels)
{
    const struct painting *painting = context;
    const uint32_t edge = painting->n * painting->scale, half = painting->half;
    memset(pixels, LINE, edge + 2 * half);
    if (at < half || at >= painting->rows * painting->scale + half)
        return;
    struct place place = {.row = (int)((at - half) / painting->scale), .y = (int)((at - half) % painting->scale)};
    for (uint32_t i = 0; i < edge; i++) {
        place.column = (int)(i / painting->scale);
        place.x = (int)(i % painting->scale);
        pixels[half + i] = pixel(painting, &place);
    }
    draw_lines(painting, (int)(at - half), pixels + half);
}

static void mix_palette(struct painting *painting)
{
    const uint32_t plain[] = {picture_day.light, picture_day.dark};
    for (uint32_t colour = 0; colour < PALETTE; colour++)
        for (uint32_t level = 0; level <= LEVELS; level++)
            painting->palette[colour * (LEVELS + 1) + level] = png_mix(
                painting->board->regions ? palette[colour] : plain[colour % 2], picture_day.queen, level, LEVELS);
    for (uint32_t level = 1; level <= LEVELS; level++)
        painting->palette[WRONG + level - 1] = png_mix(attack_colour, picture_day.light, level, LEVELS);
    painting->palette[ATTACK] = png_mix(attack_colour, attack_colour, 0, 1);
    painting->palette[HINT] = png_mix(hint_colour, hint_colour, 0, 1);
    painting->palette[CROSS] = png_mix(cross_colour, cross_colour, 0, 1);
    painting->palette[LINE] = png_mix(picture_day.queen, picture_day.queen, 0, 1);
    painting->palette[GRID] = png_mix(grid_colour, grid_colour, 0, 1);
    painting->palette[WALL] = png_mix(picture_day.wall, picture_day.wall, 0, 1);
    painting->palette[HATCH] = png_mix(picture_day.hatch, picture_day.hatch, 0, 1);
}

static void put(struct painting *painting, const struct shown_squares *squares, uint8_t what)
{
    for (size_t i = 0; i < squares->count; i++)
        painting->on[squares->list[i].row * painting->n + squares->list[i].column] |= what;
}

static void put_all(struct painting *painting)
{
    const struct painted_board *board = painting->board;
    for (size_t i = 0; i < picture_queens(board); i++) {
        const struct nq_square queen = picture_queen(board, i);
        painting->on[queen.row * board->n + queen.column] |= HAS_QUEEN;
    }
    for (uint32_t square = 0; board->shape && square < painting->rows * board->n; square++)
        painting->on[square] |= picture_wall(board, square / board->n, square % board->n) ? IS_WALL : 0;
    if (!board->marks)
        return;
    put(painting, &board->marks->crosses, HAS_CROSS);
    put(painting, &board->marks->lit, IS_LIT);
    put(painting, &board->marks->targets, IS_TARGET);
    put(painting, &board->marks->taken, IS_TAKEN);
}

static enum nq_status paint_png(struct bytes *out, const struct painted_board *board, const atomic_bool *stop)
{
    const uint32_t n = board->n, rows = picture_rows(board), scale = picture_scale_of(board);
    struct painting painting = {.board = board, .n = n, .rows = rows, .scale = scale, .crown = scale};
    painting.on = calloc((size_t)rows * n, 1);
    if (!painting.on) {
        out->failed = true;
        return NQ_OK;
    }
    put_all(&painting);
    if (board->regions) {
        painting.half = scale / BORDER / 2;
        painting.crown = scale * QUEEN_BESIDE / 8;
        for (uint32_t square = n * n; square-- > 0;)
            painting.first[board->regions->of[square]] = square;
        palette_assign(board->regions, painting.entry);
    }
    mix_palette(&painting);
    png_queen(painting.crown, LEVELS, painting.queen, stop);
    const struct png_picture picture = {.width = n * scale + 2 * painting.half,
                                        .height = rows * scale + 2 * painting.half,
                                        .depth = 8,
                                        .colours = picture_on_walls(board) ? COLOURS : WRONG,
                                        .palette = painting.palette,
                                        .row = paint_row,
                                        .drawing = &painting};
    const enum nq_status status = png_write(out, &picture, stop);
    free(painting.on);
    return status;
}

/* ---- Solutions ---- */

enum { SMOOTH_FROM = 9 }; /* pixels along a square: below it a queen is a spot without shades */

/* A colour is the square's (0 light, 1 dark) and how much of the pixel is queen, from 0 to levels. */
struct drawing {
    uint32_t n, scale, levels;
    const uint32_t *columns;
    unsigned char queen[PNG_SCALE_MAX * PNG_SCALE_MAX]; /* levels of her square */
    unsigned char empty[2][PICTURE_MAX_N];              /* the pixels of a row of squares that begins light, and dark */
    png_color palette[2 * (PNG_LEVELS_MAX + 1)];
};

static void mix_shades(struct drawing *drawing)
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
    mix_shades(&drawing);
    const struct png_picture picture = {.width = n * drawing.scale,
                                        .height = n * drawing.scale,
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
    return board->regions || board->marks || board->shape ? paint_png(out, board, stop) : png_draw(out, board, stop);
}

const struct format format_png = {
    .name = "png",
    .media_type = "image/png",
    .picture = true,
    .paint = png_paint,
};
