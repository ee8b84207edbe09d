/* test_kernels.c - tests of src/kernels: every kernel this machine supports against a naive recursion on squares, and
 * against the scalar one on more boards than that recursion has time for. */
/* CI builds: plain address */
#include "kernels/kernel.h"
#include "support/facts.h"
#include "support/stop_latency.h"

struct square {
    uint32_t row, column;
};

/* A board as squares, and queens on it: what a kernel sees as masks. The first `filled` queens stand in rows that are
 * not the board's, then come those of its first `depth` rows. */
struct problem {
    struct kernel_board board;
    uint32_t filled, depth;
    struct square queens[KERNEL_MAX_N];
};

static uint32_t full(uint32_t n)
{
    return n ? ~UINT32_C(0) >> (32 - n) : 0;
}

static bool has(uint32_t mask, uint32_t column)
{
    return mask >> column & 1;
}

static uint32_t apart(uint32_t a, uint32_t b)
{
    return a < b ? b - a : a - b;
}

static bool attack(struct square a, struct square b)
{
    return a.row == b.row || a.column == b.column || apart(a.row, b.row) == apart(a.column, b.column);
}

static bool attacked(const struct problem *problem, uint32_t queens, struct square square)
{
    for (uint32_t i = 0; i < queens; i++)
        if (attack(problem->queens[i], square))
            return true;
    return false;
}

/* Of the queens in the board's first rows. */
static uint32_t ties_of(const struct problem *problem, uint32_t depth)
{
    uint32_t ties = 0;
    for (uint32_t k = 0; k < depth; k++)
        ties += has(problem->board.tie[k], problem->queens[problem->filled + k].column);
    return ties;
}

static void naive_count(struct problem *problem, uint32_t depth, struct kernel_tally *tally)
{
    const struct kernel_board *board = &problem->board;
    const uint32_t queens = problem->filled + depth;
    if (depth == board->rows) {
        tally->solutions[ties_of(problem, depth)]++;
        return;
    }
    for (uint32_t column = 0; column < board->n; column++) {
        const struct square square = {board->row[depth], column};
        if (!has(board->allow[depth], column) || attacked(problem, queens, square))
            continue;
        problem->queens[queens] = square;
        tally->nodes++;
        naive_count(problem, depth + 1, tally);
    }
}

/* The masks of a problem's queens. Those of rows that are not the board's may show their diagonals or not. */
static struct kernel_prefix prefix_of(const struct problem *problem, bool all_diagonals)
{
    struct kernel_prefix prefix = {.depth = problem->depth, .ties = ties_of(problem, problem->depth)};
    for (uint32_t i = 0; i < problem->filled + problem->depth; i++) {
        const struct square queen = problem->queens[i];
        prefix.columns |= UINT32_C(1) << queen.column;
        if (i < problem->filled && !all_diagonals)
            continue;
        prefix.sums |= UINT64_C(1) << (queen.row + queen.column);
        prefix.differences |= UINT64_C(1) << (queen.column + problem->board.n - 1 - queen.row);
    }
    return prefix;
}

/* A kernel adds to its tally, and a stop flag that is not set changes nothing. The reference tries every free square; a
 * kernel looks ahead and may try fewer. */
static void check_problem(const struct kernel *kernel, struct problem *problem, const struct kernel_tally *expected)
{
    const atomic_bool go_on = false;
    for (int way = 0; way < 2; way++) {
        struct kernel_tally tally = {.solutions = {1000, 2000, 3000, 4000}, .nodes = 5000};
        const struct kernel_prefix prefix = prefix_of(problem, way);
        assert_int_equal(kernel->count(&problem->board, &prefix, way ? &go_on : NULL, &tally), NQ_OK);
        for (uint32_t ties = 0; ties <= KERNEL_MAX_TIES; ties++) {
            unsigned long long found = tally.solutions[ties] - UINT64_C(1000) * (ties + 1);
            if (found != expected->solutions[ties])
                fail_msg("%s, n=%u, %u rows, %u placed: %llu solutions with %u ties instead of %llu", kernel->name,
                         problem->board.n, problem->board.rows, problem->depth, found, ties,
                         (unsigned long long)expected->solutions[ties]);
        }
        assert_in_range(tally.nodes, 5000, 5000 + expected->nodes);
    }
}

/* Every supported kernel on one problem; returns how many solutions it has. */
static uint64_t check_kernels(struct problem *problem, uint64_t ties_seen[KERNEL_MAX_TIES + 1])
{
    struct kernel_tally expected = {0};
    uint64_t solutions = 0;
    naive_count(problem, problem->depth, &expected);
    for (const struct kernel *const *at = kernels; *at; at++)
        if ((*at)->supported())
            check_problem(*at, problem, &expected);
    for (uint32_t ties = 0; ties <= KERNEL_MAX_TIES; ties++) {
        solutions += expected.solutions[ties];
        ties_seen[ties] += expected.solutions[ties];
    }
    return solutions;
}

/* ---- Random boards ---- */

/* A random mask of n bits of which about `eighths` / 8 are set. */
static uint32_t random_mask(uint64_t *dice, uint32_t n, uint32_t eighths)
{
    uint32_t mask = 0;
    for (uint32_t column = 0; column < n; column++)
        mask |= (uint32_t)(facts_below(dice, 8) < eighths) << column;
    return mask;
}

enum order { INCREASING, OUTWARDS, SHUFFLED, ORDERS };

/* All rows of a board in some order; the first `filled` of a shuffle of them are left out, and returned in `queens`. */
static void order_rows(uint64_t *dice, struct problem *problem, uint32_t n, uint32_t filled, enum order order)
{
    uint32_t rows[KERNEL_MAX_N], missing = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t j = facts_below(dice, i + 1);
        rows[i] = rows[j];
        rows[j] = i;
    }
    *problem = (struct problem){.board = {.n = n, .rows = n - filled}, .filled = filled};
    for (uint32_t i = 0; i < filled; i++) {
        problem->queens[i].row = rows[i];
        missing |= UINT32_C(1) << rows[i];
    }
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t outwards = i % 2 ? n / 2 + (i + 1) / 2 : n / 2 - i / 2;
        const uint32_t row = order == SHUFFLED ? rows[i] : order == INCREASING ? i : outwards % n;
        if (!(missing >> row & 1))
            problem->board.row[k++] = row;
    }
}

/* Squares that the queens of rows which are not the board's attack are no longer allowed. */
static void close_lines(struct problem *problem)
{
    for (uint32_t k = 0; k < problem->board.rows; k++)
        for (uint32_t column = 0; column < problem->board.n; column++)
            if (attacked(problem, problem->filled, (struct square){problem->board.row[k], column}))
                problem->board.allow[k] &= ~(UINT32_C(1) << column);
}

/* Tie squares in at most as many rows as there may be ties; often in one of the last. */
static void add_ties(uint64_t *dice, struct problem *problem)
{
    const uint32_t rows = problem->board.rows;
    if (!rows)
        return;
    for (int i = 0; i < KERNEL_MAX_TIES; i++) {
        const uint32_t k = facts_below(dice, 3) ? facts_below(dice, rows) : rows - 1 - facts_below(dice, 2) % rows;
        problem->board.tie[k] = random_mask(dice, problem->board.n, 4);
    }
}

/* The queens of a solution, by row, into the rows that are filled and the board's first ones. */
static void place_queens(struct problem *problem, uint32_t depth, const uint32_t *columns)
{
    problem->depth = depth;
    for (uint32_t i = 0; i < problem->filled; i++)
        problem->queens[i].column = columns[problem->queens[i].row];
    for (uint32_t k = 0; k < depth; k++)
        problem->queens[problem->filled + k] = (struct square){problem->board.row[k], columns[problem->board.row[k]]};
}

/* Boards of up to 9 with random holes, rows in any order, some filled before, from a random number of rows of a
 * solution or of nothing. */
TEST(test_random_boards)
{
    uint64_t dice = 1, ties[KERNEL_MAX_TIES + 1] = {0}, with_solutions = 0, without = 0;
    for (uint32_t n = 1; n <= 9; n++) {
        size_t count;
        OWNED(free) uint32_t *solutions = facts_solutions(n, &count);
        for (int round = 0; round < 160; round++) {
            struct problem problem;
            const uint32_t eighths = 5 + facts_below(&dice, 4); /* of 8: some boards have every square */
            const bool placed = count && facts_below(&dice, 4);
            const uint32_t filled = placed && facts_below(&dice, 2) ? facts_below(&dice, n + 1) : 0;
            order_rows(&dice, &problem, n, filled, facts_below(&dice, ORDERS));
            for (uint32_t k = 0; k < problem.board.rows; k++)
                problem.board.allow[k] = random_mask(&dice, n, eighths);
            add_ties(&dice, &problem);
            if (placed)
                place_queens(&problem, facts_below(&dice, problem.board.rows + 1),
                             solutions + facts_below(&dice, (uint32_t)count) * (size_t)n);
            close_lines(&problem);
            if (check_kernels(&problem, ties))
                with_solutions++;
            else
                without++;
        }
    }
    assert_true(with_solutions > 250);
    assert_true(without > 250);
    for (uint32_t k = 0; k <= KERNEL_MAX_TIES; k++)
        assert_true(ties[k] > 100);
}

/* Boards of up to 32 with the squares of a solution and a few others in each row. */
TEST(test_large_sparse_boards)
{
    uint64_t dice = 2, ties[KERNEL_MAX_TIES + 1] = {0};
    for (uint32_t n = 10; n <= KERNEL_MAX_N; n++) {
        const json_t *first = facts_entry("lex_first", n);
        if (!first)
            continue;
        for (int round = 0; round < 12; round++) {
            struct problem problem;
            uint32_t solution[KERNEL_MAX_N];
            order_rows(&dice, &problem, n, facts_below(&dice, 2) * facts_below(&dice, 5), (enum order)(round % ORDERS));
            for (uint32_t row = 0; row < n; row++)
                solution[row] = (uint32_t)facts_at(json_object_get(first, "solution"), row) - 1;
            for (uint32_t k = 0; k < problem.board.rows; k++) {
                problem.board.allow[k] = UINT32_C(1) << solution[problem.board.row[k]];
                for (uint32_t more = facts_below(&dice, 4); more; more--)
                    problem.board.allow[k] |= UINT32_C(1) << facts_below(&dice, n);
            }
            add_ties(&dice, &problem);
            place_queens(&problem, facts_below(&dice, 8), solution);
            close_lines(&problem);
            assert_true(check_kernels(&problem, ties) > 0);
        }
    }
}

/* ---- Open boards ---- */

static void open_board(struct problem *problem, uint32_t n, enum order order)
{
    uint64_t dice = n;
    order_rows(&dice, problem, n, 0, order);
    for (uint32_t k = 0; k < n; k++)
        problem->board.allow[k] = full(n);
}

/* All rows hold queens already: one solution, with the ties it brought along; and a board without squares. */
TEST(test_nothing_left_to_do)
{
    static const uint32_t columns[] = {1, 3, 0, 2};
    uint64_t ties[KERNEL_MAX_TIES + 1] = {0};
    struct problem problem = {.board.n = 1};
    assert_int_equal(check_kernels(&problem, ties), 1);
    for (uint32_t tie_rows = 0; tie_rows <= KERNEL_MAX_TIES; tie_rows++) {
        open_board(&problem, 4, OUTWARDS);
        for (uint32_t k = 0; k < tie_rows; k++)
            problem.board.tie[k] = full(4);
        place_queens(&problem, 4, columns);
        assert_int_equal(check_kernels(&problem, ties), 1);
        problem.depth = 0;
        memset(problem.board.allow, 0, sizeof problem.board.allow);
        assert_int_equal(check_kernels(&problem, ties), 0);
    }
}

/* ---- Against the scalar kernel ---- */

/* Queens at random in the first rows, until `left` rows are left or one has no square. */
static struct kernel_prefix random_descent(uint64_t *dice, const struct kernel_board *board, uint32_t left)
{
    struct kernel_prefix prefix = {.columns = full(board->n) & ~full(board->rows)}; /* as if rows were filled */
    while (board->rows - prefix.depth > left) {
        uint32_t free = kernel_free(board, &prefix, prefix.depth);
        if (!free)
            break;
        for (uint32_t skip = facts_below(dice, (uint32_t)__builtin_popcount(free)); skip; skip--)
            free &= free - 1;
        prefix = kernel_place(board, &prefix, free & -free);
    }
    return prefix;
}

/* The same, but rarely a dead end. */
static struct kernel_prefix random_prefix(uint64_t *dice, const struct kernel_board *board, uint32_t left)
{
    struct kernel_prefix prefix = random_descent(dice, board, left);
    for (int attempts = 0; attempts < 8 && prefix.depth < board->rows; attempts++) {
        if (kernel_free(board, &prefix, prefix.depth))
            break;
        prefix = random_descent(dice, board, left);
    }
    return prefix;
}

/* A board of 5 to `most` with all sorts of masks, and a prefix that leaves about `left` rows. */
static struct kernel_prefix random_unit(uint64_t *dice, struct problem *problem, uint32_t most, uint32_t left)
{
    const uint32_t n = 5 + facts_below(dice, most - 4), filled = facts_below(dice, 4) ? 0 : facts_below(dice, 4);
    const uint32_t holes = facts_below(dice, 4);
    order_rows(dice, problem, n, filled, n > 20 ? INCREASING : facts_below(dice, ORDERS));
    for (uint32_t k = 0; k < problem->board.rows; k++) {
        uint32_t mask = full(n);
        for (uint32_t hole = 0; hole < holes; hole++)
            mask &= ~(UINT32_C(1) << facts_below(dice, n));
        problem->board.allow[k] = mask;
    }
    add_ties(dice, problem);
    return random_prefix(dice, &problem->board, left);
}

/* The same solutions, and the same placements tried; but from 18 to 20 the vector kernels overlook some diagonals when
 * they look ahead. */
static void compare(const struct problem *problem, const struct kernel_prefix *prefix, uint64_t *solutions)
{
    struct kernel_tally expected = {0};
    const struct kernel *scalar = kernel_find("scalar");
    const bool overlooks = problem->board.n >= 18 && problem->board.n <= 20;
    assert_int_equal(scalar->count(&problem->board, prefix, NULL, &expected), NQ_OK);
    for (const struct kernel *const *at = kernels; *at; at++) {
        struct kernel_tally tally = {0};
        if (*at == scalar || !(*at)->supported())
            continue;
        assert_int_equal((*at)->count(&problem->board, prefix, NULL, &tally), NQ_OK);
        if (memcmp(tally.solutions, expected.solutions, sizeof tally.solutions) != 0 || tally.nodes < expected.nodes ||
            tally.nodes > (overlooks ? 2 * expected.nodes + 100 : expected.nodes))
            fail_msg("%s, n=%u, %u rows, %u placed: not what scalar finds", (*at)->name, problem->board.n,
                     problem->board.rows, prefix->depth);
    }
    for (uint32_t ties = 0; ties <= KERNEL_MAX_TIES; ties++)
        *solutions += expected.solutions[ties];
}

/* Mostly with few rows left, where all the special cases are; NQ_LONG=1 makes it a million. */
TEST(test_against_scalar)
{
    const int units = getenv("NQ_LONG") ? 1000000 : 10000;
    uint64_t dice = 3, solutions = 0;
    for (int i = 0; i < units; i++) {
        struct problem problem;
        const bool larger = i % 64 == 0;
        const uint32_t left = larger ? 10 + facts_below(&dice, 4) : 2 + facts_below(&dice, 8);
        const struct kernel_prefix prefix = random_unit(&dice, &problem, i % 8 ? 20 : 30, left);
        compare(&problem, &prefix, &solutions);
    }
    assert_true(solutions > (uint64_t)units / 8);
}

/* ---- Stopping ---- */

TEST(test_stop_before)
{
    const struct kernel_prefix nothing = {0};
    const atomic_bool stop = true;
    struct problem problem;
    open_board(&problem, 16, OUTWARDS); /* seconds, if it did not stop */
    for (const struct kernel *const *at = kernels; *at; at++) {
        struct kernel_tally tally = {0};
        if ((*at)->supported())
            assert_int_equal((*at)->count(&problem.board, &nothing, &stop, &tally), NQ_CANCELLED);
    }
}

struct counted {
    const struct kernel *kernel;
    const struct kernel_board *board;
};

static enum nq_status count_all(void *of, const atomic_bool *stop)
{
    const struct counted *counted = of;
    const struct kernel_prefix nothing = {0};
    struct kernel_tally tally = {0};
    return counted->kernel->count(counted->board, &nothing, stop, &tally);
}

TEST(test_stop_while_counting)
{
    static const struct {
        uint32_t n;
        enum order order;
    } cases[] = {{24, INCREASING}, {24, SHUFFLED}, {20, OUTWARDS}, {19, INCREASING}, {17, SHUFFLED}};
    for (const struct kernel *const *at = kernels; *at; at++)
        for (size_t i = 0; (*at)->supported() && i < sizeof cases / sizeof *cases; i++) {
            struct problem problem;
            open_board(&problem, cases[i].n, cases[i].order);
            stop_latency_check(count_all, &(struct counted){*at, &problem.board}, 30, 100);
        }
}

TEST(test_find)
{
    const struct kernel *best = NULL, *last = NULL;
    for (const struct kernel *const *at = kernels; *at; at++) {
        assert_ptr_equal(kernel_find((*at)->name), (*at)->supported() ? *at : NULL);
        best = best || !(*at)->supported() ? best : *at;
        last = *at;
    }
    assert_ptr_equal(kernel_find("auto"), best);
    assert_ptr_equal(last, kernel_find("scalar"));
    assert_non_null(last);
    static const char *const unknown[] = {"", "Scalar", "scala", "scalar ", "AUTO"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_null(kernel_find(unknown[i]));
}
