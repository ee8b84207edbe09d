/* format_ndjson.c - one JSON value a line, and a last line that marks the end: without it the list was cut. */
#include <inttypes.h>

#include "formats/format.h"

static void ndjson_list_solution(struct bytes *out, const struct list_head *head, const uint32_t *columns,
                                 uint64_t index, uint64_t rank)
{
    (void)index;
    format_solution(out, head, columns, rank);
    bytes_char(out, '\n');
}

/* The line that ends everything, in two parts; the link is left open for the caller. */
static void end_line_begin(struct bytes *out, uint32_t n, uint32_t base, const char *rules, const char *regions)
{
    bytes_format(out, "{\"end\":true,\"n\":%" PRIu32 ",\"base\":%" PRIu32, n, base);
    format_rules(out, base, rules, regions);
}

static void end_line(struct bytes *out, uint64_t returned, const struct stats *stats)
{
    bytes_format(out, ",\"returned\":%" PRIu64 ",", returned);
    if (stats) {
        bytes_text(out, "\"stats\":");
        format_stats(out, stats);
        bytes_char(out, ',');
    }
    bytes_text(out, "\"next\":");
}

static size_t ndjson_list_end(struct bytes *out, const struct list_head *head, const struct list_tail *tail)
{
    size_t link = 0;
    end_line_begin(out, head->n, head->base, head->rules, head->regions);
    end_line(out, tail->returned, tail->stats);
    if (tail->next) {
        bytes_format(out, "\"%s", tail->prefix);
        link = out->size;
        bytes_format(out, "%s\"}\n", tail->next);
    } else {
        bytes_text(out, "null}\n");
    }
    return link;
}

static void ndjson_build_rows(struct bytes *out, const struct build_head *head, uint32_t row, uint32_t count,
                              const uint32_t *columns)
{
    for (uint32_t i = 0; i < count; i++) {
        format_square(out, NULL, head->base, row + i, columns[i]);
        bytes_char(out, '\n');
    }
}

static void ndjson_build_end(struct bytes *out, const struct build_head *head, uint64_t returned)
{
    end_line_begin(out, head->n, head->base, head->rules, NULL);
    format_chance(out, head);
    end_line(out, returned, NULL);
    bytes_text(out, "null}\n");
}

static void ndjson_trace_step(struct bytes *out, const struct trace_head *head, uint64_t number,
                              const struct step *step, const uint32_t *board)
{
    format_step(out, head, number, step, board);
    bytes_char(out, '\n');
}

static size_t ndjson_trace_end(struct bytes *out, const struct trace_head *head, const struct trace_tail *tail)
{
    end_line_begin(out, head->n, head->base, head->rules, head->regions);
    const size_t link = format_trace_end(out, tail);
    bytes_text(out, "}\n");
    return link;
}

const struct format format_ndjson = {
    .name = "ndjson",
    .media_type = "application/x-ndjson",
    .lines = true,
    .list_solution = ndjson_list_solution,
    .list_end = ndjson_list_end,
    .build_rows = ndjson_build_rows,
    .build_end = ndjson_build_end,
    .trace_step = ndjson_trace_step,
    .trace_end = ndjson_trace_end,
};
