/* unit_list.h - the parts of units as text, one line for each: what `nqueensd units` prints, and what is kept of a
 * count that is done. */
#ifndef COUNT_UNIT_LIST_H
#define COUNT_UNIT_LIST_H

#include "base/bytes.h"
#include "base/wide.h"

/* Append the first line, with the name of the term; the line of a unit; and the last line, with the sum. */
void unit_list_head(struct bytes *list, uint32_t n, size_t units, const char *name);
void unit_list_unit(struct bytes *list, size_t unit, nq_wide parts);
void unit_list_sum(struct bytes *list, nq_wide parts);

#endif
