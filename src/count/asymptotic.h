/* asymptotic.h - about how many solutions a large board has, by a formula. It searches nothing. */
#ifndef COUNT_ASYMPTOTIC_H
#define COUNT_ASYMPTOTIC_H

#include <stdint.h>

enum { ASYMPTOTIC_MAX_N = 1000000000 };

/* The decimal logarithm of 2.53 n! e^(-0.944001 n), n = 1 .. ASYMPTOTIC_MAX_N, the same bits on every machine.
 *
 * Q(n) = ((1 + o(1)) n e^-1.944001)^n is a theorem (Simkin 2021), its constant known to 1e-6 (Nobel, Agrawal and Boyd,
 * arXiv:2112.03336); the factor 2.53 is a fit: the published counts lie -2.8 to +1.3 % beside it for n = 15 .. 27,
 * within 1.1 % from n = 20 on. Beyond 27 nothing is proven about the first digits, and for large n they mean nothing:
 * the last place of the constant alone moves the logarithm by 4e-7 n. */
double asymptotic_log10(uint32_t n);

#endif
