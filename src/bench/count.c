/* count.c - `nqueensd bench count`: ways of counting, in turns, several rounds, with medians and ratios: on a noisy
 * machine a ratio within one run means something, a time does not. */
#include "bench/bench.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/options.h"
#include "base/parallel.h"
#include "count/methods/method.h"

enum { CONTESTANTS_MAX = 16 };

/* One way of counting. Without a method it is a reference, on one thread; by a rule without either, the plain
 * recursion. */
struct contestant {
    char name[40];
    uint64_t (*reference)(uint32_t n);
    const struct rule *rule;
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
    pthread_mutex_t mutex; /* over what follows */
    nq_wide parts;
    uint64_t nodes; /* up to n = 27 they fit */
};

static enum nq_status count_unit(void *of, size_t unit)
{
    struct race *race = of;
    struct unit_result result = {0};
    const enum nq_status status = race->method->count(race->plan, unit, METHOD_WHOLE, race->kernel, NULL, &result);
    pthread_mutex_lock(&race->mutex);
    race->parts += result.parts;
    race->nodes += result.nodes;
    pthread_mutex_unlock(&race->mutex);
    return status;
}

/* A whole count, from its preparation on. 0: it failed, or it is known to be wrong. */
static uint64_t count_units(struct contestant *contestant, uint32_t n)
{
    struct filter filter;
    struct race race = {.method = contestant->method, .kernel = contestant->kernel, .mutex = PTHREAD_MUTEX_INITIALIZER};
    nq_wide thirds;
    filter_begin(&filter, n);
    filter.rule = contestant->rule;
    const struct method_means means = {.tables = (size_t)BENCH_TABLES * BENCH_MEGABYTE, .threads = contestant->threads};
    if (race.method->prepare(&filter, &means, NULL, &race.plan) != NQ_OK)
        return 0;
    const struct parallel_units units = {.count = method_units(race.plan), .make = count_unit, .of = &race};
    const enum nq_status status = parallel_units(contestant->threads, &units);
    race.method->release(race.plan);
    contestant->nodes = race.nodes;
    thirds = race.parts;
    if (status != NQ_OK || (race.method->value && !race.method->value(&filter, race.parts, &thirds)))
        return 0;
    return (uint64_t)(thirds / METHOD_THIRDS);
}

struct options {
    unsigned long n, rounds, threads;
    const char *only;        /* contestants whose names begin so; NULL: all */
    const char *rules;       /* the name of a rule; NULL: queens */
    const struct rule *rule; /* of that name */
    bool json;
};

static void enter(struct contestant *list, size_t *count, const struct options *options, struct contestant entry)
{
    entry.rule = options->rule;
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

/* The references, then every method for whole boards that suits this size; not by lines, only the one that is used. */
static size_t line_up(struct contestant *list, const struct options *options)
{
    size_t count = 0;
    struct filter filter;
    filter_begin(&filter, (uint32_t)options->n);
    filter.rule = options->rule;
    const bool by_lines = rule_by_lines(options->rule);
    if (!by_lines) {
        enter(list, &count, options, (struct contestant){.name = "plain", .threads = 1});
    } else {
        enter(list, &count, options,
              (struct contestant){.name = "textbook", .reference = textbook_count, .threads = 1});
        enter(list, &count, options, (struct contestant){.name = "classic", .reference = classic_count, .threads = 1});
    }
    const struct method *last = NULL;
    for (const struct method *const *at = methods; *at; at++) {
        if ((*at)->symmetry != SYMMETRY_ANY || ((*at)->suits && !(*at)->suits(&filter)))
            continue;
        if (by_lines)
            line_up_method(list, &count, options, *at);
        last = *at;
    }
    if (!by_lines && last)
        line_up_method(list, &count, options, last);
    return count;
}

static uint64_t count_once(struct contestant *contestant, uint32_t n)
{
    if (contestant->method)
        return count_units(contestant, n);
    return contestant->reference ? contestant->reference(n) : plain_count(contestant->rule, n);
}

/* One round of one contestant; false, with a message, if its count is wrong. Not by lines, all must agree with the
 * first count, `agreed`. */
static bool take_turn(struct contestant *contestant, uint32_t n, unsigned round, uint64_t *agreed)
{
    const double start = bench_seconds(contestant->threads);
    const uint64_t count = count_once(contestant, n);
    contestant->seconds[round] = bench_seconds(contestant->threads) - start;
    const bool by_lines = rule_by_lines(contestant->rule);
    if (!by_lines && *agreed == UINT64_MAX)
        *agreed = count;
    else if (by_lines && nq_known_count(n, agreed) != NQ_OK)
        *agreed = 0;
    if (count == *agreed)
        return true;
    fprintf(stderr, "%s: %" PRIu64 " instead of %" PRIu64 "\n", contestant->name, count, *agreed);
    return false;
}

static void print_table(const struct contestant *list, size_t count, const struct options *options)
{
    const unsigned rounds = (unsigned)options->rounds;
    const double reference = bench_median(list[0].seconds, rounds);
    const char *word = rule_word(options->rule);
    printf("count n=%lu%s%s, median of %u rounds in turns; CPU seconds, with several threads elapsed ones\n",
           options->n, word ? " rules=" : "", word ? word : "", rounds);
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
    struct bytes text = {0};
    bench_contest(&text, "count", options->n, rounds, list[0].name);
    for (size_t i = 0; i < count; i++) {
        bench_contestant(&text, list[i].name, list[i].threads, list[i].seconds, rounds, reference);
        json_write_number(&text, "placements", list[i].nodes);
        json_end_object(&text);
    }
    json_end_array(&text);
    json_text_if(&text, "rules", rule_word(options->rule));
    return bench_print(&text);
}

/* Finds the rule; false, with a message: there is none of that name. */
static bool find_rule(struct options *options)
{
    const size_t at = options->rules ? rule_find(options->rules, strlen(options->rules)) : 0;
    options->rule = rules[at];
    if (options->rule)
        return true;
    fprintf(stderr, "nqueensd bench: %s is not a rule; rules are", options->rules);
    for (size_t i = 0; rules[i]; i++)
        fprintf(stderr, " %s", rules[i]->name);
    fputc('\n', stderr);
    return false;
}

int bench_count(int count, char **arguments)
{
    static struct contestant list[CONTESTANTS_MAX];
    struct options options = {.n = 14, .rounds = 5, .threads = 1};
    const struct command_option known[] = {
        {.name = "--n", .number = &options.n, .least = 1, .most = NQ_KNOWN_MAX_N},
        {.name = "--rounds", .number = &options.rounds, .least = 1, .most = BENCH_ROUNDS_MAX},
        {.name = "--threads", .number = &options.threads, .least = 1, .most = BENCH_THREADS_MAX},
        {.name = "--only", .text = &options.only},
        {.name = "--rules", .text = &options.rules},
        {.name = "--format", .read = bench_format, .to = &options.json, .form = "table or json"},
        {0},
    };
    if (!options_read("bench", known, count, arguments) || !find_rule(&options))
        return 2;
    uint64_t agreed = UINT64_MAX;
    const size_t contestants = line_up(list, &options);
    if (!contestants) {
        fprintf(stderr, "nqueensd bench: no contestant's name begins with %s\n", options.only);
        return 2;
    }
    for (unsigned round = 0; round < options.rounds; round++)
        for (size_t i = 0; i < contestants; i++)
            if (!take_turn(&list[i], (uint32_t)options.n, round, &agreed))
                return 1;
    if (options.json)
        return print_json(list, contestants, &options);
    print_table(list, contestants, &options);
    return 0;
}
