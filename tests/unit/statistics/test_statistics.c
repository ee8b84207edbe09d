/* test_statistics.c - tests of src/statistics/statistic_x.c: every value of every solution against its definition, pair
 * by pair and image by image. */
/* CI builds: address */
#include "statistics/statistic.h"

#include <nqueens.h>

#include "support/facts.h"

/* A solution in both widths, and the solutions of its board to look images up. */
struct subject {
    uint32_t n;
    const uint32_t *columns;
    const uint32_t *all;
    size_t count;
};

/* ---- Definitions ---- */

static uint32_t first_column(const struct subject *subject)
{
    return subject->columns[0];
}

static uint32_t fixed_points(const struct subject *subject)
{
    uint32_t count = 0;
    for (uint32_t row = 0; row < subject->n; row++)
        count += subject->columns[row] == row;
    return count;
}

static uint32_t displacement(const struct subject *subject)
{
    uint32_t sum = 0;
    for (uint32_t row = 0; row < subject->n; row++)
        sum += (uint32_t)abs((int)subject->columns[row] - (int)row);
    return sum;
}

/* On how many lines of the torus, of two, two rows' queens stand. */
static uint32_t lines(const struct subject *subject, uint32_t a, uint32_t b)
{
    const uint32_t n = subject->n, *columns = subject->columns;
    return ((columns[a] + n - a) % n == (columns[b] + n - b) % n) + ((columns[a] + a) % n == (columns[b] + b) % n);
}

static uint32_t conflicts(const struct subject *subject)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < subject->n; b++)
        for (uint32_t a = 0; a < b; a++)
            count += lines(subject, a, b) > 0;
    return count;
}

/* The rows that can be reached from one along conflicts, as bits. */
static uint32_t group(const struct subject *subject, uint32_t row)
{
    uint32_t rows = UINT32_C(1) << row, before = 0;
    while (rows != before) {
        before = rows;
        for (uint32_t a = 0; a < subject->n; a++)
            for (uint32_t b = 0; b < subject->n; b++)
                if (rows >> a & 1 && a != b && lines(subject, a, b))
                    rows |= UINT32_C(1) << b;
    }
    return rows;
}

static uint32_t engaged(const struct subject *subject)
{
    uint32_t count = 0;
    for (uint32_t row = 0; row < subject->n; row++)
        count += group(subject, row) != UINT32_C(1) << row;
    return count;
}

static uint32_t components(const struct subject *subject)
{
    uint32_t count = 0;
    for (uint32_t row = 0; row < subject->n; row++) {
        const uint32_t rows = group(subject, row);
        count += rows != UINT32_C(1) << row && (uint32_t)__builtin_ctz(rows) == row;
    }
    return count;
}

static uint32_t largest(const struct subject *subject)
{
    uint32_t most = 0;
    for (uint32_t row = 0; row < subject->n; row++) {
        const uint32_t size = (uint32_t)__builtin_popcount(group(subject, row));
        most = size > most ? size : most;
    }
    return most;
}

/* Whether one solution is a shift of another. */
static bool is_shift(uint32_t n, const uint32_t *a, const uint32_t *b)
{
    for (uint32_t x = 0; x < n; x++) {
        bool same = true;
        for (uint32_t row = 0; row < n && same; row++)
            same = (a[(row + x) % n] + n - a[x]) % n == (b[row] + n - b[0]) % n;
        if (same)
            return true;
    }
    return false;
}

/* The solutions that are shifts of any of its images. */
static uint32_t class_size(const struct subject *subject)
{
    const uint32_t n = subject->n;
    uint32_t size = 0, image[16];
    for (size_t i = 0; i < subject->count; i++) {
        bool found = false;
        for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES && !found; symmetry++) {
            nq_transform(symmetry, n, subject->columns, image);
            found = is_shift(n, image, subject->all + i * n);
        }
        size += found;
    }
    return size;
}

static const struct {
    const char *name;
    uint32_t (*value)(const struct subject *subject);
} definitions[] = {
    {"first-column", first_column}, {"fixed-points", fixed_points}, {"displacement", displacement},
    {"torus-conflicts", conflicts}, {"torus-engaged", engaged},     {"torus-components", components},
    {"torus-largest", largest},     {"torus-class", class_size},
};

/* Its value by the definition; a statistic without one here is a failure. */
static uint32_t defined(const struct statistic *statistic, const struct subject *subject)
{
    for (size_t i = 0; i < sizeof definitions / sizeof definitions[0]; i++)
        if (strcmp(definitions[i].name, statistic->name) == 0)
            return definitions[i].value(subject);
    fail_msg("statistic \"%s\" has no definition in this test", statistic->name);
    return 0;
}

/* ---- Tests ---- */

TEST(test_every_value_of_every_solution)
{
    for (uint32_t n = 1; n <= 8; n++) {
        struct subject subject = {.n = n};
        uint32_t *all = facts_solutions(n, &subject.count);
        subject.all = all;
        for (size_t i = 0; i < statistics_count; i++) {
            const struct statistic *statistic = statistics[i];
            for (size_t k = 0; k < subject.count; k++) {
                uint8_t columns[16];
                subject.columns = all + k * n;
                for (uint32_t row = 0; row < n; row++)
                    columns[row] = (uint8_t)subject.columns[row];
                const uint32_t value = statistic->value(n, columns);
                assert_int_equal(value, defined(statistic, &subject));
                assert_true(value < statistic->values(n));
                for (uint32_t row = 0; row < n; row++)
                    columns[row] = (uint8_t)(n - 1 - columns[row]);
                assert_true(!statistic->mirrored || statistic->value(n, columns) == value);
            }
        }
        free(all);
    }
}

/* Any permutation may be a solution by some rule: lines with many queens. */
TEST(test_permutations)
{
    uint64_t dice = 1;
    for (uint32_t n = 1; n <= STATISTICS_MAX_N; n++)
        for (unsigned round = 0; round < 30; round++) {
            uint32_t wide[STATISTICS_MAX_N];
            uint8_t columns[STATISTICS_MAX_N];
            for (uint32_t row = 0; row < n; row++)
                wide[row] = row;
            for (uint32_t row = n; round && row-- > 1;) { /* the first is the identity, all on one line */
                const uint32_t other = facts_below(&dice, row + 1), column = wide[row];
                wide[row] = wide[other];
                wide[other] = column;
            }
            for (uint32_t row = 0; row < n; row++)
                columns[row] = (uint8_t)wide[row];
            const struct subject subject = {.n = n, .columns = wide};
            for (size_t i = 0; i < statistics_count; i++) {
                const struct statistic *statistic = statistics[i];
                if (statistic->queens_only)
                    continue;
                const uint32_t value = statistic->value(n, columns);
                assert_int_equal(value, defined(statistic, &subject));
                assert_true(value < statistic->values(n));
            }
        }
}

TEST(test_the_table)
{
    for (size_t i = 0; i < statistics_count; i++) {
        assert_ptr_equal(statistic_find(statistics[i]->name), statistics[i]);
        assert_true(statistics[i]->summary && statistics[i]->revision && statistics[i]->seconds > 0);
    }
    assert_null(statistic_find("none"));
}
