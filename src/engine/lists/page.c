/* page.c - a source read to its end into one answer, slice by slice. */
#include <stdlib.h>

#include "engine/ask/query_values.h"
#include "engine/lists/rank_lookup.h"
#include "engine/lists/source.h"
#include "engine/run/work.h"

struct page {
    struct work work;
    const struct question *question;
    const struct kernel *kernel;
    struct seeking *seeking; /* has the question, if it had to be found where the list begins */
    struct source *source;   /* NULL: it has not been found yet */
    struct bytes body;
};

/* Whether an empty list means that the board has no solutions by its rule: nothing else leaves any out. */
static bool lists_all(const struct question *question)
{
    const struct list_question *list = &question->list;
    return question->kind == ASK_SOLVE && !question->shape.rows && question_rules(question) &&
           !question_symmetry(question) && !list->completes && !list->offset && !list->from.length &&
           !list->from.ordinal;
}

/* A picture needs a solution. */
static enum nq_status nothing_to_draw(struct page *page)
{
    const struct question *question = page->question;
    if (page->source->complete) {
        if (lists_all(question))
            fault_no_solution(&page->work.fault, question->n, question->query.filter.rule);
        return NQ_NONE;
    }
    fault_write(&page->work.fault, FAULT_NOT_DRAWN, NULL,
                "The search for the picture ended at its budget, without a solution. With format=json, next "
                "continues the search.");
    return NQ_LIMIT;
}

/* Opens the source, once it is found where the list begins. */
static enum nq_status page_open(struct page *page, const struct slice *slice, const atomic_bool *stop)
{
    const enum nq_status status = seek_start(&page->seeking, &page->question, page->kernel, slice, stop);
    return status == NQ_OK ? source_open(page->question, page->kernel, true, &page->source) : status;
}

static enum nq_status page_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct page *page = (struct page *)work;
    enum nq_status status = page->source ? NQ_OK : page_open(page, slice, stop);
    if (status == NQ_OK)
        status = source_fill(page->source, &page->body, SIZE_MAX, slice, stop);
    if (status == NQ_LIMIT && page->source && page->source->fault.text[0])
        page->work.fault = page->source->fault;
    else if (status == NQ_LIMIT)
        fault_write(&page->work.fault, FAULT_MEMORY, NULL,
                    "The algorithm needs more memory than its limit. Use a smaller n, or algorithm=bitboard.");
    if (status != NQ_END)
        return status;
    if (!page->question->format->picture || page->body.size)
        return NQ_OK;
    return nothing_to_draw(page);
}

static enum nq_status page_finish(struct work *work, struct answer **out)
{
    struct page *page = (struct page *)work;
    const enum nq_status status = work_answered(&page->body, page->question, out);
    if (status != NQ_OK)
        return status;
    (*out)->complete &= page->source->complete;
    (*out)->link = page->source->link.at;
    (*out)->link_length = page->source->link.length;
    return NQ_OK;
}

static void page_close(struct work *work)
{
    struct page *page = (struct page *)work;
    if (page->source)
        page->source->class->close(page->source);
    seek_close(page->seeking);
    bytes_free(&page->body);
    free(page);
}

enum nq_status source_open(const struct question *question, const struct kernel *kernel, bool bounded,
                           struct source **source)
{
    if (question->kind == ASK_CONSTRUCT)
        return source_construct(question, kernel, source);
    if (question->kind == ASK_TRACE)
        return source_trace(question, bounded, source);
    if (question->shape.rows)
        return source_shape(question, bounded, source);
    return question->list.samples ? source_sample(question, kernel, source) : source_solve(question, bounded, source);
}

enum nq_status work_page(const struct question *question, const struct tools *tools, struct work **work)
{
    static const struct work_class class = {.slice = page_slice, .finish = page_finish, .close = page_close};
    struct page *page = work_new(sizeof *page, &class);
    if (!page)
        return NQ_NOMEM;
    page->question = question;
    page->kernel = tools->kernel;
    const enum nq_status status =
        seek_wanted(question) ? NQ_OK : source_open(question, page->kernel, true, &page->source);
    return work_opened(&page->work, status, work);
}
