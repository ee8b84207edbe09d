/* paint_svg.c - one board as a drawing that scales, has a name for screen readers, and follows the dark mode of its
 * reader: a solution, a position with its attacks, or what a hint rests on. Regions are coloured, with borders that are
 * enough without colours, and letters. A square is 1 x 1; the queens are uses of one outline. */
#include <inttypes.h>
#include <stdio.h>

#include "base/stop.h"
#include "board/conflicts.h"
#include "formats/palette.h"
#include "formats/svg.h"

const char svg_ink[] = "#1f1712"; /* that of picture_day.queen */

/* Of attacks, and of hints: readable on every colour of a board, also without red and green. */
static const char attack_colour[] = "#c1121f", hint_colour[] = "#00296b";

/* Queens drawn between two looks at the stop flag: some tens of microseconds. */
enum { POLL_ROWS = 256 };

/* Queens, and pairs of them, that are described to screen readers: a thousand numbers are of no use there. */
enum { DESCRIBED = 100 };

/* ---- Regions ---- */

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
    bytes_format(out, "<path fill=\"none\" stroke=\"%s\" stroke-opacity=\".2\" stroke-width=\".02\" d=\"", svg_ink);
    for (uint32_t i = 1; i < n; i++)
        bytes_format(out, "M0 %" PRIu32 "h%" PRIu32 "M%" PRIu32 " 0v%" PRIu32, i, n, i, n);
    bytes_text(out, "\"/>\n");
}

/* In the upper left corner of the first square of each region. */
static void letters(struct bytes *out, const struct regions *regions)
{
    const uint32_t n = regions->n;
    uint32_t next = 0; /* regions are numbered by their first squares */
    bytes_format(out, "<g font-family=\"sans-serif\" font-size=\".26\" fill=\"%s\">", svg_ink);
    for (uint32_t square = 0; square < n * n; square++)
        if (regions->of[square] == next) {
            bytes_format(out, "<text x=\"%" PRIu32 ".08\" y=\"%" PRIu32 ".26\">%c</text>", square % n, square / n,
                         (char)('a' + next));
            next++;
        }
    bytes_text(out, "</g>\n");
}

static void draw_regions(struct bytes *out, const char *word, const struct regions *regions)
{
    const uint32_t n = regions->n;
    uint8_t entry[REGIONS_MAX_N];
    palette_assign(regions, entry);
    bytes_format(out, "<g shape-rendering=\"crispEdges\" clip-path=\"url(#%s-rim)\">\n", word);
    for (uint32_t region = 0; region < n; region++)
        fill(out, regions, region, palette[entry[region]]);
    bytes_text(out, "</g>\n");
    grid(out, n);
    bytes_format(out,
                 "<rect fill=\"none\" stroke=\"%s\" stroke-width=\".07\" width=\"%" PRIu32 "\" height=\"%" PRIu32
                 "\" rx=\".16\"/>\n<path class=\"nq-borders\" fill=\"none\" stroke=\"%s\" stroke-width=\".05\""
                 " stroke-linecap=\"round\" d=\"",
                 svg_ink, n, n, svg_ink);
    borders(out, regions, false);
    borders(out, regions, true);
    bytes_text(out, "\"/>\n");
    letters(out, regions);
}

/* ---- Light and dark squares ---- */

static void draw_squares(struct bytes *out, const char *word, uint32_t n)
{
    bytes_format(out,
                 "<rect class=\"nq-light\" fill=\"#%06" PRIx32 "\" width=\"%" PRIu32 "\" height=\"%" PRIu32
                 "\"/>\n<rect fill=\"url(#%s-squares)\" width=\"%" PRIu32 "\" height=\"%" PRIu32 "\"/>\n",
                 picture_day.light, n, n, word, n, n);
}

void svg_squares(struct bytes *out, const char *word)
{
    bytes_format(out,
                 "<pattern id=\"%s-squares\" width=\"2\" height=\"2\" patternUnits=\"userSpaceOnUse\">"
                 "<path class=\"nq-dark\" fill=\"#%06" PRIx32 "\" shape-rendering=\"crispEdges\""
                 " d=\"M1 0h1v1H1zM0 1h1v1H0z\"/></pattern>",
                 word, picture_day.dark);
}

/* The colours by night, of squares and queens. */
static void define_night(struct bytes *out)
{
    const struct picture_colours *night = &picture_night;
    bytes_format(out,
                 "<style>@media (prefers-color-scheme:dark){.nq-light{fill:#%06" PRIx32 "}.nq-dark{fill:#%06" PRIx32
                 "}.nq-queens{fill:#%06" PRIx32 "}}</style>\n",
                 night->light, night->dark, night->queen);
}

/* ---- What is on the board ---- */

static void draw_queen(struct bytes *out, const char *word, uint32_t row, uint32_t column)
{
    bytes_format(out, "<use href=\"#%s-queen\" x=\"", word);
    bytes_number(out, column);
    bytes_text(out, "\" y=\"");
    bytes_number(out, row);
    bytes_text(out, "\"/>\n");
}

static enum nq_status draw_queens(struct bytes *out, const char *word, const struct painted_board *board,
                                  const atomic_bool *stop)
{
    const size_t count = board->columns ? board->n : board->marks ? board->marks->queens.count : 0;
    if (!count)
        return NQ_OK;
    bytes_format(out,
                 board->regions ? "<g fill=\"#%06" PRIx32 "\">\n" : "<g class=\"nq-queens\" fill=\"#%06" PRIx32 "\">\n",
                 picture_day.queen);
    for (size_t i = 0; i < count; i++) {
        if (i % POLL_ROWS == 0 && stop_wanted(stop))
            return NQ_CANCELLED;
        const struct queen queen =
            board->columns ? (struct queen){(uint32_t)i, board->columns[i]} : board->marks->queens.list[i];
        draw_queen(out, word, queen.row, queen.column);
    }
    bytes_text(out, "</g>\n");
    return NQ_OK;
}

/* A path of a stroke in each of these squares. */
static void draw_in_each(struct bytes *out, const struct shown_squares *squares, const char *attributes,
                         const char *stroke)
{
    if (!squares->count)
        return;
    bytes_format(out, "<path fill=\"none\" %s d=\"", attributes);
    for (size_t i = 0; i < squares->count; i++)
        bytes_format(out, "M%" PRIu32 " %" PRIu32 "%s", squares->list[i].column, squares->list[i].row, stroke);
    bytes_text(out, "\"/>\n");
}

/* Lines from the middle of one queen's square to that of the other's. */
static void draw_attacks(struct bytes *out, const struct shown_marks *marks)
{
    if (!marks->attack_count)
        return;
    bytes_format(
        out,
        "<path class=\"nq-attacks\" fill=\"none\" stroke=\"%s\" stroke-width=\".09\" stroke-linecap=\"round\" d=\"",
        attack_colour);
    for (size_t i = 0; i < marks->attack_count; i++) {
        const struct queen *a = &marks->attacks[i].a, *b = &marks->attacks[i].b;
        bytes_format(out, "M%" PRIu32 ".5 %" PRIu32 ".5L%" PRIu32 ".5 %" PRIu32 ".5", a->column, a->row, b->column,
                     b->row);
    }
    bytes_text(out, "\"/>\n");
}

/* Thin lines from queens to squares that they attack, which have a dot. */
static void draw_taken(struct bytes *out, const struct shown_marks *marks)
{
    char attributes[96];
    if (!marks->taken.count)
        return;
    bytes_format(out, "<path class=\"nq-taken\" fill=\"none\" stroke=\"%s\" stroke-width=\".03\" d=\"", hint_colour);
    for (size_t i = 0; i < marks->taken.count; i++) {
        const struct queen *from = &marks->takers[i], *to = &marks->taken.list[i];
        bytes_format(out, "M%" PRIu32 ".5 %" PRIu32 ".5L%" PRIu32 ".5 %" PRIu32 ".5", from->column, from->row,
                     to->column, to->row);
    }
    bytes_text(out, "\"/>\n");
    (void)snprintf(attributes, sizeof attributes,
                   "class=\"nq-dots\" stroke=\"%s\" stroke-linecap=\"round\" stroke-width=\".16\"", hint_colour);
    draw_in_each(out, &marks->taken, attributes, "m.5 .5h0");
}

/* What is below the queens. */
static void draw_under(struct bytes *out, const struct shown_marks *marks)
{
    char attributes[96];
    draw_taken(out, marks);
    (void)snprintf(attributes, sizeof attributes, "class=\"nq-lit\" stroke=\"%s\" stroke-width=\".07\"", hint_colour);
    draw_in_each(out, &marks->lit, attributes, "m.1 .1h.8v.8h-.8z");
    (void)snprintf(attributes, sizeof attributes,
                   "class=\"nq-crosses\" stroke=\"%s\" stroke-opacity=\".6\" stroke-width=\".06\"", svg_ink);
    draw_in_each(out, &marks->crosses, attributes, "m.34 .34l.32 .32m0-.32l-.32 .32");
    (void)snprintf(attributes, sizeof attributes,
                   "class=\"nq-targets\" stroke=\"%s\" stroke-linecap=\"round\" stroke-width=\".12\"", hint_colour);
    if (!marks->placed)
        draw_in_each(out, &marks->targets, attributes, "m.28 .28l.44 .44m0-.44l-.44 .44");
}

enum nq_status svg_board(struct bytes *out, const char *word, const struct painted_board *board,
                         const atomic_bool *stop)
{
    const struct shown_marks *marks = board->marks;
    if (board->regions)
        draw_regions(out, word, board->regions);
    else
        draw_squares(out, word, board->n);
    if (marks)
        draw_under(out, marks);
    const enum nq_status status = draw_queens(out, word, board, stop);
    if (marks && marks->placed && marks->targets.count) {
        bytes_format(out, "<g class=\"nq-targets\" fill=\"%s\">\n", hint_colour);
        for (size_t i = 0; i < marks->targets.count; i++)
            draw_queen(out, word, marks->targets.list[i].row, marks->targets.list[i].column);
        bytes_text(out, "</g>\n");
    }
    if (marks)
        draw_attacks(out, marks);
    return status;
}

/* ---- In words ---- */

static void write_columns(struct bytes *out, const struct painted_board *board)
{
    bytes_format(out, "The queens' columns from the top row down, counted from %" PRIu32 ":", board->base);
    for (uint32_t row = 0; row < board->n && row < DESCRIBED; row++) {
        bytes_text(out, row ? ", " : " ");
        bytes_number(out, (uint64_t)board->columns[row] + board->base);
    }
    bytes_text(out, board->n > DESCRIBED ? " and so on." : ".");
}

static void write_square(struct bytes *out, const struct painted_board *board, const struct queen *at)
{
    bytes_format(out, "%" PRIu32 ":%" PRIu32, at->row + board->base, at->column + board->base);
}

/* "Queens: 1:1, 2:5." */
static void write_squares(struct bytes *out, const struct painted_board *board, const char *what,
                          const struct shown_squares *squares)
{
    for (size_t i = 0; i < squares->count && i < DESCRIBED; i++) {
        bytes_text(out, i ? ", " : what);
        write_square(out, board, &squares->list[i]);
    }
    if (squares->count)
        bytes_text(out, squares->count > DESCRIBED ? " and so on. " : ". ");
}

static void write_marks(struct bytes *out, const struct painted_board *board)
{
    const struct shown_marks *marks = board->marks;
    bytes_format(out, "Squares are row:column, counted from %" PRIu32 ". ", board->base);
    write_squares(out, board, "Queens: ", &marks->queens);
    write_squares(out, board, "Crossed: ", &marks->crosses);
    write_squares(out, board, "The hint rests on ", &marks->lit);
    write_squares(out, board, "Attacked, where it looks: ", &marks->taken);
    write_squares(out, board, marks->placed ? "A queen belongs on " : "To be crossed: ", &marks->targets);
    for (size_t i = 0; i < marks->attack_count && i < DESCRIBED; i++) {
        bytes_text(out, i ? ", " : "Attacks: ");
        write_square(out, board, &marks->attacks[i].a);
        bytes_char(out, '-');
        write_square(out, board, &marks->attacks[i].b);
    }
    if (marks->attack_count)
        bytes_char(out, '.');
}

static void write_title(struct bytes *out, const struct painted_board *board)
{
    const uint32_t n = board->n;
    const struct shown_marks *marks = board->marks;
    if (board->columns && !board->regions && n == 1) {
        bytes_text(out, "One queen on a board of one square");
    } else if (board->columns && !board->regions) {
        bytes_format(out, "%" PRIu32 " queens on a board of %" PRIu32 " by %" PRIu32 ", none attacking another", n, n,
                     n);
        if (board->rules)
            bytes_format(out, " by the rule %s", board->rules);
    } else {
        bytes_format(out, "A board of %" PRIu32 " by %" PRIu32, n, n);
        if (board->regions)
            bytes_format(out, " with %" PRIu32 " regions%s", n, board->columns ? " and a queen in each" : "");
        if (marks)
            bytes_format(out, ", %zu queen%s", marks->queens.count, marks->queens.count == 1 ? "" : "s");
        if (marks && marks->attack_count)
            bytes_format(out, ", %zu attack%s", marks->attack_count, marks->attack_count == 1 ? "" : "s");
    }
}

/* The description for screen readers. */
static void write_words(struct bytes *out, const char *word, const struct painted_board *board)
{
    bytes_format(out, "<title id=\"%s-title\">", word);
    write_title(out, board);
    bytes_format(out, "</title>\n<desc id=\"%s-desc\">", word);
    if (board->regions) {
        bytes_text(out, "The regions of the squares, row by row: ");
        regions_write_text(board->regions, ' ', out);
        bytes_text(out, board->columns || board->marks ? ". " : ".");
    }
    if (board->columns)
        write_columns(out, board);
    if (board->marks)
        write_marks(out, board);
    bytes_text(out, "</desc>\n");
}

/* ---- The drawing ---- */

void svg_view(struct bytes *out, const struct painted_board *board)
{
    bytes_format(out,
                 board->regions ? " viewBox=\"-.05 -.05 %" PRIu32 ".1 %" PRIu32 ".1\""
                                : " viewBox=\"0 0 %" PRIu32 " %" PRIu32 "\"",
                 board->n, board->n);
}

enum nq_status paint_svg(struct bytes *out, const struct painted_board *board, const atomic_bool *stop)
{
    const uint32_t edge = board->n * picture_scale(board->n);
    char word[SVG_WORD_MAX];
    (void)svg_word(board, word);
    bytes_format(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu32 "\" height=\"%" PRIu32 "\"", edge,
                 edge);
    svg_view(out, board);
    bytes_format(out, " role=\"img\" aria-labelledby=\"%s-title %s-desc\">\n", word, word);
    write_words(out, word, board);
    if (!board->regions)
        define_night(out);
    bytes_text(out, "<defs>");
    if (!board->regions)
        svg_squares(out, word);
    svg_define(out, word, board);
    bytes_text(out, "</defs>\n");
    const enum nq_status status = svg_board(out, word, board, stop);
    bytes_text(out, "</svg>\n");
    return status == NQ_OK && stop_wanted(stop) ? NQ_CANCELLED : status;
}
