/* route_puzzle.c - GET /puzzle: squares with queens that leave one solution to find. */
#include "http/route.h"

enum { N, CLUES, MINIMAL, SEED, BASE, FORMAT };

PARAM_CHOICES(formats_offered, "json");

static const struct param params[] = {
    [N] = {.name = "n",
           .type = PARAM_NUMBER,
           .required = true,
           .least = 1,
           .most = NQ_SEARCH_MAX_N,
           .summary = "board size"},
    [CLUES] = {.name = "clues",
               .type = PARAM_NUMBER,
               .least = 1,
               .most = NQ_SEARCH_MAX_N,
               .summary = "so many queens are given; as few as taking away comes to, when it does not say"},
    [MINIMAL] = {.name = "minimal",
                 .type = PARAM_CHOICE,
                 .choices = route_no_yes,
                 .summary = "true: without any of the clues there is a second solution; always so without clues="},
    [SEED] = PARAM_SEED("of the puzzle; drawn, and told, when there is none"),
    [BASE] = PARAM_BASE,
    [FORMAT] = PARAM_FORMAT(formats_offered),
    {0},
};

static void check(const struct request *request, const struct value *values, struct complaints *complaints)
{
    (void)request;
    if (values[N].sound && values[CLUES].sound && values[CLUES].given && values[CLUES].number > values[N].number)
        complain(complaints, false, "clues", "is more than the %u queens of the board", (unsigned)values[N].number);
}

static enum MHD_Result handle(struct request *request, struct value *values)
{
    const uint32_t n = (uint32_t)values[N].number;
    if (n == 2 || n == 3)
        return reply_no_solution(request, n);
    struct question question = {
        .kind = ASK_PUZZLE,
        .n = n,
        .base = route_base(&values[BASE]),
        .format = request_format(request),
        .clues = values[CLUES].given ? (uint32_t)values[CLUES].number : 0,
        .minimal = values[CLUES].given && values[MINIMAL].number,
        .fleeting = route_draw_seed(&values[SEED]),
    };
    values[MINIMAL].given &= values[CLUES].given;
    question.seed = values[SEED].number;
    if (!request_canonical(request, values, &question))
        return reply_status(request, NQ_NOMEM);
    return reply_question(request, &question);
}

const struct route route_puzzle = {
    .path = "/puzzle",
    .summary = "Queens that leave one solution to find",
    .params = params,
    .formats = formats_offered,
    .check = check,
    .handle = handle,
};
