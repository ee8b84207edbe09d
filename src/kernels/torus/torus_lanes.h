/* torus_lanes.h - the sum of products of correlations on lanes of 32 bits, a word y in each. Included by one file per
 * instruction set, which defines vec, LANES and the v_ functions before.
 *
 * With n <= 29, products of 3 factors fit 16 bits, of 6 factors 32 bits and of 12 factors 64 bits. Wider numbers are
 * limbs of 32 bits, all signed, for the only wide multiplication there is takes signed numbers of 32 bits. */
#ifndef KERNELS_TORUS_TORUS_LANES_H
#define KERNELS_TORUS_TORUS_LANES_H

#include "kernels/torus/torus.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define SIGN (UINT64_C(1) << 63)
#define HALF (UINT64_C(1) << 31)

extern const struct torus_kernel torus_scalar;

/* Two factors in the halves of each lane: c(i) below, c(j) above, and 1 for what n does not have. */
ALWAYS_INLINE vec factors(uint32_t n, const uint32_t *turned, vec signs, uint32_t i, uint32_t j)
{
    vec minus = v_count(v_xor(v_set(turned[i]), signs));
    if (j < n)
        minus = v_add32(minus, v_up(v_count(v_xor(v_set(turned[j]), signs)), 16));
    return v_sub16(v_set(n | (j < n ? n : 1) << 16), v_add32(minus, minus));
}

/* c(i) ... c(i + 5) multiplied. */
ALWAYS_INLINE vec product_six(uint32_t n, const uint32_t *turned, vec signs, uint32_t i)
{
    if (i >= n)
        return v_set(1);
    vec three = factors(n, turned, signs, i, i + 3);
    for (uint32_t k = i + 1; k < i + 3 && k < n; k++)
        three = v_mul16(three, factors(n, turned, signs, k, k + 3));
    return v_madd16(three, v_down(three, 16)); /* above, the second has 0 */
}

/* Sums of signed numbers of 64 bits: the whole modulo 2^64, and the upper halves. 2^63 is added to each. */
struct wide_sum {
    vec whole, upper;
};

ALWAYS_INLINE void wide_add(struct wide_sum *sum, vec number)
{
    const vec shifted = v_xor(number, v_set64(SIGN));
    sum->whole = v_add64(sum->whole, shifted);
    sum->upper = v_add64(sum->upper, v_shr64(shifted, 32));
}

static nq_wide wide_total(const struct wide_sum *sum, size_t numbers)
{
    const uint64_t upper = v_total64(sum->upper), lower = v_total64(sum->whole) - (upper << 32);
    return ((nq_wide)upper << 32) + lower - (nq_wide)numbers * SIGN;
}

/* What is left of a number of 64 bits when its low 32, as a signed number, are taken away: in the low half. */
ALWAYS_INLINE vec limb_up(vec number)
{
    return v_shr64(v_add64(number, v_set64(HALF)), 32);
}

/* The same, as a number of 64 bits. */
ALWAYS_INLINE vec limb_carry(vec number)
{
    return v_sub64(v_shr64(v_add64(number, v_set64(SIGN + HALF)), 32), v_set64(HALF));
}

struct limb_sums {
    struct wide_sum first, second; /* of 2^0 and of 2^32 */
    vec third, fourth;             /* of 2^64 and of 2^96: what they lose is beyond 2^128 */
};

/* Adds six[0] ... six[4] multiplied, in the even lanes. */
ALWAYS_INLINE void add_products(struct limb_sums *sums, uint32_t n, const vec six[5])
{
    const vec a0 = v_mul32(six[0], six[1]), b0 = v_mul32(six[2], six[3]);
    const vec a1 = limb_up(a0), b1 = limb_up(b0);
    if (n <= 24) {
        wide_add(&sums->first, v_mul32(a0, b0));
        wide_add(&sums->second, v_add64(v_mul32(a1, b0), v_mul32(a0, b1)));
        sums->third = v_add64(sums->third, v_mul32(a1, b1));
        return;
    }
    const vec q0 = v_mul32(a0, six[4]);
    const vec q1 = v_add64(v_mul32(a1, six[4]), limb_carry(q0)), q2 = limb_up(q1);
    wide_add(&sums->first, v_mul32(q0, b0));
    wide_add(&sums->second, v_add64(v_mul32(q1, b0), v_mul32(q0, b1)));
    sums->third = v_add64(sums->third, v_add64(v_mul32(q2, b0), v_mul32(q1, b1)));
    sums->fourth = v_add64(sums->fourth, v_mul32(q2, b1));
}

/* n is a constant wherever this is called, so that all loops but one are unrolled. */
ALWAYS_INLINE nq_wide sum_of(uint32_t n, uint32_t x, const uint32_t *y, size_t count)
{
    uint32_t turned[TORUS_MAX_N];
    for (uint32_t i = 0; i < n; i++)
        turned[i] = torus_turn(n, x, i);
    const vec zero = v_set(0);
    struct limb_sums sums = {{zero, zero}, {zero, zero}, zero, zero};
    size_t at = 0;
    for (; at + LANES <= count; at += LANES) {
        const vec signs = v_load(y + at);
        vec even[5], odd[5];
        for (uint32_t k = 0; k < 5; k++) {
            even[k] = product_six(n, turned, signs, 6 * k);
            odd[k] = v_shr64(even[k], 32);
        }
        add_products(&sums, n, even);
        add_products(&sums, n, odd);
    }
    return wide_total(&sums.first, at) + (wide_total(&sums.second, at) << 32) + ((nq_wide)v_total64(sums.third) << 64) +
           ((nq_wide)v_total64(sums.fourth) << 96) + torus_scalar.sum(n, x, y + at, count - at);
}

#define SUM_CASE(n) \
    case n: return sum_of(n, x, y, count);

static nq_wide sum_lanes(uint32_t n, uint32_t x, const uint32_t *y, size_t count)
{
    switch (n) {
        SUM_CASE(15)
        SUM_CASE(17)
        SUM_CASE(19)
        SUM_CASE(21)
        SUM_CASE(23)
        SUM_CASE(25)
        SUM_CASE(27)
        SUM_CASE(29)
    default: /* takes no time */ return torus_scalar.sum(n, x, y, count);
    }
}

#endif
