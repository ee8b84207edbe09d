/* cors.c - reads lists of origins. */
#include "http/reply/cors.h"

#include <ctype.h>
#include <string.h>

/* One origin: scheme://host or scheme://host:port, in lower case and without a path. */
static bool is_origin(const char *text, size_t size)
{
    static const char *const schemes[] = {"https://", "http://"};
    size_t scheme = 0;
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0] && !scheme; i++)
        if (size > strlen(schemes[i]) && strncmp(text, schemes[i], strlen(schemes[i])) == 0)
            scheme = strlen(schemes[i]);
    for (size_t i = scheme; i < size; i++)
        if (!islower((unsigned char)text[i]) && !isdigit((unsigned char)text[i]) && !strchr("-.:[]", text[i]))
            return false;
    return scheme > 0;
}

bool cors_sound(const char *origins)
{
    if (*origins == '\0' || strcmp(origins, "*") == 0)
        return true;
    for (;;) {
        const size_t size = strcspn(origins, ",");
        if (!is_origin(origins, size))
            return false;
        if (!origins[size])
            return true;
        origins += size + 1;
    }
}

const char *cors_allowed(const char *origins, const char *origin)
{
    if (!origin)
        return NULL;
    if (strcmp(origins, "*") == 0)
        return origins;
    for (; *origins; origins += strspn(origins, ",")) {
        const size_t size = strcspn(origins, ",");
        if (strlen(origin) == size && strncmp(origins, origin, size) == 0)
            return origin;
        origins += size;
    }
    return NULL;
}

bool cors_varies(const char *origins)
{
    return *origins && strcmp(origins, "*") != 0;
}
