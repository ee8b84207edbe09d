/* facts.h - what the unit tests share: published numbers, the slow way to find solutions, and seeded dice. Nothing here
 * uses the library: its answers are to be compared with these. */
#ifndef TESTS_UNIT_SUPPORT_FACTS_H
#define TESTS_UNIT_SUPPORT_FACTS_H

#include <jansson.h>

#include "support/tests.h"

OWNER(json_decref, json_t *)

/* One table of tests/data/tables.json (read relative to the current directory), borrowed. A missing one fails the test.
 */
const json_t *facts_table(const char *name);

/* What an article printed, or should have: of tests/data/seeds.json, borrowed. A missing one fails the test. */
const json_t *facts_seed(const char *name);

/* The n-th number of a table of terms; its first one is that of the table's offset. A missing one fails the test. */
uint64_t facts_term(const char *table, uint32_t n);

/* What a table keyed by n ("n" or "rows") holds for n, borrowed; NULL when nothing. */
const json_t *facts_entry(const char *table, uint32_t n);

/* The published number of solutions by a rule, of tests/data/variants.json. False: nobody has published it. */
bool facts_published(const char *rule, uint32_t n, uint64_t *count);

/* The i-th number of an array, or the named one of an object. A missing one fails the test. */
uint64_t facts_at(const json_t *array, size_t index);
uint64_t facts_get(const json_t *object, const char *key);

/* Whether no two of the queens in rows 0..count-1 share a column or a diagonal: every pair is looked at. */
bool facts_peaceful(uint32_t count, const uint32_t *columns);

/* All solutions in lexicographic order, *count times n columns, by trying every column of every row. The caller frees.
 */
uint32_t *facts_solutions(uint32_t n, size_t *count);

/* Compares two solutions of n columns, for qsort_r(): which comes first in lexicographic order. */
int facts_compare(const void *a, const void *b, void *n);

/* A number that follows from the state alone, and one below a bound above 0. */
uint64_t facts_random(uint64_t *state);
uint32_t facts_below(uint64_t *state, uint32_t bound);

/* Random bits, of which each of the lowest `bits` is set with a chance of so many per cent. */
uint64_t facts_word(uint64_t *state, uint32_t bits, uint32_t percent);

#endif
