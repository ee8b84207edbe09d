/* unit_list.c - the lines of a list of units. */
#include "count/unit_list.h"

#include <inttypes.h>

void unit_list_head(struct bytes *list, uint32_t n, size_t units, const char *name)
{
    bytes_format(list, "# n = %" PRIu32 ", %zu units: %s\n", n, units, name);
}

void unit_list_unit(struct bytes *list, size_t unit, nq_wide parts)
{
    char digits[WIDE_TEXT_MAX];
    bytes_format(list, "%zu %s\n", unit, wide_text(parts, digits));
}

void unit_list_sum(struct bytes *list, nq_wide parts)
{
    char digits[WIDE_TEXT_MAX];
    bytes_format(list, "# %s\n", wide_text(parts, digits));
}
