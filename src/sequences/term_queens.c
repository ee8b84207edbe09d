/* term_queens.c - placements of n queens, their classes, and those with a symmetry. */
#include "sequences/counted.h"

extern const struct rule rule_queens;

COUNTED_PREPARE(all, .query = {.filter.rule = &rule_queens}, .divisor = 1)
COUNTED_PREPARE(classes, .query = {.filter.rule = &rule_queens, .distinct = DISTINCT_FUNDAMENTAL}, .divisor = 1)
COUNTED_PREPARE(half, .query = {.filter.rule = &rule_queens, .symmetry = SYMMETRY_POINT}, .divisor = 1)
COUNTED_PREPARE(quarter, .query = {.filter.rule = &rule_queens, .symmetry = SYMMETRY_QUARTER}, .divisor = 1)

#define UNCHANGED "search of the orbits of squares under that turn"

extern const struct term_method term_queens, term_queen_classes, term_queens_half, term_queens_quarter;
const struct term_method term_queens = COUNTED_TERM(
    "queens", "search of classes of first rows; from n = 15 on by joining quadrants", COUNTED_ALL_MAX_N, prepare_all);
const struct term_method term_queen_classes =
    COUNTED_TERM("queen-classes", "Burnside's lemma: placements, and those that a turn leaves unchanged",
                 COUNTED_ALL_MAX_N, prepare_classes);
const struct term_method term_queens_half =
    COUNTED_TERM("queens-half", UNCHANGED, COUNTED_SYMMETRIC_MAX_N, prepare_half);
const struct term_method term_queens_quarter =
    COUNTED_TERM("queens-quarter", UNCHANGED, COUNTED_SYMMETRIC_MAX_N, prepare_quarter);
