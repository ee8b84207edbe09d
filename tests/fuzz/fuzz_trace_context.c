/* fuzz_trace_context.c - fields traceparent of any bytes: what is taken stands there as it is taken, and what is told
 * in reply would be taken again. */
#include <string.h>

#include "fuzz.h"
#include "http/wire/headers.h"

static void check(const char *text)
{
    struct trace_context context, again;
    char reply[TRACE_RESPONSE_SIZE];
    trace_read(&context, text, 1);
    if (!context.trace[0]) {
        REQUIRE(!context.parent[0] && !context.span[0] && !context.sampled);
        return;
    }
    REQUIRE(strlen(text) >= TRACE_RESPONSE_SIZE - 1);
    REQUIRE(memcmp(text + 3, context.trace, 32) == 0 && text[35] == '-');
    REQUIRE(memcmp(text + 36, context.parent, 16) == 0 && text[52] == '-');
    REQUIRE(memcmp(text, "ff", 2) != 0 && strspn(context.trace, "0") < 32 && strspn(context.parent, "0") < 16);
    trace_respond(&context, reply);
    REQUIRE(strlen(reply) == TRACE_RESPONSE_SIZE - 1);
    trace_read(&again, reply, 2);
    REQUIRE(strcmp(again.trace, context.trace) == 0 && strcmp(again.parent, context.span) == 0);
    REQUIRE(again.sampled == context.sampled);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    check(text);
    free(text);
    return 0;
}
