/* format_ndjson.c - one JSON value a line, and a last line that marks the end: without it the list was cut. */
#include "base/json.h"
#include "formats/format.h"

static void ndjson_list_solution(struct bytes *out, const struct list_head *head, const uint32_t *columns,
                                 uint64_t index, uint64_t rank)
{
    (void)index;
    format_solution(out, head, columns, rank);
    bytes_char(out, '\n');
}

static void ndjson_list_placement(struct bytes *out, const struct list_head *head, const struct nq_square *squares,
                                  uint32_t count, uint64_t index)
{
    (void)index;
    format_placement_json(out, head, squares, count);
    bytes_char(out, '\n');
}

/* Begins the line that ends everything. */
static void end_line(struct bytes *out, uint32_t n, uint32_t base, const char *rules, const char *regions)
{
    json_begin_object(out, NULL);
    json_write_bool(out, "end", true);
    format_question(out, n, base, rules, regions);
}

static size_t ndjson_list_end(struct bytes *out, const struct list_head *head, const struct list_tail *tail)
{
    const size_t start = out->size;
    end_line(out, head->n, head->base, head->rules, head->regions);
    if (head->shape)
        format_shape(out, head->base, head->shape);
    json_write_number(out, "returned", tail->returned);
    if (tail->stats)
        format_stats(out, "stats", tail->stats);
    const size_t link = format_link(out, tail->prefix, tail->next);
    json_end_object(out);
    json_end_document(out, start);
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
    const size_t start = out->size;
    end_line(out, head->n, head->base, head->rules, NULL);
    format_chance(out, head);
    json_write_number(out, "returned", returned);
    json_write_null(out, "next");
    json_end_object(out);
    json_end_document(out, start);
}

static void ndjson_trace_step(struct bytes *out, const struct trace_head *head, uint64_t number,
                              const struct step *step, const uint32_t *board)
{
    format_step(out, head, number, step, board);
    bytes_char(out, '\n');
}

static size_t ndjson_trace_end(struct bytes *out, const struct trace_head *head, const struct trace_tail *tail)
{
    const size_t start = out->size;
    json_begin_object(out, NULL);
    json_write_bool(out, "end", true);
    format_trace_question(out, head);
    const size_t link = format_trace_end(out, tail);
    json_end_object(out);
    json_end_document(out, start);
    return link;
}

const struct format format_ndjson = {
    .name = "ndjson",
    .media_type = "application/x-ndjson",
    .lines = true,
    .list_solution = ndjson_list_solution,
    .list_placement = ndjson_list_placement,
    .list_end = ndjson_list_end,
    .build_rows = ndjson_build_rows,
    .build_end = ndjson_build_end,
    .trace_step = ndjson_trace_step,
    .trace_end = ndjson_trace_end,
};
