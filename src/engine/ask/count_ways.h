/* count_ways.h - which ways of counting go with which questions, and how large boards may be. Values are sound. */
#ifndef ENGINE_ASK_COUNT_WAYS_H
#define ENGINE_ASK_COUNT_WAYS_H

#include "engine/ask/count_rows.h"

/* Whether it is a matter of seconds to compute this: method=auto does. */
bool count_is_quick(const struct value *values, const struct query *query);

/* The method that auto and any choose; METHOD_AUTO: none. */
enum ask_method count_method_choose(const struct value *values, const struct query *query);

/* Add validation errors: of what does not go with the method, or is too large for it; */
void count_method_check(const struct value *values, enum ask_method method, const struct query *query,
                        struct validation_errors *errors);

/* of what not every rule has; */
void count_rule_check(const struct value *values, struct validation_errors *errors);

/* and of what boards with regions do not have: they are counted in one way, whole. */
void count_regions_check(const struct value *values, struct validation_errors *errors);

#endif
