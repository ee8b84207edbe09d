/* division.h - what a count is divided into, and what its units come to. A count by a method has terms, each with units
 * of its own, some of which can be split into pieces; their results are numbers, which add up. The index of a list, a
 * count by a statistic and a count of a shape are one term, whose units are whole; their results are bytes, which are
 * put together here. It knows neither threads nor storage, nor who counts. */
#ifndef ENGINE_UNITS_DIVISION_H
#define ENGINE_UNITS_DIVISION_H

#include "base/refusals.h"
#include "count/counting.h"
#include "count/index.h"
#include "engine/ask/question.h"
#include "shapes/shape.h"
#include "statistics/survey.h"

struct division;

/* Of a division whose results are bytes. */
struct division_class {
    size_t (*units)(const struct division *division);
    /* Appends what the units count: equal names mean equal units, on every machine. */
    void (*name)(const struct division *division, struct bytes *name);
    /* About how long a unit takes, in placements of the search method, more than 0, or less after *stop. Takes
     * microseconds, if there are several units. */
    double (*weight)(const struct division *division, size_t unit, const atomic_bool *stop);
    /* Appends a unit's result and adds the placements tried to *nodes. NQ_OK, NQ_NOMEM, or NQ_CANCELLED within 100 ms
     * of *stop. On any number of threads at once. */
    enum nq_status (*make)(const struct division *division, size_t unit, const struct kernel *kernel,
                           const atomic_bool *stop, struct bytes *result, uint64_t *nodes);
    /* Takes over a result: once for each unit, one at a time. NQ_OK, NQ_NOMEM, or NQ_INVALID (the unit cannot have it;
     * nothing is changed). */
    enum nq_status (*put)(struct division *division, size_t unit, const void *result, size_t size);
};

/* Of these one is set, by the kind of the question; the rest is division.c's own. */
struct division {
    struct counting *counting;
    struct index *index;
    struct survey *survey;
    struct shape_plan *plan; /* of a shape */
    nq_wide *profile;        /* of a survey by value, of a shape by number of queens: the units that were put */
    const struct division_class *class; /* NULL: counting is set */
    const struct question *question;
    unsigned group;   /* of an index that is listed: see query_group() */
    bool index_given; /* to an answer, which closes it */
    double only;      /* the weight of the only unit; 0: not known */
};

/* question must outlive the division. nodes_per_second: of the search method on one thread, for weights. A shape that
 * weighs more than so many placements is not split into units; INFINITY: any is, and its units are the same on every
 * machine. NQ_OK, NQ_LIMIT (too large a board), NQ_NOMEM, NQ_CANCELLED soon after *stop (may be NULL, here and below).
 */
enum nq_status division_open(const struct question *question, double nodes_per_second, double most_placements,
                             const atomic_bool *stop, struct division **division);
void division_close(struct division *division); /* NULL: nothing */

/* What it takes, without the terms that are done (NULL: none is), about; remembers the weight of an only unit. And the
 * memory, with tables of so many bytes at most. */
struct count_cost division_cost(struct division *division, const bool *done, double nodes_per_second,
                                const atomic_bool *stop);
double division_memory(const struct division *division, size_t table_bytes, unsigned threads, const atomic_bool *stop);

/* ---- Terms and units: as of counting.h ---- */

size_t division_terms(const struct division *division);
void division_name(const struct division *division, size_t term, struct bytes *name);

/* Lists the units of every term that is not done; before that there are none, but for results that are bytes. */
enum nq_status division_prepare(struct division *division, const bool *done, const struct plan_source *source,
                                const atomic_bool *stop);
size_t division_units(const struct division *division);
size_t division_first(const struct division *division, size_t term);
size_t division_term(const struct division *division, size_t unit);
double division_weight(const struct division *division, size_t unit);
enum nq_status division_pieces(const struct division *division, size_t unit, const atomic_bool *stop, size_t *pieces);

/* ---- Results ---- */

/* What a unit, or a piece, came to. Of bytes, which whoever made it frees, the number is a digest: results are equal if
 * their numbers are, and nobody can make up another one with the same number. */
struct unit_made {
    nq_wide parts;
    uint64_t nodes;
    struct bytes bytes;
};

/* piece: or UNIT_WHOLE. NQ_OK, NQ_NOMEM, or NQ_CANCELLED within 100 ms of *stop. */
enum nq_status division_make(const struct division *division, size_t unit, size_t piece, const struct kernel *kernel,
                             const atomic_bool *stop, struct unit_made *made);

/* The largest number that a result of a term can have. */
nq_wide division_most(const struct division *division, size_t term);

/* A result as it is stored. Reading borrows the bytes, and returns false if no unit of the term can have it. */
void division_write(const struct division *division, const struct unit_made *made, struct bytes *value);
bool division_read(const struct division *division, size_t term, const void *value, size_t size,
                   struct unit_made *made);

/* Takes over a result, as struct division_class says; nothing, if results are numbers. */
enum nq_status division_put(struct division *division, size_t unit, const struct unit_made *made);

#endif
