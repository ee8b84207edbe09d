/* metrics.c - counters by route and status, a histogram of durations by route, and the engine's stats. */
#include "http/guard/metrics.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "http/wire/exposition.h"

/* Every status that this service sends. Another one, which would be a mistake, counts as the last. */
static const unsigned codes[] = {200, 202, 204, 304, 400, 401, 403, 404, 405, 406, 408,
                                 413, 414, 415, 422, 429, 431, 499, 501, 503, 505, 500};
enum { CODES = sizeof codes / sizeof codes[0] };

/* Upper bounds in seconds; one more bucket is for what is above. */
static const double bounds[] = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                0.1,    0.25,    0.5,    1,     2.5,    5,     10,   30,    60};
enum { BOUNDS = sizeof bounds / sizeof bounds[0] };

struct row {
    atomic_ullong code[CODES];
    atomic_ullong bucket[BOUNDS + 1];
    atomic_ullong nanoseconds;
};

struct metrics {
    size_t count;
    const char *(*route)(size_t i);
    struct row rows[];
};

struct metrics *metrics_new(size_t count, const char *(*route)(size_t i))
{
    struct metrics *metrics = calloc(1, sizeof *metrics + (count + 1) * sizeof metrics->rows[0]);
    if (metrics) {
        metrics->count = count;
        metrics->route = route;
    }
    return metrics;
}

void metrics_free(struct metrics *metrics)
{
    free(metrics);
}

void metrics_request(struct metrics *metrics, size_t route, unsigned status, uint64_t nanoseconds)
{
    const double seconds = (double)nanoseconds / 1e9;
    struct row *row = &metrics->rows[route];
    size_t code = 0, bucket = 0;
    while (code < CODES - 1 && codes[code] != status)
        code++;
    while (bucket < BOUNDS && seconds > bounds[bucket])
        bucket++;
    atomic_fetch_add_explicit(&row->code[code], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&row->bucket[bucket], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&row->nanoseconds, nanoseconds, memory_order_relaxed);
}

static const char *route_name(const struct metrics *metrics, size_t route)
{
    return route < metrics->count ? metrics->route(route) : "none";
}

static void write_requests(const struct metrics *metrics, struct bytes *out)
{
    exposition_head(out, "nq_http_requests_total", "counter",
                    "Requests answered, by route and status (499: the client had closed the connection, or the HTTP "
                    "library had replied).");
    for (size_t route = 0; route <= metrics->count; route++)
        for (size_t code = 0; code < CODES; code++) {
            unsigned long long count = atomic_load_explicit(&metrics->rows[route].code[code], memory_order_relaxed);
            if (count)
                bytes_format(out, "nq_http_requests_total{route=\"%s\",code=\"%u\"} %llu\n", route_name(metrics, route),
                             codes[code], count);
        }
}

static void write_durations(const struct metrics *metrics, struct bytes *out)
{
    static const char name[] = "nq_http_request_duration_seconds";
    exposition_head(out, name, "histogram",
                    "Time from the request line to the last byte passed to the system, by route.");
    for (size_t route = 0; route <= metrics->count; route++) {
        const struct row *row = &metrics->rows[route];
        const char *label = route_name(metrics, route);
        if (route && strcmp(label, route_name(metrics, route - 1)) == 0)
            continue; /* all methods of a path are counted in the first of its rows */
        unsigned long long sum = 0;
        for (size_t bucket = 0; bucket <= BOUNDS; bucket++) {
            sum += atomic_load_explicit(&row->bucket[bucket], memory_order_relaxed);
            if (bucket < BOUNDS)
                bytes_format(out, "%s_bucket{route=\"%s\",le=\"%g\"} %llu\n", name, label, bounds[bucket], sum);
            else
                bytes_format(out, "%s_bucket{route=\"%s\",le=\"+Inf\"} %llu\n", name, label, sum);
        }
        double seconds = (double)atomic_load_explicit(&row->nanoseconds, memory_order_relaxed) / 1e9;
        bytes_format(out, "%s_sum{route=\"%s\"} %.9f\n%s_count{route=\"%s\"} %llu\n", name, label, seconds, name, label,
                     sum);
    }
}

static void write_efforts(const struct efforts *efforts, struct bytes *out)
{
    enum { SEARCHES, NODES, SECONDS };
    static const char *const metrics[][2] = {
        [SEARCHES] = {"nq_algorithm_searches_total", "Searches started, by algorithm; a comparison starts one for each "
                                                     "algorithm, a count one for each method it uses."},
        [NODES] = {"nq_algorithm_nodes_total", "Work done, by algorithm, in the unit of the budgets: placements tried, "
                                               "or work of about the same time."},
        [SECONDS] = {"nq_algorithm_cpu_seconds_total", "CPU time of all search threads, by algorithm."},
    };
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++) {
        struct effort_stats row;
        exposition_head(out, metrics[i][0], "counter", metrics[i][1]);
        for (size_t k = 0; efforts_get(efforts, k, &row); k++) {
            bytes_format(out, "%s{family=\"%s\",algorithm=\"%s\"} ", metrics[i][0], row.family, row.name);
            if (i == SECONDS)
                bytes_duration(out, row.nanoseconds, 9, 9);
            else
                bytes_number(out, i == NODES ? row.nodes : row.searches);
            bytes_char(out, '\n');
        }
    }
}

static void write_pool(const struct pool_stats *pool, struct bytes *out)
{
    exposition_one(out, "nq_pool_workers", "Threads that search.", pool->threads);
    exposition_one(out, "nq_pool_running", "Threads at work now.", pool->running);
    exposition_one(out, "nq_pool_queue_depth", "Tasks waiting for a thread.", pool->queued);
    exposition_one(out, "nq_pool_slices_total", "Slices of about two milliseconds finished.", pool->slices);
    exposition_seconds(out, "nq_pool_cpu_seconds_total", "CPU time spent on slices.", pool->worked);
    exposition_seconds(out, "nq_pool_wait_seconds_total", "Time that tasks waited for their slices.", pool->waited);
    exposition_one(out, "nq_slices_overrun_total",
                   "Times that a search used 100 ms of CPU time without checking whether others wait.", pool->overrun);
    exposition_one(out, "nq_slices_set_aside_total",
                   "Times that a search was set aside in the middle of a slice so that others could run.",
                   pool->set_aside);
}

static void write_store(const struct journal_stats *journal, bool unread, struct bytes *out)
{
    static const char took[] = "nq_store_write_duration_seconds";
    exposition_one(out, "nq_store_broken", "1 while the store cannot be read or written.", journal->broken || unread);
    exposition_one(out, "nq_store_waiting", "Facts waiting to be stored.", journal->waiting);
    exposition_one(out, "nq_store_written_total", "Facts stored.", journal->written);
    exposition_one(out, "nq_store_lost_total", "Facts lost because the queue or the store was full.", journal->lost);
    exposition_one(out, "nq_store_failures_total", "Times that the store could not be written or read.",
                   journal->failures);
    exposition_one(out, "nq_store_bytes", "Bytes used in the store.", journal->store.bytes);
    exposition_one(out, "nq_store_facts", "Facts in the store.", journal->store.facts);
    exposition_one(out, "nq_store_evicted_total", "Facts removed to make room in the store.", journal->store.evicted);
    exposition_one(out, "nq_store_damaged_total", "Damaged facts read from the store; they count as absent.",
                   journal->store.damaged);
    exposition_head(out, took, "summary",
                    "Time of writing a batch of facts to the store, including attempts that failed.");
    bytes_format(out, "%s_sum %.9f\n%s_count %" PRIu64 "\n", took, (double)journal->write_ns / (double)CLOCK_SECOND,
                 took, journal->batches);
}

static void write_jobs(const struct job_stats *jobs, struct bytes *out)
{
    exposition_one(out, "nq_jobs_active", "Jobs queued or running.", jobs->active);
    exposition_one(out, "nq_jobs_kept", "Finished jobs that can still be read.", jobs->kept);
    exposition_one(out, "nq_jobs_begun_total", "Jobs started.", jobs->begun);
    exposition_one(out, "nq_jobs_resumed_total", "Jobs of an earlier process that were resumed.", jobs->resumed);
    exposition_one(out, "nq_jobs_done_total", "Jobs that ended with a result.", jobs->done);
    exposition_one(out, "nq_jobs_failed_total", "Jobs that failed.", jobs->failed);
    exposition_one(out, "nq_jobs_cancelled_total", "Jobs cancelled.", jobs->cancelled);
    exposition_one(out, "nq_jobs_refused_total", "Jobs rejected because there were too many.", jobs->refused);
}

static void write_coordinator(const struct coordinator_stats *coordinator, struct bytes *out)
{
    static const char batches[] = "nq_queue_batches";
    exposition_head(out, "nq_workers", "gauge", "Workers connected, of this server's release or of another.");
    bytes_format(out, "nq_workers{compatible=\"true\"} %u\nnq_workers{compatible=\"false\"} %u\n", coordinator->workers,
                 coordinator->foreign);
    exposition_one(out, "nq_workers_threads", "Threads of all workers of this release.", coordinator->worker_threads);
    exposition_one(out, "nq_workers_lost_total", "Workers lost without a goodbye message.", coordinator->lost);
    exposition_one(out, "nq_counts_led", "Long counts and indexes that this server leads.", coordinator->led);
    exposition_one(out, "nq_counts_followed", "Long counts and indexes that another server leads.",
                   coordinator->followed);
    exposition_head(out, batches, "gauge", "Batches of all servers in the queue (ready) or with a worker (leased).");
    bytes_format(out, "%s{state=\"ready\"} %" PRIu64 "\n%s{state=\"leased\"} %" PRIu64 "\n", batches,
                 coordinator->ready, batches, coordinator->leased);
    exposition_one(out, "nq_batches_posted_total", "Batches posted to the queue.", coordinator->posted);
    exposition_one(out, "nq_units_remote_total", "Units counted by workers.", coordinator->units);
    exposition_one(out, "nq_units_reposted_total", "Units posted again because no result came.", coordinator->reposted);
    exposition_one(out, "nq_audits_total", "Units counted twice, to check a worker.", coordinator->audits);
    exposition_one(out, "nq_audit_disagreements_total", "Units for which two counts differed.",
                   coordinator->disagreements);
}

void metrics_write(const struct metrics *metrics, struct engine *engine, struct bytes *out)
{
    const struct engine_stats stats = engine_stats(engine);
    const struct flight_stats *flights = &stats.flights;
    const struct stream_stats *streams = &stats.streams;
    exposition_build(out, engine_kernel(engine));
    write_requests(metrics, out);
    write_durations(metrics, out);
    exposition_one(out, "nq_cache_hits_total", "Questions answered from the cache.", flights->cache.hits);
    exposition_one(out, "nq_cache_misses_total", "Questions not found in the cache.", flights->misses);
    exposition_one(out, "nq_cache_evictions_total", "Answers removed from the cache to make room.",
                   flights->cache.evictions);
    exposition_one(out, "nq_cache_bytes", "Bytes of the cached answers.", flights->cache.bytes);
    exposition_one(out, "nq_cache_entries", "Answers in the cache.", flights->cache.entries);
    write_pool(&stats.pool, out);
    exposition_head(
        out, "nq_lengthy_core_seconds_left", "gauge",
        "Estimated core-seconds that the lengthy searches under way still need, on this server and on workers.");
    bytes_format(out, "nq_lengthy_core_seconds_left %.1f\n", flights->lengthy_seconds);
    write_efforts(engine_efforts(engine), out);
    exposition_one(out, "nq_table_bytes", "Bytes of the tables of the counts under way, or of the last one.",
                   stats.plans.bytes);
    exposition_one(out, "nq_searches_started_total", "Searches started for questions that were not cached.",
                   flights->started);
    exposition_one(out, "nq_searches_running", "Searches under way or waiting for a thread.", flights->running);
    exposition_one(out, "nq_searches_cancelled_total", "Searches stopped because no client waited any more.",
                   flights->cancelled);
    exposition_one(out, "nq_searches_refused_total", "Searches rejected because the queue was full.", flights->refused);
    exposition_one(out, "nq_searches_too_large_total",
                   "Searches rejected because they need more memory than --search-bytes.", stats.too_large);
    write_jobs(&stats.jobs, out);
    write_store(&stats.journal, stats.jobs.unread, out);
    write_coordinator(&stats.coordinator, out);
    exposition_one(out, "nq_streams_running", "Streams open.", streams->running);
    exposition_one(out, "nq_streams_started_total", "Streams opened.", streams->started);
    exposition_one(out, "nq_streams_refused_total", "Streams rejected because too many were open.", streams->refused);
    exposition_one(out, "nq_streams_cut_total", "Streams cut before their end.", streams->cut);
    exposition_one(out, "nq_solutions_streamed_total", "Solutions written to streams.", streams->solutions);
    exposition_process(out);
}
