/* pending.h - units whose results are to come, each with its weight: a set of numbers, in order. */
#ifndef ENGINE_CLUSTER_PENDING_H
#define ENGINE_CLUSTER_PENDING_H

#include <stdbool.h>
#include <stddef.h>

/* All zero at first. */
struct pending {
    struct pending_unit {
        size_t unit;
        double weight;
    } * at;
    size_t count, room;
    double weight; /* of all */
};
void pending_close(struct pending *pending);

/* Makes room for so many more. False: out of memory. */
bool pending_reserve(struct pending *pending, size_t more);

/* Adds one for which there is room, with a weight above 0; one that is in the set already stays as it is. */
void pending_add(struct pending *pending, size_t unit, double weight);

/* Removes one, and returns its weight; 0: it was not in the set. */
double pending_remove(struct pending *pending, size_t unit);

/* Removes the last one. False: there is none. */
bool pending_pop(struct pending *pending, size_t *unit);

#endif
