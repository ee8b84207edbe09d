/* source.h - a body in the making: written piece by piece, with any time between two pieces. Pages and streams read the
 * same sources in different ways. */
#ifndef ENGINE_LISTS_SOURCE_H
#define ENGINE_LISTS_SOURCE_H

#include <stdatomic.h>

#include "engine/ask/question.h"
#include "engine/run/pool.h"
#include "kernels/kernel.h"

/* ---- A list as text ---- */

/* A list of solutions as text, in whatever way they are found: its head, the solutions, and its end with the place
 * where it goes on. With a format that draws, the solution's picture is all of it. */

struct listing {
    const struct question *question;
    struct list_head head;
    struct regions shown;           /* the board's, as it is shown, */
    char regions[REGIONS_TEXT_MAX]; /* and as text of the head, if it has any */
    const struct stats *stats;      /* written at its end; NULL: not asked for */
    uint64_t placements;            /* of its search, for struct completion */
    bool begun;                     /* the head is written */
};

void listing_begin(struct listing *listing, const struct question *question, const char *order);

/* Appends the head, once. */
void listing_head(struct listing *listing, struct bytes *out);

/* Appends a solution, of which `index` others are in the list before. NQ_OK, or why it cannot be drawn. */
enum nq_status listing_solution(const struct listing *listing, struct bytes *out, const uint32_t *columns,
                                uint64_t index, uint64_t rank, const atomic_bool *stop);

/* The same of a placement on a board of any shape. */
enum nq_status listing_placement(const struct listing *listing, struct bytes *out, const struct nq_square *squares,
                                 uint32_t count, uint64_t index, const atomic_bool *stop);

/* The list was cut after so many solutions: does anything follow? If the total is not known it may. */
bool listing_goes_on(const struct listing *listing, uint64_t returned);

/* Where a link stands in a body; length 0: there is none. */
struct listing_link {
    size_t at, length;
};

/* Writes the end of a list of so many solutions, with the place (its ordinal is filled in) where it goes on, NULL at
 * its very end. complete: it is as long as was asked. */
struct listing_link listing_end(const struct listing *listing, struct bytes *out, uint64_t returned, bool complete,
                                struct token *place);

/* ---- A body in the making ---- */

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
    struct listing_link link;
    struct fault fault; /* of NQ_LIMIT: why, if it is not the memory of an algorithm */
};

/* Continues writing: see fill above. Adds the nodes to the slice's meter. NQ_NOMEM if `out` has failed. */
static inline enum nq_status source_fill(struct source *source, struct bytes *out, size_t want,
                                         const struct slice *slice, const atomic_bool *stop)
{
    const uint64_t before = source->nodes;
    const enum nq_status status = source->class->fill(source, out, want, slice, stop);
    meter_did(slice->meter, source->nodes - before);
    return out->failed ? NQ_NOMEM : status;
}

/* Hands over a source that was opened, or closes it, if that failed. Returns the status. */
static inline enum nq_status source_opened(struct source *source, enum nq_status status, struct source **out)
{
    if (status == NQ_OK)
        *out = source;
    else
        source->class->close(source);
    return status;
}

/* ---- Lists that a search finds one by one ---- */

struct searched;

struct searched_calls {
    /* Placements between two looks at the clock: well under a millisecond. It is also the grain of a page's budget: the
     * grants must not depend on time, or pages would. */
    uint32_t grant;
    /* Finds the next one, within *budget placements, and subtracts those that it tried. NQ_OK, NQ_END, NQ_AGAIN: the
     * budget ran out first; or why it cannot go on. */
    enum nq_status (*next)(struct searched *searched, uint64_t *budget);
    /* Writes it, and counts it among the solutions, if it is to be listed. NQ_OK, or why it cannot be drawn. */
    enum nq_status (*write)(struct searched *searched, struct bytes *out, const atomic_bool *stop);
    /* Where the list goes on, without the ordinal. False: nowhere that can be named. */
    bool (*place)(const struct searched *searched, struct token *place);
    const struct stats *(*stats)(const struct searched *searched); /* of the list's end; NULL: none */
};

struct searched {
    struct source source;
    struct listing listing;
    const struct searched_calls *calls;
    bool bounded; /* it is a page */
};

/* The `fill` of such a source. */
enum nq_status searched_fill(struct source *source, struct bytes *out, size_t want, const struct slice *slice,
                             const atomic_bool *stop);

/* ---- Opening ---- */

/* Opens the source of a question, which must outlive it. bounded: with the bounds of a page. NQ_OK, or why the solver
 * or the construction was not opened. */
enum nq_status source_open(const struct question *question, const struct kernel *kernel, bool bounded,
                           struct source **source);

/* Each for some questions: source_open() chooses. */
enum nq_status source_solve(const struct question *question, bool bounded, struct source **source);
enum nq_status source_shape(const struct question *question, bool bounded, struct source **source);
enum nq_status source_sample(const struct question *question, const struct kernel *kernel, struct source **source);
enum nq_status source_trace(const struct question *question, bool bounded, struct source **source);
enum nq_status source_construct(const struct question *question, const struct kernel *kernel, struct source **source);

/* The construction that source_construct() opens for a question, which may be another one than it names; NULL: it draws
 * the solution instead. */
const struct construction *source_construction(const struct question *question);

#endif
