/* bearer.h - the credentials in an Authorization field of the scheme Bearer (RFC 6750, 2.1). */
#ifndef HTTP_WIRE_BEARER_H
#define HTTP_WIRE_BEARER_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the key, which points into the field. False for every other scheme. */
bool bearer_read(const char *field, size_t size, const char **key, size_t *key_size);

#endif
