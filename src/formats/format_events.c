/* format_events.c - server-sent events, as browsers read them: one for each step of a trace, and one that ends the
 * trace. It has no other kind of body. */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "formats/format.h"

static void events_trace_step(struct bytes *out, const struct trace_head *head, uint64_t number,
                              const struct step *step, const uint32_t *board)
{
    bytes_format(out, "id: %" PRIu64, number);
    if (head->seeded)
        bytes_format(out, "-%" PRIu64, head->seed);
    bytes_text(out, "\nevent: step\ndata: ");
    format_step(out, head, number, step, board);
    bytes_text(out, "\n\n");
}

static size_t events_trace_end(struct bytes *out, const struct trace_head *head, const struct trace_tail *tail)
{
    bytes_text(out, "id: " EVENT_ID_END "\nevent: end\ndata: ");
    json_begin_object(out, NULL);
    json_write_bool(out, "end", true);
    format_trace_question(out, head);
    const size_t link = format_trace_end(out, tail);
    json_end_object(out);
    bytes_text(out, "\n\n");
    return link;
}

/* Digits without leading zeros, at most 18 of them, so that one more fits too. */
static const char *read_digits(const char *text, uint64_t *number)
{
    const size_t size = strspn(text, "0123456789");
    if (size == 0 || size > 18 || (size > 1 && *text == '0'))
        return NULL;
    *number = 0;
    for (size_t i = 0; i < size; i++)
        *number = *number * 10 + (uint64_t)(text[i] - '0');
    return text + size;
}

bool event_id_read(const char *text, struct event_id *id)
{
    *id = (struct event_id){.seeded = false};
    text = read_digits(text, &id->step);
    if (text && *text == '-') {
        id->seeded = true;
        text = read_digits(text + 1, &id->seed);
    }
    return text && !*text;
}

const struct format format_events = {
    .name = "events",
    .media_type = "text/event-stream",
    .lines = true,
    .resumes = true,
    .trace_step = events_trace_step,
    .trace_end = events_trace_end,
};
