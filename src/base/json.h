/* json.h - small JSON documents, built with jansson, as bytes. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>

#include <nqueens.h>

#include "base/bytes.h"

/* Has jansson tell when it finds no memory, which json_read heeds. Once, before it is used on other threads. */
void json_begin(void);

/* Reads a document: NQ_OK, NQ_INVALID with what is wrong in *error, or NQ_NOMEM. Not so jansson, which without memory
 * calls a document wrong, or leaves out a character here and there. */
enum nq_status json_read(const char *text, size_t size, size_t flags, json_t **json, json_error_t *error);

/* Put a value, which they take over, into a document. One that finds no memory, or is NULL for the same reason, takes
 * the whole document with it, which is NULL then. */
void json_member(json_t **object, const char *name, json_t *value);
void json_element(json_t **array, json_t *value);

/* The same with a text; with none when it is NULL. Not so jansson's "s*", which takes a text without memory for none.
 */
void json_text(json_t **object, const char *name, const char *text);

/* Appends a document, which it takes over, and a line feed. NULL, which is what building one without memory comes to,
 * fails the bytes. flags: jansson's, JSON_COMPACT or JSON_INDENT(n). */
void bytes_json(struct bytes *out, json_t *json, size_t flags);

#endif
