/* rows_kernels.c - the table of kernels that count by the moves of a rule. */
#include <string.h>

#include "kernels/rows/rows.h"

extern const struct rows_kernel rows_avx512w, rows_avx512, rows_avx2, rows_scalar;

const struct rows_kernel *const rows_kernels[] = {
#ifdef __x86_64__ /* elsewhere those files are empty */
    &rows_avx512w, &rows_avx512, &rows_avx2,
#endif
    &rows_scalar,  NULL,
};

const struct rows_kernel *rows_kernel_of(const struct kernel *kernel)
{
    for (const struct rows_kernel *const *at = rows_kernels; *at; at++)
        if (strcmp((*at)->name, kernel->name) == 0 && (*at)->supported())
            return *at;
    return &rows_scalar;
}

struct rows_board rows_board_of(uint32_t n, unsigned moves, const uint64_t *allow)
{
    struct rows_board board = {.n = n, .moves = moves};
    for (uint32_t row = 0; row < n; row++)
        board.allow[row] = (uint32_t)allow[row] & ~UINT32_C(0) >> (KERNEL_MAX_N - n);
    return board;
}

struct rows_prefix rows_prefix_of(const struct rule_search *search)
{
    return (struct rows_prefix){.row = search->row, .reach = search->level[search->row].reach};
}
