/* index_rank.c - where ranks lie among the prefixes of an index, and below them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "count/index_state.h"

/* ---- Prefixes: bsearch() finds the item whose number is not greater, while that of the next item is ---- */

static int order(uint64_t number, uint64_t here, uint64_t next)
{
    return number < here ? -1 : number >= next;
}

static int by_unit_rank(const void *rank, const void *item)
{
    const struct unit *unit = item;
    return order(*(const uint64_t *)rank, unit->before, unit[1].before);
}

static int by_unit_key(const void *key, const void *item)
{
    const struct unit *unit = item;
    return order(*(const uint64_t *)key, unit->key, unit[1].key);
}

static int by_rank(const void *rank, const void *item)
{
    const struct entry *entry = item;
    return order(*(const uint64_t *)rank, entry->before, entry[1].before);
}

static int by_key(const void *key, const void *item)
{
    const struct entry *entry = item;
    return order(*(const uint64_t *)key, entry->key, entry[1].key);
}

/* Of the list, or of its first half. */
static uint64_t kept(const struct index *index)
{
    return index->units[index->count].before;
}

uint64_t index_total(const struct index *index)
{
    return index->reflected ? 2 * kept(index) : kept(index);
}

/* How many of the solutions kept have a prefix with a smaller key. */
static uint64_t below(const struct index *index, uint64_t key)
{
    if (!key--)
        return 0;
    const struct unit *unit = bsearch(&key, index->units, index->count, sizeof *unit, by_unit_key);
    if (!unit)
        return 0;
    const struct entry *entry = bsearch(&key, unit->entries, unit->count, sizeof *entry, by_key);
    return unit->before + (entry ? entry[1].before : 0);
}

static void reflect(const struct index *index, struct index_place *place)
{
    for (uint32_t row = 0; row < place->length; row++)
        place->columns[row] = (uint8_t)(index->board.n - 1 - place->columns[row]);
}

/* Finds the longer prefix that the r-th of the solutions kept begins with. */
static void find_rank(const struct index *index, uint64_t rank, struct index_place *place)
{
    const struct unit *unit = bsearch(&rank, index->units, index->count, sizeof *unit, by_unit_rank);
    assert(unit);
    rank -= unit->before;
    const struct entry *entry = bsearch(&rank, unit->entries, unit->count, sizeof *entry, by_rank);
    assert(entry);
    place->before = unit->before + entry->before;
    place->count = entry[1].before - entry->before;
    place->length = index->length;
    uint32_t key = entry->key;
    for (uint32_t row = place->length; row-- > 0; key >>= COLUMN_BITS)
        place->columns[row] = key & ((1 << COLUMN_BITS) - 1);
}

/* Finds the part of the list that begins with place->columns, no more rows than the index has. */
static void find_prefix(const struct index *index, struct index_place *place)
{
    const uint64_t width = UINT64_C(1) << COLUMN_BITS * (index->length - place->length);
    uint64_t key = key_of(index, place->columns, place->length);
    place->before = below(index, key);
    place->count = below(index, key + width) - place->before;
    if (!index->reflected)
        return;
    reflect(index, place);
    key = key_of(index, place->columns, place->length);
    const uint64_t first = below(index, key), next = below(index, key + width);
    place->before += kept(index) - next;
    place->count += next - first;
    reflect(index, place);
}

/* ---- Going down ---- */

/* What is looked for: a placement of some rows, or, if columns is NULL, a rank. */
struct target {
    const uint8_t *columns;
    uint32_t length;
    uint64_t rank;
};

/* Goes one row down; the search stays below the square. The last free square need not be counted: it has what the
 * others have not. */
static enum nq_status step(const struct index *index, const struct target *target, const struct index_depth *depth,
                           struct rule_search *search, struct index_place *place)
{
    assert(search->row == place->length); /* both have gone down as far */
    const uint32_t row = place->length;
    for (uint32_t column = 0; column < search->n; column++) {
        if (!rule_search_place(search, column))
            continue;
        struct rule_tally tally = {0};
        enum nq_status status = NQ_OK;
        if (search->level[row].untried)
            status = index_count_below(index, search, depth->kernel, depth->stop, &tally);
        else
            tally.solutions = place->count;
        if (status != NQ_OK)
            return status;
        if (target->columns ? target->columns[row] == column : target->rank < place->before + tally.solutions) {
            place->columns[place->length++] = (uint8_t)column;
            place->count = tally.solutions;
            return NQ_OK;
        }
        rule_search_remove(search);
        place->before += tally.solutions;
        place->count -= tally.solutions;
    }
    return NQ_INVALID; /* the results of units were wrong */
}

/* Whether queens are a placement on allowed squares; the search stays below them. */
static bool stands(const struct index *index, const uint8_t *columns, uint32_t length, struct rule_search *search)
{
    const struct filter *filter = &index->query.filter;
    return rule_search_follow(search, filter->rule, filter->n, filter->allow, columns, length);
}

static enum nq_status go_down(const struct index *index, const struct target *target, const struct index_depth *depth,
                              struct index_place *place)
{
    struct rule_search search;
    enum nq_status status = NQ_OK;
    if (index->listed)
        return NQ_OK;
    (void)stands(index, place->columns, place->length, &search);
    while (status == NQ_OK && place->length < target->length && place->count > depth->most)
        status = step(index, target, depth, &search, place);
    return status;
}

enum nq_status index_unrank(const struct index *index, uint64_t rank, const struct index_depth *depth,
                            struct index_place *place)
{
    const struct target target = {.length = index->board.n, .rank = rank};
    const uint64_t total = index_total(index);
    if (rank >= total)
        return NQ_END;
    if (rank < kept(index)) {
        find_rank(index, rank, place);
    } else {
        find_rank(index, total - 1 - rank, place);
        reflect(index, place);
        place->before = total - place->before - place->count;
    }
    return go_down(index, &target, depth, place);
}

enum nq_status index_rank(const struct index *index, const uint8_t *columns, uint32_t length,
                          const struct index_depth *depth, struct index_place *place)
{
    assert(length <= index->board.n);
    const struct target target = {.columns = columns, .length = length};
    struct rule_search search;
    if (!stands(index, columns, length, &search))
        return NQ_INVALID;
    place->length = length < index->length ? length : index->length;
    if (place->length)
        memcpy(place->columns, columns, place->length);
    find_prefix(index, place);
    return go_down(index, &target, depth, place);
}
