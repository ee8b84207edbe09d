/* cors.h - pages of which other origins may read replies: a list, and the header fields by which browsers learn of it.
 * Without a list a page reads what comes from its own origin only. */
#ifndef HTTP_CORS_H
#define HTTP_CORS_H

#include <microhttpd.h>
#include <stdbool.h>

struct request;

/* Whether a text is "", "*", or "https://a.example,http://b.example:8080": origins as browsers write them. */
bool cors_sound(const char *origins);

/* Whether a list has an origin, to the letter. */
bool cors_has(const char *origins, const char *origin);

/* Lets the page that asks read a reply, if it is of an origin that is listed. */
void cors_allow(struct request *request, struct MHD_Response *response);

/* To OPTIONS: what such a page may ask with, if that is what is asked. methods: as in Allow. */
void cors_preflight(struct request *request, struct MHD_Response *response, const char *methods);

/* Whether replies differ by the origin of the page that asks. */
bool cors_varies(const struct request *request);

#endif
