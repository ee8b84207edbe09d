/* order.h - putting numbers in order, many times a second. It does not know that they are paths. */
#ifndef SOLVERS_ORDER_H
#define SOLVERS_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Sorts numbers[0..count), with spare[0..count) to work in, and returns where they lie then: one of the two. O(count)
 * as long as few of them agree in all of their first bits that matter. */
uint64_t *order_numbers(uint64_t *numbers, uint64_t *spare, size_t count);

#endif
