/* format_svg.c - boards as drawings, one or several on a page to be printed. On a page 0.1 mm is 1. */
#include <inttypes.h>

#include "base/stop.h"
#include "formats/svg.h"

/* An A4 page; around and between its boards; the line below each of them. */
enum { PAGE_WIDTH = 2100, PAGE_HEIGHT = 2970, PAGE_MARGIN = 120, PAGE_GAP = 80, PAGE_CAPTION = 70, PAGE_TEXT = 42 };

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

static enum nq_status svg_sheet(struct bytes *out, const struct painted_board *boards, size_t count,
                                const atomic_bool *stop)
{
    const uint32_t columns = columns_of((uint32_t)count), edge = edge_of(columns, (uint32_t)count);
    const uint32_t left = (PAGE_WIDTH - columns * edge - (columns - 1) * PAGE_GAP) / 2;
    char word[SVG_WORD_MAX];
    (void)svg_word(&boards[0], word);
    bytes_format(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"210mm\" height=\"297mm\" viewBox=\"0 0 %d %d\""
        " role=\"img\" aria-labelledby=\"%s-title\">\n<title id=\"%s-title\">%zu board%s with regions: one queen in "
        "every row, column and region, no two next to each other</title>\n<rect fill=\"#fff\" width=\"%d\" "
        "height=\"%d\"/>\n",
        PAGE_WIDTH, PAGE_HEIGHT, word, word, count, count == 1 ? "" : "s", PAGE_WIDTH, PAGE_HEIGHT);
    for (uint32_t i = 0; i < count && !stop_wanted(stop); i++) {
        const uint32_t x = left + i % columns * (edge + PAGE_GAP);
        const uint32_t y = PAGE_MARGIN + i / columns * (edge + PAGE_CAPTION + PAGE_GAP);
        bytes_format(out, "<svg x=\"%" PRIu32 "\" y=\"%" PRIu32 "\" width=\"%" PRIu32 "\" height=\"%" PRIu32 "\"", x, y,
                     edge, edge);
        svg_view(out, &boards[i]);
        bytes_text(out, ">\n");
        (void)svg_board(out, svg_word(&boards[i], word), &boards[i], NULL);
        bytes_format(out,
                     "</svg>\n<text x=\"%" PRIu32 "\" y=\"%" PRIu32
                     "\" font-family=\"sans-serif\" font-size=\"%d\" fill=\"%s\">%s</text>\n",
                     x, y + edge + PAGE_CAPTION - 10, PAGE_TEXT, svg_ink, boards[i].caption);
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
