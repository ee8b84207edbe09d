/* route_verify.c - POST /verify: whether the queens of the body are a solution, which attack each other, and which
 * solution it is. The complete body is read on a thread of the pool. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/ask/query_values.h"
#include "engine/boards/verify.h"
#include "http/ask/body_gzip.h"
#include "http/ask/verify_body.h"
#include "http/reply/request.h"
#include "http/reply/response.h"
#include "kernels/kernel.h"

enum { N, BASE, INDEX, RANK, RULES, REGIONS, APART, FORMAT };

PARAM_CHOICES(formats_offered, "json", "svg", "png");

static const struct param params[] = {
    [N] = {.name = "n", .type = PARAM_NUMBER, .most = VERIFY_MAX_N, .summary = "board size; for octets only"},
    [BASE] = {.name = "base",
              .type = PARAM_CHOICE,
              .choices = row_bases,
              .summary = "number of the first column; for octets only, other bodies say it themselves"},
    [INDEX] = {.name = "index",
               .type = PARAM_NUMBER,
               .most = UINT32_MAX - 1,
               .summary = "the solution to check, counted from 0, if the body has several"},
    [RANK] = PARAM_FLAG(
        "rank", "true: also the rank of a solution for n = 15 to 20, which may take long; without it up to n = 14"),
    [RULES] = PARAM_RULES(),
    [REGIONS] = PARAM_REGIONS(),
    [APART] = PARAM_APART(), /* of regions that perhaps the body has */
    [FORMAT] = PARAM_FORMAT(formats_offered),
    {0},
};

enum { PARAMS = sizeof params / sizeof params[0] - 1 };

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
    struct value values[PARAMS];
    char regions[PARAM_BOARD_MAX + 1]; /* the text of a value */
    struct verify_body body;
    char key[64];
};

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

/* The bytes and the document are freed as soon as the queens are read. */
static void upload_read(void *state, const atomic_bool *stop)
{
    struct upload *upload = state;
    upload->asked.stop = stop;
    if (!upload->gzip || upload_decode(upload, stop))
        (void)verify_body_read(&upload->body, upload->form, &upload->asked, upload->data, upload->size);
    const size_t kept = upload->body.capacity * sizeof(struct queen);
    free(upload->data);
    upload->data = NULL;
    service_release(upload->service, upload->held - kept);
    upload->held = kept;
}

/* Takes the body over. The values are copied: they are not there any more when it is read. */
static struct upload *upload_new(struct request *request, const struct verify_form *form, const struct value *values)
{
    struct upload *upload = calloc(1, sizeof *upload);
    if (!upload)
        return NULL;
    memcpy(upload->values, values, sizeof upload->values);
    if (values[REGIONS].given) {
        (void)snprintf(upload->regions, sizeof upload->regions, "%s", values[REGIONS].text);
        upload->values[REGIONS].text = upload->regions;
    }
    upload->service = request->service;
    upload->form = form;
    upload->gzip = headers_coding(&request->headers) == CODING_GZIP;
    upload->most = request->body.most < DECODED_MOST ? request->body.most : DECODED_MOST;
    upload->data = body_take(request, &upload->size, &upload->held);
    upload->asked = (struct verify_asked){
        .wanted = values[INDEX].given ? (uint32_t)values[INDEX].number : VERIFY_ONLY,
        .has_n = values[N].given,
        .n = (uint32_t)values[N].number,
        .base = row_base(&values[BASE]),
        .regions = values[REGIONS].given ? upload->regions : NULL,
        .connected = values[APART].number,
        .hold = hold,
        .who = upload,
    };
    return upload;
}

static enum MHD_Result refuse(struct request *request, const struct verify_body *body)
{
    const struct validation_errors errors = {
        .made = 1, .count = 1, .invalid = body->status == NQ_INVALID, .list = {body->error}};
    if (body->status != NQ_INVALID && body->status != NQ_LIMIT)
        return reply_status(request, body->status);
    return reply_validation_errors(request, &errors);
}

/* Whether what octets do not say themselves is there, and only with them. False, with an error: it is not. */
static bool check_size(const struct verify_form *form, const struct value *values, struct validation_errors *errors)
{
    if (form->unsized && !values[N].given && !values[REGIONS].given)
        reject_param(errors, REFUSED_MISSING, params[N].name, "is required with %s", form->media_type);
    for (size_t i = N; i <= BASE && !form->unsized; i++)
        if (values[i].given)
            reject_with(
                errors, REFUSED_WITHOUT, params[i].name, MEMBERS(WORD("Content-Type: application/octet-stream")),
                "can be used only with %s: other bodies say it themselves", "Content-Type: application/octet-stream");
    return errors->count == 0;
}

/* Whether the board's regions go with the other parameters and members. */
static bool check_regions(const struct verify_body *body, const struct value *values, struct validation_errors *errors)
{
    const size_t touching = query_regions_rule();
    const bool painted = body->regions.regions.n > 0;
    if (values[APART].given && !painted)
        reject_with(errors, REFUSED_WITHOUT, params[APART].name, MEMBERS(WORD(params[REGIONS].name)),
                    "can be used only with %s", params[REGIONS].name);
    if (painted && values[RANK].number)
        reject_with(errors, REFUSED_WITH, params[RANK].name, MEMBERS(WORD(params[REGIONS].name)),
                    "cannot be used with %s", params[REGIONS].name);
    if (painted &&
        ((body->ruled && body->rule != touching) || (values[RULES].given && values[RULES].number != touching)))
        reject_with(errors, REFUSED_VALUE_WITH, params[RULES].name,
                    MEMBERS(WORD(rule_name(touching)), WORD(params[REGIONS].name)), "must be %s with %s",
                    rule_name(touching), params[REGIONS].name);
    return errors->count == 0;
}

/* What the board is checked by, also if only the body says it. False, with an error: the parameter says another rule,
 * or the board has too many queens for this one. */
static bool set_rule(const struct verify_body *body, struct value *ruled, const struct rule **rule,
                     struct validation_errors *errors)
{
    if (body->ruled && ruled->given && ruled->number != body->rule)
        reject_param(errors, REFUSED_DISAGREES, params[RULES].name,
                     "is not the rule that the body names: leave the parameter out to check by the rule of the body");
    else if (body->ruled)
        *ruled = (struct value){.given = true, .sound = true, .number = body->rule};
    else if (body->regions.regions.n)
        *ruled = (struct value){.given = true, .sound = true, .number = query_regions_rule()};
    *rule = row_rule(ruled);
    if (body->placement->count > conflicts_most(*rule))
        reject_with(errors, REFUSED_LONG, "body", MEMBERS(NUMBER(CONFLICTS_RULE_MAX)),
                    "must have at most %d queens with rules=%s", CONFLICTS_RULE_MAX, (*rule)->name);
    return errors->count == 0;
}

/* Whether the board can be shown, if it is to be. False, with an error: it cannot. */
static bool check_picture(const struct format *format, uint32_t n, struct validation_errors *errors)
{
    if (format->picture && n == 0)
        reject_with(errors, REFUSED_LOWER_LIMIT, "n", MEMBERS(NUMBER(1)), "must be at least %d for a picture", 1);
    if (format->picture && n > VERIFY_READ_MAX_N)
        reject_with(errors, REFUSED_UPPER_LIMIT, "n", MEMBERS(NUMBER(VERIFY_READ_MAX_N)),
                    "must be at most %d for a picture", VERIFY_READ_MAX_N);
    return errors->count == 0;
}

/* The body has been read. */
static enum MHD_Result reply_to(struct request *request, struct answer *none)
{
    struct upload *upload = chore_of(request->body.chore)->order.state;
    struct verify_body *body = &upload->body;
    struct value *values = upload->values;
    struct question *question = &request->question;
    struct validation_errors errors = {0};
    const struct rule *rule;
    (void)none;
    if (upload->oversize)
        return reply_limit(request, PROBLEM_BODY_TOO_LARGE,
                           &(struct problem_facts){.limited = true, .maximum = upload->most},
                           "The decoded body is larger than %zu bytes, the limit.", upload->most);
    if (body->status != NQ_OK)
        return refuse(request, body);
    if (!check_regions(body, values, &errors) || !set_rule(body, &values[RULES], &rule, &errors) ||
        !check_picture(request_format(request), body->n, &errors))
        return reply_validation_errors(request, &errors);
    if (!request_hold(request, verify_memory(body->n, body->placement->count)))
        return reply_status(request, NQ_BUSY);
    /* Unique as long as the placement exists. */
    (void)snprintf(upload->key, sizeof upload->key, "/verify %p", (void *)body->placement);
    *question = (struct question){
        .kind = ASK_VERIFY,
        .n = body->n,
        .base = body->base,
        .format = request_format(request),
        .key = upload->key,
        .path = "",
        .prefix = "",
        .uncacheable = true,
        .principal = request->requester.principal,
        .query = {.filter.rule = rule, .regions = body->regions.regions},
        .verify = {.placement = body->placement, .ranked = values[RANK].number},
    };
    return reply_new(request);
}

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

static enum MHD_Result handle(struct request *request, const struct value *values)
{
    const struct verify_form *form = verify_forms;
    struct validation_errors errors = {0};
    while (form->media_type && !headers_of_type(&request->headers, form->media_type))
        form++;
    if (!form->media_type)
        return reply_unknown_type(request);
    if (headers_coding(&request->headers) == CODING_OTHER)
        return reply_problem(request, PROBLEM_MEDIA_TYPE, "The only Content-Encoding accepted is gzip.");
    if (!check_size(form, values, &errors))
        return reply_validation_errors(request, &errors);
    if (request->body.status != NQ_OK)
        return reply_status(request, request->body.status);
    struct upload *upload = upload_new(request, form, values);
    if (!upload)
        return reply_status(request, NQ_NOMEM);
    const struct chore_order order = {.run = upload_read, .free = upload_free, .state = upload};
    return reply_chore(request, &order, reply_to);
}

static bool body_type(size_t i, struct body_type *type)
{
    *type = (struct body_type){verify_forms[i].media_type, verify_forms[i].most};
    return type->media_type;
}

const struct route route_verify = {
    .asks.path = "/verify",
    .verb = VERB_POST,
    .summary = "Checks whether queens are a solution, and lists the attacks",
    .asks.params = params,
    .formats = formats_offered,
    .prefer = true,
    .handle = handle,
    .body_type = body_type,
};
