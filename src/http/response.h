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

void response_header(struct MHD_Response *response, const char *name, const char *value);

/* The headers of what may be kept, or of what must not. */
void response_cacheable(const struct request *request, struct MHD_Response *response, bool keep);

/* The methods that go with a request's path; with no path, those of "*", which are all there are. */
void response_allow(const struct request *request, struct MHD_Response *response);

/* Queues a response, which it takes over, with the headers that all have. NULL: out of memory, the connection ends. */
enum MHD_Result response_send(struct request *request, unsigned status, struct MHD_Response *response);

/* Resumes a suspended request: what the engine's parties wake it with. */
void response_wake(void *request);

/* Sends an answer, whose reference it takes over; or refuses, when slow readers hold too much already. */
enum MHD_Result response_answer(struct request *request, struct answer *answer);

#endif
