/* construction_tensor.c - the product of solutions: every queen of the outer board becomes a whole inner board, so that
 * the queen at (y, x) of a k x k board within the one at (Y, X) stands at (k Y + y, k X + x). All boards but the
 * outermost must be toroidal: then two queens on one diagonal of the product stand on one of the inner board, wrapped,
 * and so are one (G. Polya 1918; F. Romani, Ancora le Regine, builds 5 x 5 and 25 x 25).
 *
 * For a prime p >= 5 the board with the column (3 i + 3) mod p + 1 in row i, from 1, is toroidal; that of 5 is the
 * article's 2, 5, 3, 1, 4. The product does not mind how it is bracketed, so a toroidal factor is the product of its
 * primes. An outermost factor that is not one takes the closed form. A factor that is given as a board is that board.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "constructions/construction.h"

extern const struct construction construction_explicit;

extern const struct rule rule_toroidal, rule_toroidal_semiqueens;

static const struct rule *const rules_of_tensor[] = {&rule_toroidal, &rule_toroidal_semiqueens, NULL};

enum { SLOPE = 3 };

/* The innermost boards are multiplied out beforehand, up to so many rows: what one row takes is an addition then. */
enum { TABLE_ROWS = 1 << 14 };

/* What the rows and columns of the product are numbers of, the most significant first: an outer board of the closed
 * form, or none, and so many boards, of primes or given. */
struct shape {
    uint32_t outer, count;
    uint32_t sizes[CONSTRUCTION_FACTORS_MAX];
    const uint8_t *boards[CONSTRUCTION_FACTORS_MAX]; /* the columns of one that is given, in those of the settings */
};

struct plan {
    struct shape shape;
    uint8_t columns[CONSTRUCTION_COLUMNS_MAX]; /* of given boards */
    uint32_t places[CONSTRUCTION_FACTORS_MAX]; /* what one row or column of a board is worth */
    uint32_t inner;                            /* the product of all sizes */
    void *outer;                               /* plan of the closed form; NULL: there is no outer board */
    uint32_t turning;                          /* boards that are gone through; the rest are in the table */
    uint32_t block;                            /* rows of the table: the product of the rest, 1 if there is none */
    uint32_t table[TABLE_ROWS];                /* what they add to the column, by row */
};

static bool toroidal(uint32_t n)
{
    return n % 2 && n % 3;
}

/* Appends the primes of a number that 2 and 3 do not divide, the least first. */
static void add_primes(struct shape *shape, uint32_t number)
{
    for (uint32_t divisor = 5; (uint64_t)divisor * divisor <= number; divisor += 2)
        for (; number % divisor == 0; number /= divisor)
            shape->sizes[shape->count++] = divisor;
    if (number > 1)
        shape->sizes[shape->count++] = number;
}

/* Whether a permutation is a solution by a rule. */
static bool board_holds(const struct rule *rule, uint32_t n, const uint8_t *columns)
{
    for (uint32_t row = 1; row < n; row++)
        for (uint32_t by = 0; by < row; by++)
            if (rule_attack(rule, n, by, columns[by], row, columns[row]))
                return false;
    return true;
}

/* Adds a board that is given. */
static enum nq_status add_board(const struct construction_settings *settings, uint32_t i, const uint8_t *columns,
                                struct shape *shape, char why[static CONSTRUCTION_WHY_MAX])
{
    const struct rule *rule = i ? &rule_toroidal : settings->rule;
    const uint32_t n = settings->factors[i];
    shape->boards[shape->count] = columns;
    shape->sizes[shape->count++] = n;
    if (board_holds(rule, n, columns))
        return NQ_OK;
    (void)snprintf(why, CONSTRUCTION_WHY_MAX,
                   "The board that is factor %u is no solution with rules=%s, as %s must be.", i + 1, rule->name,
                   i ? "inner ones" : "the outermost");
    return NQ_NONE;
}

static enum nq_status lay_factors(const struct construction_settings *settings, struct shape *shape,
                                  char why[static CONSTRUCTION_WHY_MAX])
{
    const uint32_t *factors = settings->factors;
    const uint8_t *columns = settings->columns;
    uint64_t product = 1;
    for (uint32_t i = 0; i < settings->factor_count && product && product <= settings->n; i++)
        product *= factors[i];
    if (settings->factor_count < 2 || product != settings->n)
        return NQ_INVALID;
    for (uint32_t i = 0; i < settings->factor_count; i++) {
        if (settings->given[i]) {
            const enum nq_status status = add_board(settings, i, columns, shape, why);
            columns += factors[i];
            if (status != NQ_OK)
                return status;
        } else if (toroidal(factors[i]) && factors[i] > 1) {
            add_primes(shape, factors[i]);
        } else if (i > 0) {
            (void)snprintf(why, CONSTRUCTION_WHY_MAX,
                           "Inner factors must be toroidal: above 1, and neither 2 nor 3 "
                           "divides them; %u is not.",
                           factors[i]);
            return NQ_NONE;
        } else if (factors[i] < 4) {
            (void)snprintf(why, CONSTRUCTION_WHY_MAX, "The outer factor must be at least 4; it is %u.", factors[i]);
            return NQ_NONE;
        } else {
            shape->outer = factors[i];
        }
    }
    return NQ_OK;
}

/* As many primes as there are inside; what 2 and 3 divide outside, with the least prime if it has no solution alone. */
static enum nq_status lay_primes(uint32_t n, struct shape *shape, char why[static CONSTRUCTION_WHY_MAX])
{
    uint32_t rest = n, used = 0;
    while (rest % 2 == 0)
        rest /= 2;
    while (rest % 3 == 0)
        rest /= 3;
    add_primes(shape, rest);
    shape->outer = n / rest == 1 ? 0 : n / rest;
    if (shape->outer && shape->outer < 4 && shape->count) {
        shape->outer *= shape->sizes[0];
        used = 1;
    }
    shape->count -= used;
    for (uint32_t i = 0; i < shape->count; i++)
        shape->sizes[i] = shape->sizes[i + used];
    if (shape->count >= (shape->outer ? 1 : 2))
        return NQ_OK;
    (void)snprintf(why, CONSTRUCTION_WHY_MAX,
                   "%u is not the product of a board that has a solution and a toroidal one, "
                   "whose size neither 2 nor 3 divides.",
                   n);
    return NQ_NONE;
}

static enum nq_status lay(const struct construction_settings *settings, struct shape *shape,
                          char why[static CONSTRUCTION_WHY_MAX])
{
    *shape = (struct shape){0};
    return settings->factor_count ? lay_factors(settings, shape, why) : lay_primes(settings->n, shape, why);
}

static enum nq_status tensor_check(const struct construction_settings *settings, char why[static CONSTRUCTION_WHY_MAX])
{
    struct shape shape;
    const enum nq_status status = lay(settings, &shape, why);
    if (status != NQ_OK || settings->rule->weaker || !shape.outer)
        return status;
    (void)snprintf(why, CONSTRUCTION_WHY_MAX,
                   "With rules=%s all factors must be toroidal: neither 2 nor 3 divides them; %u is not.",
                   settings->rule->name, shape.outer);
    return NQ_NONE;
}

/* ---- Rows, counted like the miles of a car ---- */

struct odometer {
    const struct plan *plan;
    uint32_t row;                               /* of the outer board */
    uint32_t rows[CONSTRUCTION_FACTORS_MAX];    /* of the boards in it */
    uint32_t columns[CONSTRUCTION_FACTORS_MAX]; /* of the queens in them */
    uint32_t outer;                             /* what the outer queen's column is worth */
    uint32_t column;                            /* of the queen in the product */
};

static uint32_t column_of(const struct shape *shape, uint32_t i, uint32_t row)
{
    if (shape->boards[i])
        return shape->boards[i][row];
    return (uint32_t)((SLOPE * (row + (uint64_t)1) + SLOPE) % shape->sizes[i]);
}

/* Puts the queen of an outer row into the column; unsigned numbers wrap, and only the sum must fit. */
static void turn_outer(struct odometer *odometer, uint32_t row)
{
    uint32_t column = 0;
    if (odometer->plan->outer && row < odometer->plan->shape.outer)
        construction_explicit.rows(odometer->plan->outer, row, 1, &column);
    odometer->column -= odometer->outer;
    odometer->outer = column * odometer->plan->inner;
    odometer->column += odometer->outer;
    odometer->row = row;
}

static void set(struct odometer *odometer, const struct plan *plan, uint32_t row)
{
    const struct shape *shape = &plan->shape;
    *odometer = (struct odometer){.plan = plan};
    turn_outer(odometer, row / plan->inner);
    for (uint32_t i = 0; i < plan->turning; i++) {
        odometer->rows[i] = row / plan->places[i] % shape->sizes[i];
        odometer->columns[i] = column_of(shape, i, odometer->rows[i]);
        odometer->column += odometer->columns[i] * plan->places[i];
    }
}

static void advance(struct odometer *odometer)
{
    const struct plan *plan = odometer->plan;
    for (uint32_t i = plan->turning; i-- > 0;) {
        const uint32_t size = plan->shape.sizes[i];
        const bool carry = ++odometer->rows[i] == size;
        uint32_t column = odometer->columns[i] + SLOPE;
        if (carry)
            odometer->rows[i] = 0;
        if (carry || plan->shape.boards[i])
            column = column_of(&plan->shape, i, odometer->rows[i]);
        else if (column >= size)
            column -= size;
        odometer->column += (column - odometer->columns[i]) * plan->places[i];
        odometer->columns[i] = column;
        if (!carry)
            return;
    }
    turn_outer(odometer, odometer->row + 1);
}

static void tensor_rows(const void *state, uint32_t first, uint32_t count, uint32_t *columns)
{
    const struct plan *plan = state;
    struct odometer odometer;
    uint32_t at = first % plan->block;
    set(&odometer, plan, first);
    while (count) {
        const uint32_t left = plan->block - at, run = left < count ? left : count;
        for (uint32_t i = 0; i < run; i++)
            columns[i] = odometer.column + plan->table[at + i];
        columns += run;
        count -= run;
        at = 0;
        advance(&odometer);
    }
}

/* As long as the table is 0 and has one row, all boards are gone through. */
static void fill_table(struct plan *plan)
{
    const struct shape *shape = &plan->shape;
    struct odometer odometer;
    uint32_t turning = shape->count, block = 1;
    while (turning && (uint64_t)block * shape->sizes[turning - 1] <= TABLE_ROWS)
        block *= shape->sizes[--turning];
    plan->turning = shape->count;
    plan->block = 1;
    uint32_t table[TABLE_ROWS];
    tensor_rows(plan, 0, block, table);
    memcpy(plan->table, table, block * sizeof table[0]);
    plan->turning = turning;
    plan->block = block;
    set(&odometer, plan, 0);
    for (uint32_t row = 0; row < block; row++)
        plan->table[row] -= odometer.column;
}

static void tensor_close(void *state)
{
    struct plan *plan = state;
    if (plan->outer)
        construction_explicit.close(plan->outer);
    free(plan);
}

static enum nq_status tensor_open(const struct construction_settings *settings, void **out)
{
    char why[CONSTRUCTION_WHY_MAX];
    struct plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return NQ_NOMEM;
    enum nq_status status = lay(settings, &plan->shape, why);
    memcpy(plan->columns, settings->columns, sizeof plan->columns);
    plan->inner = 1;
    for (uint32_t i = plan->shape.count; i-- > 0; plan->inner *= plan->shape.sizes[i]) {
        plan->places[i] = plan->inner;
        if (plan->shape.boards[i])
            plan->shape.boards[i] = plan->columns + (plan->shape.boards[i] - settings->columns);
    }
    if (status == NQ_OK && plan->shape.outer) {
        const struct construction_settings outer = construction_presets(plan->shape.outer);
        status = construction_explicit.open(&outer, &plan->outer);
    }
    if (status != NQ_OK) {
        tensor_close(plan);
        return status;
    }
    fill_table(plan);
    *out = plan;
    return NQ_OK;
}

const struct construction construction_tensor = {
    .name = "tensor",
    .title = "Pólya 1918, product of boards",
    .summary = "the product of a solution and toroidal ones",
    .complexity = "O(1) a row, O(1) memory (64 KB)",
    .source = "G. Polya (1918), after J. Bell, B. Stevens, A survey of known results and research areas for n-queens, "
              "Discrete Mathematics 309 (2009); F. Romani, Ancora le Regine",
    .year = 1918,
    .max_n = 1000000000,
    .takes = TAKES_FACTORS,
    .rules = rules_of_tensor,
    .check = tensor_check,
    .open = tensor_open,
    .rows = tensor_rows,
    .close = tensor_close,
};
