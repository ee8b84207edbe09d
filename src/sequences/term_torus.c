/* term_torus.c - toroidal semiqueens: one in each row, column and wrapped diagonal of one direction. b(n) of them stand
 * on n columns.
 *
 * With x and y through all rows of n signs and c(i) the sum over j of x_(i+j) y_j, 4^n b(n) is the sum of prod(x)
 * prod(y) prod c(i): multiplied out, a term stays only if every x and every y stands in it once, and then it is a
 * placement. (Glynn, "The permanent of a square matrix", European Journal of Combinatorics 31 (2010), has the same for
 * permanents.) The product does not change if x or y is turned; if both are multiplied by a unit of Z_n; if they are
 * exchanged; or, n being odd, if x or y is negated. So one x of each class of necklaces is taken with every necklace y
 * from its class on, all with an even number of -1, whose products are 1. */
#include <stdlib.h>

#include "kernels/torus/torus.h"
#include "sequences/necklaces.h"
#include "sequences/term.h"

/* A unit has so many pairs: about half a second with AVX-512. */
#define UNIT_PAIRS (UINT64_C(1) << 28)

/* Words y that are taken at a time: 16 KB, which the innermost cache holds. */
enum { BLOCK = 4096 };

struct torus_plan {
    uint32_t n;
    struct necklaces necklaces;
    size_t units;
    uint32_t *first; /* class of each unit; the number of classes after the last */
    const struct torus_kernel *kernel;
};

static void release(void *plan)
{
    struct torus_plan *torus = plan;
    if (torus) {
        necklaces_free(&torus->necklaces);
        free(torus->first);
    }
    free(torus);
}

/* Divides the classes into units, and writes where they begin unless `first` is NULL. Returns how many. */
static size_t divide(const struct necklaces *necklaces, uint32_t *first)
{
    size_t units = 0;
    uint64_t pairs = UNIT_PAIRS;
    for (uint32_t i = 0; i < necklaces->classes; i++) {
        if (pairs >= UNIT_PAIRS) {
            if (first)
                first[units] = i;
            units++;
            pairs = 0;
        }
        pairs += necklaces->count - necklaces->class[i].first;
    }
    if (first)
        first[units] = necklaces->classes;
    return units;
}

static enum nq_status prepare(uint32_t n, const atomic_bool *stop, void **plan)
{
    struct torus_plan *torus = calloc(1, sizeof *torus);
    *plan = torus;
    if (!torus)
        return NQ_NOMEM;
    torus->n = n;
    torus->kernel = torus_kernel_best();
    if (n % 2 == 0 || n == 1) /* known without a search: see value() */
        return NQ_OK;
    enum nq_status status = necklaces_list(n, stop, &torus->necklaces);
    if (status == NQ_OK) {
        torus->units = divide(&torus->necklaces, NULL);
        torus->first = malloc((torus->units + 1) * sizeof *torus->first);
        status = torus->first ? NQ_OK : NQ_NOMEM;
    }
    if (status == NQ_OK)
        (void)divide(&torus->necklaces, torus->first);
    else
        release(torus);
    return status;
}

static size_t units(const void *plan)
{
    return ((const struct torus_plan *)plan)->units;
}

/* The sum over words[from, to), all of one period, for the classes of a unit: pairs of one class once, others, which
 * stand for the exchanged ones too, twice. */
static enum nq_status add_block(const struct torus_plan *torus, size_t unit, const uint32_t range[2],
                                const atomic_bool *stop, nq_wide *sum)
{
    const struct necklaces *all = &torus->necklaces;
    for (uint32_t i = torus->first[unit]; i < torus->first[unit + 1]; i++) {
        const struct necklace_class *class = &all->class[i];
        uint32_t from = range[0] > class->first ? range[0] : class->first;
        const uint32_t end = class->first + class->members, own = range[1] < end ? range[1] : end;
        const uint32_t x = all->words[class->first];
        nq_wide part = 0;
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        if (from < own) {
            part = torus->kernel->sum(torus->n, x, all->words + from, own - from);
            from = own;
        }
        if (from < range[1])
            part += 2 * torus->kernel->sum(torus->n, x, all->words + from, range[1] - from);
        *sum += part * class->period * class->members;
    }
    return NQ_OK;
}

static enum nq_status count(const void *plan, size_t unit, const atomic_bool *stop, nq_wide *result)
{
    const struct torus_plan *torus = plan;
    const struct necklaces *all = &torus->necklaces;
    enum nq_status status = NQ_OK;
    *result = 0;
    for (uint32_t i = torus->first[unit]; i < all->classes && status == NQ_OK;) {
        const uint32_t period = all->class[i].period, from = all->class[i].first;
        while (i < all->classes && all->class[i].period == period)
            i++;
        const uint32_t to = i < all->classes ? all->class[i].first : all->count;
        nq_wide sum = 0;
        for (uint32_t at = from; at < to && status == NQ_OK; at += BLOCK) {
            const uint32_t range[2] = {at, to - at > BLOCK ? at + BLOCK : to};
            status = add_block(torus, unit, range, stop, &sum);
        }
        *result += sum * period;
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
static bool value(const void *plan, const nq_wide *results, nq_wide *value)
{
    const struct torus_plan *torus = plan;
    const uint32_t bits = 2 * (torus->n - 1);
    nq_wide sum = 0;
    *value = torus->n % 2; /* the smallest board is full; even ones have no placements */
    if (torus->n == 1 || torus->n % 2 == 0)
        return true;
    for (size_t i = 0; i < torus->units; i++)
        sum += results[i];
    *value = sum >> bits;
    return *value << bits == sum && has_known_residues(torus->n, *value);
}

extern const struct term_method term_torus;
const struct term_method term_torus = {
    .name = "correlations",
    .summary = "sum over pairs of necklaces of signs of the products of their correlations, modulo 2^128",
    .revision = 1,
    .max_n = TORUS_MAX_N,
    .prepare = prepare,
    .units = units,
    .count = count,
    .value = value,
    .release = release,
};
