/* mutant.c - changes an input here and there: bits, bytes, pieces of itself and of others, numbers. */
#include "mutant.h"

#include <string.h>

#include "base/random.h"

enum { CHANGES_MAX = 6, PIECE_MAX = 64 };

/* Replaces some bytes at a place by a piece, as far as there is room. */
static void replace(struct mutant *mutant, size_t at, size_t erased, const void *piece, size_t size)
{
    if (mutant->size - erased + size > MUTANT_MAX)
        return;
    memmove(mutant->data + at + size, mutant->data + at + erased, mutant->size - at - erased);
    if (size)
        memcpy(mutant->data + at, piece, size);
    mutant->size += size - erased;
}

/* The length of a piece that begins at a place. */
static size_t piece(struct random *random, size_t size, size_t at)
{
    const size_t most = size - at < PIECE_MAX ? size - at : PIECE_MAX;
    return random_below(random, (uint32_t)most + 1);
}

/* Copies a piece of an input to a random place, over other bytes or between them. */
static void splice(struct mutant *mutant, struct random *random, const uint8_t *from, size_t size)
{
    uint8_t copy[PIECE_MAX]; /* it may be the mutant itself */
    const size_t start = random_below(random, (uint32_t)size + 1), length = piece(random, size, start);
    const size_t at = random_below(random, (uint32_t)mutant->size + 1), room = mutant->size - at;
    if (length)
        memcpy(copy, from + start, length);
    replace(mutant, at, random_below(random, 2) ? (length < room ? length : room) : 0, copy, length);
}

/* Writes a number in place of another one, or anywhere. */
static void set_number(struct mutant *mutant, struct random *random)
{
    static const char *const numbers[] = {"0",
                                          "1",
                                          "3",
                                          "8",
                                          "16",
                                          "27",
                                          "32",
                                          "40",
                                          "64",
                                          "255",
                                          "-1",
                                          "65536",
                                          "2147483648",
                                          "4294967295",
                                          "1e9",
                                          "8.0",
                                          "007",
                                          "99",
                                          "1000000000",
                                          "9007199254740993",
                                          "9223372036854775808"};
    const char *number = numbers[random_below(random, sizeof numbers / sizeof numbers[0])];
    size_t at = random_below(random, (uint32_t)mutant->size + 1), digits = 0;
    while (at < mutant->size && (mutant->data[at] < '0' || mutant->data[at] > '9'))
        at++;
    while (at + digits < mutant->size && mutant->data[at + digits] >= '0' && mutant->data[at + digits] <= '9')
        digits++;
    replace(mutant, at, digits, number, strlen(number));
}

static void change(struct mutant *mutant, struct random *random, const struct seed *other)
{
    const size_t at = random_below(random, (uint32_t)mutant->size + 1);
    const uint8_t byte = (uint8_t)random_below(random, 256);
    switch (random_below(random, 8)) {
    case 0:
        if (at < mutant->size)
            mutant->data[at] ^= (uint8_t)(1 << byte % 8);
        break;
    case 1:
        if (at < mutant->size)
            mutant->data[at] = byte;
        break;
    case 2: replace(mutant, at, 0, &byte, 1); break;
    case 3: replace(mutant, at, piece(random, mutant->size, at), NULL, 0); break;
    case 4: splice(mutant, random, mutant->data, mutant->size); break;
    case 5: mutant->size = byte ? mutant->size : at; break;
    case 6: set_number(mutant, random); break;
    default: splice(mutant, random, other->data, other->size);
    }
}

void mutant_make(struct mutant *mutant, const struct seeds *seeds, uint64_t seed, uint64_t number)
{
    struct random random = random_begin(seed, number);
    const struct seed *from = &seeds->list[random_below(&random, (uint32_t)seeds->count)];
    mutant->size = from->size;
    if (from->size)
        memcpy(mutant->data, from->data, from->size);
    for (uint32_t left = 1 + random_below(&random, CHANGES_MAX); left; left--)
        change(mutant, &random, &seeds->list[random_below(&random, (uint32_t)seeds->count)]);
}
