/* torus_kernels.c - the table of kernels that sum products of correlations. */
#include <string.h>

#include "kernels/torus/torus.h"

extern const struct torus_kernel torus_avx512, torus_avx2, torus_scalar;

const struct torus_kernel *const torus_kernels[] = {
#ifdef __x86_64__ /* elsewhere those files are empty */
    &torus_avx512,
    &torus_avx2,
#endif
    &torus_scalar,
    NULL,
};

const struct torus_kernel *torus_kernel_best(void)
{
    for (const struct torus_kernel *const *at = torus_kernels; *at; at++)
        if ((*at)->supported())
            return *at;
    return &torus_scalar;
}

const struct torus_kernel *torus_kernel_like(const char *name)
{
    for (const struct torus_kernel *const *at = torus_kernels; *at; at++)
        if (strncmp((*at)->name, name, strlen((*at)->name)) == 0 && (*at)->supported())
            return *at;
    return torus_kernel_best();
}
