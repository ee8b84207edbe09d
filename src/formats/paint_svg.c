/* paint_svg.c - a board with regions as a drawing, and several of them on a page to be printed: coloured regions, thick
 * borders that are enough without colours, and their letters. A square is 1 x 1; on a page 0.1 mm is. */
#include <inttypes.h>

#include "base/stop.h"
#include "formats/palette.h"
#include "formats/svg.h"

/* An A4 page; around and between its boards; the line below each of them. */
enum { PAGE_WIDTH = 2100, PAGE_HEIGHT = 2970, PAGE_MARGIN = 120, PAGE_GAP = 80, PAGE_CAPTION = 70, PAGE_TEXT = 42 };

static const char line_colour[] = "#1f1712"; /* that of picture_day.queen */

/* ---- A board ---- */

/* The squares of a region: a rectangle for each run in a row. */
static void fill(struct bytes *out, const struct regions *regions, uint32_t region, uint32_t colour)
{
    const uint32_t n = regions->n;
    bytes_format(out, "<path fill=\"#%06" PRIx32 "\" d=\"", colour);
    for (uint32_t row = 0; row < n; row++)
        for (uint32_t from = 0, to = 0; from < n; from = to + 1) {
            const uint8_t *of = regions->of + (size_t)row * n;
            for (to = from; to < n && of[to] == region; to++)
                ;
            if (to > from)
                bytes_format(out, "M%" PRIu32 " %" PRIu32 "h%" PRIu32 "v1h-%" PRIu32 "z", from, row, to - from,
                             to - from);
        }
    bytes_text(out, "\"/>\n");
}

/* Lines between regions, as long as they go straight on: between rows, or between columns. */
static void borders(struct bytes *out, const struct regions *regions, bool columns)
{
    const uint32_t n = regions->n;
    const size_t along = columns ? n : 1, across = columns ? 1 : n;
    for (uint32_t line = 1; line < n; line++)
        for (uint32_t from = 0, to = 0; from < n; from = to + 1) {
            const uint8_t *after = regions->of + line * across, *before = after - across;
            for (to = from; to < n && before[to * along] != after[to * along]; to++)
                ;
            if (to > from)
                bytes_format(out, "M%" PRIu32 " %" PRIu32 "%c%" PRIu32, columns ? line : from, columns ? from : line,
                             columns ? 'v' : 'h', to - from);
        }
}

static void grid(struct bytes *out, uint32_t n)
{
    bytes_format(out, "<path fill=\"none\" stroke=\"%s\" stroke-opacity=\".45\" stroke-width=\".02\" d=\"",
                 line_colour);
    for (uint32_t i = 1; i < n; i++)
        bytes_format(out, "M0 %" PRIu32 "h%" PRIu32 "M%" PRIu32 " 0v%" PRIu32, i, n, i, n);
    bytes_text(out, "\"/>\n");
}

/* In the upper left corner of the first square of each region. */
static void letters(struct bytes *out, const struct regions *regions)
{
    const uint32_t n = regions->n;
    uint32_t next = 0; /* regions are numbered by their first squares */
    bytes_format(out, "<g font-family=\"sans-serif\" font-size=\".26\" fill=\"%s\">", line_colour);
    for (uint32_t square = 0; square < n * n; square++)
        if (regions->of[square] == next) {
            bytes_format(out, "<text x=\"%" PRIu32 ".08\" y=\"%" PRIu32 ".26\">%c</text>", square % n, square / n,
                         (char)('a' + next));
            next++;
        }
    bytes_text(out, "</g>\n");
}

static void queens(struct bytes *out, uint32_t n, const uint32_t *columns)
{
    bytes_format(out, "<g fill=\"%s\">", line_colour);
    for (uint32_t row = 0; row < n; row++)
        bytes_format(out, "<use href=\"#nq-queen\" x=\"%" PRIu32 "\" y=\"%" PRIu32 "\"/>", columns[row], row);
    bytes_text(out, "</g>\n");
}

static void draw_board(struct bytes *out, const struct painted_board *board)
{
    const struct regions *regions = board->regions;
    const uint32_t n = regions->n;
    uint8_t entry[REGIONS_MAX_N];
    palette_assign(regions, entry);
    bytes_text(out, "<g shape-rendering=\"crispEdges\">\n");
    for (uint32_t region = 0; region < n; region++)
        fill(out, regions, region, palette[entry[region]]);
    bytes_text(out, "</g>\n");
    grid(out, n);
    bytes_format(out,
                 "<path fill=\"none\" stroke=\"%s\" stroke-width=\".1\" stroke-linecap=\"square\" d=\"M0 0h%" PRIu32
                 "v%" PRIu32 "h-%" PRIu32 "z",
                 line_colour, n, n, n);
    borders(out, regions, false);
    borders(out, regions, true);
    bytes_text(out, "\"/>\n");
    letters(out, regions);
    if (board->columns)
        queens(out, n, board->columns);
}

/* Where a board is and how large, with its outer lines; then its own measure. */
static void open_board(struct bytes *out, uint32_t n)
{
    bytes_format(out, " viewBox=\"-.05 -.05 %" PRIu32 ".1 %" PRIu32 ".1\"", n, n);
}

/* The letters, and where the queens are, for screen readers. */
static void words(struct bytes *out, const struct painted_board *board)
{
    const uint32_t n = board->regions->n;
    bytes_format(out,
                 "<title id=\"nq-title\">A board of %" PRIu32 " by %" PRIu32 " with %" PRIu32 " regions%s</title>\n", n,
                 n, n, board->columns ? " and a queen in each" : "");
    bytes_text(out, "<desc id=\"nq-desc\">The regions of the squares, row by row: ");
    regions_write_text(board->regions, ' ', out);
    bytes_char(out, '.');
    if (board->columns) {
        bytes_char(out, ' ');
        svg_columns(out, n, board->base, board->columns);
    }
    bytes_text(out, "</desc>\n");
}

enum nq_status paint_svg(struct bytes *out, const struct painted_board *board, const atomic_bool *stop)
{
    const uint32_t n = board->regions->n, edge = n * picture_scale(n);
    bytes_format(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu32 "\" height=\"%" PRIu32 "\"", edge,
                 edge);
    open_board(out, n);
    bytes_text(out, " role=\"img\" aria-labelledby=\"nq-title nq-desc\">\n");
    words(out, board);
    if (board->columns) {
        bytes_text(out, "<defs>");
        svg_queen(out, true);
        bytes_text(out, "</defs>\n");
    }
    draw_board(out, board);
    bytes_text(out, "</svg>\n");
    return stop_wanted(stop) ? NQ_CANCELLED : NQ_OK;
}

/* ---- A page ---- */

/* The edge of boards that stand in so many columns. */
static uint32_t edge_of(uint32_t columns, uint32_t count)
{
    const uint32_t rows = (count + columns - 1) / columns;
    const uint32_t wide = (PAGE_WIDTH - 2 * PAGE_MARGIN - (columns - 1) * PAGE_GAP) / columns;
    const uint32_t high = (PAGE_HEIGHT - 2 * PAGE_MARGIN - (rows - 1) * PAGE_GAP) / rows - PAGE_CAPTION;
    return wide < high ? wide : high;
}

/* The number of columns in which they are largest. */
static uint32_t columns_of(uint32_t count)
{
    uint32_t best = 1;
    for (uint32_t columns = 2; columns <= count; columns++)
        if (edge_of(columns, count) > edge_of(best, count))
            best = columns;
    return best;
}

enum nq_status sheet_svg(struct bytes *out, const struct painted_board *boards, size_t count, const atomic_bool *stop)
{
    const uint32_t columns = columns_of((uint32_t)count), edge = edge_of(columns, (uint32_t)count);
    const uint32_t left = (PAGE_WIDTH - columns * edge - (columns - 1) * PAGE_GAP) / 2;
    bytes_format(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"210mm\" height=\"297mm\" viewBox=\"0 0 %d %d\""
        " role=\"img\" aria-labelledby=\"nq-title\">\n<title id=\"nq-title\">%zu board%s with regions: one queen in "
        "every row, column and region, no two next to each other</title>\n<rect fill=\"#fff\" width=\"%d\" "
        "height=\"%d\"/>\n",
        PAGE_WIDTH, PAGE_HEIGHT, count, count == 1 ? "" : "s", PAGE_WIDTH, PAGE_HEIGHT);
    for (uint32_t i = 0; i < count && !stop_wanted(stop); i++) {
        const uint32_t x = left + i % columns * (edge + PAGE_GAP);
        const uint32_t y = PAGE_MARGIN + i / columns * (edge + PAGE_CAPTION + PAGE_GAP);
        bytes_format(out, "<svg x=\"%" PRIu32 "\" y=\"%" PRIu32 "\" width=\"%" PRIu32 "\" height=\"%" PRIu32 "\"", x, y,
                     edge, edge);
        open_board(out, boards[i].regions->n);
        bytes_text(out, ">\n");
        draw_board(out, &boards[i]);
        bytes_format(out,
                     "</svg>\n<text x=\"%" PRIu32 "\" y=\"%" PRIu32
                     "\" font-family=\"sans-serif\" font-size=\"%d\" fill=\"%s\">%s</text>\n",
                     x, y + edge + PAGE_CAPTION - 10, PAGE_TEXT, line_colour, boards[i].caption);
    }
    bytes_text(out, "</svg>\n");
    return stop_wanted(stop) ? NQ_CANCELLED : NQ_OK;
}
