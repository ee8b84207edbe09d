/* counting.c - a double of count/counting.h: units take time, and come to a hash of where they are. */
#include "count/counting.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/stop.h"
#include "check.h"
#include "count/unit_list.h"
#include "engine/units/units.h"
#include "sim.h"

struct check_count check_counts[CHECK_COUNTS];
double check_speed[SIM_PROCESSES];

struct counting {
    unsigned n;
    size_t first[CHECK_TERMS + 1]; /* by term */
};

static const struct check_count *count_of(unsigned n)
{
    return &check_counts[n - CHECK_N];
}

/* ---- What is true ---- */

static uint64_t hash_of(unsigned n, unsigned term, unsigned unit, unsigned piece)
{
    const unsigned place[] = {n, term, unit, piece};
    return hash_bytes(HASH_START, place, sizeof place);
}

static unsigned pieces_of(unsigned n, unsigned unit)
{
    return unit % 4 == 3 ? count_of(n)->pieces : 1;
}

uint64_t check_unit(unsigned n, unsigned term, unsigned unit, unsigned piece)
{
    uint64_t sum = 0;
    if (piece < CHECK_PIECES)
        return hash_of(n, term, unit, piece) % 1000000007;
    for (unsigned i = 0; i < pieces_of(n, unit); i++)
        sum += check_unit(n, term, unit, i);
    return sum;
}

double check_seconds(unsigned n, unsigned term, unsigned unit)
{
    const double spread = 0.25 + 1.5 * (double)(hash_of(n, term, unit, CHECK_PIECES) % 1000) / 1000;
    return count_of(n)->seconds * spread;
}

static nq_wide term_total(unsigned n, unsigned term)
{
    nq_wide sum = 0;
    for (unsigned unit = 0; unit < count_of(n)->units; unit++)
        sum += check_unit(n, term, unit, CHECK_PIECES);
    return sum;
}

nq_wide check_total(unsigned n, bool by_value)
{
    nq_wide sum = 0;
    for (unsigned term = 0; term < (by_value ? 1 : count_of(n)->terms); term++)
        sum += term_total(n, term) * (term + 1);
    return sum;
}

/* The list of a term's units, as it must be. */
static void check_list(unsigned n, unsigned term, const char *key, const char *value, size_t size)
{
    char name[40];
    struct bytes list = {0};
    (void)snprintf(name, sizeof name, "sim-%u-%u", n, term);
    unit_list_head(&list, n, count_of(n)->units, name);
    for (unsigned unit = 0; unit < count_of(n)->units; unit++)
        unit_list_unit(&list, unit, check_unit(n, term, unit, CHECK_PIECES));
    unit_list_sum(&list, term_total(n, term));
    if (list.failed || size != list.size || memcmp(value, list.data, size) != 0)
        sim_violated("list", "%s is %.*s", key, (int)size, value);
    bytes_free(&list);
}

static void check_bytes_stored(unsigned n, unsigned unit, const char *value, size_t size)
{
    char right[24];
    (void)snprintf(right, sizeof right, "%" PRIu64, check_unit(n, 0, unit, CHECK_PIECES));
    if (size != strlen(right) || memcmp(value, right, size) != 0)
        sim_violated("fact", "unit %u is stored as %.*s", unit, (int)size, value);
}

void check_fact(enum store_kind kind, const char *key, const char *value, size_t size)
{
    unsigned n, term, unit, piece = CHECK_PIECES;
    nq_wide thirds;
    uint64_t nodes;
    if (kind == STORE_RESULT && strchr(key, ' ') && sscanf(key, "sim-%u-%u units", &n, &term) == 2) {
        check_list(n, term, key, value, size);
        return;
    }
    if (sscanf(key, "bytes-%u #%u", &n, &unit) == 2) {
        check_bytes_stored(n, unit, value, size);
        return;
    }
    const int read = sscanf(key, "sim-%u-%u #%u#%u", &n, &term, &unit, &piece);
    const bool sound = units_read_fact(value, size, UNITS_THIRDS_MOST, &thirds, &nodes);
    if (kind == STORE_JOB)
        return;
    if (read < (kind == STORE_UNIT ? 3 : 2) || !sound)
        sim_violated("fact", "%s is %.*s", key, (int)size, value);
    const nq_wide right = kind == STORE_UNIT ? check_unit(n, term, unit, piece) : term_total(n, term);
    if (thirds != right)
        sim_violated("fact", "%s is stored as %llu, and comes to %llu", key, (unsigned long long)thirds,
                     (unsigned long long)right);
}

/* ---- counting.h ---- */

uint32_t counting_most(const struct query *query)
{
    (void)query;
    return CHECK_N + CHECK_COUNTS - 1;
}

enum nq_status counting_open(const struct query *query, const atomic_bool *stop, struct counting **counting)
{
    (void)stop;
    if (query->filter.n < CHECK_N || query->filter.n > counting_most(query))
        return NQ_LIMIT;
    *counting = calloc(1, sizeof **counting);
    if (!*counting)
        return NQ_NOMEM;
    (*counting)->n = query->filter.n;
    return NQ_OK;
}

void counting_close(struct counting *counting)
{
    free(counting);
}

struct count_cost counting_cost(const struct counting *counting, const bool *done, double nodes_per_second,
                                const atomic_bool *stop)
{
    (void)counting, (void)done, (void)stop;
    return (struct count_cost){1e9, 1e9 / nodes_per_second};
}

size_t counting_terms(const struct counting *counting)
{
    return count_of(counting->n)->terms;
}

const char *counting_method(const struct counting *counting, size_t term)
{
    (void)counting, (void)term;
    return "simulated";
}

void counting_name(const struct counting *counting, size_t term, struct bytes *name)
{
    bytes_format(name, "sim-%u-%zu", counting->n, term);
}

enum nq_status counting_prepare(struct counting *counting, const bool *done, const struct plan_source *source,
                                const atomic_bool *stop)
{
    (void)source;
    fiber_sleep(sim_now() + sim_between(SIM_MS, 200 * SIM_MS));
    for (size_t term = 0; term < counting_terms(counting); term++)
        counting->first[term + 1] = counting->first[term] + (done && done[term] ? 0 : count_of(counting->n)->units);
    return stop_wanted(stop) ? NQ_CANCELLED : NQ_OK;
}

struct method_memory counting_memory(const struct counting *counting, const bool *done, size_t tables)
{
    (void)counting, (void)done, (void)tables;
    return (struct method_memory){.shared = 0};
}

size_t counting_units(const struct counting *counting)
{
    return counting->first[counting_terms(counting)];
}

size_t counting_first(const struct counting *counting, size_t term)
{
    return counting->first[term];
}

size_t counting_term(const struct counting *counting, size_t unit)
{
    size_t term = 0;
    while (counting->first[term + 1] <= unit)
        term++;
    return term;
}

static unsigned number_in_term(const struct counting *counting, size_t unit, unsigned *term)
{
    *term = (unsigned)counting_term(counting, unit);
    return (unsigned)(unit - counting->first[*term]);
}

/* Placements, of which the kernel does 1e8 in a second. */
double counting_weight(const struct counting *counting, size_t unit)
{
    unsigned term, number = number_in_term(counting, unit, &term);
    return check_seconds(counting->n, term, number) * 1e8;
}

enum nq_status counting_pieces(const struct counting *counting, size_t unit, const atomic_bool *stop, size_t *pieces)
{
    unsigned term;
    *pieces = pieces_of(counting->n, number_in_term(counting, unit, &term));
    if (*pieces > 1)
        fiber_sleep(sim_now() + sim_between(0, 5 * SIM_MS));
    return stop_wanted(stop) ? NQ_CANCELLED : NQ_OK;
}

enum nq_status check_work(double seconds, const atomic_bool *stop)
{
    enum { LOOK_MS = 50 };
    const double speed = check_speed[sim_process()];
    const uint64_t until = sim_now() + (uint64_t)(seconds / speed * (double)SIM_SECOND);
    while (sim_now() < until && !stop_wanted(stop)) {
        const uint64_t look = sim_now() + (stop ? LOOK_MS : 1000) * SIM_MS * (1 + (uint64_t)seconds);
        fiber_sleep(look < until ? look : until);
    }
    return stop_wanted(stop) ? NQ_CANCELLED : NQ_OK;
}

enum nq_status counting_count(const struct counting *counting, size_t unit, size_t piece, const struct kernel *kernel,
                              const atomic_bool *stop, struct unit_result *result)
{
    unsigned term, number = number_in_term(counting, unit, &term);
    const bool whole = piece == METHOD_WHOLE;
    const unsigned pieces = whole ? 1 : pieces_of(counting->n, number);
    (void)kernel;
    if (!whole && piece >= pieces)
        return NQ_INVALID;
    *result = (struct unit_result){check_unit(counting->n, term, number, whole ? CHECK_PIECES : (unsigned)piece), 1};
    return check_work(check_seconds(counting->n, term, number) / pieces, stop);
}

nq_wide counting_parts_most(const struct counting *counting, size_t term)
{
    (void)counting, (void)term;
    return UINT64_MAX;
}

bool counting_value(const struct counting *counting, size_t term, nq_wide sum, nq_wide *thirds)
{
    (void)counting, (void)term;
    *thirds = sum;
    return true;
}

nq_wide counting_total(const struct counting *counting, const nq_wide *thirds)
{
    nq_wide sum = 0;
    for (size_t term = 0; term < counting_terms(counting); term++)
        sum += thirds[term] * (term + 1);
    return sum;
}

nq_wide counting_square(const struct counting *counting, const nq_wide *thirds, uint32_t row, uint32_t column)
{
    (void)counting, (void)thirds, (void)row, (void)column;
    return 0;
}
