/* join_avx512.h - sixteen lanes of 32 bits: what all joining with AVX-512 has in common. Nothing here may run before
 * the supported() of the file that includes it. */
#include "kernels/join.h"
#include "kernels/vectors/avx512.h"

enum { LANES = 16, AT_ONCE = 2 };

static inline vec v_set(uint32_t x)
{
    return _mm512_set1_epi32((int)x);
}

static inline vec v_all(vec a, vec b, vec c)
{
    return _mm512_ternarylogic_epi32(a, b, c, 0x80);
}

/* See struct join. With the instructions of AVX-512 F. */
size_t join_avx512_pairs(struct join_cells a, struct join_cells b, size_t cells, uint64_t **to, const uint64_t *limit);
void join_avx512_sort(const struct join_order *order, uint64_t *word, size_t count);
