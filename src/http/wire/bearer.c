/* bearer.c - "Bearer" in either case, spaces, and the key up to trailing blanks. */
#include "http/wire/bearer.h"

#include <string.h>
#include <strings.h>

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\r';
}

bool bearer_read(const char *field, size_t size, const char **key, size_t *key_size)
{
    static const char scheme[] = "Bearer";
    const size_t length = sizeof scheme - 1;
    if (size < length || strncasecmp(field, scheme, length) != 0 || (size > length && field[length] != ' '))
        return false;
    for (field += length, size -= length; size && *field == ' '; size--)
        field++;
    while (size && is_blank(field[size - 1]))
        size--;
    *key = field;
    *key_size = size;
    return true;
}
