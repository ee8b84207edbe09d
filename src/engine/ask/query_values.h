/* query_values.h - which solutions are meant, in the words of parameters: what /solve, /count, /jobs and /hint share;
 * and on which board, which may be of any shape. */
#ifndef ENGINE_ASK_QUERY_VALUES_H
#define ENGINE_ASK_QUERY_VALUES_H

#include "base/param.h"
#include "base/refusals.h"
#include "board/query.h"
#include "rules/rule.h"
#include "shapes/shape.h"

/* ---- Rows ---- */

/* Rows that several tables of parameters have: n, base, format, seed, and flags. */

/* "false" and "true": the number of such a value is a flag. */
const char *row_no_yes(size_t i);

const char *row_bases(size_t i);
#define PARAM_BASE \
    { \
        .name = "base", .type = PARAM_CHOICE, .choices = row_bases, \
        .summary = "number of the first row and column, in requests and replies" \
    }
#define PARAM_RULES(...) \
    { \
        .name = "rules", .type = PARAM_CHOICE, .choices = rule_name, .neutral = true, \
        .summary = "which squares a queen attacks", __VA_ARGS__ \
    }
#define PARAM_FORMAT(names, ...) \
    { \
        .name = "format", .type = PARAM_CHOICE, .choices = (names), .keep = true, \
        .summary = "the representation; takes precedence over Accept", __VA_ARGS__ \
    }
#define PARAM_FLAG(label, text, ...) \
    { \
        .name = (label), .type = PARAM_CHOICE, .choices = row_no_yes, .neutral = true, .summary = (text), __VA_ARGS__ \
    }
#define PARAM_N(from, to, ...) \
    { \
        .name = "n", .type = PARAM_NUMBER, .required = true, .least = (from), .most = (to), .summary = "board size", \
        __VA_ARGS__ \
    }
#define PARAM_SEED(of, ...) \
    { \
        .name = "seed", .type = PARAM_NUMBER, .most = SEED_MOST, .summary = (of), __VA_ARGS__ \
    }

/* Seeds stay below 2^53: a client that reads numbers as doubles must be able to ask again. */
#define SEED_MOST ((UINT64_C(1) << 53) - 1)

/* The value of the row with a name; in a table without such a row, a sound value that was not given. */
const struct value *row_value(const struct param *rows, const struct value *values, const char *name);

/* The rule that a value of that row stands for. */
const struct rule *row_rule(const struct value *value);

/* Sets the fault of a board that has no solutions by a rule. */
void fault_no_solution(struct fault *fault, uint32_t n, const struct rule *rule);

/* The base that a value of that row stands for: its choices are "1" and "0". */
uint32_t row_base(const struct value *value);

/* ---- Which solutions ---- */

/* The rows. */
const char *query_distincts(size_t i);
const char *query_symmetries(size_t i);
#define PARAM_DISTINCT(...) \
    { \
        .name = "distinct", .type = PARAM_CHOICE, .choices = query_distincts, .neutral = true, \
        .summary = \
            "all solutions, or one per class under all symmetries of the filter, under its reflection, or, counted " \
            "only, under those of a torus", \
        __VA_ARGS__ \
    }
#define PARAM_SYMMETRY(...) \
    { \
        .name = "symmetry", .type = PARAM_CHOICE, .choices = query_symmetries, .neutral = true, \
        .summary = "only solutions that a half turn, or a quarter turn, leaves unchanged", __VA_ARGS__ \
    }
#define PARAM_PLACE(...) \
    { \
        .name = "place", .type = PARAM_SQUARES, .summary = "squares that have queens, row:column,...", __VA_ARGS__ \
    }
#define PARAM_EXCLUDE(...) \
    { \
        .name = "exclude", .type = PARAM_SQUARES, .summary = "squares that have no queens, row:column,...", \
        __VA_ARGS__ \
    }

#define PARAM_REGIONS(...) \
    { \
        .name = "regions", .type = PARAM_TEXT, .board = true, \
        .summary = "a board painted in n regions, one queen in each: n rows of n letters joined by /, n * n labels " \
                   "in any list, or a link of puzz.link; by rules=touching", \
        __VA_ARGS__ \
    }
const char *row_yes_no(size_t i);
#define PARAM_APART(...) \
    { \
        .name = "apart", .type = PARAM_CHOICE, .choices = row_yes_no, \
        .summary = "false: regions must be connected; else a reply says which are not", __VA_ARGS__ \
    }
#define NEEDS_REGIONS .bonds = BONDS(BOND(NEEDS, IS("regions")))

/* A picture shows a square at least. */
#define PICTURED BOND(AT_LEAST, IS("format=svg|png"), .limit = 1)

/* n, which regions may say. */
#define PARAM_N_OR_REGIONS(from, to, ...) \
    { \
        .name = "n", .type = PARAM_NUMBER, .required = true, .unless = "regions", .least = (from), .most = (to), \
        .summary = "board size; not needed with regions", __VA_ARGS__ \
    }

/* Puts the canonical form of regions in their place, and what they say of n and rules, if that is not given. Does
 * nothing without regions, or if they are no board. */
void query_regions_normalise(const struct param *rows, struct value *values);

/* Reads the regions, if they are given, of a table with these two rows. False, with validation errors: they are no
 * board, or do not go with n or rules. Without regions regions->n is 0. The values are sound. */
bool query_regions_read(const struct param *rows, const struct value *values, struct validation_errors *errors,
                        struct regions *regions);

/* Where the rule that regions imply stands in the table. */
size_t query_regions_rule(void);

/* Adds the validation error of a fault. */
void reject_regions(struct validation_errors *errors, const char *parameter, const struct regions_fault *fault,
                    uint32_t base);

/* Puts regions into a query that is read. */
void query_paint(struct query *query, const struct regions *regions);

struct query_values {
    const struct value *n, *base, *distinct, *symmetry, *place, *exclude, *rules;
};

/* The values of these rows in a table; those that it lacks are not given. */
struct query_values query_values_of(const struct param *rows, const struct value *values);

/* Nothing placed, nothing excluded. */
bool query_values_whole(const struct query_values *values);

/* Reads sound values into a query, whose marks borrow their squares. False, with validation errors: a square is off the
 * board, or the board is larger than `most`, the largest of a route with squares placed or excluded. */
bool query_read(const struct query_values *values, uint32_t most, struct validation_errors *errors,
                struct query *query);

/* ---- Boards of any shape: rows and columns, walls, how many queens, and sets to which none can be added ----
 *
 * A board of n x n with n queens and no wall is no shape: all of that is left out then, and it is asked for as ever. */

enum { SHAPE_QUEENS_RANGE = 65, SHAPE_QUEENS_MOST = SHAPE_MAX_SQUARES };

/* most: rows. */
#define PARAM_ROWS(most_, ...) \
    { \
        .name = "m", .type = PARAM_NUMBER, .least = 1, .most = (most_), \
        .summary = "rows of the board, which has n columns; as many as columns without it", __VA_ARGS__ \
    }
#define PARAM_QUEENS(...) \
    { \
        .name = "queens", .type = PARAM_NUMBER, .most = SHAPE_QUEENS_MOST, .sizes = SHAPE_QUEENS_RANGE, .all = "any", \
        .summary = "how many queens; without it as many as the shorter side has squares, or any with maximal=true", \
        __VA_ARGS__ \
    }
#define PARAM_WALLS(...) \
    { \
        .name = "walls", .type = PARAM_SQUARES, \
        .summary = "squares that hold no queen and end lines of attack, row:column,...", __VA_ARGS__ \
    }
#define PARAM_MAXIMAL(...) PARAM_FLAG("maximal", "true: only placements to which no queen can be added", __VA_ARGS__)

/* Leaves out what says no more than n does, if these values are sound and no regions say the board: a form's `choose`.
 */
void shape_choose(const struct param *rows, struct value *values);

/* Whether normal values ask for a shape. */
bool shape_given(const struct param *rows, const struct value *values);

/* Reads the shape of normal, sound values with one n, of at most so many columns. False, with validation errors: it has
 * more, a square is off the board, is a wall and something else, or the rule has no meaning there. The squares of a
 * large board stay those of the values. */
bool shape_read(const struct param *rows, const struct value *values, uint32_t most, struct validation_errors *errors,
                struct shape *shape);

/* What such a board does not have here. */
#define VERIFY_SHAPED .bonds = BONDS(BOND(EXCLUDES, IS("regions")))

/* Reads the shape of normal, sound values with one n, without its queens and crosses: a queen on a wall is for the
 * verdict. shape->rows is 0: they ask for none. False, with validation errors, as shape_read(); also if a queen or a
 * cross is off the board, of whatever shape. */
bool verify_shape_read(const struct param *rows, const struct value *values, struct validation_errors *errors,
                       struct shape *shape);

#endif
