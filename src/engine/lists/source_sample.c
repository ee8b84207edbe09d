/* source_sample.c - solutions drawn at random from a list: a rank for each, looked up in the index. The i-th draw
 * depends on the seed and i alone. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "engine/lists/rank_lookup.h"
#include "engine/lists/source.h"

enum { GRANT = 1 << 15 };

/* Bytes: if a list takes no more, each solution is remembered when it was found. */
enum { REMEMBERED = 1 << 16 };

struct sampling {
    struct source source;
    struct listing listing;
    struct rank_lookup lookup;
    uint64_t total;
    uint8_t *remembered; /* by rank: n columns, and whether they are known; NULL: too many */
    bool looking;        /* the look-up of the next solution is under way */
};

static uint8_t *memory_of(const struct sampling *sampling, uint64_t rank)
{
    return sampling->remembered ? sampling->remembered + rank * (sampling->listing.question->n + 1) : NULL;
}

/* The rank of the next one, and the solution, if it is remembered. */
static uint64_t draw(struct sampling *sampling, bool *known)
{
    const uint32_t n = sampling->listing.question->n;
    struct random random = random_begin(sampling->listing.question->seed, sampling->source.solutions);
    const uint64_t rank = random_below_wide(&random, sampling->total);
    const uint8_t *memory = memory_of(sampling, rank);
    *known = memory && memory[n];
    for (uint32_t row = 0; *known && row < n; row++)
        sampling->lookup.columns[row] = memory[row];
    return rank;
}

static void remember(struct sampling *sampling)
{
    const uint32_t n = sampling->listing.question->n;
    uint8_t *memory = memory_of(sampling, sampling->lookup.rank);
    if (!memory)
        return;
    for (uint32_t row = 0; row < n; row++)
        memory[row] = (uint8_t)sampling->lookup.columns[row];
    memory[n] = true;
}

/* Finds the next solution. NQ_AGAIN: not yet. */
static enum nq_status find(struct sampling *sampling, uint64_t *rank, const atomic_bool *stop)
{
    bool known = false;
    enum nq_status status = NQ_OK;
    if (!sampling->looking) {
        *rank = draw(sampling, &known);
        if (known)
            return NQ_OK;
        status = rank_lookup_find(&sampling->lookup, *rank, stop);
        sampling->looking = status == NQ_OK;
    }
    if (status == NQ_OK)
        status = rank_lookup_go_on(&sampling->lookup, GRANT);
    if (status != NQ_OK)
        return status;
    sampling->looking = false;
    *rank = sampling->lookup.rank;
    remember(sampling);
    return NQ_OK;
}

static enum nq_status fill(struct source *source, struct bytes *out, size_t want, const struct slice *slice,
                           const atomic_bool *stop)
{
    struct sampling *sampling = (struct sampling *)source;
    const struct question *question = sampling->listing.question;
    const uint64_t wanted = sampling->total == 0 ? 0 : question->format->picture ? 1 : question->list.samples;
    listing_head(&sampling->listing, out);
    while (source->solutions < wanted && out->size < want && !out->failed) {
        uint64_t rank;
        enum nq_status status = find(sampling, &rank, stop);
        if (status == NQ_OK)
            status =
                listing_solution(&sampling->listing, out, sampling->lookup.columns, source->solutions++, rank, stop);
        if (status != NQ_OK && status != NQ_AGAIN)
            return status;
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        if (clock_now() >= slice->deadline)
            break;
    }
    if (out->failed || source->solutions < wanted)
        return NQ_AGAIN;
    source->link = listing_end(&sampling->listing, out, source->solutions, true, NULL);
    return NQ_END;
}

static void close_sampling(struct source *source)
{
    struct sampling *sampling = (struct sampling *)source;
    rank_lookup_end(&sampling->lookup);
    free(sampling->remembered);
    free(sampling);
}

enum nq_status source_sample(const struct question *question, const struct kernel *kernel, struct source **source)
{
    static const struct source_class class = {.fill = fill, .close = close_sampling};
    struct sampling *sampling = calloc(1, sizeof *sampling);
    if (!sampling)
        return NQ_NOMEM;
    sampling->source = (struct source){.class = &class, .complete = true};
    rank_lookup_begin(&sampling->lookup, question, kernel);
    sampling->total = index_total(sampling->lookup.index);
    listing_begin(&sampling->listing, question, "random");
    sampling->listing.head.total_known = true;
    sampling->listing.head.total = sampling->total;
    const bool remembers = sampling->total <= REMEMBERED / (question->n + 1);
    if (remembers)
        sampling->remembered = calloc(sampling->total + 1, question->n + 1);
    return source_opened(&sampling->source, remembers && !sampling->remembered ? NQ_NOMEM : NQ_OK, source);
}
