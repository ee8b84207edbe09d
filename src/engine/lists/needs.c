/* needs.c - totals and indexes of lists. Each is asked for by a canonical text that is made of the question's: the
 * solutions that it counts are those that the question lists, and what an algorithm lists unasked is named, too. */
#include "engine/lists/needs.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "count/index.h"
#include "engine/ask/answer.h"
#include "engine/ask/count_query.h"
#include "engine/run/small_index.h"

/* ---- What is needed ---- */

/* A page has its total unasked if boards of that size are counted in milliseconds. */
static bool needs_total(const struct question *question)
{
    const bool page = !question->format->lines && !question->format->picture;
    if (question->shape.rows)
        return page && question->list.totalled;
    return page && !question->query.regions.n && !question_table_total(question) && question_listed(question) &&
           (question->list.totalled || question->n <= small_index_most(question->query.filter.rule));
}

/* Ranks must be found, or solutions by their rank. */
static bool needs_index(const struct question *question)
{
    const struct list_question *list = &question->list;
    const struct query whole = {.filter = {.n = question->n, .rule = question->query.filter.rule}};
    if (question->kind == ASK_SOLVE)
        return list->samples || list->offset || (list->after && list->ranked);
    return question->verify.ranked && question->n > small_index_most(whole.filter.rule) &&
           question->n <= index_most(&whole);
}

bool question_needs(const struct question *question, enum need need)
{
    switch (need) {
    case NEED_TOTAL: return question->kind == ASK_SOLVE && needs_total(question);
    case NEED_INDEX: return (question->kind == ASK_SOLVE || question->kind == ASK_VERIFY) && needs_index(question);
    case NEED_NONE: break;
    }
    return false;
}

void question_within_reach(const struct question *question, struct validation_errors *errors)
{
    const struct {
        enum need need;
        uint32_t most;
        const char *of;
    } counts[] = {{NEED_INDEX, index_most(&question->query), "offset, for sample, and for rank with after"},
                  {NEED_TOTAL, COUNT_COMPUTE_MAX_N, "total=true"}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (question_needs(question, counts[i].need) && question->n > counts[i].most)
            reject_with(errors, REFUSED_UPPER_LIMIT, "n", MEMBERS(NUMBER((int)counts[i].most)),
                        "must be at most %" PRIu32 " for %s", counts[i].most, counts[i].of);
}

/* NEED_NONE: nothing. */
static enum need missing(const struct question *question)
{
    enum need need = NEED_TOTAL;
    while (need < NEED_NONE && (question->needed[need] || !question_needs(question, need)))
        need++;
    return need;
}

/* ---- Asking ---- */

/* Appends a parameter that the question's path has. */
static void add_same(struct bytes *text, const struct question *question, const char *parameter)
{
    const char *at = strstr(question->path, parameter);
    if (at)
        bytes_add(text, at, strlen(parameter) + strcspn(at + strlen(parameter), "&"));
}

/* Appends one that it has by what it asks for; NULL: none. */
static void add_word(struct bytes *text, const char *parameter, const char *word)
{
    if (word)
        bytes_format(text, "%s%s", parameter, word);
}

/* The count of what the question lists, or looks a rank up in. */
static char *text_of(const struct question *question, enum need need)
{
    const bool list = question->kind == ASK_SOLVE;
    const struct cursor_settings *cursor = &question->list.cursor;
    struct bytes text = {0};
    bytes_format(&text, "/count?n=%" PRIu32 "&method=compute", question->n);
    add_word(&text, "&distinct=", question_distinct(question));
    add_word(&text, "&symmetry=", question_symmetry(question));
    add_word(&text, "&rules=", question_rules(question));
    if (list && solver_find(cursor->algorithm)->lists == LISTS_COLUMN)
        bytes_format(&text, "&place=%" PRIu32 ":%" PRIu32, question->base, cursor->machine.column + question->base);
    else
        add_same(&text, question, "&place=");
    add_same(&text, question, "&exclude=");
    add_same(&text, question, "&m=");
    add_same(&text, question, "&queens=");
    add_same(&text, question, "&walls=");
    add_same(&text, question, "&maximal=");
    add_same(&text, question, "&base=");
    add_word(&text, "&by=", need == NEED_INDEX ? "index" : NULL);
    return bytes_take(&text);
}

enum nq_status question_first(const struct question *question, struct shared_question **first)
{
    const enum need need = missing(question);
    if (need == NEED_NONE)
        return NQ_NONE;
    char *text = text_of(question, need);
    const enum nq_status status = text ? count_query_parse(text, first) : NQ_NOMEM;
    assert(status != NQ_INVALID); /* it is within reach */
    free(text);
    if (status == NQ_OK) /* nobody else has it yet */
        (*first)->question.principal = question->principal;
    return status;
}

bool question_supply(struct question *question, struct answer *answer)
{
    const enum need need = missing(question);
    assert(need < NEED_NONE);
    if (need == NEED_INDEX && !answer->extra)
        return false;
    question->needed[need] = answer_ref(answer);
    return true;
}

void question_drop(struct question *question)
{
    for (size_t i = 0; i < NEED_NONE; i++)
        answer_unref(question->needed[i]);
    memset(question->needed, 0, sizeof question->needed);
}
