/* avx512.h - a vector of 512 bits: what lanes of any width, counting and joining have in common. Nothing here may run
 * before the supported() of the file that includes it. */
#include <immintrin.h>

typedef __m512i vec;

static inline vec v_load(const void *from)
{
    return _mm512_loadu_si512(from);
}

static inline void v_store(void *to, vec a)
{
    _mm512_storeu_si512(to, a);
}

static inline vec v_and(vec a, vec b)
{
    return _mm512_and_si512(a, b);
}

static inline vec v_or(vec a, vec b)
{
    return _mm512_or_si512(a, b);
}

static inline vec v_xor(vec a, vec b)
{
    return _mm512_xor_si512(a, b);
}

static inline vec v_without(vec a, vec b)
{
    return _mm512_andnot_si512(b, a);
}

static inline vec v_allow(vec a, vec b, vec c)
{
    return _mm512_ternarylogic_epi32(a, b, c, 0x10);
}

/* Zero, for the lanes that packing leaves. On Zen 5 packing waits for what its destination held before, even if all of
 * that is to become zero: one after the other they take five cycles each, and one with a new zero. */
static inline vec v_blank(void)
{
    vec blank;
    __asm__ volatile("vpxor %x0, %x0, %x0" : "=x"(blank)); /* the compiler would make it once */
    return blank;
}
