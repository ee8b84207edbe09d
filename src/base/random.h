/* random.h - Philox4x32-10, a counter-based generator (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as
 * 1, 2, 3", 2011): any stream of any seed can be drawn on any thread, and is the same on every machine. Frozen: what a
 * seed gave once it gives for ever. It keeps no secrets. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

#include "base/wide.h"

struct random {
    uint32_t key[2], counter[4], words[4];
    unsigned left; /* of words */
};

/* Stream number `stream` of a seed. */
static inline struct random random_begin(uint64_t seed, uint64_t stream)
{
    return (struct random){.key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
                           .counter = {0, 0, (uint32_t)stream, (uint32_t)(stream >> 32)}};
}

static inline void random_block(struct random *random)
{
    uint32_t *x = random->words, k0 = random->key[0], k1 = random->key[1];
    for (int i = 0; i < 4; i++)
        x[i] = random->counter[i];
    for (int round = 0; round < 10; round++, k0 += UINT32_C(0x9e3779b9), k1 += UINT32_C(0xbb67ae85)) {
        const uint64_t a = (uint64_t)x[0] * UINT32_C(0xd2511f53), b = (uint64_t)x[2] * UINT32_C(0xcd9e8d57);
        x[0] = (uint32_t)(b >> 32) ^ x[1] ^ k0;
        x[1] = (uint32_t)b;
        x[2] = (uint32_t)(a >> 32) ^ x[3] ^ k1;
        x[3] = (uint32_t)a;
    }
    random->left = 4;
    if (++random->counter[0] == 0)
        random->counter[1]++;
}

static inline uint32_t random_word(struct random *random)
{
    if (!random->left)
        random_block(random);
    return random->words[4 - random->left--];
}

/* Uniform below a bound > 0 (Lemire 2019: multiply, and draw again where the parts would be unequal). */
static inline uint32_t random_below(struct random *random, uint32_t bound)
{
    uint64_t product = (uint64_t)random_word(random) * bound;
    if ((uint32_t)product < bound)
        while ((uint32_t)product < -bound % bound)
            product = (uint64_t)random_word(random) * bound;
    return (uint32_t)(product >> 32);
}

/* The same with 64 bits. */
static inline uint64_t random_below_wide(struct random *random, uint64_t bound)
{
    for (;;) {
        const uint64_t high = random_word(random), word = high << 32 | random_word(random);
        const nq_wide product = (nq_wide)word * bound;
        if ((uint64_t)product >= bound || (uint64_t)product >= -bound % bound)
            return (uint64_t)(product >> 64);
    }
}

#endif
