/* shape_values.c - reads squares into a shape. */
#include "engine/ask/shape_values.h"

#include <inttypes.h>
#include <string.h>

#include "engine/ask/query_values.h"

struct sides {
    uint64_t rows, columns;
};

static struct sides sides_of(const struct param *rows, const struct value *values)
{
    const struct value *n = row_value(rows, values, "n"), *m = row_value(rows, values, "m");
    return (struct sides){m->given ? m->number : n->number, n->number};
}

static uint64_t shorter(struct sides sides)
{
    return sides.rows < sides.columns ? sides.rows : sides.columns;
}

static void leave_out(const struct param *rows, struct value *values, const char *name)
{
    const size_t i = param_place(rows, name, strlen(name));
    if (rows[i].name)
        value_preset(&rows[i], &values[i]);
}

void shape_normalise(const struct param *rows, struct value *values, bool any)
{
    const struct value *n = row_value(rows, values, "n"), *queens = row_value(rows, values, "queens");
    if (n->ranged) /* each size is a question of its own */
        return;
    const struct sides sides = sides_of(rows, values);
    const bool all = queens->ranged && queens->number == 0 && queens->last == SHAPE_QUEENS_MOST;
    if (sides.rows == sides.columns)
        leave_out(rows, values, "m");
    if (queens->given &&
        (any || row_value(rows, values, "maximal")->number ? all : !queens->ranged && queens->number == shorter(sides)))
        leave_out(rows, values, "queens");
}

void shape_choose(const struct param *rows, struct value *values)
{
    static const char *const names[] = {"n", "m", "queens", "maximal"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!row_value(rows, values, names[i])->sound)
            return;
    if (!row_value(rows, values, "regions")->given)
        shape_normalise(rows, values, false);
}

bool shape_given(const struct param *rows, const struct value *values)
{
    static const char *const names[] = {"m", "queens", "walls", "maximal"};
    bool given = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct value *value = row_value(rows, values, names[i]);
        given = given || (value->given && (i < 3 || value->number));
    }
    return given;
}

/* A square of a list, as bits of a row. */
struct reading {
    const struct param *rows;
    const struct value *values;
    struct validation_errors *errors;
    struct shape *shape;
    uint32_t base;
};

/* Whether the squares of a list are on the board, of any shape or not; else adds a validation error. */
static bool on_board(const struct param *rows, const struct value *values, const char *name,
                     struct validation_errors *errors)
{
    const struct sides sides = sides_of(rows, values);
    return query_squares_on_board(name, row_value(rows, values, name), row_base(row_value(rows, values, "base")),
                                  sides.rows, sides.columns, errors);
}

/* Calls `put` for each square of a list; it returns false for a wall where none may be. */
static bool read_list(const struct reading *reading, const char *name,
                      bool (*put)(struct shape *shape, uint32_t row, uint32_t column))
{
    const struct value *list = row_value(reading->rows, reading->values, name);
    if (!on_board(reading->rows, reading->values, name, reading->errors))
        return false;
    for (size_t i = 0; list->given && i < list->number; i++) {
        const struct param_square *square = &list->squares[i];
        const uint32_t row = square->row - reading->base, column = square->column - reading->base;
        if (!put(reading->shape, row, column)) {
            reject_with(reading->errors, REFUSED_WALL, name, MEMBERS(NUMBER(square->row), NUMBER(square->column)),
                        "names square %d:%d, which is a wall", square->row, square->column);
            return false;
        }
    }
    return true;
}

static bool put_wall(struct shape *shape, uint32_t row, uint32_t column)
{
    if (!shape_large(shape))
        shape_wall(shape, row, column);
    return true;
}

static bool put_queen(struct shape *shape, uint32_t row, uint32_t column)
{
    if (!shape_large(shape))
        shape->placed[row] |= UINT64_C(1) << column;
    return !shape_is_wall(shape, row, column);
}

/* Without an effect on a wall: it holds no queen anyway. */
static bool put_cross(struct shape *shape, uint32_t row, uint32_t column)
{
    if (!shape_large(shape))
        shape->allow[row] &= ~(UINT64_C(1) << column);
    return true;
}

static void set_queens(const struct value *queens, uint64_t preset, bool any, struct shape *shape)
{
    const uint64_t squares = (uint64_t)shape->rows * shape->columns;
    uint64_t least = preset, most = preset;
    if (queens->given) {
        least = queens->number;
        most = queens->ranged ? queens->last : queens->number;
    } else if (any || shape->maximal) {
        least = 0;
        most = squares;
    }
    shape->least = (uint32_t)least;
    shape->most = (uint32_t)(most <= squares ? most : squares > least ? squares : least);
}

static struct shape_squares lists(const struct value *list, uint32_t base)
{
    return (struct shape_squares){list->squares, list->given ? (uint32_t)list->number : 0, base};
}

bool shape_read(const struct param *rows, const struct value *values, bool any, uint32_t most,
                struct validation_errors *errors, struct shape *shape)
{
    const struct sides sides = sides_of(rows, values);
    if (sides.columns < 1 || sides.columns > most) {
        const bool less = sides.columns < 1;
        reject_with(errors, less ? REFUSED_LESS : REFUSED_UPPER_LIMIT, "n", MEMBERS(NUMBER(less ? 1 : most)),
                    "must be at %s %" PRIu32 " on a board with m, queens, walls, maximal or by=queens",
                    less ? "least" : "most", less ? 1 : most);
        return false;
    }
    shape_begin(shape, (uint32_t)sides.rows, (uint32_t)sides.columns);
    shape->rule = row_rule(row_value(rows, values, "rules"));
    shape->maximal = row_value(rows, values, "maximal")->number;
    const struct reading reading = {rows, values, errors, shape, row_base(row_value(rows, values, "base"))};
    if (shape_large(shape)) {
        shape->wall_list = lists(row_value(rows, values, "walls"), reading.base);
        shape->exclude_list = lists(row_value(rows, values, "exclude"), reading.base);
        shape->place_list = lists(row_value(rows, values, "place"), reading.base);
    }
    if (!read_list(&reading, "walls", put_wall) || !read_list(&reading, "exclude", put_cross) ||
        !read_list(&reading, "place", put_queen))
        return false;
    set_queens(row_value(rows, values, "queens"), shorter(sides), any, shape);
    const char *refusal = shape_refusal(shape);
    if (refusal)
        reject_with(errors, REFUSED_RULE, "rules", MEMBERS(WORD(shape->rule->name)), "has no meaning on this board: %s",
                    refusal);
    return !refusal;
}

/* A placement is not part of its board, but on it. */
bool verify_shape_read(const struct param *rows, const struct value *values, struct validation_errors *errors,
                       struct shape *shape)
{
    struct value board[PARAMS_MAX];
    shape->rows = 0;
    for (size_t i = 0; rows[i].name; i++) {
        board[i] = values[i];
        if (strcmp(rows[i].name, "place") == 0 || strcmp(rows[i].name, "exclude") == 0)
            value_preset(&rows[i], &board[i]);
    }
    if (shape_given(rows, values) && !shape_read(rows, board, false, SHAPE_MAX_SIDE, errors, shape))
        return false;
    const bool placed = on_board(rows, values, "place", errors);
    return on_board(rows, values, "exclude", errors) && placed;
}
