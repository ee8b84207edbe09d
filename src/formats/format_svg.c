/* format_svg.c - boards as drawings, one or several on a page to be printed. A drawing scales, has a name for screen
 * readers, and follows the dark mode of its reader: a solution, a position with its attacks, or what a hint rests on.
 * Regions are coloured, with borders that are enough without colours, and letters. A square is 1 x 1; the queens are
 * uses of one outline. On a page 0.1 mm is 1. */
#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/stop.h"
#include "board/conflicts.h"
#include "formats/format.h"
#include "formats/palette.h"

/* Pages show several drawings beside each other, and ids are of a whole page: each drawing puts a word of its own
 * before its ids, "nq-01234567". The same board has the same word. */
enum { SVG_WORD_MAX = 16 };

/* ---- What drawings define ---- */

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

/* Appends what a board's drawing uses: the path WORD-queen, in a square of 1 x 1; with regions that as QUEEN_BESIDE
 * says, and the outline WORD-rim of the board. */
static void svg_define(struct bytes *out, const char *word, const struct painted_board *board)
{
    const bool beside = board->regions;
    if (beside)
        bytes_format(out, "<clipPath id=\"%s-rim\"><rect width=\"%u\" height=\"%u\" rx=\".16\"/></clipPath>", word,
                     board->n, board->n);
    bytes_format(out, "<path id=\"%s-queen\" transform=\"", word);
    transform(out, beside);
    bytes_text(out, "\" d=\"");
    polygon(out, QUEEN_CROWN, queen_crown);
    polygon(out, QUEEN_FOOT, queen_foot);
    for (size_t i = 0; i < QUEEN_PEARLS; i++)
        disc(out, queen_pearls[i]);
    bytes_text(out, "\"/>");
}

static uint64_t hash_squares(uint64_t hash, const struct shown_squares *squares)
{
    hash = hash_bytes(hash, &squares->count, sizeof squares->count);
    return squares->count ? hash_bytes(hash, squares->list, squares->count * sizeof squares->list[0]) : hash;
}

static uint64_t hash_walls(uint64_t hash, const struct painted_board *board)
{
    const uint32_t rows = picture_rows(board);
    hash = hash_bytes(hash, &rows, sizeof rows);
    for (uint32_t square = 0; square < rows * board->n; square++)
        if (picture_wall(board, square / board->n, square % board->n))
            hash = hash_bytes(hash, &square, sizeof square);
    return hash;
}

static const char *svg_word(const struct painted_board *board, char word[static SVG_WORD_MAX])
{
    const struct shown_marks *marks = board->marks;
    const uint32_t n = board->n;
    uint64_t hash = hash_bytes(HASH_START, &n, sizeof n);
    if (board->regions)
        hash = hash_bytes(hash, board->regions->of, (size_t)n * n);
    if (board->columns)
        hash = hash_bytes(hash, board->columns, n * sizeof board->columns[0]);
    if (board->shape)
        hash = hash_walls(hash, board);
    if (board->squares)
        hash = hash_bytes(hash, board->squares, board->count * sizeof board->squares[0]);
    hash = hash_bytes(hash, &board->base, sizeof board->base);
    if (board->rules)
        hash = hash_text(hash, board->rules);
    if (marks) {
        const struct shown_squares *const all[] = {&marks->queens, &marks->crosses, &marks->lit, &marks->targets};
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
            hash = hash_squares(hash, all[i]);
        hash = hash_bytes(hash, &marks->attack_count, sizeof marks->attack_count);
    }
    char digits[17];
    hash_hex(hash, digits);
    (void)snprintf(word, SVG_WORD_MAX, "nq-%.8s", digits);
    return word;
}

/* ---- Drawings ---- */

static const char svg_ink[] = "#1f1712"; /* that of picture_day.queen */

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

static void draw_squares(struct bytes *out, const char *word, const struct painted_board *board)
{
    const uint32_t n = board->n, rows = picture_rows(board);
    bytes_format(out,
                 "<rect class=\"nq-light\" fill=\"#%06" PRIx32 "\" width=\"%" PRIu32 "\" height=\"%" PRIu32
                 "\"/>\n<rect fill=\"url(#%s-squares)\" width=\"%" PRIu32 "\" height=\"%" PRIu32 "\"/>\n",
                 picture_day.light, n, rows, word, n, rows);
}

/* A path with the same strokes in each wall. */
static void draw_walls(struct bytes *out, const struct painted_board *board, const char *stroke)
{
    const uint32_t rows = picture_rows(board);
    for (uint32_t square = 0; square < rows * board->n; square++)
        if (picture_wall(board, square / board->n, square % board->n))
            bytes_format(out, "M%" PRIu32 " %" PRIu32 "%s", square % board->n, square / board->n, stroke);
    bytes_text(out, "\"/>\n");
}

static uint32_t walls_of(const struct painted_board *board)
{
    const uint32_t rows = picture_rows(board);
    uint32_t walls = 0;
    for (uint32_t square = 0; board->shape && square < rows * board->n; square++)
        walls += picture_wall(board, square / board->n, square % board->n);
    return walls;
}

/* A queen there is wrong: her wall has the colour of attacks, and she that of light squares. */
static void redden_walls(struct bytes *out, const struct painted_board *board)
{
    if (!picture_on_walls(board))
        return;
    bytes_format(out, "<path class=\"nq-wrong\" fill=\"%s\" shape-rendering=\"crispEdges\" d=\"", attack_colour);
    for (size_t i = 0; i < picture_queens(board); i++) {
        const struct nq_square queen = picture_queen(board, i);
        if (picture_wall(board, queen.row, queen.column))
            bytes_format(out, "M%" PRIu32 " %" PRIu32 "v1h1v-1z", queen.column, queen.row);
    }
    bytes_text(out, "\"/>\n");
}

static void hatch_walls(struct bytes *out, const struct painted_board *board)
{
    if (!walls_of(board))
        return;
    bytes_format(out, "<path class=\"nq-walls\" fill=\"#%06" PRIx32 "\" shape-rendering=\"crispEdges\" d=\"",
                 picture_day.wall);
    draw_walls(out, board, "h1v1h-1z");
    redden_walls(out, board);
    bytes_format(out, "<path class=\"nq-hatch\" fill=\"none\" stroke=\"#%06" PRIx32 "\" stroke-width=\".06\" d=\"",
                 picture_day.hatch);
    draw_walls(out, board, "m.04 .46l.42-.42m.5 .04l-.92 .92m.5-.04l.42-.42");
}

/* Appends the pattern WORD-squares, that of the dark squares of a board without regions. */
static void svg_squares(struct bytes *out, const char *word)
{
    bytes_format(out,
                 "<pattern id=\"%s-squares\" width=\"2\" height=\"2\" patternUnits=\"userSpaceOnUse\">"
                 "<path class=\"nq-dark\" fill=\"#%06" PRIx32 "\" shape-rendering=\"crispEdges\""
                 " d=\"M1 0h1v1H1zM0 1h1v1H0z\"/></pattern>",
                 word, picture_day.dark);
}

/* The colours by night, of squares and queens. */
static void define_night(struct bytes *out, bool walls)
{
    const struct picture_colours *night = &picture_night;
    bytes_format(out,
                 "<style>@media (prefers-color-scheme:dark){.nq-light{fill:#%06" PRIx32 "}.nq-dark{fill:#%06" PRIx32
                 "}.nq-queens{fill:#%06" PRIx32 "}",
                 night->light, night->dark, night->queen);
    if (walls)
        bytes_format(out, ".nq-walls{fill:#%06" PRIx32 "}.nq-hatch{stroke:#%06" PRIx32 "}", night->wall, night->hatch);
    bytes_text(out, "}</style>\n");
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

/* The queens on walls, or all others. */
static enum nq_status draw_queens(struct bytes *out, const char *word, const struct painted_board *board, bool on_walls,
                                  const atomic_bool *stop)
{
    const size_t count = picture_queens(board), wrong = picture_on_walls(board);
    if (on_walls ? !wrong : count == wrong)
        return NQ_OK;
    bytes_format(out,
                 board->regions || on_walls ? "<g fill=\"#%06" PRIx32 "\">\n"
                                            : "<g class=\"nq-queens\" fill=\"#%06" PRIx32 "\">\n",
                 on_walls ? picture_day.light : picture_day.queen);
    for (size_t i = 0; i < count; i++) {
        if (i % POLL_ROWS == 0 && stop_wanted(stop))
            return NQ_CANCELLED;
        const struct nq_square queen = picture_queen(board, i);
        if (picture_wall(board, queen.row, queen.column) == on_walls)
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

/* Appends what a board and its marks look like, in squares of 1 x 1, with the queen that is defined. NQ_OK, or
 * NQ_CANCELLED soon after *stop. */
static enum nq_status svg_board(struct bytes *out, const char *word, const struct painted_board *board,
                                const atomic_bool *stop)
{
    const struct shown_marks *marks = board->marks;
    if (board->regions)
        draw_regions(out, word, board->regions);
    else
        draw_squares(out, word, board);
    hatch_walls(out, board);
    if (marks)
        draw_under(out, marks);
    enum nq_status status = draw_queens(out, word, board, false, stop);
    if (status == NQ_OK)
        status = draw_queens(out, word, board, true, stop);
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
    if (!board->shape) /* there it is said before the walls */
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

/* "board of 3 rows and 4 columns with 1 wall" */
static void write_shape(struct bytes *out, const struct painted_board *board)
{
    const uint32_t rows = picture_rows(board), n = board->n, walls = walls_of(board);
    bytes_format(out, "board of %" PRIu32 " row%s and %" PRIu32 " column%s", rows, rows == 1 ? "" : "s", n,
                 n == 1 ? "" : "s");
    if (walls)
        bytes_format(out, " with %" PRIu32 " wall%s", walls, walls == 1 ? "" : "s");
}

/* The title of a placement on a board of any shape. */
static void write_placement(struct bytes *out, const struct painted_board *board)
{
    bytes_format(out, "%" PRIu32 " queen%s on a ", board->count, board->count == 1 ? "" : "s");
    write_shape(out, board);
    if (board->count > 1)
        bytes_text(out, ", none attacking another");
    if (board->count > 1 && board->rules)
        bytes_format(out, " by the rule %s", board->rules);
}

/* Squares of a placement, or of walls. */
static void write_listed(struct bytes *out, const struct painted_board *board)
{
    uint32_t walls = 0;
    bytes_format(out, "Squares are row:column, counted from %" PRIu32 ".", board->base);
    for (uint32_t i = 0; board->squares && i < board->count && i < DESCRIBED; i++) {
        const struct queen at = {board->squares[i].row, board->squares[i].column};
        bytes_text(out, i ? ", " : " Queens: ");
        write_square(out, board, &at);
    }
    if (board->squares && board->count)
        bytes_text(out, board->count > DESCRIBED ? " and so on." : ".");
    for (uint32_t i = 0; i < picture_rows(board) * board->n && walls <= DESCRIBED; i++) {
        const struct queen at = {i / board->n, i % board->n};
        if (!picture_wall(board, at.row, at.column))
            continue;
        bytes_text(out, walls == DESCRIBED ? " and so on" : walls ? ", " : " Walls: ");
        if (walls++ < DESCRIBED)
            write_square(out, board, &at);
    }
    bytes_text(out, walls ? "." : "");
    bytes_text(out, board->marks ? " " : "");
}

static void write_title(struct bytes *out, const struct painted_board *board)
{
    const uint32_t n = board->n;
    const struct shown_marks *marks = board->marks;
    const size_t wrong = picture_on_walls(board);
    if (board->squares) {
        write_placement(out, board);
    } else if (board->columns && !board->regions && n == 1) {
        bytes_text(out, "One queen on a board of one square");
    } else if (board->columns && !board->regions) {
        bytes_format(out, "%" PRIu32 " queens on a board of %" PRIu32 " by %" PRIu32 ", none attacking another", n, n,
                     n);
        if (board->rules)
            bytes_format(out, " by the rule %s", board->rules);
    } else {
        bytes_text(out, "A ");
        if (board->shape)
            write_shape(out, board);
        else
            bytes_format(out, "board of %" PRIu32 " by %" PRIu32, n, n);
        if (board->regions)
            bytes_format(out, " with %" PRIu32 " regions%s", n, board->columns ? " and a queen in each" : "");
        if (marks)
            bytes_format(out, ", %zu queen%s", marks->queens.count, marks->queens.count == 1 ? "" : "s");
        if (wrong)
            bytes_format(out, ", %zu of them on %s", wrong, wrong == 1 ? "a wall" : "walls");
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
    if (board->shape)
        write_listed(out, board);
    if (board->marks)
        write_marks(out, board);
    bytes_text(out, "</desc>\n");
}

/* ---- The drawing ---- */

/* Appends the attribute viewBox of a board with regions, whose rim needs room. */
static void svg_view(struct bytes *out, const struct painted_board *board)
{
    bytes_format(out,
                 board->regions ? " viewBox=\"-.05 -.05 %" PRIu32 ".1 %" PRIu32 ".1\""
                                : " viewBox=\"0 0 %" PRIu32 " %" PRIu32 "\"",
                 board->n, picture_rows(board));
}

static enum nq_status paint_svg(struct bytes *out, const struct painted_board *board, const atomic_bool *stop)
{
    const uint32_t scale = picture_scale_of(board);
    char word[SVG_WORD_MAX];
    (void)svg_word(board, word);
    bytes_format(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu32 "\" height=\"%" PRIu32 "\"",
                 board->n * scale, picture_rows(board) * scale);
    svg_view(out, board);
    bytes_format(out, " role=\"img\" aria-labelledby=\"%s-title %s-desc\">\n", word, word);
    write_words(out, word, board);
    if (!board->regions)
        define_night(out, walls_of(board));
    bytes_text(out, "<defs>");
    if (!board->regions)
        svg_squares(out, word);
    svg_define(out, word, board);
    bytes_text(out, "</defs>\n");
    const enum nq_status status = svg_board(out, word, board, stop);
    bytes_text(out, "</svg>\n");
    return status == NQ_OK && stop_wanted(stop) ? NQ_CANCELLED : status;
}

/* ---- Pages ---- */

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
    if (!board->address || !board->address[0])
        return;
    bytes_format(&address, "…/%s", board->address);
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
    else if (board->shape)
        (void)snprintf(text, sizeof text, "Add queens, so that no two attack each other%s%s%s.",
                       board->rules ? " by the rule " : "", board->rules ? board->rules : "",
                       walls_of(board) ? "; walls end their lines" : "");
    else if (board->rules)
        (void)snprintf(text, sizeof text,
                       "Add queens: one in every row and every column, no two attack each other by the rule %s.",
                       board->rules);
    write_text(out, PAGE_MARGIN, y, PAGE_SMALL + 4, text);
}

static void write_head(struct bytes *out, const struct painted_board *board)
{
    enum { TITLE_AT = PAGE_MARGIN + PAGE_TITLE, RULE_AT = TITLE_AT + 60 };
    const bool solved = board->columns || board->squares;
    write_text(out, PAGE_MARGIN, TITLE_AT, PAGE_TITLE, solved ? "Queens: solutions" : "Queens");
    write_rule(out, board, RULE_AT);
    if (solved)
        return;
    write_text(out, NAME_FROM - 120, TITLE_AT, PAGE_TEXT, "Name");
    bytes_format(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"3\" d=\"M%d %dH%d\"/>\n", svg_ink, NAME_FROM,
                 TITLE_AT + 6, NAME_TO);
}

/* A drawing that is a part of the page. */
static void write_board(struct bytes *out, const struct painted_board *board, uint32_t x, uint32_t y, uint32_t edge)
{
    char word[SVG_WORD_MAX];
    bytes_format(out, "<svg x=\"%" PRIu32 "\" y=\"%" PRIu32 "\" width=\"%" PRIu32 "\" height=\"%" PRIu32 "\"%s", x, y,
                 edge, edge, board->shape ? " preserveAspectRatio=\"xMidYMax\"" : "");
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
                     svg_ink, board->n, picture_rows(board), board->n);
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
                 : boards[0].shape ? "to be completed: no two queens attack each other"
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
