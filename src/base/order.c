/* order.c - a radix sort by the first bits that differ, from the last of them to the first (H. H. Seward, 1954), and an
 * insertion sort for the few numbers that agree in all of these. */
#include "base/order.h"

#include <assert.h>
#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

/* Fewer numbers than this are inserted at once; fewer than that are sorted by two digits, not three. */
enum { FEW = 40, MANY = 512, MOST_DIGITS = 3 };

static void sort_digit(const uint64_t *from, uint64_t *to, size_t count, unsigned shift)
{
    uint32_t begin[DIGITS] = {0};
    for (size_t i = 0; i < count; i++)
        begin[from[i] >> shift & (DIGITS - 1)]++;
    for (uint32_t digit = 0, sum = 0; digit < DIGITS; digit++) {
        const uint32_t size = begin[digit];
        begin[digit] = sum;
        sum += size;
    }
    for (size_t i = 0; i < count; i++)
        to[begin[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

static void insert(uint64_t *numbers, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const uint64_t number = numbers[i];
        size_t at = i;
        for (; at > 0 && numbers[at - 1] > number; at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = number;
    }
}

/* The first digits, from the top, in which numbers differ at all. */
static unsigned choose_digits(const uint64_t *numbers, size_t count, unsigned *shifts)
{
    assert(count > 0);
    const unsigned most = count < MANY ? MOST_DIGITS - 1 : MOST_DIGITS;
    unsigned chosen = 0;
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++)
        differ |= numbers[i] ^ numbers[0];
    while (differ && chosen < most) {
        const unsigned top = 63 - (unsigned)__builtin_clzll(differ);
        const unsigned shift = top < DIGIT_BITS ? 0 : top - DIGIT_BITS + 1;
        shifts[chosen++] = shift;
        differ &= (UINT64_C(1) << shift) - 1;
    }
    return chosen;
}

uint64_t *order_numbers(uint64_t *numbers, uint64_t *spare, size_t count)
{
    unsigned shifts[MOST_DIGITS], digits = count < FEW ? 0 : choose_digits(numbers, count, shifts);
    while (digits) {
        uint64_t *sorted = spare;
        sort_digit(numbers, sorted, count, shifts[--digits]);
        spare = numbers;
        numbers = sorted;
    }
    insert(numbers, count);
    return numbers;
}
