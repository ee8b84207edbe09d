/* refusal.c - replies to what is sound, but not for whoever asks, or not while they have so much under way. */
#include "http/service.h"

enum MHD_Result reply_too_many(struct request *request)
{
    request->quota = "searches";
    request->quota_most = request->searches;
    return reply_problem(request, PROBLEM_TOO_MANY,
                         "%u searches and streams are under way for this client, which may have no more at once.",
                         request->searches);
}

enum MHD_Result reply_too_many_jobs(struct request *request)
{
    request->quota = "jobs";
    request->quota_most = request->asker.jobs;
    return reply_problem(request, PROBLEM_TOO_MANY, "%u jobs of this key are not over; it may have no more at once.",
                         request->asker.jobs);
}

static void count(const struct request *request)
{
    atomic_fetch_add(&request->server->access_refused, 1);
}

enum MHD_Result reply_denied(struct request *request, const char *keyless, const char *keyed)
{
    const bool has_key = *request->asker.name;
    count(request);
    return reply_problem(request, has_key ? PROBLEM_FORBIDDEN : PROBLEM_KEY_NEEDED, "%s", has_key ? keyed : keyless);
}

enum MHD_Result reply_strange(struct request *request)
{
    count(request);
    return request->headers.keys > 1
               ? reply_problem(request, PROBLEM_BAD_REQUEST, "A request has one key, in Authorization or in X-API-Key.")
               : reply_problem(request, PROBLEM_KEY_UNKNOWN, "This key is not, or no longer, one that is known here.");
}
