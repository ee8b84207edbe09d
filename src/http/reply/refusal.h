/* refusal.h - replies that refuse a request, and those that need no route; more of them are in route.h. */
#ifndef HTTP_REPLY_REFUSAL_H
#define HTTP_REPLY_REFUSAL_H

#include "http/reply/request.h"

/* Replies with a problem that has its numbers as members, too: a limit, or a quota. */
enum MHD_Result reply_limit(struct request *request, enum problem problem, const struct problem_facts *facts,
                            const char *detail, ...) __attribute__((format(printf, 4, 5)));

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
