/* bench.c - runs the contestants in turns, several rounds, and prints medians and ratios: on a noisy machine a ratio
 * within one run means something, a time does not. */
#include "bench/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/parallel.h"
#include "count/method.h"

enum { CONTESTANTS_MAX = 16 };

/* One way of counting. Without a method it is a reference, on one thread. */
struct contestant {
    char name[40];
    uint64_t (*reference)(uint32_t n);
    const struct method *method;
    const struct kernel *kernel;
    unsigned threads;
    uint64_t nodes; /* of the last round, 0: not counted */
    double seconds[BENCH_ROUNDS_MAX];
};

/* A count by units, shared by threads. */
struct race {
    const struct method *method;
    void *plan;
    const struct kernel *kernel;
    atomic_size_t next;
    atomic_ullong parts, nodes; /* up to n = 27 they fit */
};

static void run(void *context)
{
    struct race *race = context;
    const size_t units = race->method->units(race->plan);
    for (size_t unit; (unit = atomic_fetch_add(&race->next, 1)) < units;) {
        struct unit_result result = {0};
        (void)race->method->count(race->plan, unit, race->kernel, NULL, &result); /* never stopped */
        atomic_fetch_add(&race->parts, result.parts);
        atomic_fetch_add(&race->nodes, result.nodes);
    }
}

/* Everything that a count takes, from nothing. 0 when it cannot be. */
static uint64_t count_units(struct contestant *contestant, uint32_t n)
{
    struct filter filter;
    struct race race = {.method = contestant->method, .kernel = contestant->kernel};
    filter_begin(&filter, n);
    const struct method_means means = {.tables = (size_t)BENCH_TABLES * BENCH_MEGABYTE, .threads = contestant->threads};
    if (race.method->prepare(&filter, &means, NULL, &race.plan) != NQ_OK)
        return 0;
    parallel_run(contestant->threads, run, &race);
    race.method->release(race.plan);
    contestant->nodes = race.nodes;
    return race.parts / METHOD_PARTS;
}

double bench_seconds(unsigned threads)
{
    return (double)(threads > 1 ? clock_now() : clock_worked()) / (double)CLOCK_SECOND;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(const double *times, unsigned count)
{
    double sorted[BENCH_ROUNDS_MAX];
    memcpy(sorted, times, count * sizeof *times);
    qsort(sorted, count, sizeof *sorted, ascending);
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

struct options {
    unsigned long n, rounds, threads;
    const char *only; /* contestants whose names begin so; NULL: all */
    bool json;
};

static void enter(struct contestant *list, size_t *count, const struct options *options, struct contestant entry)
{
    if (*count < CONTESTANTS_MAX && (!options->only || strncmp(entry.name, options->only, strlen(options->only)) == 0))
        list[(*count)++] = entry;
}

/* Every kernel on one thread, and the best one on several, with one method. */
static void line_up_method(struct contestant *list, size_t *count, const struct options *options,
                           const struct method *method)
{
    const struct kernel *best = NULL;
    for (const struct kernel *const *at = kernels; *at; at++) {
        if (!(*at)->supported())
            continue;
        struct contestant entry = {.method = method, .kernel = *at, .threads = 1};
        (void)snprintf(entry.name, sizeof entry.name, "%s %s", method->name, (*at)->name);
        enter(list, count, options, entry);
        best = best ? best : *at;
    }
    if (best && options->threads > 1) {
        struct contestant entry = {.method = method, .kernel = best, .threads = (unsigned)options->threads};
        (void)snprintf(entry.name, sizeof entry.name, "%s %s, %lu threads", method->name, best->name, options->threads);
        enter(list, count, options, entry);
    }
}

/* The references, then every method for whole boards that is any good at this size. */
static size_t line_up(struct contestant *list, const struct options *options)
{
    size_t count = 0;
    struct filter filter;
    filter_begin(&filter, (uint32_t)options->n);
    enter(list, &count, options, (struct contestant){.name = "textbook", .reference = textbook_count, .threads = 1});
    enter(list, &count, options, (struct contestant){.name = "classic", .reference = classic_count, .threads = 1});
    for (const struct method *const *at = methods; *at; at++)
        if ((*at)->symmetry == SYMMETRY_ANY && (!(*at)->suits || (*at)->suits(&filter)))
            line_up_method(list, &count, options, *at);
    return count;
}

/* One round of one contestant; false, with a sentence, when it counts wrong. */
static bool take_turn(struct contestant *contestant, uint32_t n, unsigned round)
{
    uint64_t known, count;
    const double start = bench_seconds(contestant->threads);
    if (contestant->reference)
        count = contestant->reference(n);
    else
        count = count_units(contestant, n);
    contestant->seconds[round] = bench_seconds(contestant->threads) - start;
    if (nq_known_count(n, &known) == NQ_OK && count == known)
        return true;
    fprintf(stderr, "%s: %" PRIu64 " instead of %" PRIu64 "\n", contestant->name, count, known);
    return false;
}

static void print_table(const struct contestant *list, size_t count, const struct options *options)
{
    const unsigned rounds = (unsigned)options->rounds;
    const double reference = bench_median(list[0].seconds, rounds);
    printf("count n=%lu, median of %u rounds in turns; CPU seconds, with several threads elapsed ones\n", options->n,
           rounds);
    printf("%-28s %12s %12s %16s\n", "", "seconds", list[0].name, "placements");
    for (size_t i = 0; i < count; i++) {
        const double seconds = bench_median(list[i].seconds, rounds);
        printf("%-28s %12.4f %11.2fx", list[i].name, seconds, reference / seconds);
        if (list[i].nodes)
            printf(" %16" PRIu64 "\n", list[i].nodes);
        else
            printf(" %16s\n", "-");
    }
}

static int print_json(const struct contestant *list, size_t count, const struct options *options)
{
    const unsigned rounds = (unsigned)options->rounds;
    const double reference = bench_median(list[0].seconds, rounds);
    json_t *entries = json_array();
    for (size_t i = 0; i < count; i++) {
        const double seconds = bench_median(list[i].seconds, rounds);
        json_t *all = json_array();
        for (unsigned round = 0; round < rounds; round++)
            json_array_append_new(all, json_real(list[i].seconds[round]));
        json_array_append_new(entries, json_pack("{s:s, s:i, s:f, s:o, s:f, s:I}", "name", list[i].name, "threads",
                                                 (int)list[i].threads, "seconds", seconds, "rounds", all, "ratio",
                                                 reference / seconds, "placements", (json_int_t)list[i].nodes));
    }
    return bench_print(json_pack("{s:s, s:I, s:I, s:s, s:o}", "bench", "count", "n", (json_int_t)options->n, "rounds",
                                 (json_int_t)rounds, "reference", list[0].name, "contestants", entries));
}

static int bench_count(const struct options *options)
{
    static struct contestant list[CONTESTANTS_MAX];
    const size_t count = line_up(list, options);
    if (!count) {
        fprintf(stderr, "nqueensd bench: nobody is called %s\n", options->only);
        return 2;
    }
    for (unsigned round = 0; round < options->rounds; round++)
        for (size_t i = 0; i < count; i++)
            if (!take_turn(&list[i], (uint32_t)options->n, round))
                return 1;
    if (options->json)
        return print_json(list, count, options);
    print_table(list, count, options);
    return 0;
}

static int usage(FILE *to)
{
    fputs(
        "nqueensd bench [count] [--n N] [--rounds R] [--threads T] [--only NAME] [--format table|json]\n"
        "  count  Q(N) by the textbook recursion, the classic eightfold solver and every method with every kernel, "
        "in turns\n"
        "         (N = 14, R = 5); with T > 1 the best kernel on so many threads as well; ratios are to the first\n"
        "nqueensd bench join [--n N] [--sample K] [--threads T] [--tables M] [--format table|json]\n"
        "  join   what Q(N) by joining quadrants would take, memory and core-seconds, from K units drawn by weight\n"
        "         (N = 20, K = 20), without tables of more than M megabytes (1024)\n"
        "nqueensd bench crew [--n N] [--workers W,W,...] [--threads T] ... [--format table|json]\n"
        "  crew   how long Q(N) would take W workers of T threads that share it, from some units and a model of the "
        "rest;\n"
        "         bench crew --help tells more\n"
        "nqueensd bench solve [--n N] [--rounds R] [--threads T] [--format table|json]\n"
        "  solve  every solution of N in order, to memory and as NDJSON, by the textbook recursion and printf, by the\n"
        "         cursor and by the lister with every finder, in turns (N = 12, R = 5)\n",
        to);
    return to == stdout ? 0 : 2;
}

static bool read_value(const struct bench_option *option, const char *value)
{
    if (option->text) {
        *option->text = value;
        return true;
    }
    char *end;
    if (option->real) {
        *option->real = strtod(value, &end);
        return *value >= '0' && *value <= '9' && !*end && *option->real >= (double)option->least &&
               *option->real <= (double)option->most;
    }
    *option->number = strtoul(value, &end, 10);
    return *value >= '0' && *value <= '9' && !*end && *option->number >= option->least &&
           *option->number <= option->most;
}

bool bench_read(const struct bench_option *options, size_t known, int count, char **arguments, bool *json)
{
    int at = 0;
    for (; at + 1 < count; at += 2) {
        const char *name = arguments[at], *value = arguments[at + 1];
        if (strcmp(name, "--format") == 0) {
            *json = strcmp(value, "json") == 0;
            if (!*json && strcmp(value, "table") != 0)
                return false;
            continue;
        }
        size_t i = 0;
        while (i < known && strcmp(name, options[i].name) != 0)
            i++;
        if (i == known || !read_value(&options[i], value))
            return false;
    }
    return at == count;
}

int bench_print(json_t *document)
{
    struct bytes text = {0};
    bytes_json(&text, document, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    const bool written = !text.failed && fwrite(text.data, 1, text.size, stdout) == text.size;
    bytes_free(&text);
    return written ? 0 : 1;
}

int bench_run(int count, char **arguments)
{
    struct options options = {.n = 14, .rounds = 5, .threads = 1};
    const struct bench_option known[] = {
        {.name = "--n", .number = &options.n, .least = 1, .most = NQ_KNOWN_MAX_N},
        {.name = "--rounds", .number = &options.rounds, .least = 1, .most = BENCH_ROUNDS_MAX},
        {.name = "--threads", .number = &options.threads, .least = 1, .most = BENCH_THREADS_MAX},
        {.name = "--only", .text = &options.only},
    };
    const int named = count > 0 && strcmp(arguments[0], "count") == 0;
    if (count > 0 && strcmp(arguments[0], "join") == 0)
        return bench_join(count - 1, arguments + 1);
    if (count > 0 && strcmp(arguments[0], "crew") == 0)
        return bench_crew(count - 1, arguments + 1);
    if (count > 0 && strcmp(arguments[0], "solve") == 0)
        return bench_solve(count - 1, arguments + 1);
    if (count > 0 && strcmp(arguments[0], "--help") == 0)
        return usage(stdout);
    if (!bench_read(known, sizeof known / sizeof known[0], count - named, arguments + named, &options.json))
        return usage(stderr);
    return bench_count(&options);
}
