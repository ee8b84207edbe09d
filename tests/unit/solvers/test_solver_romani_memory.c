/* test_solver_romani_memory.c - tests of src/solvers: Romani's algorithms keep no more memory than they may, give all
 * of it back whenever they are closed, and end well where there is no more. */
/* CI builds: address */
#include <stdlib.h>

#include "base/status.h"
#include "support/failing_memory.h"

#include "solvers/partials.c"

#include "solvers/solver_romani_2_to_4.c"

#include "solvers/solver.h"
#include "support/checked_steps.h"

enum { FOURTH = 3, PLENTY = 100000000 };

/* ---- Memory -------------------------------------------------------------------------------------------------------
 */

struct limited {
    const char *name;
    struct machine_settings settings;
};

static const struct limited limited[] = {
    {"romani-2", {.n = 11, .column = FOURTH}},
    {"romani-3", {.n = 12, .column = FOURTH, .splits = 1, .split = {7}}},
    {"romani-4", {.n = 12, .column = 0}},
    {"romani-5", {.n = 11, .column = FOURTH, .strategy = STRATEGY_BREADTH}},
    {"romani-5", {.n = 29, .column = FOURTH, .strategy = STRATEGY_PRIORITY}},
    {"romani-5", {.n = 16, .column = FOURTH, .strategy = STRATEGY_DEPTH}},
};

enum { LIMITED = sizeof limited / sizeof limited[0], CHUNK = PARTIALS_IN_CHUNK };

/* Runs with so many bytes for so many steps; all bytes are there again in the end. */
static enum nq_status run_within(const struct limited *what, size_t bytes, uint64_t most, struct stats *stats,
                                 size_t *least)
{
    struct allowance allowance = {.left = bytes};
    struct machine_settings settings = what->settings;
    const struct machine_class *class = solver_find(what->name)->machine;
    struct step step;
    void *machine;
    settings.allowance = &allowance;
    *stats = (struct stats){0};
    enum nq_status status = machine_open(class, &settings, &machine);
    if (status == NQ_OK) {
        while (stats->steps < most && (status = class->step(machine, &step)) == NQ_OK)
            stats_add(stats, &step);
        *least = allowance.left;
        class->close(machine);
    }
    assert_int_equal(allowance.left, bytes);
    return status;
}

/* Memory is for what is kept, and what was taken up makes room. One byte less than it needs, and it is refused. */
TEST(test_allowance)
{
    uint64_t dice = 6;
    for (size_t i = 0; i < LIMITED; i++) {
        struct stats stats;
        size_t left, least;
        assert_int_equal(run_within(&limited[i], PARTIALS_BYTES, PLENTY, &stats, &left), NQ_END);
        const size_t chunks = (stats.peak_states - 1 + CHUNK - 1) / CHUNK, used = PARTIALS_BYTES - left;
        const uint64_t steps = stats.steps;
        assert_int_equal(used % (chunks * CHUNK), 0);
        assert_in_range(used / (chunks * CHUNK), limited[i].settings.n + 1, limited[i].settings.n + 32);
        assert_int_equal(run_within(&limited[i], used, PLENTY, &stats, &least), NQ_END);
        assert_int_equal(least, 0);
        assert_int_equal(run_within(&limited[i], used - 1, PLENTY, &stats, &least), NQ_BUSY);
        assert_true(stats.steps < steps);
        assert_int_equal(run_within(&limited[i], 0, PLENTY, &stats, &least), NQ_BUSY);
        assert_int_equal(stats.steps, 0);
        for (int round = 0; round < 20; round++) {
            const uint64_t most = facts_below(&dice, (uint32_t)steps);
            assert_int_equal(run_within(&limited[i], PARTIALS_BYTES, most, &stats, &least), NQ_OK);
        }
    }
}

TEST(test_no_memory)
{
    for (size_t i = 0; i < LIMITED; i++) {
        struct stats stats;
        size_t least;
        assert_in_range(STARVED(NQ_END, run_within(&limited[i], PARTIALS_BYTES, PLENTY, &stats, &least)), 1, 99);
    }
}

/* No machine has more than its share, whatever the allowance; the end comes at the same step on every machine. */
TEST(test_limit)
{
    static const struct limited beyond[] = {
        {"romani-4", {.n = 16, .column = FOURTH}},
        {"romani-5", {.n = 16, .column = FOURTH, .strategy = STRATEGY_BREADTH}},
        {"romani-3", {.n = 20, .column = FOURTH}},
    };
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        struct stats stats;
        size_t least;
        assert_int_equal(run_within(&beyond[i], 10 * (size_t)PARTIALS_BYTES, PLENTY, &stats, &least), NQ_LIMIT);
        assert_in_range(10 * (size_t)PARTIALS_BYTES - least, PARTIALS_BYTES * 0.99, PARTIALS_BYTES);
        assert_int_equal(stats.peak_states - 1, i < 2 ? 698368 : 524288);
        assert_int_equal(stats.solutions, 0);
    }
}

/* NQ_LONG: The largest board of romani-2 has room, with the first queen in the middle, where most can stand. */
TEST(test_largest_levels)
{
    const struct solver *solver = solver_find("romani-2");
    struct limited largest = {"romani-2", {.n = solver->max_n, .column = (solver->max_n - 1) / 2}};
    struct stats stats;
    size_t least;
    if (!getenv("NQ_LONG"))
        return;
    assert_int_equal(run_within(&largest, PARTIALS_BYTES, PLENTY, &stats, &least), NQ_END);
    assert_int_equal(stats.peak_states, 537119); /* its row says so */
}
