/* test_palette.c - tests of src/formats/palette.c: distances are what their definition says, and regions that meet have
 * colours far from each other. */
/* CI builds: address */
#include "formats/palette.h"

#include <math.h>

#include "support/facts.h"

enum { VISIONS = 4 };

/* Machado, Oliveira and Fernandes (2009), severity 1.0, of linear sRGB. */
static const double visions[VISIONS][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};
/* Ottosson (2020). */
static const double to_cones[3][3] = {{0.4122214708, 0.5363325363, 0.0514459929},
                                      {0.2119034982, 0.6806995451, 0.1073969566},
                                      {0.0883024619, 0.2817188376, 0.6299787005}};
static const double to_lab[3][3] = {{0.2104542553, 0.7936177850, -0.0040720468},
                                    {1.9779984951, -2.4285922050, 0.4505937099},
                                    {0.0259040371, 0.7827717662, -0.8086757660}};

static void multiply(const double matrix[3][3], const double *vector, double *product)
{
    for (int i = 0; i < 3; i++)
        product[i] = matrix[i][0] * vector[0] + matrix[i][1] * vector[1] + matrix[i][2] * vector[2];
}

static void see(uint32_t colour, int vision, double *lab)
{
    double linear[3], seen[3], cones[3];
    for (int i = 0; i < 3; i++) {
        const double c = (double)(colour >> (16 - 8 * i) & 0xff) / 255;
        linear[i] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
    }
    multiply(visions[vision], linear, seen);
    for (int i = 0; i < 3; i++)
        seen[i] = fmin(1, fmax(0, seen[i]));
    multiply(to_cones, seen, cones);
    for (int i = 0; i < 3; i++)
        cones[i] = cbrt(cones[i]);
    multiply(to_lab, cones, lab);
}

static double distance(uint32_t a, uint32_t b)
{
    double least = INFINITY;
    for (int vision = 0; vision < VISIONS; vision++) {
        double x[3], y[3];
        see(a, vision, x);
        see(b, vision, y);
        least = fmin(least, sqrt(pow(x[0] - y[0], 2) + pow(x[1] - y[1], 2) + pow(x[2] - y[2], 2)));
    }
    return 1000 * least;
}

TEST(test_distances)
{
    double least = INFINITY;
    for (unsigned a = 0; a < PALETTE; a++)
        for (unsigned b = 0; b < a; b++) {
            const double is = distance(palette[a], palette[b]);
            assert_true(fabs(is - palette_distance(a, b)) <= 0.51);
            assert_int_equal(palette_distance(a, b), palette_distance(b, a));
            least = fmin(least, is);
        }
    assert_true(least > 34);
}

/* Entries are those of the first n, each once; the least distance of two regions with a common side. */
static uint32_t assigned(const struct regions *regions)
{
    uint8_t entry[REGIONS_MAX_N], again[REGIONS_MAX_N];
    uint32_t beside[4], used = 0, least = UINT32_MAX;
    const uint32_t n = regions->n;
    palette_assign(regions, entry);
    palette_assign(regions, again);
    assert_memory_equal(entry, again, n);
    for (uint32_t region = 0; region < n; region++)
        used |= UINT32_C(1) << entry[region];
    assert_int_equal(used, (UINT32_C(1) << n) - 1);
    for (uint32_t square = 0; square < n * n; square++)
        for (unsigned i = regions_beside(n, square, beside); i-- > 0;) {
            const uint8_t a = regions->of[square], b = regions->of[beside[i]];
            if (a != b && palette_distance(entry[a], entry[b]) < least)
                least = palette_distance(entry[a], entry[b]);
        }
    return least;
}

/* Columns, each beside two others; and one region beside all others, which are beside each other, too. */
TEST(test_assigned)
{
    for (uint32_t n = REGIONS_MIN_N; n <= REGIONS_MAX_N; n++) {
        struct regions columns = {.n = n}, comb = {.n = n};
        for (uint32_t square = 0; square < n * n; square++) {
            columns.of[square] = (uint8_t)(square % n);
            comb.of[square] = (uint8_t)(square < n || square % n == 0 ? 0 : square % n);
        }
        regions_number(&comb);
        assert_in_range(assigned(&columns), 90, 1000);
        assert_in_range(assigned(&comb), 36, 1000);
    }
}
