/* metrics.c - counters by route and status, a histogram of durations by route, and the engine's own figures. */
#include "http/metrics.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/process.h"

/* Every status this service sends; anything else counts as the last, which it should not. */
static const unsigned codes[] = {200, 202, 204, 304, 400, 401, 403, 404, 405, 406, 408,
                                 413, 414, 415, 422, 429, 431, 499, 501, 503, 505, 500};
enum { CODES = sizeof codes / sizeof codes[0] };

/* Upper bounds in seconds; a last bucket takes the rest. */
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
    const char *const *routes;
    struct row rows[];
};

struct metrics *metrics_new(size_t count, const char *const *routes)
{
    struct metrics *metrics = calloc(1, sizeof *metrics + (count + 1) * sizeof metrics->rows[0]);
    if (metrics) {
        metrics->count = count;
        metrics->routes = routes;
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

static void head(struct bytes *out, const char *name, const char *type, const char *help)
{
    bytes_format(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void one(struct bytes *out, const char *name, const char *type, const char *help, uint64_t value)
{
    head(out, name, type, help);
    bytes_format(out, "%s %" PRIu64 "\n", name, value);
}

/* A sum of nanoseconds, in seconds. */
static void seconds_sum(struct bytes *out, const char *name, const char *help, uint64_t nanoseconds)
{
    head(out, name, "counter", help);
    bytes_text(out, name);
    bytes_char(out, ' ');
    bytes_duration(out, nanoseconds, 9, 9);
    bytes_char(out, '\n');
}

static const char *route_name(const struct metrics *metrics, size_t route)
{
    return route < metrics->count ? metrics->routes[route] : "none";
}

static void write_requests(const struct metrics *metrics, struct bytes *out)
{
    head(out, "nq_http_requests_total", "counter",
         "Requests answered, by route and status (499: the client had left).");
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
    head(out, name, "histogram", "From the request line to the last byte handed to the system, by route.");
    for (size_t route = 0; route <= metrics->count; route++) {
        const struct row *row = &metrics->rows[route];
        const char *label = route_name(metrics, route);
        if (route && strcmp(label, route_name(metrics, route - 1)) == 0)
            continue; /* figures of one path stand in the first of its rows */
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

/* One figure of every algorithm. */
static void write_effort(const struct efforts *efforts, struct bytes *out, const char *name, const char *help,
                         uint64_t (*read)(const struct effort_figures *row), unsigned unit)
{
    struct effort_figures row;
    head(out, name, "counter", help);
    for (size_t i = 0; efforts_get(efforts, i, &row); i++) {
        bytes_format(out, "%s{family=\"%s\",algorithm=\"%s\"} ", name, row.family, row.name);
        if (unit)
            bytes_duration(out, read(&row), unit, unit);
        else
            bytes_number(out, read(&row));
        bytes_char(out, '\n');
    }
}

static uint64_t searches(const struct effort_figures *row)
{
    return row->searches;
}

static uint64_t nodes(const struct effort_figures *row)
{
    return row->nodes;
}

static uint64_t worked(const struct effort_figures *row)
{
    return row->nanoseconds;
}

static void write_efforts(const struct efforts *efforts, struct bytes *out)
{
    write_effort(
        efforts, out, "nq_algorithm_searches_total",
        "Searches begun by an algorithm; a comparison begins one by each, a count one by each method it takes.",
        searches, 0);
    write_effort(efforts, out, "nq_algorithm_nodes_total",
                 "Work done by an algorithm, as budgets count it: in placements tried, or what takes about as long.",
                 nodes, 0);
    write_effort(efforts, out, "nq_algorithm_cpu_seconds_total",
                 "Time of processors spent by an algorithm, of all threads that search.", worked, 9);
}

static void write_pool(const struct pool_figures *pool, const struct pool_figures *lengthy, struct bytes *out)
{
    one(out, "nq_pool_workers", "gauge", "Threads that search.", pool->threads);
    one(out, "nq_pool_running", "gauge", "Threads at work now.", pool->running);
    one(out, "nq_pool_queue_depth", "gauge", "Tasks waiting for a thread.", pool->queued);
    one(out, "nq_pool_slices_total", "counter", "Slices of some ten milliseconds carried out.", pool->slices);
    seconds_sum(out, "nq_pool_cpu_seconds_total", "Time of processors spent on slices.", pool->worked);
    seconds_sum(out, "nq_pool_wait_seconds_total", "How long tasks have waited for their slices.", pool->waited);
    one(out, "nq_slices_overrun_total", "counter",
        "Slices that took over 100 ms: the machine is overloaded, or a search does not heed its slice.", pool->overrun);
    one(out, "nq_lengthy_running", "gauge", "Threads at work on lengthy searches, which come after all others.",
        lengthy->running);
    one(out, "nq_lengthy_queue_depth", "gauge", "Tasks of lengthy searches waiting for a thread.", lengthy->queued);
    one(out, "nq_lengthy_slices_total", "counter", "Slices of lengthy searches carried out.", lengthy->slices);
    seconds_sum(out, "nq_lengthy_cpu_seconds_total", "Time of processors spent on lengthy searches.", lengthy->worked);
}

static void write_store(const struct ledger_figures *ledger, struct bytes *out)
{
    static const char took[] = "nq_store_write_duration_seconds";
    one(out, "nq_store_broken", "gauge", "1 while the store cannot be written.", ledger->broken);
    one(out, "nq_store_waiting", "gauge", "Facts waiting to be stored.", ledger->waiting);
    one(out, "nq_store_written_total", "counter", "Facts stored.", ledger->written);
    one(out, "nq_store_lost_total", "counter", "Facts that found no room, waiting or stored.", ledger->lost);
    one(out, "nq_store_failures_total", "counter", "Times that the store could not be written or read.",
        ledger->failures);
    one(out, "nq_store_bytes", "gauge", "Bytes of the store that are taken.", ledger->store.bytes);
    one(out, "nq_store_facts", "gauge", "Facts in the store.", ledger->store.facts);
    one(out, "nq_store_evicted_total", "counter", "Facts given up to make room in the store.", ledger->store.evicted);
    head(out, took, "summary", "How long the store took to write a batch of facts, or failed to.");
    bytes_format(out, "%s_sum %.9f\n%s_count %" PRIu64 "\n", took, (double)ledger->write_ns / (double)CLOCK_SECOND,
                 took, ledger->batches);
}

static void write_jobs(const struct job_figures *jobs, struct bytes *out)
{
    one(out, "nq_jobs_active", "gauge", "Jobs queued or running.", jobs->active);
    one(out, "nq_jobs_kept", "gauge", "Jobs that are over and can still be looked at.", jobs->kept);
    one(out, "nq_jobs_begun_total", "counter", "Jobs begun.", jobs->begun);
    one(out, "nq_jobs_resumed_total", "counter", "Jobs of an earlier process taken up again.", jobs->resumed);
    one(out, "nq_jobs_done_total", "counter", "Jobs that came to a result.", jobs->done);
    one(out, "nq_jobs_failed_total", "counter", "Jobs that failed.", jobs->failed);
    one(out, "nq_jobs_cancelled_total", "counter", "Jobs cancelled.", jobs->cancelled);
    one(out, "nq_jobs_refused_total", "counter", "Jobs refused because there were too many.", jobs->refused);
}

/* Under the names that every client library of Prometheus gives them. */
static void write_process(struct bytes *out)
{
    struct process_figures process;
    if (!process_read(&process))
        return;
    head(out, "process_cpu_seconds_total", "counter", "Time of processors that the process has had.");
    bytes_format(out, "process_cpu_seconds_total %.2f\n", process.cpu_seconds);
    head(out, "process_start_time_seconds", "gauge", "When it was started, in seconds since 1970.");
    bytes_format(out, "process_start_time_seconds %.2f\n", process.start_seconds);
    one(out, "process_resident_memory_bytes", "gauge", "Memory that it has in use.", process.resident_bytes);
    one(out, "process_virtual_memory_bytes", "gauge", "Memory that it has a claim on.", process.virtual_bytes);
    one(out, "process_threads", "gauge", "Its threads.", process.threads);
    one(out, "process_open_fds", "gauge", "Descriptors open.", process.descriptors);
    one(out, "process_max_fds", "gauge", "Descriptors that may be open.", process.most_descriptors);
}

void metrics_write(const struct metrics *metrics, struct engine *engine, const struct metrics_extra *extra,
                   struct bytes *out)
{
    const struct engine_figures figures = engine_figures(engine);
    const struct flight_figures *flights = &figures.flights;
    const struct stream_figures *streams = &figures.streams;
    head(out, "nq_build_info", "gauge", "The release and the counting kernel in use.");
    bytes_format(out, "nq_build_info{version=\"%s\",kernel=\"%s\"} 1\n", NQ_VERSION, engine_kernel(engine));
    write_requests(metrics, out);
    write_durations(metrics, out);
    one(out, "nq_http_requests_active", "gauge", "Requests under way on the public port.", extra->active);
    one(out, "nq_connections", "gauge", "Client connections open, on both ports.", extra->connections);
    one(out, "nq_connections_limit", "gauge", "Client connections that the public port may have.",
        extra->most_connections);
    one(out, "nq_connections_refused_total", "counter", "Connections refused because their client had too many.",
        extra->connections_refused);
    one(out, "nq_clients_refused_total", "counter", "Searches and streams refused because their client had too many.",
        extra->clients_refused);
    one(out, "nq_slow_readers_cut_total", "counter", "Connections cut because their client read too slowly.",
        extra->slow_cut);
    one(out, "nq_access_refused_total", "counter", "Requests refused for want of a key, or of what it allows.",
        extra->access_refused);
    one(out, "nq_reply_bytes", "gauge", "Bytes of answers being sent, and of boards that have come.",
        extra->reply_bytes);
    one(out, "nq_log_lines_dropped_total", "counter", "Log lines lost because nobody read the log.",
        extra->log_dropped);
    one(out, "nq_cache_hits_total", "counter", "Questions answered from the cache.", flights->hits);
    one(out, "nq_cache_misses_total", "counter", "Questions that had to wait for a search.", flights->misses);
    one(out, "nq_cache_evictions_total", "counter", "Answers dropped to make room.", flights->cache.evictions);
    one(out, "nq_cache_bytes", "gauge", "Bytes the cached answers take.", flights->cache.bytes);
    one(out, "nq_cache_entries", "gauge", "Answers in the cache.", flights->cache.entries);
    write_pool(&figures.pool, &figures.lengthy, out);
    write_efforts(engine_efforts(engine), out);
    one(out, "nq_table_bytes", "gauge", "Bytes of tables that counts have, or had last.", figures.plans.bytes);
    one(out, "nq_searches_started_total", "counter", "Searches begun for questions that were not cached.",
        flights->started);
    one(out, "nq_searches_running", "gauge", "Searches under way or waiting for a thread.", flights->running);
    one(out, "nq_searches_cancelled_total", "counter", "Searches stopped because everyone who waited had left.",
        flights->cancelled);
    one(out, "nq_searches_refused_total", "counter", "Searches refused because the queue was full.", flights->refused);
    write_jobs(&figures.jobs, out);
    write_store(&figures.ledger, out);
    one(out, "nq_store_fallback", "gauge",
        "1 when the store could not be opened at the start: memory stands in for it.", extra->fallback);
    one(out, "nq_streams_running", "gauge", "Streams open.", streams->running);
    one(out, "nq_streams_started_total", "counter", "Streams opened.", streams->started);
    one(out, "nq_streams_refused_total", "counter", "Streams refused because too many were open.", streams->refused);
    one(out, "nq_streams_cut_total", "counter", "Streams cut before their end.", streams->cut);
    one(out, "nq_solutions_streamed_total", "counter", "Solutions written to streams.", streams->solutions);
    write_process(out);
}
