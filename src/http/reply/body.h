/* body.h - collects the bytes of a request's body, and has them read on a thread of the pool: the thread that serves
 * everybody only moves them. */
#ifndef HTTP_REPLY_BODY_H
#define HTTP_REPLY_BODY_H

#include "http/reply/request.h"

/* The head is there. route: where a POST goes; NULL: nowhere. */
void body_begin(struct request *request, const struct route *route);

/* Keeps a piece, if there is room; request->body.size may exceed body.most, then nothing is kept. */
void body_add(struct request *request, const char *piece, size_t size);

/* Hands the bytes to the caller, who frees them and gives back what is counted for them by service_release(): *held. */
char *body_take(struct request *request, size_t *size, size_t *held);

/* Carries a chore out for the request: order has the functions and the state. Calls `then` once
 * that is done; any other outcome is the reply. The state is freed with the request, or before that. Until `then` the
 * chore may outlive the request, so it must not touch it. Once a request. */
enum MHD_Result reply_chore(struct request *request, const struct chore_order *order,
                            enum MHD_Result (*then)(struct request *request));

#endif
