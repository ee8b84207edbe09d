/* methods.c - the table of counting methods. */
#include "count/methods/method.h"

#include "base/grow.h"

extern const struct method method_search, method_join, method_point, method_quarter, method_rules, method_rule_orbits,
    method_correlations;

const struct method *const methods[] = {&method_search, &method_join,        &method_point,        &method_quarter,
                                        &method_rules,  &method_rule_orbits, &method_correlations, NULL};

void *method_plan_add(struct method_plan *plan, double weight, void *list, size_t size)
{
    size_t room = plan->room;
    double *weights = grow_array(plan->weights, plan->units, &room, sizeof *weights);
    if (!weights)
        return NULL;
    plan->weights = weights; /* with room for more, perhaps, than the list */
    void *grown = grow_array(list, plan->units, &plan->room, size);
    if (grown)
        plan->weights[plan->units++] = weight;
    return grown;
}
