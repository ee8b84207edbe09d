/* index.h - the rank index of a query: how many solutions of its list, which is in lexicographic order, begin with each
 * prefix of one length. It finds the r-th solution, and the rank of a solution, without listing those before it. It
 * knows neither threads nor storage, nor who lists what cannot be counted.
 *
 * Life of an index: index_open() lays out its units; each unit is counted once, by anyone, and its result is bytes;
 * index_put() takes every result; index_finish() ends that; then index_rank() and index_unrank() may be called. */
#ifndef COUNT_INDEX_H
#define COUNT_INDEX_H

#include "base/bytes.h"
#include "board/query.h"
#include "kernels/kernel.h"
#include "rules/search.h"

enum {
    INDEX_MAX_N = 20,
    INDEX_CLASSES_MAX_N = 16, /* of classes under more than the reflection: every solution has to be listed for them */
    INDEX_WEAKER_MAX_N = 16,  /* by a rule by which more solutions stand than by that of queens */
};

struct index;

/* The largest n of an index for such a query, whose own n may be larger. */
uint32_t index_most(const struct query *query);

/* Lays out the units of a query's index in some milliseconds. The filter need not be settled; query->by_square is
 * ignored. NQ_OK, NQ_LIMIT (n above index_most()), NQ_NOMEM, NQ_CANCELLED soon after *stop. stop may be NULL, here and
 * below. */
enum nq_status index_open(const struct query *query, const atomic_bool *stop, struct index **index);
void index_close(struct index *index);

/* Appends what the units count, their revision, and which squares are allowed: equal names mean equal units. An index
 * of solutions distinct by reflection has the name and the units of the index of all: these are the first half. */
void index_name(const struct index *index, struct bytes *name);

/* The bytes of the index when it is finished; rather more than less, and less after *stop. Takes up to 25 ms (n = 20).
 */
double index_memory(const struct index *index, const atomic_bool *stop);

/* ---- Units: each is a short prefix. Its result is how many solutions begin with each of the longer prefixes ---- */

size_t index_units(const struct index *index);

/* About how long a unit takes, in placements of the search method; more than 0. Takes microseconds. */
double index_weight(const struct index *index, size_t unit, const atomic_bool *stop);

/* False: units are counted by index_count(). True: they are listed, because kernels do not know which solutions the
 * list has, and the result is made by struct index_tally. */
bool index_listed(const struct index *index);

/* Appends a unit's result and adds the placements tried to *nodes. NQ_OK, NQ_NOMEM, or NQ_CANCELLED within 100 ms of
 * *stop, and nothing is appended. Safe on any number of threads at once. The index must not be listed. */
enum nq_status index_count(const struct index *index, size_t unit, const struct kernel *kernel, const atomic_bool *stop,
                           struct bytes *result, uint64_t *nodes);

/* Writes a unit's prefix and returns its length, INDEX_STEM_MAX at most. */
enum { INDEX_STEM_MAX = 3 };
uint32_t index_stem(const struct index *index, size_t unit, uint8_t columns[static INDEX_STEM_MAX]);

/* Visits the longer prefixes of a unit in order. Not to be copied. */
struct index_walk {
    const struct index *index;
    uint64_t allow[INDEX_MAX_N]; /* of the index, with the unit's queens on it */
    struct kernel_board board;   /* the same, by lines */
    struct rule_walk walk;
};

/* Makes a unit's result from the listed solutions. It owns nothing and may be abandoned. Not to be copied. */
struct index_tally {
    struct index_walk walk;
    struct bytes *result;
    bool more; /* `columns` is a prefix that has not been left */
    uint8_t columns[KERNEL_MAX_N];
    uint64_t here, sum;
};

/* Appends a unit's result: begin; add every solution of the list that begins with the unit's prefix, in order,
 * columns[0..n); end, which returns NQ_OK or NQ_NOMEM. */
void index_tally_begin(struct index_tally *tally, const struct index *index, size_t unit, struct bytes *result);
void index_tally_add(struct index_tally *tally, const uint8_t *columns);
enum nq_status index_tally_end(struct index_tally *tally);

/* Sets or replaces a unit's result. NQ_OK, NQ_INVALID (this unit cannot have such a result) or NQ_NOMEM; then nothing
 * is changed. Different threads may put different units at once. */
enum nq_status index_put(struct index *index, size_t unit, const void *result, size_t size);

/* To be called after every unit's result is put and before any question. */
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

/* How far a question goes. To the length of the index's prefixes it takes a microsecond. Below, a kernel counts row by
 * row while more than `most` solutions are left; never if the index is listed. The caller lists the rest. */
struct index_depth {
    uint64_t most;               /* 0: down to the last row; UINT64_MAX: never below the prefixes */
    const struct kernel *kernel; /* may be NULL with UINT64_MAX */
    const atomic_bool *stop;     /* NQ_CANCELLED within 100 ms of it */
};

/* Finds the r-th solution of the list, the first being number 0. NQ_END: the list has fewer;
 * NQ_INVALID: the index is wrong. */
enum nq_status index_unrank(const struct index *index, uint64_t rank, const struct index_depth *depth,
                            struct index_place *place);

/* Finds the place of a solution, or of any placement of the upper rows, whether the list has it or not. place->columns
 * is its first place->length columns; if these are all, place->before is its rank. NQ_INVALID: it is not on allowed
 * squares. */
enum nq_status index_rank(const struct index *index, const uint8_t *columns, uint32_t length,
                          const struct index_depth *depth, struct index_place *place);

#endif
