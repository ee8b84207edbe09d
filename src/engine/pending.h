/* pending.h - units that are waited for, each with its weight: a set of numbers, in order. */
#ifndef ENGINE_PENDING_H
#define ENGINE_PENDING_H

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

/* There is room for so many more. False: out of memory. */
bool pending_reserve(struct pending *pending, size_t more);

/* Adds one for which there is room, with a weight of more than 0; one that is there already stays as it is. */
void pending_add(struct pending *pending, size_t unit, double weight);

/* Takes one out: its weight, 0 if it was not there. */
double pending_remove(struct pending *pending, size_t unit);

/* Takes the last one out. False: there is none. */
bool pending_pop(struct pending *pending, size_t *unit);

#endif
