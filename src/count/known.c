/* known.c - counts and solutions as published. It computes nothing; the counting methods are checked against it, not
 * the other way round. */
#include "count/known.h"

#include <stddef.h>

/* Laid out as by OEIS, not a line for each number. */
/* clang-format off */

/* ---- Queens ---- */

/* OEIS A000170. Q(24): Kise 2004; Q(25): ObjectWeb ProActive 2005; Q(26): Queens@TUD 2009, confirmed by MC# 2009;
 * Q(27): Preusser and Engelhardt (Q27) 2016, confirmed by Yao and Li, arXiv:2511.12009, 2025. */
static const uint64_t all[] = {
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624,
    4968057848, 39029188884, 314666222712, 2691008701644, 24233937684440, 227514171973736, 2207893435808352,
    22317699616364044, 234907967154122528
};

/* OEIS A002562, from n = 1 on: solutions up to symmetry. */
static const uint64_t fundamental[] = {
    1, 1, 0, 0, 1, 2, 1, 6, 12, 46, 92, 341, 1787, 9233, 45752, 285053, 1846955, 11977939, 83263591, 621012754,
    4878666808, 39333324973, 336376244042, 3029242658210, 28439272956934, 275986683743434, 2789712466510289,
    29363495934315694
};

/* OEIS A032522, from n = 1 on: solutions unchanged by a half turn, those unchanged by a quarter turn included. */
static const uint64_t point[] = {
    1, 1, 0, 0, 2, 2, 4, 8, 4, 16, 12, 48, 80, 136, 420, 1240, 3000, 8152, 18104, 44184, 144620, 375664, 1250692,
    3581240, 11675080, 34132592, 115718268, 320403024, 1250901440, 3600075088, 14589438024, 43266334696,
    181254386312
};

/* OEIS A033148: solutions unchanged by a quarter turn. */
static const uint64_t quarter[] = {
    1, 1, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 8, 8, 0, 0, 64, 128, 0, 0, 480, 704, 0, 0, 3328, 3264, 0, 0, 32896, 43776,
    0, 0, 406784, 667904, 0, 0, 5845504, 8650752, 0, 0, 77184000, 101492736, 0, 0, 1261588480, 1795233792, 0, 0,
    21517426688, 35028172800, 0, 0, 406875119616, 652044443648, 0, 0
};

/* ---- Other rules; tests/data/variants.json has where they were read ---- */

/* OEIS A007705, by n = 2k + 1: solutions on a torus. */
static const uint64_t toroidal[] = {
    1, 0, 10, 28, 0, 88, 4524, 0, 140692, 820496, 0, 128850048, 1957725000, 0, 605917055356, 13404947681712, 0
};

/* OEIS A053994, by n = 2k + 1: the same up to shifts, turns and reflections. */
static const uint64_t torus_classes[] = {
    1, 0, 1, 1, 0, 2, 11, 0, 97, 354, 0, 31381, 395551, 0, 90120677
};

/* OEIS A051223, from n = 1 on. */
static const uint64_t superqueens[] = {
    1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 4, 44, 156, 1876, 5180, 32516, 202900, 1330622, 8924976, 64492432, 495864256,
    3977841852, 34092182276, 306819842212, 2883202816808, 28144109776812, 286022102245804
};

/* OEIS A051224, from n = 1 on: solutions by superqueens up to symmetry. */
static const uint64_t superqueens_fundamental[] = {
    1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 6, 22, 239, 653, 4089, 25411, 166463, 1115871, 8062150, 61984976, 497236090,
    4261538564, 38352532487, 360400504834, 3518014210402, 35752764285788
};

/* Four times A352662, classes that only a half turn leaves unchanged, and twice A352661; from n = 2 on. */
static const uint64_t superqueens_point[] = {
    1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 12, 28, 44, 196, 340, 1014, 1992, 4768, 15312, 46540
};

/* Twice OEIS A352661, classes that a quarter turn leaves unchanged; from n = 2 on. */
static const uint64_t superqueens_quarter[] = {
    1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 0, 0, 24, 34, 0, 0, 120, 164
};

/* OEIS A099152. */
static const uint64_t semiqueens[] = {
    1, 1, 1, 3, 7, 23, 83, 405, 2113, 12657, 82297, 596483, 4698655, 40071743, 367854835, 3622508685, 38027715185,
    424060091065, 5006620130753, 62395131973755, 818456924866815, 11271715349614463
};

/* OEIS A006717, by n = 2k + 1. */
static const uint64_t toroidal_semiqueens[] = {
    1, 3, 15, 133, 2025, 37851, 1030367, 36362925, 1606008513, 87656896891, 5778121715415, 452794797220965,
    41609568918940625
};

/* OEIS A007631. */
static const uint64_t reflecting[] = {
    1, 1, 0, 0, 2, 4, 0, 2, 10, 32, 38, 140, 496, 1186, 3178, 16792, 82038, 289566, 1139874, 5914118, 33800010,
    142337180, 721286448, 4384569864
};

/* OEIS A002464; those from n = 17 on follow by its recurrence, (n + 1) a(n - 1) - (n - 2) a(n - 2) - (n - 5) a(n - 3)
 * + (n - 3) a(n - 4). 64 bits hold no more. */
static const uint64_t touching[] = {
    1, 1, 0, 0, 2, 14, 90, 646, 5242, 47622, 479306, 5296790, 63779034, 831283558, 11661506218, 175203184374,
    2806878055610, 47767457130566, 860568917787402, 16362838542699862, 327460573946510746, 6880329406055690790
};

/* OEIS A000142, the factorial numbers. 64 bits hold no more. */
static const uint64_t rooks[] = {
    1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880, 3628800, 39916800, 479001600, 6227020800,
    87178291200, 1307674368000, 20922789888000, 355687428096000, 6402373705728000, 121645100408832000,
    2432902008176640000
};

/* clang-format on */

extern const struct rule rule_queens, rule_toroidal, rule_superqueens, rule_semiqueens, rule_toroidal_semiqueens,
    rule_reflecting, rule_touching, rule_rooks;

#define SEQUENCE(id) (id), "OEIS " id
#define TERMS(terms) (terms), sizeof(terms) / sizeof(terms)[0]
static const struct table {
    const struct rule *rule;
    enum query_distinct distinct;
    enum query_symmetry symmetry;
    const char *oeis, *source; /* the sequence, and who published it */
    const uint64_t *terms;     /* from n = 0 on; by k if odd */
    uint32_t count;
    bool odd;         /* n = 2k + 1; boards of even n > 0 have no solutions */
    const char *note; /* as in struct known; of n > 1 */
} tables[] = {
    {&rule_queens, DISTINCT_ALL, SYMMETRY_ANY, SEQUENCE("A000170"), TERMS(all), false, NULL},
    {&rule_queens, DISTINCT_FUNDAMENTAL, SYMMETRY_ANY, SEQUENCE("A002562"), TERMS(fundamental), false, NULL},
    {&rule_queens, DISTINCT_ALL, SYMMETRY_POINT, SEQUENCE("A032522"), TERMS(point), false, NULL},
    {&rule_queens, DISTINCT_ALL, SYMMETRY_QUARTER, SEQUENCE("A033148"), TERMS(quarter), false, NULL},
    {&rule_toroidal, DISTINCT_ALL, SYMMETRY_ANY, SEQUENCE("A007705"), TERMS(toroidal), true, NULL},
    {&rule_toroidal, DISTINCT_TORUS, SYMMETRY_ANY, SEQUENCE("A053994"), TERMS(torus_classes), true, NULL},
    {&rule_superqueens, DISTINCT_ALL, SYMMETRY_ANY, SEQUENCE("A051223"), TERMS(superqueens), false, NULL},
    {&rule_superqueens, DISTINCT_FUNDAMENTAL, SYMMETRY_ANY, SEQUENCE("A051224"), TERMS(superqueens_fundamental), false,
     NULL},
    {&rule_superqueens, DISTINCT_ALL, SYMMETRY_POINT, SEQUENCE("A352662"), TERMS(superqueens_point), false,
     "four times the term, and twice that of A352661: the solutions of these classes"},
    {&rule_superqueens, DISTINCT_ALL, SYMMETRY_QUARTER, SEQUENCE("A352661"), TERMS(superqueens_quarter), false,
     "twice the term: each class has two solutions"},
    {&rule_semiqueens, DISTINCT_ALL, SYMMETRY_ANY, SEQUENCE("A099152"), TERMS(semiqueens), false, NULL},
    {&rule_toroidal_semiqueens, DISTINCT_ALL, SYMMETRY_ANY, SEQUENCE("A006717"), TERMS(toroidal_semiqueens), true,
     NULL},
    {&rule_reflecting, DISTINCT_ALL, SYMMETRY_ANY, SEQUENCE("A007631"), TERMS(reflecting), false, NULL},
    {&rule_touching, DISTINCT_ALL, SYMMETRY_ANY, SEQUENCE("A002464"), TERMS(touching), false, NULL},
    {&rule_rooks, DISTINCT_ALL, SYMMETRY_ANY, SEQUENCE("A000142"), TERMS(rooks), false, NULL},
};
enum { TABLES = sizeof tables / sizeof tables[0] };
_Static_assert(sizeof all / sizeof all[0] == NQ_KNOWN_MAX_N + 1, "nqueens.h states the largest n");

/* Numbers with a source of their own, from a size on; the last row that fits counts. */
static const struct {
    const uint64_t *terms;
    uint32_t from;
    const char *source;
} discoverers[] = {
    {all, 24, "Kise 2004; OEIS A000170"},
    {all, 25, "ObjectWeb ProActive 2005; OEIS A000170"},
    {all, 26, "Queens@TUD 2009, confirmed by MC# 2009; OEIS A000170"},
    {all, 27, "Preusser and Engelhardt 2016, confirmed by Yao and Li 2025; OEIS A000170"},
    {touching, 17, "the recurrence of OEIS A002464"},
    {superqueens_point, 2, "the classes of OEIS A352661 and A352662"},
};

static const char *source_of(const struct table *table, uint32_t n)
{
    const char *source = table->source;
    for (size_t i = 0; i < sizeof discoverers / sizeof discoverers[0]; i++)
        if (discoverers[i].terms == table->terms && n >= discoverers[i].from)
            source = discoverers[i].source;
    return source;
}

/* NULL: there is no such table. halved: half of its numbers count, where solutions are distinct by the reflection at
 * the middle column alone, which leaves none unchanged. */
static const struct table *find(const struct rule *rule, enum query_distinct distinct, enum query_symmetry symmetry,
                                bool *halved)
{
    const unsigned group = distinct_group(distinct, rule->symmetries);
    *halved = group == RULE_SYMMETRIES_TOP;
    if (distinct != DISTINCT_TORUS && (*halved || group == 1))
        distinct = DISTINCT_ALL;
    for (const struct table *at = tables; at < tables + TABLES; at++)
        if (at->rule == rule && at->distinct == distinct && at->symmetry == symmetry && !(*halved && at->note))
            return at;
    return NULL;
}

static uint32_t most_of(const struct table *table)
{
    return table->odd ? 2 * table->count - 1 : table->count - 1;
}

/* Even boards have one solution without a queen, or none. */
static uint64_t term_of(const struct table *table, uint32_t n)
{
    if (!table->odd)
        return table->terms[n];
    return n % 2 ? table->terms[n / 2] : n == 0;
}

int known_most(const struct rule *rule, enum query_distinct distinct, enum query_symmetry symmetry)
{
    bool halved;
    const struct table *table = find(rule, distinct, symmetry, &halved);
    return table ? (int)most_of(table) : -1;
}

bool known_find(const struct rule *rule, uint32_t n, enum query_distinct distinct, enum query_symmetry symmetry,
                struct known *known)
{
    bool halved;
    const struct table *table = find(rule, distinct, symmetry, &halved);
    if (!table || n > most_of(table))
        return false;
    *known = (struct known){.count = term_of(table, n), .oeis = table->oeis, .source = source_of(table, n)};
    if (n > 1)
        known->note = table->note;
    if (halved && n > 1) {
        known->count /= 2;
        known->note = "half of the term: no solution is its own mirror image";
    }
    return true;
}

enum nq_status nq_known_count(uint32_t n, uint64_t *count)
{
    if (n > NQ_KNOWN_MAX_N)
        return NQ_LIMIT;
    *count = all[n];
    return NQ_OK;
}

/* ---- First solutions ---- */

const char first_oeis[] = "A141843";

/* OEIS A141843, C. S. Pearson 2008. Its data has the rows up to n = 35 and n = 37 here; those of n = 36, 38, 39 and 41,
 * which its list has, too, are what the algorithm bitboard found by an exhaustive search, as it did all others. Columns
 * are counted from 1. */
/* clang-format off */
static const uint8_t solutions[][FIRST_MOST_N] = {
    [29 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 20, 24, 26, 21, 29, 27, 25, 28, 8, 12, 7, 16, 10, 17, 22,
        14, 18, 23, 19},
    [30 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 7, 23, 26, 28, 25, 22, 24, 30, 27, 29, 16, 12, 10, 8, 6, 18,
        20, 17, 14, 21, 19},
    [31 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 18, 23, 26, 28, 31, 25, 27, 30, 7, 17, 29, 14, 10, 8, 20,
        12, 16, 19, 22, 24, 21},
    [32 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 18, 24, 26, 30, 25, 31, 28, 32, 27, 29, 16, 19, 10, 8,
        17, 12, 21, 7, 14, 23, 20, 22},
    [33 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 8, 25, 27, 33, 31, 23, 28, 26, 29, 32, 30, 16, 18, 12,
        10, 17, 7, 14, 21, 19, 24, 22, 20},
    [34 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 18, 20, 26, 28, 31, 33, 27, 29, 34, 32, 30, 12, 10, 7,
        16, 19, 8, 22, 14, 25, 17, 24, 21, 23},
    [35 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 8, 19, 24, 26, 31, 29, 32, 35, 33, 28, 30, 17, 7, 34, 10,
        18, 16, 14, 12, 20, 25, 23, 21, 27, 22},
    [36 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 8, 22, 27, 32, 30, 33, 24, 29, 35, 28, 34, 31, 14, 36,
        17, 12, 16, 7, 10, 20, 25, 19, 26, 18, 23, 21},
    [37 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 8, 19, 21, 23, 30, 34, 29, 35, 33, 31, 37, 32, 36, 16, 7,
        10, 20, 14, 12, 18, 26, 17, 22, 28, 25, 27, 24},
    [38 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 8, 19, 21, 29, 31, 33, 36, 30, 28, 38, 34, 32, 37, 35,
        20, 18, 12, 14, 23, 7, 10, 25, 17, 22, 16, 26, 24, 27},
    [39 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 8, 19, 7, 25, 30, 37, 33, 28, 32, 38, 35, 39, 31, 36, 34,
        21, 17, 20, 14, 12, 10, 23, 16, 18, 22, 29, 26, 24, 27},
    [41 - FIRST_LEAST_N] = {1, 3, 5, 2, 4, 9, 11, 13, 15, 6, 8, 19, 7, 22, 25, 30, 32, 37, 39, 33, 38, 40, 34, 36, 41,
        35, 18, 23, 10, 12, 16, 20, 17, 14, 21, 28, 26, 31, 29, 27, 24},
};
/* clang-format on */
_Static_assert(sizeof solutions / sizeof solutions[0] == FIRST_MOST_N - FIRST_LEAST_N + 1, "a row for each n");

bool first_find(uint32_t n, uint32_t *columns)
{
    if (n < FIRST_LEAST_N || n > FIRST_MOST_N)
        return false;
    const uint8_t *solution = solutions[n - FIRST_LEAST_N];
    for (uint32_t row = 0; solution[0] && row < n; row++)
        columns[row] = solution[row] - 1U;
    return solution[0]; /* a row of zeros is not known */
}
