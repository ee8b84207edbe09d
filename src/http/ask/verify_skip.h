/* verify_skip.h - values in JSON that say nothing of a board. */
#ifndef HTTP_ASK_VERIFY_SKIP_H
#define HTTP_ASK_VERIFY_SKIP_H

#include "http/ask/verify_parts.h"

/* A byte of a value in JSON that says nothing. True: the value ends with it. A number or a word ends before a comma or
 * a bracket, which must not come here. */
bool verify_skip(struct verify_body *body, unsigned char c);

#endif
