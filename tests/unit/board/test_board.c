/* test_board.c - tests of src/board without its tokens: attacks, solutions, symmetries and canonical forms. */
/* CI builds: address */
#include <string.h>

#include "support/facts.h"
#include <nqueens.h>

/* board.c itself, with allocations that can be made to fail. */
#include "support/failing_memory.h"

#include "board/board.c"

enum { MAX_N = 10 };

/* Whether a queen that walks from one square meets another square within a board of this size. */
static bool walks_into(int size, int row_a, int column_a, int row_b, int column_b)
{
    for (int down = -1; down <= 1; down++)
        for (int right = -1; right <= 1; right++)
            for (int steps = 1; (down || right) && steps < size; steps++)
                if (row_a + steps * down == row_b && column_a + steps * right == column_b)
                    return true;
    return false;
}

TEST(test_attack_is_a_queens_move)
{
    enum { SIZE = 7 };
    for (int from = 0; from < SIZE * SIZE; from++)
        for (int to = 0; to < SIZE * SIZE; to++) {
            int row_a = from / SIZE, column_a = from % SIZE, row_b = to / SIZE, column_b = to % SIZE;
            if (nq_attack((uint32_t)row_a, (uint32_t)column_a, (uint32_t)row_b, (uint32_t)column_b) !=
                walks_into(SIZE, row_a, column_a, row_b, column_b))
                fail_msg("(%d,%d) and (%d,%d)", row_a, column_a, row_b, column_b);
        }
}

TEST(test_attack_far_away)
{
    const uint32_t far = UINT32_MAX;
    assert_true(nq_attack(0, 0, far, far));
    assert_true(nq_attack(0, far, far, 0));
    assert_true(nq_attack(far, 5, 0, 5));
    assert_true(nq_attack(5, 0, 5, far));
    assert_true(nq_attack(1, far, far, 1));
    assert_false(nq_attack(far, far, far, far));
    assert_false(nq_attack(0, 0, far, far - 1));
    assert_false(nq_attack(0, 1, far, 0)); /* a diagonal only if 32 bits wrap round */
    assert_false(nq_attack(0, 0, far, 1));
    assert_false(nq_attack(0, 0, UINT32_C(1) << 31, (UINT32_C(1) << 31) + 1));
}

static bool verify(uint32_t n, const uint32_t *columns)
{
    bool valid = false;
    assert_int_equal(nq_verify(n, columns, &valid), NQ_OK);
    return valid;
}

/* Every array of n columns, a column just off the board included: exactly Q(n) are solutions. */
TEST(test_verify_every_array)
{
    for (uint32_t n = 0; n <= 6; n++) {
        uint32_t columns[6] = {0}, row;
        uint64_t solutions = 0;
        do {
            solutions += verify(n, columns);
            for (row = 0; row < n && ++columns[row] > n; row++)
                columns[row] = 0;
        } while (row < n);
        assert_int_equal(solutions, facts_term("all", n));
    }
}

static bool on_board(uint32_t n, const uint32_t *columns)
{
    for (uint32_t row = 0; row < n; row++)
        if (columns[row] >= n)
            return false;
    return true;
}

TEST(test_verify_random)
{
    uint64_t dice = 1;
    uint32_t agreed[2] = {0};
    for (uint32_t n = 4; n <= MAX_N; n++) {
        size_t count;
        OWNED(free) uint32_t *solutions = facts_solutions(n, &count);
        for (int round = 0; round < 500; round++) {
            uint32_t columns[MAX_N];
            memcpy(columns, solutions + facts_below(&dice, (uint32_t)count) * (size_t)n, n * sizeof *columns);
            for (uint32_t changes = facts_below(&dice, 3); changes; changes--) {
                uint32_t a = facts_below(&dice, n), b = facts_below(&dice, n), kept = columns[a];
                columns[a] = facts_below(&dice, 2) ? columns[b] : facts_below(&dice, n + 2);
                columns[b] = facts_below(&dice, 8) ? kept : columns[b];
            }
            bool expected = on_board(n, columns) && facts_peaceful(n, columns);
            assert_int_equal(verify(n, columns), expected);
            agreed[expected]++;
        }
    }
    assert_true(agreed[false] > 500);
    assert_true(agreed[true] > 500);
}

TEST(test_verify_odd_ends)
{
    assert_true(verify(0, NULL));
    uint32_t columns[] = {1, 3, 0, 2};
    assert_true(verify(4, columns));
    for (uint32_t row = 0; row < 4; row++) { /* one column off the board, near and far */
        uint32_t kept = columns[row];
        static const uint32_t bad[] = {4, 5, 63, 64, 1u << 31, UINT32_MAX - 1, UINT32_MAX};
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            columns[row] = bad[i];
            assert_false(verify(4, columns));
        }
        columns[row] = kept;
    }
}

TEST(test_verify_without_memory)
{
    const uint32_t columns[] = {1, 3, 0, 2};
    bool valid;
    failing_after = 0;
    enum nq_status status = nq_verify(4, columns, &valid);
    failing_after = SIZE_MAX;
    assert_int_equal(status, NQ_NOMEM);
}

/* The eight images of a permutation, row after row. */
static void all_images(uint32_t n, const uint32_t *columns, uint32_t images[NQ_SYMMETRIES][MAX_N])
{
    for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++) {
        memset(images[symmetry], 0xff, sizeof images[symmetry]);
        nq_transform(symmetry, n, columns, images[symmetry]);
    }
}

static bool same(uint32_t n, const uint32_t *a, const uint32_t *b)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

static bool less(uint32_t n, const uint32_t *a, const uint32_t *b)
{
    uint32_t row = 0;
    while (row < n && a[row] == b[row])
        row++;
    return row < n && a[row] < b[row];
}

/* The meaning of 0, 1 and 4, square by square; the others follow from these. */
TEST(test_transform_moves_squares)
{
    const uint32_t columns[] = {4, 1, 3, 0, 2, 5}, n = 6;
    uint32_t images[NQ_SYMMETRIES][MAX_N], twice[MAX_N];
    all_images(n, columns, images);
    assert_true(same(n, images[0], columns));
    bool clockwise = true, counter = true;
    for (uint32_t row = 0; row < n; row++) {
        assert_int_equal(images[4][row], n - 1 - columns[row]);
        clockwise &= images[1][columns[row]] == n - 1 - row;
        counter &= images[1][n - 1 - columns[row]] == row;
    }
    assert_true(clockwise != counter);
    for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++) {
        if (symmetry % 4 == 0)
            continue;
        nq_transform(1, n, images[symmetry - 1], twice); /* one quarter turn more than the one before */
        assert_true(same(n, twice, images[symmetry]));
    }
}

static unsigned index_of(uint32_t n, const uint32_t *image, uint32_t images[NQ_SYMMETRIES][MAX_N])
{
    for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++)
        if (same(n, image, images[symmetry]))
            return symmetry;
    fail_msg("not one of the eight images");
    return 0;
}

/* On a board without symmetry the eight images differ; any two in a row are one of the eight, the same on every board;
 * each has an inverse. */
TEST(test_symmetries_are_a_group)
{
    static const uint32_t boards[][8] = {{0, 4, 7, 5, 2, 6, 1, 3}, {7, 0, 1, 2, 3, 4, 6, 5}, {2, 0, 7, 1, 3, 6, 5, 4}};
    const uint32_t n = 8;
    unsigned product[NQ_SYMMETRIES][NQ_SYMMETRIES];
    for (size_t board = 0; board < sizeof boards / sizeof *boards; board++) {
        uint32_t images[NQ_SYMMETRIES][MAX_N], twice[MAX_N];
        all_images(n, boards[board], images);
        for (unsigned first = 0; first < NQ_SYMMETRIES; first++) {
            unsigned inverses = 0;
            assert_int_equal(index_of(n, images[first], images), first); /* all eight differ */
            for (unsigned second = 0; second < NQ_SYMMETRIES; second++) {
                nq_transform(second, n, images[first], twice);
                unsigned both = index_of(n, twice, images);
                if (board == 0)
                    product[first][second] = both;
                assert_int_equal(both, product[first][second]);
                inverses += both == 0;
            }
            assert_int_equal(inverses, 1);
        }
    }
    assert_int_not_equal(product[1][4], product[4][1]); /* turning and reflecting do not commute */
}

/* The canonical form is the least image, whichever image it is asked of; the orbit is how many images there are. */
static unsigned check_canonical(uint32_t n, const uint32_t *columns, bool *least)
{
    uint32_t images[NQ_SYMMETRIES][MAX_N], canonical[MAX_N], scratch[MAX_N];
    unsigned different = 0, smallest = 0;
    all_images(n, columns, images);
    for (unsigned a = 0; a < NQ_SYMMETRIES; a++) {
        smallest = less(n, images[a], images[smallest]) ? a : smallest;
        different += index_of(n, images[a], images) == a;
    }
    for (unsigned a = 0; a < NQ_SYMMETRIES; a++) {
        assert_int_equal(nq_canonical(n, images[a], canonical, scratch), different);
        assert_true(same(n, canonical, images[smallest]));
    }
    *least = same(n, columns, images[smallest]);
    return different;
}

TEST(test_canonical_of_every_solution)
{
    static const unsigned orbit_of[] = {[NQ_SYMMETRY_NONE] = 8, [NQ_SYMMETRY_POINT] = 4, [NQ_SYMMETRY_QUARTER] = 2};
    for (uint32_t n = 1; n <= MAX_N; n++) {
        size_t count;
        uint32_t *solutions = facts_solutions(n, &count), turned[MAX_N];
        uint64_t classes[NQ_SYMMETRIES + 1] = {0}, point = 0, quarter = 0;
        for (size_t i = 0; i < count; i++) {
            const uint32_t *solution = solutions + i * n;
            bool least;
            unsigned orbit = check_canonical(n, solution, &least);
            classes[orbit] += least;
            if (n > 1)
                assert_int_equal(orbit, orbit_of[nq_symmetry(n, solution)]);
            nq_transform(1, n, solution, turned);
            assert_true(verify(n, turned));
            quarter += same(n, turned, solution);
            nq_transform(2, n, solution, turned);
            point += same(n, turned, solution);
        }
        assert_int_equal(classes[1] + classes[2] + classes[4] + classes[8], facts_term("fundamental", n));
        assert_int_equal(point, facts_term("point_symmetric", n));
        assert_int_equal(quarter, facts_term("rot90_symmetric", n));
        const json_t *orbits = facts_entry("orbit_sizes", n);
        assert_true(orbits || n == 1);
        assert_int_equal(classes[1], n == 1);
        assert_int_equal(classes[2], orbits ? facts_get(orbits, "orbit2") : 0);
        assert_int_equal(classes[4], orbits ? facts_get(orbits, "orbit4") : 0);
        assert_int_equal(classes[8], orbits ? facts_get(orbits, "orbit8") : 0);
        free(solutions);
    }
}

/* Permutations that are no solutions have classes too: some are their own reflection. */
TEST(test_canonical_of_every_permutation)
{
    static const uint32_t factorial[] = {1, 1, 2, 6, 24, 120, 720};
    for (uint32_t n = 1; n <= 6; n++)
        for (uint32_t index = 0; index < factorial[n]; index++) {
            uint32_t columns[MAX_N], rest = index;
            for (uint32_t row = 0; row < n; row++) { /* insert the row at the place its digit says */
                uint32_t at = rest % (row + 1);
                rest /= row + 1;
                memmove(columns + at + 1, columns + at, (row - at) * sizeof *columns);
                columns[at] = row;
            }
            bool least;
            unsigned orbit = check_canonical(n, columns, &least);
            assert_true(orbit == 2 || orbit == 4 || orbit == 8 || (orbit == 1 && n == 1));
        }
    assert_int_equal(nq_canonical(0, NULL, NULL, NULL), 1);
}
