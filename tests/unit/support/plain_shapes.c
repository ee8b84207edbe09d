#include "support/plain_shapes.h"

static const struct shape *shape_of(const struct plain_shapes *plain)
{
    return &plain->shape;
}

static bool wall(const struct shape *shape, int row, int column)
{
    return shape->walls[row] >> column & 1;
}

static int sign(int number)
{
    return (number > 0) - (number < 0);
}

/* Whether walls stand on the way between two squares on a row, column or diagonal. */
static bool parted(const struct shape *shape, int row, int column, int to_row, int to_column)
{
    const int down = sign(to_row - row), right = sign(to_column - column);
    for (row += down, column += right; row != to_row || column != to_column; row += down, column += right)
        if (wall(shape, row, column))
            return true;
    return false;
}

static bool attack(const struct shape *shape, uint32_t a, uint32_t b)
{
    const uint32_t n = shape->columns, row = a / n, column = a % n, to_row = b / n, to_column = b % n;
    const enum conflict_line line = rule_line(shape->rule, n, row, column, to_row, to_column);
    const bool straight = line == LINE_ROW || line == LINE_COLUMN || line == LINE_DIAGONAL || line == LINE_ANTIDIAGONAL;
    if (straight && !(shape->rule->moves & MOVE_WRAP))
        return !parted(shape, (int)row, (int)column, (int)to_row, (int)to_column);
    return line != CONFLICT_LINES;
}

static bool has(const struct plain_shapes *plain, const uint64_t *squares, uint32_t square)
{
    const uint32_t n = shape_of(plain)->columns;
    return squares[square / n] >> square % n & 1;
}

static bool wanted(const struct plain_shapes *plain, uint64_t placement)
{
    const struct shape *shape = shape_of(plain);
    const uint32_t queens = (uint32_t)__builtin_popcountll(placement);
    uint64_t attacked = 0;
    for (uint64_t rest = placement; rest; rest &= rest - 1)
        attacked |= plain->attacks[__builtin_ctzll(rest)];
    for (uint32_t square = 0; square < shape->rows * shape->columns; square++)
        if ((has(plain, shape->placed, square) && !(placement >> square & 1)) ||
            (shape->maximal && !has(plain, shape->walls, square) && !(attacked >> square & 1)))
            return false;
    return queens >= shape->least && queens <= shape->most;
}

static void search(struct plain_shapes *plain, uint32_t from, uint64_t placement)
{
    const struct shape *shape = shape_of(plain);
    if (wanted(plain, placement)) {
        if (plain->count == plain->room) {
            plain->room = plain->room ? 2 * plain->room : 1024;
            plain->placements = realloc(plain->placements, plain->room * sizeof *plain->placements);
            assert_non_null(plain->placements);
        }
        plain->placements[plain->count++] = placement;
    }
    for (uint32_t square = from; square < shape->rows * shape->columns; square++)
        if (has(plain, shape->allow, square) && !(plain->attacks[square] & placement))
            search(plain, square + 1, placement | UINT64_C(1) << square);
}

void plain_shapes_begin(struct plain_shapes *plain, const struct shape *shape)
{
    const uint32_t squares = shape->rows * shape->columns;
    assert_true(squares <= 64);
    *plain = (struct plain_shapes){.shape = *shape};
    for (uint32_t a = 0; a < squares; a++)
        for (uint32_t b = 0; b < squares; b++)
            plain->attacks[a] |= (uint64_t)attack(shape, a, b) << b;
    search(plain, 0, 0);
}

void plain_shapes_end(struct plain_shapes *plain)
{
    free(plain->placements);
}

/* By where a square's row and column go: 1 is a quarter turn, (row, column) -> (column, last row - row). */
static uint32_t image_of(const struct shape *shape, unsigned symmetry, uint32_t square)
{
    const uint32_t rows = shape->rows, columns = shape->columns, row = square / columns, column = square % columns;
    const uint32_t up = rows - 1 - row, left = columns - 1 - column;
    const uint32_t to[NQ_SYMMETRIES][2] = {{row, column}, {column, up}, {up, left},   {left, row},
                                           {row, left},   {left, up},   {up, column}, {column, row}};
    return to[symmetry][0] * columns + to[symmetry][1];
}

uint64_t plain_shapes_image(const struct plain_shapes *plain, unsigned symmetry, uint64_t placement)
{
    uint64_t image = 0;
    for (; placement; placement &= placement - 1)
        image |= UINT64_C(1) << image_of(shape_of(plain), symmetry, (uint32_t)__builtin_ctzll(placement));
    return image;
}

bool plain_shapes_symmetric(const struct plain_shapes *plain, unsigned symmetry)
{
    const struct shape *shape = shape_of(plain);
    if (symmetry & 1 && shape->rows != shape->columns)
        return false;
    for (uint32_t square = 0; square < shape->rows * shape->columns; square++) {
        const uint32_t image = image_of(shape, symmetry, square);
        if (has(plain, shape->walls, square) != has(plain, shape->walls, image) ||
            has(plain, shape->allow, square) != has(plain, shape->allow, image) ||
            has(plain, shape->placed, square) != has(plain, shape->placed, image) ||
            plain_shapes_image(plain, symmetry, plain->attacks[square]) != plain->attacks[image])
            return false;
    }
    return true;
}

bool plain_shapes_first(const struct plain_shapes *plain, unsigned group, uint64_t placement)
{
    for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++) {
        const uint64_t image = group >> symmetry & 1 ? plain_shapes_image(plain, symmetry, placement) : placement;
        for (uint32_t square = 0; square < 64; square++)
            if ((image ^ placement) >> square & 1) { /* the least square of one only */
                if (image >> square & 1)
                    return false;
                break;
            }
    }
    return true;
}

static void draw_squares(uint64_t *dice, struct shape *shape)
{
    const uint32_t squares = shape->rows * shape->columns, walls = facts_below(dice, 3) * facts_below(dice, 4);
    const bool open = shape->rule->moves & (MOVE_WRAP | MOVE_REFLECT), turned = facts_below(dice, 2);
    for (uint32_t i = 0; i < walls + 4; i++) {
        const uint32_t square = facts_below(dice, squares), row = square / shape->columns;
        const uint32_t column = square % shape->columns, kind = facts_below(dice, 8);
        for (int half = 0; half <= turned; half++) {
            const uint32_t to_row = half ? shape->rows - 1 - row : row;
            const uint32_t to_column = half ? shape->columns - 1 - column : column;
            if (i < walls && !open)
                shape_wall(shape, to_row, to_column);
            else if (kind < 2)
                shape->allow[to_row] &= ~(UINT64_C(1) << to_column);
            else if (kind == 2)
                shape->placed[to_row] |= UINT64_C(1) << to_column & ~shape->walls[to_row];
        }
    }
}

void plain_shapes_random(uint64_t *dice, uint32_t side, struct shape *shape)
{
    uint32_t count = 0;
    while (rules[count])
        count++;
    const struct rule *rule = rules[facts_below(dice, 2) ? 0 : facts_below(dice, count)];
    const uint32_t rows = 1 + facts_below(dice, side), columns = 1 + facts_below(dice, side);
    shape_begin(shape, rows, rule->moves & MOVE_WRAP ? rows : columns);
    shape->rule = rule;
    draw_squares(dice, shape);
    shape->maximal = facts_below(dice, 4) == 0;
    if (facts_below(dice, 2)) {
        shape->least = facts_below(dice, 8);
        shape->most = shape->least + facts_below(dice, 3);
    }
    shape_check(shape);
}

bool plain_shapes_published(size_t i, struct shape *shape, const json_t **by_queens)
{
    static json_t *file;
    const json_t *wall;
    size_t at;
    if (!file)
        file = json_load_file("tests/data/shapes.json", 0, NULL);
    const json_t *board = json_array_get(json_object_get(file, "boards"), i);
    assert_non_null(file);
    if (!board)
        return false;
    shape_begin(shape, (uint32_t)facts_get(board, "rows"), (uint32_t)facts_get(board, "columns"));
    json_array_foreach(json_object_get(board, "walls"), at, wall)
    {
        unsigned row, column;
        assert_int_equal(sscanf(json_string_value(wall), "%u:%u", &row, &column), 2);
        shape_wall(shape, row - 1, column - 1);
    }
    *by_queens = json_object_get(board, "by_queens");
    return true;
}
