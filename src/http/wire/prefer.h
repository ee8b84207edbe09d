/* prefer.h - the header field Prefer (RFC 7240): the preferences that this service follows. */
#ifndef HTTP_WIRE_PREFER_H
#define HTTP_WIRE_PREFER_H

#include <stdbool.h>

/* Reads one field: sets *async for "respond-async", and *wait to the seconds of "wait=", unless *wait is set (not
 * negative) already: the first one counts. Malformed preferences are skipped. */
void prefer_read(const char *field, bool *async, int *wait);

#endif
