/* trace_context.h - W3C Trace Context: of what trace a request is part, and the one span that it is here. Nobody is
 * asked further on, so nothing is passed on: who asked learns of the span, and the log has both. It knows no requests.
 */
#ifndef HTTP_TRACE_CONTEXT_H
#define HTTP_TRACE_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/question.h"

enum { SPAN_ID_SIZE = 17, TRACE_RESPONSE_SIZE = 56 };

/* In lower-case hexadecimal digits. */
struct trace_context {
    char trace[TRACE_ID_SIZE]; /* "": it is part of none */
    char parent[SPAN_ID_SIZE]; /* the span of whoever asks */
    char span[SPAN_ID_SIZE];   /* ours */
    bool sampled;              /* they say that they keep theirs */
};

/* Reads a field `traceparent`, NULL: there is none. number: one that no other request has, of which our span is made.
 * What is malformed counts as none, as the recommendation has it. */
void trace_read(struct trace_context *context, const char *traceparent, uint64_t number);

/* Writes the field `traceresponse` (Trace Context Level 3, a draft): the trace, our span, and whether we keep it, which
 * the log does for whom they do. */
void trace_respond(const struct trace_context *context, char text[static TRACE_RESPONSE_SIZE]);

#endif
