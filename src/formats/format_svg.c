/* format_svg.c - one board as a drawing that scales, has a name for screen readers, and follows the dark mode of
 * its reader. A square is 1 x 1; the squares are one pattern, the queens uses of one outline. */
#include <inttypes.h>

#include "base/stop.h"
#include "formats/svg.h"

/* Queens drawn between two looks at the stop flag: some tens of microseconds. */
enum { POLL_ROWS = 256 };

/* The description for screen readers. */
static void words(struct bytes *out, uint32_t n, uint32_t base, const char *rules, const uint32_t *columns)
{
    bytes_format(out,
                 n == 1 ? "<title id=\"nq-title\">One queen on a board of one square</title>\n"
                        : "<title id=\"nq-title\">%" PRIu32 " queens on a board of %" PRIu32 " by %" PRIu32
                          ", none attacking another%s%s</title>\n",
                 n, n, n, rules ? " by the rule " : "", rules ? rules : "");
    bytes_text(out, "<desc id=\"nq-desc\">");
    svg_columns(out, n, base, columns);
    bytes_text(out, "</desc>\n");
}

static enum nq_status svg_draw(struct bytes *out, uint32_t n, uint32_t base, const char *rules, const uint32_t *columns,
                               const atomic_bool *stop)
{
    const struct picture_colours *day = &picture_day, *night = &picture_night;
    const uint32_t edge = n * picture_scale(n);
    bytes_format(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu32 "\" height=\"%" PRIu32
                 "\" viewBox=\"0 0 %" PRIu32 " %" PRIu32 "\" role=\"img\" aria-labelledby=\"nq-title nq-desc\">\n",
                 edge, edge, n, n);
    words(out, n, base, rules, columns);
    bytes_format(out,
                 "<style>@media (prefers-color-scheme:dark){.nq-light{fill:#%06" PRIx32 "}.nq-dark{fill:#%06" PRIx32
                 "}.nq-queens{fill:#%06" PRIx32 "}}</style>\n",
                 night->light, night->dark, night->queen);
    bytes_format(out,
                 "<defs><pattern id=\"nq-squares\" width=\"2\" height=\"2\" patternUnits=\"userSpaceOnUse\">"
                 "<path class=\"nq-dark\" fill=\"#%06" PRIx32 "\" shape-rendering=\"crispEdges\""
                 " d=\"M1 0h1v1H1zM0 1h1v1H0z\"/></pattern>",
                 day->dark);
    svg_queen(out, false);
    bytes_format(out,
                 "</defs>\n<rect class=\"nq-light\" fill=\"#%06" PRIx32 "\" width=\"%" PRIu32 "\" height=\"%" PRIu32
                 "\"/>\n<rect fill=\"url(#nq-squares)\" width=\"%" PRIu32 "\" height=\"%" PRIu32
                 "\"/>\n<g class=\"nq-queens\" fill=\"#%06" PRIx32 "\">\n",
                 day->light, n, n, n, n, day->queen);
    for (uint32_t row = 0; row < n; row++) {
        if (row % POLL_ROWS == 0 && stop_wanted(stop))
            return NQ_CANCELLED;
        bytes_text(out, "<use href=\"#nq-queen\" x=\"");
        bytes_number(out, columns[row]);
        bytes_text(out, "\" y=\"");
        bytes_number(out, row);
        bytes_text(out, "\"/>\n");
    }
    bytes_text(out, "</g>\n</svg>\n");
    return NQ_OK;
}

const struct format format_svg = {
    .name = "svg",
    .media_type = "image/svg+xml",
    .draw = svg_draw,
    .paint = paint_svg,
    .sheet = sheet_svg,
};
