/* brief.c - by the size of the board and what is asked of it. */
#include "engine/ask/brief.h"

#include <string.h>

#include "solvers/solver.h"

/* The largest board of each kind; 0: none is brief. Measured on a Zen 5 core with questions that exclude two squares,
 * or have a seed: half of them took 10 to 60 us, nine of ten less than 80. */
static const uint8_t largest[] = {
    [ASK_SOLVE] = 10, [ASK_COUNT] = 10,  [ASK_CONSTRUCT] = 12,
    [ASK_PUZZLE] = 8, [ASK_VERIFY] = 12, [ASK_GZIP] = 0, /* the last kind */
};

/* Of a list: more would take longer to write, and the ranks of all of them a table. */
enum { MOST_SOLUTIONS = 100 };

static bool brief_list(const struct list_question *list)
{
    const char *algorithm = list->cursor.algorithm;
    return (!algorithm || solver_find(algorithm) == solvers[0]) && !list->cursor.watched && !list->ranked &&
           !list->index && list->limit <= MOST_SOLUTIONS;
}

static bool brief_count(const struct question *question)
{
    const struct count_question *count = &question->count;
    const bool computed = count->way == COUNT_COMPUTE && !count->indexed && !count->statistic;
    return (computed && !question->query.by_square) || count->way == COUNT_TABLE;
}

bool question_brief(const struct question *question)
{
    const struct query *query = &question->query;
    const uint8_t most = largest[question->kind];
    if (!most || question->n > most || query->filter.rule || query->regions.n ||
        strcmp(question->format->name, "json") != 0) /* a picture takes longer */
        return false;
    switch (question->kind) {
    case ASK_SOLVE: return brief_list(&question->list);
    case ASK_COUNT: return brief_count(question);
    case ASK_CONSTRUCT: return !question->construct.settings.rule;
    case ASK_PUZZLE: return !question->puzzle.rule && !question->puzzle.regions;
    case ASK_VERIFY: return !question->verify.rule && !question->verify.index;
    default: return false;
    }
}
