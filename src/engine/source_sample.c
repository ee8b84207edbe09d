/* source_sample.c - solutions drawn at random from a list, writing themselves: a rank for each, and where the index
 * says that it stands. The i-th draw hangs on the seed and i alone. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "engine/listing.h"
#include "engine/source.h"
#include "engine/standing.h"

enum { GRANT = 1 << 15 };

/* Of a list of so few solutions each is remembered once it was found: n bytes, and one that tells so. */
enum { REMEMBERED = 1 << 16 };

struct sampling {
    struct source source;
    struct listing listing;
    struct standing standing;
    uint64_t total;
    uint8_t *remembered; /* by rank; NULL: there are too many */
    bool begun, looking; /* the standing looks for the solution of its rank */
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
        sampling->standing.columns[row] = memory[row];
    return rank;
}

static void remember(struct sampling *sampling)
{
    const uint32_t n = sampling->listing.question->n;
    uint8_t *memory = memory_of(sampling, sampling->standing.rank);
    if (!memory)
        return;
    for (uint32_t row = 0; row < n; row++)
        memory[row] = (uint8_t)sampling->standing.columns[row];
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
        status = standing_find(&sampling->standing, *rank, stop);
        sampling->looking = status == NQ_OK;
    }
    if (status == NQ_OK)
        status = standing_go_on(&sampling->standing, GRANT);
    if (status != NQ_OK)
        return status;
    sampling->looking = false;
    *rank = sampling->standing.rank;
    remember(sampling);
    return NQ_OK;
}

static void write(struct sampling *sampling, struct bytes *out, uint64_t rank)
{
    const struct question *question = sampling->listing.question;
    const uint32_t *columns = sampling->standing.columns;
    if (question->format->draw)
        question->format->draw(out, question->n, question->base, columns);
    else
        question->format->list_solution(out, &sampling->listing.head, columns, sampling->source.solutions, rank);
    sampling->source.solutions++;
}

static enum nq_status fill(struct source *source, struct bytes *out, size_t want, const struct slice *slice,
                           const atomic_bool *stop)
{
    struct sampling *sampling = (struct sampling *)source;
    const struct question *question = sampling->listing.question;
    const uint64_t wanted = sampling->total == 0 ? 0 : question->format->draw ? 1 : question->samples;
    if (!sampling->begun && !question->format->draw)
        question->format->list_begin(out, &sampling->listing.head);
    sampling->begun = true;
    while (source->solutions < wanted && out->size < want && !out->failed) {
        uint64_t rank;
        const enum nq_status status = find(sampling, &rank, stop);
        if (status == NQ_OK)
            write(sampling, out, rank);
        else if (status != NQ_AGAIN)
            return status;
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        if (clock_now() >= slice->deadline)
            break;
    }
    if (out->failed || source->solutions < wanted)
        return NQ_AGAIN;
    if (!question->format->draw)
        listing_end(&sampling->listing, out, source->solutions, true, NULL, &source->link, &source->link_length);
    return NQ_END;
}

static void close_sampling(struct source *source)
{
    struct sampling *sampling = (struct sampling *)source;
    standing_end(&sampling->standing);
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
    standing_begin(&sampling->standing, question, kernel);
    sampling->total = index_total(sampling->standing.index);
    listing_begin(&sampling->listing, question, "random", true);
    sampling->listing.head.total_known = true;
    sampling->listing.head.total = sampling->total;
    if (sampling->total <= REMEMBERED / (question->n + 1)) {
        sampling->remembered = calloc(sampling->total + 1, question->n + 1);
        if (!sampling->remembered) {
            close_sampling(&sampling->source);
            return NQ_NOMEM;
        }
    }
    *source = &sampling->source;
    return NQ_OK;
}
