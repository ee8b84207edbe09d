/* palette.c - twenty colours, and which region gets which. */
#include "formats/palette.h"

#include <stdbool.h>
#include <string.h>

/* From published sets for colour-blind readers: Okabe and Ito, "Color Universal Design" (2008), and Paul Tol, "Colour
 * Schemes" (SRON/EPS/TN/09-002, 2021: bright, light, muted, pale, vibrant, rainbow). Of those on which black has a
 * contrast of 5 or more, twenty whose least distance is largest; each is as far as possible from those before it. */
const uint32_t palette[PALETTE] = {
    0x6195cf, 0xf7f056, 0xd55e00, 0x99ddff, 0x90c987, 0x44aa99, 0xeeeebb, 0xaaaa00, 0xee6677, 0xf7cb45,
    0x77aadd, 0xbbbbbb, 0xffcccc, 0xccbb44, 0xcceeff, 0xaa6f9e, 0x66ccee, 0xeedd88, 0xee3377, 0xee8866,
};

/* Of entry 1 to 0, of 2 to 0 and 1, and so on. The unit test computes them. */
static const uint16_t distances[PALETTE * (PALETTE - 1) / 2] = {
    357, 234, 301, 210, 228, 299, 207, 155, 162, 152, 99,  269, 144, 194, 114, 298, 98,  313, 126, 135, 233, 239,
    212, 87,  251, 101, 135, 233, 132, 263, 95,  206, 88,  70,  246, 90,  292, 69,  233, 220, 87,  193, 117, 121,
    199, 65,  308, 235, 145, 168, 93,  239, 228, 149, 254, 144, 215, 205, 95,  64,  86,  157, 159, 114, 165, 92,
    210, 144, 280, 67,  96,  158, 62,  207, 202, 133, 150, 74,  251, 146, 157, 212, 70,  147, 164, 61,  125, 62,
    224, 134, 150, 271, 194, 335, 60,  174, 240, 93,  271, 250, 197, 207, 139, 66,  215, 74,  372, 169, 240, 190,
    59,  336, 206, 73,  313, 109, 177, 279, 243, 307, 143, 249, 260, 58,  141, 137, 160, 231, 166, 218, 76,  72,
    76,  211, 116, 175, 283, 66,  265, 163, 87,  200, 60,  175, 211, 58,  233, 142, 83,  111, 143, 314, 175, 143,
    315, 93,  238, 139, 54,  296, 129, 52,  250, 147, 152, 249, 175, 291, 75,  186, 263, 162, 207, 112, 200, 52,
    69,  202, 53,  58,  141, 167, 107, 168, 66,  226, 150, 178, 160, 109,
};

uint32_t palette_distance(unsigned a, unsigned b)
{
    return a < b ? palette_distance(b, a) : distances[a * (a - 1) / 2 + b];
}

/* Which regions have a common side: bit b of a's. */
static void find_neighbours(const struct regions *regions, uint32_t beside[static REGIONS_MAX_N])
{
    const uint32_t n = regions->n;
    uint32_t squares[4];
    memset(beside, 0, REGIONS_MAX_N * sizeof *beside);
    for (uint32_t square = 0; square < n * n; square++)
        for (unsigned i = regions_beside(n, square, squares); i-- > 0;)
            if (regions->of[squares[i]] != regions->of[square])
                beside[regions->of[square]] |= UINT32_C(1) << regions->of[squares[i]];
}

/* How bad it is that a region has an entry: mostly by the nearest colours beside it. */
static uint64_t cost(uint32_t beside, unsigned mine, const uint8_t *entry)
{
    uint64_t sum = 0;
    for (; beside; beside &= beside - 1) {
        const uint64_t distance = palette_distance(mine, entry[__builtin_ctz(beside)]);
        sum += UINT64_C(1000000000000) / (distance * distance * distance * distance);
    }
    return sum;
}

/* Exchanges the entries of two regions if that is better. */
static bool exchange(const uint32_t *beside, unsigned a, unsigned b, uint8_t *entry)
{
    const uint32_t of_a = beside[a] & ~(UINT32_C(1) << b), of_b = beside[b] & ~(UINT32_C(1) << a);
    const uint8_t before = entry[a];
    if (cost(of_a, entry[b], entry) + cost(of_b, entry[a], entry) >=
        cost(of_a, entry[a], entry) + cost(of_b, entry[b], entry))
        return false;
    entry[a] = entry[b];
    entry[b] = before;
    return true;
}

void palette_assign(const struct regions *regions, uint8_t entry[static REGIONS_MAX_N])
{
    uint32_t beside[REGIONS_MAX_N];
    bool changed;
    find_neighbours(regions, beside);
    for (uint32_t region = 0; region < REGIONS_MAX_N; region++)
        entry[region] = (uint8_t)region;
    do {
        changed = false;
        for (unsigned a = 1; a < regions->n; a++)
            for (unsigned b = 0; b < a; b++)
                changed |= exchange(beside, a, b, entry);
    } while (changed);
}
