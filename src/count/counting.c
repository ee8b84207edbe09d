/* counting.c - which filters are counted, how often each counts, and the divisor of their sum.
 *
 * Classes of solutions under a group of symmetries are counted by Burnside's lemma: the mean, over the group, of how
 * many solutions each symmetry leaves unchanged. A reflection leaves none (n > 1): its axis would hold two queens on
 * one line, or none. */
#include "count/counting.h"

#include <stdlib.h>

#include "base/grow.h"
enum { NONE = UINT16_MAX };

enum { TURN_NONE = 0, TURN_QUARTER = 1, TURN_HALF = 2, TURN_BACK = 3, TURNS = 4 }; /* numbers of nq_transform */

struct term {
    const struct method *method;
    struct filter filter;
    unsigned times; /* how often it counts */
    void *plan;     /* NULL: not prepared */
    size_t first;   /* of its units */
};

struct counting {
    struct query query;
    unsigned divisor;
    size_t count, room;
    struct term *terms;
    const struct plan_source *source;
    size_t units;
    uint16_t *squares; /* by square: the term of the queries with a queen on it, NONE: there are no solutions */
};

/* The last method that suits: the first of each symmetry suits every filter. */
static const struct method *method_of(enum query_symmetry symmetry, const struct filter *filter)
{
    const struct method *found = NULL;
    for (const struct method *const *at = methods; *at; at++)
        if ((*at)->symmetry == symmetry && (!(*at)->suits || (*at)->suits(filter)))
            found = *at;
    return found;
}

/* Adds a term, or adds to the times of an equal one. False: out of memory. */
static bool add_term(struct counting *counting, enum query_symmetry symmetry, const struct filter *filter)
{
    const struct method *method = method_of(symmetry, filter);
    for (size_t i = 0; i < counting->count && !counting->query.by_square; i++) {
        if (counting->terms[i].method == method) { /* the filter is the same for all */
            counting->terms[i].times++;
            return true;
        }
    }
    struct term *terms = grow_array(counting->terms, counting->count, &counting->room, sizeof *terms);
    if (!terms)
        return false;
    counting->terms = terms;
    counting->terms[counting->count++] = (struct term){.method = method, .filter = *filter, .times = 1};
    return true;
}

/* Adds a term for each square; squares that the symmetries carry into each other share one. */
static enum nq_status add_squares(struct counting *counting, unsigned symmetries, const atomic_bool *stop)
{
    const struct filter *filter = &counting->query.filter;
    const uint32_t n = filter->n;
    counting->squares = malloc(((size_t)n * n + 1) * sizeof counting->squares[0]);
    if (!counting->squares)
        return NQ_NOMEM;
    for (uint32_t i = 0; i < n * n; i++)
        counting->squares[i] = NONE;
    for (uint32_t i = 0; i < n * n; i++) {
        if (counting->squares[i] != NONE || !filter_allows(filter, i / n, i % n))
            continue;
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        struct filter placed = *filter;
        filter_place(&placed, i / n, i % n);
        filter_settle(&placed);
        if (filter_contradictory(&placed))
            continue;
        for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++) {
            uint32_t row = i / n, column = i % n;
            square_transform(symmetry, n, &row, &column);
            if (symmetries >> symmetry & 1)
                counting->squares[row * n + column] = (uint16_t)counting->count;
        }
        if (!add_term(counting, counting->query.symmetry, &placed))
            return NQ_NOMEM;
    }
    return NQ_OK;
}

/* A term for each symmetry that leaves solutions unchanged. */
static enum nq_status add_classes(struct counting *counting, unsigned symmetries)
{
    static const enum query_symmetry unchanged[] = {
        [TURN_NONE] = SYMMETRY_ANY,
        [TURN_QUARTER] = SYMMETRY_QUARTER,
        [TURN_HALF] = SYMMETRY_POINT,
        [TURN_BACK] = SYMMETRY_QUARTER,
    };
    const enum query_symmetry wanted = counting->query.symmetry;
    counting->divisor = (unsigned)__builtin_popcount(symmetries);
    for (unsigned turn = 0; turn < TURNS; turn++) {
        const enum query_symmetry symmetry = unchanged[turn] > wanted ? unchanged[turn] : wanted;
        if ((symmetries >> turn & 1) && !add_term(counting, symmetry, &counting->query.filter))
            return NQ_NOMEM;
    }
    return NQ_OK;
}

/* Plans for one count alone, made by the calling thread. */
static enum nq_status make_plan(void *context, const struct method *method, const struct filter *filter,
                                const atomic_bool *stop, void **plan)
{
    const struct method_means means = {.tables = COUNTING_TABLES, .threads = 1};
    (void)context;
    return method->prepare(filter, &means, stop, plan);
}

static void release_plan(void *context, const struct method *method, void *plan)
{
    (void)context;
    method->release(plan);
}

static const struct plan_source own_plans = {.take = make_plan, .give = release_plan};

enum nq_status counting_open(const struct query *query, const atomic_bool *stop, struct counting **out)
{
    if (query->filter.n > methods[0]->max_n)
        return NQ_LIMIT;
    struct counting *counting = calloc(1, sizeof *counting);
    if (!counting)
        return NQ_NOMEM;
    counting->query = *query;
    counting->divisor = 1;
    counting->source = &own_plans;
    filter_settle(&counting->query.filter);
    enum nq_status status = NQ_OK;
    if (query->by_square)
        status = add_squares(counting, filter_symmetries(&counting->query.filter), stop);
    else if (!filter_contradictory(&counting->query.filter))
        status = add_classes(counting, query_group(query));
    if (status == NQ_OK)
        *out = counting;
    else
        counting_close(counting);
    return status;
}

void counting_close(struct counting *counting)
{
    for (size_t i = 0; i < counting->count; i++)
        if (counting->terms[i].plan)
            counting->source->give(counting->source->context, counting->terms[i].method, counting->terms[i].plan);
    free(counting->terms);
    free(counting->squares);
    free(counting);
}

double counting_cost(const struct counting *counting, const bool *done, const atomic_bool *stop)
{
    double cost = 0;
    for (size_t i = 0; i < counting->count && !stop_wanted(stop); i++)
        if (!done || !done[i])
            cost += counting->terms[i].method->cost(&counting->terms[i].filter, counting->count, stop);
    return cost;
}

size_t counting_terms(const struct counting *counting)
{
    return counting->count;
}

const char *counting_method(const struct counting *counting, size_t index)
{
    return counting->terms[index].method->name;
}

void counting_name(const struct counting *counting, size_t index, struct bytes *name)
{
    const struct term *term = &counting->terms[index];
    bytes_format(name, "%s.%u ", term->method->name, term->method->revision);
    filter_name(&term->filter, name);
}

struct method_memory counting_memory(const struct counting *counting, const bool *done, size_t tables)
{
    struct method_memory memory = {0};
    for (size_t i = 0; i < counting->count; i++) {
        const struct term *term = &counting->terms[i];
        if ((done && done[i]) || !term->method->memory)
            continue;
        const struct method_memory more = term->method->memory(&term->filter, tables);
        memory.shared += more.shared;
        memory.each = more.each > memory.each ? more.each : memory.each;
    }
    return memory;
}

enum nq_status counting_prepare(struct counting *counting, const bool *done, const struct plan_source *source,
                                const atomic_bool *stop)
{
    counting->units = 0;
    if (source)
        counting->source = source;
    for (size_t i = 0; i < counting->count; i++) {
        struct term *term = &counting->terms[i];
        term->first = counting->units;
        if (done && done[i])
            continue;
        const enum nq_status status =
            counting->source->take(counting->source->context, term->method, &term->filter, stop, &term->plan);
        if (status != NQ_OK)
            return status;
        counting->units += term->method->units(term->plan);
    }
    return NQ_OK;
}

size_t counting_units(const struct counting *counting)
{
    return counting->units;
}

size_t counting_first(const struct counting *counting, size_t term)
{
    return term < counting->count ? counting->terms[term].first : counting->units;
}

size_t counting_term(const struct counting *counting, size_t unit)
{
    size_t low = 0, high = counting->count; /* terms[low].first <= unit < terms[high].first */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (counting->terms[middle].first <= unit)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double counting_weight(const struct counting *counting, size_t unit)
{
    const struct term *term = &counting->terms[counting_term(counting, unit)];
    return term->method->weight(term->plan, unit - term->first);
}

enum nq_status counting_count(const struct counting *counting, size_t unit, const struct kernel *kernel,
                              const atomic_bool *stop, struct unit_result *result)
{
    const struct term *term = &counting->terms[counting_term(counting, unit)];
    return term->method->count(term->plan, unit - term->first, kernel, stop, result);
}

enum nq_status counting_pieces(const struct counting *counting, size_t unit, const atomic_bool *stop, size_t *pieces)
{
    const struct term *term = &counting->terms[counting_term(counting, unit)];
    *pieces = 1;
    return term->method->pieces ? term->method->pieces(term->plan, unit - term->first, stop, pieces) : NQ_OK;
}

enum nq_status counting_count_piece(const struct counting *counting, size_t unit, size_t piece,
                                    const struct kernel *kernel, const atomic_bool *stop, struct unit_result *result)
{
    const struct term *term = &counting->terms[counting_term(counting, unit)];
    if (term->method->count_piece)
        return term->method->count_piece(term->plan, unit - term->first, piece, kernel, stop, result);
    return piece ? NQ_INVALID : counting_count(counting, unit, kernel, stop, result);
}

nq_wide counting_total(const struct counting *counting, const nq_wide *thirds)
{
    nq_wide total = 0;
    if (counting->query.by_square) { /* every solution has one queen in the first row */
        if (counting->query.filter.n == 0)
            return 1;
        for (uint32_t column = 0; column < counting->query.filter.n; column++)
            total += counting_square(counting, thirds, 0, column);
        return total;
    }
    for (size_t i = 0; i < counting->count; i++)
        total += thirds[i] * counting->terms[i].times;
    return total / METHOD_THIRDS / counting->divisor;
}

nq_wide counting_square(const struct counting *counting, const nq_wide *thirds, uint32_t row, uint32_t column)
{
    const uint16_t term = counting->squares[row * counting->query.filter.n + column];
    return term == NONE ? 0 : thirds[term] / METHOD_THIRDS;
}
