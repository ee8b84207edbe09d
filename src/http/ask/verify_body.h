/* verify_body.h - reads a board, as people write it and as this service does, from the complete bytes of a body. Of a
 * request it knows the media type. */
#ifndef HTTP_ASK_VERIFY_BODY_H
#define HTTP_ASK_VERIFY_BODY_H

#include "http/ask/verify_parts.h"
#include "http/wire/headers.h"

/* Ends with a row without a media type. */
extern const struct verify_form verify_forms[];

/* The form that a media type names; NULL: none. */
const struct verify_form *verify_form_of(const struct headers *headers);

/* Reads a body. Nothing is asked of `data` or `asked` later. Returns body->status. */
enum nq_status verify_body_read(struct verify_body *body, const struct verify_form *form,
                                const struct verify_asked *asked, const char *data, size_t size);

/* Gives the placement back. */
void verify_body_free(struct verify_body *body);

#endif
