/* recount.c - second programs for numbers that the b-files of docs/sequences.md have and nobody had published: plain
 * searches, and another formula, that share no code with the service.
 *
 *   recount nodes N [PART PARTS]
 *       A319284, row N: placements of queens on the first 0 to N rows; their sum is A319283(N)
 *
 *   recount reflecting N [PART PARTS]
 *       A007631(N): queens below a strip that reflects diagonals
 *
 *   recount semiqueens N [PART PARTS]
 *       N semiqueens on a torus of N columns: A006717((N - 1) / 2), modulo 2^64
 *
 * Parts are numbered from 0; their lines, added up, are those of the whole. It uses nothing but C:
 *
 *   cc -O3 -march=native -o recount examples/recount.c */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

enum { MOST = 32 };

static uint32_t n, part, parts = 1;
static uint64_t full;

/* ---- Row by row ----
 *
 * A placement on the first rows is what its queens attack in the next row, a bit a column: by columns, and by diagonals
 * of either direction. Hundreds wait for each row, side by side, so that a machine with vectors takes sixteen at once:
 * each places a queen on its lowest square that is free, until none has one left. Placements that cannot go on are not
 * passed to the next row. When that is full, it goes first.
 *
 * A strip above row 0 reflects diagonals: a queen in row r has hers there r + 1 columns aside, and they are back in row
 * r + 1 when they are r + 2 columns further, in the same direction. */

enum { LANES = 16, WAITING = 512 };

typedef uint32_t lanes __attribute__((vector_size(4 * LANES), aligned(4)));

static struct {
    uint32_t count, columns[WAITING + LANES], left[WAITING + LANES], right[WAITING + LANES];
} waiting[MOST + 1];
static uint64_t level[MOST + 1]; /* placements on so many rows */
static int reflects;

static uint32_t squares(const lanes *sets)
{
#ifdef __AVX512VPOPCNTDQ__
    return (uint32_t)_mm512_reduce_add_epi32(_mm512_popcnt_epi32((__m512i)*sets));
#else
    uint32_t sum = 0;
    for (uint32_t i = 0; i < LANES; i++)
        sum += (uint32_t)__builtin_popcount((*sets)[i]);
    return sum;
#endif
}

/* A bit a lane: those that are not 0. */
static uint32_t which(const lanes *sets)
{
#ifdef __AVX512F__
    return _mm512_test_epi32_mask((__m512i)*sets, (__m512i)*sets);
#else
    uint32_t mask = 0;
    for (uint32_t i = 0; i < LANES; i++)
        mask |= (uint32_t)((*sets)[i] != 0) << i;
    return mask;
#endif
}

/* Writes these lanes one after the other, and something behind them. */
static void append(uint32_t *to, const lanes *from, uint32_t mask)
{
#ifdef __AVX512F__
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)mask, (__m512i)*from));
#else
    for (; mask; mask &= mask - 1)
        *to++ = (*from)[__builtin_ctz(mask)];
#endif
}

/* Places a queen in `row` for each of those that wait for it. */
static void next_queens(uint32_t row, uint64_t weight)
{
    const uint32_t all = (uint32_t)full, aside = reflects && 2 * row + 3 < n ? 2 * row + 3 : 1;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < waiting[row].count; i += LANES) {
        const lanes columns = *(const lanes *)(waiting[row].columns + i);
        const lanes left = *(const lanes *)(waiting[row].left + i), right = *(const lanes *)(waiting[row].right + i);
        lanes free = ~(columns | left | right) & all;
        for (uint32_t k = waiting[row].count - i; k < LANES; k++)
            free[k] = 0;
        sum += squares(&free);
        while (row + 1 < n && which(&free)) {
            const lanes queen = free & -free, taken = columns | queen;
            const lanes below_left = (left | queen) << 1 | queen << aside;
            const lanes below_right = (right | queen) >> 1 | queen >> aside;
            const lanes below = ~(taken | below_left | below_right) & all & (lanes)(queen != 0);
            const uint32_t mask = which(&below), at = waiting[row + 1].count;
            append(waiting[row + 1].columns + at, &taken, mask);
            append(waiting[row + 1].left + at, &below_left, mask);
            append(waiting[row + 1].right + at, &below_right, mask);
            waiting[row + 1].count += (uint32_t)__builtin_popcount(mask);
            free ^= queen;
            if (waiting[row + 1].count > WAITING - LANES)
                next_queens(row + 1, weight);
        }
    }
    level[row + 1] += weight * sum;
    waiting[row].count = 0;
}

/* The part's pairs of queens in the first two rows; a first queen in the left half stands for its mirror image, too. */
static void count_rows(void)
{
    uint64_t pair = 0;
    for (uint32_t first = 0; first < (n + 1) / 2; first++) {
        const uint64_t weight = first == n - 1 - first ? 1 : 2, a = UINT64_C(1) << first;
        const uint64_t left = a << 1 | (reflects ? a << 3 : 0), right = a >> 1 | (reflects ? a >> 3 : 0);
        level[1] += part == 0 ? weight : 0;
        for (uint64_t free = n > 1 ? full & ~(a | left | right) : 0; free; free &= free - 1) {
            const uint64_t b = free & -free;
            if (pair++ % parts != part)
                continue;
            level[2] += weight;
            const uint32_t at = waiting[2].count++;
            waiting[2].columns[at] = (uint32_t)(a | b);
            waiting[2].left[at] = (uint32_t)((left | b) << 1 | (reflects ? b << 5 : 0));
            waiting[2].right[at] = (uint32_t)((right | b) >> 1 | (reflects ? b >> 5 : 0));
        }
        for (uint32_t row = 2; row < n; row++)
            next_queens(row, weight);
    }
    level[0] = part == 0;
}

static uint64_t nodes(void)
{
    uint64_t sum = 0;
    for (uint32_t row = 0; row <= n; row++) {
        printf("%s%" PRIu64, row ? " " : "", level[row]);
        sum += level[row];
    }
    printf("\n");
    return sum;
}

/* ---- Inclusion and exclusion, after Ryser ----
 *
 * A placement takes for each i a j with all j and all i + j different. Sets S and T of columns that j and i + j may
 * take, with a minus for each column left out, leave exactly the placements: the sum over S and T of (-1)^(|S| + |T|)
 * times the product over i of |S intersect (T - i)|. Turning S, or T, changes nothing, nor does a multiplication of
 * both by a unit: S goes through one necklace of each class, T through all. */

static uint64_t turn(uint64_t set, uint32_t by)
{
    return by ? (set << by | set >> (n - by)) & full : set;
}

/* The least of its turns; *period: of how many different ones. */
static uint64_t least(uint64_t set, uint32_t *period)
{
    uint64_t best = set;
    *period = n;
    for (uint32_t by = 1; by < n; by++) {
        const uint64_t turned = turn(set, by);
        best = turned < best ? turned : best;
        if (turned == set && *period == n)
            *period = by;
    }
    return best;
}

static uint64_t multiply(uint64_t set, uint32_t unit)
{
    uint64_t image = 0;
    for (uint32_t column = 0; column < n; column++)
        image |= (set >> column & 1) << (uint64_t)column * unit % n;
    return image;
}

static uint32_t common(uint32_t a, uint32_t b)
{
    return b ? common(b, a % b) : a;
}

/* How many necklaces the class has of which this one is the least; 0: it is not the least. */
static uint32_t class_of(uint64_t set)
{
    uint64_t images[MOST];
    uint32_t count = 0;
    for (uint32_t unit = 1; unit <= n; unit++) {
        uint32_t period, i = 0;
        if (common(unit, n) != 1)
            continue;
        const uint64_t image = least(multiply(set, unit), &period);
        if (image < set)
            return 0;
        while (i < count && images[i] != image)
            i++;
        images[i] = image;
        count += i == count;
    }
    return count;
}

static uint64_t product(uint64_t s, uint64_t t)
{
    uint64_t all = (uint64_t)__builtin_popcountll(s & t);
    for (uint32_t i = 1; i < n && all; i++)
        all *= (uint64_t)__builtin_popcountll(s & turn(t, i));
    return (__builtin_popcountll(s) + __builtin_popcountll(t)) % 2 ? 0 - all : all;
}

static uint64_t semiqueens(void)
{
    uint64_t *necklace = malloc(((size_t)1 << n) / n * 2 * sizeof *necklace + 64), sum = 0;
    uint8_t *periods = malloc(((size_t)1 << n) / n * 2 + 64);
    size_t count = 0;
    if (!necklace || !periods)
        exit(1);
    for (uint64_t set = 1; set <= full; set++) {
        uint32_t period;
        if (least(set, &period) != set)
            continue;
        necklace[count] = set;
        periods[count++] = (uint8_t)period;
    }
    for (size_t i = part; i < count; i += parts) {
        const uint64_t members = class_of(necklace[i]);
        uint64_t over = 0;
        for (size_t k = 0; members && k < count; k++)
            over += product(necklace[i], necklace[k]) * periods[k];
        sum += over * periods[i] * members;
    }
    free(necklace);
    free(periods);
    return sum;
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[1] : "";
    n = argc > 2 ? (uint32_t)atoi(argv[2]) : 0;
    part = argc > 4 ? (uint32_t)atoi(argv[3]) : 0;
    parts = argc > 4 ? (uint32_t)atoi(argv[4]) : 1;
    if (n < 1 || n >= MOST || part >= parts) {
        fputs("recount nodes|reflecting|semiqueens N [PART PARTS], N from 1 to 31\n", stderr);
        return 2;
    }
    full = (UINT64_C(1) << n) - 1;
    reflects = strcmp(what, "reflecting") == 0;
    if (reflects || strcmp(what, "nodes") == 0) {
        count_rows();
        printf("%" PRIu64 "\n", reflects ? level[n] : nodes());
    } else if (strcmp(what, "semiqueens") == 0) {
        printf("%" PRIu64 "\n", semiqueens());
    } else {
        return fputs("recount: nodes, reflecting or semiqueens\n", stderr), 2;
    }
    return 0;
}
