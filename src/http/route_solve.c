/* route_solve.c - GET /solve: the solutions of one n, in pages or as a stream. */
#include "http/route.h"
#include "solvers/solver.h"

/* In canonical order, the cursor last. */
enum { N, LIMIT, ALGORITHM, BOARD, BASE, FORMAT, CURSOR };

PARAM_CHOICES(
    boards, [BOARD_NONE] = "none", [BOARD_ASCII] = "ascii", [BOARD_UNICODE] = "unicode", [BOARD_GRID] = "grid");
PARAM_CHOICES(formats_offered, "json", "ndjson", "csv", "text", "svg", "png");

static const char *algorithms(size_t i)
{
    return solvers[i] ? solvers[i]->name : NULL;
}

enum { PAGE_LIMIT = 100, PAGE_LIMIT_MAX = 10000 };

static const struct param params[] = {
    [N] = {.name = "n", .type = PARAM_NUMBER, .required = true, .most = NQ_SEARCH_MAX_N, .summary = "board size"},
    [LIMIT] = {.name = "limit",
               .type = PARAM_NUMBER,
               .least = 1,
               .most = INT64_MAX,
               .summary = "how many solutions at most: a page has 100 unless told, at most 10000; a stream has no "
                          "limit unless told"},
    [ALGORITHM] = {.name = "algorithm", .type = PARAM_CHOICE, .choices = algorithms, .summary = "which solver"},
    [BOARD] = {.name = "board", .type = PARAM_CHOICE, .choices = boards, .summary = "draw each solution too"},
    [BASE] = PARAM_BASE,
    [FORMAT] = PARAM_FORMAT(formats_offered),
    [CURSOR] = {.name = "cursor", .type = PARAM_TOKEN, .summary = "where a page before ended: its next_cursor"},
    {0},
};

/* The question, but for where the list begins. A picture shows the first solution there, whatever limit says. */
static struct question ask(const struct request *request, const struct value *values)
{
    const struct format *format = request_format(request);
    return (struct question){
        .kind = ASK_SOLVE,
        .n = (uint32_t)values[N].number,
        .base = route_base(&values[BASE]),
        .format = format,
        .algorithm = algorithms(values[ALGORITHM].number),
        .board = (enum board_style)values[BOARD].number,
        .limit = format->draw          ? 1
                 : values[LIMIT].given ? values[LIMIT].number
                 : format->lines       ? UINT64_MAX
                                       : PAGE_LIMIT,
    };
}

static void check(const struct request *request, const struct value *values, struct complaints *complaints)
{
    struct question question = ask(request, values);
    if (values[LIMIT].sound && values[LIMIT].given && !question.format->lines && question.limit > PAGE_LIMIT_MAX)
        complain(complaints, true, "limit", "is at most %d for a page; a stream, as format=ndjson, has no limit",
                 PAGE_LIMIT_MAX);
    if (values[N].sound && question.n == 0 && question.format->draw)
        complain(complaints, true, "n", "is at least 1 for a picture");
    if (values[N].sound && values[ALGORITHM].sound && values[CURSOR].sound && values[CURSOR].given &&
        question_set_cursor(&question, values[CURSOR].token) == NQ_INVALID)
        complain(complaints, false, "cursor", "is not a cursor of this list");
}

static enum MHD_Result handle(struct request *request, struct value *values)
{
    struct question question = ask(request, values);
    if (!question.format->lines) { /* a page has a limit, said or not: one canonical form for both */
        values[LIMIT].given = true;
        values[LIMIT].number = question.limit;
    }
    if (question.format->draw && (question.n == 2 || question.n == 3))
        return reply_no_solution(request, question.n);
    enum nq_status status = values[CURSOR].given ? question_set_cursor(&question, values[CURSOR].token) : NQ_OK;
    if (status != NQ_OK || !request_canonical(request, values, &question))
        return reply_status(request, NQ_NOMEM);
    return question.format->lines ? reply_stream(request, &question) : reply_question(request, &question);
}

const struct route route_solve = {
    .path = "/solve",
    .summary = "Solutions of one board size, page by page or as a stream",
    .params = params,
    .formats = formats_offered,
    .check = check,
    .handle = handle,
};
