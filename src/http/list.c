/* list.c - the way to a list of solutions, step by step; each step is taken when the answer before it is there. */
#include "http/list.h"

#include <stdlib.h>

#include "http/ask_count.h"
#include "http/request.h"
#include "http/response.h"

struct list {
    struct question question; /* what is replied to in the end, with strings of its own */
    struct question total;    /* asked before, likewise; no key: not needed, or known by now */
    struct question index;
    bool place; /* where it begins is to be found in the index */
};

void list_free(struct list *list)
{
    if (!list)
        return;
    question_free(&list->question);
    question_free(&list->total);
    question_free(&list->index);
    free(list);
}

static enum MHD_Result step(struct request *request);

static enum MHD_Result counted(struct request *request, struct answer *answer)
{
    struct list *list = request->list;
    list->question.total_known = true;
    list->question.total = answer->count;
    question_free(&list->total);
    return step(request);
}

static enum MHD_Result indexed(struct request *request, struct answer *answer)
{
    struct list *list = request->list;
    if (!answer->extra) { /* a job's result, kept without: what it found is in the store */
        request->then = indexed;
        return reply_found(request, &list->index);
    }
    list->question.index = answer_ref(answer);
    question_free(&list->index);
    return step(request);
}

static enum MHD_Result placed(struct request *request, struct answer *answer)
{
    struct list *list = request->list;
    list->question.from = *(const struct token *)answer->extra;
    list->place = false;
    return step(request);
}

/* Asks where the list begins. */
static enum MHD_Result ask_place(struct request *request)
{
    struct question place = request->list->question;
    struct bytes key = {0};
    bytes_format(&key, "place %s", place.key);
    char *text = bytes_take(&key);
    if (!text)
        return reply_status(request, NQ_NOMEM);
    place.kind = ASK_PLACE;
    place.key = text;
    place.fleeting = true;
    const enum MHD_Result result = reply_after(request, &place, placed);
    free(text);
    return result;
}

/* The next question, or the last one. */
static enum MHD_Result step(struct request *request)
{
    struct list *list = request->list;
    if (list->total.key)
        return reply_after(request, &list->total, counted);
    if (list->index.key)
        return reply_after(request, &list->index, indexed);
    if (list->place)
        return ask_place(request);
    if (list->question.format->lines)
        return reply_flow(request, &list->question);
    return reply_after(request, &list->question, NULL);
}

/* Takes down what is needed, and begins to ask for it. */
static enum MHD_Result gather(struct request *request, const struct question *question, const struct list_needs *needs,
                              bool place)
{
    struct list *list = request->list = calloc(1, sizeof *list);
    if (!list || !question_copy(&list->question, question) ||
        (needs->total && !ask_count_for(needs->query, COUNT_BY_NONE, &list->total)) ||
        (needs->index && !ask_count_for(needs->query, COUNT_BY_INDEX, &list->index)))
        return reply_status(request, NQ_NOMEM);
    list->total.asker = list->index.asker = question->asker; /* who waits for them, too */
    list->place = place;
    return step(request);
}

enum MHD_Result reply_list(struct request *request, const struct question *question, const struct list_needs *needs)
{
    enum MHD_Result result;
    if (reply_at_hand(request, question, question->format->lines, &result))
        return result;
    return gather(request, question, needs, needs->index && !question->samples);
}

enum MHD_Result reply_ranked(struct request *request, const struct question *question, const struct query_values *query)
{
    return gather(request, question, &(struct list_needs){.query = query, .index = true}, false);
}
