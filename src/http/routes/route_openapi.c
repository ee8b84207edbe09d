/* route_openapi.c - GET /openapi.yaml and /openapi.json: the contract, embedded when the binary is built. */
#include "http/reply/route.h"

EMBED(openapi, "openapi.yaml", "openapi.yaml.gz")
EMBED(openapi_json, "openapi.json", "openapi.json.gz")

static const struct embedded contract = EMBEDDED(openapi), contract_json = EMBEDDED(openapi_json);

static enum MHD_Result handle(struct request *request, const struct value *values)
{
    (void)values;
    return reply_file(request, &contract);
}

static enum MHD_Result handle_json(struct request *request, const struct value *values)
{
    (void)values;
    return reply_file(request, &contract_json);
}

const struct route route_openapi = {
    .asks.path = "/openapi.yaml",
    .summary = "This contract",
    .media_type = "application/yaml",
    .handle = handle,
};

const struct route route_openapi_json = {
    .asks.path = "/openapi.json",
    .summary = "This contract as JSON",
    .media_type = "application/json",
    .handle = handle_json,
};
