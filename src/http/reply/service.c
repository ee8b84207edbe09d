/* service.c - begins and ends what requests share, and reports on it. */
#include "http/reply/service.h"

#include <assert.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "http/guard/readiness.h"
#include "http/reply/route.h"
#include "http/wire/exposition.h"
#include "http/wire/problem.h"

/* It is the same for all requests, so it has no X-Request-Id. NULL: out of memory. */
static struct MHD_Response *last_words_new(void)
{
    const struct problem_row *row = problem_row(PROBLEM_OUT_OF_MEMORY);
    const char *const headers[][2] = {{"Content-Type", "application/problem+json"},
                                      {"Cache-Control", "no-store"},
                                      {"X-Content-Type-Options", "nosniff"},
                                      {"Retry-After", row->retry_after},
                                      {"Connection", "close"}};
    struct bytes body = {0};
    problem_write(&body, PROBLEM_OUT_OF_MEMORY, "There is no memory for this request now. Try again later.", NULL);
    struct MHD_Response *response =
        body.failed ? NULL : MHD_create_response_from_buffer(body.size, body.data, MHD_RESPMEM_MUST_COPY);
    bytes_free(&body);
    for (size_t i = 0; response && i < sizeof headers / sizeof headers[0]; i++) {
        if (MHD_add_response_header(response, headers[i][0], headers[i][1]) != MHD_YES) {
            MHD_destroy_response(response);
            response = NULL;
        }
    }
    return response;
}

bool service_begin(struct service *service, const struct service_options *options, struct engine *engine,
                   struct log *log)
{
    *service = (struct service){.options = *options, .engine = engine, .log = log, .seed = clock_now()};
    lock_init(&service->reloading, LOCK_RELOADS);
    service->reload.time = time(NULL);
    service->clients = clients_new();
    service->hub = hub_new(engine, options->max_streams, options->stream_s);
    service->last_words = last_words_new();
    return service->clients && service->hub && service->last_words;
}

void service_end(struct service *service)
{
    hub_free(service->hub);
    if (service->last_words)
        MHD_destroy_response(service->last_words);
    clients_free(service->clients);
    lock_destroy(&service->reloading);
}

bool service_hold(struct service *service, size_t bytes)
{
    if (atomic_fetch_add(&service->held, bytes) + bytes <= service->options.max_reply_bytes)
        return true;
    atomic_fetch_sub(&service->held, bytes);
    return false;
}

void service_release(struct service *service, size_t bytes)
{
    assert(atomic_load(&service->held) >= bytes);
    atomic_fetch_sub(&service->held, bytes);
}

void service_reloaded(struct service *service, const char *why)
{
    struct reload last = {.failed = why, .time = time(NULL)};
    (void)snprintf(last.why, sizeof last.why, "%s", why ? why : "");
    lock_take(&service->reloading);
    service->reload = last;
    lock_release(&service->reloading);
}

static struct reload last_reload(struct service *service)
{
    lock_take(&service->reloading);
    const struct reload last = service->reload;
    lock_release(&service->reloading);
    return last;
}

void service_metrics(struct service *service, struct bytes *out)
{
    const struct watcher_stats watched = watcher_stats(service->watcher);
    const struct reload reload = last_reload(service);
    metrics_write(service->metrics, service->engine, out);
    exposition_one(out, "nq_http_requests_active", "Requests under way on the public port.",
                   atomic_load(&service->active));
    exposition_one(out, "nq_connections", "Client connections open, on both ports.", watched.connections);
    exposition_one(out, "nq_connections_limit", "Limit of client connections on the public port.",
                   service->options.max_connections);
    exposition_one(out, "nq_connections_refused_total", "Connections rejected because their client had too many.",
                   atomic_load(&service->connections_refused));
    exposition_one(out, "nq_clients_refused_total", "Searches and streams rejected because their client had too many.",
                   atomic_load(&service->clients_refused));
    exposition_one(out, "nq_connections_gave_way_total",
                   "Connections closed to make room for new ones: idle, or with a request that arrived slowly.",
                   watched.gave_way);
    exposition_one(out, "nq_slow_readers_cut_total", "Connections cut because their client read too slowly.",
                   watched.cut);
    exposition_one(out, "nq_access_refused_total",
                   "Requests rejected because they had no key, or the key did not allow them.",
                   atomic_load(&service->access_refused));
    exposition_one(out, "nq_reply_bytes", "Bytes of answers being sent, and of bodies received or being read.",
                   atomic_load(&service->held));
    exposition_one(out, "nq_log_lines_dropped_total", "Log lines lost because standard error was not read.",
                   log_dropped(service->log));
    exposition_one(out, "nq_reload_success", "1 unless the last reload of files, by SIGHUP, failed.", !reload.failed);
    exposition_one(out, "nq_reload_timestamp_seconds",
                   "Time of the last reload of files, or of the start if there was none, since 1970.",
                   (uint64_t)reload.time);
    exposition_one(out, "nq_store_fallback",
                   "1 if the store could not be opened at the start and memory is used instead.",
                   service->options.fallback != NULL);
}

unsigned service_readiness(struct service *service, struct bytes *out)
{
    const struct engine_stats stats = engine_stats(service->engine);
    const struct reload reload = last_reload(service);
    char trouble[STORE_ERROR_MAX];
    const struct readiness now = {
        .starting = !atomic_load(&service->serving),
        .draining = service_phase(service) >= PHASE_DRAINING,
        .closing = service_phase(service) >= PHASE_CLOSING,
        .active = atomic_load(&service->active),
        .fallback = service->options.fallback,
        .trouble = engine_fault(service->engine, trouble) ? trouble : NULL,
        .unread = stats.jobs.unread,
        .waiting = stats.journal.waiting,
        .queued = stats.pool.bounded,
        .queue = stats.pool.capacity,
        .streams = stats.streams.running,
        .max_streams = stats.streams.most,
        .connections = atomic_load(&service->connections[PORT_PUBLIC]),
        .max_connections = service->options.max_connections,
        .jobs = stats.jobs.active,
        .max_jobs = stats.jobs.most,
        .workers = stats.coordinator.workers,
        .foreign = stats.coordinator.foreign,
        .foreign_release = stats.coordinator.foreign_release,
        .log_dropping = log_dropping(service->log),
        .reload_fault = reload.failed ? reload.why : NULL,
    };
    return readiness_write(&now, out);
}

enum phase service_phase(const struct service *service)
{
    return (enum phase)atomic_load_explicit(&service->phase, memory_order_relaxed);
}
