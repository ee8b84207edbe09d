/* sequences.c - the table of sequences. */
#include <string.h>

#include "kernels/torus/torus.h"
#include "sequences/sequence.h"
#include "shapes/shape.h"
#include "statistics/statistic.h"

extern const struct rule rule_queens, rule_toroidal, rule_superqueens, rule_semiqueens, rule_toroidal_semiqueens,
    rule_reflecting, rule_touching, rule_rooks;

#define QUEENS .rule = &rule_queens, .attacks = "queens: rows, columns, diagonals"
#define SEMIQUEENS \
    .rule = &rule_toroidal_semiqueens, \
    .attacks = "toroidal semiqueens: rows, columns, diagonals of one direction, which wrap around"
#define TOROIDAL .rule = &rule_toroidal, .attacks = "toroidal queens: rows, columns, diagonals, which wrap around"
#define SUPERQUEENS .rule = &rule_superqueens, .attacks = "superqueens: rows, columns, diagonals, and as knights"
#define OPEN_SEMIQUEENS .rule = &rule_semiqueens, .attacks = "semiqueens: rows, columns, diagonals of one direction"
#define REFLECTING \
    .rule = &rule_reflecting, \
    .attacks = "reflecting queens: rows, columns, diagonals, which a strip above the first row reflects"
#define TOUCHING .rule = &rule_touching, .attacks = "rows, columns, and the squares that touch"
#define ROOKS .rule = &rule_rooks, .attacks = "rooks: rows, columns"

/* Which boards: n columns from n = `from` on; 2n + 1 columns from n = 0 on; triangles, which begin with the row of n =
 * 1. */
#define FROM(from) .first = (from), .step = 1
#define ODD .step = 2, .base = 1
#define TRIANGLE(numbers) .first = 1, .row = (numbers)

/* How. The largest boards that are counted: beyond 27 columns nobody has counted all solutions; the others are those of
 * the methods for a symmetry, of queens and by rule. */
enum { ALL_MAX_N = 27, HALF_MAX_N = 32, QUARTER_MAX_N = 48 };
extern const struct term_class term_counts, term_shapes, term_statistics, term_tree;
#define BY(kind, called, how, most) .class = &term_##kind, .name = (called), .summary = (how), .max_n = (most)
#define COUNT(called, how) BY(counts, called, how, ALL_MAX_N)
#define SHAPE(called, how) BY(shapes, called, how, SHAPE_MAX_SIDE)
#define STATISTIC(called, how) .statistic = (called), BY(statistics, called, EVERY how, STATISTICS_MAX_N)

#define BY_RULE "depth-first search by the rule, each placement through one of its images"
#define JOIN "search of classes of first rows; from n = 15 on by joining quadrants"
#define BURNSIDE "Burnside's lemma: placements, and those that a turn leaves unchanged"
#define UNCHANGED "search of the orbits of squares under that turn"
#define ORBITS "search of the orbits of squares under turns"
#define CORRELATIONS "sum over pairs of necklaces of signs of the products of their correlations, modulo 2^128"
#define ROWS "search row by row, some of which stay empty"
#define EVERY "search for every placement in the first half of the board, and "
#define TREE "search row by row over the squares that are free, first queen in the left half"

#define OF_SUPERQUEENS "placements of n non-attacking superqueens on an n X n board"
#define CLASSES OF_SUPERQUEENS ", up to rotation and reflection, "
#define OF_QUEENS "placements of n non-attacking queens on an n X n board, up to rotation and reflection, "
#define SOME(k) "placements of " k " non-attacking queens on an n X n board"

/* A class that a quarter turn leaves unchanged has two placements, one that only a half turn does four, others eight.
 */
#define OF_QUARTER .symmetry = SYMMETRY_QUARTER, .divisor = 2
#define OF_HALF .symmetry = SYMMETRY_POINT, .without = SYMMETRY_QUARTER, .divisor = 4
#define OF_NONE .without = SYMMETRY_POINT, .divisor = 8

const struct sequence sequences[] = {
    {"A000142", "placements of n non-attacking rooks on an n X n board", ROOKS, FROM(0), COUNT("rooks", BY_RULE)},
    {"A000170", "placements of n non-attacking queens on an n X n board", QUEENS, FROM(0), COUNT("queens", JOIN)},
    {"A002464", "placements of n kings in n rows and columns of an n X n board that do not touch", TOUCHING, FROM(0),
     COUNT("touching", BY_RULE)},
    {"A002562", "placements of n non-attacking queens on an n X n board, up to rotation and reflection", QUEENS,
     FROM(1), COUNT("queen-classes", BURNSIDE), .distinct = DISTINCT_FUNDAMENTAL},
    {"A003111", "complete mappings of the cyclic group Z_{2n+1}: A006717(n)/(2n+1)", SEMIQUEENS, ODD,
     BY(counts, "correlations", CORRELATIONS, TORUS_MAX_N), .per_column = true},
    {"A006717", "placements of 2n+1 non-attacking semiqueens on a toroidal (2n+1) X (2n+1) board", SEMIQUEENS, ODD,
     BY(counts, "correlations", CORRELATIONS, TORUS_MAX_N)},
    {"A007631", "placements of n non-attacking queens below a reflecting strip", REFLECTING, FROM(0),
     COUNT("reflecting", BY_RULE)},
    {"A007705", "placements of 2n+1 non-attacking queens on a toroidal (2n+1) X (2n+1) board", TOROIDAL, ODD,
     COUNT("toroidal", BY_RULE)},
    {"A032522", "placements of n non-attacking queens that a half turn leaves unchanged", QUEENS, FROM(1),
     BY(counts, "queens-half", UNCHANGED, HALF_MAX_N), .symmetry = SYMMETRY_POINT},
    {"A033148", "placements of n non-attacking queens that a quarter turn leaves unchanged", QUEENS, FROM(0),
     BY(counts, "queens-quarter", UNCHANGED, HALF_MAX_N), .symmetry = SYMMETRY_QUARTER},
    {"A036464", SOME("2"), QUEENS, FROM(1), SHAPE("queens-2", ROWS), .queens = 2},
    {"A047659", SOME("3"), QUEENS, FROM(0), SHAPE("queens-3", ROWS), .queens = 3},
    {"A051223", "placements of n non-attacking superqueens on an n X n board", SUPERQUEENS, FROM(1),
     COUNT("superqueens", BY_RULE)},
    {"A051224", "placements of n non-attacking superqueens on an n X n board, up to rotation and reflection",
     SUPERQUEENS, FROM(1), COUNT("superqueen-classes", BURNSIDE), .distinct = DISTINCT_FUNDAMENTAL},
    {"A053994",
     "placements of 2n+1 non-attacking queens on a toroidal (2n+1) X (2n+1) board, up to shift, rotation and "
     "reflection",
     TOROIDAL, ODD,
     COUNT("toroidal-classes",
           "Burnside's lemma: placements, and those that a shift, a turn or a reflection leaves unchanged"),
     .distinct = DISTINCT_TORUS},
    {"A061994", SOME("4"), QUEENS, FROM(1), SHAPE("queens-4", ROWS), .queens = 4},
    {"A062164", "placements of n non-attacking queens, up to rotation, reflection and shifts on the torus", QUEENS,
     FROM(1), STATISTIC("torus-class", "the shifts that make another one of it")},
    {"A099152", "placements of n non-attacking semiqueens on an n X n board", OPEN_SEMIQUEENS, FROM(0),
     COUNT("semiqueens", BY_RULE)},
    {"A108792", SOME("5"), QUEENS, FROM(1), SHAPE("queens-5", ROWS), .queens = 5},
    {"A146303", "placements of non-attacking queens on an n X n board, to which no queen can be added", QUEENS, FROM(1),
     SHAPE("maximal", ROWS "; only placements to which no queen can be added"), .maximal = true},
    {"A176186", SOME("6"), QUEENS, FROM(6), SHAPE("queens-6", ROWS), .queens = 6},
    {"A178721", SOME("7"), QUEENS, FROM(1), SHAPE("queens-7", ROWS), .queens = 7},
    {"A181499", "triangle, row n: placements of n non-attacking queens by the number of conflicts on the torus, 0 to n",
     QUEENS, TRIANGLE(ROW_FROM_0), STATISTIC("torus-conflicts", "the pairs of queens on one line of the torus")},
    {"A181500",
     "triangle, row n: placements of n non-attacking queens by the number of queens in conflict on the torus, 0 to n",
     QUEENS, TRIANGLE(ROW_FROM_0), STATISTIC("torus-engaged", "the queens in pairs on one line of the torus")},
    {"A181501",
     "triangle, row n: placements of n non-attacking queens by the number of connected groups in conflict on the "
     "torus, 0 to n",
     QUEENS, TRIANGLE(ROW_FROM_0),
     STATISTIC("torus-components", "the connected groups of queens on lines of the torus")},
    {"A181502",
     "triangle, row n: placements of n non-attacking queens by the size of the largest connected group in conflict on "
     "the torus, 0 to n",
     QUEENS, TRIANGLE(ROW_FROM_0), STATISTIC("torus-largest", "the connected groups of queens on lines of the torus")},
    {"A252593", SOME("8"), QUEENS, FROM(1), SHAPE("queens-8", ROWS), .queens = 8},
    {"A260318", OF_QUEENS "that a quarter turn leaves unchanged", QUEENS, FROM(1),
     BY(counts, "queen-classes-quarter", UNCHANGED, HALF_MAX_N), OF_QUARTER, .single = true},
    {"A260319", OF_QUEENS "that a half turn leaves unchanged, but no quarter turn", QUEENS, FROM(1),
     BY(counts, "queen-classes-half", "search of the orbits of squares under a half turn, and under a quarter turn",
        HALF_MAX_N),
     OF_HALF},
    {"A260320", OF_QUEENS "that no turn leaves unchanged, n > 1", QUEENS, FROM(1),
     COUNT("queen-classes-none", JOIN "; search of the orbits of squares under a half turn"), OF_NONE},
    {"A269133", "triangle, row n: placements of m non-attacking queens on the m rows of an m X n board, m = 1 to n",
     QUEENS, TRIANGLE(ROW_FROM_1), BY(tree, "levels", TREE, ALL_MAX_N)},
    {"A287227", "placements of any number of non-attacking queens on an n X n board", QUEENS, FROM(0),
     SHAPE("queens-any", ROWS)},
    {"A319283", "nodes of the backtrack tree for n queens: placements of queens on the first 0 to n rows", QUEENS,
     FROM(0), BY(tree, "nodes", TREE, ALL_MAX_N)},
    {"A319284",
     "triangle, row n: profile of the backtrack tree for n queens: placements of k queens on the first k rows, k = 0 "
     "to "
     "n",
     QUEENS, .row = ROW_FROM_0, BY(tree, "profile", TREE, ALL_MAX_N)},
    {"A352661", CLASSES "that a quarter turn leaves unchanged, n > 1", SUPERQUEENS, FROM(1),
     BY(counts, "superqueens-quarter", ORBITS, QUARTER_MAX_N), OF_QUARTER},
    {"A352662", CLASSES "that a half turn leaves unchanged, but no quarter turn, n > 1", SUPERQUEENS, FROM(1),
     BY(counts, "superqueens-half", ORBITS, HALF_MAX_N), OF_HALF},
    {"A352663", CLASSES "that no turn leaves unchanged, n > 1", SUPERQUEENS, FROM(1),
     COUNT("superqueens-none", BY_RULE "; " ORBITS), OF_NONE},
    {"superqueens-P", OF_SUPERQUEENS " that a half turn leaves unchanged: P(n) of A051224", SUPERQUEENS, FROM(1),
     BY(counts, "superqueens-p", ORBITS, HALF_MAX_N), .symmetry = SYMMETRY_POINT},
    {"superqueens-R", OF_SUPERQUEENS " that a quarter turn leaves unchanged: R(n) of A051224", SUPERQUEENS, FROM(1),
     BY(counts, "superqueens-r", ORBITS, QUARTER_MAX_N), .symmetry = SYMMETRY_QUARTER},
};
const size_t sequences_count = sizeof sequences / sizeof sequences[0];

const struct sequence *sequence_find(const char *id)
{
    for (size_t i = 0; i < sequences_count; i++)
        if (strcmp(sequences[i].id, id) == 0)
            return &sequences[i];
    return NULL;
}
