/* kernels.c - the table of counting kernels. */
#include <string.h>

#include "kernels/kernel.h"

extern const struct kernel kernel_avx512w, kernel_avx512, kernel_avx2, kernel_scalar;

const struct kernel *const kernels[] = {
#ifdef __x86_64__ /* elsewhere those files are empty */
    &kernel_avx512w, &kernel_avx512, &kernel_avx2,
#endif
    &kernel_scalar,  NULL,
};

const struct kernel *kernel_find(const char *name)
{
    bool any = strcmp(name, "auto") == 0;
    for (const struct kernel *const *at = kernels; *at; at++)
        if ((any || strcmp((*at)->name, name) == 0) && (*at)->supported())
            return *at;
    return NULL;
}
