/* asymptotic.c - logarithms from additions, multiplications and divisions alone, which IEEE 754 defines to the last bit
 * and the C library's log does not. */
#include "count/asymptotic.h"

#include <float.h>
#include <math.h>

/* No wider registers. The Makefile sees to it that nothing is contracted to an FMA. */
_Static_assert(FLT_EVAL_METHOD == 0, "a double is computed as a double");

static const double ln2 = 0x1.62e42fefa39efp-1, ln10 = 0x1.26bb1bbb55516p+1, tau = 0x1.921fb54442d18p+2;

/* The natural logarithm of x > 0: x = m 2^e with m about 1, and ln m = 2 artanh((m - 1) / (m + 1)). */
static double natural(double x)
{
    int e;
    double m = frexp(x, &e); /* exact */
    if (m < 0.70703125) {
        m *= 2;
        e--;
    }
    const double s = (m - 1) / (m + 1), square = s * s; /* below 0.0296 */
    double sum = 0;
    for (int k = 23; k > 0; k -= 2)
        sum = sum * square + 1.0 / k;
    return e * ln2 + 2 * s * sum;
}

/* ln n!: the product while it is exact, then Stirling's series, whose first term left out is below 1e-15. */
static double factorial(uint32_t n)
{
    if (n <= 20) {
        double product = 1;
        for (uint32_t i = 2; i <= n; i++)
            product *= i;
        return natural(product);
    }
    const double x = n, square = x * x;
    const double series = (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / 1680 / square) / square) / square) / x;
    return x * (natural(x) - 1) + natural(tau * x) / 2 + series;
}

double asymptotic_log10(uint32_t n)
{
    return (natural(2.53) + factorial(n) - 0.944001 * n) / ln10;
}

double asymptotic_log10_error(uint32_t n)
{
    return 0.012 + 1e-6 * n / ln10;
}
