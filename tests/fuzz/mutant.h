/* mutant.h - inputs made of others by chance. It knows bytes, not what they mean. */
#ifndef FUZZ_MUTANT_H
#define FUZZ_MUTANT_H

#include <stddef.h>
#include <stdint.h>

enum { MUTANT_MAX = 4096, SEEDS_MAX = 1024 };

struct seeds {
    size_t count;
    struct seed {
        uint8_t *data;
        size_t size;
    } list[SEEDS_MAX];
};

struct mutant {
    size_t size;
    uint8_t data[MUTANT_MAX];
};

/* Makes the number-th mutant of a seed: the same wherever, and whatever was made before. There must be an input. */
void mutant_make(struct mutant *mutant, const struct seeds *seeds, uint64_t seed, uint64_t number);

#endif
