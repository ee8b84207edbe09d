/* trace_context.h - W3C Trace Context: the trace that a request belongs to, and its span here. This service calls no
 * others, so it propagates nothing: the client gets the span in the reply, and the log has both. It knows no requests.
 */
#ifndef HTTP_WIRE_TRACE_CONTEXT_H
#define HTTP_WIRE_TRACE_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/trace_id.h"

enum { SPAN_ID_SIZE = 17, TRACE_RESPONSE_SIZE = 56 };

/* In lower-case hexadecimal digits. */
struct trace_context {
    char trace[TRACE_ID_SIZE]; /* "": it belongs to none */
    char parent[SPAN_ID_SIZE]; /* the span of the client */
    char span[SPAN_ID_SIZE];   /* ours */
    bool sampled;              /* the client records its span */
};

/* Reads a field `traceparent`; NULL: there is none. number: unique to the request, our span is made of it. A malformed
 * field counts as none, as the recommendation requires. */
void trace_read(struct trace_context *context, const char *traceparent, uint64_t number);

/* Writes the field `traceresponse` (Trace Context Level 3, a draft): the trace, our span, and whether our span is
 * recorded: the log does so if the client does. */
void trace_respond(const struct trace_context *context, char text[static TRACE_RESPONSE_SIZE]);

#endif
