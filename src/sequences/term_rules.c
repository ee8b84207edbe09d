/* term_rules.c - placements by other rules than that of queens, and their classes by their symmetry. */
#include "kernels/torus/torus.h"
#include "sequences/counted.h"

extern const struct rule rule_toroidal, rule_superqueens, rule_semiqueens, rule_toroidal_semiqueens, rule_reflecting,
    rule_touching, rule_rooks;

COUNTED_PREPARE(toroidal, .query = {.filter.rule = &rule_toroidal}, .divisor = 1)
COUNTED_PREPARE(toroidal_classes, .query = {.filter.rule = &rule_toroidal, .distinct = DISTINCT_TORUS}, .divisor = 1)
COUNTED_PREPARE(superqueens, .query = {.filter.rule = &rule_superqueens}, .divisor = 1)
COUNTED_PREPARE(superqueen_classes, .query = {.filter.rule = &rule_superqueens, .distinct = DISTINCT_FUNDAMENTAL},
                .divisor = 1)
COUNTED_PREPARE(semiqueens, .query = {.filter.rule = &rule_semiqueens}, .divisor = 1)
COUNTED_PREPARE(toroidal_semiqueens, .query = {.filter.rule = &rule_toroidal_semiqueens}, .divisor = 1)
COUNTED_PREPARE(reflecting, .query = {.filter.rule = &rule_reflecting}, .divisor = 1)
COUNTED_PREPARE(touching, .query = {.filter.rule = &rule_touching}, .divisor = 1)
COUNTED_PREPARE(rooks, .query = {.filter.rule = &rule_rooks}, .divisor = 1)

/* A class that a quarter turn leaves unchanged has two solutions, one that only a half turn does four, others eight. */
COUNTED_PREPARE(superqueens_quarter, .query = {.filter.rule = &rule_superqueens, .symmetry = SYMMETRY_QUARTER},
                .divisor = 2)
COUNTED_PREPARE(superqueens_half, .query = {.filter.rule = &rule_superqueens, .symmetry = SYMMETRY_POINT},
                .less = {.filter.rule = &rule_superqueens, .symmetry = SYMMETRY_QUARTER}, .differs = true, .divisor = 4)
COUNTED_PREPARE(superqueens_none, .query = {.filter.rule = &rule_superqueens},
                .less = {.filter.rule = &rule_superqueens, .symmetry = SYMMETRY_POINT}, .differs = true, .divisor = 8)

/* P and R in the formula of A051224. */
COUNTED_PREPARE(superqueens_p, .query = {.filter.rule = &rule_superqueens, .symmetry = SYMMETRY_POINT}, .divisor = 1)
COUNTED_PREPARE(superqueens_r, .query = {.filter.rule = &rule_superqueens, .symmetry = SYMMETRY_QUARTER}, .divisor = 1)

#define SEARCH "depth-first search by the rule, each placement through one of its images"
#define BURNSIDE "Burnside's lemma: placements, and those that a turn leaves unchanged"
#define ORBITS "search of the orbits of squares under turns"
#define CORRELATIONS "sum over pairs of necklaces of signs of the products of their correlations, modulo 2^128"

extern const struct term_method term_toroidal, term_toroidal_classes, term_superqueens, term_superqueen_classes,
    term_superqueens_quarter, term_superqueens_half, term_superqueens_none, term_superqueens_p, term_superqueens_r,
    term_semiqueens, term_toroidal_semiqueens, term_reflecting, term_touching, term_rooks;
const struct term_method term_toroidal = COUNTED_TERM("toroidal", SEARCH, COUNTED_ALL_MAX_N, prepare_toroidal);
const struct term_method term_toroidal_classes = COUNTED_TERM(
    "toroidal-classes", "Burnside's lemma: placements, and those that a shift, a turn or a reflection leaves unchanged",
    COUNTED_ALL_MAX_N, prepare_toroidal_classes);
const struct term_method term_superqueens = COUNTED_TERM("superqueens", SEARCH, COUNTED_ALL_MAX_N, prepare_superqueens);
const struct term_method term_superqueen_classes =
    COUNTED_TERM("superqueen-classes", BURNSIDE, COUNTED_ALL_MAX_N, prepare_superqueen_classes);
const struct term_method term_superqueens_quarter =
    COUNTED_TERM("superqueens-quarter", ORBITS, COUNTED_RULE_MAX_N, prepare_superqueens_quarter);
const struct term_method term_superqueens_half =
    COUNTED_TERM("superqueens-half", ORBITS, COUNTED_SYMMETRIC_MAX_N, prepare_superqueens_half);
const struct term_method term_superqueens_none =
    COUNTED_TERM("superqueens-none", SEARCH "; " ORBITS, COUNTED_ALL_MAX_N, prepare_superqueens_none);
const struct term_method term_superqueens_p =
    COUNTED_TERM("superqueens-p", ORBITS, COUNTED_SYMMETRIC_MAX_N, prepare_superqueens_p);
const struct term_method term_superqueens_r =
    COUNTED_TERM("superqueens-r", ORBITS, COUNTED_RULE_MAX_N, prepare_superqueens_r);
const struct term_method term_semiqueens = COUNTED_TERM("semiqueens", SEARCH, COUNTED_ALL_MAX_N, prepare_semiqueens);
const struct term_method term_toroidal_semiqueens =
    COUNTED_TERM("correlations", CORRELATIONS, TORUS_MAX_N, prepare_toroidal_semiqueens);
const struct term_method term_reflecting = COUNTED_TERM("reflecting", SEARCH, COUNTED_ALL_MAX_N, prepare_reflecting);
const struct term_method term_touching = COUNTED_TERM("touching", SEARCH, COUNTED_ALL_MAX_N, prepare_touching);
const struct term_method term_rooks = COUNTED_TERM("rooks", SEARCH, COUNTED_ALL_MAX_N, prepare_rooks);
