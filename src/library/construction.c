/* construction.c - the public construction by a rule, with a seed, which can be cancelled. */
#include "constructions/construction.h"
#include "library/query.h"

enum { SLICE = 1 << 16 }; /* placements or swaps: a millisecond or two */

static enum nq_status make_ready(struct nq_construction *construction, struct progress *progress)
{
    enum nq_status status;
    do {
        uint64_t budget = SLICE;
        status = construction_work(construction, &budget);
        if (status == NQ_AGAIN && !progress_look(progress))
            return NQ_CANCELLED;
    } while (status == NQ_AGAIN);
    return status;
}

enum nq_status nq_construction_open_with(const char *name, uint32_t n, const struct nq_construction_settings *given,
                                         struct nq_construction **out)
{
    static const struct nq_construction_settings none = {0};
    const struct construction *method = construction_find(name);
    struct construction_settings settings = construction_presets(n);
    struct nq_construction *construction;
    struct progress progress;
    given = given ? given : &none;
    settings.seed = given->seed;
    if (!method || !library_rule(given->rule, &settings.rule))
        return NQ_INVALID;
    if (!rule_by_lines(settings.rule))
        settings.multiplier = 0; /* its own */
    enum nq_status status = construction_open(method, &settings, &construction);
    if (status != NQ_OK)
        return status;
    progress_begin(&progress, given->progress, given->context);
    status = make_ready(construction, &progress);
    progress_end(&progress);
    if (status != NQ_OK)
        nq_construction_close(construction);
    else
        *out = construction;
    return status;
}

enum nq_status nq_construction_open(const char *name, uint32_t n, struct nq_construction **out)
{
    return nq_construction_open_with(name, n, NULL, out);
}
