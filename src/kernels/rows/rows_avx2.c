/* rows_avx2.c - level buffers on eight lanes. Compiled for AVX2, BMI2 and POPCNT; nothing here may run before
 * supported(). */
#include "kernels/rows/rows.h"

#ifdef __AVX2__
#include "kernels/vectors/avx2.h"

typedef uint32_t word;
enum { ROWS_MAX_N = KERNEL_MAX_N };

#define rows_this rows_avx2
#define rows_otherwise rows_scalar

#include "kernels/rows/rows_levels.h"
#endif
