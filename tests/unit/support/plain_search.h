/* plain_search.h - the reference that faster counts by a rule are compared with: every placement, one after the other,
 * by what src/rules/search.h allows. */
#ifndef TESTS_UNIT_SUPPORT_PLAIN_SEARCH_H
#define TESTS_UNIT_SUPPORT_PLAIN_SEARCH_H

#include "rules/search.h"

/* The solutions below the queens of a search, and the placements that find them, in all and by row
 * (may be NULL); the search stays where it is. */
struct rule_tally plain_search(struct rule_search *search, uint64_t *rows);

#endif
