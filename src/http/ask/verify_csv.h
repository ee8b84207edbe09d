/* verify_csv.h - boards as CSV: one byte, and whether the text is complete. */
#ifndef HTTP_ASK_VERIFY_CSV_H
#define HTTP_ASK_VERIFY_CSV_H

#include "http/ask/verify_parts.h"

void verify_csv_byte(struct verify_body *body, unsigned char c);
bool verify_csv_whole(struct verify_body *body);

#endif
