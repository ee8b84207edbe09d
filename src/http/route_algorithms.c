/* route_algorithms.c - GET /algorithms: the tables of solvers, constructions, counting methods and kernels. */
#include "base/json.h"
#include "constructions/construction.h"
#include "count/method.h"
#include "http/route.h"
#include "http/server.h"
#include "kernels/kernel.h"
#include "solvers/solver.h"

static json_t *solver_list(void)
{
    json_t *list = json_array();
    for (const struct solver *const *at = solvers; *at; at++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:b}", "name", (*at)->name,
                                              "summary", (*at)->summary, "order", (*at)->order, "complexity",
                                              (*at)->complexity, "source", (*at)->source, "year", (*at)->year, "max_n",
                                              (int)(*at)->max_n, "default", at == solvers));
    return list;
}

static json_t *construction_list(void)
{
    json_t *list = json_array();
    for (const struct construction *const *at = constructions; *at; at++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:b}", "name", (*at)->name, "summary",
                                              (*at)->summary, "complexity", (*at)->complexity, "source", (*at)->source,
                                              "year", (*at)->year, "max_n", (int)(*at)->max_n, "default",
                                              at == constructions));
    return list;
}

static json_t *method_list(void)
{
    json_t *list = json_array();
    for (const struct method *const *at = methods; *at; at++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:i}", "name", (*at)->name, "summary", (*at)->summary,
                                              "source", (*at)->source, "max_n", (int)(*at)->max_n));
    return list;
}

/* Without what this machine supports or uses: the body must be the same on every replica. */
static json_t *kernel_list(void)
{
    json_t *list = json_array();
    for (const struct kernel *const *at = kernels; *at; at++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "name", (*at)->name, "summary", (*at)->summary));
    return list;
}

static enum MHD_Result handle(struct request *request, struct value *values)
{
    (void)values;
    struct bytes body = {0};
    bytes_json(&body,
               json_pack("{s:o, s:o, s:o, s:o}", "solvers", solver_list(), "constructions", construction_list(),
                         "counting_methods", method_list(), "kernels", kernel_list()),
               JSON_INDENT(2));
    return reply_bytes(request, 200, &body, true);
}

const struct route route_algorithms = {
    .path = "/algorithms",
    .summary = "What this service can do, with sources and limits",
    .media_type = "application/json",
    .handle = handle,
};
