/* compressed.h - replies with an answer, or with its gzip copy if the client prefers that. */
#ifndef HTTP_REPLY_COMPRESSED_H
#define HTTP_REPLY_COMPRESSED_H

#include "http/reply/answer.h"

/* Bodies below this are sent as they are: they and their headers fit into one packet. */
enum { GZIP_LEAST = 1000 };

/* A response with the gzip copy of an answer, for a 304: with its length, if the copy is in the cache. NULL: out of
 * memory. */
struct MHD_Response *compressed_response(struct request *request, struct answer *answer);

#endif
