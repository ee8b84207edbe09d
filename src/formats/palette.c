/* palette.c - twenty colours, and which region gets which. */
#include "formats/palette.h"

#include <stdbool.h>
#include <string.h>

/* Pastels, lightness 0.77 to 0.93 in Oklab, found by simulated annealing: it maximised the least distance of the first
 * n for every n, by each of the visions of palette_distance(), while the first eight kept to hues of their own (lilac,
 * butter, peach, mint, sky, grey, rose, lime) and all to a chroma below 0.12. Black has a contrast of 8 or more on
 * each. */
const uint32_t palette[PALETTE] = {
    0xababf9, 0xffe283, 0xf4a582, 0xa9f9f3, 0x91d6ff, 0xc6d4c1, 0xcea8ba, 0xd8f2bf, 0xf0c573, 0x7cc0d8,
    0x9cd19c, 0xcddfff, 0xffc7df, 0xb5b79d, 0xe7a5e3, 0xf3e4dc, 0xa8e9b1, 0xd6c1e8, 0xffb490, 0xbfc0c6,
};

/* Of entry 1 to 0, of 2 to 0 and 1, and so on. The unit test computes them. */
static const uint16_t distances[PALETTE * (PALETTE - 1) / 2] = {
    166, 164, 131, 176, 138, 161, 81,  172, 164, 87,  94,  80,  83, 80,  86,  90,  135, 74,  154, 98,  87,  168,
    67,  135, 68,  129, 77,  171, 148, 69,  62,  151, 181, 94,  83, 99,  52,  194, 117, 159, 73,  90,  51,  174,
    155, 60,  93,  35,  125, 64,  50,  67,  109, 50,  65,  133, 88, 161, 42,  42,  51,  131, 41,  133, 111, 93,
    122, 40,  110, 40,  42,  41,  107, 73,  43,  66,  90,  44,  50, 140, 36,  161, 129, 83,  40,  160, 91,  82,
    41,  134, 107, 37,  111, 55,  127, 44,  87,  43,  163, 53,  37, 100, 93,  76,  83,  176, 36,  145, 36,  90,
    63,  160, 37,  103, 136, 105, 58,  48,  153, 138, 120, 59,  84, 61,  57,  36,  118, 39,  70,  114, 66,  45,
    54,  105, 123, 56,  83,  77,  121, 90,  37,  37,  76,  100, 71, 36,  83,  58,  39,  71,  36,  91,  98,  151,
    94,  36,  130, 148, 62,  69,  95,  36,  106, 36,  139, 74,  36, 36,  109, 48,  92,  57,  111, 90,  118, 77,
    47,  36,  124, 96,  36,  56,  96,  53,  39,  43,  114, 89,  38, 74,
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

/* How bad it is that two regions with a common side have these entries: the nearest colours count most. */
static uint64_t badness(unsigned a, unsigned b)
{
    const uint64_t distance = palette_distance(a, b), cube = distance * distance * distance;
    return UINT64_C(1000000000000000000) / (cube * cube);
}

/* How bad it is that a region has an entry. */
static uint64_t cost(uint32_t beside, unsigned mine, const uint8_t *entry)
{
    uint64_t sum = 0;
    for (; beside; beside &= beside - 1)
        sum += badness(mine, entry[__builtin_ctz(beside)]);
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

/* Exchanges entries as long as that is better; how bad what remains is. */
static uint64_t improve(const uint32_t *beside, uint32_t n, uint8_t *entry)
{
    uint64_t sum = 0;
    bool changed;
    do {
        changed = false;
        for (unsigned a = 1; a < n; a++)
            for (unsigned b = 0; b < a; b++)
                changed |= exchange(beside, a, b, entry);
    } while (changed);
    for (unsigned a = 0; a < n; a++)
        sum += cost(beside[a], entry[a], entry);
    return sum;
}

void palette_assign(const struct regions *regions, uint8_t entry[static REGIONS_MAX_N])
{
    const uint32_t n = regions->n;
    uint32_t beside[REGIONS_MAX_N];
    uint64_t least = UINT64_MAX;
    find_neighbours(regions, beside);
    for (uint32_t start = 0; start < n; start++) { /* exchanges get stuck; another start leads further */
        uint8_t mine[REGIONS_MAX_N] = {0};
        for (uint32_t region = 0; region < n; region++)
            mine[region] = (uint8_t)((region + start) % n);
        const uint64_t bad = improve(beside, n, mine);
        if (bad >= least)
            continue;
        least = bad;
        memcpy(entry, mine, sizeof mine);
    }
}
