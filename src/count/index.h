/* index.h - the rank index of a query: how many solutions of its list, which is in lexicographic order, begin with each
 * prefix of one length. By it the r-th solution is found, and how many come before any, without listing those. It knows
 * neither threads nor storage, nor who lists what cannot be counted.
 *
 * Life of an index: it is opened, which lays out its units; every unit is carried out, by anyone, once, and its result,
 * which is bytes, kept; all results are put in; it is finished; and then asked. */
#ifndef COUNT_INDEX_H
#define COUNT_INDEX_H

#include "base/bytes.h"
#include "board/query.h"
#include "kernels/prefixes.h"

enum {
    INDEX_MAX_N = 20,
    INDEX_CLASSES_MAX_N = 16, /* of classes under more than the reflection: every solution has to be listed for them */
};

struct index;

/* The largest n of an index for such a query; its own n may be any. */
uint32_t index_most(const struct query *query);

/* Lays out the units of a query's index, which takes at most some milliseconds; its filter need not be settled, and
 * whether it is by square does not matter. NQ_OK, NQ_LIMIT (n beyond those above), NQ_NOMEM. */
enum nq_status index_open(const struct query *query, struct index **index);
void index_close(struct index *index);

/* Appends what the units count, their revision, and which squares are allowed: equal names, equal units. That of half
 * the solutions, distinct by reflection, has the name and the units of that of all: the others follow. */
void index_name(const struct index *index, struct bytes *name);

/* What it will take when every result is in, in bytes; rather more than less. Takes 25 ms (n = 20), or less. */
double index_memory(const struct index *index);

/* ---- Units: each is a short prefix; its result is how many solutions begin with each of its longer ones ---- */

size_t index_units(const struct index *index);

/* How long it will take, about, in placements of the search method; more than 0. Takes microseconds. */
double index_weight(const struct index *index, size_t unit);

/* That of all units together, each rounded down. Takes some milliseconds. */
uint64_t index_cost(const struct index *index);

/* Units are carried out by index_count(), or, where kernels cannot tell which solutions the list has, by listing. */
bool index_listed(const struct index *index);

/* Appends a unit's result, and adds the placements tried to *nodes. NQ_OK, NQ_NOMEM, or NQ_CANCELLED within 100 ms of
 * *stop (may be NULL), and nothing is appended. Safe on any number of threads at once. The index must not be listed. */
enum nq_status index_count(const struct index *index, size_t unit, const struct kernel *kernel, const atomic_bool *stop,
                           struct bytes *result, uint64_t *nodes);

/* Writes a unit's prefix and returns its length, INDEX_STEM_MAX at most. */
enum { INDEX_STEM_MAX = 3 };
uint32_t index_stem(const struct index *index, size_t unit, uint8_t columns[static INDEX_STEM_MAX]);

/* The longer prefixes of a unit, one after the other. Not to be copied. */
struct index_walk {
    const struct index *index;
    struct kernel_board board; /* that of the index, with the unit's queens on it */
    struct prefixes prefixes;
};

/* Makes a unit's result from the list; it may be left at any time. Not to be copied. */
struct index_tally {
    struct index_walk walk;
    struct bytes *result;
    bool more; /* `columns` is a prefix that has not been left */
    uint8_t columns[KERNEL_MAX_N];
    uint64_t here, sum;
};

/* Begins to append a unit's result; then every solution of the list that begins with the unit's prefix is to be added,
 * in order, columns[0..n); then it is to be ended: NQ_OK, or NQ_NOMEM. */
void index_tally_begin(struct index_tally *tally, const struct index *index, size_t unit, struct bytes *result);
void index_tally_add(struct index_tally *tally, const uint8_t *columns);
enum nq_status index_tally_end(struct index_tally *tally);

/* Takes up a unit's result, instead of any that it had. NQ_OK, NQ_INVALID (no result of this unit's; then nothing is
 * changed), NQ_NOMEM. Different units may be put in by different threads at once. */
enum nq_status index_put(struct index *index, size_t unit, const void *result, size_t size);

/* To be called when every unit's result is in, and before any question. */
void index_finish(struct index *index);

/* ---- Questions, from any number of threads at once ---- */

/* The length of the list. */
uint64_t index_total(const struct index *index);

/* The part of the list that begins with columns[0..length). */
struct index_place {
    uint32_t length;
    uint8_t columns[INDEX_MAX_N];
    uint64_t before; /* solutions of the list that come before it */
    uint64_t count;  /* solutions that it has */
};

/* Both are answered to the length of the index's prefixes in a microsecond. While that leaves more than `most`
 * solutions a kernel counts how they are shared out, row by row: with 0 down to the last row, with UINT64_MAX, when the
 * kernel may be NULL, never; nor ever in an index that is listed. What is left is the caller's to list. NQ_CANCELLED
 * within 100 ms of *stop (may be NULL). */

/* Where the r-th solution of the list stands, the first being number 0; NQ_END: it has no so many. */
enum nq_status index_unrank(const struct index *index, uint64_t rank, uint64_t most, const struct kernel *kernel,
                            const atomic_bool *stop, struct index_place *place);

/* Where a solution, or any placement of the upper rows, stands, or would: place->columns is as much of it as was gone
 * down, and with the whole of it place->before is its rank. NQ_INVALID: it is none on allowed squares. */
enum nq_status index_rank(const struct index *index, const uint8_t *columns, uint32_t length, uint64_t most,
                          const struct kernel *kernel, const atomic_bool *stop, struct index_place *place);

#endif
