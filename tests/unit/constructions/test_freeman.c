/* test_freeman.c - tests of src/constructions/construction_freeman.c: its steps against the same equations in floating
 * point, and its end against the board. */
/* CI builds: address */
#include <math.h>
#include <nqueens.h>

#include "base/random.h"
#include "constructions/construction.h"
#include "support/checked_steps.h"

enum { MAX_N = 16, MANY = 1000 * 2 * MAX_N + 10 };

static const struct construction *method(void)
{
    return construction_find("freeman");
}

static struct checked_steps run(uint32_t n, uint64_t seed)
{
    const struct machine_settings settings = {.n = n, .rule = rules[0], .seed = seed};
    return checked_steps_run(method()->machine, &settings, MANY);
}

/* ---- The equations ---- */

struct network {
    uint32_t n;
    double u[MAX_N][MAX_N], v[MAX_N][MAX_N];
};

static double output_of(double u)
{
    const double x = u / 0.6;
    if (fabs(x) >= 3)
        return x > 0;
    return (1 + x * (27 + x * x) / (27 + 9 * x * x)) / 2;
}

static void begin(struct network *network, uint32_t n, uint64_t seed)
{
    struct random random = random_begin(seed, 0);
    double middle = 0;
    network->n = n;
    while (output_of(middle) > 1. / n)
        middle -= 1. / 1024;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            network->u[i][j] = middle + random_below(&random, (1 << 20) / 32) / (double)(1 << 20) - 1. / 64;
            network->v[i][j] = output_of(network->u[i][j]);
        }
}

/* The sum of outputs that inhibit a neuron, each line by itself: square by square. */
static double inhibition(const struct network *network, uint32_t i, uint32_t j)
{
    double sum = 0;
    for (uint32_t a = 0; a < network->n; a++)
        for (uint32_t b = 0; b < network->n; b++)
            if ((a != i || b != j) && (a == i || nq_attack(a, b, i, j)))
                sum += network->v[a][b];
    return sum;
}

static double missing(const struct network *network)
{
    double left = network->n;
    for (uint32_t i = 0; i < network->n; i++)
        for (uint32_t j = 0; j < network->n; j++)
            left -= network->v[i][j];
    return left;
}

static double energy_of(const struct network *network)
{
    const double left = missing(network);
    double energy = 0.3 * left * left;
    for (uint32_t i = 0; i < network->n; i++)
        for (uint32_t j = 0; j < network->n; j++)
            energy += network->v[i][j] * inhibition(network, i, j) / 2;
    return energy;
}

static void integrate(struct network *network)
{
    const double left = missing(network), time = 1. / (2 * network->n);
    struct network next = *network;
    for (uint32_t i = 0; i < network->n; i++)
        for (uint32_t j = 0; j < network->n; j++) {
            next.u[i][j] += time * (0.6 * left - inhibition(network, i, j) - network->u[i][j]);
            next.v[i][j] = output_of(next.u[i][j]);
        }
    *network = next;
}

/* Rounding adds up slowly: for some time constants the energies agree to a hundredth. */
TEST(test_equations)
{
    for (uint32_t n = 1; n <= MAX_N; n = n == 1 ? 4 : n + 3) {
        const struct machine_settings settings = {.n = n, .rule = rules[0], .seed = 17 * n};
        struct network network;
        struct step step;
        void *machine;
        assert_int_equal(machine_open(method()->machine, &settings, &machine), NQ_OK);
        begin(&network, n, 17 * n);
        for (uint32_t i = 0; i < 6 * n; i++, integrate(&network)) {
            assert_int_equal(method()->machine->step(machine, &step), NQ_OK);
            assert_int_equal(step.kind, STEP_TAKE);
            assert_true(step.has_energy && step.thousandths);
            assert_true(fabs(step_energy(&step) - energy_of(&network)) < 0.01);
        }
        method()->machine->close(machine);
    }
}

/* ---- How it ends ---- */

/* The construction has the solution of the machine, or none, and then its energy. */
static bool check_end(uint32_t n, uint64_t seed)
{
    struct construction_settings settings = construction_presets(n);
    struct nq_construction *construction = NULL;
    struct checked_steps steps = run(n, seed);
    enum nq_status status;
    settings.seed = seed;
    assert_int_equal(steps.status, NQ_END);
    assert_true(steps.count <= 1);
    assert_int_equal(construction_open(method(), &settings, &construction), NQ_OK);
    do {
        status = construction_work(construction, &(uint64_t){1000});
    } while (status == NQ_AGAIN);
    assert_int_equal(status, steps.count ? NQ_OK : NQ_LIMIT);
    if (status == NQ_OK) {
        uint32_t columns[MAX_N];
        nq_construction_rows(construction, 0, n, columns);
        assert_memory_equal(columns, steps.solutions, n * sizeof *columns);
    } else {
        assert_int_equal(construction_ended(construction).steps, steps.stats.steps);
        assert_true(construction_ended(construction).energy > 0.5); /* two queens on a line, or one too few */
    }
    nq_construction_close(construction);
    free(steps.solutions);
    return status == NQ_OK;
}

/* Of 10 seeds: what docs/algorithms.md says of 1000. */
TEST(test_ends)
{
    static const struct {
        uint32_t n, least, most;
    } rows[] = {{4, 10, 10}, {5, 10, 10}, {6, 0, 2}, {8, 6, 10}, {10, 1, 7}, {12, 2, 9}, {16, 1, 9}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t solved = 0;
        for (uint64_t seed = 0; seed < 10; seed++)
            solved += check_end(rows[i].n, seed);
        assert_in_range(solved, rows[i].least, rows[i].most);
    }
}

/* What a seed gave once it gives for ever, on every machine. */
TEST(test_frozen)
{
    static const uint32_t expected[] = {6, 0, 3, 5, 8, 2, 9, 7, 1, 4};
    struct checked_steps steps = run(10, 1);
    assert_int_equal(steps.count, 1);
    assert_memory_equal(steps.solutions, expected, sizeof expected);
    assert_int_equal(steps.stats.steps, 667);
    free(steps.solutions);
}

TEST(test_smallest)
{
    struct checked_steps one = run(1, 7), two = run(2, 7), three = run(3, 7);
    assert_int_equal(one.count, 1);
    assert_int_equal(two.stats.steps + three.stats.steps, 0);
    free(one.solutions);
    free(two.solutions);
    free(three.solutions);
}
