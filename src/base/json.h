/* json.h - small JSON documents, built with jansson, as bytes. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>

#include "base/bytes.h"

/* Appends a document, which it takes over, and a line feed. NULL, which is what building one without memory comes to,
 * fails the bytes. flags: jansson's, JSON_COMPACT or JSON_INDENT(n). */
void bytes_json(struct bytes *out, json_t *json, size_t flags);

#endif
