/* cors.h - origins of pages that may read replies (https://fetch.spec.whatwg.org, 3.2): "", "*", or a list as
 * "https://a.example,http://b.example:8080". Pages of every origin may read what depends on the request alone. Jobs and
 * keys are for listed origins. */
#ifndef HTTP_REPLY_CORS_H
#define HTTP_REPLY_CORS_H

#include <stdbool.h>

/* Whether a text is such a list, of origins as browsers write them. */
bool cors_sound(const char *origins);

/* The value of Access-Control-Allow-Origin for a page of an origin, NULL: none, as for `origin` NULL or not listed. */
const char *cors_allowed(const char *origins, const char *origin);

/* Whether replies differ by the origin of the page that asks. */
bool cors_varies(const char *origins);

#endif
