/* sifted_solutions.h - the solutions of a query, sifted out of all of them by looking at each; and filters to sift them
 * by. */
#ifndef TESTS_UNIT_SUPPORT_SIFTED_SOLUTIONS_H
#define TESTS_UNIT_SUPPORT_SIFTED_SOLUTIONS_H

#include "board/query.h"
#include "support/facts.h"

/* A rule by its name. */
const struct rule *sift_rule(const char *name);

/* All solutions of n, as facts_solutions() gives them, or by a rule: all permutations, sifted pair by pair. */
struct sift {
    uint32_t n;
    const struct rule *rule;
    size_t count;
    uint32_t *solutions; /* sift_end() frees them */
};
struct sift sift_all(uint32_t n);
struct sift sift_by_rule(const struct rule *rule, uint32_t n);

/* All that a cursor lists, in its order. */
struct cursor_settings;
struct sift sift_listed(const struct cursor_settings *settings, const struct query *query);

static inline void sift_end(struct sift *all)
{
    free(all->solutions);
}

/* A query of a board without any squares placed or excluded. */
struct query sift_whole(uint32_t n, enum query_distinct distinct, enum query_symmetry symmetry);

/* Whether a solution keeps to a query's filter and has its symmetry. */
bool sift_wanted(const struct query *query, const uint32_t *columns);

/* Symmetries, as bits, to be broken in a query: none, or all but a group of them. Another answer each time. */
unsigned sift_broken(void);

/* The symmetries a query takes solutions for the same under, bits as of filter_symmetries(). */
unsigned sift_group(const struct query *query);

/* Whether it is wanted, and the least of its images under a group; they must all be wanted. */
bool sift_least(const struct query *query, unsigned group, const uint32_t *columns);

/* Excludes a square with all its images under a group of symmetries. */
void sift_exclude(struct filter *filter, unsigned group, uint32_t row, uint32_t column);

/* Makes a filter that may have any group of symmetries: a few queens placed, some squares excluded with all their
 * images. */
void sift_roll(uint64_t *dice, const struct sift *all, struct filter *filter);

/* All images of some squares excluded: a filter that all eight symmetries carry into itself. */
void sift_roll_symmetric(uint64_t *dice, uint32_t n, struct filter *filter);

/* Checks a query against all solutions by its rule; dice for what else is left to chance. */
typedef void sift_check(const struct query *query, const struct sift *all, uint64_t *dice);

/* The queries of a filter of every `distinct` and of the symmetries from SYMMETRY_ANY on, with symmetries broken. */
void sift_kinds(const struct filter *filter, enum query_symmetry symmetries, const struct sift *all, uint64_t *dice,
                sift_check *check);

/* Small boards. */
struct sift_sweep {
    bool others;     /* by every rule but that of queens; else by that one */
    uint32_t most;   /* n, from 0 on */
    unsigned rounds; /* filters of each n, beside the whole board */
    enum query_symmetry symmetries;
    bool centre; /* a queen in the centre of each, which has one */
};

/* All kinds of queries of whole boards and of filters of all kinds: some with symmetries, some that contradict
 * themselves or soon will. */
void sift_each(const struct sift_sweep *sweep, sift_check *check);

#endif
