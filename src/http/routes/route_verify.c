/* route_verify.c - POST /verify: whether the queens of the body are a solution, which attack each other, and which
 * solution it is. The complete body is read on a thread of the pool. */
#include "engine/ask/query_values.h"
#include "engine/ask/shape_values.h"
#include "engine/boards/verify.h"
#include "http/reply/request.h"
#include "http/reply/upload.h"

enum { N, ROWS, QUEENS, WALLS, MAXIMAL, BASE, INDEX, RANK, RULES, REGIONS, APART, FORMAT };

PARAM_CHOICES(formats_offered, "json", "svg", "png");

static const struct param params[] = {
    [N] = {.name = "n",
           .type = PARAM_NUMBER,
           .most = VERIFY_MAX_N,
           .summary = "board size; for octets, and for a board of any shape whose body does not say it"},
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
                       BOND(EXCLUDES, IS("maximal")))),
    [RULES] = PARAM_RULES(),
    [REGIONS] = PARAM_REGIONS(),
    [APART] = PARAM_APART(), /* of regions that perhaps the body has */
    [FORMAT] = PARAM_FORMAT(formats_offered),
    {0},
};

/* Checks that what octets do not say themselves is there, and only with them; n also of boards of any shape, of which a
 * text may say nothing. */
static bool check_size(struct request *request, const struct value *values, struct validation_errors *errors)
{
    static const int alone[] = {N, BASE};
    const struct verify_form *form = verify_form_of(&request->headers);
    if (!form || errors->made)
        return true; /* it is refused for that */
    if (form->unsized && !values[N].given && !values[REGIONS].given)
        reject_param(errors, REFUSED_MISSING, params[N].name, "is required with %s", form->media_type);
    for (size_t i = 0; i < sizeof alone / sizeof alone[0] && !form->unsized; i++)
        if (values[alone[i]].given && !(alone[i] == N && shape_given(params, values)))
            reject_with(
                errors, REFUSED_WITHOUT, params[alone[i]].name, MEMBERS(WORD("Content-Type: application/octet-stream")),
                "can be used only with %s: other bodies say it themselves", "Content-Type: application/octet-stream");
    return true;
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

/* Which parameter asks for a board of any shape. */
static const char *shape_word(const struct value *values)
{
    static const int words[] = {ROWS, QUEENS, WALLS};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (values[words[i]].given)
            return params[words[i]].name;
    return params[MAXIMAL].name;
}

/* The board of a placement that is judged on one of any shape, which the address and the body say together. */
static bool read_shape(const struct verify_body *body, const struct value *values, const struct value *ruled,
                       struct validation_errors *errors, struct shape *shape)
{
    struct value board[PARAMS_MAX];
    for (size_t i = 0; params[i].name; i++)
        board[i] = values[i];
    board[N] = (struct value){.given = true, .sound = true, .number = body->n};
    board[BASE] = (struct value){.given = true, .sound = true, .number = body->base ? 0 : 1};
    board[RULES] = *ruled;
    if (!body->regions.regions.n)
        shape_normalise(params, board, false);
    else if (shape_given(params, values))
        reject_with(errors, REFUSED_WITH, params[REGIONS].name, MEMBERS(WORD(shape_word(values))),
                    "cannot be used together with %s", shape_word(values));
    return errors->count == 0 && verify_shape_read(params, board, errors, shape);
}

static enum MHD_Result handle(struct request *request, const struct value *values)
{
    const struct verify_body *body = upload_body(request);
    struct question *question = &request->question;
    struct validation_errors errors = {0};
    struct value ruled = values[RULES];
    struct bytes key = {0};
    const struct rule *rule;
    struct shape shape = {0};
    if (!check_regions(body, values, &errors) || !set_rule(body, &ruled, &rule, &errors) ||
        !check_picture(request_format(request), body->n, &errors) || !read_shape(body, values, &ruled, &errors, &shape))
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
        .query = {.filter.rule = rule, .regions = body->regions.regions},
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
    .read = check_size,
    .handle = handle,
    .board = true,
};
