/* known.c - Q(n) as published. It computes nothing; the counting methods are checked against it, not the other way
 * round. */
#include <nqueens.h>

/* OEIS A000170. Q(24): Kise 2004; Q(25): ObjectWeb ProActive 2005; Q(26): Queens@TUD 2009, confirmed by MC# 2009;
 * Q(27): Preusser and Engelhardt (Q27) 2016, confirmed by Yao and Li, arXiv:2511.12009, 2025. */
static const uint64_t known[NQ_KNOWN_MAX_N + 1] = {
    1,
    1,
    0,
    0,
    2,
    10,
    4,
    40,
    92,
    352,
    724,
    2680,
    14200,
    73712,
    365596,
    2279184,
    14772512,
    95815104,
    666090624,
    4968057848,
    39029188884,
    314666222712,
    2691008701644,
    24233937684440,
    227514171973736,
    2207893435808352,
    22317699616364044,
    234907967154122528,
};

enum nq_status nq_known_count(uint32_t n, uint64_t *count)
{
    if (n > NQ_KNOWN_MAX_N)
        return NQ_LIMIT;
    *count = known[n];
    return NQ_OK;
}
