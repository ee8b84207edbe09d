/* response.h - what all replies are made of. */
#ifndef HTTP_REPLY_RESPONSE_H
#define HTTP_REPLY_RESPONSE_H

#include <stdbool.h>

#include "http/reply/request.h"

/* ---- Origins of pages ---- */

/* Origins of pages that may read replies (https://fetch.spec.whatwg.org, 3.2): "", "*", or a list as
 * "https://a.example,http://b.example:8080". Pages of every origin may read what depends on the request alone. Jobs and
 * keys are for listed origins. */

/* Whether a text is such a list, of origins as browsers write them. */
bool cors_sound(const char *origins);

/* Whether a text names the pages that may embed those of the explorer: *, none, or a list of origins and self. The
 * words may have the quotes of a Content-Security-Policy, which shells take off. */
bool ancestors_sound(const char *text);

/* Appends the same as the directive frame-ancestors of such a policy. */
void ancestors_write(struct bytes *out, const char *text);

/* ---- Response ---- */

/* A response without a body; with bytes (taken over); for a HEAD, whose body has this length, or MHD_SIZE_UNKNOWN.
 * NULL: out of memory. */
struct MHD_Response *response_empty(void);
struct MHD_Response *response_of_bytes(struct request *request, struct bytes *body);
struct MHD_Response *response_bare(uint64_t size);

/* Adds a header field. response NULL, or no memory: response_send() will reply that memory is out. */
void response_header(struct request *request, struct MHD_Response *response, const char *name, const char *value);

/* The same with a text that is taken over. */
void response_header_of(struct request *request, struct MHD_Response *response, const char *name, struct bytes *text);

/* Cache-Control and ETag of what may be kept, or of what must not. */
void response_cacheable(struct request *request, struct MHD_Response *response, bool keep);

/* Queues a response (taken over) with the header fields that all have. If memory was out for it (NULL) or for any
 * field, the reply is 503 instead. If request->reply.past, sends it at once past libmicrohttpd, and shuts the
 * sending side. MHD_NO: the client does not get it. */
enum MHD_Result response_send(struct request *request, unsigned status, struct MHD_Response *response);

/* libmicrohttpd had no room for the head of the reply, and is about to close the connection, on which it has sent
 * nothing of that reply: sends 431 past it. */
void response_without_room(struct request *request);

/* Every reader of a body returns its result through this: see response.c. */
ssize_t response_read(const struct request *request, ssize_t got);

/* ---- Refusals ---- */

/* Replies that refuse a request, and those that need no route; more of them are in route.h. */

/* Replies that its client has as many searches under way as it may, or its key as many jobs. */
enum MHD_Result reply_too_many(struct request *request);
enum MHD_Result reply_too_many_jobs(struct request *request);

/* Replies that a question has no answer, and why. denied: 401 without a key, 403 with one. */
enum MHD_Result reply_fault(struct request *request, enum problem problem, const struct fault *fault);
enum MHD_Result reply_denied_fault(struct request *request, const struct fault *fault);

/* Replies to a request whose key is unknown, or that has two. */
enum MHD_Result reply_strange(struct request *request);

/* Replies 204 and 405, both with Allow, by request->verbs. */
enum MHD_Result reply_options(struct request *request);
enum MHD_Result reply_method_not_allowed(struct request *request);

#endif
