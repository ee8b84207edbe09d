/* term_queens.c - placements of n queens, their classes, and those with a symmetry. */
#include "sequences/counted.h"

extern const struct rule rule_queens;

COUNTED_PREPARE(all, .query = {.filter.rule = &rule_queens}, .divisor = 1)
COUNTED_PREPARE(classes, .query = {.filter.rule = &rule_queens, .distinct = DISTINCT_FUNDAMENTAL}, .divisor = 1)
COUNTED_PREPARE(half, .query = {.filter.rule = &rule_queens, .symmetry = SYMMETRY_POINT}, .divisor = 1)
COUNTED_PREPARE(quarter, .query = {.filter.rule = &rule_queens, .symmetry = SYMMETRY_QUARTER}, .divisor = 1)

/* A class that a quarter turn leaves unchanged has two placements, one that only a half turn does four, others eight.
 */
COUNTED_PREPARE(classes_quarter, .query = {.filter.rule = &rule_queens, .symmetry = SYMMETRY_QUARTER}, .divisor = 2,
                .single = true)
COUNTED_PREPARE(classes_half, .query = {.filter.rule = &rule_queens, .symmetry = SYMMETRY_POINT},
                .less = {.filter.rule = &rule_queens, .symmetry = SYMMETRY_QUARTER}, .differs = true, .divisor = 4)
COUNTED_PREPARE(classes_none, .query = {.filter.rule = &rule_queens},
                .less = {.filter.rule = &rule_queens, .symmetry = SYMMETRY_POINT}, .differs = true, .divisor = 8)

#define UNCHANGED "search of the orbits of squares under that turn"

#define SEARCH "search of classes of first rows; from n = 15 on by joining quadrants"

extern const struct term_method term_queens, term_queen_classes, term_queens_half, term_queens_quarter,
    term_classes_quarter, term_classes_half, term_classes_none;
const struct term_method term_queens = COUNTED_TERM("queens", SEARCH, COUNTED_ALL_MAX_N, prepare_all);
const struct term_method term_queen_classes =
    COUNTED_TERM("queen-classes", "Burnside's lemma: placements, and those that a turn leaves unchanged",
                 COUNTED_ALL_MAX_N, prepare_classes);
const struct term_method term_queens_half =
    COUNTED_TERM("queens-half", UNCHANGED, COUNTED_SYMMETRIC_MAX_N, prepare_half);
const struct term_method term_queens_quarter =
    COUNTED_TERM("queens-quarter", UNCHANGED, COUNTED_SYMMETRIC_MAX_N, prepare_quarter);
const struct term_method term_classes_quarter =
    COUNTED_TERM("queen-classes-quarter", UNCHANGED, COUNTED_SYMMETRIC_MAX_N, prepare_classes_quarter);
const struct term_method term_classes_half =
    COUNTED_TERM("queen-classes-half", "search of the orbits of squares under a half turn, and under a quarter turn",
                 COUNTED_SYMMETRIC_MAX_N, prepare_classes_half);
const struct term_method term_classes_none =
    COUNTED_TERM("queen-classes-none", SEARCH "; search of the orbits of squares under a half turn", COUNTED_ALL_MAX_N,
                 prepare_classes_none);
