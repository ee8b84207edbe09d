/* verify_json.h - boards as JSON: one byte, and whether the text is complete. */
#ifndef HTTP_ASK_VERIFY_JSON_H
#define HTTP_ASK_VERIFY_JSON_H

#include "http/ask/verify_parts.h"

/* One byte of JSON or of its lines, and whether the text is complete. */
void verify_json_byte(struct verify_body *body, unsigned char c);
bool verify_json_whole(struct verify_body *body);

#endif
