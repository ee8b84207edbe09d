/* prefer.h - the header field Prefer (RFC 7240), as far as anything here heeds it. */
#ifndef HTTP_PREFER_H
#define HTTP_PREFER_H

#include <stdbool.h>

/* Reads one field: sets *async for "respond-async", and *wait for "wait=" a number of seconds, unless it is set (not
 * negative) already: the first one counts. What is not well-formed is passed over. */
void prefer_read(const char *field, bool *async, int *wait);

#endif
