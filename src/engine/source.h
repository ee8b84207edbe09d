/* source.h - the shape of a body in the making: it writes itself piece by piece, and can be left alone in between for
 * as long as anyone likes. Pages and streams are the same sources, read differently. */
#ifndef ENGINE_SOURCE_H
#define ENGINE_SOURCE_H

#include <stdatomic.h>

#include "engine/pool.h"
#include "engine/question.h"
#include "kernels/kernel.h"

struct source;

struct source_class {
    /* Appends to `out` until it holds `want` bytes or fails, the slice is over or *stop is set. NQ_AGAIN: there is
     * more; NQ_END: the body is whole, unless `out` has failed; anything else: it never will be. Called by source_fill.
     */
    enum nq_status (*fill)(struct source *source, struct bytes *out, size_t want, const struct slice *slice,
                           const atomic_bool *stop);
    void (*close)(struct source *source);
};

struct source {
    const struct source_class *class;
    uint64_t solutions; /* written so far */
    uint64_t nodes;     /* tried so far, as budgets count them */
    bool complete;      /* false after NQ_END: a budget ran out before the list was as long as was asked */
    size_t link, link_length;
};

/* Goes on writing: see fill above; what that took is told to the slice's meter. NQ_NOMEM when anything of it found no
 * room. */
static inline enum nq_status source_fill(struct source *source, struct bytes *out, size_t want,
                                         const struct slice *slice, const atomic_bool *stop)
{
    const uint64_t before = source->nodes;
    const enum nq_status status = source->class->fill(source, out, want, slice, stop);
    meter_did(slice->meter, source->nodes - before);
    return out->failed ? NQ_NOMEM : status;
}

/* A source for the question, which must outlive it: bounded like a page, or as long as it takes. NQ_OK, or what opening
 * the solver or the construction came to. */
enum nq_status source_open(const struct question *question, const struct kernel *kernel, bool bounded,
                           struct source **source);

/* What it is made by. */
enum nq_status source_solve(const struct question *question, bool bounded, struct source **source);
enum nq_status source_sample(const struct question *question, const struct kernel *kernel, struct source **source);
enum nq_status source_trace(const struct question *question, bool bounded, struct source **source);
enum nq_status source_construct(const struct question *question, const struct kernel *kernel, struct source **source);

#endif
