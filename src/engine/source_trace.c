/* source_trace.c - what an algorithm does, step by step, writing itself: its machine on one side, a format on the
 * other. Where a page begins is a number of steps: those before it are done again, and not told. */
#include <stdlib.h>

#include "engine/machines.h"
#include "engine/source.h"

/* What may be spent between two looks at the clock, which is well under a millisecond; and room for a page's end. */
enum { GRANT = 1 << 14 };

struct tracing {
    struct source source;
    const struct question *question;
    const struct machine_class *class;
    void *machine;
    struct trace_head head;
    struct stats stats;
    uint64_t told;       /* steps */
    uint64_t nodes_left; /* of a page's budget */
    uint32_t *board;
    bool begun, bounded, ended;
};

/* Writes how the trace ended, and from where it goes on: a number of steps. */
static enum nq_status end(struct tracing *tracing, struct bytes *out)
{
    const struct question *question = tracing->question;
    struct source *source = &tracing->source;
    struct trace_tail tail = {.returned = tracing->told,
                              .complete = source->complete,
                              .ended = tracing->ended,
                              .stats = &tracing->stats,
                              .prefix = tracing->bounded ? "" : question->prefix};
    const struct token place = {.ordinal = tracing->head.offset + tracing->told};
    char cursor[TOKEN_TEXT_MAX];
    if (!tracing->ended && tracing->told) {
        tail.next = question_next(question, &place, cursor, &source->link_length);
        tail.next_cursor = cursor;
        out->failed |= !tail.next;
    }
    source->link = question->format->trace_end(out, &tracing->head, &tail);
    free((char *)tail.next);
    return NQ_END;
}

static void begin(struct tracing *tracing, struct bytes *out)
{
    tracing->class->board(tracing->machine, tracing->board);
    tracing->question->format->trace_begin(out, &tracing->head);
    tracing->begun = true;
}

/* Whether the page is as long as it may be. */
static bool full(const struct tracing *tracing, const struct bytes *out)
{
    return tracing->told == tracing->question->limit ||
           (tracing->bounded && out->size >= PAGE_MAX_BYTES - PAGE_RESERVE - 6 * (size_t)tracing->head.n);
}

/* Does a step, and tells it if it is one to be told. NQ_END: the trace ends here. */
static enum nq_status go(struct tracing *tracing, struct bytes *out, uint64_t *cost)
{
    struct step step;
    const uint64_t number = tracing->stats.steps;
    if (tracing->question->most && tracing->stats.solutions == tracing->question->most)
        tracing->ended = true;
    const enum nq_status status = tracing->ended ? NQ_END : tracing->class->step(tracing->machine, &step);
    if (status == NQ_END)
        tracing->ended = true;
    if (status != NQ_OK || full(tracing, out)) /* one more step has shown whether there is one */
        return status == NQ_OK ? NQ_END : status;
    stats_add(&tracing->stats, &step);
    *cost += step_cost(&step);
    if (number < tracing->head.offset)
        return NQ_OK;
    tracing->class->board(tracing->machine, tracing->board);
    tracing->question->format->trace_step(out, &tracing->head, number, &step, tracing->board);
    tracing->told++;
    return NQ_OK;
}

static enum nq_status fill(struct source *source, struct bytes *out, size_t want, const struct slice *slice,
                           const atomic_bool *stop)
{
    struct tracing *tracing = (struct tracing *)source;
    uint64_t unseen = 0;
    while (out->size < want && !out->failed) {
        uint64_t cost = 0;
        if (!tracing->begun && tracing->stats.steps == tracing->head.offset)
            begin(tracing, out);
        if (tracing->nodes_left == 0)
            source->complete = false;
        const enum nq_status status = source->complete ? go(tracing, out, &cost) : NQ_END;
        if (status == NQ_END) {
            if (!tracing->begun)
                begin(tracing, out);
            return end(tracing, out);
        }
        if (status != NQ_OK)
            return status;
        source->nodes += cost;
        if (tracing->bounded)
            tracing->nodes_left -= cost < tracing->nodes_left ? cost : tracing->nodes_left;
        unseen += cost;
        const enum nq_status look = slice_look(slice, stop, GRANT, &unseen);
        if (look != NQ_OK)
            return look;
    }
    return NQ_AGAIN;
}

static void close_tracing(struct source *source)
{
    struct tracing *tracing = (struct tracing *)source;
    if (tracing->machine)
        tracing->class->close(tracing->machine);
    free(tracing->board);
    free(tracing);
}

enum nq_status source_trace(const struct question *question, bool bounded, struct source **source)
{
    static const struct source_class class = {.fill = fill, .close = close_tracing};
    struct machine_settings settings = question->cursor.machine;
    struct machine machine;
    if (!machines_find(question->cursor.algorithm, &machine))
        return NQ_INVALID;
    struct tracing *tracing = calloc(1, sizeof *tracing);
    if (!tracing)
        return NQ_NOMEM;
    tracing->source = (struct source){.class = &class, .complete = true};
    tracing->question = question;
    tracing->class = machine.class;
    tracing->bounded = bounded;
    tracing->nodes_left = PAGE_MAX_NODES;
    tracing->board = malloc(question->n * sizeof *tracing->board);
    settings.n = question->n;
    settings.allowance = question->allowance;
    const enum nq_status status = tracing->board ? machine.class->open(&settings, &tracing->machine) : NQ_NOMEM;
    if (status != NQ_OK) {
        close_tracing(&tracing->source);
        return status;
    }
    tracing->head = (struct trace_head){.n = question->n,
                                        .base = question->base,
                                        .algorithm = question->cursor.algorithm,
                                        .seeded = machine.heeds & HEEDS_SEED,
                                        .seed = question->seed,
                                        .offset = question->from.ordinal,
                                        .limit = question->limit,
                                        .board = tracing->board};
    *source = &tracing->source;
    return NQ_OK;
}
