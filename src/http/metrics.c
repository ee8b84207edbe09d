/* metrics.c - counters by route and status, a histogram of durations by route, and the engine's own figures. */
#include "http/metrics.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "http/exposition.h"

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

static const char *route_name(const struct metrics *metrics, size_t route)
{
    return route < metrics->count ? metrics->routes[route] : "none";
}

static void write_requests(const struct metrics *metrics, struct bytes *out)
{
    exposition_head(out, "nq_http_requests_total", "counter",
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
    exposition_head(out, name, "histogram", "From the request line to the last byte handed to the system, by route.");
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
    exposition_head(out, name, "counter", help);
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
    exposition_one(out, "nq_pool_workers", "gauge", "Threads that search.", pool->threads);
    exposition_one(out, "nq_pool_running", "gauge", "Threads at work now.", pool->running);
    exposition_one(out, "nq_pool_queue_depth", "gauge", "Tasks waiting for a thread.", pool->queued);
    exposition_one(out, "nq_pool_slices_total", "counter", "Slices of some ten milliseconds carried out.",
                   pool->slices);
    exposition_seconds(out, "nq_pool_cpu_seconds_total", "Time of processors spent on slices.", pool->worked);
    exposition_seconds(out, "nq_pool_wait_seconds_total", "How long tasks have waited for their slices.", pool->waited);
    exposition_one(out, "nq_slices_overrun_total", "counter",
                   "Slices that took over 100 ms: the machine is overloaded, or a search does not heed its slice.",
                   pool->overrun);
    exposition_one(out, "nq_lengthy_running", "gauge",
                   "Threads at work on lengthy searches, which come after all others.", lengthy->running);
    exposition_one(out, "nq_lengthy_queue_depth", "gauge", "Tasks of lengthy searches waiting for a thread.",
                   lengthy->queued);
    exposition_one(out, "nq_lengthy_slices_total", "counter", "Slices of lengthy searches carried out.",
                   lengthy->slices);
    exposition_seconds(out, "nq_lengthy_cpu_seconds_total", "Time of processors spent on lengthy searches.",
                       lengthy->worked);
}

static void write_store(const struct ledger_figures *ledger, struct bytes *out)
{
    static const char took[] = "nq_store_write_duration_seconds";
    exposition_one(out, "nq_store_broken", "gauge", "1 while the store cannot be written.", ledger->broken);
    exposition_one(out, "nq_store_waiting", "gauge", "Facts waiting to be stored.", ledger->waiting);
    exposition_one(out, "nq_store_written_total", "counter", "Facts stored.", ledger->written);
    exposition_one(out, "nq_store_lost_total", "counter", "Facts that found no room, waiting or stored.", ledger->lost);
    exposition_one(out, "nq_store_failures_total", "counter", "Times that the store could not be written or read.",
                   ledger->failures);
    exposition_one(out, "nq_store_bytes", "gauge", "Bytes of the store that are taken.", ledger->store.bytes);
    exposition_one(out, "nq_store_facts", "gauge", "Facts in the store.", ledger->store.facts);
    exposition_one(out, "nq_store_evicted_total", "counter", "Facts given up to make room in the store.",
                   ledger->store.evicted);
    exposition_one(out, "nq_store_damaged_total", "counter",
                   "Times that the store had something else than what was stored; it was taken for nothing.",
                   ledger->store.damaged);
    exposition_head(out, took, "summary", "How long the store took to write a batch of facts, or failed to.");
    bytes_format(out, "%s_sum %.9f\n%s_count %" PRIu64 "\n", took, (double)ledger->write_ns / (double)CLOCK_SECOND,
                 took, ledger->batches);
}

static void write_jobs(const struct job_figures *jobs, struct bytes *out)
{
    exposition_one(out, "nq_jobs_active", "gauge", "Jobs queued or running.", jobs->active);
    exposition_one(out, "nq_jobs_kept", "gauge", "Jobs that are over and can still be looked at.", jobs->kept);
    exposition_one(out, "nq_jobs_begun_total", "counter", "Jobs begun.", jobs->begun);
    exposition_one(out, "nq_jobs_resumed_total", "counter", "Jobs of an earlier process taken up again.",
                   jobs->resumed);
    exposition_one(out, "nq_jobs_done_total", "counter", "Jobs that came to a result.", jobs->done);
    exposition_one(out, "nq_jobs_failed_total", "counter", "Jobs that failed.", jobs->failed);
    exposition_one(out, "nq_jobs_cancelled_total", "counter", "Jobs cancelled.", jobs->cancelled);
    exposition_one(out, "nq_jobs_refused_total", "counter", "Jobs refused because there were too many.", jobs->refused);
}

static void write_crews(const struct crews_figures *crews, struct bytes *out)
{
    static const char batches[] = "nq_queue_batches";
    exposition_one(out, "nq_workers", "gauge", "Workers that are there.", crews->workers);
    exposition_one(out, "nq_workers_threads", "gauge", "Threads of all workers.", crews->hands);
    exposition_one(out, "nq_counts_led", "gauge", "Long counts and indexes that this server sees to.", crews->led);
    exposition_one(out, "nq_counts_followed", "gauge", "Long counts and indexes that another server sees to.",
                   crews->followed);
    exposition_head(out, batches, "gauge", "Batches of units handed out: ready to be taken, or with a worker.");
    bytes_format(out, "%s{state=\"ready\"} %" PRIu64 "\n%s{state=\"leased\"} %" PRIu64 "\n", batches, crews->ready,
                 batches, crews->leased);
    exposition_one(out, "nq_batches_posted_total", "counter", "Batches handed out.", crews->posted);
    exposition_one(out, "nq_units_remote_total", "counter", "Units that workers have counted.", crews->units);
    exposition_one(out, "nq_units_reposted_total", "counter", "Units handed out in vain, and so once more.",
                   crews->reposted);
    exposition_one(out, "nq_audits_total", "counter", "Units counted twice, to check a worker.", crews->audits);
    exposition_one(out, "nq_audit_disagreements_total", "counter", "Units on which two did not agree.",
                   crews->disagreements);
}

void metrics_write(const struct metrics *metrics, struct engine *engine, const struct metrics_extra *extra,
                   struct bytes *out)
{
    const struct engine_figures figures = engine_figures(engine);
    const struct flight_figures *flights = &figures.flights;
    const struct stream_figures *streams = &figures.streams;
    exposition_build(out, engine_kernel(engine));
    write_requests(metrics, out);
    write_durations(metrics, out);
    exposition_one(out, "nq_http_requests_active", "gauge", "Requests under way on the public port.", extra->active);
    exposition_one(out, "nq_connections", "gauge", "Client connections open, on both ports.", extra->connections);
    exposition_one(out, "nq_connections_limit", "gauge", "Client connections that the public port may have.",
                   extra->most_connections);
    exposition_one(out, "nq_connections_refused_total", "counter",
                   "Connections refused because their client had too many.", extra->connections_refused);
    exposition_one(out, "nq_clients_refused_total", "counter",
                   "Searches and streams refused because their client had too many.", extra->clients_refused);
    exposition_one(out, "nq_slow_readers_cut_total", "counter", "Connections cut because their client read too slowly.",
                   extra->slow_cut);
    exposition_one(out, "nq_access_refused_total", "counter",
                   "Requests refused for want of a key, or of what it allows.", extra->access_refused);
    exposition_one(out, "nq_reply_bytes", "gauge", "Bytes of answers being sent, and of boards that have come.",
                   extra->reply_bytes);
    exposition_one(out, "nq_log_lines_dropped_total", "counter", "Log lines lost because nobody read the log.",
                   extra->log_dropped);
    exposition_one(out, "nq_cache_hits_total", "counter", "Questions answered from the cache.", flights->hits);
    exposition_one(out, "nq_cache_misses_total", "counter", "Questions that had to wait for a search.",
                   flights->misses);
    exposition_one(out, "nq_cache_evictions_total", "counter", "Answers dropped to make room.",
                   flights->cache.evictions);
    exposition_one(out, "nq_cache_bytes", "gauge", "Bytes the cached answers take.", flights->cache.bytes);
    exposition_one(out, "nq_cache_entries", "gauge", "Answers in the cache.", flights->cache.entries);
    write_pool(&figures.pool, &figures.lengthy, out);
    write_efforts(engine_efforts(engine), out);
    exposition_one(out, "nq_table_bytes", "gauge", "Bytes of tables that counts have, or had last.",
                   figures.plans.bytes);
    exposition_one(out, "nq_searches_started_total", "counter", "Searches begun for questions that were not cached.",
                   flights->started);
    exposition_one(out, "nq_searches_running", "gauge", "Searches under way or waiting for a thread.",
                   flights->running);
    exposition_one(out, "nq_searches_cancelled_total", "counter",
                   "Searches stopped because everyone who waited had left.", flights->cancelled);
    exposition_one(out, "nq_searches_refused_total", "counter", "Searches refused because the queue was full.",
                   flights->refused);
    write_jobs(&figures.jobs, out);
    write_store(&figures.ledger, out);
    exposition_one(out, "nq_store_fallback", "gauge",
                   "1 when the store could not be opened at the start: memory stands in for it.", extra->fallback);
    write_crews(&figures.crews, out);
    exposition_one(out, "nq_streams_running", "gauge", "Streams open.", streams->running);
    exposition_one(out, "nq_streams_started_total", "counter", "Streams opened.", streams->started);
    exposition_one(out, "nq_streams_refused_total", "counter", "Streams refused because too many were open.",
                   streams->refused);
    exposition_one(out, "nq_streams_cut_total", "counter", "Streams cut before their end.", streams->cut);
    exposition_one(out, "nq_solutions_streamed_total", "counter", "Solutions written to streams.", streams->solutions);
    exposition_process(out);
}
