/* bytes.c - a growing run of bytes; it knows nothing of what is written. */
#include "base/bytes.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *bytes_reserve(struct bytes *bytes, size_t more)
{
    if (bytes->failed)
        return NULL;
    if (!bytes->data || more > bytes->capacity - bytes->size) {
        size_t capacity = bytes->capacity < 256 ? 256 : bytes->capacity;
        while (more > capacity - bytes->size) {
            if (capacity > SIZE_MAX / 2)
                goto fail;
            capacity *= 2;
        }
        char *data = realloc(bytes->data, capacity);
        if (!data)
            goto fail;
        bytes->data = data;
        bytes->capacity = capacity;
    }
    return bytes->data + bytes->size;
fail:
    bytes->failed = true;
    return NULL;
}

void bytes_add(struct bytes *bytes, const void *data, size_t size)
{
    char *to = bytes_reserve(bytes, size);
    if (to && size) {
        memcpy(to, data, size);
        bytes->size += size;
    }
}

void bytes_text(struct bytes *bytes, const char *text)
{
    bytes_add(bytes, text, strlen(text));
}

void bytes_char(struct bytes *bytes, char c)
{
    bytes_add(bytes, &c, 1);
}

void bytes_number(struct bytes *bytes, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    bytes_add(bytes, digits + at, sizeof digits - at);
}

void bytes_duration(struct bytes *bytes, uint64_t nanoseconds, unsigned unit, unsigned places)
{
    uint64_t whole = 1, fraction;
    char digits[20];
    assert(places < sizeof digits && unit <= 19); /* 10^20 does not fit into 64 bits */
    for (unsigned i = 0; i < unit; i++)
        whole *= 10;
    fraction = nanoseconds % whole;
    bytes_number(bytes, nanoseconds / whole);
    digits[0] = '.';
    for (unsigned i = 1; i <= places && i < sizeof digits; i++) {
        whole /= 10;
        digits[i] = (char)('0' + (whole ? fraction / whole % 10 : 0));
    }
    bytes_add(bytes, digits, places + 1);
}

void bytes_format(struct bytes *bytes, const char *format, ...)
{
    enum { TYPICAL = 192 }; /* what most calls need: these are formatted once, longer ones twice */
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    char *to = bytes_reserve(bytes, TYPICAL);
    int size = to ? vsnprintf(to, TYPICAL, format, args) : 0;
    if (size >= TYPICAL && (to = bytes_reserve(bytes, (size_t)size + 1)))
        size = vsnprintf(to, (size_t)size + 1, format, again);
    if (size < 0)
        bytes->failed = true;
    else if (to)
        bytes->size += (size_t)size;
    va_end(again);
    va_end(args);
}

char *bytes_take(struct bytes *bytes)
{
    char *end = bytes_reserve(bytes, 1);
    if (!end) {
        bytes_free(bytes);
        return NULL;
    }
    *end = '\0';
    char *data = bytes->data;
    *bytes = (struct bytes){0};
    return data;
}

void bytes_free(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){0};
}
