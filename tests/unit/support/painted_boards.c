/* painted_boards.c - paintings square by square, and placements row by row, given up as soon as a
 * row, column or region has no square left. */
#include "support/painted_boards.h"

#include <string.h>

/* ---- Solutions ---- */

struct placing {
    uint32_t n;
    const uint8_t *of;
    size_t limit, kept, found;
    uint8_t *out, columns[PAINTED_MAX_N];
    uint32_t squares[PAINTED_MAX_N][PAINTED_MAX_N]; /* of a region in a row, as bits by column */
};

/* What is left below the queens that stand: the free columns of every row, and the regions that need a queen. */
struct room {
    uint32_t free[PAINTED_MAX_N], regions;
};

/* Whether every row below, every column in `columns` and every region that needs a queen has a free square. */
static bool enough(const struct placing *placing, const struct room *room, uint32_t row, uint32_t columns)
{
    uint32_t some = 0;
    for (uint32_t below = row; below < placing->n; below++) {
        if (!room->free[below])
            return false;
        some |= room->free[below];
    }
    for (uint32_t left = placing->of ? room->regions : 0; left; left &= left - 1) {
        const uint32_t *squares = placing->squares[__builtin_ctz(left)];
        uint32_t below = row;
        while (below < placing->n && !(squares[below] & room->free[below]))
            below++;
        if (below == placing->n)
            return false;
    }
    return (some & columns) == columns;
}

/* A queen in a row and column: what is left for the rows below. */
static struct room after_queen(const struct placing *placing, const struct room *room, uint32_t row, uint32_t column)
{
    struct room rest = *room;
    const uint32_t n = placing->n, queen = UINT32_C(1) << column;
    const uint32_t region = placing->of ? placing->of[row * n + column] : 0;
    for (uint32_t below = row + 1; below < n; below++)
        rest.free[below] &= ~(queen | (placing->of ? placing->squares[region][below] : 0));
    if (row + 1 < n)
        rest.free[row + 1] &= ~(queen << 1 | queen >> 1);
    rest.regions &= ~(UINT32_C(1) << region);
    return rest;
}

static void place(struct placing *placing, const struct room *room, uint32_t row, uint32_t columns)
{
    const uint32_t n = placing->n;
    if (row == n) {
        if (placing->found < placing->kept)
            memcpy(placing->out + placing->found * n, placing->columns, n);
        placing->found++;
        return;
    }
    for (uint32_t column = 0; column < n && placing->found < placing->limit; column++) {
        if (!(room->free[row] >> column & 1))
            continue;
        const struct room rest = after_queen(placing, room, row, column);
        const uint32_t left = columns & ~(UINT32_C(1) << column);
        placing->columns[row] = (uint8_t)column;
        if (enough(placing, &rest, row + 1, left))
            place(placing, &rest, row + 1, left);
    }
}

size_t painted_solutions(uint32_t n, const uint8_t *of, size_t limit, size_t kept, uint8_t *columns)
{
    struct placing placing = {.n = n, .of = of, .limit = limit, .kept = kept, .out = columns};
    const uint32_t all = (UINT32_C(1) << n) - 1;
    struct room room = {.regions = all};
    for (uint32_t row = 0; row < n; row++)
        room.free[row] = all;
    for (uint32_t square = 0; of && square < n * n; square++)
        placing.squares[of[square]][square / n] |= UINT32_C(1) << square % n;
    place(&placing, &room, 0, all);
    return placing.found;
}

/* ---- Paintings ---- */

enum { SMALL = 5 };

/* The squares painted so far, and the connected part that each belongs to, by its least square. */
struct painting {
    uint32_t n;
    uint64_t step, count;
    void (*each)(void *context, const uint8_t *of);
    void *context;
    uint8_t of[SMALL * SMALL];
};

static void join_parts(uint8_t *part, uint32_t squares, uint8_t a, uint8_t b)
{
    for (uint32_t i = 0; i < squares; i++)
        if (part[i] == (a > b ? a : b))
            part[i] = a > b ? b : a;
}

/* Whether a region has a part that no later square can join to another part of it: all of its squares that have one
 * below them are painted. */
static bool lost(const struct painting *painting, const uint8_t *part, uint32_t squares)
{
    const uint32_t n = painting->n;
    for (uint32_t a = 0; a < squares; a++) {
        bool open = false, alone = true;
        for (uint32_t b = 0; b < squares; b++) {
            open |= part[b] == part[a] && b + n >= squares;
            alone &= painting->of[b] != painting->of[a] || part[b] == part[a];
        }
        if (!alone && (!open || squares == n * n))
            return true;
    }
    return false;
}

static void paint(struct painting *painting, uint32_t square, uint32_t used, const uint8_t *parts)
{
    const uint32_t n = painting->n;
    if (square == n * n) {
        if (used == n && painting->count++ % painting->step == 0)
            painting->each(painting->context, painting->of);
        return;
    }
    if (used + n * n - square < n)
        return;
    for (uint32_t region = 0; region <= used && region < n; region++) {
        uint8_t part[SMALL * SMALL];
        memcpy(part, parts, square);
        painting->of[square] = (uint8_t)region;
        part[square] = (uint8_t)square;
        if (square >= n && painting->of[square - n] == region)
            join_parts(part, square + 1, part[square], part[square - n]);
        if (square % n && painting->of[square - 1] == region)
            join_parts(part, square + 1, part[square], part[square - 1]);
        if (!lost(painting, part, square + 1))
            paint(painting, square + 1, used + (region == used), part);
    }
}

uint64_t painted_each(uint32_t n, uint64_t step, void (*each)(void *context, const uint8_t *of), void *context)
{
    struct painting painting = {.n = n, .step = step, .each = each, .context = context};
    const uint8_t none[SMALL * SMALL] = {0};
    assert_true(n <= SMALL);
    paint(&painting, 0, 0, none);
    return painting.count;
}

void painted_random(uint64_t *dice, uint32_t n, uint8_t *of)
{
    uint32_t left = n * n - n;
    memset(of, UINT8_MAX, n * n);
    for (uint32_t region = 0; region < n; region++) {
        uint32_t square = facts_below(dice, n * n);
        while (of[square] != UINT8_MAX)
            square = facts_below(dice, n * n);
        of[square] = (uint8_t)region;
    }
    while (left) {
        const uint32_t square = facts_below(dice, n * n), way = facts_below(dice, 4);
        const uint32_t row = square / n + (way == 0) - (way == 1), column = square % n + (way == 2) - (way == 3);
        if (of[square] != UINT8_MAX || row >= n || column >= n || of[row * n + column] == UINT8_MAX)
            continue;
        of[square] = of[row * n + column];
        left--;
    }
}

bool painted_connected(uint32_t n, const uint8_t *of)
{
    uint32_t parts = 0, regions = 0;
    bool seen[UINT8_MAX + 1] = {false};
    uint16_t part[PAINTED_SQUARES];
    for (uint32_t square = 0; square < n * n; square++) {
        part[square] = (uint16_t)square;
        regions += !seen[of[square]];
        seen[of[square]] = true;
    }
    for (bool changed = true; changed;) { /* every square takes the least number of those beside it */
        changed = false;
        for (uint32_t a = 0; a < n * n; a++)
            for (uint32_t b = 0; b < n * n; b++) {
                const bool beside = (a + n == b) || (a + 1 == b && b % n);
                if (!beside || of[a] != of[b] || part[a] == part[b])
                    continue;
                part[a] = part[b] = part[a] < part[b] ? part[a] : part[b];
                changed = true;
            }
    }
    for (uint32_t square = 0; square < n * n; square++)
        parts += part[square] == square;
    return parts == regions;
}
