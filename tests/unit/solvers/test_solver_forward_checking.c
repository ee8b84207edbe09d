/* test_solver_forward_checking.c - tests of src/solvers/solver_forward_checking.c on boards with regions: what it
 * lists, that its list may be cut anywhere, and that it looks ahead, against placements tried row by row. Boards
 * without regions, by every rule, are those of test_solvers_query.c. */
/* CI builds: address */
#include "solvers/solver.h"
#include "support/cursor_walk.h"
#include "support/painted_boards.h"

extern const struct rule rule_touching;

enum { MAX_N = 7, KEPT = 1000 };

static const struct cursor_settings settings = {.algorithm = "forward-checking"};

/* A query and all that it asks for. */
struct board {
    struct query query;
    size_t count;
    uint8_t solutions[KEPT * MAX_N];
};

static bool has_symmetry(uint32_t n, const uint8_t *columns, enum query_symmetry symmetry)
{
    for (uint32_t row = 0; row < n && symmetry != SYMMETRY_ANY; row++) {
        uint32_t r = row, c = columns[row];
        square_transform(symmetry == SYMMETRY_POINT ? 2 : 1, n, &r, &c);
        if (columns[r] != c)
            return false;
    }
    return true;
}

/* Keeps the solutions that a test of one more condition lets pass. */
static void sift(struct board *board, bool (*passes)(const struct board *board, const uint8_t *columns))
{
    const uint32_t n = board->query.filter.n;
    size_t kept = 0;
    for (size_t i = 0; i < board->count; i++)
        if (passes(board, board->solutions + i * n))
            memmove(board->solutions + kept++ * n, board->solutions + i * n, n);
    board->count = kept;
}

static bool symmetric(const struct board *board, const uint8_t *columns)
{
    return has_symmetry(board->query.filter.n, columns, board->query.symmetry);
}

static bool on_squares(const struct board *board, const uint8_t *columns)
{
    for (uint32_t row = 0; row < board->query.filter.n; row++)
        if (!filter_allows(&board->query.filter, row, columns[row]))
            return false;
    return true;
}

/* A random board, some squares of which have queens, those of a solution perhaps, or none. */
static void draw(uint64_t *dice, uint32_t n, enum query_symmetry symmetry, struct board *board)
{
    struct filter *filter = &board->query.filter;
    board->query = (struct query){.regions.n = n, .symmetry = symmetry};
    painted_random(dice, n, board->query.regions.of);
    if (symmetry != SYMMETRY_ANY) { /* columns, but for a few squares: many solutions have a symmetry */
        for (uint32_t square = 0; square < n * n; square++)
            board->query.regions.of[square] = (uint8_t)(square % n);
        for (uint32_t other = facts_below(dice, n); other > 0; other--)
            board->query.regions.of[n + facts_below(dice, n * (n - 1))] = (uint8_t)facts_below(dice, n);
    }
    regions_number(&board->query.regions);
    filter_begin(filter, n);
    filter->rule = &rule_touching;
    board->count = painted_solutions(n, board->query.regions.of, KEPT, KEPT, board->solutions);
    assert_true(board->count < KEPT);
    if (facts_below(dice, 2)) {
        const uint32_t row = facts_below(dice, n);
        const uint8_t *one = board->solutions + facts_below(dice, (uint32_t)board->count + !board->count) * n;
        filter_place(filter, row, board->count ? one[row] : facts_below(dice, n));
    }
    for (uint32_t crossed = facts_below(dice, n); crossed > 0; crossed--)
        filter_exclude(filter, facts_below(dice, n), facts_below(dice, n));
    sift(board, on_squares);
    sift(board, symmetric);
}

static struct nq_cursor *open_at(const struct board *board, const struct position *at)
{
    struct nq_cursor *cursor = NULL;
    assert_int_equal(cursor_open(&settings, &board->query, &cursor), NQ_OK);
    assert_int_equal(nq_cursor_seek(cursor, at->prefix, at->length), NQ_OK);
    return cursor;
}

/* The solutions, until the next call. */
static const uint32_t *wide(const struct board *board)
{
    static uint32_t solutions[KEPT * MAX_N];
    for (size_t i = 0; i < board->count * board->query.filter.n; i++)
        solutions[i] = board->solutions[i];
    return solutions;
}

/* Every call stops as soon as it may, and another cursor continues. */
static void check_walk(const struct board *board)
{
    walk_check(&settings, &board->query, wide(board), board->count, &(struct manner){.budget = 0, .fresh = true});
}

TEST(test_lists_and_positions)
{
    uint64_t dice = 1;
    size_t solutions = 0, symmetric_ones = 0;
    static struct board board;
    for (uint32_t round = 0; round < (200); round++) {
        const enum query_symmetry symmetry = (enum query_symmetry)(round / 4 % 5 > 2 ? 0 : round / 4 % 5);
        draw(&dice, 4 + round % 4, symmetry, &board);
        check_walk(&board);
        solutions += board.count;
        symmetric_ones += symmetry == SYMMETRY_ANY ? 0 : board.count;
    }
    assert_true(solutions > 100 && symmetric_ones > 5);
}

static bool stands(const struct query *query, uint32_t length, const uint32_t *prefix)
{
    const uint32_t n = query->filter.n, last = length - 1;
    const uint8_t *of = query->regions.of;
    bool alone = filter_allows(&query->filter, last, prefix[last]);
    for (uint32_t row = 0; row < last && alone; row++)
        alone = of[row * n + prefix[row]] != of[last * n + prefix[last]] &&
                !rule_attack(&rule_touching, n, row, prefix[row], last, prefix[last]);
    return alone;
}

TEST(test_seek_every_prefix)
{
    uint64_t dice = 2;
    static struct board board;
    for (uint32_t round = 0; round < (20); round++) {
        draw(&dice, 4 + round % 3, SYMMETRY_ANY, &board);
        filter_begin(&board.query.filter, board.query.filter.n);
        board.query.filter.rule = &rule_touching;
        board.count = painted_solutions(board.query.filter.n, board.query.regions.of, KEPT, KEPT, board.solutions);
        walk_seek_check(&settings, &board.query, wide(&board), board.count, stands, NULL);
    }
}

/* ---- Steps ---- */

/* The fewest free squares of a row, column or region without a queen. */
static uint32_t fewest_free(uint32_t n, const uint8_t *of, const uint32_t *columns)
{
    uint32_t free[3][MAX_N] = {{0}}, fewest = n;
    bool filled[3][MAX_N] = {{false}};
    for (uint32_t row = 0; row < n; row++)
        if (columns[row] != NOWHERE)
            filled[0][row] = filled[1][columns[row]] = filled[2][of[row * n + columns[row]]] = true;
    for (uint32_t square = 0; square < n * n; square++) {
        bool attacked = filled[0][square / n] || filled[2][of[square]];
        for (uint32_t row = 0; row < n && !attacked; row++)
            attacked =
                columns[row] != NOWHERE && rule_attack(&rule_touching, n, row, columns[row], square / n, square % n);
        free[0][square / n] += !attacked;
        free[1][square % n] += !attacked;
        free[2][of[square]] += !attacked;
    }
    for (unsigned kind = 0; kind < 3; kind++)
        for (uint32_t i = 0; i < n; i++)
            if (!filled[kind][i] && free[kind][i] < fewest)
                fewest = free[kind][i];
    return fewest;
}

/* Whether the queens of the rows above stand, and none below: without a single square, it goes row by row. */
static bool in_order(uint32_t n, const uint32_t *columns, uint32_t at)
{
    for (uint32_t row = 0; row < at; row++)
        if (columns[row] == NOWHERE)
            return false;
    return at < n && columns[at] == NOWHERE;
}

/* It never places a queen where some row, column or region cannot have one any more. Its steps are those of the cursor,
 * which counts them. */
TEST(test_it_looks_ahead)
{
    uint64_t dice = 3;
    static struct board board;
    const struct machine_class *class = solver_find(settings.algorithm)->machine;
    size_t forced = 0, chosen = 0;
    for (uint32_t round = 0; round < 100; round++) {
        const uint32_t n = 4 + round % 4;
        draw(&dice, n, SYMMETRY_ANY, &board);
        const struct regions *regions = &board.query.regions;
        const struct machine_settings machine = {.n = n, .rule = &rule_touching, .regions = regions};
        struct stats stats = {0};
        struct step step;
        void *running;
        uint32_t columns[NQ_SEARCH_MAX_N], after[NQ_SEARCH_MAX_N];
        for (uint32_t row = 0; row < n; row++)
            columns[row] = NOWHERE;
        assert_int_equal(machine_open(class, &machine, &running), NQ_OK);
        while (class->step(running, &step) == NQ_OK) {
            stats_add(&stats, &step);
            if (step.kind == STEP_PLACE) {
                const uint32_t fewest = fewest_free(n, regions->of, columns);
                assert_true(fewest > 0 && (fewest == 1 || in_order(n, columns, step.row)));
                forced += fewest == 1;
                chosen += fewest > 1;
            }
            if (step.kind != STEP_SOLUTION)
                columns[step.row] = step.kind == STEP_PLACE ? step.column : NOWHERE;
            class->board(running, after);
            assert_memory_equal(after, columns, n * sizeof *after);
        }
        class->close(running);
        filter_begin(&board.query.filter, n);
        board.query.filter.rule = &rule_touching;
        OWNED(nq_cursor_close) struct nq_cursor *cursor = open_at(&board, &(struct position){0});
        uint64_t plenty = UINT64_MAX, found = 0;
        while (nq_cursor_next(cursor, &plenty, after) == NQ_OK)
            found++;
        assert_int_equal(found, painted_solutions(n, regions->of, KEPT, 0, NULL));
        assert_memory_equal(cursor_stats(cursor), &stats, sizeof stats);
    }
    assert_true(forced > 100 && chosen > 100);
}

/* Others do not know regions. */
TEST(test_who_lists_regions)
{
    static struct board board;
    uint64_t dice = 4;
    draw(&dice, 5, SYMMETRY_ANY, &board);
    for (const struct solver *const *at = solvers; *at; at++) {
        OWNED(nq_cursor_close) struct nq_cursor *cursor = NULL;
        const struct cursor_settings other = {.algorithm = (*at)->name};
        assert_int_equal(cursor_open(&other, &board.query, &cursor), (*at)->by_regions ? NQ_OK : NQ_INVALID);
    }
    assert_string_equal(solver_by_regions()->name, settings.algorithm);
}
