/* divisor.h - the greatest common divisor. */
#ifndef RULES_DIVISOR_H
#define RULES_DIVISOR_H

#include <stdint.h>

/* By Euclid; common_divisor(a, 0) is a. */
static inline uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
