/* route.c - the representations and methods of routes. */
#include "http/reply/route.h"

const char *route_media_type(const struct route *route, size_t i)
{
    if (route->media_types)
        return route->media_types[i];
    if (!route->formats)
        return i ? NULL : route->media_type;
    const char *name = route->formats(i);
    return name ? format_find(name)->media_type : NULL;
}

void route_allow(unsigned verbs, struct bytes *out)
{
    static const char *const methods[] = {
        [VERB_READ] = "GET, HEAD, ", [VERB_POST] = "POST, ", [VERB_DELETE] = "DELETE, "};
    for (size_t verb = 0; verb < sizeof methods / sizeof methods[0]; verb++)
        if (verbs & 1u << verb)
            bytes_text(out, methods[verb]);
    bytes_text(out, "OPTIONS");
}
