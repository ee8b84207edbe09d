/* compressed.c - a gzip copy comes from the cache, or a thread of the pool makes it while the request is suspended.
 * When it cannot be made the answer is sent as it is. */
#include "http/reply/compressed.h"

#include <stdlib.h>

#include "http/reply/response.h"
#include "http/reply/suspension.h"

/* Asks for the copy of an answer. Incomplete answers may differ, so each has a copy of its own. Frees the key with
 * free(); NULL: out of memory. */
static char *ask(struct request *request, struct answer *answer, struct question *question)
{
    struct bytes key = {0};
    bytes_text(&key, "gzip ");
    if (answer->complete)
        bytes_text(&key, request->key);
    else
        bytes_number(&key, service_number(request->service));
    char *text = bytes_take(&key);
    *question = (struct question){.kind = ASK_GZIP,
                                  .key = text,
                                  .path = "",
                                  .prefix = request->service->options.base_path,
                                  .uncacheable = !answer->complete,
                                  .principal = request->requester.principal,
                                  .gzip.answer = answer};
    return text;
}

/* The copy is there, or cannot be made. */
static enum MHD_Result compressed(struct request *request)
{
    const uint64_t took_off = request->spent.took_off;
    struct waiter *waiter = request_take_waiter(request);
    struct answer *answer = request->plain, *copy = NULL;
    request->plain = NULL;
    request->spent.took_off = took_off; /* it was no search */
    request_release(request, GZIP_STATE);
    if (waiter) {
        copy = waiter->status == NQ_OK ? answer_ref(waiter->answer) : NULL;
        cancellable_unref(&waiter->cancellable);
    }
    return answer_send(request, answer, copy);
}

/* Takes over the answer's reference. */
static enum MHD_Result wait(struct request *request, struct answer *answer, const struct question *question,
                            uint64_t seen)
{
    if (service_draining(request->service) || !request_enter(request) || !request_hold(request, GZIP_STATE))
        return answer_send(request, answer, NULL);
    request->plain = answer;
    suspension_begin(request, TASK_ANSWER, compressed);
    request->answer.job = false;
    struct waiter *waiter = engine_ask(request->service->engine, question, seen, request_wake, request);
    request->answer.waiter = waiter;
    suspension_watch(request, waiter ? &waiter->cancellable : NULL, request->service->options.max_wait_s);
    return MHD_YES;
}

enum MHD_Result reply_answer(struct request *request, struct answer *answer)
{
    struct question question;
    if (!answer_gzip_wanted(request, answer->media_type) || answer->size < GZIP_LEAST)
        return answer_send(request, answer, NULL);
    char *key = ask(request, answer, &question);
    if (!key)
        return answer_send(request, answer, NULL);
    uint64_t seen = 0;
    struct answer *copy = answer->complete ? engine_peek(request->service->engine, &question, &seen) : NULL;
    const enum MHD_Result result = copy ? answer_send(request, answer, copy) : wait(request, answer, &question, seen);
    free(key);
    return result;
}

struct MHD_Response *compressed_response(struct request *request, struct answer *answer)
{
    struct question question;
    uint64_t seen;
    char *key = ask(request, answer, &question);
    struct answer *copy = key ? engine_peek(request->service->engine, &question, &seen) : NULL;
    free(key);
    answer_unref(answer);
    return copy ? answer_response(request, copy) : response_bare(MHD_SIZE_UNKNOWN);
}
