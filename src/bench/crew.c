/* crew.c - `nqueensd bench crew`: how long a count would take that is shared by more workers than there are machines at
 * hand. Units are sampled (crew_job.c) and the work of all is played (crew_model.c); this one asks and prints. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/crew_job.h"
#include "bench/crew_model.h"

enum { CREWS_MAX = 16, WORKERS_MAX = 1000000, HANDS_MAX = 4000000, TIMES_MAX = 20 };

struct options {
    struct crew_job job;
    const char *workers;
    unsigned long threads, seed;
    double ack_wait, store_ms, take_ms, broker_rate, spread, fail_per_hour, replace, price;
    double crew[CREWS_MAX]; /* workers of each */
    size_t crews;
    bool json;
};

/* What became of so many workers, and what a single process would do with as many threads. */
struct outcome {
    unsigned workers;
    struct crew_story story, alone;
};

static int usage(FILE *to)
{
    fputs(
        "nqueensd bench crew [--n N] [--workers W,W,...] [--threads T] [what follows] [--format table|json]\n"
        "How long a count of board N (20) would take if W workers (1,2,4) of T threads (1) shared it. Units take "
        "their\n"
        "weight times seconds per weight; what K units drawn here took is measured, and one of these rates drawn for\n"
        "each unit. In the order of what is played:\n"
        "  --sample K          units that are counted here, on one thread (20)\n"
        "  --per-weight S,...  seconds per weight, measured elsewhere: no unit is counted here\n"
        "  --tables M          no tables of more than M megabytes (1024)\n"
        "  --times X           X times the units of board N, for a larger one (1)\n"
        "  --take-ms, --store-ms  milliseconds to be handed a batch (2); to post one, or to store a unit's result (1)\n"
        "  --broker-rate R     messages that the broker sees to in a second (10000; 0: any number)\n"
        "  --speed-spread D    standard deviation of the workers' speeds around 1 (0)\n"
        "  --fail-per-hour F   deaths of a worker in an hour, on average (0); a frozen one is as good as dead\n"
        "  --ack-wait S        seconds until a dead worker's batches are handed out again (30)\n"
        "  --replace-seconds S until there is another worker in its place, which builds its tables anew (60)\n"
        "  --seed S            of rates, speeds and deaths (1)\n"
        "  --price P           dollars for a core-hour (0)\n"
        "It prints for each W\n"
        "  makespan    seconds until the last result is stored\n"
        "  efficient   share of all the threads' time that was spent on units whose result was stored\n"
        "  tables      share spent on tables, once in each worker's life, and quicker with more threads\n"
        "  at the end  share spent idle at the end, while others have the last units\n"
        "  tail        seconds from when the last batch was taken\n"
        "  again       batches of dead workers that were handed out again\n"
        "  alone       seconds that one process would take with W x T threads: no broker, nobody dies\n"
        "  core-hours  W x T x makespan: what is paid for\n",
        to);
    return to == stdout ? 0 : 2;
}

/* ---- Playing ---- */

static struct crew crew_of(const struct options *options, unsigned workers)
{
    const struct crew_job *job = &options->job;
    return (struct crew){.expected = job->expected,
                         .taken = job->taken,
                         .units = job->units,
                         .workers = workers,
                         .threads = (unsigned)options->threads,
                         .tables = job->sample.prepare_seconds / (double)options->threads,
                         .store = options->store_ms / 1e3,
                         .take = options->take_ms / 1e3,
                         .message = options->broker_rate > 0 ? 1 / options->broker_rate : 0,
                         .ack_wait = options->ack_wait,
                         .fails = options->fail_per_hour / 3600,
                         .replace = options->replace,
                         .spread = options->spread,
                         .seed = options->seed};
}

static struct crew alone_of(const struct crew *crew)
{
    return (struct crew){.expected = crew->expected,
                         .taken = crew->taken,
                         .units = crew->units,
                         .workers = 1,
                         .threads = crew->workers * crew->threads,
                         .tables = crew->tables / crew->workers,
                         .alone = true};
}

static bool play(const struct options *options, struct outcome *outcome)
{
    const struct crew crew = crew_of(options, outcome->workers), alone = alone_of(&crew);
    return crew_play(&crew, &outcome->story) == NQ_OK && crew_play(&alone, &outcome->alone) == NQ_OK;
}

/* ---- Printing ---- */

static double hands_of(const struct options *options, const struct outcome *outcome)
{
    return (double)outcome->workers * (double)options->threads;
}

static double core_hours_of(const struct options *options, const struct outcome *outcome)
{
    return hands_of(options, outcome) * outcome->story.makespan / 3600;
}

/* Of all time of all hands. */
static double share(const struct options *options, const struct outcome *outcome, double seconds)
{
    return seconds / (hands_of(options, outcome) * outcome->story.makespan);
}

static void print_heading(const struct options *options)
{
    const struct crew_job *job = &options->job;
    printf("crew n=%lu, %zu units", job->sample.n, job->units);
    if (job->times > 1)
        printf(" (each %lu times)", job->times);
    printf(", %s, %zu rates %s\n", job->sample.kernel->name, job->rates, job->told ? "told" : "measured");
    printf("%-28s %14.3f\n", "seconds to prepare", job->sample.prepare_seconds);
    printf("%-28s %14.3g +- %.2g each\n", "seconds per weight", job->mean, job->deviation);
    printf("%-28s %14.6g +- %.2g\n", "core-seconds for all", job->seconds, job->error);
    printf("%-28s %14.4g\n", "seconds of the longest unit", job->longest);
    printf("%8s %8s %12s %9s %8s %10s %10s %7s %12s %12s %12s\n", "workers", "threads", "makespan", "efficient",
           "tables", "at the end", "tail", "again", "alone", "core-hours", "dollars");
}

static void print_outcome(const struct options *options, const struct outcome *outcome)
{
    const struct crew_story *story = &outcome->story;
    printf("%8u %8.0f ", outcome->workers, hands_of(options, outcome));
    if (!story->ended) {
        puts("given up: workers die sooner than they get on");
        return;
    }
    printf("%12.6g %8.2f%% %7.2f%% %9.2f%% %10.4g %7llu %12.6g %12.6g", story->makespan,
           100 * share(options, outcome, story->useful), 100 * share(options, outcome, story->spent[CREW_TABLES]),
           100 * share(options, outcome, story->at_end), story->tail, (unsigned long long)story->redelivered,
           outcome->alone.makespan, core_hours_of(options, outcome));
    if (options->price > 0)
        printf(" %12.6g\n", options->price * core_hours_of(options, outcome));
    else
        printf(" %12s\n", "-");
}

static json_t *json_outcome(const struct options *options, const struct outcome *outcome)
{
    static const char *const doing[CREW_DOINGS] = {"away", "tables", "waiting", "taking", "counting", "storing"};
    const struct crew_story *story = &outcome->story;
    json_t *spent = json_object();
    for (int i = 0; i < CREW_DOINGS; i++)
        json_object_set_new(spent, doing[i], json_real(story->spent[i]));
    return json_pack("{s:I, s:I, s:b, s:f, s:f, s:f, s:f, s:f, s:o, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f}", "workers",
                     (json_int_t)outcome->workers, "threads", (json_int_t)hands_of(options, outcome), "ended",
                     (int)story->ended, "makespan", story->makespan, "efficiency",
                     share(options, outcome, story->useful), "tables_share",
                     share(options, outcome, story->spent[CREW_TABLES]), "end_seconds", story->at_end, "tail",
                     story->tail, "seconds", spent, "begun", (json_int_t)story->begun, "cut", (json_int_t)story->cut,
                     "batches", (json_int_t)story->batches, "deaths", (json_int_t)story->deaths, "redelivered",
                     (json_int_t)story->redelivered, "alone", outcome->alone.makespan, "core_hours",
                     core_hours_of(options, outcome), "dollars", options->price * core_hours_of(options, outcome));
}

static json_t *json_rates(const struct crew_job *job)
{
    json_t *rates = json_array();
    for (size_t i = 0; i < job->rates; i++)
        json_array_append_new(rates, json_real(job->rate[i]));
    return rates;
}

static int print_json(const struct options *options, const struct outcome *outcomes)
{
    const struct crew_job *job = &options->job;
    json_t *crews = json_array();
    for (size_t i = 0; i < options->crews; i++)
        json_array_append_new(crews, json_outcome(options, &outcomes[i]));
    json_t *all = json_pack("{s:f, s:f}", "estimate", job->seconds, "standard_error", job->error);
    return bench_print(json_pack("{s:s, s:I, s:I, s:I, s:s, s:f, s:b, s:o, s:o, s:f, s:o}", "bench", "crew", "n",
                                 (json_int_t)job->sample.n, "times", (json_int_t)job->times, "units",
                                 (json_int_t)job->units, "kernel", job->sample.kernel->name, "prepare_seconds",
                                 job->sample.prepare_seconds, "measured", !job->told, "seconds_per_weight",
                                 json_rates(job), "core_seconds", all, "longest_unit", job->longest, "crews", crews));
}

/* ---- The command ---- */

static int run(const struct options *options)
{
    struct outcome outcomes[CREWS_MAX];
    if (!options->json)
        print_heading(options);
    for (size_t i = 0; i < options->crews; i++) {
        outcomes[i].workers = (unsigned)options->crew[i];
        if (!play(options, &outcomes[i]))
            return 1;
        if (!options->json)
            print_outcome(options, &outcomes[i]);
    }
    return options->json ? print_json(options, outcomes) : 0;
}

static bool read_options(struct options *options, int count, char **arguments)
{
    struct sample *sample = &options->job.sample;
    const struct bench_option known[] = {
        {.name = "--n", .number = &sample->n, .least = SAMPLE_LEAST_N, .most = sample_method()->max_n},
        {.name = "--workers", .text = &options->workers},
        {.name = "--threads", .number = &options->threads, .least = 1, .most = BENCH_THREADS_MAX},
        {.name = "--sample", .number = &sample->count, .least = 2, .most = SAMPLE_MAX},
        {.name = "--per-weight", .text = &options->job.told},
        {.name = "--tables", .number = &sample->megabytes, .most = SIZE_MAX / BENCH_MEGABYTE},
        {.name = "--times", .number = &options->job.times, .least = 1, .most = TIMES_MAX},
        {.name = "--take-ms", .real = &options->take_ms, .most = 60000},
        {.name = "--store-ms", .real = &options->store_ms, .most = 60000},
        {.name = "--broker-rate", .real = &options->broker_rate, .most = 1000000000},
        {.name = "--speed-spread", .real = &options->spread, .most = 1},
        {.name = "--fail-per-hour", .real = &options->fail_per_hour, .most = 3600},
        {.name = "--ack-wait", .real = &options->ack_wait, .most = 86400},
        {.name = "--replace-seconds", .real = &options->replace, .most = 86400},
        {.name = "--seed", .number = &options->seed, .most = UINT32_MAX},
        {.name = "--price", .real = &options->price, .most = 1000},
    };
    if (!bench_read(known, sizeof known / sizeof known[0], count, arguments, &options->json))
        return false;
    options->crews = crew_numbers(options->workers, options->crew, CREWS_MAX);
    for (size_t i = 0; i < options->crews; i++)
        if (options->crew[i] != floor(options->crew[i]) || options->crew[i] < 1 || options->crew[i] > WORKERS_MAX ||
            options->crew[i] * (double)options->threads > HANDS_MAX)
            return false;
    return options->crews > 0;
}

int bench_crew(int count, char **arguments)
{
    struct options options = {.job = {.sample = {.n = 20, .count = 20, .threads = 1, .megabytes = BENCH_TABLES}},
                              .workers = "1,2,4",
                              .threads = 1,
                              .seed = 1,
                              .ack_wait = 30,
                              .store_ms = 1,
                              .take_ms = 2,
                              .broker_rate = 10000,
                              .replace = 60};
    options.job.times = 1;
    if (count == 1 && strcmp(arguments[0], "--help") == 0)
        return usage(stdout);
    if (!read_options(&options, count, arguments))
        return usage(stderr);
    options.job.seed = options.seed;
    const enum crew_job_end made = crew_job_begin(&options.job);
    const int status = made == CREW_JOB_MISTOLD ? usage(stderr) : made == CREW_JOB_READY ? run(&options) : 1;
    crew_job_end(&options.job);
    if (status == 1)
        fputs("nqueensd bench: there is not memory enough\n", stderr);
    return status;
}
