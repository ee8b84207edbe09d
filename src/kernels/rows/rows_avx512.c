/* rows_avx512.c - level buffers on sixteen lanes. Compiled for AVX-512; nothing here may run before supported(). */
#include "kernels/rows/rows.h"

#ifdef __AVX512F__
#include "kernels/vectors/avx512_lanes.h"

enum { ROWS_MAX_N = KERNEL_MAX_N };

extern const struct rows_kernel rows_avx512, rows_scalar;
#define rows_otherwise rows_scalar

#include "kernels/rows/rows_levels.h"

const struct rows_kernel rows_avx512 = {.name = "avx512", .supported = lanes_supported, .count = count_levels};
#endif
