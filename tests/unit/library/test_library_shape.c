/* test_library_shape.c - tests of src/library/shape.c: boards of any shape against a recursion over squares. */
/* CI builds: address thread */
#include <nqueens.h>
#include <string.h>

#include "support/facts.h"
#include "support/plain_shapes.h"

/* The board that a shape is, made by the calls of the header. */
static struct nq_shape *shape_of(const struct shape *shape)
{
    struct nq_shape *made;
    assert_int_equal(nq_shape_open(shape->rows, shape->columns, shape->rule->name, &made), NQ_OK);
    for (uint32_t i = 0; i < shape->rows * shape->columns; i++) {
        const uint32_t row = i / shape->columns, column = i % shape->columns;
        const bool wall = shape->walls[row] >> column & 1;
        if (wall)
            assert_int_equal(nq_shape_wall(made, row, column), NQ_OK);
        if (!wall && !(shape->allow[row] >> column & 1))
            assert_int_equal(nq_shape_exclude(made, row, column), NQ_OK);
        if (shape->placed[row] >> column & 1)
            assert_int_equal(nq_shape_place(made, row, column), NQ_OK);
    }
    assert_int_equal(nq_shape_queens(made, shape->least, shape->most), NQ_OK);
    nq_shape_maximal(made, shape->maximal);
    return made;
}

static uint32_t squares_of(const struct shape *shape, uint64_t placement, struct nq_square *squares)
{
    uint32_t count = 0;
    for (; placement; placement &= placement - 1) {
        const uint32_t square = (uint32_t)__builtin_ctzll(placement);
        squares[count++] = (struct nq_square){square / shape->columns, square % shape->columns};
    }
    return count;
}

static bool is_listed(const struct plain_shapes *plain, uint64_t placement)
{
    size_t i = 0;
    while (i < plain->count && plain->placements[i] != placement)
        i++;
    return i < plain->count;
}

/* The pairs that attack each other, from both sides, and the first square that none attacks, by the recursion's masks.
 */
static void check_verdict(const struct plain_shapes *plain, const struct nq_shape *made, uint64_t placement)
{
    const struct shape *shape = &plain->shape;
    struct nq_square squares[64];
    struct nq_conflict list[NQ_CONFLICTS_MAX];
    struct nq_shape_verdict verdict;
    const uint32_t count = squares_of(shape, placement, squares), all = shape->rows * shape->columns;
    uint64_t attacked = 0, walls = 0, conflicts = 0;
    for (uint32_t i = 0; i < all; i++)
        walls |= (shape->walls[i / shape->columns] >> i % shape->columns & 1) << i;
    for (uint32_t i = 0; i < all; i++)
        if ((placement & ~walls) >> i & 1) {
            attacked |= plain->attacks[i] | UINT64_C(1) << i;
            conflicts += (uint64_t)__builtin_popcountll(plain->attacks[i] & placement & ~walls & ~(UINT64_C(1) << i));
        }
    assert_int_equal(nq_shape_verify(made, squares, count, list, &verdict), NQ_OK);
    const uint64_t open = ~attacked & ~walls & ~UINT64_C(0) >> (64 - all);
    assert_int_equal(verdict.valid, is_listed(plain, placement));
    assert_int_equal(verdict.maximal, !open);
    assert_int_equal(verdict.on_walls, __builtin_popcountll(placement & walls));
    if (open) {
        assert_int_equal(verdict.free.row * shape->columns + verdict.free.column, __builtin_ctzll(open));
    }
    assert_int_equal(2 * verdict.conflicts, conflicts);
}

static void check_count(const struct plain_shapes *plain, struct nq_shape *made, unsigned threads)
{
    const struct nq_count_settings settings = {.threads = threads};
    uint64_t by_queens[65], wanted[65] = {0}, total, firsts = 0;
    const unsigned group = shape_symmetries(&plain->shape);
    for (size_t i = 0; i < plain->count; i++)
        wanted[__builtin_popcountll(plain->placements[i])]++;
    assert_int_equal(nq_shape_count(made, &settings, by_queens, 65, &total), NQ_OK);
    assert_int_equal(total, plain->count);
    assert_memory_equal(by_queens, wanted, sizeof wanted);
    for (size_t i = 0; i < plain->count; i++)
        firsts += plain_shapes_first(plain, group, plain->placements[i]);
    assert_int_equal(nq_shape_distinct(made, NQ_DISTINCT_FUNDAMENTAL), NQ_OK);
    assert_int_equal(nq_shape_count(made, &settings, NULL, 0, &total), NQ_OK);
    assert_int_equal(total, firsts);
}

TEST(test_boards_at_random)
{
    uint64_t dice = 9, valid = 0;
    for (unsigned round = 0; round < 300; round++) {
        struct shape shape;
        plain_shapes_random(&dice, 5, &shape);
        if (shape_refusal(&shape))
            continue;
        SCOPED(plain_shapes, plain, &shape);
        struct nq_shape *made = shape_of(&shape);
        const uint32_t all = shape.rows * shape.columns;
        for (unsigned i = 0; i < 6; i++) {
            uint64_t placement = plain.count ? plain.placements[facts_below(&dice, (uint32_t)plain.count)] : 0;
            if (i > 2) /* another queen, or one less */
                placement ^= UINT64_C(1) << facts_below(&dice, all);
            check_verdict(&plain, made, placement);
            valid += is_listed(&plain, placement);
        }
        check_count(&plain, made, 1 + round % 3);
        nq_shape_close(made);
    }
    assert_true(valid > 300);
}

TEST(test_what_is_refused)
{
    struct nq_shape *shape;
    struct nq_shape_verdict verdict;
    uint64_t total;
    static const struct nq_square twice[] = {{0, 0}, {0, 0}}, beyond[] = {{2, 0}};
    assert_int_equal(nq_shape_open(0, 4, NULL, &shape), NQ_INVALID);
    assert_int_equal(nq_shape_open(4, 4, "knights", &shape), NQ_INVALID);
    assert_int_equal(nq_shape_open(4, NQ_SHAPE_MAX_SIDE + 1, NULL, &shape), NQ_LIMIT);
    assert_int_equal(nq_shape_open(2, 4, "toroidal", &shape), NQ_OK);
    assert_int_equal(nq_shape_count(shape, NULL, NULL, 0, &total), NQ_INVALID);
    assert_int_equal(nq_shape_verify(shape, NULL, 0, NULL, &verdict), NQ_INVALID);
    nq_shape_close(shape);
    assert_int_equal(nq_shape_open(2, 4, NULL, &shape), NQ_OK);
    assert_int_equal(nq_shape_wall(shape, 2, 0), NQ_INVALID);
    assert_int_equal(nq_shape_exclude(shape, 0, 4), NQ_INVALID);
    assert_int_equal(nq_shape_queens(shape, 3, 2), NQ_INVALID);
    assert_int_equal(nq_shape_distinct(shape, (enum nq_distinct)3), NQ_INVALID);
    assert_int_equal(nq_shape_wall(shape, 1, 1), NQ_OK);
    assert_int_equal(nq_shape_place(shape, 1, 1), NQ_INVALID);
    assert_int_equal(nq_shape_place(shape, 0, 0), NQ_OK);
    assert_int_equal(nq_shape_wall(shape, 0, 0), NQ_INVALID);
    assert_int_equal(nq_shape_verify(shape, beyond, 1, NULL, &verdict), NQ_INVALID);
    assert_int_equal(nq_shape_verify(shape, twice, 2, NULL, &verdict), NQ_OK);
    assert_true(!verdict.valid && verdict.conflicts == 1);
    assert_int_equal(nq_shape_queens(shape, 0, UINT32_MAX), NQ_OK);
    assert_int_equal(nq_shape_count(shape, NULL, NULL, 0, &total), NQ_OK);
    assert_int_equal(total, 3); /* alone, and with 1:2 or 1:3 */
    nq_shape_close(shape);
    nq_shape_close(NULL);
}

static bool never(void *context, double done)
{
    (void)done;
    ++*(unsigned *)context;
    return false;
}

TEST(test_cancelled_and_too_many)
{
    struct nq_shape *shape;
    unsigned calls = 0;
    uint64_t total;
    const struct nq_count_settings settings = {.threads = 2, .progress = never, .context = &calls};
    assert_int_equal(nq_shape_open(20, 20, NULL, &shape), NQ_OK);
    assert_int_equal(nq_shape_queens(shape, 12, 12), NQ_OK);
    assert_int_equal(nq_shape_count(shape, &settings, NULL, 0, &total), NQ_CANCELLED);
    assert_true(calls >= 1);
    nq_shape_close(shape);
}
