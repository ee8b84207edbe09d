/* work.h - the shape of what a flight carries out: one answer, made in slices on one lane or on several at once. */
#ifndef ENGINE_WORK_H
#define ENGINE_WORK_H

#include <stdatomic.h>

#include "engine/answer.h"
#include "engine/pool.h"
#include "engine/question.h"
#include "engine/spot.h"
#include "kernels/kernel.h"

struct crews;
struct ledger;
struct plans;
struct work;

/* How far a work has come, in whatever it measures itself by. */
struct progress {
    uint64_t weight, weight_done, weight_restored; /* restored: of what is done, by an earlier process or question */
    size_t units, units_done, units_restored;
    uint64_t nodes;    /* placements tried for this work */
    uint64_t took_off; /* clock_now() when it began */
};

struct work_class {
    /* What is shared by all lanes, before the first slice; sets work->lanes. NQ_OK, or why it fails. NULL: nothing. */
    enum nq_status (*prepare)(struct work *work, const atomic_bool *stop);
    /* One slice on one of the lanes. NQ_AGAIN: more to do here; NQ_OK: nothing left for this lane; else: failed. */
    enum nq_status (*slice)(struct work *work, const struct slice *slice, const atomic_bool *stop);
    /* The answer, after every lane returned NQ_OK. NQ_OK with one reference, or NQ_NOMEM. */
    enum nq_status (*finish)(struct work *work, struct answer **answer);
    void (*close)(struct work *work);
    /* Any thread, at any time; takes no lock. NULL: it says nothing. */
    void (*progress)(struct work *work, struct progress *progress);
};

struct work {
    const struct work_class *class;
    unsigned lanes;
    bool lengthy;    /* takes so long that it should keep out of the way of others */
    double seconds;  /* of one core it takes, about; 0: not much */
    const char *why; /* when prepare, slice or finish fails: more about it, or NULL. The work's */
};

/* What works are made with. */
struct tools {
    const struct kernel *kernel;
    unsigned threads;
    struct ledger *ledger;    /* NULL: nothing is kept */
    struct plans *plans;      /* NULL: every count makes its own */
    struct crews *crews;      /* NULL: there are no workers */
    struct plans *bare;       /* plans without tables, for counts that workers carry out */
    size_t table_bytes;       /* they may have for tables */
    double nodes_per_second;  /* of the kernel on one thread, about */
    double most_core_seconds; /* what is estimated to take longer is refused */
};

/* Why there is no work, in a sentence for whoever asked. */
enum { WORK_WHY_MAX = 200 };

/* One page of solutions or of a trace, a picture, a construction of moderate size. question must outlive the work. */
enum nq_status work_page(const struct question *question, const struct tools *tools, struct work **work);

/* A table of what every algorithm does on a board, none of them for more than question->most steps. */
enum nq_status work_compare(const struct question *question, struct work **work);

/* Where a list begins, by the index that the question has: a struct token, which is the answer's extra. */
enum nq_status work_place(const struct question *question, const struct tools *tools, struct work **work);

/* Whether a placement is a solution; who attacks whom; of a solution its symmetry, its canonical form up to the one n,
 * and its rank up to the other: beyond that if the question has the index. */
enum { VERIFY_RANK_MAX_N = SPOT_MAX_N, VERIFY_CANONICAL_MAX_N = 10000 };
enum nq_status work_verify(const struct question *question, const struct tools *tools, struct work **work);

/* What that takes, in bytes, about, beyond the placement. */
size_t work_verify_memory(uint32_t n, uint32_t count);

/* A count by the index of the list, a struct index, which is the answer's extra. NQ_OK, NQ_LIMIT (too long; says why,
 * or too large a board), NQ_NOMEM. */
enum nq_status work_index(const struct question *question, const struct tools *tools, char why[static WORK_WHY_MAX],
                          struct work **work);

/* A count that takes no search. */
enum nq_status work_lookup(const struct question *question, struct work **work);

/* A count by searching, on as many lanes as there are threads. Units that the ledger has are not counted again, if it
 * tells of them in time. NQ_OK, NQ_LIMIT (too long; says why), NQ_NOMEM. Takes some milliseconds a term, and ends soon
 * after *stop. */
enum nq_status work_tally(const struct question *question, const struct tools *tools, const atomic_bool *stop,
                          char why[static WORK_WHY_MAX], struct work **work);

/* Clues that leave one completion. Likewise; NQ_NONE (says why): there are none such. */
enum nq_status work_puzzle(const struct question *question, const struct tools *tools, char why[static WORK_WHY_MAX],
                           struct work **work);

/* The next queen of a board. As a count, or with a search of its own. */
enum nq_status work_hint(const struct question *question, const struct tools *tools, const atomic_bool *stop,
                         char why[static WORK_WHY_MAX], struct work **work);

/* What such a count would cost. */
enum nq_status work_cost(const struct question *question, const struct tools *tools, struct work **work);

/* An estimate, on as many lanes as there are threads. */
enum nq_status work_estimate(const struct question *question, const struct tools *tools, struct work **work);

#endif
