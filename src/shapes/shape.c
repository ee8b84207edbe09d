/* shape.c - boards of any shape as masks, and their symmetries. */
#include "shapes/shape.h"

#include <assert.h>
#include <string.h>

void shape_begin(struct shape *shape, uint32_t rows, uint32_t columns)
{
    *shape = (struct shape){.rows = rows, .columns = columns, .rule = rules[0], .most = SHAPE_MAX_SQUARES};
    for (uint32_t row = 0; row < rows && !shape_large(shape); row++)
        shape->allow[row] = shape_row(shape);
}

void shape_wall(struct shape *shape, uint32_t row, uint32_t column)
{
    shape->walls[row] |= UINT64_C(1) << column;
    shape->allow[row] &= ~shape->walls[row];
}

void shape_check(const struct shape *shape)
{
    assert(shape->rows >= 1 && shape->rows <= SHAPE_MAX_SIDE && shape->columns >= 1);
    assert(shape->columns <= SHAPE_MAX_SIDE && shape->rule && shape->least <= shape->most);
    for (uint32_t row = 0; row < SHAPE_MAX_SIDE; row++) {
        const uint64_t beyond = row < shape->rows ? ~shape_row(shape) : ~UINT64_C(0);
        assert(!((shape->walls[row] | shape->allow[row] | shape->placed[row]) & beyond));
        assert(!(shape->walls[row] & (shape->allow[row] | shape->placed[row])));
        (void)beyond;
    }
}

bool shape_squares_have(const struct shape_squares *squares, uint32_t row, uint32_t column)
{
    const uint32_t wanted = (row + squares->base) << 16 | (column + squares->base);
    uint32_t low = 0, high = squares->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct param_square *square = &squares->list[middle];
        if (((uint32_t)square->row << 16 | square->column) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < squares->count && ((uint32_t)squares->list[low].row << 16 | squares->list[low].column) == wanted;
}

bool shape_walled(const struct shape *shape)
{
    uint64_t walls = shape->wall_list.count;
    for (uint32_t row = 0; row < shape->rows && !shape_large(shape); row++)
        walls |= shape->walls[row];
    return walls;
}

const char *shape_refusal(const struct shape *shape)
{
    const unsigned moves = shape->rule->moves;
    if (moves & MOVE_WRAP && shape->rows != shape->columns)
        return "a torus has as many rows as columns";
    return shape_walled(shape) && moves & (MOVE_WRAP | MOVE_REFLECT) ? "lines that wrap or reflect do not end at walls"
                                                                     : NULL;
}

/* The image of a set of squares; not in place. */
static void shape_image(unsigned symmetry, const struct shape *shape, const uint64_t *squares,
                        uint64_t image[static SHAPE_MAX_SIDE])
{
    memset(image, 0, SHAPE_MAX_SIDE * sizeof *image);
    for (uint32_t row = 0; row < shape->rows; row++)
        for (uint64_t rest = squares[row]; rest; rest &= rest - 1) {
            uint32_t to_row = row, to_column = (uint32_t)__builtin_ctzll(rest);
            shape_transform(symmetry, shape->rows, shape->columns, &to_row, &to_column);
            image[to_row] |= UINT64_C(1) << to_column;
        }
}

enum { TRANSPOSITION = 7 };

bool shape_turns(const struct rule *rule)
{
    return rule->symmetries >> TRANSPOSITION & 1;
}

void shape_transpose(const struct shape *shape, struct shape *turned)
{
    assert(shape_turns(shape->rule));
    *turned = *shape;
    turned->rows = shape->columns;
    turned->columns = shape->rows;
    shape_image(TRANSPOSITION, shape, shape->walls, turned->walls);
    shape_image(TRANSPOSITION, shape, shape->allow, turned->allow);
    shape_image(TRANSPOSITION, shape, shape->placed, turned->placed);
}

static bool unchanged(unsigned symmetry, const struct shape *shape, const uint64_t *squares)
{
    uint64_t image[SHAPE_MAX_SIDE];
    shape_image(symmetry, shape, squares, image);
    return memcmp(image, squares, sizeof image) == 0;
}

unsigned shape_symmetries(const struct shape *shape)
{
    unsigned symmetries = 0;
    for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++)
        if (!(symmetry & 1 && shape->rows != shape->columns) && unchanged(symmetry, shape, shape->walls) &&
            unchanged(symmetry, shape, shape->allow) && unchanged(symmetry, shape, shape->placed))
            symmetries |= 1U << symmetry;
    return symmetries & shape->rule->symmetries;
}

/* The squares of the next row that are attacked from this one, or from above it, by lines that do not end at walls. */
static uint64_t pass(const struct shape *shape, uint32_t row, uint64_t queens, struct reach *reach)
{
    rule_pass(shape->rule, shape->columns, row, queens, reach);
    const uint64_t way = shape_row(shape) & ~shape->walls[row + 1];
    reach->columns &= way;
    reach->left &= way;
    reach->right &= way;
    return reach_attacked(reach) & way;
}

/* The squares of the parts of a row that have a queen. False: one has two. */
static bool fill_row(const struct shape *shape, uint32_t row, uint64_t queens, uint64_t *filled)
{
    uint64_t rest = shape_row(shape) & ~shape->walls[row];
    *filled = 0;
    for (uint64_t part; rest; rest &= ~part) {
        part = rest & ~(rest + (rest & -rest)); /* the carry runs up to the next wall */
        const uint64_t in = queens & part;
        if (in & (in - 1))
            return false;
        *filled |= in ? part : 0;
    }
    return true;
}

/* Whether a queen on this square would attack one further down. */
static bool attacks_below(const struct shape *shape, uint32_t row, uint64_t square, const uint64_t *queens)
{
    struct reach reach = {0};
    for (; row + 1 < shape->rows; row++, square = 0)
        if (pass(shape, row, square, &reach) & queens[row + 1])
            return true;
    return false;
}

/* Whether there is a square where another queen could be: attacked are those from above, and from their own row. */
static bool has_room(const struct shape *shape, const uint64_t *attacked, const uint64_t *queens)
{
    for (uint32_t row = 0; row < shape->rows; row++)
        for (uint64_t rest = shape_row(shape) & ~shape->walls[row] & ~attacked[row]; rest; rest &= rest - 1)
            if (!attacks_below(shape, row, rest & -rest, queens))
                return true;
    return false;
}

bool shape_has(const struct shape *shape, const uint64_t *queens)
{
    uint64_t attacked[SHAPE_MAX_SIDE] = {0};
    uint32_t count = 0;
    struct reach reach = {0};
    for (uint32_t row = 0; row < shape->rows; row++) {
        uint64_t filled;
        if (queens[row] & (attacked[row] | ~shape->allow[row]) || shape->placed[row] & ~queens[row] ||
            !fill_row(shape, row, queens[row], &filled))
            return false;
        attacked[row] |= filled;
        count += (uint32_t)__builtin_popcountll(queens[row]);
        if (row + 1 < shape->rows)
            attacked[row + 1] = pass(shape, row, queens[row], &reach);
    }
    return count >= shape->least && count <= shape->most && !(shape->maximal && has_room(shape, attacked, queens));
}

/* Images have as many squares: the first square that only one of them has decides. */
bool shape_representative(const struct shape *shape, unsigned group, const uint64_t *queens)
{
    for (unsigned symmetry = 1; symmetry < NQ_SYMMETRIES; symmetry++) {
        uint64_t image[SHAPE_MAX_SIDE];
        if (!(group >> symmetry & 1))
            continue;
        shape_image(symmetry, shape, queens, image);
        uint32_t row = 0;
        while (row < shape->rows && image[row] == queens[row])
            row++;
        if (row < shape->rows) {
            const uint64_t differ = image[row] ^ queens[row];
            if (image[row] & differ & -differ)
                return false;
        }
    }
    return true;
}
