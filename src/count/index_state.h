/* index_state.h - what an index is made of, for the files that make one and look up in one. */
#ifndef COUNT_INDEX_STATE_H
#define COUNT_INDEX_STATE_H

#include "count/index.h"
#include "kernels/rows/rows.h"

/* A key is a prefix as a number: so many bits a column, the first row's the highest. */
enum { COLUMN_BITS = 5 };
_Static_assert(INDEX_MAX_N <= 1 << COLUMN_BITS, "a key has a field for any column");

/* One of a unit's longer prefixes. */
struct entry {
    uint32_t key;
    uint32_t before; /* solutions of the unit that come before those with this prefix */
};

struct unit {
    uint32_t key; /* of columns */
    uint8_t columns[INDEX_STEM_MAX];
    uint64_t before; /* solutions kept of earlier units */
    size_t count;
    struct entry *entries; /* count of them, and an end. NULL: there is no result */
};

struct index {
    struct query query; /* the filter settled */
    struct kernel_board board;
    struct rows_board rows; /* see index_by_rule() */
    uint32_t stem, length;  /* rows of a unit's prefix, and of the longer ones */
    bool listed;            /* see index_listed() */
    unsigned group;         /* see query_group() */
    bool half;              /* only the first half of the solutions is kept */
    bool reflected;         /* the list goes on with the reflections of that half */
    size_t count;
    struct unit *units; /* count of them, and an end */
};

/* Whether it is not by lines, for which there are kernels of their own. */
static inline bool index_by_rule(const struct index *index)
{
    return !rule_by_lines(index->query.filter.rule);
}

/* Adds the completions of a search's queens to the tally, and the placements tried. NQ_OK, or NQ_CANCELLED within 100
 * ms of *stop. */
enum nq_status index_count_below(const struct index *index, const struct rule_search *search,
                                 const struct kernel *kernel, const atomic_bool *stop, struct rule_tally *tally);

/* The least key that begins with columns[0..length). */
static inline uint32_t key_of(const struct index *index, const uint8_t *columns, uint32_t length)
{
    uint32_t key = 0;
    for (uint32_t row = 0; row < length; row++)
        key = key << COLUMN_BITS | columns[row];
    return key << COLUMN_BITS * (index->length - length);
}

#endif
