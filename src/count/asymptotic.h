/* asymptotic.h - about how many solutions a large board has, by a formula. It searches nothing. */
#ifndef COUNT_ASYMPTOTIC_H
#define COUNT_ASYMPTOTIC_H

#include <stdint.h>

enum { ASYMPTOTIC_MAX_N = 1000000000 };

/* Q(n) = ((1 + o(1)) n e^-1.944001)^n is a theorem (Simkin 2021), its constant known to 1e-6 (Nobel, Agrawal and Boyd
 * 2022); the factor 2.53 is a fit: the published counts lie -2.8 to +1.3 % beside it for n = 15 .. 27, within 1.1 %
 * from n = 20 on. Beyond 27 nothing is proven about the first digits, and for large n they mean nothing: the last place
 * of the constant alone moves the logarithm by 4e-7 n. */
#define ASYMPTOTIC_FORMULA "2.53 n! e^(-0.944001 n)"
#define ASYMPTOTIC_SOURCE \
    "the exponent: Simkin 2021 (arXiv:2107.13460), its constant: Nobel, Agrawal and Boyd 2022 (arXiv:2112.03336); " \
    "the " \
    "factor 2.53: fitted by nqueensd to the counts of n = 15 to 27"

/* Its decimal logarithm, n = 1 .. ASYMPTOTIC_MAX_N, the same bits on every machine. */
double asymptotic_log10(uint32_t n);

/* About how far that may be off: 1e-6 n of the exponent, and 0.012, as far as the fit is from the counts. */
double asymptotic_log10_error(uint32_t n);

#endif
