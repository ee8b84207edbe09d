/* route_openapi.c - GET /openapi.yaml: the contract, embedded when the binary is built. */
#include "http/route.h"

extern const char openapi_begin[], openapi_end[];
__asm__(".section .rodata\n"
        ".globl openapi_begin\n"
        "openapi_begin: .incbin \"openapi.yaml\"\n"
        ".globl openapi_end\n"
        "openapi_end: .byte 0\n"
        ".previous\n");

static enum MHD_Result handle(struct request *request, struct value *values)
{
    (void)values;
    struct bytes body = {0};
    bytes_add(&body, openapi_begin, (size_t)(openapi_end - openapi_begin));
    return reply_bytes(request, 200, &body, true);
}

const struct route route_openapi = {
    .path = "/openapi.yaml",
    .summary = "This contract",
    .media_type = "application/yaml",
    .handle = handle,
};
