/* trace_context.c - "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01": version, trace, parent, flags
 * (https://www.w3.org/TR/trace-context/, 3.2). A later version begins in the same way, and may have more after a dash.
 */
#include "http/wire/trace_context.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

enum { TRACE = 3, PARENT = TRACE + TRACE_ID_SIZE, FLAGS = PARENT + SPAN_ID_SIZE, SIZE = FLAGS + 2 };

static const char digits[] = "0123456789abcdef";

/* Whether it begins with exactly so many digits. */
static bool is_field(const char *text, size_t size)
{
    return strspn(text, digits) == size;
}

static bool is_zero(const char *text, size_t size)
{
    return strspn(text, "0") >= size;
}

static bool is_sound(const char *text)
{
    if (!is_field(text, TRACE - 1) || text[TRACE - 1] != '-' || strncmp(text, "ff", 2) == 0)
        return false;
    if (!is_field(text + TRACE, TRACE_ID_SIZE - 1) || text[PARENT - 1] != '-' ||
        is_zero(text + TRACE, TRACE_ID_SIZE - 1))
        return false;
    if (!is_field(text + PARENT, SPAN_ID_SIZE - 1) || text[FLAGS - 1] != '-' ||
        is_zero(text + PARENT, SPAN_ID_SIZE - 1))
        return false;
    if (!is_field(text + FLAGS, SIZE - FLAGS))
        return false;
    const char *rest = text + SIZE;
    if (*rest == '-')
        return strncmp(text, "00", 2) != 0;
    return rest[strspn(rest, " \t")] == '\0'; /* libmicrohttpd leaves trailing blanks at a value */
}

void trace_read(struct trace_context *context, const char *traceparent, uint64_t number)
{
    *context = (struct trace_context){.trace = ""};
    if (!traceparent || !is_sound(traceparent))
        return;
    memcpy(context->trace, traceparent + TRACE, TRACE_ID_SIZE - 1);
    memcpy(context->parent, traceparent + PARENT, SPAN_ID_SIZE - 1);
    context->sampled = strchr("13579bdf", traceparent[SIZE - 1]); /* the lowest bit */
    const uint64_t span = hash_bytes(hash_text(HASH_START, context->trace), &number, sizeof number);
    hash_hex(span ? span : 1, context->span); /* 0 is not a valid span */
}

void trace_respond(const struct trace_context *context, char text[static TRACE_RESPONSE_SIZE])
{
    (void)snprintf(text, TRACE_RESPONSE_SIZE, "00-%s-%s-0%d", context->trace, context->span, context->sampled);
}
