/* bytes.h - a growing run of bytes. Failure sticks: check `failed` once, after the last write. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    char *data;
    size_t size;
    size_t capacity;
    bool failed; /* an allocation failed: what was written since is lost */
};

/* Makes room for `more` bytes after the end and returns where they begin; NULL once failed. The caller adds to size. */
char *bytes_reserve(struct bytes *bytes, size_t more);

void bytes_add(struct bytes *bytes, const void *data, size_t size);
void bytes_text(struct bytes *bytes, const char *text);
void bytes_char(struct bytes *bytes, char c);

/* Appends a number in decimal digits. */
void bytes_number(struct bytes *bytes, uint64_t number);

/* Appends a duration given in nanoseconds as decimal units, rounded down to `places` decimals of a unit of 10^unit ns:
 * with unit 9 and places 6, 1234567 is "0.001234". Ten times as fast as printf. */
void bytes_duration(struct bytes *bytes, uint64_t nanoseconds, unsigned unit, unsigned places);

/* printf for the places where speed does not matter. */
void bytes_format(struct bytes *bytes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ends the text with a NUL that size does not count, and hands the memory to the caller (free it); NULL when failed. */
char *bytes_take(struct bytes *bytes);

void bytes_free(struct bytes *bytes);

#endif
