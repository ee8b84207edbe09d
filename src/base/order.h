/* order.h - a radix sort of 64-bit numbers. */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Sorts numbers[0..count); spare[0..count) is work space. Returns the array that holds the result: one of the two.
 * O(count) if few numbers agree in their leading significant bits. */
uint64_t *order_numbers(uint64_t *numbers, uint64_t *spare, size_t count);

#endif
