/* fuzz.h - what every fuzz target is made of: one function on bytes, and a check that stays in release builds. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libFuzzer's entry; the replay calls it too. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition) \
    do { \
        if (!(condition)) { \
            (void)fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            abort(); \
        } \
    } while (0)

/* A copy of exactly its size, so that a sanitizer reports any byte read beyond it. The caller frees. */
static inline void *fuzz_bytes(const void *data, size_t size)
{
    void *copy = malloc(size ? size : 1);
    REQUIRE(copy);
    if (size)
        memcpy(copy, data, size);
    return copy;
}

/* The same with a NUL at its end. */
static inline char *fuzz_text(const void *data, size_t size)
{
    char *copy = malloc(size + 1);
    REQUIRE(copy);
    if (size)
        memcpy(copy, data, size);
    copy[size] = '\0';
    return copy;
}

#endif
