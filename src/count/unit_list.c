/* unit_list.c - the lines of a list of units. */
#include "count/unit_list.h"

#include <inttypes.h>

void unit_list_head(struct bytes *list, uint32_t n, size_t units, const char *name)
{
    bytes_format(list, "# n = %" PRIu32 ", %zu units: %s\n", n, units, name);
}

void unit_list_unit(struct bytes *list, size_t unit, uint64_t thirds)
{
    bytes_format(list, "%zu %" PRIu64 "\n", unit, thirds);
}

void unit_list_sum(struct bytes *list, nq_wide thirds)
{
    char digits[WIDE_TEXT_MAX];
    bytes_format(list, "# %s\n", wide_text(thirds, digits));
}
