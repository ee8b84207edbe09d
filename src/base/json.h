/* json.h - JSON: read with jansson, and written as bytes, value by value; small documents are also built with jansson.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>
#include <stdatomic.h>

#include <nqueens.h>

#include "base/bytes.h"
#include "base/refusals.h"

/* Lets json_read() notice that jansson found no memory. Call it once, before other threads use jansson. */
void json_begin(void);

/* Reads a document: NQ_OK, NQ_INVALID with the reason in *error, or NQ_NOMEM. (Without memory, jansson itself rejects
 * the document or loses characters of it.) */
enum nq_status json_read(const char *text, size_t size, size_t flags, json_t **json, json_error_t *error);

/* What reading may take: for documents of strangers, whose values need up to eighty times the bytes of their text. One
 * budget serves one document after the other, each of which is freed before the next is read. */
struct json_budget {
    const atomic_bool *stop;               /* looked at every kilobyte: the thread may be set aside there; NULL: none */
    bool (*hold)(void *who, size_t bytes); /* whether so many more bytes may be allocated; NULL: as many as there are */
    void *who;
    size_t held; /* bytes that hold() has granted so far, which the caller gives back */
};

/* Beside the flags of jansson: the document is in Python's notation, with lists in ( ), strings in ' ', True, False and
 * None, and perhaps a comma behind the last element. Faults are at the same bytes. */
#define JSON_PYTHON ((size_t)1 << 31)

/* The same within a budget. NQ_BUSY: hold() refused; NQ_CANCELLED: stopped. What is counted is about what malloc takes
 * for the document, never less than the document itself has in the end. */
enum nq_status json_read_within(const char *text, size_t size, size_t flags, struct json_budget *budget, json_t **json,
                                json_error_t *error);

/* Frees it as json_decref() does; the thread may be set aside meanwhile. */
void json_free_within(json_t *json, struct json_budget *budget);

/* Reads a member that is a whole number from 0 to `most`; 0 if it is missing. False: it is something else. */
bool json_whole(const json_t *object, const char *name, uint64_t most, uint64_t *number);

/* Put a value, which they own from then on, into a document. When memory is out, or the value is NULL for that reason,
 * they free the document and set it to NULL. */
void json_member(json_t **object, const char *name, json_t *value);
void json_element(json_t **array, json_t *value);

/* The same with a text; NULL adds nothing. (jansson's "s*" adds nothing when memory is out, too.) */
void json_text(json_t **object, const char *name, const char *text);

/* Adds the code and the numbers of a fault; the sentence is the caller's. If the fault has no code, adds nothing. */
void json_fault(json_t **object, const struct fault *fault);

/* The same as an object that is put into another one. */
void json_failure(json_t **object, const char *name, const struct fault *fault);

/* Reads them; a code that this release does not know is none. */
void json_fault_read(const json_t *object, struct fault *fault);

/* Appends a document, which it frees, and a line feed. NULL, a document for which memory was out, fails the bytes.
 * flags: jansson's, JSON_COMPACT or JSON_INDENT(n). */
void bytes_json(struct bytes *out, json_t *json, size_t flags);

/* ---- Writing value by value ---- */

/* Commas come where they belong. Nothing is kept between two calls: the last byte says whether a value stands before
 * the next one, so whatever else appends whole values can be called between. */

/* `name`: of the member that it becomes; it is not escaped. NULL: an element of an array, or the whole document. Builds
 * with CHECKS assert that the place allows that, as far as the last byte tells. */

void json_begin_object(struct bytes *out, const char *name);
void json_end_object(struct bytes *out);
void json_begin_array(struct bytes *out, const char *name);
void json_end_array(struct bytes *out);

/* NULL writes null; or nothing. */
void json_write_text(struct bytes *out, const char *name, const char *text);
void json_text_if(struct bytes *out, const char *name, const char *text);
void json_write_number(struct bytes *out, const char *name, uint64_t number);
/* So many significant digits, 17 at most, always with a fraction or an exponent: 1.0, 2.5, 1e20. It must be finite. */
void json_write_real(struct bytes *out, const char *name, double number, int digits);
void json_write_bool(struct bytes *out, const char *name, bool value);
void json_write_null(struct bytes *out, const char *name);

/* Between them the caller appends the text itself, in which nothing needs to be escaped: a path, letters, a sentence.
 */
void json_begin_text(struct bytes *out, const char *name);
void json_end_text(struct bytes *out);

/* What stands before a value whose text the caller appends itself. */
void json_name(struct bytes *out, const char *name);

/* Ends the document with a line feed. Builds with CHECKS assert that the bytes from `start` on are one JSON value. */
void json_end_document(struct bytes *out, size_t start);

#endif
