/* route_openapi.c - GET /openapi.yaml: the contract, embedded when the binary is built. */
#include "http/reply/route.h"

EMBED(openapi, "openapi.yaml", "openapi.yaml.gz")

static const struct embedded contract = EMBEDDED(openapi);

static enum MHD_Result handle(struct request *request, struct value *values)
{
    (void)values;
    return reply_file(request, &contract);
}

const struct route route_openapi = {
    .path = "/openapi.yaml",
    .summary = "This contract",
    .media_type = "application/yaml",
    .handle = handle,
};
