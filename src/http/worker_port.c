/* worker_port.c - three pages on libmicrohttpd's own thread. It knows the worker by its figures alone. */
#include "http/worker_port.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "http/address.h"
#include "http/exposition.h"

enum { CONNECTIONS = 64, TIMEOUT_S = 30, MEMORY = 16 << 10 };

struct worker_port {
    struct worker *worker;
    const char *kernel;
    struct address address;
    int descriptor;
    struct MHD_Daemon *daemon;
};

struct page {
    const char *path, *media_type;
    unsigned (*write)(const struct worker_port *port, struct bytes *out); /* returns the status */
};

static unsigned healthz(const struct worker_port *port, struct bytes *out)
{
    (void)port;
    bytes_text(out, "{\"status\":\"ok\"}\n");
    return 200;
}

/* Without a broker it has nothing to do, and nothing would be better elsewhere. */
static unsigned readyz(const struct worker_port *port, struct bytes *out)
{
    const struct worker_figures figures = worker_figures(port->worker);
    if (figures.connected)
        bytes_text(out, "{\"status\":\"ready\"}\n");
    else
        bytes_text(out, "{\"status\":\"degraded\",\"reasons\":[\"there is no connection to the broker\"]}\n");
    return 200;
}

static unsigned metrics(const struct worker_port *port, struct bytes *out)
{
    const struct worker_figures figures = worker_figures(port->worker);
    exposition_build(out, port->kernel);
    exposition_one(out, "nq_worker_connected", "gauge", "1 while there is a connection to the broker.",
                   figures.connected);
    exposition_one(out, "nq_worker_threads", "gauge", "Threads that count.", figures.threads);
    exposition_one(out, "nq_worker_busy", "gauge", "Threads that have a batch now.", figures.busy);
    exposition_one(out, "nq_worker_batches_total", "counter", "Batches carried out.", figures.batches);
    exposition_one(out, "nq_worker_units_total", "counter", "Units counted.", figures.units);
    exposition_one(out, "nq_worker_redeliveries_total", "counter", "Batches that another worker had before.",
                   figures.redelivered);
    exposition_one(out, "nq_worker_returned_total", "counter", "Batches given back.", figures.returned);
    exposition_one(out, "nq_worker_refused_total", "counter", "Results that somebody else had stored first.",
                   figures.refused);
    exposition_one(out, "nq_worker_nodes_total", "counter", "Placements tried, or what takes about as long.",
                   figures.nodes);
    exposition_seconds(out, "nq_worker_seconds_total", "Time that its threads have spent on units.", figures.worked);
    exposition_one(out, "nq_table_bytes", "gauge", "Bytes of tables that counts have, or had last.",
                   figures.plans.bytes);
    exposition_process(out);
    return 200;
}

static unsigned none(const struct worker_port *port, struct bytes *out)
{
    (void)port;
    bytes_text(out, "{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,"
                    "\"detail\":\"A worker has /healthz, /readyz and /metrics.\"}\n");
    return 404;
}

static const struct page pages[] = {
    {"/healthz", "application/json", healthz},
    {"/readyz", "application/json", readyz},
    {"/metrics", "text/plain; version=0.0.4; charset=utf-8", metrics},
    {NULL, "application/problem+json", none},
};

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *upload, size_t *upload_size, void **request)
{
    static char begun;
    const struct page *page = pages;
    struct bytes body = {0};
    (void)version, (void)upload;
    if (!*request) {
        *request = &begun;
        return MHD_YES;
    }
    if (*upload_size) { /* nobody wants it */
        *upload_size = 0;
        return MHD_YES;
    }
    while (page->path && strcmp(page->path, url) != 0)
        page++;
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        page = &pages[sizeof pages / sizeof pages[0] - 1];
    const unsigned status = page->write(cls, &body);
    struct MHD_Response *response =
        body.failed ? NULL : MHD_create_response_from_buffer(body.size, body.data, MHD_RESPMEM_MUST_COPY);
    bytes_free(&body);
    if (!response)
        return MHD_NO;
    enum MHD_Result result = MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, page->media_type);
    if (result == MHD_YES)
        result = MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    if (result == MHD_YES)
        result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

const char *worker_port_open(const char *where, struct worker *worker, const char *kernel, struct worker_port **out)
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

void worker_port_close(struct worker_port *port)
{
    if (!port)
        return;
    if (port->daemon)
        MHD_stop_daemon(port->daemon); /* closes the descriptor */
    address_leave(&port->address);
    free(port);
}

const char *worker_port_address(const struct worker_port *port)
{
    return port ? port->address.text : "off";
}
