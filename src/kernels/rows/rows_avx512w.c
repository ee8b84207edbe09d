/* rows_avx512w.c - level buffers on thirty-two lanes of 16 bits, for boards of up to 16; larger ones go to the kernel
 * with lanes of 32. Compiled for AVX-512 with BW and VBMI2; nothing here may run before supported(). */
#include "kernels/rows/rows.h"

#ifdef __AVX512VBMI2__
#define LANES_SHORT
#include "kernels/vectors/avx512_lanes.h"

enum { ROWS_MAX_N = 16 };

extern const struct rows_kernel rows_avx512w, rows_avx512;
#define rows_otherwise rows_avx512

#include "kernels/rows/rows_levels.h"

const struct rows_kernel rows_avx512w = {.name = "avx512w", .supported = lanes_supported, .count = count_levels};
#endif
