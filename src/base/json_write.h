/* json_write.h - JSON as bytes, value by value, with commas where they belong. It keeps no state: the last byte says
 * whether a value stands before the next one, so whatever else appends whole values can be called between. */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include "base/bytes.h"

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
