/* answer.h - replies with an answer, or that the client has it already. */
#ifndef HTTP_REPLY_ANSWER_H
#define HTTP_REPLY_ANSWER_H

#include "http/reply/request.h"

/* The length of an answer's body if it is known before the body is made; or MHD_SIZE_UNKNOWN. */
uint64_t answer_size(const struct question *question);

/* A response of an answer, whose reference it takes over. NULL: out of memory. */
struct MHD_Response *answer_response(struct request *request, struct answer *answer);

/* Sends an answer, or its gzip copy if that is not NULL; takes over both references. Replies 503 if slow readers hold
 * too much memory. */
enum MHD_Result answer_send(struct request *request, struct answer *answer, struct answer *copy);

/* Whether a body of this type may be sent as gzip and the client prefers that. The reply then depends on
 * Accept-Encoding. */
bool answer_gzip_wanted(struct request *request, const char *media_type);

/* The response has a gzip copy, and its tag. */
void answer_as_gzip(struct request *request, struct MHD_Response *response);

/* Whether If-None-Match has the tag, weakly compared, or "*", which stands for any body that is `at_hand`. gzip: or the
 * tag of the gzip copy, which then becomes that of the reply. */
bool answer_not_modified(struct request *request, bool at_hand, bool gzip);

/* Sends 304 with a response (taken over) that has the length of the body, which libmicrohttpd sends without the body.
 */
enum MHD_Result answer_send_not_modified(struct request *request, struct MHD_Response *response);

#endif
