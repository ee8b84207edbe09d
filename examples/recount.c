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

enum { MOST = 32 };

static uint32_t n, part, parts = 1;
static uint64_t full;

/* ---- Row by row: squares that a row may not have, one bit a column ---- */

static uint64_t level[MOST + 1]; /* placements on so many rows */

/* `free` are the squares of a row that are not attacked: each is a placement on one row more. */
static void nodes(uint32_t row, uint64_t columns, uint64_t left, uint64_t right, uint64_t free, uint64_t weight)
{
    uint64_t below = 0;
    level[row + 1] += weight * (uint64_t)__builtin_popcountll(free);
    if (row + 2 > n)
        return;
    for (; free; free &= free - 1) {
        const uint64_t queen = free & -free, all = columns | queen;
        const uint64_t next_left = (left | queen) << 1, next_right = (right | queen) >> 1;
        const uint64_t next = full & ~(all | next_left | next_right);
        if (row + 2 < n && next)
            nodes(row + 1, all, next_left, next_right, next, weight);
        else
            below += (uint64_t)__builtin_popcountll(next);
    }
    level[row + 2] += weight * below;
}

/* The first two queens are a part's; a first queen in the left half stands for its mirror image, too. */
static void count_nodes(void)
{
    uint64_t pair = 0;
    for (uint32_t first = 0; first < (n + 1) / 2; first++) {
        const uint64_t weight = first == n - 1 - first ? 1 : 2, a = UINT64_C(1) << first;
        level[1] += part == 0 ? weight : 0;
        for (uint64_t free = n > 1 ? full & ~(a | a << 1 | a >> 1) : 0; free; free &= free - 1) {
            const uint64_t b = free & -free;
            if (pair++ % parts != part)
                continue;
            level[2] += weight;
            const uint64_t left = (a << 1 | b) << 1, right = (a >> 1 | b) >> 1;
            if (n > 2)
                nodes(2, a | b, left, right, full & ~(a | b | left | right), weight);
        }
    }
    level[0] = part == 0;
    uint64_t sum = 0;
    for (uint32_t row = 0; row <= n; row++) {
        printf("%s%" PRIu64, row ? " " : "", level[row]);
        sum += level[row];
    }
    printf("\n%" PRIu64 "\n", sum);
}

/* Rows from the strip down. The strip is a row above row 0: a diagonal of a queen in row r is there r + 1 columns
 * aside, and comes down to the next row, r + 1, when it is r + 2 columns further, in the same direction. Below the
 * middle that is beyond the board. In the last row each free square is a placement. */
static uint64_t lower(uint32_t row, uint64_t columns, uint64_t left, uint64_t right)
{
    uint64_t free = full & ~(columns | left | right), sum = 0;
    if (row + 1 == n)
        return (uint64_t)__builtin_popcountll(free);
    for (; free; free &= free - 1) {
        const uint64_t queen = free & -free;
        sum += lower(row + 1, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return sum;
}

/* The first two queens are a part's; a first queen in the left half stands for its mirror image, too. */
static uint64_t reflecting(uint32_t row, uint64_t columns, uint64_t left, uint64_t right, uint64_t *stem)
{
    const uint32_t aside = 2 * row + 3;
    const uint64_t half = full >> n / 2, middle = n % 2 ? UINT64_C(1) << n / 2 : 0;
    uint64_t free = full & ~(columns | left | right), sum = 0;
    if (row == n)
        return row > 1 || part == 0;
    if (row > 1 && aside >= n)
        return lower(row, columns, left, right);
    for (free &= row ? full : half; free; free &= free - 1) {
        const uint64_t queen = free & -free;
        const uint64_t down_left = aside < n ? queen << aside : 0, down_right = aside < n ? queen >> aside : 0;
        if (row == 1 && (*stem)++ % parts != part)
            continue;
        sum += (row || queen == middle ? 1 : 2) * reflecting(row + 1, columns | queen, (left | queen) << 1 | down_left,
                                                             (right | queen) >> 1 | down_right, stem);
    }
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
    uint64_t stem = 0;
    if (strcmp(what, "nodes") == 0)
        count_nodes();
    else if (strcmp(what, "reflecting") == 0)
        printf("%" PRIu64 "\n", reflecting(0, 0, 0, 0, &stem));
    else if (strcmp(what, "semiqueens") == 0)
        printf("%" PRIu64 "\n", semiqueens());
    else
        return fputs("recount: nodes, reflecting or semiqueens\n", stderr), 2;
    return 0;
}
