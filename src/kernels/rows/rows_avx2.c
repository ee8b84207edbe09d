/* rows_avx2.c - level buffers on eight lanes. Compiled for AVX2, BMI2 and POPCNT; nothing here may run before
 * supported(). */
#include "kernels/rows/rows.h"

#ifdef __AVX2__
#include "kernels/vectors/avx2.h"

typedef uint32_t word;
enum { ROWS_MAX_N = KERNEL_MAX_N };

extern const struct rows_kernel rows_avx2, rows_scalar;
#define rows_otherwise rows_scalar

#include "kernels/rows/rows_levels.h"

const struct rows_kernel rows_avx2 = {.name = "avx2", .supported = avx2_supported, .count = count_levels};
#endif
