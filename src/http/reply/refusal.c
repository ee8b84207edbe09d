/* refusal.c - problems as replies, and the methods that a path allows. */
#include "http/reply/refusal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "engine/ask/rows.h"
#include "http/reply/response.h"

/* The quota of one client, and that none is left (draft-ietf-httpapi-ratelimit). */
static void add_rate(struct request *request, struct MHD_Response *response, const struct problem_facts *facts)
{
    char text[48];
    (void)snprintf(text, sizeof text, "\"%s\";q=%" PRIu64, facts->quota, facts->maximum);
    response_header(request, response, "RateLimit-Policy", text);
    (void)snprintf(text, sizeof text, "\"%s\";r=0;t=1", facts->quota);
    response_header(request, response, "RateLimit", text);
}

static enum MHD_Result send_problem(struct request *request, enum problem problem, const char *detail,
                                    const struct problem_facts *facts)
{
    const struct problem_row *row = problem_row(problem);
    struct bytes body = {0};
    problem_write(&body, problem, detail, facts);
    struct MHD_Response *response = response_of_bytes(request, &body);
    response_header(request, response, "Content-Type", "application/problem+json");
    response_cacheable(request, response, false);
    if (row->retry_after)
        response_header(request, response, "Retry-After", row->retry_after);
    if (row->challenge)
        response_header(request, response, "WWW-Authenticate", row->challenge);
    if (facts && facts->quota)
        add_rate(request, response, facts);
    if (problem == PROBLEM_METHOD_NOT_ALLOWED)
        response_allow(request, response);
    request->reply.close |= row->close;
    return response_send(request, row->status, response);
}

enum MHD_Result reply_problem(struct request *request, enum problem problem, const char *detail, ...)
{
    char text[256];
    va_list args;
    va_start(args, detail);
    (void)vsnprintf(text, sizeof text, detail, args);
    va_end(args);
    return send_problem(request, problem, text, NULL);
}

enum MHD_Result reply_limit(struct request *request, enum problem problem, const struct problem_facts *facts,
                            const char *detail, ...)
{
    char text[256];
    va_list args;
    va_start(args, detail);
    (void)vsnprintf(text, sizeof text, detail, args);
    va_end(args);
    return send_problem(request, problem, text, facts);
}

enum MHD_Result reply_fault(struct request *request, enum problem problem, const struct fault *fault)
{
    return send_problem(request, problem, fault->text, &(struct problem_facts){.fault = fault});
}

enum MHD_Result reply_no_solution(struct request *request, uint32_t n, const struct rule *rule)
{
    struct fault fault;
    fault_no_solution(&fault, n, rule);
    return reply_fault(request, PROBLEM_NO_SOLUTION, &fault);
}

enum MHD_Result reply_no_such_job(struct request *request)
{
    return reply_problem(request, PROBLEM_NOT_FOUND, "There is no such job. A finished job can be read for a week.");
}

enum MHD_Result reply_validation_errors(struct request *request, const struct validation_errors *errors)
{
    struct bytes detail = {0};
    for (size_t i = 0; i < errors->count; i++)
        bytes_format(&detail, "%s%s %s", i ? "; " : "", errors->list[i].parameter, errors->list[i].reason);
    bytes_char(&detail, '.');
    bytes_char(&detail, '\0');
    enum problem problem = errors->invalid ? PROBLEM_INVALID_PARAMETER : PROBLEM_BEYOND_LIMIT;
    enum MHD_Result result =
        detail.failed ? response_no_memory(request)
                      : send_problem(request, problem, detail.data, &(struct problem_facts){.errors = errors});
    bytes_free(&detail);
    return result;
}

enum MHD_Result reply_status(struct request *request, enum nq_status status)
{
    static const char *const details[] = {
        [NQ_LIMIT] = "The request goes beyond a limit of this service.",
        [NQ_NONE] = "No such placement exists.",
        [NQ_NOMEM] = "There is no memory for this request now. Try again later.",
        [NQ_BUSY] = "Too many searches, streams or jobs are under way. Try again soon.",
        [NQ_TIMEOUT] = "The search took longer than a client may wait. Try again later.",
        [NQ_CANCELLED] = "The connection was closed while the answer was being searched for.",
        [NQ_DENIED] = "This request is not allowed.",
        [NQ_CLOSED] = "The service is shutting down. Try again soon.",
    };
    const char *detail = status < sizeof details / sizeof details[0] ? details[status] : NULL;
    return send_problem(request, problem_of(status), detail ? detail : nq_status_text(status), NULL);
}

enum MHD_Result reply_method_not_allowed(struct request *request)
{
    return send_problem(request, PROBLEM_METHOD_NOT_ALLOWED,
                        "This path does not accept this method. Use one of those in the Allow header.", NULL);
}

enum MHD_Result reply_options(struct request *request)
{
    struct MHD_Response *response = response_empty();
    response_allow(request, response);
    response_cacheable(request, response, false);
    return response_send(request, MHD_HTTP_NO_CONTENT, response);
}

enum MHD_Result reply_too_many(struct request *request)
{
    const unsigned searches = request->requester.searches;
    atomic_fetch_add(&request->service->clients_refused, 1);
    return reply_limit(
        request, PROBLEM_TOO_MANY, &(struct problem_facts){.limited = true, .maximum = searches, .quota = "searches"},
        "This client has %u searches and streams under way, which is its limit. Try again when one has ended.",
        searches);
}

enum MHD_Result reply_too_many_jobs(struct request *request)
{
    const unsigned jobs = request->requester.principal.jobs;
    return reply_limit(request, PROBLEM_TOO_MANY,
                       &(struct problem_facts){.limited = true, .maximum = jobs, .quota = "jobs"},
                       "This %s has %u unfinished jobs, which is its limit. Wait until one ends, or cancel one.",
                       request->requester.principal.keyless ? "client" : "key", jobs);
}

enum MHD_Result reply_denied(struct request *request, const char *keyless, const char *keyed)
{
    const bool has_key = *request->requester.principal.name;
    atomic_fetch_add(&request->service->access_refused, 1);
    return reply_problem(request, has_key ? PROBLEM_FORBIDDEN : PROBLEM_KEY_NEEDED, "%s", has_key ? keyed : keyless);
}

enum MHD_Result reply_denied_fault(struct request *request, const struct fault *fault)
{
    const bool has_key = *request->requester.principal.name;
    atomic_fetch_add(&request->service->access_refused, 1);
    return reply_fault(request, has_key ? PROBLEM_FORBIDDEN : PROBLEM_KEY_NEEDED, fault);
}

enum MHD_Result reply_strange(struct request *request)
{
    atomic_fetch_add(&request->service->access_refused, 1);
    return request->headers.keys > 1
               ? reply_problem(request, PROBLEM_BAD_REQUEST,
                               "A request must have only one key, in Authorization or in X-API-Key.")
               : reply_problem(request, PROBLEM_KEY_UNKNOWN,
                               "This key is not valid, or not valid any more. Send a valid key, or none.");
}
