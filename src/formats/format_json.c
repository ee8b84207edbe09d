/* format_json.c - one JSON document: a page of solutions, a construction, a trace, a count. */
#include <string.h>

#include "base/json.h"
#include "formats/format.h"

/* Significant digits of estimates. */
enum { DIGITS = 12 };

static void json_list_begin(struct bytes *out, const struct list_head *head)
{
    json_begin_object(out, NULL);
    json_write_number(out, "n", head->n);
    json_write_number(out, "base", head->base);
    if (head->shape)
        format_shape(out, head->base, head->shape);
    json_write_text(out, "order", head->order);
    json_text_if(out, "distinct", head->distinct);
    json_text_if(out, "symmetry", head->symmetry);
    json_text_if(out, "transform", head->transform);
    format_rules(out, head->base, head->rules, head->regions);
    if (head->samples) {
        json_write_number(out, "sample", head->samples);
        json_write_number(out, "seed", head->seed);
    } else {
        format_rank(out, "offset", head->offset);
        json_write_number(out, "limit", head->limit);
    }
    if (head->seeded)
        json_write_number(out, "seed", head->seed);
    if (head->total_known)
        format_exact(out, "total", head->total);
    if (head->first) {
        json_begin_object(out, "first");
        json_write_text(out, "provenance", "table");
        json_write_text(out, "oeis", head->first);
        json_end_object(out);
    }
    json_text_if(out, "note", head->note);
    json_begin_array(out, "solutions");
}

static void json_list_solution(struct bytes *out, const struct list_head *head, const uint32_t *columns, uint64_t index,
                               uint64_t rank)
{
    bytes_text(out, index ? ",\n" : "\n");
    format_solution(out, head, columns, rank);
}

static void json_list_placement(struct bytes *out, const struct list_head *head, const struct nq_square *squares,
                                uint32_t count, uint64_t index)
{
    bytes_text(out, index ? ",\n" : "\n");
    format_placement_json(out, head, squares, count);
}

static void add_completion(struct bytes *out, const struct completion *completion)
{
    json_begin_object(out, "completion");
    if (completion->decided)
        json_write_bool(out, "completable", completion->completable);
    else
        json_write_null(out, "completable");
    if (completion->counted)
        json_write_number(out, "count", completion->count);
    else
        json_write_null(out, "count");
    json_write_number(out, "placements", completion->placements);
    json_end_object(out);
}

/* A document ends: that of lists whose values stand in lines of their own. */
static void end_document(struct bytes *out)
{
    json_end_object(out);
    bytes_char(out, '\n');
}

static size_t json_list_end(struct bytes *out, const struct list_head *head, const struct list_tail *tail)
{
    (void)head;
    bytes_text(out, tail->returned ? "\n" : "");
    json_end_array(out);
    json_write_number(out, "returned", tail->returned);
    json_write_bool(out, "complete", tail->complete);
    if (tail->stats)
        format_stats(out, "stats", tail->stats);
    if (tail->completion)
        add_completion(out, tail->completion);
    const size_t link = format_next(out, tail->prefix, tail->next, tail->next_cursor);
    end_document(out);
    return link;
}

static void json_build_begin(struct bytes *out, const struct build_head *head)
{
    json_begin_object(out, NULL);
    format_question(out, head->n, head->base, head->rules, NULL);
    json_write_text(out, "method", head->method);
    if (head->part) {
        json_begin_object(out, "rows");
        json_write_number(out, "first", head->first + head->base);
        json_write_number(out, "last", head->last + head->base);
        json_end_object(out);
    }
    format_chance(out, head);
    json_begin_array(out, "permutation");
}

static void json_build_rows(struct bytes *out, const struct build_head *head, uint32_t row, uint32_t count,
                            const uint32_t *columns)
{
    bytes_text(out, row == head->first ? "" : ",");
    format_numbers(out, head->base, count, columns);
}

static void json_build_end(struct bytes *out, const struct build_head *head, uint64_t returned)
{
    (void)head, (void)returned;
    json_end_array(out);
    end_document(out);
}

static void json_trace_begin(struct bytes *out, const struct trace_head *head)
{
    json_begin_object(out, NULL);
    format_trace_question(out, head);
    json_write_text(out, "algorithm", head->algorithm);
    if (head->seeded)
        json_write_number(out, "seed", head->seed);
    json_write_number(out, "offset", head->offset);
    json_write_number(out, "limit", head->limit);
    format_partial(out, "board", head->base, head->rows, head->board);
    json_begin_array(out, "steps");
}

static void json_trace_step(struct bytes *out, const struct trace_head *head, uint64_t number, const struct step *step,
                            const uint32_t *board)
{
    bytes_text(out, number == head->offset ? "\n" : ",\n");
    format_step(out, head, number, step, board);
}

static size_t json_trace_end(struct bytes *out, const struct trace_head *head, const struct trace_tail *tail)
{
    (void)head;
    bytes_text(out, tail->returned ? "\n" : "");
    json_end_array(out);
    const size_t link = format_trace_end(out, tail);
    end_document(out);
    return link;
}

static void write_wide(struct bytes *out, nq_wide number)
{
    if (number > INT64_MAX)
        json_write_null(out, NULL);
    else
        json_write_number(out, NULL, (uint64_t)number);
}

static void add_squares(struct bytes *out, const struct count_fact *fact)
{
    json_begin_array(out, "squares");
    for (uint32_t row = 0; row < fact->n; row++) {
        json_begin_array(out, NULL);
        for (uint32_t column = 0; column < fact->n; column++)
            write_wide(out, fact->squares[row * fact->n + column]);
        json_end_array(out);
    }
    json_end_array(out);
}

/* The values that there are, in ascending order; the classes, if values are their sizes. */
static void add_distribution(struct bytes *out, const struct distribution *distribution)
{
    nq_wide classes = 0;
    json_write_text(out, "by", distribution->by);
    json_begin_array(out, "distribution");
    for (uint32_t i = 0; i < distribution->values; i++) {
        const nq_wide count = distribution->counts[i];
        if (!count)
            continue;
        json_begin_object(out, NULL);
        json_write_number(out, "value", distribution->first + i);
        format_exact(out, "count", count);
        json_end_object(out);
        classes += distribution->sizes && i ? count / i : 0;
    }
    json_end_array(out);
    if (distribution->sizes)
        format_exact(out, "classes", classes);
}

/* Without a count there is what is known of it. */
static void add_limited(struct bytes *out, const struct count_fact *fact)
{
    if (fact->beyond) {
        format_rank(out, "count", RANK_UNKNOWN);
        json_write_number(out, "at_least", fact->limit + 1);
    } else {
        format_exact(out, "count", fact->count);
    }
    json_write_bool(out, "unique", fact->count == 1);
    json_write_number(out, "limit", fact->limit);
}

/* What was found, in the terms of its provenance. */
static void add_figures(struct bytes *out, const struct count_fact *fact)
{
    if (strcmp(fact->provenance, "estimate") == 0) {
        json_write_real(out, "estimate", fact->estimate, DIGITS);
        json_write_text(out, "estimate_text", fact->estimate_text);
        json_write_real(out, "standard_error", fact->standard_error, DIGITS);
        json_write_number(out, "walks", fact->walks);
        json_write_number(out, "completed", fact->completed);
        json_write_number(out, "seed", fact->seed);
    } else if (strcmp(fact->provenance, "asymptotic") == 0) {
        json_write_real(out, "log10", fact->log10, DIGITS);
        json_write_real(out, "log10_error", fact->log10_error, DIGITS);
        json_write_text(out, "formula", fact->formula);
    } else if (fact->regions) {
        add_limited(out, fact);
    } else {
        format_exact(out, "count", fact->count);
    }
    json_write_text(out, "provenance", fact->provenance);
    json_text_if(out, "oeis", fact->oeis);
    json_text_if(out, "source", fact->source);
    if (fact->squares)
        add_squares(out, fact);
    if (fact->distribution)
        add_distribution(out, fact->distribution);
    json_text_if(out, "note", fact->note);
}

void format_count(struct bytes *out, const struct count_fact *fact)
{
    const size_t start = out->size;
    json_begin_object(out, NULL);
    json_write_number(out, "n", fact->n);
    json_write_number(out, "base", fact->base);
    if (fact->shape)
        format_shape(out, fact->base, fact->shape);
    json_text_if(out, "distinct", fact->distinct);
    json_text_if(out, "symmetry", fact->symmetry);
    format_rules(out, fact->base, fact->rules, fact->regions);
    add_figures(out, fact);
    json_end_object(out);
    json_end_document(out, start);
}

const struct format format_json = {
    .name = "json",
    .media_type = "application/json",
    .list_begin = json_list_begin,
    .list_solution = json_list_solution,
    .list_placement = json_list_placement,
    .list_end = json_list_end,
    .build_begin = json_build_begin,
    .build_rows = json_build_rows,
    .build_end = json_build_end,
    .trace_begin = json_trace_begin,
    .trace_step = json_trace_step,
    .trace_end = json_trace_end,
};
