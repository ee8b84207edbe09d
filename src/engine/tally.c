/* tally.c - a count: fanned out over the units of a method, every lane taking the next until none is left; or looked
 * up. */
#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "count/method.h"
#include "engine/work.h"

struct tally {
    struct work work;
    const struct question *question;
    const struct method *method;
    const struct kernel *kernel;
    void *plan;
    size_t units;
    atomic_size_t next; /* the first unit nobody has taken */
    atomic_ullong parts;
};

static enum nq_status tally_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct tally *tally = (struct tally *)work;
    do {
        size_t unit = atomic_fetch_add(&tally->next, 1);
        if (unit >= tally->units)
            return NQ_OK;
        struct unit_result result;
        enum nq_status status = tally->method->count(tally->plan, unit, tally->kernel, stop, &result);
        if (status != NQ_OK)
            return status;
        atomic_fetch_add(&tally->parts, result.parts);
    } while (clock_now() < slice->deadline);
    return NQ_AGAIN;
}

static enum nq_status tally_finish(struct work *work, struct answer **out)
{
    struct tally *tally = (struct tally *)work;
    const struct question *question = tally->question;
    struct count_fact fact = {.n = question->n, .base = question->base};
    if (question->from_table) {
        fact.provenance = "table";
        fact.oeis = "A000170";
        if (nq_known_count(question->n, &fact.count) != NQ_OK)
            return NQ_LIMIT;
    } else {
        const uint64_t parts = atomic_load(&tally->parts);
        assert(parts % METHOD_PARTS == 0);
        fact.provenance = "computed";
        fact.count = parts / METHOD_PARTS;
    }
    struct bytes body = {0};
    format_count(&body, &fact);
    *out = answer_new(&body, question->format->media_type);
    bytes_free(&body);
    return *out ? NQ_OK : NQ_NOMEM;
}

static void tally_close(struct work *work)
{
    struct tally *tally = (struct tally *)work;
    if (tally->plan)
        tally->method->release(tally->plan);
    free(tally);
}

enum nq_status work_tally(const struct question *question, const struct kernel *kernel, unsigned threads,
                          struct work **work)
{
    static const struct work_class class = {.slice = tally_slice, .finish = tally_finish, .close = tally_close};
    struct tally *tally = calloc(1, sizeof *tally);
    if (!tally)
        return NQ_NOMEM;
    tally->question = question;
    tally->method = methods[0];
    tally->kernel = kernel;
    if (!question->from_table) {
        enum nq_status status =
            question->n > tally->method->max_n ? NQ_LIMIT : tally->method->prepare(question->n, &tally->plan);
        if (status != NQ_OK) {
            free(tally);
            return status;
        }
        tally->units = tally->method->units(tally->plan);
    }
    tally->work = (struct work){.class = &class, .lanes = tally->units < threads ? 1 : threads};
    *work = &tally->work;
    return NQ_OK;
}
