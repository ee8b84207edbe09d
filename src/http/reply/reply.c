/* reply.c - replies to a question: from the cache, or with its answer once it is there. */
#include "http/reply/compressed.h"
#include "http/reply/response.h"
#include "http/reply/wait.h"

/* Replies to a HEAD without making the body: the header fields of GET, with a length only if it is known. gzip: it is a
 * compressed stream. Whether an answer is long enough to be compressed is not known: the tag is that of the plain one,
 * which any client may send. */
static enum MHD_Result send_bare(struct request *request, const struct question *question, bool gzip)
{
    /* A page may turn out incomplete, a long count a job, an estimate too poor: these may not be cached before they
     * exist. */
    const bool count =
        question_quick(question) && !(question_computed(question) && headers_ask_for_job(&request->headers));
    const bool certain =
        !question->uncacheable && (question->kind == ASK_CONSTRUCT || question->format->lines || count);
    struct MHD_Response *response = response_bare(answer_size(question));
    response_header(request, response, "Content-Type", question->format->media_type);
    if (question->format->lines)
        response_header(request, response, "X-Accel-Buffering", "no");
    if (gzip)
        answer_as_gzip(request, response);
    response_cacheable(request, response, certain);
    return response_send(request, MHD_HTTP_OK, response);
}

/* Replies with an answer (taken over), or that the client has it. */
static enum MHD_Result send_at_hand(struct request *request, struct answer *answer, bool gzip)
{
    if (!answer_not_modified(request, true, gzip && answer->size >= GZIP_LEAST))
        return reply_answer(request, answer);
    return answer_send_not_modified(request, request->reply.gzip ? compressed_response(request, answer)
                                                                 : answer_response(request, answer));
}

bool reply_at_hand(struct request *request, bool flows, enum MHD_Result *result)
{
    const struct question *question = &request->question;
    struct answer *answer = flows ? NULL : engine_peek(request->service->engine, question, &request->seen);
    if (flows)
        request->cache = "stream";
    const bool gzip = answer_gzip_wanted(request, question->format->media_type);
    request->reply.weak = flows;
    if (answer) {
        request->cache = "hit";
        *result = send_at_hand(request, answer, gzip);
    } else if (answer_not_modified(request, flows && !question->uncacheable, gzip)) {
        *result = answer_send_not_modified(request, response_bare(MHD_SIZE_UNKNOWN));
    } else if (wait_barred(request, question, result)) {
        return true;
    } else if (request->head) {
        *result = send_bare(request, question, flows && gzip);
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

enum MHD_Result reply_bytes(struct request *request, unsigned status, struct bytes *body)
{
    struct MHD_Response *response = response_of_bytes(request, body);
    response_header(request, response, "Content-Type", route_media_type(request->route, request->representation));
    response_cacheable(request, response, false);
    return response_send(request, status, response);
}

/* Frees the body. NULL: out of memory. */
static struct answer *answer_of(struct request *request, struct bytes *body)
{
    struct answer *answer = answer_new(body, route_media_type(request->route, request->representation));
    bytes_free(body);
    return answer;
}

enum MHD_Result reply_body(struct request *request, struct bytes *body)
{
    struct answer *answer = answer_of(request, body);
    if (!answer)
        return reply_status(request, NQ_NOMEM);
    answer->complete = false;
    return reply_answer(request, answer);
}

enum MHD_Result reply_constant(struct request *request, struct value *values,
                               void (*write)(const struct value *values, struct bytes *body))
{
    struct engine *engine = request->service->engine;
    struct question *question = request_question(request);
    uint64_t seen;
    question->format = format_find("json");
    if (!request_canonical(request, values))
        return reply_status(request, NQ_NOMEM);
    struct answer *answer = engine_peek(engine, question, &seen);
    if (!answer) {
        struct bytes body = {0};
        write(values, &body);
        answer = answer_of(request, &body);
        if (!answer)
            return reply_status(request, NQ_NOMEM);
        engine_keep(engine, question->key, answer);
    }
    return send_at_hand(request, answer, answer_gzip_wanted(request, answer->media_type));
}
