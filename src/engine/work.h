/* work.h - the shape of what a flight carries out: one answer, made in slices on one lane or on several at once. */
#ifndef ENGINE_WORK_H
#define ENGINE_WORK_H

#include <stdatomic.h>

#include "engine/answer.h"
#include "engine/pool.h"
#include "engine/question.h"
#include "kernels/kernel.h"

struct work;

struct work_class {
    /* One slice on one of the lanes. NQ_AGAIN: more to do here; NQ_OK: nothing left for this lane; else: failed. */
    enum nq_status (*slice)(struct work *work, const struct slice *slice, const atomic_bool *stop);
    /* The answer, after every lane returned NQ_OK. NQ_OK with one reference, or NQ_NOMEM. */
    enum nq_status (*finish)(struct work *work, struct answer **answer);
    void (*close)(struct work *work);
};

struct work {
    const struct work_class *class;
    unsigned lanes;
};

/* One page of solutions, or a construction of moderate size. question must outlive the work. */
enum nq_status work_page(const struct question *question, struct work **work);

/* A count: from the table on one lane, or by searching on as many lanes as there are threads. */
enum nq_status work_tally(const struct question *question, const struct kernel *kernel, unsigned threads,
                          struct work **work);

#endif
