/* methods.c - the table of counting methods. */
#include "count/methods/method.h"

extern const struct method method_search, method_join, method_point, method_quarter, method_rules, method_rule_orbits,
    method_correlations;

const struct method *const methods[] = {&method_search, &method_join,        &method_point,        &method_quarter,
                                        &method_rules,  &method_rule_orbits, &method_correlations, NULL};
