/* route_admin.c - the second port, for operators: GET /healthz, /readyz and /metrics. */
#include "http/guard/readiness.h"
#include "http/reply/request.h"

static enum MHD_Result healthz(struct request *request, const struct value *values)
{
    struct bytes body = {0};
    (void)values;
    readiness_alive(&body);
    return reply_bytes(request, 200, &body);
}

static enum MHD_Result readyz(struct request *request, const struct value *values)
{
    struct bytes body = {0};
    (void)values;
    const unsigned status = service_readiness(request->service, &body);
    return reply_bytes(request, status, &body);
}

static enum MHD_Result metrics(struct request *request, const struct value *values)
{
    (void)values;
    struct bytes body = {0};
    service_metrics(request->service, &body);
    return reply_bytes(request, 200, &body);
}

const struct route route_healthz = {
    .asks.path = "/healthz",
    .port = PORT_ADMIN,
    .summary = "Whether the process is alive",
    .media_type = "application/json",
    .handle = healthz,
};

const struct route route_readyz = {
    .asks.path = "/readyz",
    .port = PORT_ADMIN,
    .summary = "Whether the service accepts new work, and what is wrong with it",
    .media_type = "application/json",
    .handle = readyz,
};

const struct route route_metrics = {
    .asks.path = "/metrics",
    .port = PORT_ADMIN,
    .summary = "Metrics for Prometheus",
    .media_type = "text/plain; version=0.0.4; charset=utf-8",
    .handle = metrics,
};
