/* necklaces.c - lists necklaces in ascending order (Fredricksen, Kessler and Maiorana), then puts each with its images.
 */
#include "count/methods/necklaces.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "rules/divisor.h"

/* Work in progress. */
struct listing {
    uint32_t n, count;
    uint32_t *word;     /* ascending */
    unsigned char *put; /* by word: it is in a class */
    struct necklaces *to;
};

/* The least words of their turns, in ascending order, as in Ruskey, Savage and Wang, "Generating necklaces", Journal of
 * Algorithms 13 (1992): `word` has its first `length` signs, the first in the highest bit, and would have the period
 * `period`. */
static void extend(struct listing *listing, uint32_t word, uint32_t length, uint32_t period)
{
    if (length == listing->n) {
        if (listing->n % period == 0 && __builtin_popcount(word) % 2 == 0)
            listing->word[listing->count++] = word;
        return;
    }
    const uint32_t repeated = word >> (period - 1) & 1;
    extend(listing, word << 1 | repeated, length + 1, period);
    if (!repeated)
        extend(listing, word << 1 | 1, length + 1, length + 1);
}

static void list_all(struct listing *listing)
{
    extend(listing, 0, 1, 1);
    extend(listing, 1, 1, 1);
}

static uint32_t turn(uint32_t n, uint32_t word, uint32_t by)
{
    return (word >> by | word << (n - by)) & ((UINT32_C(1) << n) - 1);
}

static uint32_t least_turn(uint32_t n, uint32_t word)
{
    uint32_t least = word;
    for (uint32_t by = 1; by < n; by++) {
        const uint32_t turned = turn(n, word, by);
        least = turned < least ? turned : least;
    }
    return least;
}

/* The j-th sign goes to place j * factor. */
static uint32_t multiply(uint32_t n, uint32_t word, uint32_t factor)
{
    uint32_t image = 0;
    for (uint32_t j = 0, to = 0; j < n; j++, to = (to + factor) % n)
        image |= (word >> j & 1) << to;
    return image;
}

static uint32_t find(const struct listing *listing, uint32_t word)
{
    assert(listing->count > 0);
    uint32_t from = 0, to = listing->count;
    while (to - from > 1) {
        const uint32_t middle = from + (to - from) / 2;
        if (listing->word[middle] <= word)
            from = middle;
        else
            to = middle;
    }
    return from;
}

/* Appends the class of a necklace. */
static void put_class(struct listing *listing, uint32_t word, uint32_t period)
{
    struct necklaces *to = listing->to;
    struct necklace_class *class = &to->class[to->classes++];
    *class = (struct necklace_class){.first = to->count, .period = period};
    for (uint32_t factor = 1; factor < listing->n; factor++) {
        if (common_divisor(factor, listing->n) != 1)
            continue;
        const uint32_t image = least_turn(listing->n, multiply(listing->n, word, factor)), at = find(listing, image);
        if (!listing->put[at]) {
            listing->put[at] = 1;
            to->words[to->count++] = image;
        }
    }
    class->members = to->count - class->first;
}

/* Every class of one period: those of lesser ones are there already. */
static enum nq_status put_period(struct listing *listing, uint32_t period, const atomic_bool *stop)
{
    for (uint32_t i = 0; i < listing->count; i++) {
        const uint32_t word = listing->word[i];
        if (listing->put[i] || turn(listing->n, word, period % listing->n) != word)
            continue;
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        put_class(listing, word, period);
    }
    return NQ_OK;
}

static enum nq_status put_all(struct listing *listing, const atomic_bool *stop)
{
    enum nq_status status = NQ_OK;
    for (uint32_t period = 1; period <= listing->n && status == NQ_OK; period++)
        if (listing->n % period == 0)
            status = put_period(listing, period, stop);
    return status;
}

/* The cycles of places that j -> factor j + by has. */
static uint32_t cycles(uint32_t n, uint32_t factor, uint32_t by)
{
    uint32_t seen = 0, count = 0;
    for (uint32_t from = 0; from < n; from++) {
        count += !(seen >> from & 1);
        for (uint32_t j = from; !(seen >> j & 1); j = (factor * j + by) % n)
            seen |= UINT32_C(1) << j;
    }
    return count;
}

/* Of the words that a map leaves unchanged, one for every choice of a sign for each cycle, half have an even number of
 * -1: the others are their negatives. */
struct necklaces_size necklaces_size(uint32_t n)
{
    uint64_t turned = 0, all = 0, factors = 0;
    for (uint32_t factor = 1; factor < n; factor++) {
        if (common_divisor(factor, n) != 1)
            continue;
        factors++;
        for (uint32_t by = 0; by < n; by++) {
            const uint64_t unchanged = UINT64_C(1) << (cycles(n, factor, by) - 1);
            turned += factor == 1 ? unchanged : 0;
            all += unchanged;
        }
    }
    assert(factors > 0); /* n > 1 */
    return (struct necklaces_size){(uint32_t)(turned / n), (uint32_t)(all / (n * factors))};
}

enum nq_status necklaces_list(uint32_t n, const atomic_bool *stop, struct necklaces *necklaces)
{
    const struct necklaces_size size = necklaces_size(n);
    struct listing listing = {.n = n, .to = necklaces};
    *necklaces = (struct necklaces){.n = n};
    listing.word = malloc(size.count * sizeof *listing.word);
    listing.put = calloc(size.count, 1);
    necklaces->words = malloc(size.count * sizeof *necklaces->words);
    necklaces->class = malloc(size.classes * sizeof *necklaces->class);
    enum nq_status status = NQ_NOMEM;
    if (listing.word && listing.put && necklaces->words && necklaces->class) {
        list_all(&listing);
        assert(listing.count == size.count);
        status = put_all(&listing, stop);
    }
    free(listing.word);
    free(listing.put);
    if (status != NQ_OK)
        necklaces_free(necklaces);
    return status;
}

void necklaces_free(struct necklaces *necklaces)
{
    free(necklaces->words);
    free(necklaces->class);
    *necklaces = (struct necklaces){0};
}
