/* reply.c - replies to a question: from the cache, or with its answer once it is there. */
#include "http/reply/answer.h"
#include "http/reply/response.h"
#include "http/reply/wait.h"

/* Replies to a HEAD without making the body: the header fields of GET, with a length only if it is known. */
static enum MHD_Result send_bare(struct request *request, const struct question *question)
{
    /* A page may turn out incomplete, a count a job, an estimate too poor: these may not be cached before they exist.
     */
    const bool lookup =
        question->kind == ASK_COUNT && (question->count.way == COUNT_TABLE || question->count.way == COUNT_ASYMPTOTIC);
    const bool certain =
        !question->uncacheable && (question->kind == ASK_CONSTRUCT || question->format->lines || lookup);
    struct MHD_Response *response = response_bare(answer_size(question));
    response_header(request, response, "Content-Type", question->format->media_type);
    if (question->format->lines)
        response_header(request, response, "X-Accel-Buffering", "no");
    response_cacheable(request, response, certain);
    return response_send(request, MHD_HTTP_OK, response);
}

bool reply_at_hand(struct request *request, bool flows, enum MHD_Result *result)
{
    const struct question *question = &request->question;
    struct answer *answer = flows ? NULL : engine_peek(request->service->engine, question, &request->seen);
    if (flows)
        request->cache = "stream";
    if (answer) {
        request->cache = "hit";
        *result = answer_not_modified(request, true)
                      ? answer_send_not_modified(request, answer_response(request, answer))
                      : answer_send(request, answer);
    } else if (answer_not_modified(request, flows && !question->uncacheable)) {
        *result = answer_send_not_modified(request, response_bare(MHD_SIZE_UNKNOWN));
    } else if (wait_barred(request, question, result)) {
        return true;
    } else if (request->head) {
        *result = send_bare(request, question);
    } else {
        return false;
    }
    return true;
}

enum MHD_Result reply_question(struct request *request)
{
    enum MHD_Result result;
    return reply_at_hand(request, false, &result) ? result : reply_found(request, &request->question, NULL);
}

enum MHD_Result reply_values(struct request *request, struct value *values)
{
    return request_canonical(request, values) ? reply_question(request) : reply_status(request, NQ_NOMEM);
}
