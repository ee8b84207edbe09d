/* route_puzzle.c - GET /puzzle: squares with queens that leave one solution to find. */
#include "engine/ask/rows.h"
#include "http/reply/route.h"

enum { N, CLUES, MINIMAL, SEED, RULES, BASE, FORMAT };

PARAM_CHOICES(formats_offered, "json");

static const struct param params[] = {
    [N] = PARAM_N(1, NQ_SEARCH_MAX_N),
    [CLUES] = {.name = "clues",
               .type = PARAM_NUMBER,
               .least = 1,
               .most = NQ_SEARCH_MAX_N,
               .summary = "number of queens given; without it as few as the search reaches by removing queens"},
    [MINIMAL] =
        PARAM_FLAG("minimal", "true: no clue can be removed without a second solution; always true without clues="),
    [SEED] = PARAM_SEED("of the puzzle; without it the server draws and returns one"),
    [RULES] = PARAM_RULES,
    [BASE] = PARAM_BASE,
    [FORMAT] = PARAM_FORMAT(formats_offered),
    {0},
};

static bool read_question(struct request *request, struct value *values, struct validation_errors *errors)
{
    const struct value *n = &values[N], *clues = &values[CLUES];
    const struct rule *rule = row_rule(&values[RULES]);
    struct question *question = request_question(request);
    if (n->sound && rule && rule->drawn_n && n->number > rule->drawn_n && !rule_none(rule, (uint32_t)n->number))
        reject_param(errors, REFUSED_UPPER_LIMIT, "n", "must be at most %u for a puzzle with rules=%s", rule->drawn_n,
                     rule->name);
    if (n->sound && clues->sound && clues->given && clues->number > n->number)
        reject_param(errors, REFUSED_MORE, "clues", "must be at most %u, the number of queens on the board",
                     (unsigned)n->number);
    values[MINIMAL].given &= clues->given; /* without clues= every puzzle is minimal: one canonical form */
    question->kind = ASK_PUZZLE;
    question->puzzle.rule = rule;
    question->n = (uint32_t)n->number;
    question->base = row_base(&values[BASE]);
    question->format = request_format(request);
    question->puzzle.clues = clues->given ? (uint32_t)clues->number : 0;
    question->puzzle.minimal = clues->given && values[MINIMAL].number;
    question->uncacheable = seed_draw(&values[SEED]);
    question->seed = values[SEED].number;
    return true;
}

static enum MHD_Result handle(struct request *request, struct value *values)
{
    const struct question *question = request_question(request);
    const struct rule *rule = question->puzzle.rule;
    const uint32_t n = question->n;
    const bool none = rule ? rule_none(rule, n) : n == 2 || n == 3;
    return none ? reply_no_solution(request, n, rule) : reply_values(request, values);
}

const struct route route_puzzle = {
    .path = "/puzzle",
    .summary = "A puzzle: queens that exactly one solution completes",
    .params = params,
    .formats = formats_offered,
    .read = read_question,
    .handle = handle,
};
