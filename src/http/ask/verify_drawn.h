/* verify_drawn.h - solutions as programs print them: drawn with any signs, in frames, as digits or names of squares. */
#ifndef HTTP_ASK_VERIFY_DRAWN_H
#define HTTP_ASK_VERIFY_DRAWN_H

#include "http/ask/verify_parts.h"

/* Whether a body is a list, a tuple or a dictionary as Python prints it, and no JSON. */
bool verify_is_python(struct verify_body *body);

/* Reads a text that is not in the forms of format=text. False: it is, and nothing is read. */
bool verify_read_drawn(struct verify_body *body);

/* Reads a string of JSON, one solution, which has begun; where: its path. */
void verify_read_string(struct verify_body *body, const char *text, size_t size, const char *where);

#endif
