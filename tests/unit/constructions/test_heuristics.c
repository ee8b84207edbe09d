/* test_heuristics.c - tests of hill climbing, annealing and the genetic algorithm in src/constructions: every step
 * against a board on which each queen looks at each other one. That they come to solutions is said by
 * test_constructions.c. */
/* CI builds: address */
#include <nqueens.h>

#include "constructions/construction.h"
#include "support/facts.h"

enum { MAX_N = 64, SIDEWAYS = 100, POPULATION = 20 };

/* Queens of other rows that attack a square. */
static int64_t attackers(uint32_t n, const uint32_t *board, uint32_t row, uint32_t column)
{
    int64_t count = 0;
    for (uint32_t other = 0; other < n; other++)
        count += other != row && nq_attack(other, board[other], row, column);
    return count;
}

static int64_t pairs_of(uint32_t n, const uint32_t *board)
{
    int64_t twice = 0;
    for (uint32_t row = 0; row < n; row++)
        twice += attackers(n, board, row, board[row]);
    return twice / 2;
}

/* The fewest pairs that a move of one queen leaves. */
static int64_t best_neighbour(uint32_t n, const uint32_t *board)
{
    const int64_t pairs = pairs_of(n, board);
    int64_t best = INT64_MAX;
    for (uint32_t row = 0; row < n; row++)
        for (uint32_t column = 0; column < n; column++) {
            const int64_t left = pairs - attackers(n, board, row, board[row]) + attackers(n, board, row, column);
            if (column != board[row] && left < best)
                best = left;
        }
    return best;
}

struct run {
    const struct machine_class *class;
    void *machine;
    uint32_t n, board[MAX_N], before[MAX_N];
    int64_t energy; /* of the board before */
    struct step step;
    uint64_t steps;
};

static struct run run_open(const char *name, uint32_t n, uint64_t seed)
{
    const struct machine_settings settings = {.n = n, .rule = rules[0], .seed = seed};
    struct run run = {.class = construction_find(name)->machine, .n = n};
    assert_int_equal(machine_open(run.class, &settings, &run.machine), NQ_OK);
    run.class->board(run.machine, run.board);
    return run;
}

/* False: it has ended. */
static bool run_step(struct run *run)
{
    memcpy(run->before, run->board, sizeof run->before);
    run->energy = run->step.energy;
    if (run->class->step(run->machine, &run->step) != NQ_OK)
        return false;
    run->class->board(run->machine, run->board);
    run->steps++;
    assert_true(run->step.has_energy && !run->step.thousandths);
    assert_int_equal(run->step.energy, pairs_of(run->n, run->board));
    assert_int_equal(run->step.depth, run->n);
    if (run->step.kind == STEP_SOLUTION)
        assert_int_equal(run->step.energy, 0);
    return true;
}

static void run_close(struct run *run)
{
    run->class->close(run->machine);
}

/* Always the best move; a new start where all are worse, or after a hundred that made nothing better. */
TEST(test_hill_climbing)
{
    uint64_t level = 0, starts = 0;
    for (uint32_t n = 4; n <= 20; n++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            struct run run = run_open("hill-climbing", n, seed);
            uint32_t sideways = 0;
            while (run_step(&run)) {
                if (run.step.kind == STEP_MOVE) {
                    assert_int_equal(run.step.energy, best_neighbour(n, run.before));
                    assert_true(run.step.energy <= run.energy);
                    sideways = run.step.energy == run.energy ? sideways + 1 : 0;
                    assert_true(sideways <= SIDEWAYS);
                } else if (run.step.kind == STEP_TAKE && run.steps > 1) {
                    const bool worse = best_neighbour(n, run.before) > run.energy;
                    level += !worse;
                    assert_true(worse || sideways == SIDEWAYS);
                    sideways = 0;
                    starts++;
                }
            }
            run_close(&run);
        }
    assert_true(level > 0 && starts > level);
}

/* Nothing that makes it better is rejected, and of moves by one pair the more the hotter it is. */
TEST(test_annealing)
{
    uint64_t worse[2] = {0}, done[2] = {0}; /* by the half of the moves since a start */
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct run run = run_open("annealing", 10, seed);
        uint64_t moves = 0;
        while (run_step(&run)) {
            const uint32_t row = run.step.row;
            const bool late = moves++ > 1600;
            if (run.step.kind == STEP_TAKE) {
                moves = 0;
            } else if (run.step.kind == STEP_REJECT) {
                assert_int_equal(run.step.energy, run.energy);
                assert_true(run.step.column != run.board[row]);
                const int64_t rise =
                    attackers(10, run.board, row, run.step.column) - attackers(10, run.board, row, run.board[row]);
                assert_true(rise > 0);
                worse[late] += rise == 1;
            } else if (run.step.kind == STEP_MOVE) {
                worse[late] += run.step.energy == run.energy + 1;
                done[late] += run.step.energy == run.energy + 1;
            }
        }
        run_close(&run);
    }
    assert_true(worse[0] > 1000 && worse[1] > 1000);
    /* e^-1 where it begins and e^-2.7 after 1600 moves; e^-8 in the end */
    const double early = (double)done[0] / (double)worse[0], late = (double)done[1] / (double)worse[1];
    assert_true(early > 0.1 && early < 0.37);
    assert_true(late > 0.0003 && late < 0.07);
}

/* Whether a board has, but for one row, the upper rows of one of these and the lower rows of one. */
static bool is_child(uint32_t n, const uint32_t *board, uint32_t parents[][MAX_N])
{
    for (uint32_t cut = 0; cut < n; cut++) {
        uint32_t above = UINT32_MAX, below = UINT32_MAX;
        for (uint32_t p = 0; p < POPULATION; p++) {
            uint32_t up = 0, down = 0;
            for (uint32_t row = 0; row < n; row++)
                *(row < cut ? &up : &down) += board[row] != parents[p][row];
            above = up < above ? up : above;
            below = down < below ? down : below;
        }
        if (above + below <= 1)
            return true;
    }
    return false;
}

TEST(test_genetic)
{
    static uint32_t generations[2][POPULATION][MAX_N];
    uint64_t children = 0, starts = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct run run = run_open("genetic", 8, seed);
        for (uint64_t born = 0; run_step(&run) && run.step.kind == STEP_TAKE; born++) {
            const uint64_t generation = born / POPULATION;
            memcpy(generations[generation % 2][born % POPULATION], run.board, sizeof run.board);
            if (generation % 101 == 0) { /* at random */
                starts += born % POPULATION == 0;
                continue;
            }
            assert_true(is_child(8, run.board, generations[(generation + 1) % 2]));
            assert_int_equal(run.step.states, POPULATION);
            children++;
        }
        run_close(&run);
    }
    assert_true(children > 10000 && starts > 20);
}

/* What a seed gave once it gives for ever, on every machine. */
TEST(test_frozen)
{
    static const struct {
        const char *name;
        uint64_t steps;
        uint32_t columns[8];
    } rows[] = {
        {"hill-climbing", 5, {7, 1, 4, 2, 0, 6, 3, 5}},
        {"annealing", 2450, {5, 3, 1, 7, 4, 6, 0, 2}},
        {"genetic", 3766, {5, 2, 6, 3, 0, 7, 1, 4}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run run = run_open(rows[i].name, 8, 1);
        while (run_step(&run)) {
        }
        assert_int_equal(run.steps, rows[i].steps);
        assert_memory_equal(run.board, rows[i].columns, sizeof rows[i].columns);
        run_close(&run);
    }
}
