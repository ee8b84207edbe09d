/* counting.c - which filters are counted, how often each counts, and the divisor of their sum.
 *
 * Classes of solutions under a group of symmetries are counted by Burnside's lemma: the mean, over the group, of how
 * many solutions each symmetry leaves unchanged. A reflection at a middle line leaves none (n > 1): two queens would
 * stand in one line, or none. Nor does one at a diagonal if queens attack along both, as they do by most rules. Motions
 * of the torus are put with those that others carry them into: g with h g h^-1, until no more are found. It is enough
 * that h goes through the symmetries and a shift by one: all motions are made of these. */
#include "count/counting.h"

#include <assert.h>
#include <stdlib.h>

#include "base/grow.h"
#include "board/query.h"

/* ---- The motions of the torus ---- */

/* Motions that leave equally many solutions unchanged, for each is carried into the others by a motion. */
struct torus_class {
    struct motion motion; /* one of them */
    uint32_t motions;     /* how many */
};

struct listing {
    const struct rule *rule;
    uint32_t n;
    bool *had;       /* by number of a motion: it is in a class */
    uint32_t *queue; /* numbers of the motions of a class */
    uint32_t queued;
};

static uint32_t number_of(const struct motion *motion, uint32_t n)
{
    return (motion->symmetry * n + motion->down) * n + motion->right;
}

static struct motion motion_of(uint32_t number, uint32_t n)
{
    return (struct motion){(uint8_t)(number / (n * n)), (uint8_t)(number / n % n), (uint8_t)(number % n)};
}

struct square {
    uint32_t row, column;
};

/* A shift by one row down, or a symmetry; and what undoes it. */
enum { SHIFT = NQ_SYMMETRIES };
static struct motion step_of(unsigned step, uint32_t n, bool undo)
{
    static const uint8_t undone[] = {0, 3, 2, 1, 4, 5, 6, 7};
    if (step == SHIFT)
        return (struct motion){.down = (uint8_t)(undo ? n - 1 : 1)};
    return (struct motion){.symmetry = (uint8_t)(undo ? undone[step] : step)};
}

/* Where h g h^-1 carries a square. */
static struct square carry(const struct motion *motion, uint32_t n, unsigned step, struct square square)
{
    const struct motion back = step_of(step, n, true), forth = step_of(step, n, false);
    motion_apply(&back, n, &square.row, &square.column);
    motion_apply(motion, n, &square.row, &square.column);
    motion_apply(&forth, n, &square.row, &square.column);
    return square;
}

static bool agrees(const struct motion *motion, uint32_t n, struct square square, struct square to)
{
    motion_apply(motion, n, &square.row, &square.column);
    return square.row == to.row && square.column == to.column;
}

/* h g h^-1: the motion that carries three squares as it does. */
static struct motion conjugate(const struct motion *motion, uint32_t n, unsigned step)
{
    const struct square corner = {0, 0}, right = {0, 1 % n}, below = {1 % n, 0};
    const struct square to = carry(motion, n, step, corner);
    for (uint8_t symmetry = 0;; symmetry++) {
        struct square from = corner;
        square_transform(symmetry, n, &from.row, &from.column);
        const struct motion image = {symmetry, (uint8_t)((to.row + n - from.row) % n),
                                     (uint8_t)((to.column + n - from.column) % n)};
        if (symmetry == NQ_SYMMETRIES - 1 || (agrees(&image, n, right, carry(motion, n, step, right)) &&
                                              agrees(&image, n, below, carry(motion, n, step, below))))
            return image;
    }
}

static void add(struct listing *listing, const struct motion *motion)
{
    const uint32_t number = number_of(motion, listing->n);
    if (listing->had[number])
        return;
    listing->had[number] = true;
    listing->queue[listing->queued++] = number;
}

/* Returns how many motions the class of one has. */
static uint32_t fill_class(struct listing *listing, const struct motion *motion)
{
    listing->queued = 0;
    add(listing, motion);
    for (uint32_t at = 0; at < listing->queued; at++) {
        const struct motion one = motion_of(listing->queue[at], listing->n);
        for (unsigned step = 0; step <= SHIFT; step++) {
            const struct motion image = conjugate(&one, listing->n, step);
            if (step == SHIFT || listing->rule->symmetries >> step & 1)
                add(listing, &image);
        }
    }
    return listing->queued;
}

static enum nq_status list(struct listing *listing, struct torus_class **classes, size_t *count)
{
    const uint32_t shifts = listing->n * listing->n;
    size_t room = 0;
    for (uint32_t number = 0; number < NQ_SYMMETRIES * shifts; number++) {
        if (listing->had[number] || !(listing->rule->symmetries >> number / shifts & 1))
            continue;
        struct torus_class *grown = grow_array(*classes, *count, &room, sizeof *grown);
        if (!grown)
            return NQ_NOMEM;
        *classes = grown;
        const struct motion motion = motion_of(number, listing->n);
        grown[(*count)++] = (struct torus_class){.motion = motion, .motions = fill_class(listing, &motion)};
    }
    return NQ_OK;
}

/* Lists the classes of all motions by a rule that shifts keep, n from 1 to FILTER_MAX_N: the symmetries of the rule
 * with all n * n shifts. The caller frees *classes, which is NULL if not NQ_OK but NQ_NOMEM. Takes milliseconds. */
static enum nq_status torus_classes(const struct rule *rule, uint32_t n, struct torus_class **classes, size_t *count)
{
    const size_t motions = (size_t)NQ_SYMMETRIES * n * n;
    struct listing listing = {.rule = rule, .n = n};
    listing.had = calloc(motions, sizeof *listing.had);
    listing.queue = calloc(motions, sizeof *listing.queue);
    *classes = NULL;
    *count = 0;
    enum nq_status status = listing.had && listing.queue ? list(&listing, classes, count) : NQ_NOMEM;
    free(listing.had);
    free(listing.queue);
    if (status != NQ_OK) {
        free(*classes);
        *classes = NULL;
    }
    return status;
}

/* ---- Terms ---- */

enum { NONE = UINT16_MAX };

/* Numbers of nq_transform; the diagonal of REFLECT_DIAGONAL goes down to the right. */
enum { TURN_NONE = 0, TURN_QUARTER = 1, TURN_HALF = 2, TURN_BACK = 3, REFLECT_ANTIDIAGONAL = 5, REFLECT_DIAGONAL = 7 };

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

/* The last method that suits: the first of each symmetry suits every filter of queens. */
static const struct method *method_of(enum query_symmetry symmetry, const struct filter *filter)
{
    const struct method *found = NULL;
    for (const struct method *const *at = methods; *at; at++)
        if ((*at)->symmetry == symmetry && (!(*at)->suits || (*at)->suits(filter)))
            found = *at;
    return found;
}

/* Adds a term, or adds to the times of an equal one. False: out of memory. */
static bool add_term(struct counting *counting, enum query_symmetry symmetry, const struct filter *filter,
                     unsigned times)
{
    const struct method *method = method_of(symmetry, filter);
    assert(method && times > 0); /* the first method of each symmetry suits every filter */
    for (size_t i = 0; i < counting->count && !counting->query.by_square; i++) {
        if (counting->terms[i].method == method && filter_equal(&counting->terms[i].filter, filter)) {
            counting->terms[i].times += times;
            return true;
        }
    }
    struct term *terms = grow_array(counting->terms, counting->count, &counting->room, sizeof *terms);
    if (!terms)
        return false;
    counting->terms = terms;
    counting->terms[counting->count++] = (struct term){.method = method, .filter = *filter, .times = times};
    return true;
}

/* The turn that makes a symmetry; the methods by lines have their own search for each. */
static unsigned turn_of(enum query_symmetry symmetry)
{
    static const uint8_t turns[] = {
        [SYMMETRY_ANY] = TURN_NONE, [SYMMETRY_POINT] = TURN_HALF, [SYMMETRY_QUARTER] = TURN_QUARTER};
    return turns[symmetry];
}

/* A term of the solutions of a filter with a symmetry. */
static bool add_symmetric(struct counting *counting, enum query_symmetry symmetry, const struct filter *filter)
{
    struct filter fixed = *filter;
    if (rule_by_lines(filter->rule))
        return add_term(counting, symmetry, filter, 1);
    fixed.fixed[0].symmetry = (uint8_t)turn_of(symmetry);
    return add_term(counting, SYMMETRY_ANY, &fixed, 1);
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
        if (!add_symmetric(counting, counting->query.symmetry, &placed))
            return NQ_NOMEM;
    }
    return NQ_OK;
}

/* A term of the solutions with the query's symmetry that a reflection at a diagonal leaves unchanged. With a quarter
 * turn it would make one at a middle line, too. */
static bool add_reflected(struct counting *counting, unsigned reflection, unsigned symmetries)
{
    enum { EXCHANGE_DIAGONALS = 1 << 1 | 1 << 3 | 1 << 4 | 1 << 6 }; /* or carry one into the other */
    struct filter fixed = counting->query.filter;
    if (counting->query.symmetry == SYMMETRY_QUARTER || rule_by_lines(fixed.rule))
        return true;
    if (counting->query.symmetry == SYMMETRY_POINT || symmetries & EXCHANGE_DIAGONALS)
        reflection = REFLECT_DIAGONAL; /* there are as many */
    fixed.fixed[0].symmetry = (uint8_t)reflection;
    fixed.fixed[1].symmetry = (uint8_t)turn_of(counting->query.symmetry);
    return !rule_orbits_possible(&fixed) || add_term(counting, SYMMETRY_ANY, &fixed, 1);
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
    bool added = true;
    counting->divisor = (unsigned)__builtin_popcount(symmetries);
    for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES && added; symmetry++) {
        if (!(symmetries >> symmetry & 1))
            continue;
        if (symmetry <= TURN_BACK)
            added = add_symmetric(counting, unchanged[symmetry] > wanted ? unchanged[symmetry] : wanted,
                                  &counting->query.filter);
        else if (symmetry == REFLECT_ANTIDIAGONAL || symmetry == REFLECT_DIAGONAL)
            added = add_reflected(counting, symmetry, symmetries);
    }
    return added ? NQ_OK : NQ_NOMEM;
}

/* A term for each class of motions of the torus that leave solutions unchanged. */
static enum nq_status add_torus_classes(struct counting *counting, const atomic_bool *stop)
{
    struct torus_class *classes;
    size_t count;
    const struct filter *filter = &counting->query.filter;
    enum nq_status status = torus_classes(filter->rule, filter->n, &classes, &count);
    counting->divisor = 0;
    for (size_t i = 0; i < count && status == NQ_OK; i++) {
        struct filter fixed = *filter;
        fixed.fixed[0] = classes[i].motion;
        counting->divisor += classes[i].motions;
        if (stop_wanted(stop))
            status = NQ_CANCELLED;
        else if (rule_orbits_possible(&fixed) && !add_term(counting, SYMMETRY_ANY, &fixed, classes[i].motions))
            status = NQ_NOMEM;
    }
    free(classes);
    return status;
}

static enum nq_status make_plan(void *context, const struct method *method, const struct filter *filter,
                                const atomic_bool *stop, void **plan)
{
    struct method_means means = *(const struct method_means *)context;
    const enum nq_status status = method->prepare(filter, &means, stop, plan);
    if (status != NQ_NOMEM || !means.tables)
        return status;
    means.tables = 0; /* without tables it may succeed */
    return method->prepare(filter, &means, stop, plan);
}

static void release_plan(void *context, const struct method *method, void *plan)
{
    (void)context;
    method->release(plan);
}

struct plan_source plan_source_alone(const struct method_means *means)
{
    return (struct plan_source){.take = make_plan, .give = release_plan, .context = (void *)means}; /* only read */
}

static const struct method_means own_means = {.tables = COUNTING_TABLES, .threads = 1};
static const struct plan_source own_plans = {.take = make_plan, .give = release_plan, .context = (void *)&own_means};

static uint32_t methods_most(const struct query *query)
{
    return !rule_by_lines(query->filter.rule) && query->symmetry != SYMMETRY_ANY ? RULE_ORBITS_MAX_N : KERNEL_MAX_N;
}

uint32_t counting_most(const struct query *query)
{
    return filter_impossible(&query->filter) && !query->by_square ? FILTER_MAX_N : methods_most(query);
}

enum nq_status counting_open(const struct query *query, const atomic_bool *stop, struct counting **out)
{
    if (query->filter.n > counting_most(query))
        return NQ_LIMIT;
    struct counting *counting = calloc(1, sizeof *counting);
    if (!counting)
        return NQ_NOMEM;
    counting->query = *query;
    counting->divisor = 1;
    counting->source = &own_plans;
    filter_settle(&counting->query.filter);
    enum nq_status status = NQ_OK;
    if (query->filter.n > methods_most(query)) {
        *out = counting; /* there are none: no terms */
        return NQ_OK;
    }
    if (query->by_square)
        status = add_squares(counting, filter_symmetries(&counting->query.filter), stop);
    else if (query->distinct == DISTINCT_TORUS && query->filter.n > 1)
        status = add_torus_classes(counting, stop);
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

struct count_cost counting_cost(const struct counting *counting, const bool *done, double nodes_per_second,
                                const atomic_bool *stop)
{
    struct count_cost cost = {0};
    for (size_t i = 0; i < counting->count && !stop_wanted(stop); i++) {
        const struct method *method = counting->terms[i].method;
        if (done && done[i])
            continue;
        const double placements = method->cost(&counting->terms[i].filter, counting->count, stop);
        cost.placements += placements;
        cost.seconds += method->node_seconds > 0 ? placements * method->node_seconds : placements / nodes_per_second;
    }
    return cost;
}

size_t counting_terms(const struct counting *counting)
{
    return counting->count;
}

const char *counting_method(const struct counting *counting, size_t index)
{
    assert(index < counting->count);
    return counting->terms[index].method->name;
}

void counting_name(const struct counting *counting, size_t index, struct bytes *name)
{
    assert(index < counting->count);
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
        counting->units += method_units(term->plan);
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
    assert(unit < counting->units);         /* the last term would be blamed for it */
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
    assert(term->plan);
    return method_weight(term->plan, unit - term->first);
}

enum nq_status counting_count(const struct counting *counting, size_t unit, size_t piece, const struct kernel *kernel,
                              const atomic_bool *stop, struct unit_result *result)
{
    const struct term *term = &counting->terms[counting_term(counting, unit)];
    assert(term->plan && unit - term->first < method_units(term->plan));
    if (!term->method->pieces && piece != METHOD_WHOLE && piece)
        return NQ_INVALID;
    return term->method->count(term->plan, unit - term->first, piece, kernel, stop, result);
}

enum nq_status counting_pieces(const struct counting *counting, size_t unit, const atomic_bool *stop, size_t *pieces)
{
    const struct term *term = &counting->terms[counting_term(counting, unit)];
    *pieces = 1;
    return term->method->pieces ? term->method->pieces(term->plan, unit - term->first, stop, pieces) : NQ_OK;
}

nq_wide counting_parts_most(const struct counting *counting, size_t index)
{
    assert(index < counting->count);
    return counting->terms[index].method->value ? ~(nq_wide)0 : UINT64_MAX;
}

bool counting_value(const struct counting *counting, size_t index, nq_wide sum, nq_wide *thirds)
{
    assert(index < counting->count);
    const struct term *term = &counting->terms[index];
    *thirds = sum;
    return term->method->value ? term->method->value(&term->filter, sum, thirds) : sum % METHOD_THIRDS == 0;
}

nq_wide counting_total(const struct counting *counting, const nq_wide *thirds)
{
    assert(counting->divisor > 0);
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

bool counting_sum(const struct counting *counting, nq_wide *sums, nq_wide *total)
{
    bool sound = true;
    for (size_t term = 0; term < counting->count && sound; term++)
        sound = counting_value(counting, term, sums[term], &sums[term]);
    *total = sound ? counting_total(counting, sums) : 0;
    return sound;
}

nq_wide counting_square(const struct counting *counting, const nq_wide *thirds, uint32_t row, uint32_t column)
{
    assert(counting->squares && row < counting->query.filter.n && column < counting->query.filter.n);
    const uint16_t term = counting->squares[row * counting->query.filter.n + column];
    return term == NONE ? 0 : thirds[term] / METHOD_THIRDS;
}
