/* wide.h - whole numbers of 128 bits: totals that outgrow 64, and their decimal digits. */
#ifndef BASE_WIDE_H
#define BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"

__extension__ typedef unsigned __int128 nq_wide;

enum { WIDE_TEXT_MAX = 40 };

/* Writes decimal digits and a NUL to text, and returns where they begin in it. */
static inline const char *wide_text(nq_wide number, char text[static WIDE_TEXT_MAX])
{
    char *at = text + WIDE_TEXT_MAX - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + (int)(number % 10));
        number /= 10;
    } while (number);
    return at;
}

/* Reads decimal digits up to `end`; false if there are none, other characters, or too many. */
static inline bool wide_read(const char *text, const char *end, nq_wide *number)
{
    *number = 0;
    if (text == end || end - text >= WIDE_TEXT_MAX)
        return false;
    for (; text < end; text++) {
        const nq_wide digit = (nq_wide)(*text - '0');
        if (*text < '0' || *text > '9' || *number > (~(nq_wide)0 - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return true;
}

/* A row of so many numbers, with a space between two of them: appends it; reads one up to `end`, of which there is at
 * least one. False: there are others. */
static inline void wide_write_row(struct bytes *out, const nq_wide *numbers, size_t count)
{
    char text[WIDE_TEXT_MAX];
    for (size_t i = 0; i < count; i++) {
        if (i)
            bytes_char(out, ' ');
        bytes_text(out, wide_text(numbers[i], text));
    }
}

static inline bool wide_read_row(const char *at, const char *end, nq_wide *numbers, size_t count)
{
    bool sound = count > 0;
    for (size_t i = 0; i < count && sound; i++) {
        const char *space = i + 1 < count ? memchr(at, ' ', (size_t)(end - at)) : end;
        sound = space && wide_read(at, space, &numbers[i]);
        at = sound && space < end ? space + 1 : end;
    }
    return sound;
}

#endif
