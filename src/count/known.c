/* known.c - counts as published. It computes nothing; the counting methods are checked against it, not the other way
 * round. */
#include "count/known.h"

/* Laid out as by OEIS, not a line for each number. */
/* clang-format off */

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

/* clang-format on */

static const struct {
    enum query_distinct distinct;
    enum query_symmetry symmetry;
    const char *oeis;
    const uint64_t *terms; /* from n = 0 on */
    uint32_t count;
} tables[] = {
    {DISTINCT_ALL, SYMMETRY_ANY, "A000170", all, sizeof all / sizeof all[0]},
    {DISTINCT_FUNDAMENTAL, SYMMETRY_ANY, "A002562", fundamental, sizeof fundamental / sizeof fundamental[0]},
    {DISTINCT_ALL, SYMMETRY_POINT, "A032522", point, sizeof point / sizeof point[0]},
    {DISTINCT_ALL, SYMMETRY_QUARTER, "A033148", quarter, sizeof quarter / sizeof quarter[0]},
};
enum { TABLES = sizeof tables / sizeof tables[0] };
_Static_assert(sizeof all / sizeof all[0] == NQ_KNOWN_MAX_N + 1, "nqueens.h states the largest n");

/* A reflection leaves no solution unchanged, so half of them remain: the table of all stands for those too. */
static size_t find(enum query_distinct distinct, enum query_symmetry symmetry)
{
    size_t i = 0;
    if (distinct == DISTINCT_MIRROR)
        distinct = DISTINCT_ALL;
    while (i < TABLES && (tables[i].distinct != distinct || tables[i].symmetry != symmetry))
        i++;
    return i;
}

int known_most(enum query_distinct distinct, enum query_symmetry symmetry)
{
    const size_t i = find(distinct, symmetry);
    return i < TABLES ? (int)tables[i].count - 1 : -1;
}

bool known_find(uint32_t n, enum query_distinct distinct, enum query_symmetry symmetry, struct known *known)
{
    const size_t i = find(distinct, symmetry);
    if (i == TABLES || n >= tables[i].count)
        return false;
    *known = (struct known){.count = tables[i].terms[n], .oeis = tables[i].oeis};
    if (distinct == DISTINCT_MIRROR && n > 1) {
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
