/* test_shape_list.c - tests of src/shapes/shape_list.c: order, positions and classes against the recursion over squares
 * of support/plain_shapes.h. */
/* CI builds: address */
#include "support/failing_memory.h"

#include <math.h>

#include "shapes/shape_list.c"

#include "shapes/shape.h"
#include "support/plain_shapes.h"
#include "support/sanitizer.h"

OWNER(shape_list_close, struct shape_list *)

static uint64_t set_of(const struct shape *shape, const struct nq_square *squares, uint32_t count)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t square = squares[i].row * shape->columns + squares[i].column;
        assert_true(i == 0 || !(set >> square)); /* in order */
        set |= UINT64_C(1) << square;
    }
    return set;
}

static struct shape_list *open_list(const struct shape *shape, unsigned group)
{
    struct shape_list *list;
    assert_int_equal(shape_list_open(shape, group, &list), NQ_OK);
    assert_true(shape_list_top(list) <= 64);
    return list;
}

/* Opens the list again where it was. */
static struct shape_list *reopen(struct shape_list *list, const struct shape *shape, unsigned group)
{
    struct nq_square squares[64];
    uint32_t count;
    if (!shape_list_position(list, squares, &count) || list->over)
        return list;
    shape_list_close(list);
    list = open_list(shape, group);
    assert_int_equal(shape_list_seek(list, squares, count), NQ_OK);
    return list;
}

/* The whole list; with dice, in small steps, and sometimes opened again. */
static void compare_list(const struct plain_shapes *plain, unsigned group, uint64_t *dice)
{
    OWNED(shape_list_close) struct shape_list *list = open_list(&plain->shape, group);
    struct nq_square squares[64];
    uint32_t count;
    for (size_t at = 0;;) {
        const uint64_t budget = dice ? 1 + facts_below(dice, 20) : UINT64_MAX;
        uint64_t left = budget;
        const enum nq_status status = shape_list_next(list, &left, squares, &count);
        assert_true(left < budget && (status != NQ_AGAIN || left == 0));
        while (at < plain->count && status != NQ_AGAIN && !plain_shapes_first(plain, group, plain->placements[at]))
            at++;
        if (status == NQ_END) {
            assert_int_equal(at, plain->count);
            break;
        }
        if (status == NQ_OK)
            assert_true(at < plain->count && set_of(&plain->shape, squares, count) == plain->placements[at++]);
        if (dice && facts_below(dice, 8) == 0)
            list = reopen(list, &plain->shape, group);
    }
    uint64_t budget = 1;
    assert_int_equal(shape_list_next(list, &budget, squares, &count), NQ_END);
}

static void compare(const struct shape *shape, uint64_t *dice)
{
    SCOPED(plain_shapes, plain, shape);
    const unsigned group = shape_symmetries(shape);
    compare_list(&plain, 1, dice);
    if (group & 0x10)
        compare_list(&plain, 0x11, dice);
    if (group != 1)
        compare_list(&plain, group, dice);
}

TEST(test_published)
{
    const json_t *by_queens;
    struct shape shape;
    for (size_t i = 0; plain_shapes_published(i, &shape, &by_queens); i++) {
        uint64_t profile[65] = {0}, budget = UINT64_MAX;
        struct nq_square squares[64];
        uint32_t count;
        struct shape_list *list = open_list(&shape, 1);
        while (shape_list_next(list, &budget, squares, &count) == NQ_OK)
            profile[count]++;
        for (uint32_t queens = 0; queens <= 64; queens++)
            assert_int_equal(profile[queens], queens < json_array_size(by_queens) ? facts_at(by_queens, queens) : 0);
        shape_list_close(list);
        if (shape.rows * shape.columns < (SANITIZED ? 40 : 64))
            compare(&shape, NULL);
    }
}

TEST(test_random)
{
    uint64_t dice = 47;
    for (uint32_t round = 0; round < 500; round++) {
        struct shape shape;
        plain_shapes_random(&dice, SANITIZED ? 6 : 7, &shape);
        compare(&shape, &dice);
    }
}

/* Rows and columns as long as a mask, with walls: as many are listed as are counted. */
TEST(test_long)
{
    uint64_t dice = 49;
    for (uint32_t round = 0; round < (SANITIZED ? 6 : 24); round++) {
        struct shape shape;
        struct nq_square squares[2];
        nq_wide counted[3] = {0};
        uint64_t listed[3] = {0}, budget = UINT64_MAX, nodes = 0;
        uint32_t count;
        shape_begin(&shape, round % 2 ? 3 : 64, round % 2 ? 64 : 3);
        shape.rule = rules[round % 3 ? 0 : rule_find("superqueens", 11)];
        shape.most = 2;
        for (uint32_t wall = facts_below(&dice, 20); wall; wall--)
            shape_wall(&shape, facts_below(&dice, shape.rows), facts_below(&dice, shape.columns));
        OWNED(shape_list_close) struct shape_list *list = open_list(&shape, 1);
        struct shape_plan *plan;
        while (shape_list_next(list, &budget, squares, &count) == NQ_OK)
            listed[count]++;
        assert_int_equal(shape_plan_open(&shape, 1, 0, INFINITY, NULL, &plan), NQ_OK);
        for (size_t unit = 0; unit < shape_plan_units(plan); unit++)
            assert_int_equal(shape_plan_count(plan, unit, NULL, counted, &nodes), NQ_OK);
        for (uint32_t queens = 0; queens <= 2; queens++)
            assert_true(counted[queens] == listed[queens]);
        shape_plan_close(plan);
    }
}

/* From any placement of all queens, the list goes on with those behind it, whether it is one of its own or not. */
TEST(test_seek)
{
    struct shape shape, all;
    struct nq_square squares[8], next[8];
    uint32_t count, found;
    uint64_t budget = UINT64_MAX;
    shape_begin(&all, 5, 6);
    shape = all;
    shape.least = 2;
    shape.most = 3;
    SCOPED(plain_shapes, plain, &shape);
    OWNED(shape_list_close) struct shape_list *list = open_list(&all, 1), *of_two = open_list(&shape, 1);
    for (size_t at = 0; shape_list_next(list, &budget, squares, &count) == NQ_OK;) {
        if (count > 3) {
            assert_int_equal(shape_list_seek(of_two, squares, count), NQ_INVALID);
            continue;
        }
        assert_int_equal(shape_list_seek(of_two, squares, count), NQ_OK);
        at += at < plain.count && plain.placements[at] == set_of(&shape, squares, count);
        const enum nq_status status = shape_list_next(of_two, &budget, next, &found);
        assert_int_equal(status, at < plain.count ? NQ_OK : NQ_END);
        if (status == NQ_OK)
            assert_true(set_of(&shape, next, found) == plain.placements[at]);
    }
}

TEST(test_invalid_positions)
{
    static const struct nq_square bad[][2] = {
        {{1, 0}, {1, 2}}, {{0, 1}, {2, 1}}, {{1, 2}, {2, 3}}, {{1, 1}, {0, 3}},
        {{0, 6}},         {{6, 0}},         {{0, 2}}, /* a wall */
        {{0, 3}},                                     /* not allowed */
        {{3, 0}},                                     /* attacked by the placed queen */
        {{4, 3}},                                     /* behind it */
    };
    struct shape shape;
    struct nq_square squares[36];
    uint32_t count;
    uint64_t budget = 20;
    shape_begin(&shape, 6, 6);
    shape_wall(&shape, 0, 2);
    shape.allow[0] &= ~UINT64_C(8);
    shape.placed[3] = 1 << 5;
    OWNED(shape_list_close) struct shape_list *list = open_list(&shape, 1);
    assert_false(shape_list_position(list, squares, &count));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(shape_list_seek(list, bad[i], 1 + (i < 4)), NQ_INVALID);
        assert_int_equal(shape_list_next(list, &budget, squares, &count), NQ_END);
    }
    assert_int_equal(shape_list_seek(list, (const struct nq_square[]){{0, 1}, {1, 4}}, 2), NQ_OK);
    assert_int_equal(shape_list_next(list, &budget, squares, &count), NQ_OK);
    assert_int_equal(squares[1].column, 4);
}

TEST(test_out_of_memory)
{
    struct shape shape;
    OWNED(shape_list_close) struct shape_list *list = NULL;
    shape_begin(&shape, 6, 6);
    assert_int_equal(STARVED(NQ_OK, shape_list_open(&shape, 1, &list)), 2);
}
