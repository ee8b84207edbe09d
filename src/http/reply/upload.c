/* upload.c - the complete bytes of a body become a board on a thread of the pool: the thread that serves everybody only
 * moves them. */
#include "http/reply/upload.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/ask/query_values.h"
#include "http/ask/board_values.h"
#include "http/ask/body_gzip.h"
#include "http/reply/request.h"
#include "http/reply/response.h"

/* Bytes that a body of gzip may come to, of any media type. */
enum { DECODED_MOST = 16 << 20 };

/* A body and what was read of it: a chore's, and once that is done its request's. */
struct upload {
    struct service *service;
    size_t held; /* of memory, as counted by service_hold() */
    char *data;
    size_t size;
    bool gzip;     /* it is coded so, */
    bool oversize; /* and comes to more than `most` bytes */
    size_t most;
    const struct verify_form *form;
    struct verify_asked asked;
    char regions[PARAM_BOARD_MAX + 1]; /* the text of a value */
    struct verify_body body;
    const struct param *rows;
    struct params said; /* in their words */
};

static struct upload *upload_of(struct request *request)
{
    return request->body.chore ? chore_of(request->body.chore)->order.state : NULL;
}

static bool hold(void *who, size_t bytes)
{
    struct upload *upload = who;
    const bool held = service_hold(upload->service, bytes);
    upload->held += held ? bytes : 0;
    return held;
}

static void upload_free(void *state)
{
    struct upload *upload = state;
    verify_body_free(&upload->body);
    free(upload->data);
    service_release(upload->service, upload->held);
    free(upload);
}

/* Puts the decoded bytes in the place of the others. False: there are none, and the body has failed. */
static bool upload_decode(struct upload *upload, const atomic_bool *stop)
{
    char *data;
    size_t size;
    const struct gunzip_limits limits = {.most = upload->most, .hold = hold, .who = upload, .stop = stop};
    const enum nq_status status = body_gunzip(upload->data, upload->size, &limits, &data, &size);
    free(upload->data);
    upload->data = data;
    upload->size = size;
    upload->oversize = status == NQ_LIMIT;
    if (status == NQ_INVALID)
        verify_refuse(&upload->body, REFUSED_SYNTAX, "body", "must be complete gzip, as Content-Encoding says");
    else if (status != NQ_OK)
        verify_give_up(&upload->body, status);
    return status == NQ_OK;
}

/* The bytes and the document are freed as soon as the board is read. */
static void upload_read(void *state, const atomic_bool *stop)
{
    struct upload *upload = state;
    struct verify_body *body = &upload->body;
    upload->asked.stop = stop;
    if (!upload->gzip || upload_decode(upload, stop))
        (void)verify_body_read(body, upload->form, &upload->asked, upload->data, upload->size);
    if (body->status == NQ_OK && !board_values_read(body, upload->rows, upload->asked.board, &upload->said))
        verify_give_up(body, NQ_NOMEM);
    const size_t kept = (body->capacity + body->walls.capacity) * sizeof(struct queen);
    free(upload->data);
    upload->data = NULL;
    service_release(upload->service, upload->held - kept);
    upload->held = kept;
}

/* Takes the body over. The values are copied: they are not there any more when it is read. NULL: out of memory. */
static struct upload *upload_new(struct request *request, const struct value *values)
{
    const struct param *rows = request->route->asks.params;
    const struct value *n = row_value(rows, values, "n"), *regions = row_value(rows, values, "regions"),
                       *index = row_value(rows, values, "index"), *m = row_value(rows, values, "m");
    const bool board = request->route->verb == VERB_READ;
    struct upload *upload = calloc(1, sizeof *upload);
    if (!upload)
        return NULL;
    if (regions->given)
        (void)snprintf(upload->regions, sizeof upload->regions, "%s", regions->text);
    upload->rows = rows;
    upload->service = request->service;
    upload->form = verify_form_of(&request->headers);
    upload->gzip = headers_coding(&request->headers) == CODING_GZIP;
    upload->most = request->body.most < DECODED_MOST ? request->body.most : DECODED_MOST;
    upload->data = body_take(request, &upload->size, &upload->held);
    upload->asked = (struct verify_asked){
        .wanted = index->given ? (uint32_t)index->number : VERIFY_ONLY,
        .board = board,
        .has_n = n->given && !n->ranged,
        .n = (uint32_t)n->number,
        .base = row_base(row_value(rows, values, "base")),
        .m = m->given ? (uint32_t)m->number : 0,
        .shaped = m->given || row_value(rows, values, "queens")->given || row_value(rows, values, "walls")->given ||
                  row_value(rows, values, "maximal")->number,
        .regions = regions->given ? upload->regions : NULL,
        .connected = row_value(rows, values, "apart")->number,
        .hold = hold,
        .who = upload,
    };
    return upload;
}

/* ---- Replies ---- */

/* "a, b or c": the media types. */
static enum MHD_Result reply_unknown_type(struct request *request)
{
    struct bytes types = {0};
    for (const struct verify_form *form = verify_forms; form->media_type && !form->alias; form++) {
        const bool last = !form[1].media_type || form[1].alias;
        bytes_text(&types, form == verify_forms ? "" : last ? " or " : ", ");
        bytes_text(&types, form->media_type);
    }
    char *list = bytes_take(&types);
    const enum MHD_Result result = list ? reply_problem(request, PROBLEM_MEDIA_TYPE, "The body must be %s.", list)
                                        : reply_status(request, NQ_NOMEM);
    free(list);
    return result;
}

enum MHD_Result reply_upload(struct request *request, const struct value *values, request_then then)
{
    if (!verify_form_of(&request->headers))
        return reply_unknown_type(request);
    if (headers_coding(&request->headers) == CODING_OTHER)
        return reply_problem(request, PROBLEM_MEDIA_TYPE, "The only Content-Encoding accepted is gzip.");
    if (request->body.status != NQ_OK)
        return reply_status(request, request->body.status);
    struct upload *upload = upload_new(request, values);
    if (!upload)
        return reply_status(request, NQ_NOMEM);
    const struct chore_order order = {.run = upload_read, .free = upload_free, .state = upload};
    return reply_chore(request, &order, then);
}

bool upload_refused(struct request *request, enum MHD_Result *result)
{
    const struct upload *upload = upload_of(request);
    const struct verify_body *body = &upload->body;
    if (upload->oversize) {
        *result = reply_problem_with(request, PROBLEM_BODY_TOO_LARGE,
                                     &(struct problem_facts){.limited = true, .maximum = upload->most},
                                     "The decoded body is larger than %zu bytes, the limit.", upload->most);
    } else if (body->status == NQ_INVALID || body->status == NQ_LIMIT) {
        const struct validation_errors errors = {
            .made = 1, .count = 1, .invalid = body->status == NQ_INVALID, .list = {body->error}};
        *result = reply_validation_errors(request, &errors);
    } else if (body->status != NQ_OK) {
        *result = reply_status(request, body->status);
    }
    return body->status != NQ_OK;
}

struct verify_body *upload_body(struct request *request)
{
    struct upload *upload = upload_of(request);
    return upload ? &upload->body : NULL;
}

const struct params *upload_said(struct request *request)
{
    struct upload *upload = upload_of(request);
    return upload ? &upload->said : NULL;
}
