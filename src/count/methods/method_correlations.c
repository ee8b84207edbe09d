/* method_correlations.c - counting toroidal semiqueens on a whole board: one in each row, column and wrapped diagonal
 * of one direction. b(n) of them stand on n columns, n odd.
 *
 * With x and y through all rows of n signs and c(i) the sum over j of x_(i+j) y_j, 4^n b(n) is the sum of prod(x)
 * prod(y) prod c(i): multiplied out, a term stays only if every x and every y stands in it once, and then it is a
 * placement. (Glynn, "The permanent of a square matrix", European Journal of Combinatorics 31 (2010), has the same for
 * permanents.) The product does not change if x or y is turned; if both are multiplied by a unit of Z_n; if they are
 * exchanged; or, n being odd, if x or y is negated. So one x of each class of necklaces is taken with every necklace y
 * from its class on, all with an even number of -1, whose products are 1. Necklaces are listed in ascending order
 * (Fredricksen, Kessler and Maiorana), then each is put with its images.
 *
 * Summands are of either sign and larger than the count: the parts of a unit may be any number modulo 2^128. Only the
 * sum of all says something, and then much: see value(). */
#include <assert.h>
#include <nqueens.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "count/methods/method.h"
#include "kernels/torus/torus.h"
#include "rules/divisor.h"

/* ---- Necklaces: rows of n signs around a circle ---- */

/* Necklaces that multiplication by the units of Z_n carries into each other. They stand together, and turning one
 * `period` times gives it again. */
struct necklace_class {
    uint32_t first, members, period;
};

struct necklaces {
    uint32_t n;
    uint32_t count;
    uint32_t *words; /* one of each necklace: the least of its turns; bit j for the j-th sign, set for -1 */
    uint32_t classes;
    struct necklace_class *class; /* of ascending period */
};

/* How many necklaces and classes necklaces_list() lists, by Burnside's lemma: takes some ten microseconds. */
struct necklaces_size {
    uint32_t count, classes;
};

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

static uint32_t least_turn(uint32_t n, uint32_t word)
{
    uint32_t least = word;
    for (uint32_t by = 1; by < n; by++) {
        const uint32_t turned = torus_turn(n, word, by);
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
        if (listing->put[i] || torus_turn(listing->n, word, period % listing->n) != word)
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
static struct necklaces_size necklaces_size(uint32_t n)
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

static void necklaces_free(struct necklaces *necklaces)
{
    free(necklaces->words);
    free(necklaces->class);
    *necklaces = (struct necklaces){0};
}

/* Lists the necklaces of n signs, n odd and below 32, with an even number of -1: the negatives of these are the others.
 * NQ_OK, NQ_NOMEM, or NQ_CANCELLED soon after *stop (may be NULL). */
static enum nq_status necklaces_list(uint32_t n, const atomic_bool *stop, struct necklaces *necklaces)
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

/* ---- The method ---- */

extern const struct rule rule_toroidal_semiqueens;

/* A unit has so many pairs: about half a second with AVX-512. */
#define UNIT_PAIRS (UINT64_C(1) << 28)

/* Words y that are taken at a time: 16 KB, which the innermost cache holds. */
enum { BLOCK = 4096 };

/* A pair takes as long as so many placements of the search for each column, on a Zen 4 core: 0.11 to 0.14 with AVX-512,
 * 0.16 to 0.20 with AVX2, 0.14 to 0.19 without. So whatever kernels a machine has, this is within a factor of 1.5. */
#define COLUMN_WEIGHT 0.13

struct plan {
    struct method_plan head;
    uint32_t n;
    struct necklaces necklaces;
    uint32_t *first; /* class of each unit */
};

static bool correlations_suit(const struct filter *filter)
{
    return filter->rule == &rule_toroidal_semiqueens && filter->n % 2 && filter->n > 1 && filter->n <= TORUS_MAX_N &&
           filter_whole(filter) && !filter_fixed(filter);
}

static void correlations_release(void *state)
{
    struct plan *plan = state;
    if (plan) {
        necklaces_free(&plan->necklaces);
        free(plan->first);
        free(plan->head.weights);
    }
    free(plan);
}

/* Pairs whose x is the first of a class. */
static uint64_t pairs_of(const struct necklaces *necklaces, uint32_t class)
{
    return necklaces->count - necklaces->class[class].first;
}

/* Divides the classes into units. False: out of memory. */
static bool divide(struct plan *plan)
{
    uint64_t pairs = UNIT_PAIRS;
    for (uint32_t i = 0; i < plan->necklaces.classes; i++) {
        if (pairs >= UNIT_PAIRS) {
            uint32_t *first = method_plan_add(&plan->head, 0, plan->first, sizeof *first);
            if (!first)
                return false;
            plan->first = first;
            plan->first[plan->head.units - 1] = i;
            pairs = 0;
        }
        pairs += pairs_of(&plan->necklaces, i);
        plan->head.weights[plan->head.units - 1] = (double)pairs * plan->n * COLUMN_WEIGHT;
    }
    return true;
}

static enum nq_status correlations_prepare(const struct filter *filter, const struct method_means *means,
                                           const atomic_bool *stop, void **out)
{
    struct plan *plan = calloc(1, sizeof *plan);
    (void)means;
    if (!plan)
        return NQ_NOMEM;
    plan->n = filter->n;
    enum nq_status status = necklaces_list(filter->n, stop, &plan->necklaces);
    if (status == NQ_OK && !divide(plan))
        status = NQ_NOMEM;
    if (status == NQ_OK)
        *out = plan;
    else
        correlations_release(plan);
    return status;
}

/* The first class that comes after a unit. */
static uint32_t unit_end(const struct plan *plan, size_t index)
{
    return index + 1 < plan->head.units ? plan->first[index + 1] : plan->necklaces.classes;
}

static uint64_t unit_pairs(const struct plan *plan, size_t index)
{
    uint64_t pairs = 0;
    for (uint32_t i = plan->first[index]; i < unit_end(plan, index); i++)
        pairs += pairs_of(&plan->necklaces, i);
    return pairs;
}

/* The sum over words[from, to), all of one period, for the classes of a unit: pairs of one class once, others, which
 * stand for the exchanged ones too, twice. */
static enum nq_status add_block(const struct plan *plan, const struct torus_kernel *kernel, size_t unit,
                                const uint32_t range[2], const atomic_bool *stop, nq_wide *sum)
{
    const struct necklaces *all = &plan->necklaces;
    for (uint32_t i = plan->first[unit]; i < unit_end(plan, unit); i++) {
        const struct necklace_class *class = &all->class[i];
        uint32_t from = range[0] > class->first ? range[0] : class->first;
        const uint32_t end = class->first + class->members, own = range[1] < end ? range[1] : end;
        const uint32_t x = all->words[class->first];
        nq_wide part = 0;
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        if (from < own) {
            part = kernel->sum(plan->n, x, all->words + from, own - from);
            from = own;
        }
        if (from < range[1])
            part += 2 * kernel->sum(plan->n, x, all->words + from, range[1] - from);
        *sum += part * class->period * class->members;
    }
    return NQ_OK;
}

static enum nq_status correlations_count(const void *state, size_t index, size_t piece, const struct kernel *kernel,
                                         const atomic_bool *stop, struct unit_result *result)
{
    (void)piece; /* it is never split */
    const struct plan *plan = state;
    const struct necklaces *all = &plan->necklaces;
    const struct torus_kernel *lanes = torus_kernel_like(kernel->name);
    enum nq_status status = NQ_OK;
    *result = (struct unit_result){.nodes = unit_pairs(plan, index)};
    for (uint32_t i = plan->first[index]; i < all->classes && status == NQ_OK;) {
        const uint32_t period = all->class[i].period, from = all->class[i].first;
        while (i < all->classes && all->class[i].period == period)
            i++;
        const uint32_t to = i < all->classes ? all->class[i].first : all->count;
        nq_wide sum = 0;
        for (uint32_t at = from; at < to && status == NQ_OK; at += BLOCK) {
            const uint32_t range[2] = {at, to - at > BLOCK ? at + BLOCK : to};
            status = add_block(plan, lanes, index, range, stop, &sum);
        }
        result->parts += sum * period;
    }
    return status;
}

static bool is_prime(uint32_t n)
{
    for (uint32_t divisor = 2; divisor < n; divisor++)
        if (n % divisor == 0)
            return false;
    return true;
}

/* What is known of every b(n), n odd: it is odd; a multiple of n, for placements can be shifted, and b(n) / n is -2
 * modulo n for primes, 0 for others; and a multiple of 3 if n > 3 is not 1 modulo 3. (McKay, McLeod and Wanless, "The
 * number of transversals in a Latin square", Designs, Codes and Cryptography 40 (2006), and others: see A003111.) */
static bool has_known_residues(uint32_t n, nq_wide value)
{
    const nq_wide quotient = value / n;
    return value % 2 == 1 && value % n == 0 && quotient % n == (is_prime(n) ? n - 2 : 0) &&
           (n == 3 || n % 3 == 1 || quotient % 3 == 0);
}

/* The sum of all is a fourth of 4^n b(n), for x and y have their negatives. */
static bool correlations_value(const struct filter *filter, nq_wide sum, nq_wide *thirds)
{
    const uint32_t bits = 2 * (filter->n - 1);
    const nq_wide value = sum >> bits;
    *thirds = value * METHOD_THIRDS;
    return value << bits == sum && has_known_residues(filter->n, value);
}

/* On average a class is taken with half of all necklaces. */
static double correlations_cost(const struct filter *filter, size_t together, const atomic_bool *stop)
{
    const struct necklaces_size size = necklaces_size(filter->n);
    (void)together, (void)stop;
    return (double)size.count * size.classes / 2 * filter->n * COLUMN_WEIGHT;
}

static struct method_memory correlations_memory(const struct filter *filter, size_t tables)
{
    const struct necklaces_size size = necklaces_size(filter->n);
    const size_t necklace = 2 * sizeof(uint32_t) + 1; /* with what is needed to list it */
    (void)tables;
    return (struct method_memory){.shared = (double)size.count * (double)necklace +
                                            (double)size.classes * sizeof(struct necklace_class)};
}

const struct method method_correlations = {
    .name = "correlations",
    .summary =
        "toroidal semiqueens on a whole board: products of correlations, summed over pairs of necklaces of signs, "
        "modulo 2^128",
    .source = "after Glynn (2010); checked by the residues of McKay, McLeod and Wanless (2006), against OEIS A006717",
    .revision = 1,
    .max_n = TORUS_MAX_N,
    .suits = correlations_suit,
    .symmetry = SYMMETRY_ANY,
    .prepare = correlations_prepare,
    .count = correlations_count,
    .value = correlations_value,
    .release = correlations_release,
    .cost = correlations_cost,
    .memory = correlations_memory,
};
