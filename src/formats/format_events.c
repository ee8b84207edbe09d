/* format_events.c - server-sent events, as browsers read them: one for each step of a trace, and one that ends the
 * trace. It has no other kind of body. */
#include <inttypes.h>

#include "formats/format.h"

static void events_trace_step(struct bytes *out, const struct trace_head *head, uint64_t number,
                              const struct step *step, const uint32_t *board)
{
    bytes_format(out, "id: %" PRIu64 "\nevent: step\ndata: ", number);
    format_step(out, head, number, step, board);
    bytes_text(out, "\n\n");
}

static size_t events_trace_end(struct bytes *out, const struct trace_head *head, const struct trace_tail *tail)
{
    bytes_format(out, "event: end\ndata: {\"end\":true,\"n\":%" PRIu32 ",\"base\":%" PRIu32, head->n, head->base);
    format_rules(out, head->base, head->rules, head->regions);
    const size_t link = format_trace_end(out, tail);
    bytes_text(out, "}\n\n");
    return link;
}

const struct format format_events = {
    .name = "events",
    .media_type = "text/event-stream",
    .lines = true,
    .trace_step = events_trace_step,
    .trace_end = events_trace_end,
};
