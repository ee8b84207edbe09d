/* routes.h - the table of endpoints. */
#ifndef HTTP_ROUTES_ROUTES_H
#define HTTP_ROUTES_ROUTES_H

#include "http/reply/route.h"

/* Ends with NULL. */
extern const struct route *const routes[];
size_t routes_count(void);
const char *routes_path(size_t i);

/* The routes of one path on one port. */
struct route_match {
    const struct route *any;       /* one of them, NULL: there is nothing */
    unsigned verbs;                /* of all of them, as bits: see route_allow() */
    char segment[SEGMENT_MAX + 1]; /* what the {name} stands for */
};

/* The route of a path on a port for a verb; NULL: there is none. */
const struct route *route_find(enum port port, const char *path, enum verb verb, struct route_match *match);

/* Appends the whole table as JSON: `nqueensd routes`, to be compared with openapi.yaml. */
void routes_write(struct bytes *out);

/* A whole target of the route that a path without one probably means, by any of its segments; NULL: none is like it. */
const char *routes_nearest(enum port port, const char *path);

#endif
