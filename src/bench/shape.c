/* shape.c - `nqueensd bench shape`: boards with any number of queens counted and listed, in turns with a recursion over
 * squares. Ratios are those of placements a second: the recursion would take years for some of the counts. */
#include "bench/bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/options.h"
#include "formats/format.h"
#include "shapes/shape.h"

/* A list is read as far as this. */
enum { LISTED = 2000000 };

struct contestant {
    const char *name;
    uint32_t n, queens; /* a board of n x n; 0: any number */
    bool lists, writes; /* it lists; as NDJSON */
    uint64_t expected;  /* placements; 0: as many as the reference finds */
    double aim;         /* the ratio, or of a list the placements a second, that it should reach; 0: none */
    uint64_t placements;
    double seconds[BENCH_ROUNDS_MAX];
};

static struct shape shape_of(const struct contestant *contestant)
{
    struct shape shape;
    shape_begin(&shape, contestant->n, contestant->n);
    shape.least = contestant->queens;
    shape.most = contestant->queens ? contestant->queens : contestant->n * contestant->n;
    return shape;
}

/* From its plan on, on one thread. 0: out of memory. */
static uint64_t count(const struct contestant *contestant)
{
    const struct shape shape = shape_of(contestant);
    struct shape_plan *plan = NULL;
    uint64_t nodes = 0;
    nq_wide sum = 0;
    if (shape_plan_open(&shape, 1, 0, INFINITY, NULL, &plan) != NQ_OK)
        return 0;
    const uint32_t top = shape_plan_top(plan);
    nq_wide *profile = calloc(top + 1, sizeof *profile);
    for (size_t unit = 0; profile && unit < shape_plan_units(plan); unit++)
        (void)shape_plan_count(plan, unit, NULL, profile, &nodes); /* never stopped */
    for (uint32_t queens = 0; profile && queens <= top; queens++)
        sum += profile[queens];
    free(profile);
    shape_plan_close(plan);
    return (uint64_t)sum;
}

/* 0: out of memory. */
static uint64_t list(const struct contestant *contestant)
{
    const struct shape shape = shape_of(contestant);
    struct shape_list *placements;
    const struct list_head head = {.n = contestant->n, .base = 1, .shape = &shape};
    const struct format *format = format_find("ndjson");
    struct bytes text = {0};
    uint64_t listed = 0, budget = UINT64_MAX;
    uint32_t queens;
    if (shape_list_open(&shape, 1, &placements) != NQ_OK)
        return 0;
    struct nq_square *squares = calloc(shape_list_top(placements) + 1, sizeof *squares);
    while (squares && listed < LISTED && shape_list_next(placements, &budget, squares, &queens) == NQ_OK) {
        if (contestant->writes)
            format->list_placement(&text, &head, squares, queens, listed);
        if (text.size > BENCH_MEGABYTE)
            text.size = 0;
        listed++;
    }
    bytes_free(&text);
    free(squares);
    shape_list_close(placements);
    return listed;
}

/* One round; false, with a message, if the count is wrong. The reference is the first. */
static bool take_turn(struct contestant *contestant, const struct contestant *reference, unsigned round)
{
    const double start = bench_seconds(1);
    const uint64_t placements = contestant == reference ? squares_count(contestant->n)
                                : contestant->lists     ? list(contestant)
                                                        : count(contestant);
    contestant->seconds[round] = bench_seconds(1) - start;
    contestant->placements = placements;
    const uint64_t expected = contestant->expected ? contestant->expected : reference->placements;
    if (placements == expected)
        return true;
    fprintf(stderr, "%s: %" PRIu64 " instead of %" PRIu64 "\n", contestant->name, placements, expected);
    return false;
}

/* What the reference would take for as many placements. */
static double reference_seconds(const struct contestant *reference, const struct contestant *contestant,
                                unsigned rounds)
{
    return bench_median(reference->seconds, rounds) * (double)contestant->placements / (double)reference->placements;
}

static void print_table(const struct contestant *contestants, size_t entries, unsigned rounds)
{
    printf("shape, median of %u rounds in turns; CPU seconds of one thread\n%-28s %12s %16s %14s %10s %10s\n", rounds,
           "", "seconds", "placements", "a second", "ratio", "aim");
    for (const struct contestant *at = contestants; at < contestants + entries; at++) {
        const double seconds = bench_median(at->seconds, rounds);
        printf("%-28s %12.4f %16" PRIu64 " %14.4g %9.1fx", at->name, seconds, at->placements,
               (double)at->placements / seconds, reference_seconds(contestants, at, rounds) / seconds);
        if (at->aim > 0)
            printf(" %9.4g%s\n", at->aim, at->lists ? "" : "x");
        else
            printf(" %10s\n", "-");
    }
}

static int print_json(const struct contestant *contestants, size_t entries, unsigned rounds)
{
    struct bytes text = {0};
    bench_contest(&text, "shape", contestants->n, rounds, contestants->name);
    for (const struct contestant *at = contestants; at < contestants + entries; at++) {
        bench_contestant(&text, at->name, 1, at->seconds, rounds, reference_seconds(contestants, at, rounds));
        json_write_number(&text, "placements", at->placements);
        json_write_real(&text, "per_second", (double)at->placements / bench_median(at->seconds, rounds), BENCH_DIGITS);
        if (at->aim > 0)
            json_write_real(&text, at->lists ? "aim_per_second" : "aim", at->aim, BENCH_DIGITS);
        json_end_object(&text);
    }
    json_end_array(&text);
    return bench_print(&text);
}

enum { BOARD_MAX_N = 12 };

int bench_shape(int arguments_count, char **arguments)
{
    unsigned long n = 10, rounds = 5;
    bool json = false;
    const struct command_option known[] = {
        {.name = "--n", .number = &n, .least = 1, .most = BOARD_MAX_N},
        {.name = "--rounds", .number = &rounds, .least = 1, .most = BENCH_ROUNDS_MAX},
        {.name = "--format", .read = bench_format, .to = &json, .form = "table or json"},
        {0},
    };
    if (!options_read("bench", known, arguments_count, arguments))
        return 2;
    struct contestant contestants[] = {
        {.name = "recursion over squares", .n = (uint32_t)n},
        {.name = "by=queens", .n = (uint32_t)n, .aim = 60},
        {.name = "n=40 queens=4", .n = 40, .queens = 4, .expected = UINT64_C(162778537232)},
        {.name = "n=12 queens=8", .n = 12, .queens = 8, .expected = 207667564},
        {.name = "list n=12 queens=6", .n = 12, .queens = 6, .lists = true, .expected = LISTED},
        {.name = "the same as NDJSON",
         .n = 12,
         .queens = 6,
         .lists = true,
         .writes = true,
         .expected = LISTED,
         .aim = 2000000},
    };
    const size_t entries = sizeof contestants / sizeof contestants[0];
    for (unsigned round = 0; round < rounds; round++)
        for (size_t i = 0; i < entries; i++)
            if (!take_turn(&contestants[i], contestants, round))
                return 1;
    if (json)
        return print_json(contestants, entries, (unsigned)rounds);
    print_table(contestants, entries, (unsigned)rounds);
    return 0;
}
