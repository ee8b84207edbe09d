/* bench.c - runs the contestants in turns, several rounds, and prints medians and ratios: on a noisy machine a ratio
 * within one run means something, a time does not. */
#include "bench/bench.h"

#include <inttypes.h>
#include <nqueens.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "count/method.h"

enum { ROUNDS_MAX = 99, CONTESTANTS_MAX = 8 };

/* Counts n on this thread; 0 when it cannot. */
typedef uint64_t (*counter)(const struct kernel *kernel, uint32_t n, uint64_t *nodes);

struct contestant {
    char name[32];
    counter count;
    const struct kernel *kernel;
    uint64_t result, nodes;
    double seconds[ROUNDS_MAX];
};

static uint64_t count_textbook(const struct kernel *kernel, uint32_t n, uint64_t *nodes)
{
    (void)kernel;
    *nodes = 0;
    return textbook_count(n);
}

static uint64_t count_search(const struct kernel *kernel, uint32_t n, uint64_t *nodes)
{
    const struct method *method = methods[0];
    void *plan;
    uint64_t parts = 0;
    *nodes = 0;
    if (method->prepare(n, &plan) != NQ_OK)
        return 0;
    for (size_t unit = 0; unit < method->units(plan); unit++) {
        struct unit_result result = {0};
        if (method->count(plan, unit, kernel, NULL, &result) != NQ_OK)
            break;
        parts += result.parts;
        *nodes += result.nodes;
    }
    method->release(plan);
    return parts / METHOD_PARTS;
}

/* CPU time of this thread: what other processes do meanwhile does not count. */
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, unsigned count)
{
    qsort(times, count, sizeof *times, ascending);
    return count % 2 ? times[count / 2] : (times[count / 2 - 1] + times[count / 2]) / 2;
}

static size_t line_up(struct contestant *contestants)
{
    size_t count = 0;
    contestants[count++] = (struct contestant){.name = "textbook", .count = count_textbook};
    for (const struct kernel *const *at = kernels; *at && count < CONTESTANTS_MAX; at++) {
        if (!(*at)->supported())
            continue;
        struct contestant *contestant = &contestants[count++];
        *contestant = (struct contestant){.count = count_search, .kernel = *at};
        (void)snprintf(contestant->name, sizeof contestant->name, "search %s", (*at)->name);
    }
    return count;
}

static int bench_count(uint32_t n, unsigned rounds)
{
    static struct contestant contestants[CONTESTANTS_MAX];
    const size_t count = line_up(contestants);
    uint64_t known;
    if (nq_known_count(n, &known) != NQ_OK)
        return 2;
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i++) {
            struct contestant *contestant = &contestants[i];
            const double start = cpu_seconds();
            contestant->result = contestant->count(contestant->kernel, n, &contestant->nodes);
            contestant->seconds[round] = cpu_seconds() - start;
            if (contestant->result != known) {
                fprintf(stderr, "%s: %" PRIu64 " instead of %" PRIu64 "\n", contestant->name, contestant->result,
                        known);
                return 1;
            }
        }
    }
    printf("count n=%u, one thread, median of %u rounds in turns\n%-16s %12s %12s %16s\n", n, rounds, "", "cpu seconds",
           "x textbook", "placements");
    const double reference = median(contestants[0].seconds, rounds);
    for (size_t i = 0; i < count; i++) {
        const double seconds = median(contestants[i].seconds, rounds);
        printf("%-16s %12.4f %12.2f ", contestants[i].name, seconds, reference / seconds);
        if (contestants[i].nodes)
            printf("%16" PRIu64 "\n", contestants[i].nodes);
        else
            printf("%16s\n", "-");
    }
    return 0;
}

static int usage(FILE *to)
{
    fputs("nqueensd bench [count] [--n N] [--rounds R]\n"
          "  count  Q(N) by every counting kernel against the textbook recursion (N = 14, R = 5)\n",
          to);
    return to == stdout ? 0 : 2;
}

int bench_run(int count, char **arguments)
{
    unsigned long n = 14, rounds = 5;
    int at = count > 0 && strcmp(arguments[0], "count") == 0 ? 1 : 0;
    if (count > 0 && strcmp(arguments[0], "--help") == 0)
        return usage(stdout);
    for (; at + 1 < count; at += 2) {
        char *end;
        unsigned long value = strtoul(arguments[at + 1], &end, 10);
        if (*end || arguments[at + 1] == end)
            return usage(stderr);
        if (strcmp(arguments[at], "--n") == 0)
            n = value;
        else if (strcmp(arguments[at], "--rounds") == 0)
            rounds = value;
        else
            return usage(stderr);
    }
    if (at != count || n < 1 || n > NQ_KNOWN_MAX_N || rounds < 1 || rounds > ROUNDS_MAX)
        return usage(stderr);
    return bench_count((uint32_t)n, (unsigned)rounds);
}
