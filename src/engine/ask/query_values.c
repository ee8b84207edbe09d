/* query_values.c - reads squares into a filter, or into a shape. */
#include "engine/ask/query_values.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Rows ---- */

/* "false" and "true": the number of such a value is a flag. */
const char *row_no_yes(size_t i)
{
    static const char *const words[] = {"false", "true", NULL};
    return words[i];
}

const char *row_yes_no(size_t i)
{
    return i < 2 ? row_no_yes(1 - i) : NULL;
}

const char *row_bases(size_t i)
{
    static const char *const words[] = {"1", "0", NULL};
    return words[i];
}

uint32_t row_base(const struct value *value)
{
    return value->number == 0;
}

const struct value *row_value(const struct param *rows, const struct value *values, const char *name)
{
    static const struct value absent = {.sound = true};
    const size_t i = param_place(rows, name, strlen(name));
    return rows[i].name ? &values[i] : &absent;
}

const struct rule *row_rule(const struct value *value)
{
    return rules[value->number];
}

void fault_no_solution(struct fault *fault, uint32_t n, const struct rule *rule)
{
    const char *word = rule_word(rule), *note = rule_note(rule, n);
    fault_write(fault, FAULT_NO_SOLUTION, (const double[]){n},
                "%" PRIu32 " queens do not fit on a board of %" PRIu32 " x %" PRIu32
                " without attacking each other%s%s%s%s.",
                n, n, n, word ? " by rules=" : "", word ? word : "", note ? ": " : "", note ? note : "");
}

/* ---- Which solutions ---- */

static const char *const distincts[] = {[DISTINCT_ALL] = "all",
                                        [DISTINCT_FUNDAMENTAL] = "fundamental",
                                        [DISTINCT_MIRROR] = "mirror",
                                        [DISTINCT_TORUS] = "torus"};
static const char *const symmetries[] = {
    [SYMMETRY_ANY] = "any", [SYMMETRY_POINT] = "point", [SYMMETRY_QUARTER] = "quarter"};

const char *query_distincts(size_t i)
{
    return i < sizeof distincts / sizeof distincts[0] ? distincts[i] : NULL;
}

const char *query_symmetries(size_t i)
{
    return i < sizeof symmetries / sizeof symmetries[0] ? symmetries[i] : NULL;
}

struct query_values query_values_of(const struct param *rows, const struct value *values)
{
    return (struct query_values){.n = row_value(rows, values, "n"),
                                 .base = row_value(rows, values, "base"),
                                 .distinct = row_value(rows, values, "distinct"),
                                 .symmetry = row_value(rows, values, "symmetry"),
                                 .place = row_value(rows, values, "place"),
                                 .exclude = row_value(rows, values, "exclude"),
                                 .rules = row_value(rows, values, "rules")};
}

bool query_values_whole(const struct query_values *values)
{
    return !values->place->given && !values->exclude->given;
}

/* A 0 where rows and columns count from 1 shows how the caller counts. */
static void reject_square(const char *name, const struct param_square *square, uint32_t base,
                          struct validation_errors *errors)
{
    const size_t before = errors->count;
    if (base == 0 || (square->row && square->column)) {
        reject_with(errors, REFUSED_SQUARE, name, MEMBERS(NUMBER(square->row), NUMBER(square->column)),
                    "names square %d:%d, which is not on the board", square->row, square->column);
        return;
    }
    reject_with(errors, REFUSED_SQUARE, name, MEMBERS(NUMBER(square->row), NUMBER(square->column)),
                "names square %d:%d, which is not on the board: it counts from 1; give base=0 to count from 0",
                square->row, square->column);
    if (errors->count > before)
        errors->list[before].suggestion = "base=0";
}

/* Places or excludes the squares of one parameter, which are on the board. */
static void read_squares(const struct query_values *values, const struct value *squares,
                         void (*apply)(struct filter *filter, uint32_t row, uint32_t column), struct filter *filter)
{
    const uint32_t base = row_base(values->base);
    for (size_t i = 0; i < squares->number; i++)
        apply(filter, squares->squares[i].row - base, squares->squares[i].column - base);
}

/* The symmetries that carry the squares of one parameter, all on the board, into themselves. */
static unsigned square_symmetries(const struct query_values *values, const struct value *squares)
{
    const uint32_t base = row_base(values->base);
    struct filter marks = {.n = (uint32_t)values->n->number, .rule = rules[0]};
    for (size_t i = 0; i < squares->number; i++)
        marks.allow[squares->squares[i].row - base] |= UINT64_C(1) << (squares->squares[i].column - base);
    return filter_symmetries(&marks);
}

/* The same on a board of any size: squares are in order, row by row. */
static int compare_squares(const void *a, const void *b)
{
    const struct param_square *left = a, *right = b;
    return left->row != right->row ? left->row - right->row : left->column - right->column;
}

static unsigned mark_symmetries(uint32_t n, uint32_t base, const struct value *squares)
{
    unsigned kept = SYMMETRIES_ALL;
    for (size_t i = 0; i < squares->number; i++)
        for (unsigned symmetry = 1; symmetry < NQ_SYMMETRIES; symmetry++) {
            if (!(kept >> symmetry & 1))
                continue;
            uint32_t row = squares->squares[i].row - base, column = squares->squares[i].column - base;
            square_transform(symmetry, n, &row, &column);
            const struct param_square image = {(uint16_t)(row + base), (uint16_t)(column + base)};
            if (!bsearch(&image, squares->squares, squares->number, sizeof image, compare_squares))
                kept &= ~(1U << symmetry);
        }
    return kept;
}

/* Whether the squares of a sound list, if it is given, are on a board; else adds a validation error for the first that
 * is not. */
static bool squares_on_board(const char *name, const struct value *squares, uint32_t base, uint64_t rows,
                             uint64_t columns, struct validation_errors *errors)
{
    for (size_t i = 0; squares->given && i < squares->number; i++) {
        const struct param_square *square = &squares->squares[i];
        if (square->row - base < rows && square->column - base < columns)
            continue;
        reject_square(name, square, base, errors);
        return false;
    }
    return true;
}

static bool check_squares(const struct query_values *values, uint64_t rows, uint64_t columns,
                          struct validation_errors *errors)
{
    const uint32_t base = row_base(values->base);
    const bool placed = squares_on_board("place", values->place, base, rows, columns, errors);
    return squares_on_board("exclude", values->exclude, base, rows, columns, errors) && placed;
}

/* Squares of a board that is too large for a filter. */
static bool read_marks(const struct query_values *values, struct validation_errors *errors, struct query *query)
{
    const uint32_t n = query->filter.n, base = row_base(values->base);
    if (!check_squares(values, n, n, errors))
        return false;
    query->marks.base = base;
    if (values->place->given) {
        query->marks.place = values->place->squares;
        query->marks.placed = (uint32_t)values->place->number;
        query->broken |= SYMMETRIES_ALL & ~mark_symmetries(n, base, values->place);
    }
    if (values->exclude->given) {
        query->marks.exclude = values->exclude->squares;
        query->marks.excluded = (uint32_t)values->exclude->number;
        query->broken |= SYMMETRIES_ALL & ~mark_symmetries(n, base, values->exclude);
    }
    return true;
}

/* ---- Regions ---- */

/* The sentence goes on after the parameter's name: with a small letter, and without its full stop. */
void reject_regions(struct validation_errors *errors, const char *parameter, const struct regions_fault *fault,
                    uint32_t base)
{
    struct bytes bytes = {0};
    regions_fault_text(fault, base, &bytes);
    char *text = bytes_take(&bytes);
    const size_t before = errors->count, length = text ? strlen(text) : 0;
    const bool square = fault->wrong == REGIONS_LETTER || fault->wrong == REGIONS_NONE ||
                        fault->wrong == REGIONS_MANY || fault->wrong == REGIONS_APART;
    if (length) {
        text[0] = (char)tolower((unsigned char)text[0]);
        text[length - 1] = '\0';
    }
    reject_param(errors, square ? REFUSED_REGIONS_SQUARE : REFUSED_REGIONS, parameter, "names no board: %s%s",
                 length ? text : "it cannot be read",
                 fault->wrong == REGIONS_APART ? ", or leave out apart=false" : "");
    free(text);
    if (square && errors->count > before) {
        errors->list[before].values[0] = (struct refusal_value){.given = true, .number = fault->row + base};
        errors->list[before].values[1] = (struct refusal_value){.given = true, .number = fault->column + base};
    }
}

size_t query_regions_rule(void)
{
    static const char name[] = "touching";
    return rule_find(name, strlen(name));
}

static bool read_regions(const struct param *rows, const struct value *values, struct regions *regions,
                         struct regions_fault *fault)
{
    const struct value *given = row_value(rows, values, "regions"), *apart = row_value(rows, values, "apart");
    return regions_read(given->text, strlen(given->text), !apart->number, regions, fault);
}

static void fill_in(struct value *value, uint64_t number)
{
    if (!value->given)
        value_set(value, number);
}

void query_regions_normalise(const struct param *rows, struct value *values)
{
    struct regions regions;
    struct regions_fault fault;
    const struct value *given = row_value(rows, values, "regions");
    if (!given->given || !given->sound || !row_value(rows, values, "apart")->sound ||
        !read_regions(rows, values, &regions, &fault))
        return;
    (void)regions_text(&regions, '/', value_named(rows, values, "regions")->text);
    value_named(rows, values, "apart")->number = 0; /* equal boards have one canonical form */
    fill_in(value_named(rows, values, "n"), regions.n);
    fill_in(value_named(rows, values, "rules"), query_regions_rule());
}

bool query_regions_read(const struct param *rows, const struct value *values, struct validation_errors *errors,
                        struct regions *regions)
{
    const struct value *n = row_value(rows, values, "n"), *rule = row_value(rows, values, "rules"),
                       *base = row_value(rows, values, "base");
    const size_t its = query_regions_rule(), before = errors->made;
    struct regions_fault fault;
    regions->n = 0;
    if (!row_value(rows, values, "regions")->given)
        return true;
    if (!read_regions(rows, values, regions, &fault)) {
        reject_regions(errors, "regions", &fault, row_base(base));
        return false;
    }
    if (n->ranged || n->number != regions->n)
        reject_with(errors, REFUSED_DISAGREES, "n", MEMBERS(NUMBER((unsigned)n->number), NUMBER(regions->n)),
                    "is %u, but regions has %u rows; leave n out", (unsigned)n->number, regions->n);
    if (rule->number != its)
        reject_with(errors, REFUSED_VALUE_WITH, "rules", MEMBERS(WORD(rules[its]->name), WORD("regions")),
                    "must be %s with %s", rules[its]->name, "regions");
    return errors->made == before;
}

/* The symmetries that carry every region into a region. */
static unsigned region_symmetries(const struct regions *regions)
{
    const uint32_t n = regions->n;
    unsigned kept = 1U << SYMMETRY_IDENTITY;
    for (unsigned symmetry = 1; symmetry < NQ_SYMMETRIES; symmetry++) {
        struct regions image;
        regions_transform(symmetry, regions, &image);
        if (memcmp(image.of, regions->of, (size_t)n * n) == 0)
            kept |= 1U << symmetry;
    }
    return kept;
}

void query_paint(struct query *query, const struct regions *regions)
{
    query->regions = *regions;
    if (regions->n)
        query->broken |= SYMMETRIES_ALL & ~region_symmetries(regions);
}

bool query_read(const struct query_values *values, uint32_t most, struct validation_errors *errors, struct query *query)
{
    const uint32_t n = (uint32_t)values->n->number;
    *query = (struct query){.filter = {.n = n, .rule = row_rule(values->rules)},
                            .distinct = (enum query_distinct)values->distinct->number,
                            .symmetry = (enum query_symmetry)values->symmetry->number};
    if (n > FILTER_MAX_N) {
        if (!query_values_whole(values) && n > most)
            reject_with(errors, REFUSED_UPPER_LIMIT, "n", MEMBERS(NUMBER((int)most)),
                        "must be at most %d with squares placed or excluded; /solve with limit=10000 counts the "
                        "solutions of larger boards if they are few",
                        (int)most);
        return n > most ? query_values_whole(values) : read_marks(values, errors, query);
    }
    filter_begin(&query->filter, n);
    query->filter.rule = row_rule(values->rules);
    if (!check_squares(values, n, n, errors))
        return false;
    read_squares(values, values->place, filter_place, &query->filter);
    read_squares(values, values->exclude, filter_exclude, &query->filter);
    if (values->place->given)
        query->broken |= SYMMETRIES_ALL & ~square_symmetries(values, values->place);
    if (values->exclude->given)
        query->broken |= SYMMETRIES_ALL & ~square_symmetries(values, values->exclude);
    return true;
}

/* ---- Boards of any shape ---- */

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

/* Whether placements of every number of queens are asked for, unless `queens` says how many. */
static bool by_queens(const struct param *rows, const struct value *values)
{
    static const char name[] = "by";
    const size_t i = param_place(rows, name, strlen(name));
    return rows[i].name && strcmp(rows[i].choices(values[i].number), "queens") == 0;
}

/* Leaves out what says no more than n does. */
static void leave_out_usual(const struct param *rows, struct value *values)
{
    const struct value *n = row_value(rows, values, "n"), *queens = row_value(rows, values, "queens");
    if (n->ranged) /* each size is a question of its own */
        return;
    const struct sides sides = sides_of(rows, values);
    const bool all = queens->ranged && queens->number == 0 && queens->last == SHAPE_QUEENS_MOST;
    if (sides.rows == sides.columns)
        leave_out(rows, values, "m");
    if (queens->given && (by_queens(rows, values) || row_value(rows, values, "maximal")->number
                              ? all
                              : !queens->ranged && queens->number == shorter(sides)))
        leave_out(rows, values, "queens");
}

void shape_choose(const struct param *rows, struct value *values)
{
    static const char *const names[] = {"n", "m", "queens", "maximal"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!row_value(rows, values, names[i])->sound)
            return;
    if (!row_value(rows, values, "regions")->given)
        leave_out_usual(rows, values);
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

/* Calls `put` for each square of a list; it returns false for a wall where none may be. */
static bool read_list(const struct reading *reading, const char *name,
                      bool (*put)(struct shape *shape, uint32_t row, uint32_t column))
{
    const struct value *list = row_value(reading->rows, reading->values, name);
    if (!squares_on_board(name, list, reading->base, reading->shape->rows, reading->shape->columns, reading->errors))
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

bool shape_read(const struct param *rows, const struct value *values, uint32_t most, struct validation_errors *errors,
                struct shape *shape)
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
    set_queens(row_value(rows, values, "queens"), shorter(sides), by_queens(rows, values), shape);
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
    if (shape_given(rows, values) && !shape_read(rows, board, SHAPE_MAX_SIDE, errors, shape))
        return false;
    const struct query_values of = query_values_of(rows, values);
    const struct sides sides = sides_of(rows, values);
    return check_squares(&of, sides.rows, sides.columns, errors);
}
