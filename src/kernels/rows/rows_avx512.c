/* rows_avx512.c - level buffers on sixteen lanes. Compiled for AVX-512; nothing here may run before supported(). */
#include "kernels/rows/rows.h"

#ifdef __AVX512F__
#include "kernels/vectors/avx512_lanes.h"

enum { ROWS_MAX_N = KERNEL_MAX_N };

#define rows_this rows_avx512
#define rows_otherwise rows_scalar

#include "kernels/rows/rows_levels.h"
#endif
