/* work.h - the shape of what a flight carries out: one answer, made in slices on one task or on several at once. */
#ifndef ENGINE_RUN_WORK_H
#define ENGINE_RUN_WORK_H

#include <stdatomic.h>
#include <stdlib.h>

#include "base/refusals.h"
#include "engine/ask/answer.h"
#include "engine/ask/question.h"
#include "engine/run/pool.h"
#include "kernels/kernel.h"

struct coordinator;
struct journal;
struct plans;
struct work;

/* How far a work has come, in whatever it measures itself by. */
struct progress {
    uint64_t weight, weight_done, weight_restored; /* restored: of what is done, by an earlier process or question */
    size_t units, units_done, units_restored;
    uint64_t nodes;    /* placements tried for this work */
    uint64_t took_off; /* clock_now() when it began */
    double seconds;    /* to go, if it knows by more than how far it came since then; 0: it does not */
};

struct work_class {
    /* What is shared by all tasks, before the first slice; sets work->tasks. NQ_OK, or why it fails. NULL: nothing. */
    enum nq_status (*prepare)(struct work *work, const atomic_bool *stop);
    /* One slice on one of the tasks. NQ_AGAIN: more to do here; NQ_OK: nothing left for this task; else: failed. */
    enum nq_status (*slice)(struct work *work, const struct slice *slice, const atomic_bool *stop);
    /* The answer, after every task returned NQ_OK. NQ_OK with one reference, or NQ_NOMEM. */
    enum nq_status (*finish)(struct work *work, struct answer **answer);
    void (*close)(struct work *work);
    /* Any thread, at any time; takes no lock. NULL: it says nothing. */
    void (*progress)(struct work *work, struct progress *progress);
};

struct work {
    const struct work_class *class;
    unsigned tasks;
    bool lengthy;       /* takes so long that it should keep out of the way of others */
    double seconds;     /* of one core it takes, about; 0: not much */
    struct fault fault; /* when prepare, slice or finish fails */
};

/* Allocates a work of `size` bytes that begins with its struct work: one task, and all behind it is zero. NULL: out of
 * memory. */
static inline void *work_new(size_t size, const struct work_class *class)
{
    struct work *work = calloc(1, size);
    if (work)
        *work = (struct work){.class = class, .tasks = 1};
    return work;
}

/* Hands over a work that was opened, or closes it, if that failed. Returns the status. */
static inline enum nq_status work_opened(struct work *work, enum nq_status status, struct work **out)
{
    if (status == NQ_OK)
        *out = work;
    else
        work->class->close(work);
    return status;
}

/* Makes the answer to a question of a body, which it frees; complete unless the question is uncacheable. NQ_OK or
 * NQ_NOMEM. */
static inline enum nq_status work_answered(struct bytes *body, const struct question *question, struct answer **answer)
{
    *answer = answer_new(body, question->format->media_type);
    bytes_free(body);
    if (!*answer)
        return NQ_NOMEM;
    (*answer)->complete = !question->uncacheable;
    return NQ_OK;
}

/* The same with the path of a related question in it. */
static inline enum nq_status work_linked(struct bytes *body, const struct question *question, size_t link,
                                         size_t length, struct answer **answer)
{
    const enum nq_status status = work_answered(body, question, answer);
    if (status != NQ_OK)
        return status;
    (*answer)->link = link;
    (*answer)->link_length = length;
    (*answer)->relation = "related";
    return NQ_OK;
}

/* What works are made with. */
struct tools {
    const struct kernel *kernel;
    unsigned threads;
    struct journal *journal;         /* NULL: nothing is kept */
    struct plans *plans;             /* NULL: every count makes its own */
    struct coordinator *coordinator; /* NULL: there are no workers */
    struct plans *tableless;         /* plans without tables, for counts that workers carry out */
    size_t table_bytes;              /* they may have for tables */
    double nodes_per_second;         /* of the kernel on one thread, about */
    double most_core_seconds;        /* what is estimated to take longer is refused */
    double lengthy_seconds;          /* from which on a count or an index is lengthy; 0: as a server has it */
};

/* One page of solutions or of a trace, a picture, a construction of moderate size. question must outlive the work. */
enum nq_status work_page(const struct question *question, const struct tools *tools, struct work **work);

/* A table of what every algorithm does on a board, none of them for more than question->most steps. */
enum nq_status work_compare(const struct question *question, struct work **work);

/* Whether a placement is a solution; who attacks whom; of a solution its symmetry, its canonical form and its rank, up
 * to some n each (verify.h): the rank beyond that if the question has the index. */
enum nq_status work_verify(const struct question *question, const struct tools *tools, struct work **work);

/* A count of a board with regions, up to a limit. */
enum nq_status work_region_count(const struct question *question, struct work **work);

/* A count that takes no search. */
enum nq_status work_lookup(const struct question *question, struct work **work);

/* Makes the answer of a count. squares: n * n counts by square; NULL unless the query is by square. NQ_OK or NQ_NOMEM.
 */
typedef enum nq_status work_answer(const struct question *question, nq_wide count, const nq_wide *squares,
                                   struct answer **answer);

/* A count by searching, on as many tasks as there are threads: of solutions, by a statistic, of placements on a shape,
 * or by the index of the list, a struct index, which is the answer's extra. `answer` is of the first kind. Units that
 * the journal returns in time are not counted again. NQ_OK, NQ_LIMIT (too long, and *fault is set; or too large a
 * board), NQ_NOMEM. Takes some milliseconds a term, and ends soon after *stop. */
enum nq_status work_count(const struct question *question, const struct tools *tools, work_answer *answer,
                          const atomic_bool *stop, struct fault *fault, struct work **work);

/* Clues that leave one completion. Likewise; NQ_NONE (sets *fault): there are none such. */
enum nq_status work_puzzle(const struct question *question, const struct tools *tools, struct fault *fault,
                           struct work **work);

/* A board of regions. NQ_OK or NQ_NOMEM. */
enum nq_status work_regions_puzzle(const struct question *question, struct work **work);

/* The next queen of a board, by listing its completions. NQ_OK, NQ_NOMEM, NQ_CANCELLED, or NQ_NONE: they are too many
 * to list and few enough to count; then the work is a count by square with hint_answer(). */
enum nq_status work_hint(const struct question *question, const atomic_bool *stop, struct work **work);
work_answer hint_answer;

/* The same on a board of any shape. NQ_OK or NQ_NOMEM. */
enum nq_status work_hint_shape(const struct question *question, struct work **work);

/* What techniques find on a board, without counting. */
enum nq_status work_path(const struct question *question, struct work **work);

/* What such a count would cost. */
enum nq_status work_cost(const struct question *question, const struct tools *tools, struct work **work);

/* What the units of such a count came to, which is done: the lists of its terms that are stored, one after the other;
 * an empty body if none is. */
enum nq_status work_unit_lists(const struct question *question, const struct tools *tools, struct work **work);

/* An estimate, on as many tasks as there are threads. */
enum nq_status work_estimate(const struct question *question, const struct tools *tools, const atomic_bool *stop,
                             struct work **work);

#endif
