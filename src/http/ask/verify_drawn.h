/* verify_drawn.h - solutions as programs print them: drawn with any signs, in frames, as digits or names of squares. */
#ifndef HTTP_ASK_VERIFY_DRAWN_H
#define HTTP_ASK_VERIFY_DRAWN_H

#include "http/ask/verify_parts.h"

enum { DRAWN_EXAMPLES_MAX = 8 };

/* A reader, and texts that it reads, all of the solution 2 4 1 3. */
struct drawn_reader {
    const char *name;
    const char *examples[DRAWN_EXAMPLES_MAX];
    bool whole; /* it reads bodies, not strings in JSON */
};

/* The i-th of them, NULL after the last. */
const struct drawn_reader *verify_drawn_reader(size_t i);

/* Whether a body is a list, a tuple or a dictionary as Python prints it, and no JSON. */
bool verify_is_python(struct verify_body *body);

/* Reads a text that is not in the forms of format=text. False: it is, and nothing is read. */
bool verify_read_drawn(struct verify_body *body);

/* Reads a string of JSON, one solution, which has begun; where: its path. */
void verify_read_string(struct verify_body *body, const char *text, size_t size, const char *where);

#endif
