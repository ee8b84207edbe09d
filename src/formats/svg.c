/* svg.c - what drawings define: the queen, the outline of a board; and the word before their ids. */
#include "formats/svg.h"

#include <stdio.h>

#include "base/hash.h"
#include "board/conflicts.h"

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

void svg_define(struct bytes *out, const char *word, const struct painted_board *board)
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

const char *svg_word(const struct painted_board *board, char word[static SVG_WORD_MAX])
{
    const struct shown_marks *marks = board->marks;
    const uint32_t n = board->n;
    uint64_t hash = hash_bytes(HASH_START, &n, sizeof n);
    if (board->regions)
        hash = hash_bytes(hash, board->regions->of, (size_t)n * n);
    if (board->columns)
        hash = hash_bytes(hash, board->columns, n * sizeof board->columns[0]);
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
