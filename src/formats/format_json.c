/* format_json.c - one JSON document: a page of solutions, a construction, a trace, a count. Documents with many numbers
 * are written as text, member by member; jansson writes the small ones. */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "formats/format.h"

static void json_list_begin(struct bytes *out, const struct list_head *head)
{
    bytes_format(out, "{\"n\":%" PRIu32 ",\"base\":%" PRIu32 ",\"order\":\"%s\"", head->n, head->base, head->order);
    if (head->distinct)
        bytes_format(out, ",\"distinct\":\"%s\"", head->distinct);
    if (head->symmetry)
        bytes_format(out, ",\"symmetry\":\"%s\"", head->symmetry);
    format_rules(out, head->base, head->rules, head->regions);
    if (head->samples) {
        bytes_format(out, ",\"sample\":%" PRIu64 ",\"seed\":%" PRIu64, head->samples, head->seed);
    } else {
        format_rank(out, "offset", head->offset);
        bytes_format(out, ",\"limit\":%" PRIu64, head->limit);
    }
    if (head->seeded)
        bytes_format(out, ",\"seed\":%" PRIu64, head->seed);
    if (head->total_known)
        format_exact(out, "total", head->total);
    if (head->first)
        bytes_format(out, ",\"first\":{\"provenance\":\"table\",\"oeis\":\"%s\"}", head->first);
    if (head->note)
        bytes_format(out, ",\"note\":\"%s\"", head->note);
    bytes_text(out, ",\"solutions\":[");
}

static void json_list_solution(struct bytes *out, const struct list_head *head, const uint32_t *columns, uint64_t index,
                               uint64_t rank)
{
    bytes_text(out, index ? ",\n" : "\n");
    format_solution(out, head, columns, rank);
}

static void add_completion(struct bytes *out, const struct completion *completion)
{
    const char *completable = completion->completable ? "true" : "false";
    bytes_format(out, "\"completion\":{\"completable\":%s,\"count\":", completion->decided ? completable : "null");
    if (completion->counted)
        bytes_format(out, "%" PRIu64, completion->count);
    else
        bytes_text(out, "null");
    bytes_format(out, ",\"placements\":%" PRIu64 "},", completion->placements);
}

static size_t json_list_end(struct bytes *out, const struct list_head *head, const struct list_tail *tail)
{
    (void)head;
    bytes_format(out, "%s],\"returned\":%" PRIu64 ",\"complete\":%s,", tail->returned ? "\n" : "", tail->returned,
                 tail->complete ? "true" : "false");
    if (tail->stats) {
        bytes_text(out, "\"stats\":");
        format_stats(out, tail->stats);
        bytes_char(out, ',');
    }
    if (tail->completion)
        add_completion(out, tail->completion);
    const size_t link = format_next(out, tail->prefix, tail->next, tail->next_cursor);
    bytes_text(out, "}\n");
    return link;
}

static void json_build_begin(struct bytes *out, const struct build_head *head)
{
    bytes_format(out, "{\"n\":%" PRIu32 ",\"base\":%" PRIu32, head->n, head->base);
    format_rules(out, head->base, head->rules, NULL);
    bytes_format(out, ",\"method\":\"%s\"", head->method);
    if (head->part)
        bytes_format(out, ",\"rows\":{\"first\":%" PRIu32 ",\"last\":%" PRIu32 "}", head->first + head->base,
                     head->last + head->base);
    format_chance(out, head);
    bytes_text(out, ",\"permutation\":[");
}

static void json_build_rows(struct bytes *out, const struct build_head *head, uint32_t row, uint32_t count,
                            const uint32_t *columns)
{
    bytes_text(out, row == head->first ? "" : ",");
    format_columns(out, head->base, count, columns);
}

static void json_build_end(struct bytes *out, const struct build_head *head, uint64_t returned)
{
    (void)head, (void)returned;
    bytes_text(out, "]}\n");
}

static void json_trace_begin(struct bytes *out, const struct trace_head *head)
{
    bytes_format(out, "{\"n\":%" PRIu32 ",\"base\":%" PRIu32, head->n, head->base);
    format_rules(out, head->base, head->rules, head->regions);
    bytes_format(out, ",\"algorithm\":\"%s\"", head->algorithm);
    if (head->seeded)
        bytes_format(out, ",\"seed\":%" PRIu64, head->seed);
    bytes_format(out, ",\"offset\":%" PRIu64 ",\"limit\":%" PRIu64 ",\"board\":", head->offset, head->limit);
    format_partial(out, head->base, head->n, head->board);
    bytes_text(out, ",\"steps\":[");
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
    bytes_text(out, tail->returned ? "\n]" : "]");
    const size_t link = format_trace_end(out, tail);
    bytes_text(out, "}\n");
    return link;
}

static json_t *exact_json(nq_wide number)
{
    return number > INT64_MAX ? json_null() : json_integer((json_int_t)number);
}

static json_t *squares_json(const struct count_fact *fact)
{
    json_t *rows = json_array();
    for (uint32_t row = 0; row < fact->n; row++) {
        json_t *columns = json_array();
        for (uint32_t column = 0; column < fact->n; column++)
            json_element(&columns, exact_json(fact->squares[row * fact->n + column]));
        json_element(&rows, columns);
    }
    return rows;
}

static void json_exact(json_t **json, const char *name, const char *name_text, nq_wide number)
{
    char digits[WIDE_TEXT_MAX];
    json_member(json, name, exact_json(number));
    json_text(json, name_text, wide_text(number, digits));
}

/* The values that there are, in ascending order; the classes, if values are their sizes. */
static void add_distribution(json_t **json, const struct distribution *distribution)
{
    json_t *values = json_array();
    nq_wide classes = 0;
    for (uint32_t i = 0; i < distribution->values; i++) {
        const nq_wide count = distribution->counts[i];
        json_t *value = count ? json_pack("{s:I}", "value", (json_int_t)distribution->first + i) : NULL;
        if (!count)
            continue;
        json_exact(&value, "count", "count_text", count);
        json_element(&values, value);
        classes += distribution->sizes && i ? count / i : 0;
    }
    json_text(json, "by", distribution->by);
    json_member(json, "distribution", values);
    if (distribution->sizes)
        json_exact(json, "classes", "classes_text", classes);
}

/* Without a count there is what is known of it. */
static void add_limited(json_t **json, const struct count_fact *fact)
{
    if (fact->beyond) {
        json_member(json, "count", json_null());
        json_member(json, "count_text", json_null());
        json_member(json, "at_least", json_integer((json_int_t)fact->limit + 1));
    } else {
        json_exact(json, "count", "count_text", fact->count);
    }
    json_member(json, "unique", json_boolean(fact->count == 1));
    json_member(json, "limit", json_integer((json_int_t)fact->limit));
}

/* What was found, in the terms of its provenance. */
static void add_figures(json_t **json, const struct count_fact *fact)
{
    if (strcmp(fact->provenance, "estimate") == 0) {
        json_member(json, "estimate", json_real(fact->estimate));
        json_text(json, "estimate_text", fact->estimate_text);
        json_member(json, "standard_error", json_real(fact->standard_error));
        json_member(json, "walks", json_integer((json_int_t)fact->walks));
        json_member(json, "completed", json_integer((json_int_t)fact->completed));
        json_member(json, "seed", json_integer((json_int_t)fact->seed));
    } else if (strcmp(fact->provenance, "asymptotic") == 0) {
        json_member(json, "log10", json_real(fact->log10));
    } else if (fact->regions) {
        add_limited(json, fact);
    } else {
        json_exact(json, "count", "count_text", fact->count);
    }
    json_text(json, "provenance", fact->provenance);
    json_text(json, "oeis", fact->oeis);
    if (fact->squares)
        json_member(json, "squares", squares_json(fact));
    if (fact->distribution)
        add_distribution(json, fact->distribution);
    json_text(json, "note", fact->note);
}

/* The members of format_apart(). */
static void add_apart(json_t **json, const struct count_fact *fact)
{
    struct bytes text = {0};
    bytes_char(&text, '{');
    format_apart(&text, fact->base, fact->regions);
    if (!text.failed && text.size > 1) {
        bytes_char(&text, '}');
        json_t *apart = text.failed ? NULL : json_loadb(text.data, text.size, 0, NULL);
        json_member(json, "connected", json_incref(json_object_get(apart, "connected")));
        json_member(json, "apart", json_incref(json_object_get(apart, "apart")));
        json_decref(apart);
    }
    bytes_free(&text);
}

void format_count(struct bytes *out, const struct count_fact *fact)
{
    json_t *json = json_pack("{s:I, s:I}", "n", (json_int_t)fact->n, "base", (json_int_t)fact->base);
    json_text(&json, "distinct", fact->distinct);
    json_text(&json, "symmetry", fact->symmetry);
    json_text(&json, "rules", fact->rules);
    json_text(&json, "regions", fact->regions);
    if (fact->regions)
        add_apart(&json, fact);
    add_figures(&json, fact);
    bytes_json(out, json, JSON_COMPACT | JSON_REAL_PRECISION(12));
}

const struct format format_json = {
    .name = "json",
    .media_type = "application/json",
    .list_begin = json_list_begin,
    .list_solution = json_list_solution,
    .list_end = json_list_end,
    .build_begin = json_build_begin,
    .build_rows = json_build_rows,
    .build_end = json_build_end,
    .trace_begin = json_trace_begin,
    .trace_step = json_trace_step,
    .trace_end = json_trace_end,
};
