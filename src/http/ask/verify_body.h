/* verify_body.h - reads a board, as people write it and as this service does, that comes in pieces, without keeping the
 * text. It knows no requests. */
#ifndef HTTP_ASK_VERIFY_BODY_H
#define HTTP_ASK_VERIFY_BODY_H

#include "http/ask/verify_parts.h"

/* hold may be NULL: then up to 8 bytes a queen are allocated. wanted: the number of the solution to read, counted from
 * 0, or VERIFY_ONLY. */
void verify_body_begin(struct verify_body *body, enum verify_shape shape, uint32_t wanted, verify_hold hold, void *who);

/* Regions that are not in the body, or the same there, as text, which must stay until verify_body_end(); NULL: none.
 * apart: those of the body or the text need not be connected. */
void verify_body_paint(struct verify_body *body, const char *regions, bool apart);

/* Reads a piece. Once the status is not NQ_OK, pieces are ignored. */
void verify_body_add(struct verify_body *body, const char *piece, size_t size);

/* The text is complete. Returns body->status. For octets, verify_board() must have given n
 * and base before. */
enum nq_status verify_body_end(struct verify_body *body);

void verify_body_free(struct verify_body *body);

#endif
