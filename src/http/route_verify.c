/* route_verify.c - POST /verify: whether queens that somebody has placed are a solution, who attacks whom, and what
 * solution it is. The board is read while it comes; nothing here looks at it. */
#include <stdio.h>
#include <stdlib.h>

#include "count/index.h"
#include "engine/work.h"
#include "http/list.h"
#include "http/request.h"
#include "http/verify_body.h"

/* Lines for the largest board, with spaces, and more. */
enum { TEXT_MAX = 64 << 20 };

enum { RANK };

static const struct param params[] = {
    [RANK] = {.name = "rank",
              .type = PARAM_CHOICE,
              .choices = route_no_yes,
              .summary = "true: the rank of a solution up to n = 20, however long it takes to count; else up to 14"},
    {0},
};

struct upload {
    bool known; /* the media type is */
    struct verify_body body;
};

static bool hold(void *who, size_t bytes)
{
    return request_hold(who, bytes);
}

static void *upload_open(struct request *request)
{
    const bool lines = headers_of_type(&request->headers, "application/x-ndjson");
    struct upload *upload = calloc(1, sizeof *upload);
    if (!upload)
        return NULL;
    upload->known = lines || headers_of_type(&request->headers, "application/json");
    verify_body_begin(&upload->body, lines ? VERIFY_LINES : VERIFY_JSON, hold, request);
    return upload;
}

static void upload_take(void *taken, const char *piece, size_t size)
{
    struct upload *upload = taken;
    if (upload->known)
        verify_body_add(&upload->body, piece, size);
}

static void upload_close(void *taken)
{
    struct upload *upload = taken;
    verify_body_free(&upload->body);
    free(upload);
}

static enum MHD_Result refuse(struct request *request, const struct verify_body *body)
{
    struct complaints complaints = {0};
    if (body->status != NQ_INVALID && body->status != NQ_LIMIT)
        return reply_status(request, body->status);
    complain(&complaints, body->status == NQ_LIMIT, body->where, "%s", body->why);
    return reply_complaints(request, &complaints);
}

/* Asks after the index of the whole board was asked for. */
static enum MHD_Result reply_with_rank(struct request *request, const struct question *question)
{
    static const struct value none = {.sound = true};
    const struct value n = {.given = true, .sound = true, .number = question->n};
    return reply_ranked(
        request, question,
        &(struct query_values){
            .n = &n, .base = &none, .distinct = &none, .symmetry = &none, .place = &none, .exclude = &none});
}

static enum MHD_Result handle(struct request *request, struct value *values)
{
    struct upload *upload = request_taken(request);
    struct verify_body *body = &upload->body;
    char key[64];
    if (!upload->known)
        return reply_problem(request, PROBLEM_MEDIA_TYPE, "The body must be application/json or application/x-ndjson.");
    if (verify_body_end(body) != NQ_OK)
        return refuse(request, body);
    if (!request_hold(request, work_verify_memory(body->n, body->placement->count)))
        return reply_status(request, NQ_BUSY);
    (void)snprintf(key, sizeof key, "/verify %p", (void *)body->placement); /* of this placement, while it is there */
    const struct question question = {
        .kind = ASK_VERIFY,
        .n = body->n,
        .base = body->base,
        .format = format_find("json"),
        .key = key,
        .path = "",
        .prefix = "",
        .fleeting = true,
        .asker = request->asker,
        .placement = body->placement,
    };
    if (values[RANK].number && body->n > VERIFY_RANK_MAX_N && body->n <= INDEX_MAX_N)
        return reply_with_rank(request, &question);
    return reply_after(request, &question, NULL);
}

static const struct intake intake = {.most = TEXT_MAX, .open = upload_open, .take = upload_take, .close = upload_close};

const struct route route_verify = {
    .path = "/verify",
    .verb = VERB_POST,
    .summary = "Whether queens on a board are a solution, and who attacks whom",
    .params = params,
    .media_type = "application/json",
    .prefer = true,
    .handle = handle,
    .intake = &intake,
};
