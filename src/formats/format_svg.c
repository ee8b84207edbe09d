/* format_svg.c - boards as drawings, one or several on a page to be printed. On a page 0.1 mm is 1. */
#include <inttypes.h>
#include <stdio.h>

#include "base/stop.h"
#include "formats/svg.h"

/* An A4 page; around and between its boards; the line below each of them. */
enum {
    PAGE_WIDTH = 2100,
    PAGE_HEIGHT = 2970,
    PAGE_MARGIN = 120,
    PAGE_GAP = 80,
    PAGE_CAPTION = 110,
    PAGE_TEXT = 42,
    PAGE_SMALL = 30
};

/* Above the boards: what they are, the rule, and a line for a name. */
enum { PAGE_HEAD = 170, PAGE_TITLE = 60, NAME_FROM = 1250, NAME_TO = PAGE_WIDTH - PAGE_MARGIN };

/* The edge of boards that stand in so many columns. */
static uint32_t edge_of(uint32_t columns, uint32_t count)
{
    const uint32_t rows = (count + columns - 1) / columns;
    const uint32_t wide = (PAGE_WIDTH - 2 * PAGE_MARGIN - (columns - 1) * PAGE_GAP) / columns;
    const uint32_t high = (PAGE_HEIGHT - PAGE_HEAD - 2 * PAGE_MARGIN - (rows - 1) * PAGE_GAP) / rows - PAGE_CAPTION;
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

static void write_text(struct bytes *out, uint32_t x, uint32_t y, uint32_t size, const char *text)
{
    bytes_format(out,
                 "<text x=\"%" PRIu32 "\" y=\"%" PRIu32 "\" font-family=\"system-ui,sans-serif\" font-size=\"%" PRIu32
                 "\" fill=\"%s\">%s</text>\n",
                 x, y, size, svg_ink, text);
}

/* What the board is, and where it can be played. */
static void write_caption(struct bytes *out, const struct painted_board *board, uint32_t x, uint32_t y)
{
    struct bytes address = {0};
    write_text(out, x, y + PAGE_TEXT + 12, PAGE_TEXT, board->caption);
    bytes_format(&address, "…/%s", board->address ? board->address : "");
    bytes_char(&address, '\0');
    out->failed |= address.failed;
    if (!address.failed)
        write_text(out, x, y + PAGE_TEXT + 12 + PAGE_SMALL + 10, PAGE_SMALL, address.data);
    bytes_free(&address);
}

static void write_rule(struct bytes *out, const struct painted_board *board, uint32_t y)
{
    char text[160] = "Add queens: one in every row and every column, no two on one diagonal.";
    if (board->regions)
        (void)snprintf(text, sizeof text,
                       "One queen in every row, every column and every region; no two touch, not even at a corner.");
    else if (board->rules)
        (void)snprintf(text, sizeof text,
                       "Add queens: one in every row and every column, no two attack each other by the rule %s.",
                       board->rules);
    write_text(out, PAGE_MARGIN, y, PAGE_SMALL + 4, text);
}

static void write_head(struct bytes *out, const struct painted_board *board)
{
    enum { TITLE_AT = PAGE_MARGIN + PAGE_TITLE, RULE_AT = TITLE_AT + 60 };
    write_text(out, PAGE_MARGIN, TITLE_AT, PAGE_TITLE, board->columns ? "Queens: solutions" : "Queens");
    write_rule(out, board, RULE_AT);
    if (board->columns)
        return;
    write_text(out, NAME_FROM - 120, TITLE_AT, PAGE_TEXT, "Name");
    bytes_format(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"3\" d=\"M%d %dH%d\"/>\n", svg_ink, NAME_FROM,
                 TITLE_AT + 6, NAME_TO);
}

/* A drawing that is a part of the page. */
static void write_board(struct bytes *out, const struct painted_board *board, uint32_t x, uint32_t y, uint32_t edge)
{
    char word[SVG_WORD_MAX];
    bytes_format(out, "<svg x=\"%" PRIu32 "\" y=\"%" PRIu32 "\" width=\"%" PRIu32 "\" height=\"%" PRIu32 "\"", x, y,
                 edge, edge);
    svg_view(out, board);
    bytes_text(out, ">\n<defs>");
    (void)svg_word(board, word);
    if (!board->regions)
        svg_squares(out, word);
    svg_define(out, word, board);
    bytes_text(out, "</defs>\n");
    (void)svg_board(out, word, board, NULL);
    if (!board->regions) /* so that it has an edge on paper */
        bytes_format(out,
                     "<path fill=\"none\" stroke=\"%s\" stroke-width=\".05\" d=\"M0 0h%" PRIu32 "v%" PRIu32 "h-%" PRIu32
                     "z\"/>\n",
                     svg_ink, board->n, board->n, board->n);
    bytes_text(out, "</svg>\n");
}

static enum nq_status svg_sheet(struct bytes *out, const struct painted_board *boards, size_t count,
                                const atomic_bool *stop)
{
    const uint32_t columns = columns_of((uint32_t)count), edge = edge_of(columns, (uint32_t)count);
    const uint32_t left = (PAGE_WIDTH - columns * edge - (columns - 1) * PAGE_GAP) / 2;
    char word[SVG_WORD_MAX];
    (void)svg_word(&boards[0], word);
    bytes_format(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"210mm\" height=\"297mm\" viewBox=\"0 0 %d %d\""
                 " role=\"img\" aria-labelledby=\"%s-title\">\n<title id=\"%s-title\">%zu board%s %s</title>\n<rect "
                 "fill=\"#fff\" "
                 "width=\"%d\" height=\"%d\"/>\n",
                 PAGE_WIDTH, PAGE_HEIGHT, word, word, count, count == 1 ? "" : "s",
                 boards[0].regions
                     ? "with regions: one queen in every row, column and region, no two next to each other"
                     : "to be completed: one queen in every row and column, no two attack each other",
                 PAGE_WIDTH, PAGE_HEIGHT);
    write_head(out, &boards[0]);
    for (uint32_t i = 0; i < count && !stop_wanted(stop); i++) {
        const uint32_t x = left + i % columns * (edge + PAGE_GAP);
        const uint32_t y = PAGE_MARGIN + PAGE_HEAD + i / columns * (edge + PAGE_CAPTION + PAGE_GAP);
        write_board(out, &boards[i], x, y, edge);
        write_caption(out, &boards[i], x, y + edge);
    }
    bytes_text(out, "</svg>\n");
    return stop_wanted(stop) ? NQ_CANCELLED : NQ_OK;
}

const struct format format_svg = {
    .name = "svg",
    .media_type = "image/svg+xml",
    .picture = true,
    .paint = paint_svg,
    .sheet = svg_sheet,
};
