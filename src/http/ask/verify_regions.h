/* verify_regions.h - the regions of a board that is read: a string, or lines, of letters, or lists of numbers. */
#ifndef HTTP_ASK_VERIFY_REGIONS_H
#define HTTP_ASK_VERIFY_REGIONS_H

#include "http/ask/verify_parts.h"

/* They begin, as text or as numbers; a letter, or the number of a square; the end of a row in a list. */
void verify_regions_begin(struct verify_body *body);
void verify_regions_letter(struct verify_body *body, unsigned char c);
void verify_regions_id(struct verify_body *body);
void verify_regions_row(struct verify_body *body, enum painted kind);

/* Takes what was read since they began for the regions of the board: in all places the same. */
void verify_regions_take(struct verify_body *body);

/* Regions as letters, of a text that goes on with a label and them, and moves the text behind it; without the label
 * nothing is read. */
void verify_regions_after(struct verify_body *body, const char **text, const char *label);

/* The text is complete: makes body->regions those of the body or of the parameter, which must be the same. False: they
 * are no board, or not of n rows; and it has failed. */
bool verify_regions_settle(struct verify_body *body);

#endif
