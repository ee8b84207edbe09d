/* test_shape.c - tests of src/shapes/shape.c: symmetries against maps by hand. */
/* CI builds: address */
#include "shapes/shape.h"

#include "board/query.h"
#include "support/plain_shapes.h"

/* On a square board the symmetries are those of all other boards; on a rectangle they are bijections. */
TEST(test_transform)
{
    for (uint32_t rows = 1; rows <= 5; rows++)
        for (uint32_t columns = 1; columns <= 5; columns++)
            for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++) {
                uint32_t seen = 0;
                for (uint32_t square = 0; square < rows * columns; square++) {
                    uint32_t row = square / columns, column = square % columns, x = row, y = column;
                    shape_transform(symmetry, rows, columns, &row, &column);
                    square_transform(symmetry, rows, &x, &y);
                    assert_true(rows != columns || (row == x && column == y));
                    assert_true(row < (symmetry & 1 ? columns : rows) && column < (symmetry & 1 ? rows : columns));
                    seen |= 1U << (row * (symmetry & 1 ? rows : columns) + column);
                }
                assert_int_equal(seen, (1U << rows * columns) - 1);
            }
}

static void rows_of(const struct shape *shape, uint64_t placement, uint64_t rows[static SHAPE_MAX_SIDE])
{
    for (uint32_t row = 0; row < shape->rows; row++)
        rows[row] = placement >> row * shape->columns & shape_row(shape);
}

TEST(test_symmetries)
{
    uint64_t dice = 46;
    unsigned groups = 0;
    for (uint32_t round = 0; round < 300; round++) {
        struct shape shape;
        plain_shapes_random(&dice, 5, &shape);
        SCOPED(plain_shapes, plain, &shape);
        const unsigned group = shape_symmetries(&shape);
        assert_true(group & 1);
        for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++)
            if (group >> symmetry & 1 || shape.rule == rules[0])
                assert_int_equal(group >> symmetry & 1, plain_shapes_symmetric(&plain, symmetry));
        for (size_t i = 0; i < plain.count; i++) {
            uint64_t queens[SHAPE_MAX_SIDE] = {0};
            rows_of(&shape, plain.placements[i], queens);
            assert_int_equal(shape_representative(&shape, group, queens),
                             plain_shapes_first(&plain, group, plain.placements[i]));
        }
        groups |= 1U << __builtin_popcount(group);
    }
    assert_int_equal(groups, 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8);
}

static bool is_listed(const struct plain_shapes *plain, uint64_t placement)
{
    for (size_t i = 0; i < plain->count; i++)
        if (plain->placements[i] == placement)
            return true;
    return false;
}

/* Sets of up to four squares, mostly ones that are near a placement, are placements if and only if they are listed. */
TEST(test_has)
{
    uint64_t dice = 48;
    uint32_t had[2] = {0};
    for (uint32_t round = 0; round < 2000; round++) {
        struct shape shape;
        plain_shapes_random(&dice, 5, &shape);
        SCOPED(plain_shapes, plain, &shape);
        const uint32_t squares = shape.rows * shape.columns;
        for (uint32_t i = 0; i < 20; i++) {
            uint64_t placement = 0, queens[SHAPE_MAX_SIDE] = {0};
            if (plain.count)
                placement = plain.placements[facts_below(&dice, (uint32_t)plain.count)];
            for (uint32_t changed = facts_below(&dice, 3); changed; changed--)
                placement ^= UINT64_C(1) << facts_below(&dice, squares);
            rows_of(&shape, placement, queens);
            const bool listed = is_listed(&plain, placement);
            assert_int_equal(shape_has(&shape, queens), listed);
            had[listed]++;
        }
    }
    assert_true(had[0] > 5000 && had[1] > 5000);
}

TEST(test_refusals)
{
    struct shape shape;
    shape_begin(&shape, 5, 5);
    shape.rule = rules[rule_find("toroidal", 8)];
    assert_null(shape_refusal(&shape));
    shape_wall(&shape, 2, 2);
    assert_non_null(shape_refusal(&shape));
    shape.rule = rules[0];
    assert_null(shape_refusal(&shape));
    shape_begin(&shape, 5, 6);
    shape.rule = rules[rule_find("toroidal", 8)];
    assert_non_null(shape_refusal(&shape));
}
