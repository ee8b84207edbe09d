/* test_techniques.c - tests of the techniques of src/puzzles: none crosses a square of a solution, none does nothing,
 * and together they solve every board with one solution, and no other. NQ_LONG: every painting of n = 5 and 10 000
 * boards of n = 6, some ten minutes. */
/* CI builds: address */
#include "puzzles/technique.h"

#include "support/painted_boards.h"
#include "support/sanitizer.h"

extern const struct rule rule_touching, rule_queens;

enum { SOLUTIONS = 92, LARGEST = 8 };

struct board {
    uint32_t n;
    struct grid *grid;
    const uint8_t *of;
    size_t count;
    uint8_t solutions[(SOLUTIONS + 1) * LARGEST];
    uint64_t found[GRADE_TECHNIQUES]; /* steps of each technique, of all boards */
    bool all;                         /* every technique is tried in every position */
};

/* Nothing is crossed that is in a solution, and a queen is in all of them; squares that it rests on are free, those it
 * crosses, too. */
static void check_finding(const struct board *board, const struct position *position, const struct finding *finding)
{
    const uint32_t n = board->n;
    uint64_t crossed = 0;
    for (size_t i = 0; i < board->count; i++)
        for (uint32_t row = 0; row < n; row++) {
            const uint32_t square = row * n + board->solutions[i * n + row];
            if (finding->cross[square / 64] >> square % 64 & 1)
                fail_msg("%s crosses square %u of a solution", finding->by->name, (unsigned)square);
            if (finding->queen / n == row && finding->queen != square)
                fail_msg("%s places a queen that is in no solution", finding->by->name);
        }
    for (uint32_t i = 0; i < board->grid->words; i++) {
        assert_int_equal(finding->cross[i] & ~position->free[i], 0);
        assert_int_equal(finding->squares[i] & ~position->free[i], 0);
        crossed |= finding->cross[i];
    }
    assert_true(finding->queen == GRID_NOWHERE ? crossed != 0 : position_free(position, finding->queen));
    assert_true(finding->groups > 0);
}

/* The path with all techniques; or in every position of it, each of them. */
static void check_path(struct board *board, struct position position)
{
    struct finding finding;
    while (!position_solved(board->grid, &position)) {
        for (size_t i = 0; i < GRADE_TECHNIQUES && board->all; i++) {
            finding_begin(board->grid, &finding);
            finding.by = techniques[i];
            if (techniques[i]->find(board->grid, &position, &finding, NULL))
                check_finding(board, &position, &finding);
        }
        if (!finding_next(board->grid, &position, GRADE_TECHNIQUES, &finding, NULL))
            break;
        check_finding(board, &position, &finding);
        for (size_t i = 0; i < GRADE_TECHNIQUES; i++)
            board->found[i] += techniques[i] == finding.by;
        finding_apply(board->grid, &position, &finding);
    }
    assert_int_equal(position_solved(board->grid, &position), board->count == 1);
}

static void check_board(void *context, const uint8_t *of)
{
    struct board *board = context;
    struct position position;
    board->count = painted_solutions(board->n, of, SOLUTIONS, SOLUTIONS, board->solutions);
    grid_paint(board->grid, of);
    position_begin(board->grid, &position);
    check_path(board, position);
}

static struct board board_of(const struct rule *rule, uint32_t n, bool all)
{
    struct board board = {.n = n, .grid = grid_new(rule, n, NULL), .all = all};
    assert_non_null(board.grid);
    return board;
}

/* Counted by a search that follows the parts of regions along a frontier. */
TEST(test_every_painting)
{
    static const uint64_t paintings[] = {[4] = 62741, [5] = 72137699};
    for (uint32_t n = 4; n <= (getenv("NQ_LONG") && !SANITIZED ? 5 : 4); n++) {
        struct board board = board_of(&rule_touching, n, n == 4);
        assert_int_equal(painted_each(n, getenv("NQ_LONG") ? 1 : 50, check_board, &board), paintings[n]);
        assert_true(board.found[0] && board.found[1] && board.found[2]);
        grid_free(board.grid);
    }
}

TEST(test_random_boards)
{
    const uint32_t rounds = getenv("NQ_LONG") ? 10000 : 150;
    for (uint32_t n = 5; n <= 6; n++) {
        struct board board = board_of(&rule_touching, n, true);
        uint64_t dice = n;
        for (uint32_t round = 0; round < rounds; round++) {
            uint8_t of[PAINTED_SQUARES];
            painted_random(&dice, n, of);
            check_board(&board, of);
        }
        grid_free(board.grid);
    }
}

/* Puzzles without regions: queens to be completed, by the rule of queens. */
TEST(test_completion_puzzles)
{
    uint64_t dice = 1, unique = 0;
    size_t all;
    struct board board = board_of(&rule_queens, LARGEST, true);
    uint32_t *solutions = facts_solutions(LARGEST, &all);
    for (uint32_t round = 0; round < 60; round++) {
        const uint32_t *chosen = solutions + (size_t)facts_below(&dice, (uint32_t)all) * LARGEST;
        const uint64_t clues = facts_word(&dice, LARGEST, 30);
        struct position position;
        position_begin(board.grid, &position);
        board.count = 0;
        for (uint32_t row = 0; row < LARGEST; row++)
            if (clues >> row & 1)
                assert_true(position_place(board.grid, &position, row * LARGEST + chosen[row]));
        for (size_t i = 0; i < all; i++) {
            bool fits = true;
            for (uint32_t row = 0; row < LARGEST; row++) {
                board.solutions[board.count * LARGEST + row] = (uint8_t)solutions[i * LARGEST + row];
                fits &= !(clues >> row & 1) || solutions[i * LARGEST + row] == chosen[row];
            }
            board.count += fits;
        }
        unique += board.count == 1;
        check_path(&board, position);
    }
    assert_true(unique > 20 && board.found[0] && board.found[2]);
    free(solutions);
    grid_free(board.grid);
}

/* Before a step, and within the techniques that take long. */
TEST(test_stop)
{
    enum { N = 20 };
    uint8_t of[PAINTED_SQUARES];
    uint64_t dice = 1;
    atomic_bool stop = true;
    struct position position;
    struct finding finding;
    struct grid *grid = grid_new(&rule_touching, N, NULL);
    assert_non_null(grid);
    painted_random(&dice, N, of);
    grid_paint(grid, of);
    position_begin(grid, &position);
    const struct grade grade = grade_position(grid, &position, GRADE_TECHNIQUES, &stop);
    assert_true(!grade.solved && !grade.hardest);
    for (size_t i = 0; i < GRADE_TECHNIQUES; i++)
        if (techniques[i]->sized && techniques[i]->level == LEVEL_EXPERT) {
            finding_begin(grid, &finding);
            finding.by = techniques[i];
            assert_false(techniques[i]->find(grid, &position, &finding, &stop));
        }
    grid_free(grid);
}

/* Regions that are rows, or columns: any of them lie in as many rows, and cross nothing. There are 2^20 such sets. */
TEST(test_sets_that_cross_nothing)
{
    enum { N = 20 };
    uint8_t of[N * N];
    struct position position;
    struct grid *grid = grid_new(&rule_touching, N, NULL);
    assert_non_null(grid);
    for (int by_column = 0; by_column < 2; by_column++) {
        for (uint32_t square = 0; square < N * N; square++)
            of[square] = (uint8_t)(by_column ? square % N : square / N);
        grid_paint(grid, of);
        position_begin(grid, &position);
        assert_null(grade_position(grid, &position, GRADE_TECHNIQUES, NULL).hardest);
    }
    grid_free(grid);
}

TEST(test_table)
{
    for (size_t i = 0; i < GRADE_TECHNIQUES; i++) {
        assert_non_null(techniques[i]);
        assert_true(i == 0 || techniques[i]->level >= techniques[i - 1]->level);
        assert_true(i == 0 || techniques[i]->weight > techniques[i - 1]->weight || techniques[i]->more);
    }
    assert_null(techniques[GRADE_TECHNIQUES]);
    assert_string_equal(level_name(LEVEL_EXPERT), "expert");
    assert_null(level_name(LEVELS));
}
