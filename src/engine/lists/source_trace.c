/* source_trace.c - what an algorithm does, step by step: its machine on one side, a format on the other. A page begins
 * after a number of steps, which are done again and not written. */
#include <stdlib.h>

#include "engine/ask/machines.h"
#include "engine/lists/source.h"

/* Cost of the steps between two looks at the clock: well under a millisecond. */
enum { GRANT = 1 << 14 };

struct tracing {
    struct source source;
    const struct question *question;
    const struct machine_class *class;
    void *machine;
    struct trace_head head;
    struct stats stats;
    uint64_t written; /* steps */
    uint32_t *board;
    char regions[REGIONS_TEXT_MAX]; /* of the head, if it has any */
    bool begun, bounded, ended;
};

/* Writes how the trace ended, and from where it goes on: a number of steps. */
static enum nq_status end(struct tracing *tracing, struct bytes *out)
{
    const struct question *question = tracing->question;
    struct source *source = &tracing->source;
    struct trace_tail tail = {.returned = tracing->written,
                              .complete = source->complete,
                              .ended = tracing->ended,
                              .stats = &tracing->stats,
                              .prefix = question->prefix};
    const struct token place = {.ordinal = tracing->head.offset + tracing->written};
    char cursor[TOKEN_TEXT_MAX], *next = NULL;
    if (!tracing->ended && (tracing->written || question->list.resumed)) {
        out->failed |= !question_next(question, &place, cursor, &next, &source->link.length);
        tail.next = next;
        tail.next_cursor = cursor;
    }
    source->link.at = question->format->trace_end(out, &tracing->head, &tail);
    free(next);
    return NQ_END;
}

static void begin(struct tracing *tracing, struct bytes *out)
{
    tracing->class->board(tracing->machine, tracing->board);
    if (tracing->question->format->trace_begin)
        tracing->question->format->trace_begin(out, &tracing->head);
    tracing->begun = true;
}

/* Whether the page is as long as it may be: each of n queens on the board takes up to six bytes. */
static bool full(const struct tracing *tracing, const struct bytes *out)
{
    return tracing->written == tracing->question->list.limit ||
           (tracing->bounded && out->size >= PAGE_MAX_BYTES - PAGE_RESERVE - 6 * (size_t)tracing->head.rows);
}

/* Does a step, and writes it if it belongs to the page. NQ_END: the trace ends here. */
static enum nq_status go(struct tracing *tracing, struct bytes *out, uint64_t *cost)
{
    struct step step;
    const uint64_t number = tracing->stats.steps;
    if (tracing->question->list.most && tracing->stats.solutions == tracing->question->list.most)
        tracing->ended = true;
    const enum nq_status status = tracing->ended ? NQ_END : tracing->class->step(tracing->machine, &step);
    if (status == NQ_END)
        tracing->ended = true;
    const bool skipped = number < tracing->head.offset;
    if (status != NQ_OK || (!skipped && full(tracing, out))) /* one more step has shown whether there is one */
        return status == NQ_OK ? NQ_END : status;
    stats_add(&tracing->stats, &step);
    *cost += step_cost(&step);
    if (skipped)
        return NQ_OK;
    tracing->class->board(tracing->machine, tracing->board);
    tracing->question->format->trace_step(out, &tracing->head, number, &step, tracing->board);
    tracing->written++;
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
        if (tracing->bounded && source->nodes >= PAGE_MAX_NODES)
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
    struct machine_settings settings = question->list.cursor.machine;
    settings.rule = question->query.filter.rule;
    struct machine machine;
    if (!machines_find(question->list.cursor.algorithm, &machine))
        return NQ_INVALID;
    const bool shaped = question->shape.rows;
    const uint32_t rows = shaped ? question->shape.rows : question->n;
    settings.n = question->n;
    settings.shape = shaped ? &question->shape : NULL;
    settings.regions = question->query.regions.n ? &question->query.regions : NULL;
    settings.allowance = question->allowance;
    struct tracing *tracing = calloc(1, sizeof *tracing);
    if (!tracing)
        return NQ_NOMEM;
    tracing->source = (struct source){.class = &class, .complete = true};
    tracing->question = question;
    tracing->class = machine.class;
    tracing->bounded = bounded;
    tracing->board = malloc(rows * sizeof *tracing->board);
    tracing->head = (struct trace_head){.n = question->n,
                                        .rows = rows,
                                        .shape = settings.shape,
                                        .base = question->base,
                                        .rules = question_rules(question),
                                        .algorithm = question->list.cursor.algorithm,
                                        .seeded = machine.heeds & HEEDS_SEED,
                                        .seed = question->seed,
                                        .offset = question->list.from.ordinal,
                                        .limit = question->list.limit,
                                        .board = tracing->board};
    if (question->query.regions.n)
        tracing->head.regions = regions_text(&question->query.regions, '/', tracing->regions);
    return source_opened(&tracing->source,
                         tracing->board ? machine_open(tracing->class, &settings, &tracing->machine) : NQ_NOMEM,
                         source);
}
