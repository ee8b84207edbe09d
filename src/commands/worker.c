/* worker.c - the command `nqueensd worker`: connects a worker to the broker, waits for a signal, and lets the worker
 * end its batches. Meanwhile it serves three pages on libmicrohttpd's thread; of the worker these know the statistics
 * only. */
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/process.h"
#include "commands/commands.h"
#include "commands/config.h"
#include "commands/signals.h"
#include "engine/worker/worker.h"
#include "http/guard/log.h"
#include "http/guard/readiness.h"
#include "http/wire/address.h"
#include "http/wire/exposition.h"

/* ---- The worker's port: /healthz, /readyz and /metrics, for operators ---- */

enum { CONNECTIONS = 64, TIMEOUT_S = 30, MEMORY = 16 << 10 };

struct worker_port {
    struct worker *worker;
    const char *kernel;
    struct address address;
    int descriptor;
    struct MHD_Daemon *daemon;
    bool named; /* the library's thread has its name */
};

struct page {
    const char *path, *media_type;
    unsigned (*write)(const struct worker_port *port, struct bytes *out); /* returns the status */
};

static unsigned healthz(const struct worker_port *port, struct bytes *out)
{
    (void)port;
    readiness_alive(out);
    return 200;
}

/* Always 200: without a broker, restarting the worker elsewhere would not help. */
static unsigned readyz(const struct worker_port *port, struct bytes *out)
{
    const struct worker_stats stats = worker_stats(port->worker);
    json_begin_object(out, NULL);
    json_write_text(out, "status", stats.connected ? "ready" : "degraded");
    if (!stats.connected) {
        json_begin_array(out, "reasons");
        json_write_text(out, NULL, *stats.why ? stats.why : "the worker has no connection to the broker");
        json_end_array(out);
    }
    json_end_object(out);
    json_end_document(out, 0);
    return 200;
}

static unsigned metrics(const struct worker_port *port, struct bytes *out)
{
    const struct worker_stats stats = worker_stats(port->worker);
    exposition_build(out, port->kernel);
    exposition_one(out, "nq_worker_connected",
                   "1 while the broker can be reached and has a majority: results can be stored.", stats.connected);
    exposition_one(out, "nq_worker_threads", "Threads that count.", stats.threads);
    exposition_one(out, "nq_worker_busy", "Threads that work on a batch now.", stats.busy);
    exposition_one(out, "nq_worker_batches_total", "Batches finished.", stats.batches);
    exposition_one(out, "nq_worker_units_total", "Units counted.", stats.units);
    exposition_one(out, "nq_worker_redeliveries_total", "Batches received that another worker had before.",
                   stats.redelivered);
    exposition_one(out, "nq_worker_returned_total", "Batches returned unfinished.", stats.returned);
    exposition_one(out, "nq_worker_audits_total", "Units counted again that another worker had counted.", stats.audits);
    exposition_one(out, "nq_worker_nodes_total", "Placements tried, or work of about the same time.", stats.nodes);
    exposition_seconds(out, "nq_worker_seconds_total", "Time that the threads spent on units.", stats.worked);
    exposition_one(out, "nq_table_bytes", "Bytes of the tables of the counts under way, or of the last one.",
                   stats.plans.bytes);
    exposition_process(out);
    return 200;
}

static unsigned none(const struct worker_port *port, struct bytes *out)
{
    (void)port;
    json_begin_object(out, NULL);
    json_write_text(out, "type", "about:blank");
    json_write_text(out, "title", "Not Found");
    json_write_number(out, "status", 404);
    json_write_text(out, "detail", "A worker serves only /healthz, /readyz and /metrics.");
    json_end_object(out);
    json_end_document(out, 0);
    return 404;
}

static const struct page pages[] = {
    {.path = "/healthz", .media_type = "application/json", .write = healthz},
    {.path = "/readyz", .media_type = "application/json", .write = readyz},
    {.path = "/metrics", .media_type = "text/plain; version=0.0.4; charset=utf-8", .write = metrics},
    {.path = NULL, .media_type = "application/problem+json", .write = none},
};

/* The parameters are libmicrohttpd's. */
static enum MHD_Result on_request(void *cls, struct MHD_Connection *mhd, const char *url, const char *method,
                                  const char *version, const char *upload, size_t *upload_size, void **request)
{
    static char begun;
    struct worker_port *port = cls;
    const struct page *page = pages;
    struct bytes body = {0};
    (void)version, (void)upload;
    if (!port->named)
        thread_name("admin");
    port->named = true;
    if (!*request) {
        *request = &begun;
        return MHD_YES;
    }
    if (*upload_size) { /* bodies are ignored */
        *upload_size = 0;
        return MHD_YES;
    }
    while (page->path && strcmp(page->path, url) != 0)
        page++;
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        page = &pages[sizeof pages / sizeof pages[0] - 1];
    const unsigned status = page->write(port, &body);
    struct MHD_Response *response =
        body.failed ? NULL : MHD_create_response_from_buffer(body.size, body.data, MHD_RESPMEM_MUST_COPY);
    bytes_free(&body);
    if (!response)
        return MHD_NO;
    enum MHD_Result result = MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, page->media_type);
    if (result == MHD_YES)
        result = MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    if (result == MHD_YES)
        result = MHD_queue_response(mhd, status, response);
    MHD_destroy_response(response);
    return result;
}

/* NULL: nothing */
static void worker_port_close(struct worker_port *port)
{
    if (!port)
        return;
    if (port->daemon)
        MHD_stop_daemon(port->daemon); /* closes the descriptor */
    address_leave(&port->address);
    free(port);
}

/* where: an address, or "off": no port, and *out is NULL. kernel: its name, for /metrics. Returns NULL, or a phrase
 * that says why the port cannot be opened. */
static const char *worker_port_open(const char *where, struct worker *worker, const char *kernel,
                                    struct worker_port **out)
{
    static const struct activation nothing;
    *out = NULL;
    if (strcmp(where, "off") == 0)
        return NULL;
    struct worker_port *port = calloc(1, sizeof *port);
    if (!port)
        return "out of memory";
    port->worker = worker;
    port->kernel = kernel;
    const char *why = address_listen(&port->address, where, &nothing, "admin", &port->descriptor);
    if (why) {
        free(port);
        return why;
    }
    port->daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, on_request, port,
                                    MHD_OPTION_LISTEN_SOCKET, port->descriptor, MHD_OPTION_CONNECTION_LIMIT,
                                    (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT_S,
                                    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY, MHD_OPTION_END);
    if (port->daemon) {
        *out = port;
        return NULL;
    }
    close(port->descriptor);
    worker_port_close(port);
    return "libmicrohttpd does not start";
}

/* The address, or "off". */
static const char *worker_port_address(const struct worker_port *port)
{
    return port ? port->address.text : "off";
}

/* ---- The command ---- */

static void notify(void *who, const char *event, const char *text)
{
    log_event(who, event, text);
}

static void wait_for_end(const struct config *config, const struct worker_options *options, struct log *log)
{
    const sigset_t signals = signals_all();
    const bool files = *config->nats_credentials || *config->nats_ca; /* without them SIGHUP reads nothing */
    char why[STORE_ERROR_MAX];
    for (bool ended = false; !ended;) {
        const int number = sigwaitinfo(&signals, NULL);
        if (number == SIGHUP && files)
            (void)signals_reload_broker_files(options->store, options->queue, log, why);
        else
            ended = number > 0 && signals_log(log, number);
    }
}

static int work(const struct config *config, const struct worker_options *options, struct log *log)
{
    char text[512];
    struct worker_port *port = NULL;
    struct worker *worker = worker_new(options);
    if (!worker) {
        config_fail(config, "out of memory or threads");
        return 1;
    }
    const char *why = worker_port_open(config->admin, worker, options->kernel->name, &port);
    if (why) {
        config_fail(config, "cannot listen on --admin %s: %s", config->admin, why);
    } else {
        (void)snprintf(text, sizeof text, "%u threads (%s), %s; admin %s", options->threads, config->threads_from,
                       options->kernel->name, worker_port_address(port));
        log_event(log, "working", text);
        config_warn_unknown(log);
        wait_for_end(config, options, log);
    }
    const bool ended = worker_stop(worker, clock_now() + (why ? 0 : config->drain_seconds * CLOCK_SECOND));
    worker_port_close(port);
    log_event(log, "stopped", ended ? "no batch is left" : "a unit does not end: it is left behind");
    if (!ended)
        _exit(1);
    worker_free(worker);
    return why ? 1 : 0;
}

int work_run(int count, char **arguments)
{
    struct config config;
    char error[STORE_ERROR_MAX] = "out of memory";
    struct queue *queue = NULL;
    struct store *store = NULL;
    int result = 1;
    signals_take();
    if (!config_read(&config, count, arguments))
        return 2;
    const struct kernel *kernel = config_kernel(&config);
    if (!kernel)
        return 2;
    const struct store_options options = config_store(&config);
    const char *broker = store_broker(config.store);
    if (!broker) {
        config_fail(&config, "a worker needs --store nats://HOST or tls://HOST, the one that its servers have");
        return 2;
    }
    json_begin();
    struct log *log = log_new(config.json);
    const unsigned lease_ms = (unsigned)config.lease_seconds * 1000;
    if (log && store_open(config.store, &options, &store, error) == NQ_OK &&
        queue_open(broker, &options.nats, lease_ms, QUEUE_COUNTS, &queue, error) == NQ_OK) {
        const struct worker_options with = {.queue = queue,
                                            .store = store,
                                            .lease_ms = lease_ms,
                                            .kernel = kernel,
                                            .threads = (unsigned)config.threads,
                                            .table_bytes = config.table_bytes,
                                            .notify = notify,
                                            .who = log};
        result = work(&config, &with, log);
    } else {
        config_fail(&config, "--store: %s", error);
    }
    queue_close(queue);
    store_close(store);
    if (log)
        log_free(log);
    return result;
}
