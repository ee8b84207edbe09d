/* route_verify.c - POST /verify: whether the queens of the body are a solution, which attack each other, and which
 * solution it is. The complete body is read on a thread of the pool. */
#include "engine/ask/query_values.h"
#include "engine/boards/verify.h"
#include "http/reply/request.h"
#include "http/reply/upload.h"

enum { N, ROWS, QUEENS, WALLS, MAXIMAL, BASE, INDEX, RANK, RULES, REGIONS, APART, FORMAT };

PARAM_CHOICES(formats_offered, "json", "svg", "png");

static const struct param params[] = {
    [N] = {.name = "n",
           .type = PARAM_NUMBER,
           .most = VERIFY_MAX_N,
           .summary = "board size; for octets, and for a board of any shape whose body does not say it",
           .bonds = BONDS(PICTURED, BOND(AT_MOST, IS("format=svg|png"), .limit = VERIFY_READ_MAX_N))},
    [ROWS] = PARAM_ROWS(SHAPE_MAX_SIDE, VERIFY_SHAPED),
    [QUEENS] = PARAM_QUEENS(VERIFY_SHAPED),
    [WALLS] = PARAM_WALLS(VERIFY_SHAPED),
    [MAXIMAL] = PARAM_MAXIMAL(VERIFY_SHAPED),
    [BASE] = {.name = "base",
              .type = PARAM_CHOICE,
              .choices = row_bases,
              .summary = "number of the first column; for octets only, other bodies say it themselves"},
    [INDEX] = {.name = "index",
               .type = PARAM_NUMBER,
               .most = UINT32_MAX - 1,
               .summary = "the solution to check, counted from 0, if the body has several"},
    [RANK] = PARAM_FLAG(
        "rank", "true: also the rank of a solution for n = 15 to 20, which may take long; without it up to n = 14",
        .bonds = BONDS(BOND(EXCLUDES, IS("m")), BOND(EXCLUDES, IS("queens")), BOND(EXCLUDES, IS("walls")),
                       BOND(EXCLUDES, IS("maximal")), BOND(EXCLUDES, IS("regions")))),
    [RULES] = PARAM_RULES(),
    [REGIONS] = PARAM_REGIONS(),
    [APART] = PARAM_APART(NEEDS_REGIONS),
    [FORMAT] = PARAM_FORMAT(formats_offered),
    {0},
};

/* What octets do not say themselves is there, and only with them; n also of boards of any shape, of which a text may
 * say nothing. */
static void check_size(const struct request *request, const struct value *values, struct validation_errors *errors)
{
    static const int alone[] = {N, BASE};
    const struct verify_form *form = verify_form_of(&request->headers);
    if (!form)
        return; /* it is refused for that */
    if (form->unsized && !values[N].given && !values[REGIONS].given)
        reject_param(errors, REFUSED_MISSING, params[N].name, "is required with %s", form->media_type);
    for (size_t i = 0; i < sizeof alone / sizeof alone[0] && !form->unsized; i++)
        if (values[alone[i]].given && !(alone[i] == N && shape_given(params, values)))
            reject_with(
                errors, REFUSED_WITHOUT, params[alone[i]].name, MEMBERS(WORD("Content-Type: application/octet-stream")),
                "can be used only with %s: other bodies say it themselves", "Content-Type: application/octet-stream");
}

/* Whether the board has no more queens than its rule is checked for. False, with an error: it has. */
static bool check_queens(const struct placement *placement, const struct rule *rule, struct validation_errors *errors)
{
    const bool right = placement->count <= conflicts_most(rule);
    if (!right)
        reject_with(errors, REFUSED_LONG, "body", MEMBERS(NUMBER(CONFLICTS_RULE_MAX)),
                    "must have at most %d queens with rules=%s", CONFLICTS_RULE_MAX, rule->name);
    return right;
}

static enum MHD_Result handle(struct request *request, const struct value *values)
{
    const struct verify_body *body = upload_body(request);
    const struct rule *rule = row_rule(&values[RULES]);
    struct question *question = &request->question;
    struct validation_errors errors = {0};
    struct bytes key = {0};
    struct regions regions;
    struct shape shape = {0};
    if (!query_regions_read(params, values, &errors, &regions) || !check_queens(body->placement, rule, &errors) ||
        !verify_shape_read(params, values, &errors, &shape))
        return reply_validation_errors(request, &errors);
    bytes_format(&key, "/verify %p", (void *)body->placement); /* unique as long as the placement exists */
    request->key = bytes_take(&key);
    if (!request->key)
        return reply_status(request, NQ_NOMEM);
    *question = (struct question){
        .kind = ASK_VERIFY,
        .n = body->n,
        .base = body->base,
        .format = request_format(request),
        .key = request->key,
        .path = "",
        .prefix = "",
        .uncacheable = true,
        .principal = request->requester.principal,
        .query = {.filter.rule = rule, .regions = regions},
        .shape = shape,
        .verify = {.placement = body->placement, .ranked = values[RANK].number},
    };
    if (!request_hold(request, verify_memory(question)))
        return reply_status(request, NQ_BUSY);
    return reply_new(request);
}

const struct route route_verify = {
    .asks.path = "/verify",
    .verb = VERB_POST,
    .summary = "Checks whether queens are a solution, and lists the attacks",
    .asks.params = params,
    .formats = formats_offered,
    .prefer = true,
    .asks.choose = shape_choose,
    .asks.normalise = query_regions_normalise,
    .check = check_size,
    .handle = handle,
    .board = true,
};
