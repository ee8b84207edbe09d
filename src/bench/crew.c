/* crew.c - `nqueensd bench crew`: how long a count would take that is shared by more workers than there are machines at
 * hand. Units are sampled (crew_job.c) and the work of all is played (crew_model.c); this one asks and prints. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/crew_job.h"
#include "bench/crew_model.h"
#include "engine/waits.h"

enum { CREWS_MAX = 16, WORKERS_MAX = 1000000, HANDS_MAX = 4000000, TIMES_MAX = 20, PLAYS_MAX = 99 };

struct options {
    struct crew_job job; /* as it is asked for */
    const char *workers;
    unsigned long threads, machines, processors, plays, seed;
    double ack_wait, store_ms, take_ms, beside_ms, broker_rate, audit, spread, fail_per_hour, replace, price;
    double crew[CREWS_MAX]; /* workers of each */
    size_t crews;
    bool json;
};

/* What became of so many workers: of all plays the one with the median makespan, and the extremes. And what a single
 * process would do with as many threads. */
struct outcome {
    unsigned workers;
    double speed;
    struct crew_story story, alone;
    double least, most;
};

static int usage(FILE *to)
{
    fputs(
        "nqueensd bench crew [--n N] [--workers W,W,...] [--threads T] [what follows] [--format table|json]\n"
        "How long a count of board N (20) would take if W workers (1,2,4) of T threads (1) shared it. Units take "
        "their\n"
        "weight times seconds per weight; what K units drawn here took is measured, and one of these rates drawn for\n"
        "each unit. As many threads are busy meanwhile as would be on a machine like this one; for W that would keep "
        "other\n"
        "numbers busy it is measured anew. In the order of what is played:\n"
        "  --machines M        machines like this one, which all share with broker and server (0: as many as it takes\n"
        "                      for each thread to have a processor)\n"
        "  --beside-ms         milliseconds of a processor that these two then take for each unit (2.4)\n"
        "  --sample K          units that are counted here (20)\n"
        "  --per-weight S,...  seconds per weight, measured elsewhere: no unit is counted here\n"
        "  --tables M          no tables of more than M megabytes (1024)\n"
        "  --times X           X times the units of board N, for a larger one (1)\n"
        "  --take-ms, --store-ms  milliseconds to be handed a batch (2); to post one, or to store a unit's result (1)\n"
        "  --broker-rate R     messages that the broker sees to in a second (10000; 0: any number)\n"
        "  --audit A           share of the units that are counted again, by another worker or the server (0.01)\n"
        "  --speed-spread D    standard deviation of the workers' speeds around 1 (0)\n"
        "  --fail-per-hour F   deaths of a worker in an hour, on average (0); a frozen one is as good as dead\n"
        "  --ack-wait S        seconds until a dead worker's batches are handed out again (30)\n"
        "  --replace-seconds S until there is another worker in its place, which builds its tables anew (60)\n"
        "  --plays R           so often it is played, with other deaths and audits; the median one is told (5)\n"
        "  --seed S            of rates, speeds, deaths, audits (1)\n"
        "  --price P           dollars for a core-hour (0)\n"
        "It prints what a worker's memory is, and for each W\n"
        "  makespan    seconds until the last result is stored, and the last audit over\n"
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

static double hands_of(const struct options *options, unsigned workers)
{
    return (double)workers * (double)options->threads;
}

/* Threads that are busy at once on a machine. */
static unsigned long busy_of(const struct options *options, unsigned workers)
{
    const double hands = ceil(hands_of(options, workers) / (double)(options->machines ? options->machines : 1));
    return hands < (double)options->processors ? (unsigned long)hands : options->processors;
}

static double speed_of(const struct options *options, const struct crew_job *job, unsigned workers)
{
    const double processors = (double)options->machines * (double)options->processors;
    const double unit = job->seconds / (double)job->units;
    return options->machines ? crew_speed(processors, hands_of(options, workers), unit, options->beside_ms / 1e3) : 1;
}

static struct crew crew_of(const struct options *options, const struct crew_job *job, const struct outcome *outcome)
{
    return (struct crew){.expected = job->expected,
                         .taken = job->taken,
                         .units = job->units,
                         .workers = outcome->workers,
                         .threads = (unsigned)options->threads,
                         .begin = job->listing,
                         .hear = PAUSE_MS / 1e3,
                         .tables = job->tables / (double)options->threads,
                         .store = options->store_ms / 1e3,
                         .take = options->take_ms / 1e3,
                         .message = options->broker_rate > 0 ? 1 / options->broker_rate : 0,
                         .ack_wait = options->ack_wait,
                         .fails = options->fail_per_hour / 3600,
                         .replace = options->replace,
                         .audit = options->audit,
                         .speed = outcome->speed,
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
                         .speed = crew->speed,
                         .alone = true};
}

static int sooner(const void *a, const void *b)
{
    const double x = ((const struct crew_story *)a)->makespan, y = ((const struct crew_story *)b)->makespan;
    return (x > y) - (x < y);
}

static bool play(const struct options *options, const struct crew_job *job, struct outcome *outcome)
{
    struct crew_story story[PLAYS_MAX];
    outcome->speed = speed_of(options, job, outcome->workers);
    struct crew crew = crew_of(options, job, outcome);
    const struct crew alone = alone_of(&crew);
    for (unsigned long i = 0; i < options->plays; i++, crew.seed++)
        if (crew_play(&crew, &story[i]) != NQ_OK)
            return false;
    qsort(story, options->plays, sizeof *story, sooner);
    outcome->story = story[options->plays / 2];
    outcome->least = story[0].makespan;
    outcome->most = story[options->plays - 1].makespan;
    return crew_play(&alone, &outcome->alone) == NQ_OK;
}

/* ---- Printing ---- */

static double core_hours_of(const struct options *options, const struct outcome *outcome)
{
    return hands_of(options, outcome->workers) * outcome->story.makespan / 3600;
}

/* Of all time of all hands. */
static double share(const struct options *options, const struct outcome *outcome, double seconds)
{
    return seconds / (hands_of(options, outcome->workers) * outcome->story.makespan);
}

static void print_heading(const struct crew_job *job)
{
    printf("crew n=%lu, %zu units", job->sample.n, job->units);
    if (job->times > 1)
        printf(" (each %lu times)", job->times);
    printf(", %s, %zu rates %s, %lu threads at once\n", job->sample.kernel->name, job->rates,
           job->told ? "told" : "measured", job->sample.threads);
    printf("%-28s %14.1f\n", "MB of a worker", job->sample.told.shared / BENCH_MEGABYTE);
    printf("%-28s %14.1f\n", "MB of each of its threads", job->sample.told.each / BENCH_MEGABYTE);
    printf("%-28s %14.3f\n", "seconds to prepare", job->tables);
    printf("%-28s %14.3g +- %.2g each\n", "seconds per weight", job->mean, job->deviation);
    printf("%-28s %14.6g +- %.2g\n", "core-seconds for all", job->seconds, job->error);
    printf("%-28s %14.4g\n", "seconds of the longest unit", job->longest);
    printf("%8s %8s %12s %9s %8s %10s %10s %7s %12s %12s %12s\n", "workers", "threads", "makespan", "efficient",
           "tables", "at the end", "tail", "again", "alone", "core-hours", "dollars");
}

static void print_outcome(const struct options *options, const struct outcome *outcome)
{
    const struct crew_story *story = &outcome->story;
    printf("%8u %8.0f ", outcome->workers, hands_of(options, outcome->workers));
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
    return json_pack(
        "{s:I, s:I, s:f, s:b, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f}",
        "workers", (json_int_t)outcome->workers, "threads", (json_int_t)hands_of(options, outcome->workers), "speed",
        outcome->speed, "ended", (int)story->ended, "makespan", story->makespan, "least", outcome->least, "most",
        outcome->most, "efficiency", share(options, outcome, story->useful), "tables_share",
        share(options, outcome, story->spent[CREW_TABLES]), "end_seconds", story->at_end, "tail", story->tail,
        "seconds", spent, "begun", (json_int_t)story->begun, "cut", (json_int_t)story->cut, "audits",
        (json_int_t)story->audits, "batches", (json_int_t)story->batches, "deaths", (json_int_t)story->deaths,
        "redelivered", (json_int_t)story->redelivered, "alone", outcome->alone.makespan, "core_hours",
        core_hours_of(options, outcome), "dollars", options->price * core_hours_of(options, outcome));
}

static json_t *json_rates(const struct crew_job *job)
{
    json_t *rates = json_array();
    for (size_t i = 0; i < job->rates; i++)
        json_array_append_new(rates, json_real(job->rate[i]));
    return rates;
}

/* What was measured with so many threads, and the crews that keep as many busy. */
static json_t *json_load(const struct crew_job *job, json_t *crews)
{
    json_t *all = json_pack("{s:f, s:f}", "estimate", job->seconds, "standard_error", job->error);
    return json_pack("{s:I, s:f, s:f, s:o, s:o, s:f, s:o}", "threads_at_once", (json_int_t)job->sample.threads,
                     "listing_seconds", job->listing, "prepare_seconds", job->tables, "seconds_per_weight",
                     json_rates(job), "core_seconds", all, "longest_unit", job->longest, "crews", crews);
}

/* What holds of all crews; loads are to come. */
static json_t *json_report(const struct crew_job *job)
{
    json_t *memory = json_pack("{s:I, s:I}", "worker", (json_int_t)job->sample.told.shared, "each_thread",
                               (json_int_t)job->sample.told.each);
    return json_pack("{s:s, s:I, s:I, s:I, s:s, s:o, s:b, s:[]}", "bench", "crew", "n", (json_int_t)job->sample.n,
                     "times", (json_int_t)job->times, "units", (json_int_t)job->units, "kernel",
                     job->sample.kernel->name, "memory", memory, "measured", !job->told, "loads");
}

/* ---- The command ---- */

/* The crews from one on that keep as many threads of a machine busy as it does. */
static size_t alike(const struct options *options, size_t from)
{
    size_t end = from;
    while (end < options->crews &&
           busy_of(options, (unsigned)options->crew[end]) == busy_of(options, (unsigned)options->crew[from]))
        end++;
    return end;
}

static bool play_alike(const struct options *options, const struct crew_job *job, size_t from, json_t *report)
{
    json_t *crews = json_array();
    bool played = true;
    if (!options->json)
        print_heading(job);
    for (size_t i = from; played && i < alike(options, from); i++) {
        struct outcome outcome = {.workers = (unsigned)options->crew[i]};
        played = play(options, job, &outcome);
        if (played && options->json)
            json_array_append_new(crews, json_outcome(options, &outcome));
        else if (played)
            print_outcome(options, &outcome);
    }
    json_array_append_new(json_object_get(report, "loads"), json_load(job, crews));
    return played;
}

/* Measures, and plays those that it is measured for. */
static enum crew_job_end run_alike(const struct options *options, size_t from, json_t **report)
{
    struct crew_job job = options->job;
    job.sample.threads = busy_of(options, (unsigned)options->crew[from]);
    job.plans = (job.sample.threads + options->threads - 1) / options->threads;
    enum crew_job_end end = crew_job_begin(&job);
    if (end == CREW_JOB_READY && !*report)
        *report = json_report(&job);
    if (end == CREW_JOB_READY && !play_alike(options, &job, from, *report))
        end = CREW_JOB_NOMEM;
    crew_job_end(&job);
    return end;
}

static enum crew_job_end run(const struct options *options)
{
    json_t *report = NULL;
    enum crew_job_end end = CREW_JOB_READY;
    for (size_t i = 0; i < options->crews && end == CREW_JOB_READY; i = alike(options, i))
        end = run_alike(options, i, &report);
    if (options->json && end == CREW_JOB_READY)
        return bench_print(report) == 0 ? CREW_JOB_READY : CREW_JOB_NOMEM;
    json_decref(report);
    return end;
}

static bool read_options(struct options *options, int count, char **arguments)
{
    struct sample *sample = &options->job.sample;
    const struct bench_option known[] = {
        {.name = "--n", .number = &sample->n, .least = SAMPLE_LEAST_N, .most = sample_method()->max_n},
        {.name = "--workers", .text = &options->workers},
        {.name = "--threads", .number = &options->threads, .least = 1, .most = BENCH_THREADS_MAX},
        {.name = "--machines", .number = &options->machines, .most = WORKERS_MAX},
        {.name = "--beside-ms", .real = &options->beside_ms, .most = 60000},
        {.name = "--sample", .number = &sample->count, .least = 2, .most = SAMPLE_MAX},
        {.name = "--per-weight", .text = &options->job.told},
        {.name = "--tables", .number = &sample->megabytes, .most = SIZE_MAX / BENCH_MEGABYTE},
        {.name = "--times", .number = &options->job.times, .least = 1, .most = TIMES_MAX},
        {.name = "--take-ms", .real = &options->take_ms, .most = 60000},
        {.name = "--store-ms", .real = &options->store_ms, .most = 60000},
        {.name = "--broker-rate", .real = &options->broker_rate, .most = 1000000000},
        {.name = "--audit", .real = &options->audit, .most = 1},
        {.name = "--speed-spread", .real = &options->spread, .most = 1},
        {.name = "--fail-per-hour", .real = &options->fail_per_hour, .most = 3600},
        {.name = "--ack-wait", .real = &options->ack_wait, .most = 86400},
        {.name = "--replace-seconds", .real = &options->replace, .most = 86400},
        {.name = "--seed", .number = &options->seed, .most = UINT32_MAX},
        {.name = "--plays", .number = &options->plays, .least = 1, .most = PLAYS_MAX},
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
                              .processors = (unsigned long)sysconf(_SC_NPROCESSORS_ONLN),
                              .beside_ms = 2.4,
                              .audit = 0.01,
                              .plays = 5,
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
    const enum crew_job_end end = run(&options);
    const int status = end == CREW_JOB_MISTOLD ? usage(stderr) : end == CREW_JOB_READY ? 0 : 1;
    if (status == 1)
        fputs("nqueensd bench: there is not memory enough\n", stderr);
    return status;
}
