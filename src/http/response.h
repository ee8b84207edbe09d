/* response.h - what reply.c and reply_job.c make their replies of. */
#ifndef HTTP_RESPONSE_H
#define HTTP_RESPONSE_H

#include "http/request.h"

/* A response without a body; with bytes (taken over); or without a body whose length nobody knows yet. NULL: out of
 * memory. */
struct MHD_Response *response_empty(void);
struct MHD_Response *response_of_bytes(struct request *request, struct bytes *body);
struct MHD_Response *response_bare(void);

/* The headers of a body of a length that is known, for a HEAD. */
struct MHD_Response *response_sized(uint64_t size);

/* Adds a header. One that finds no memory spoils the reply: see response_send. Nothing is added to NULL. */
void response_header(struct request *request, struct MHD_Response *response, const char *name, const char *value);

/* The same with a text that was put together for it (taken over). */
void response_header_of(struct request *request, struct MHD_Response *response, const char *name, struct bytes *text);

/* The headers of what may be kept, or of what must not. */
void response_cacheable(struct request *request, struct MHD_Response *response, bool keep);

/* The methods that go with a request's path; with no path, those of "*", which are all there are. */
void response_allow(struct request *request, struct MHD_Response *response);

/* Queues a response, which it takes over, with the headers that all have. Where memory was out for it (NULL) or for any
 * header of it, the reply says that instead. */
enum MHD_Result response_send(struct request *request, unsigned status, struct MHD_Response *response);

/* Replies that memory is out, without taking any. */
enum MHD_Result response_no_memory(struct request *request);

/* What such a reply is, made when there is some: the same for all requests, so it has no X-Request-Id. NULL: there is
 * none. */
struct MHD_Response *response_last_words(void);

/* For every reader of a body: what it is about to return, which may end the connection. */
ssize_t response_read(const struct request *request, ssize_t got);

/* Resumes a suspended request: what the engine's parties wake it with. */
void response_wake(void *request);

/* Sends an answer, whose reference it takes over; or refuses, when slow readers hold too much already. */
enum MHD_Result response_answer(struct request *request, struct answer *answer);

#endif
