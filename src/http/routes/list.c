/* list.c - asks what a list of solutions needs, one question after the other, then for the list. */
#include "http/routes/list.h"

#include <limits.h>
#include <stdlib.h>

#include "engine/ask/count_query.h"
#include "http/reply/request.h"

/* What the request keeps on the way. */
struct list {
    struct shared_question *total; /* NULL: not needed, or answered */
    struct shared_question *index; /* the same */
    bool place;                    /* the index has to say where the list begins */
    bool again;                    /* the index was asked for a second time */
    struct answer *indexed;        /* the index; the request's question borrows it, */
    struct answer *begun;          /* and the columns of where the list begins */
};

static void list_free(void *kept)
{
    struct list *list = kept;
    question_unref(list->total);
    question_unref(list->index);
    answer_unref(list->indexed);
    answer_unref(list->begun);
    free(list);
}

static enum MHD_Result step(struct request *request);

static enum MHD_Result counted(struct request *request, struct answer *answer)
{
    struct list *list = request->kept;
    request->question.list.total_known = true;
    request->question.list.total = answer->count;
    question_unref(list->total);
    list->total = NULL;
    return step(request);
}

static enum MHD_Result indexed(struct request *request, struct answer *answer);

/* A job that is done has the count of the index only. Asked for again, the index is in the cache, or is made of what
 * the store has: no job is begun for that, the client waits as long as it may. */
static enum MHD_Result ask_again(struct request *request)
{
    struct list *list = request->kept;
    if (list->again)
        return reply_status(request, NQ_TIMEOUT);
    list->again = true;
    request->headers.respond_async = false;
    request->headers.wait = INT_MAX;
    return reply_found(request, &list->index->question, indexed);
}

static enum MHD_Result indexed(struct request *request, struct answer *answer)
{
    struct list *list = request->kept;
    if (!answer->extra)
        return ask_again(request);
    struct question *question = &request->question;
    list->indexed = answer_ref(answer);
    if (question->kind == ASK_VERIFY)
        question->verify.index = list->indexed;
    else
        question->list.index = list->indexed;
    question_unref(list->index);
    list->index = NULL;
    return step(request);
}

static enum MHD_Result placed(struct request *request, struct answer *answer)
{
    struct list *list = request->kept;
    const struct token *token = answer->extra;
    request->question.list.from =
        (struct list_start){.ordinal = token->ordinal, .length = token->length, .prefix = token->prefix};
    list->begun = answer_ref(answer);
    list->place = false;
    return step(request);
}

/* Asks where the list begins. */
static enum MHD_Result ask_place(struct request *request)
{
    struct question place = request->question;
    struct bytes key = {0};
    bytes_format(&key, "place %s", place.key);
    char *text = bytes_take(&key);
    if (!text)
        return reply_status(request, NQ_NOMEM);
    place.kind = ASK_SEEK;
    place.key = text;
    place.uncacheable = true;
    const enum MHD_Result result = reply_found(request, &place, placed);
    free(text);
    return result;
}

/* Asks the next question, or the last one. */
static enum MHD_Result step(struct request *request)
{
    struct list *list = request->kept;
    if (list->total)
        return reply_after(request, &list->total->question, counted);
    if (list->index)
        return reply_after(request, &list->index->question, indexed);
    if (list->place)
        return ask_place(request);
    if (request->question.format->lines)
        return reply_flow(request);
    return reply_found(request, &request->question, NULL);
}

/* Makes a count's question if it is needed. False: out of memory. */
static bool prepare(const struct request *request, bool needed, const struct query_values *query, enum count_by by,
                    struct shared_question **out)
{
    if (!needed)
        return true;
    *out = count_query_for(query, by);
    if (*out)
        (*out)->question.principal = request->question.principal;
    return *out;
}

/* Makes the questions that are needed, and begins to ask them. */
static enum MHD_Result gather(struct request *request, const struct list_needs *needs, bool place)
{
    struct list *list = calloc(1, sizeof *list);
    if (!list)
        return reply_status(request, NQ_NOMEM);
    request_keep(request, list, list_free);
    if (!prepare(request, needs->total, needs->query, COUNT_BY_NONE, &list->total) ||
        !prepare(request, needs->index, needs->query, COUNT_BY_INDEX, &list->index))
        return reply_status(request, NQ_NOMEM);
    list->place = place;
    return step(request);
}

enum MHD_Result reply_list(struct request *request, const struct list_needs *needs)
{
    enum MHD_Result result;
    if (reply_at_hand(request, request->question.format->lines, &result))
        return result;
    return gather(request, needs, needs->index && !request->question.list.samples);
}

enum MHD_Result reply_ranked(struct request *request, const struct query_values *query)
{
    return gather(request, &(struct list_needs){.query = query, .index = true}, false);
}
