/* route_admin.c - the second port, for operators: GET /healthz, /readyz and /metrics. */
#include "http/route.h"
#include "http/server.h"

static enum MHD_Result healthz(struct request *request, struct value *values)
{
    struct bytes body = {0};
    (void)values;
    bytes_text(&body, "{\"status\":\"ok\"}\n");
    return reply_bytes(request, 200, &body, false);
}

static enum MHD_Result readyz(struct request *request, struct value *values)
{
    struct bytes body = {0};
    (void)values;
    const unsigned status = server_readiness(request_server(request), &body);
    return reply_bytes(request, status, &body, false);
}

static enum MHD_Result metrics(struct request *request, struct value *values)
{
    (void)values;
    struct bytes body = {0};
    server_metrics(request_server(request), &body);
    return reply_bytes(request, 200, &body, false);
}

const struct route route_healthz = {
    .path = "/healthz",
    .port = PORT_ADMIN,
    .summary = "Whether the process is alive",
    .media_type = "application/json",
    .handle = healthz,
};

const struct route route_readyz = {
    .path = "/readyz",
    .port = PORT_ADMIN,
    .summary = "Whether it takes new work, and if not as it should, why",
    .media_type = "application/json",
    .handle = readyz,
};

const struct route route_metrics = {
    .path = "/metrics",
    .port = PORT_ADMIN,
    .summary = "Figures for Prometheus",
    .media_type = "text/plain; version=0.0.4; charset=utf-8",
    .handle = metrics,
};
