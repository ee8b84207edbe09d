/* index_units.c - which prefixes an index has, how they are shared out among units, and the results of units.
 *
 * Reflection. When the filter's left-right reflection is the filter, the list of all solutions is that of a first half,
 * and then their reflections in reverse: reflection reverses the order. So only the first half is counted and kept. It
 * is also the list of solutions distinct by reflection. Its solutions have their first queen in the left half, or, if
 * that is in the middle column, their second queen: prefixes of two rows decide, so from n = 2 on none is shorter. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "count/index_state.h"
#include "count/methods/method.h"
#include "kernels/kernel.h"

/* Of the format of results, and of which prefixes a unit has: with another one stored results are not used any more. */
enum { REVISION = 1 };

/* Random descents for the weight of a unit. */
enum { WALKS = 8 };

/* Not by lines: the same for the only unit, and how much more weight a placement has where
 * solutions are listed. The 64 million of n = 12 by `touching` weigh 2.2 core-seconds then (AVX-512), and took that. */
enum { ONLY_WALKS = 500, LISTED_WEIGHT = 64 };

/* Not by lines: rows of prefixes, and rows of units' prefixes. Some rules have a hundred times
 * as many solutions as queens, so that prefixes are longer, and so are those of units: a unit must have fewer than
 * 2^32. */
static uint32_t length_by_rule(uint32_t n)
{
    return n <= 8 ? 2 : n <= 11 ? 3 : n <= 14 ? 4 : 5;
}

static uint32_t stem_by_rule(uint32_t n)
{
    return n <= 1 ? n : n <= 10 ? 1 : n <= 13 ? 2 : INDEX_STEM_MAX;
}

/* The rows of prefixes, so that each has hundreds to some thousand solutions. The figures are of a whole board, one
 * thread, AVX2: prefixes of the first half; solutions of one, mean and most; the time to count them; and the time for
 * all prefixes as a multiple of what the search method takes for the board.
 *   n = 13, 2 rows:        66,   558,  1048;   45 us        n = 17, 5 rows:   108 466,   442,  2 028;   35 us; 4.5
 *   n = 14, 3 rows:       682,   268,   672;   19 us        n = 18, 5 rows:   160 850, 2 071,  9 025;  194 us; 4.7
 *   n = 15, 3 rows:       882, 1 292, 3 426;  110 us; 4.3   n = 19, 5 rows:   232 174,  11 k,   35 k;  1.0 ms
 *   n = 16, 4 rows:     9 844,   750, 2 492;   60 us; 4.9   n = 20, 6 rows: 2 967 560, 6 600,   30 k;  0.9 ms
 * The tree is four to five times that of the method, which has all eight symmetries. One more row costs 14 % (n = 16 or
 * 18), until the 3 us that a kernel takes for any prefix matter: n = 15 with five rows 50 %. A prefix takes eight
 * bytes: 24 MB for n = 20, twice that without reflection. Solutions that a turn leaves unchanged are few. */
static uint32_t length_of(const struct query *query)
{
    const uint32_t n = query->filter.n;
    if (n < 2)
        return n;
    if (!rule_by_lines(query->filter.rule) && query->symmetry == SYMMETRY_ANY)
        return length_by_rule(n);
    if (n <= 13 || query->symmetry != SYMMETRY_ANY)
        return 2;
    if (n <= 15)
        return 3;
    if (n <= 16)
        return 4;
    return n <= 19 ? 5 : 6;
}

/* The rows of units' prefixes. Units of a whole board, and the mean time of one: n = 14 1, 13 ms; n = 15 91, 1.1 ms;
 * n = 16 105, 5 ms; n = 17 1393, 2.8 ms; n = 18 1710, 19 ms; n = 19 2072, 0.1 s; n = 20 2482, 1 s. Where classes are
 * listed, each first column is a unit. */
static uint32_t stem_of(const struct index *index)
{
    const uint32_t n = index->query.filter.n;
    if (index_by_rule(index) && index->query.symmetry == SYMMETRY_ANY)
        return stem_by_rule(n);
    if (n <= 14 || index->query.symmetry != SYMMETRY_ANY)
        return 0;
    if (index->listed)
        return 1;
    return n <= 16 ? 2 : 3;
}

/* ---- Walking ---- */

/* Whether a prefix is the reflection of one of the first half, as far as its second queen decides. */
static bool past_the_half(const struct index *index, const uint8_t *columns, uint32_t length)
{
    const uint32_t n = index->board.n;
    return index->half && length > 1 && columns[0] == n / 2 && columns[1] > n / 2;
}

/* The prefixes of so many rows that begin with columns[0..stem). */
static void walk_begin(struct index_walk *walk, const struct index *index, const uint8_t *columns, uint32_t stem,
                       uint32_t length)
{
    const struct filter *filter = &index->query.filter;
    walk->index = index;
    memcpy(walk->allow, filter->allow, sizeof walk->allow);
    if (index->half)
        walk->allow[0] &= (UINT64_C(1) << (filter->n + 1) / 2) - 1;
    for (uint32_t row = 0; row < stem; row++)
        walk->allow[row] = UINT64_C(1) << columns[row];
    walk->board = kernel_board_of(filter->n, walk->allow);
    rule_walk_begin(&walk->walk, filter->rule, filter->n, walk->allow, length);
}

static void walk_unit(struct index_walk *walk, const struct index *index, size_t unit)
{
    walk_begin(walk, index, index->units[unit].columns, index->stem, index->length);
}

/* The walk's search stands below the prefix then. */
static bool walk_next(struct index_walk *walk, uint8_t *columns)
{
    const struct index *index = walk->index;
    while (rule_walk_next(&walk->walk, columns))
        if (!past_the_half(index, columns, walk->walk.length) &&
            (index_by_rule(index) || kernel_promises(&walk->board, &walk->walk.search)))
            return true;
    return false;
}

/* ---- Laying out ---- */

/* Prefixes that are walked between two looks at the stop flag: some ten microseconds. */
enum { POLL_PREFIXES = 256 };

static enum nq_status lay_units(struct index *index, const atomic_bool *stop)
{
    struct index_walk walk;
    uint8_t columns[KERNEL_MAX_N];
    const bool none = filter_contradictory(&index->query.filter) || filter_impossible(&index->query.filter);
    walk_begin(&walk, index, NULL, 0, index->stem);
    while (!none && walk_next(&walk, columns))
        if (++index->count % POLL_PREFIXES == 0 && stop_wanted(stop))
            break;
    index->units = calloc(index->count + 1, sizeof *index->units);
    if (!index->units)
        return NQ_NOMEM;
    walk_begin(&walk, index, NULL, 0, index->stem);
    for (struct unit *unit = index->units; unit < index->units + index->count; unit++) {
        (void)walk_next(&walk, columns);
        memcpy(unit->columns, columns, index->stem);
        unit->key = key_of(index, columns, index->stem);
    }
    index->units[index->count].key = UINT32_MAX;
    return stop_wanted(stop) ? NQ_CANCELLED : NQ_OK;
}

enum { BY_REFLECTION = 1U << SYMMETRY_IDENTITY | 1U << SYMMETRY_REFLECTION };

uint32_t index_most(const struct query *query)
{
    const bool classes =
        query->filter.n <= FILTER_MAX_N ? query_group(query) & ~BY_REFLECTION : query->distinct == DISTINCT_FUNDAMENTAL;
    const uint32_t most = classes && query->symmetry == SYMMETRY_ANY ? INDEX_CLASSES_MAX_N : INDEX_MAX_N;
    const struct rule *rule = query->filter.rule;
    if (rule_by_lines(rule))
        return most;
    const uint32_t by_rule = most == INDEX_CLASSES_MAX_N ? rule->quick_rows
                             : rule->weaker              ? INDEX_WEAKER_MAX_N
                                                         : INDEX_MAX_N;
    return most < by_rule ? most : by_rule;
}

enum nq_status index_open(const struct query *query, const atomic_bool *stop, struct index **out)
{
    if (query->filter.n > index_most(query))
        return NQ_LIMIT;
    struct index *index = calloc(1, sizeof *index);
    if (!index)
        return NQ_NOMEM;
    index->query = *query;
    struct filter *filter = &index->query.filter;
    filter_settle(filter);
    index->group = query_group(query);
    const bool mirror = index->group >> SYMMETRY_REFLECTION & 1;
    const bool symmetric = filter->n > 1 && filter_symmetries(filter) >> SYMMETRY_REFLECTION & 1;
    index->board = kernel_board_of(filter->n, filter->allow);
    if (index_by_rule(index))
        index->rows = rows_board_of(filter->n, filter->rule->moves, filter->allow);
    index->listed = index->group & ~BY_REFLECTION || query->symmetry != SYMMETRY_ANY;
    index->half = mirror || (symmetric && !index->listed);
    index->reflected = index->half && !mirror;
    index->length = length_of(query);
    index->stem = stem_of(index);
    const enum nq_status status = lay_units(index, stop);
    if (status == NQ_OK)
        *out = index;
    else
        index_close(index);
    return status;
}

void index_close(struct index *index)
{
    for (size_t unit = 0; index->units && unit < index->count; unit++)
        free(index->units[unit].entries);
    free(index->units);
    free(index);
}

void index_name(const struct index *index, struct bytes *name)
{
    static const char *const symmetries[] = {
        [SYMMETRY_ANY] = "", [SYMMETRY_POINT] = " point", [SYMMETRY_QUARTER] = " quarter"};
    bytes_format(name, "index.%d", REVISION);
    if (index->listed && index->group != 1U << SYMMETRY_IDENTITY)
        bytes_format(name, " classes=%x", index->group);
    if (index->listed)
        bytes_text(name, symmetries[index->query.symmetry]);
    bytes_char(name, ' ');
    filter_name(&index->query.filter, name);
}

/* Visits the prefixes that are one row shorter, and adds the free squares of the last row. */
double index_memory(const struct index *index, const atomic_bool *stop)
{
    struct index_walk walk;
    uint8_t columns[KERNEL_MAX_N];
    uint64_t entries = 2 * index->count; /* the ends, and for n = 0 */
    const uint32_t above = index->length ? index->length - 1 : 0;
    walk_begin(&walk, index, NULL, 0, above);
    for (size_t i = 1; index->length && walk_next(&walk, columns) && (i % POLL_PREFIXES || !stop_wanted(stop)); i++)
        entries += (unsigned)__builtin_popcountll(walk.walk.search.level[above].untried);
    return (double)sizeof *index + (double)(index->count + 1) * sizeof *index->units +
           (double)entries * sizeof(struct entry);
}

/* ---- Units ---- */

size_t index_units(const struct index *index)
{
    return index->count;
}

bool index_listed(const struct index *index)
{
    return index->listed;
}

uint32_t index_stem(const struct index *index, size_t unit, uint8_t columns[static INDEX_STEM_MAX])
{
    memcpy(columns, index->units[unit].columns, index->stem);
    return index->stem;
}

/* By a rule: the placements that a kernel would count by, those that are listed being slower. Solutions with a symmetry
 * are chosen by half of their rows or less. */
static double weight_by_rule(const struct index *index, const struct unit *unit, const atomic_bool *stop)
{
    const struct filter *filter = &index->query.filter;
    struct rule_search search;
    (void)rule_search_follow(&search, filter->rule, filter->n, filter->allow, unit->columns, index->stem);
    const struct rows_prefix prefix = rows_prefix_of(&search);
    const unsigned walks = index->count > 1 ? WALKS : ONLY_WALKS;
    double weight = rows_walk(&index->rows, &prefix, walks, unit->key, stop) + 1;
    if (index->query.symmetry != SYMMETRY_ANY)
        weight = 1 + sqrt(weight) * filter->n * filter->n;
    return index->listed ? weight * LISTED_WEIGHT : weight;
}

double index_weight(const struct index *index, size_t unit, const atomic_bool *stop)
{
    struct index_walk walk;
    struct kernel_prefix prefix;
    if (index_by_rule(index))
        return weight_by_rule(index, &index->units[unit], stop);
    for (const struct method *const *at = methods; *at && index->query.symmetry != SYMMETRY_ANY; at++)
        if ((*at)->symmetry == index->query.symmetry)
            return (*at)->cost(&index->query.filter, 1, stop);
    walk_unit(&walk, index, unit);
    (void)prefixes_place(&walk.board, index->units[unit].columns, index->stem, &prefix);
    return kernel_walk(&walk.board, &prefix, WALKS, prefix.sums, stop) + 1;
}

/* LEB128: seven bits a byte, the lowest first; the upper bit is set if another byte follows. */
static void write_number(struct bytes *bytes, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        bytes_char(bytes, (char)(number | 0x80));
    bytes_char(bytes, (char)number);
}

struct reader {
    const uint8_t *at, *end;
};

/* False: there is no number, or it does not fit into 32 bits or is not written in the fewest bytes. */
static bool read_number(struct reader *reader, uint32_t *number)
{
    uint64_t value = 0;
    for (unsigned shift = 0; reader->at < reader->end && shift < 35; shift += 7) {
        const uint8_t byte = *reader->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80)
            continue;
        *number = (uint32_t)value;
        return value <= UINT32_MAX && (byte || !shift);
    }
    return false;
}

enum nq_status index_count_below(const struct index *index, const struct rule_search *search,
                                 const struct kernel *kernel, const atomic_bool *stop, struct rule_tally *tally)
{
    if (index_by_rule(index)) {
        const struct rows_prefix prefix = rows_prefix_of(search);
        return rows_kernel_of(kernel)->count(&index->rows, &prefix, stop, tally);
    }
    const struct kernel_prefix prefix = kernel_prefix_of(search);
    struct kernel_tally by_lines = {0};
    const enum nq_status status = kernel->count(&index->board, &prefix, stop, &by_lines);
    tally->solutions += by_lines.solutions[0];
    tally->nodes += by_lines.nodes;
    return status;
}

enum nq_status index_count(const struct index *index, size_t unit, const struct kernel *kernel, const atomic_bool *stop,
                           struct bytes *result, uint64_t *nodes)
{
    struct index_walk walk;
    uint8_t columns[KERNEL_MAX_N];
    const size_t start = result->size;
    uint64_t sum = 0;
    assert(!index->listed);
    assert(unit < index->count);
    walk_unit(&walk, index, unit);
    while (walk_next(&walk, columns)) {
        struct rule_tally tally = {0};
        const enum nq_status status = index_count_below(index, &walk.walk.search, kernel, stop, &tally);
        if (status != NQ_OK) {
            result->size = start;
            return status;
        }
        write_number(result, tally.solutions);
        sum += tally.solutions;
        *nodes += tally.nodes;
    }
    write_number(result, sum);
    return result->failed ? NQ_NOMEM : NQ_OK;
}

static void tally_next(struct index_tally *tally)
{
    tally->here = 0;
    tally->more = walk_next(&tally->walk, tally->columns);
}

static void tally_write(struct index_tally *tally)
{
    write_number(tally->result, tally->here);
    tally->sum += tally->here;
    tally_next(tally);
}

void index_tally_begin(struct index_tally *tally, const struct index *index, size_t unit, struct bytes *result)
{
    tally->result = result;
    tally->sum = 0;
    walk_unit(&tally->walk, index, unit);
    tally_next(tally);
}

void index_tally_add(struct index_tally *tally, const uint8_t *columns)
{
    while (tally->more && memcmp(tally->columns, columns, tally->walk.index->length) != 0)
        tally_write(tally);
    assert(tally->more);
    tally->here++;
}

enum nq_status index_tally_end(struct index_tally *tally)
{
    while (tally->more)
        tally_write(tally);
    write_number(tally->result, tally->sum);
    return tally->result->failed ? NQ_NOMEM : NQ_OK;
}

/* Reads a unit's counts and adds an end. False: they are no result of the unit. */
static bool read_entries(const struct index *index, size_t unit, struct reader *reader, struct entry *entries,
                         size_t *count)
{
    struct index_walk walk;
    uint8_t columns[KERNEL_MAX_N];
    uint32_t here, sum = 0;
    *count = 0;
    walk_unit(&walk, index, unit);
    while (walk_next(&walk, columns)) {
        if (!read_number(reader, &here) || here > UINT32_MAX - sum)
            return false;
        entries[(*count)++] = (struct entry){key_of(index, columns, index->length), sum};
        sum += here;
    }
    entries[*count] = (struct entry){UINT32_MAX, sum};
    return read_number(reader, &here) && here == sum && reader->at == reader->end;
}

enum nq_status index_put(struct index *index, size_t number, const void *result, size_t size)
{
    assert(number < index->count);
    struct unit *unit = &index->units[number];
    struct reader reader = {result, (const uint8_t *)result + size};
    struct entry *entries = malloc((size + 1) * sizeof *entries); /* every count takes a byte or more */
    size_t count;
    if (!entries)
        return NQ_NOMEM;
    if (!read_entries(index, number, &reader, entries, &count)) {
        free(entries);
        return NQ_INVALID;
    }
    struct entry *fitting = realloc(entries, (count + 1) * sizeof *entries);
    free(unit->entries);
    unit->entries = fitting ? fitting : entries;
    unit->count = count;
    return NQ_OK;
}

void index_finish(struct index *index)
{
    uint64_t before = 0;
    for (struct unit *unit = index->units; unit < index->units + index->count; unit++) {
        assert(unit->entries);
        unit->before = before;
        before += unit->entries[unit->count].before;
    }
    index->units[index->count].before = before;
}
