/* method_plan.c - the units of a plan and their weights. */
#include "base/grow.h"
#include "count/methods/method.h"

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
