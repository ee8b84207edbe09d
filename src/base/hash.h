/* hash.h - FNV-1a, 64 bits: keys, entity tags and cursor digests. Not for secrets. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The terminating NUL is hashed too, so that "ab","c" and "a","bc" differ. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_bytes(hash, text, strlen(text) + 1);
}

/* Sixteen hexadecimal digits and a NUL. */
static inline void hash_hex(uint64_t hash, char text[static 17])
{
    for (int i = 0; i < 16; i++)
        text[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
    text[16] = '\0';
}

/* Mixes the bits of a number: C. Wellons, Prospecting for Hash Functions, 2018: lowbias32. */
static inline uint32_t hash_mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352d;
    x ^= x >> 15;
    x *= 0x846ca68b;
    return x ^ x >> 16;
}

#endif
