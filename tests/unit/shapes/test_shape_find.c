/* test_shape_find.c - tests of src/shapes/shape_find.c: what it lists is what the recursion over squares of
 * support/plain_shapes.h lists, each once, also when it is opened again at any place; and large boards. */
/* CI builds: address */
#include "support/failing_memory.h"

#include "shapes/shape_find.c"

#include "support/plain_shapes.h"
#include "support/sanitizer.h"

OWNER(shape_find_close, struct shape_find *)

static uint32_t salt; /* of all that are opened */

static struct shape_find *open_find(const struct shape *shape)
{
    struct shape_find *find;
    assert_int_equal(shape_find_open(shape, salt, &find), NQ_OK);
    return find;
}

/* Opens the list again where it is. */
static struct shape_find *reopen(struct shape_find *find, const struct shape *shape)
{
    uint32_t place[NQ_LIST_MAX_N];
    const uint32_t length = shape_find_position(find, place);
    assert_true(length > 0);
    for (uint32_t i = 0; i < length; i++)
        assert_true(place[i] <= shape_find_bound(shape));
    shape_find_close(find);
    find = open_find(shape);
    assert_int_equal(shape_find_seek(find, place, length), NQ_OK);
    return find;
}

static size_t place_of(const struct plain_shapes *plain, const struct nq_square *squares, uint32_t count)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < count; i++)
        set |= UINT64_C(1) << (squares[i].row * plain->shape.columns + squares[i].column);
    for (size_t i = 0; i < plain->count; i++)
        if (plain->placements[i] == set)
            return i;
    fail_msg("what is listed is no placement");
    return 0;
}

/* With dice in small steps, and sometimes opened again: then the order must stay, whatever the steps are. */
static void compare(const struct plain_shapes *plain, uint64_t *dice)
{
    OWNED(free) bool *seen = calloc(plain->count + 1, sizeof *seen);
    OWNED(shape_find_close) struct shape_find *find = open_find(&plain->shape), *again = open_find(&plain->shape);
    struct nq_square squares[64], same[64];
    size_t found = 0;
    for (;;) {
        uint64_t budget = 1 + facts_below(dice, 200), all = UINT64_MAX;
        uint32_t count, other;
        const enum nq_status status = shape_find_next(find, &budget, squares, &count);
        if (status == NQ_END)
            break;
        if (status == NQ_OK) {
            const size_t at = place_of(plain, squares, count);
            assert_false(seen[at]);
            seen[at] = true;
            found++;
            assert_int_equal(shape_find_next(again, &all, same, &other), NQ_OK);
            assert_int_equal(other, count);
            assert_memory_equal(same, squares, count * sizeof squares[0]);
        }
        if (facts_below(dice, 6) == 0 && find->found)
            find = reopen(find, &plain->shape);
    }
    assert_true(shape_find_whole(find) ? found == plain->count : salt && found <= plain->count);
    uint64_t budget = 1;
    uint32_t count;
    assert_int_equal(shape_find_next(find, &budget, squares, &count), NQ_END);
}

TEST(test_random)
{
    uint64_t dice = 51;
    for (uint32_t round = 0; round < (SANITIZED ? 300 : 2000); round++) {
        struct shape shape;
        plain_shapes_random(&dice, 6, &shape); /* by any rule */
        salt = facts_below(&dice, 2) ? (uint32_t)(dice >> 32) : 0;
        shape.maximal = false;
        shape.least = shape.most = facts_below(&dice, 8);
        SCOPED(plain_shapes, plain, &shape);
        compare(&plain, &dice);
    }
    salt = 0;
}

/* Opened anew with other squares and another salt, anywhere in a list, it is as one that is opened. */
TEST(test_renewed)
{
    uint64_t dice = 54;
    for (uint32_t round = 0; round < (SANITIZED ? 100 : 500); round++) {
        struct shape shape;
        struct nq_square squares[64], same[64];
        uint32_t count = 0, other = 0;
        plain_shapes_random(&dice, 6, &shape);
        shape.maximal = false;
        shape.least = shape.most = facts_below(&dice, 6);
        OWNED(shape_find_close) struct shape_find *find = open_find(&shape);
        for (uint32_t again = 0; again < 4; again++) {
            for (uint32_t steps = facts_below(&dice, 30), all; steps-- > 0;) {
                uint64_t budget = 100;
                (void)shape_find_next(find, &budget, squares, &all);
            }
            const uint32_t row = facts_below(&dice, shape.rows), column = facts_below(&dice, shape.columns);
            shape.placed[row] ^= UINT64_C(1) << column & ~shape.walls[row];
            shape.allow[row] ^= again == 2 ? UINT64_C(1) << column & ~shape.walls[row] : 0;
            salt = again % 2 ? (uint32_t)dice : 0;
            shape_find_renew(find, salt);
            OWNED(shape_find_close) struct shape_find *fresh = open_find(&shape);
            for (enum nq_status status = NQ_OK; status == NQ_OK;) {
                uint64_t budget = UINT64_MAX, spent = UINT64_MAX;
                status = shape_find_next(find, &budget, squares, &count);
                assert_int_equal(shape_find_next(fresh, &spent, same, &other), status);
                assert_true(budget == spent && (status == NQ_END || count == other));
                assert_true(status == NQ_END || memcmp(squares, same, count * sizeof squares[0]) == 0);
            }
            assert_int_equal(shape_find_whole(find), shape_find_whole(fresh));
        }
    }
    salt = 0;
}

/* Each placement comes first with some salt, also of fewer queens than there is room for. */
TEST(test_salts)
{
    enum { SALTS = 6000, MOST = 100 };
    for (uint32_t queens = 2; queens <= 4; queens++) {
        struct shape shape;
        struct nq_square squares[4];
        uint32_t first[MOST] = {0}, count;
        shape_begin(&shape, 4, 5);
        shape_wall(&shape, 1, 1);
        shape.least = shape.most = queens;
        SCOPED(plain_shapes, plain, &shape);
        assert_in_range(plain.count, 2, MOST);
        for (salt = 1; salt < SALTS; salt++) {
            OWNED(shape_find_close) struct shape_find *find = open_find(&shape);
            uint64_t budget = UINT64_MAX;
            const enum nq_status status = shape_find_next(find, &budget, squares, &count);
            assert_true(status == NQ_OK || (status == NQ_END && !shape_find_whole(find)));
            if (status == NQ_OK)
                first[place_of(&plain, squares, count)]++;
        }
        for (size_t i = 0; i < plain.count; i++)
            assert_in_range(first[i], 1, SALTS);
    }
    salt = 0;
}

/* Squares at random, in order, each once. */
static uint32_t draw(uint64_t *dice, const struct shape *shape, uint32_t count, struct param_square *list)
{
    uint32_t have = 0;
    for (uint32_t i = 0; i < shape->rows * shape->columns && have < count; i++)
        if (facts_below(dice, shape->rows * shape->columns - i) < count - have)
            list[have++] =
                (struct param_square){(uint16_t)(i / shape->columns + 1), (uint16_t)(i % shape->columns + 1)};
    return have;
}

/* No two queens see each other along a ray, and none is on a wall or a cross. */
static void check_placement(const struct shape *shape, const struct nq_square *squares, uint32_t count)
{
    OWNED(free) bool *queens = calloc((size_t)shape->rows * shape->columns, sizeof *queens);
    for (uint32_t i = 0; i < count; i++)
        queens[squares[i].row * shape->columns + squares[i].column] = true;
    for (uint32_t i = 0; i < count; i++) {
        assert_false(shape_is_wall(shape, squares[i].row, squares[i].column));
        assert_false(shape_is_excluded(shape, squares[i].row, squares[i].column));
        for (int step = 0; step < 9; step++) {
            const int down = step / 3 - 1, right = step % 3 - 1;
            int row = (int)squares[i].row, column = (int)squares[i].column;
            for (row += down, column += right;
                 (down || right) && row >= 0 && row < (int)shape->rows && column >= 0 && column < (int)shape->columns &&
                 !shape_is_wall(shape, (uint32_t)row, (uint32_t)column);
                 row += down, column += right)
                assert_false(queens[row * (int)shape->columns + column]);
        }
    }
}

/* Large boards, and hard ones, for which it has to begin several times: the first placements take a small part of what
 * a page may cost. */
TEST(test_large)
{
    static const struct {
        uint32_t rows, columns, walls, crosses, queens;
    } boards[] = {{200, 200, 1, 0, 201}, {150, 200, 0, 50, 150}, {200, 130, 40, 0, 130},  {199, 199, 0, 0, 199},
                  {65, 3, 2, 2, 3},      {60, 60, 30, 0, 80},    {200, 200, 1000, 0, 300}};
    uint64_t dice = 52;
    for (size_t i = 0; i < sizeof boards / sizeof boards[0]; i++) {
        struct param_square walls[1000], crosses[1000], queen = {1, 1};
        struct nq_square squares[400];
        struct shape shape;
        uint32_t count;
        shape_begin(&shape, boards[i].rows, boards[i].columns);
        shape.least = shape.most = boards[i].queens;
        shape.wall_list = (struct shape_squares){walls, draw(&dice, &shape, boards[i].walls, walls), 1};
        shape.exclude_list = (struct shape_squares){crosses, draw(&dice, &shape, boards[i].crosses, crosses), 1};
        if (!shape_is_wall(&shape, 0, 0) && !shape_is_excluded(&shape, 0, 0))
            shape.place_list = (struct shape_squares){&queen, 1, 1};
        for (uint32_t wall = 0; !shape_large(&shape) && wall < shape.wall_list.count; wall++)
            shape_wall(&shape, walls[wall].row - 1u, walls[wall].column - 1u);
        OWNED(shape_find_close) struct shape_find *find = open_find(&shape);
        uint64_t budget = UINT64_C(1) << 26;
        for (uint32_t placement = 0; placement < 20; placement++) {
            assert_int_equal(shape_find_next(find, &budget, squares, &count), NQ_OK);
            assert_int_equal(count, boards[i].queens);
            check_placement(&shape, squares, count);
            if (shape_large(&shape) && shape.place_list.count)
                assert_true(squares[0].row == 0 && squares[0].column == 0);
            find = reopen(find, &shape);
        }
    }
}

/* A search that finds nothing for long begins again and again, and is not decided when a page's budget is spent: then
 * it goes on in the last order from wherever it was stopped. */
TEST(test_beginnings)
{
    struct shape shape;
    struct param_square walls[100];
    struct nq_square squares[100];
    uint64_t dice = 53;
    uint32_t count, before[NQ_LIST_MAX_N], after[NQ_LIST_MAX_N];
    shape_begin(&shape, 40, 40);
    shape.least = shape.most = 100;
    for (uint32_t wall = draw(&dice, &shape, 100, walls); wall-- > 0;)
        shape_wall(&shape, walls[wall].row - 1u, walls[wall].column - 1u);
    OWNED(shape_find_close) struct shape_find *find = open_find(&shape);
    uint64_t budget = UINT64_C(1) << 27;
    assert_int_equal(shape_find_next(find, &budget, squares, &count), NQ_AGAIN);
    assert_int_equal(find->order, BEGINNINGS - 1);
    const uint32_t length = shape_find_position(find, before);
    assert_true(length > 20);
    find = reopen(find, &shape);
    budget = UINT64_C(1) << 22;
    assert_int_equal(shape_find_next(find, &budget, squares, &count), NQ_AGAIN);
    assert_int_equal(find->order, BEGINNINGS - 1);
    assert_true(shape_find_position(find, after) != length || memcmp(before, after, length * sizeof before[0]) != 0);
}

TEST(test_invalid_places)
{
    struct shape shape;
    struct nq_square squares[8];
    uint32_t count, place[NQ_LIST_MAX_N];
    uint64_t budget = UINT64_MAX;
    shape_begin(&shape, 6, 8);
    shape.least = shape.most = 6;
    OWNED(shape_find_close) struct shape_find *find = open_find(&shape);
    assert_int_equal(shape_find_next(find, &budget, squares, &count), NQ_OK);
    const uint32_t length = shape_find_position(find, place);
    assert_int_equal(length, 7);
    for (uint32_t i = 0; i < length; i++)
        for (uint32_t other = 0; other <= shape_find_bound(&shape); other++) {
            uint32_t changed[7];
            memcpy(changed, place, sizeof changed);
            changed[i] = other;
            const enum nq_status status = shape_find_seek(find, changed, length);
            budget = UINT64_MAX;
            if (status == NQ_INVALID)
                assert_int_equal(shape_find_next(find, &budget, squares, &count), NQ_END);
        }
    assert_int_equal(shape_find_seek(find, place, 0), NQ_INVALID);
    assert_int_equal(shape_find_seek(find, (const uint32_t[]){6 * 8}, 1), NQ_INVALID);
    assert_int_equal(shape_find_seek(find, (const uint32_t[]){6 * 8 + 1 + BEGINNINGS}, 1), NQ_INVALID);
    assert_int_equal(shape_find_seek(find, (const uint32_t[]){6 * 8 + 1, 6 * 8}, 2),
                     NQ_INVALID); /* all rows are full */
    assert_int_equal(shape_find_seek(find, place, length), NQ_OK);
}

TEST(test_out_of_memory)
{
    struct shape shape;
    OWNED(shape_find_close) struct shape_find *find = NULL;
    shape_begin(&shape, 6, 6);
    shape.least = shape.most = 6;
    assert_int_equal(STARVED(NQ_OK, shape_find_open(&shape, 0, &find)), 8);
}
