/* json.h - JSON: what strangers send is read with jansson; what this program writes it writes value by value. */
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

/* Reads the code and the numbers that json_fault() wrote; a code that this release does not know is none. */
void json_fault_read(const json_t *object, struct fault *fault);

/* ---- Writing value by value ---- */

/* Commas come where they belong. Nothing is kept between two calls: the last byte says whether a value stands before
 * the next one, so whatever else appends whole values can be called between. */

/* `name`: of the member that it becomes; it is not escaped. NULL: an element of an array, or the whole document. Builds
 * with CHECKS assert that the place allows that, as far as the last byte tells. */

void json_begin_object(struct bytes *out, const char *name);
void json_end_object(struct bytes *out);
void json_begin_array(struct bytes *out, const char *name);
void json_end_array(struct bytes *out);

/* `size` bytes without a NUL among them. Texts that are not UTF-8 fail the bytes: they would be no document. */
void json_write_part(struct bytes *out, const char *name, const char *text, size_t size);
/* NULL writes null; or nothing. */
void json_write_text(struct bytes *out, const char *name, const char *text);
void json_text_if(struct bytes *out, const char *name, const char *text);
void json_write_number(struct bytes *out, const char *name, uint64_t number);
/* So many significant digits, 17 at most, always with a fraction or an exponent: 1.0, 2.5, 1e20. It must be finite. */
void json_write_real(struct bytes *out, const char *name, double number, int digits);
void json_write_bool(struct bytes *out, const char *name, bool value);
void json_write_null(struct bytes *out, const char *name);
/* An array of words: word(0), word(1), ... up to the first NULL. */
void json_write_words(struct bytes *out, const char *name, const char *(*word)(size_t i));
/* What was read, in one line. NULL fails the bytes. flags: jansson's. */
void json_write_value(struct bytes *out, const char *name, const json_t *value, size_t flags);

/* The members of a fault: its code and its numbers, with so many significant digits; the sentence is the caller's. If
 * the fault has no code, nothing. */
void json_fault(struct bytes *out, const struct fault *fault, int digits);
/* The same as the member `failure`. */
void json_failure(struct bytes *out, const struct fault *fault, int digits);

/* Between them the caller appends the text itself, in which nothing needs to be escaped: a path, letters, a sentence.
 */
void json_begin_text(struct bytes *out, const char *name);
void json_end_text(struct bytes *out);

/* What stands before a value whose text the caller appends itself. */
void json_name(struct bytes *out, const char *name);

/* Ends the document with a line feed. Builds with CHECKS assert that the bytes from `start` on are one JSON value. */
void json_end_document(struct bytes *out, size_t start);

/* The same for people: every value on a line of its own, two spaces further in for each bracket around it. */
void json_end_indented(struct bytes *out, size_t start);

#endif
