/* route_verify.c - POST /verify: whether the queens of the body are a solution, which attack each other, and which
 * solution it is. The body is read as it comes. */
#include <stdio.h>
#include <stdlib.h>

#include "count/index.h"
#include "engine/ask/rows.h"
#include "engine/boards/verify.h"
#include "http/ask/verify_body.h"
#include "http/reply/request.h"
#include "http/routes/list.h"
#include "kernels/kernel.h"

/* Enough for the lines of the largest board, with spaces. */
enum { TEXT_MAX = 64 << 20 };

enum { N, BASE, INDEX, RANK, RULES, REGIONS, APART };

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
    [RULES] = PARAM_RULES,
    [REGIONS] = PARAM_REGIONS,
    [APART] = PARAM_APART,
    {0},
};

static const struct {
    const char *media_type;
    enum verify_shape shape;
} media_types[] = {
    {"application/json", VERIFY_JSON}, {"application/x-ndjson", VERIFY_LINES},      {"text/plain", VERIFY_TEXT},
    {"text/csv", VERIFY_CSV},          {"application/octet-stream", VERIFY_OCTETS},
};
enum { MEDIA_TYPES = sizeof media_types / sizeof media_types[0] };

struct upload {
    bool known; /* the media type is one of these */
    struct verify_body body;
    char key[64];
};

static bool hold(void *who, size_t bytes)
{
    return request_hold(who, bytes);
}

/* The parameter `index`, which the parameters' reader checks when all has come: here what is wrong means the first. */
static uint32_t wanted_of(const struct request *request)
{
    const char *text = MHD_lookup_connection_value(request->mhd, MHD_GET_ARGUMENT_KIND, params[INDEX].name);
    const unsigned long long number = text ? strtoull(text, NULL, 10) : VERIFY_ONLY;
    return number < VERIFY_ONLY ? (uint32_t)number : VERIFY_ONLY;
}

static void *upload_open(struct request *request)
{
    size_t i = 0;
    struct upload *upload = calloc(1, sizeof *upload);
    if (!upload)
        return NULL;
    while (i < MEDIA_TYPES && !headers_of_type(&request->headers, media_types[i].media_type))
        i++;
    upload->known = i < MEDIA_TYPES;
    verify_body_begin(&upload->body, upload->known ? media_types[i].shape : VERIFY_JSON, wanted_of(request), hold,
                      request);
    return upload;
}

static void upload_read(void *state, const char *piece, size_t size)
{
    struct upload *upload = state;
    if (upload->known)
        verify_body_add(&upload->body, piece, size);
}

static void upload_close(void *state)
{
    struct upload *upload = state;
    verify_body_free(&upload->body);
    free(upload);
}

static enum MHD_Result refuse(struct request *request, const struct verify_body *body)
{
    const struct validation_errors errors = {
        .made = 1, .count = 1, .invalid = body->status == NQ_INVALID, .list = {body->error}};
    if (body->status != NQ_INVALID && body->status != NQ_LIMIT)
        return reply_status(request, body->status);
    return reply_validation_errors(request, &errors);
}

/* Whether the rank needs an index that is made first, and boards so large have one. */
static bool needs_index(const struct question *question)
{
    const struct query whole = {.filter = {.n = question->n, .rule = question->verify.rule}};
    return question->n > small_index_most(question->verify.rule) && question->n <= index_most(&whole);
}

/* Replies once the index of the whole board is made. */
static enum MHD_Result reply_with_rank(struct request *request, const struct value *ruled)
{
    static const struct param board[] = {PARAM_N(1, INDEX_MAX_N), PARAM_RULES, {0}};
    const struct value values[] = {{.given = true, .sound = true, .number = request->question.n}, *ruled};
    const struct query_values whole = query_values_of(board, values);
    return reply_ranked(request, &whole);
}

/* What octets do not say themselves. False, with an error: it is missing, or another body says it. */
static bool set_board(struct verify_body *body, const struct value *values, struct validation_errors *errors)
{
    const bool octets = body->shape == VERIFY_OCTETS;
    if (octets && !values[N].given && !values[REGIONS].given)
        reject_param(errors, REFUSED_MISSING, params[N].name, "is required with application/octet-stream");
    for (size_t i = N; i <= BASE && !octets; i++)
        if (values[i].given)
            reject_param(errors, REFUSED_WITHOUT, params[i].name,
                         "can be used only with %s: other bodies say it themselves",
                         "Content-Type: application/octet-stream");
    if (octets)
        verify_board(body, (uint32_t)values[N].number, row_base(&values[BASE]));
    body->has_n &= !octets || values[N].given;
    return errors->count == 0;
}

/* Whether the board's regions go with the other parameters and members. */
static bool check_regions(const struct verify_body *body, const struct value *values, struct validation_errors *errors)
{
    const size_t touching = query_regions_rule();
    const bool painted = body->regions.regions.n > 0;
    if (values[APART].given && !painted)
        reject_param(errors, REFUSED_WITHOUT, params[APART].name, "can be used only with %s", params[REGIONS].name);
    if (painted && values[RANK].number)
        reject_param(errors, REFUSED_WITH, params[RANK].name, "cannot be used with %s", params[REGIONS].name);
    if (painted &&
        ((body->ruled && body->rule != touching) || (values[RULES].given && values[RULES].number != touching)))
        reject_param(errors, REFUSED_VALUE_WITH, params[RULES].name, "must be %s with %s", rule_name(touching),
                     params[REGIONS].name);
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
    if (*rule && body->placement->count > CONFLICTS_RULE_MAX)
        reject_param(errors, REFUSED_LONG, "body", "must have at most %d queens with rules=%s", CONFLICTS_RULE_MAX,
                     (*rule)->name);
    return errors->count == 0;
}

static enum MHD_Result handle(struct request *request, struct value *values)
{
    struct upload *upload = request->body.state;
    struct verify_body *body = &upload->body;
    struct question *question = &request->question;
    struct validation_errors errors = {0};
    const struct rule *rule;
    if (!upload->known)
        return reply_problem(request, PROBLEM_MEDIA_TYPE,
                             "The body must be application/json, application/x-ndjson, text/plain, text/csv or "
                             "application/octet-stream.");
    if (!set_board(body, values, &errors))
        return reply_validation_errors(request, &errors);
    verify_body_paint(body, values[REGIONS].given ? values[REGIONS].text : NULL, values[APART].number);
    if (verify_body_end(body) != NQ_OK)
        return refuse(request, body);
    if (!check_regions(body, values, &errors) || !set_rule(body, &values[RULES], &rule, &errors))
        return reply_validation_errors(request, &errors);
    if (!request_hold(request, verify_memory(body->n, body->placement->count)))
        return reply_status(request, NQ_BUSY);
    /* Unique as long as the placement exists. */
    (void)snprintf(upload->key, sizeof upload->key, "/verify %p", (void *)body->placement);
    *question = (struct question){
        .kind = ASK_VERIFY,
        .n = body->n,
        .base = body->base,
        .format = format_find("json"),
        .key = upload->key,
        .path = "",
        .prefix = "",
        .uncacheable = true,
        .principal = request->requester.principal,
        .query.regions = body->regions.regions,
        .verify = {.rule = rule, .placement = body->placement},
    };
    if (values[RANK].number && needs_index(question))
        return reply_with_rank(request, &values[RULES]);
    return reply_found(request, question, NULL);
}

static const struct body_reader reader = {
    .most = TEXT_MAX, .open = upload_open, .read = upload_read, .close = upload_close};

const struct route route_verify = {
    .path = "/verify",
    .verb = VERB_POST,
    .summary = "Checks whether queens are a solution, and lists the attacks",
    .params = params,
    .media_type = "application/json",
    .prefer = true,
    .handle = handle,
    .body = &reader,
};
