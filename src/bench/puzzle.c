/* puzzle.c - `nqueensd bench puzzle`: boards of regions solved and graded, counted, and generated. It does not know
 * how.
 */
#include "bench/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/options.h"
#include "puzzles/generator.h"

extern const struct rule rule_touching;

enum { SEEDS_MAX = 10000, LOOKS = 100, COUNTED_N = 11, PUBLISHED_FROM = 7, PUBLISHED_TO = 11, SLOWEST = 10 };

/* Sizes that are generated, and the median seconds they should take. */
static const struct {
    uint32_t n;
    double aim;
} sizes[] = {{8, 0.01}, {11, 0.05}, {15, 1}};

struct puzzle_times {
    double *seconds;          /* sorted */
    size_t count, made, soon; /* made: those that came to a board; soon: within ten times the aim */
};

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const struct puzzle_times *times, size_t per_cent)
{
    return times->seconds[(times->count - 1) * per_cent / 100];
}

/* Makes the board of a seed; false: there is none. */
static bool make(struct generator *generator, uint32_t n, enum level level, uint64_t seed)
{
    enum nq_status status = generator_open(generator, &(struct puzzle_name){GENERATOR_REVISION, n, level, seed});
    while (status == NQ_OK && (status = generator_next(generator, LOOKS, NULL)) == NQ_AGAIN)
        status = NQ_OK;
    return status == NQ_OK;
}

/* The boards of so many seeds. */
static void take_generated(struct generator *generator, uint32_t n, enum level level, double aim,
                           struct puzzle_times *times)
{
    times->made = times->soon = 0;
    for (size_t seed = 0; seed < times->count; seed++) {
        const double start = bench_seconds(1);
        const bool made = make(generator, n, level, seed);
        times->seconds[seed] = bench_seconds(1) - start;
        times->made += made;
        times->soon += made && times->seconds[seed] <= SLOWEST * aim;
        generator_close(generator);
    }
    qsort(times->seconds, times->count, sizeof *times->seconds, ascending);
}

/* From the regions alone: solves and grades boards of every size that is published, each level in turn. */
static bool take_graded(struct generator *generator, struct puzzle_times *times)
{
    times->made = 0;
    for (size_t i = 0; i < times->count; i++) {
        const uint32_t n = PUBLISHED_FROM + (uint32_t)(i / LEVELS % (PUBLISHED_TO - PUBLISHED_FROM + 1));
        struct position position;
        const bool made = make(generator, n, (enum level)(i % LEVELS), i);
        const struct regions regions = generator->regions;
        generator_close(generator);
        const double start = bench_seconds(1);
        struct grid *grid = grid_new(&rule_touching, n, NULL);
        if (!made || !grid)
            return false;
        grid_paint(grid, regions.of);
        position_begin(grid, &position);
        times->made += grade_position(grid, &position, GRADE_TECHNIQUES, NULL).solved;
        grid_free(grid);
        times->seconds[i] = bench_seconds(1) - start;
    }
    qsort(times->seconds, times->count, sizeof *times->seconds, ascending);
    return times->made == times->count;
}

/* Counts all solutions of a board of n = 11, whose regions are columns, but for the last three rows: there every third
 * is three columns wide. */
static bool take_counted(struct completions *search, double *seconds, unsigned rounds, uint64_t *solutions)
{
    enum { STRIPES = 8, WIDE = 3 };
    uint8_t of[COUNTED_N * COUNTED_N];
    struct grid *grid = grid_new(&rule_touching, COUNTED_N, NULL);
    if (!grid)
        return false;
    for (uint32_t square = 0; square < COUNTED_N * COUNTED_N; square++) {
        const uint32_t column = square % COUNTED_N;
        of[square] = (uint8_t)(square / COUNTED_N < STRIPES ? column : column / WIDE * WIDE);
    }
    grid_paint(grid, of);
    for (unsigned round = 0; round < rounds; round++) {
        struct position position;
        uint64_t budget = UINT64_MAX;
        const double start = bench_seconds(1);
        *solutions = 0;
        position_begin(grid, &position);
        completions_begin(search, grid, &position, false);
        (void)completions_count(search, UINT64_MAX, solutions, &budget, NULL);
        seconds[round] = bench_seconds(1) - start;
    }
    grid_free(grid);
    return true;
}

/* A row: the median, the 95th percentile and the slowest, in milliseconds. */
static void report(const struct puzzle_times *times, const char *name, double aim, struct bytes *rows)
{
    const double median = quantile(times, 50), late = quantile(times, 95), last = quantile(times, 100);
    if (!rows) {
        printf("%-32s %10.4f %10.4f %10.4f %8.1f %7zu %7zu\n", name, 1e3 * median, 1e3 * late, 1e3 * last, 1e3 * aim,
               times->made, times->soon);
        return;
    }
    json_begin_object(rows, NULL);
    json_write_text(rows, "name", name);
    json_write_real(rows, "seconds", median, BENCH_DIGITS);
    json_write_real(rows, "percentile_95", late, BENCH_DIGITS);
    json_write_real(rows, "slowest", last, BENCH_DIGITS);
    json_write_real(rows, "aim", aim, BENCH_DIGITS);
    json_write_number(rows, "boards", times->count);
    json_write_number(rows, "made", times->made);
    json_write_number(rows, "soon", times->soon);
    json_end_object(rows);
}

static bool run(unsigned long rounds, struct puzzle_times *times, struct generator *generator, struct bytes *rows)
{
    static const double grade_aim = 0.0002, count_aim = 0.02;
    double seconds[BENCH_ROUNDS_MAX];
    uint64_t solutions;
    char name[64];
    if (!take_graded(generator, times))
        return false;
    times->soon = 0;
    while (times->soon < times->count && times->seconds[times->soon] <= SLOWEST * grade_aim)
        times->soon++;
    report(times, "solve and grade, n = 7 to 11", grade_aim, rows);
    if (!take_counted(&generator->search, seconds, (unsigned)rounds, &solutions))
        return false;
    qsort(seconds, rounds, sizeof *seconds, ascending);
    (void)snprintf(name, sizeof name, "count %" PRIu64 ", n = %d", solutions, COUNTED_N);
    const struct puzzle_times counted = {seconds, rounds, rounds, rounds};
    report(&counted, name, count_aim, rows);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (unsigned level = 0; level < LEVELS; level++) {
            take_generated(generator, sizes[i].n, (enum level)level, sizes[i].aim, times);
            (void)snprintf(name, sizeof name, "generate n = %u, %s", (unsigned)sizes[i].n, level_name(level));
            report(times, name, sizes[i].aim, rows);
        }
    return true;
}

int bench_puzzle(int count, char **arguments)
{
    unsigned long rounds = 5, seeds = 20;
    bool json = false;
    const struct command_option known[] = {
        {.name = "--rounds", .number = &rounds, .least = 1, .most = BENCH_ROUNDS_MAX},
        {.name = "--seeds", .number = &seeds, .least = 1, .most = SEEDS_MAX},
        {.name = "--format", .read = bench_format, .to = &json, .form = "table or json"},
        {0},
    };
    if (!options_read("bench", known, count, arguments))
        return 2;
    struct generator *generator = malloc(sizeof *generator);
    struct puzzle_times times = {.seconds = calloc(seeds, sizeof *times.seconds), .count = seeds};
    struct bytes text = {0}, *rows = json ? &text : NULL;
    int status = 1;
    if (!json)
        printf("puzzles of %lu seeds, one thread; milliseconds of CPU\n%-32s %10s %10s %10s %8s %7s %7s\n", seeds, "",
               "median", "95 %", "slowest", "aim", "made", "soon");
    if (rows) {
        json_begin_object(rows, NULL);
        json_write_text(rows, "bench", "puzzle");
        json_write_number(rows, "seeds", seeds);
        json_begin_array(rows, "contestants");
    }
    if (generator && times.seconds && run(rounds, &times, generator, rows))
        status = 0;
    if (rows && status == 0) {
        json_end_array(rows);
        status = bench_print(rows);
    }
    bytes_free(&text);
    free(times.seconds);
    free(generator);
    return status;
}
