/* upload.h - a board that comes as the body of a request: its media type and coding, and its reading on a thread of the
 * pool. It does not know what is asked about the board. */
#ifndef HTTP_REPLY_UPLOAD_H
#define HTTP_REPLY_UPLOAD_H

#include "http/ask/verify_body.h"
#include "http/reply/route.h"

/* Has the body read, with what the values of the route say beside it, then calls `then`, without an answer; or refuses
 * it. The board becomes values of these parameters. Once a request. */
enum MHD_Result reply_upload(struct request *request, const struct value *values, request_then then);

/* Of a body that was read: whether it is no board; then that is the reply. */
bool upload_refused(struct request *request, enum MHD_Result *result);

/* The board; and what it says in the words of the route's parameters, but for the queens and crosses of a route that
 * does not read. NULL: none was read. */
struct verify_body *upload_body(struct request *request);
const struct params *upload_said(struct request *request);

#endif
