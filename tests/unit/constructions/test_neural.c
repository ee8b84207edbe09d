/* test_neural.c - tests of src/constructions/construction_neural.c: every step against a board of its own and against
 * the rule by which a neuron fires, looked at square by square. That it comes to a solution on every board that has one
 * is said by test_constructions.c. */
/* CI builds: address */
#include <nqueens.h>

#include "constructions/construction.h"
#include "support/facts.h"

enum {
    PATIENCE = 30, /* sweeps without a new lowest energy, as construction_neural.c says */
    NEURAL_MAX_N = 500,
    MANY = 100 * 1000 /* steps; a solution takes a few thousand at most */
};

static const struct machine_class *machine(void)
{
    return construction_find("neural")->machine;
}

/* A machine, and what the test knows of it. */
struct watch {
    void *machine;
    uint32_t n;
    bool thorough; /* each square of each updated row is looked at: O(n^2) a row */
    uint32_t board[NEURAL_MAX_N];
    struct step step;   /* the last one */
    uint64_t steps;     /* so many */
    uint32_t next_row;  /* to be updated */
    uint32_t vain;      /* rows updated since a new lowest energy */
    int64_t lowest;     /* since the last start */
    uint64_t stable;    /* starts after stable states */
    uint64_t impatient; /* other starts but the first */
    uint64_t chosen[2]; /* how often the left, the right of two squares that are as good */
};

static struct watch *watch_open(uint32_t n, uint64_t seed)
{
    const struct machine_settings settings = {.n = n, .rule = rules[0], .seed = seed};
    struct watch *watch = calloc(1, sizeof *watch);
    assert_non_null(watch);
    assert_int_equal(machine_open(machine(), &settings, &watch->machine), NQ_OK);
    watch->n = n;
    memset(watch->board, 0xff, sizeof watch->board);
    return watch;
}

static void watch_close(struct watch *watch)
{
    machine()->close(watch->machine);
    free(watch);
}

/* Queens of other rows that attack a square, by asking each of them. */
static uint32_t attackers(const struct watch *watch, uint32_t row, uint32_t column)
{
    uint32_t count = 0;
    for (uint32_t other = 0; other < watch->n; other++) {
        const uint32_t rows = other < row ? row - other : other - row, at = watch->board[other];
        count += rows && (at == column || at + rows == column || at == column + rows);
    }
    return count;
}

/* Pairs that attack each other: each is found from either side. */
static int64_t energy_of(const struct watch *watch)
{
    int64_t twice = 0;
    for (uint32_t row = 0; row < watch->n; row++)
        twice += attackers(watch, row, watch->board[row]);
    return twice / 2;
}

/* The row's queen stands where it is attacked by fewer than on any other square. */
static bool settled(const struct watch *watch, uint32_t row)
{
    const uint32_t own = attackers(watch, row, watch->board[row]);
    for (uint32_t column = 0; column < watch->n; column++)
        if (column != watch->board[row] && attackers(watch, row, column) <= own)
            return false;
    return true;
}

/* The queen goes to a square where it is attacked by as few as anywhere in its row. When there are two of them, it is
 * noted which. */
static void check_choice(struct watch *watch, uint32_t row, uint32_t to)
{
    const uint32_t there = attackers(watch, row, to);
    uint32_t as_good = 0, left = 0;
    for (uint32_t column = 0; column < watch->n; column++) {
        const uint32_t attacked = attackers(watch, row, column);
        assert_true(attacked >= there);
        as_good += attacked == there && column != watch->board[row];
        left += attacked == there && column != watch->board[row] && column < to;
    }
    if (as_good == 2)
        watch->chosen[left]++;
}

/* `count` rows were updated, of which the last one changed if `moved`; the others had but one best neuron. */
static void check_rows(struct watch *watch, uint32_t count, bool moved)
{
    for (uint32_t i = 0; i < count; i++) {
        if (watch->thorough && (i + 1 < count || !moved))
            assert_true(settled(watch, watch->next_row));
        if (i + 1 < count || !moved)
            watch->next_row = (watch->next_row + 1) % watch->n;
    }
    watch->vain += count;
    assert_true(watch->vain <= PATIENCE * watch->n);
}

static void check_take(struct watch *watch)
{
    const uint32_t updated = watch->step.tests / watch->n;
    if (watch->steps == 1) {
        assert_int_equal(updated, 0);
    } else {
        assert_true(watch->lowest > 0);
        check_rows(watch, updated, false);
        const bool stable = updated == watch->n;
        if (!stable)
            assert_int_equal(watch->vain, PATIENCE * watch->n);
        watch->stable += stable;
        watch->impatient += !stable;
    }
    assert_int_equal(watch->step.row, NOWHERE);
    assert_int_equal(watch->step.column, NOWHERE);
    machine()->board(watch->machine, watch->board);
    for (uint32_t row = 0; row < watch->n; row++)
        assert_in_range(watch->board[row], 0, watch->n - 1);
    watch->next_row = 0;
    watch->vain = 0;
    watch->lowest = watch->step.energy;
}

static void check_move(struct watch *watch, int64_t before)
{
    const struct step *step = &watch->step;
    assert_true(step->tests >= watch->n);
    check_rows(watch, step->tests / watch->n, true);
    assert_int_equal(step->row, watch->next_row);
    assert_in_range(step->column, 0, watch->n - 1);
    assert_int_not_equal(step->column, watch->board[step->row]);
    if (watch->thorough)
        check_choice(watch, step->row, step->column);
    watch->board[step->row] = step->column;
    watch->next_row = (step->row + 1) % watch->n;
    assert_true(step->energy <= before);
    if (step->energy < watch->lowest) {
        watch->lowest = step->energy;
        watch->vain = 0;
    }
}

static void check_board(const struct watch *watch)
{
    uint32_t columns[NEURAL_MAX_N + 1];
    columns[watch->n] = 0xabcdef;
    machine()->board(watch->machine, columns);
    assert_memory_equal(columns, watch->board, watch->n * sizeof *columns);
    assert_int_equal(columns[watch->n], 0xabcdef);
}

/* Does a step and checks it; false: it was the solution. */
static bool watch_step(struct watch *watch)
{
    const int64_t before = watch->step.energy;
    struct step *step = &watch->step;
    assert_int_equal(machine()->step(watch->machine, step), NQ_OK);
    assert_true(++watch->steps < MANY);
    assert_int_equal(step->by, NOWHERE);
    assert_int_equal(step->depth, watch->n);
    assert_int_equal(step->states, 1);
    assert_true(step->has_energy);
    assert_false(step->settled);
    assert_int_equal(step->tests % watch->n, 0);
    assert_true(step->tests <= watch->n * watch->n);
    if (watch->steps == 1)
        assert_int_equal(step->kind, STEP_TAKE);
    else
        assert_int_equal(step->kind == STEP_SOLUTION, before == 0); /* at once, and not before */
    if (step->kind == STEP_TAKE)
        check_take(watch);
    else if (step->kind == STEP_MOVE)
        check_move(watch, before);
    else
        assert_int_equal(step->energy, 0);
    check_board(watch);
    if (watch->thorough || step->kind != STEP_MOVE)
        assert_int_equal(step->energy, energy_of(watch));
    return step->kind != STEP_SOLUTION;
}

/* Nothing follows a solution, and it stays on the board. */
static void check_solution(struct watch *watch)
{
    struct step none;
    assert_int_equal(watch->step.row, NOWHERE);
    assert_int_equal(watch->step.column, NOWHERE);
    assert_int_equal(watch->step.tests, 0);
    assert_true(facts_peaceful(watch->n, watch->board));
    for (int again = 0; again < 3; again++)
        assert_int_equal(machine()->step(watch->machine, &none), NQ_END);
    check_board(watch);
}

static struct watch *run(uint32_t n, uint64_t seed)
{
    struct watch *watch = watch_open(n, seed);
    watch->thorough = true;
    check_board(watch); /* before the first step there is nothing on it */
    while (watch_step(watch))
        ;
    check_solution(watch);
    return watch;
}

TEST(test_every_step)
{
    uint64_t left = 0, right = 0;
    for (uint32_t n = 4; n <= 20; n++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            struct watch *watch = run(n, seed);
            left += watch->chosen[0];
            right += watch->chosen[1];
            watch_close(watch);
        }
    assert_true(left + right > 1000);
    assert_true(left * 10 > (left + right) * 4 && right * 10 > (left + right) * 4); /* drawn fairly */
}

/* On boards as small as these it has to start again now and then, for either reason. */
TEST(test_starts_again)
{
    uint64_t stable = 0, impatient = 0;
    for (uint64_t seed = 0; seed < 100; seed++)
        for (uint32_t n = 6; n <= 8; n += 2) {
            struct watch *watch = run(n, seed);
            stable += watch->stable;
            impatient += watch->impatient;
            watch_close(watch);
        }
    assert_true(stable > 0);
    assert_true(impatient > 0);
}

TEST(test_smallest)
{
    struct watch *watch = run(1, 7);
    assert_int_equal(watch->steps, 2); /* the board, which is a solution */
    assert_int_equal(watch->board[0], 0);
    watch_close(watch);
    for (uint32_t n = 2; n <= 3; n++) {
        struct step step;
        watch = watch_open(n, 7);
        for (int again = 0; again < 3; again++)
            assert_int_equal(machine()->step(watch->machine, &step), NQ_END);
        check_board(watch);
        watch_close(watch);
    }
}

static bool same(const struct step *a, const struct step *b)
{
    return a->kind == b->kind && a->row == b->row && a->column == b->column && a->tests == b->tests &&
           a->energy == b->energy;
}

/* Steps that two machines have in common before they part, or before both have ended. */
static uint64_t common_steps(uint32_t n, uint64_t seed_a, uint64_t seed_b, bool *parted)
{
    struct watch *a = watch_open(n, seed_a), *b = watch_open(n, seed_b);
    uint64_t steps = 0;
    bool more_a = true, more_b = true;
    *parted = false;
    while (more_a && more_b && !*parted) {
        more_a = watch_step(a);
        more_b = watch_step(b);
        *parted = !same(&a->step, &b->step) || memcmp(a->board, b->board, n * sizeof *a->board) != 0;
        steps += !*parted;
    }
    watch_close(a);
    watch_close(b);
    return steps;
}

TEST(test_seeds)
{
    static const uint64_t seeds[] = {0, 1, 2, 1000, UINT64_C(1) << 32, (UINT64_C(1) << 53) - 1};
    enum { SEEDS = sizeof seeds / sizeof *seeds, N = 40 };
    bool parted;
    for (size_t i = 0; i < SEEDS; i++)
        for (size_t j = 0; j <= i; j++) {
            const uint64_t common = common_steps(N, seeds[i], seeds[j], &parted);
            assert_int_equal(parted, i != j);
            if (i == j)
                assert_true(common > 10);
            else
                assert_int_equal(common, 0); /* they begin with another board */
        }
}
