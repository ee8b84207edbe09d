/* verify_text.h - boards as text: one byte, and whether the text is complete. */
#ifndef HTTP_ASK_VERIFY_TEXT_H
#define HTTP_ASK_VERIFY_TEXT_H

#include "http/ask/verify_parts.h"

void verify_text_byte(struct verify_body *body, unsigned char c);
bool verify_text_whole(struct verify_body *body);

#endif
