/* verdict.c - a verdict's members, in one order. It knows numbers and names only. */
#include "formats/verdict.h"

#include "base/json.h"
#include "formats/format.h"

void verdict_conflicts(struct bytes *out, const struct conflicts *conflicts, uint32_t base)
{
    json_write_number(out, "conflict_count", conflicts->total);
    json_begin_array(out, "conflicts");
    for (size_t i = 0; i < conflicts->listed; i++) {
        const struct conflict *conflict = &conflicts->list[i];
        bytes_text(out, i ? ",\n" : "\n");
        json_begin_object(out, NULL);
        format_square(out, "a", base, conflict->a.row, conflict->a.column);
        format_square(out, "b", base, conflict->b.row, conflict->b.column);
        json_write_text(out, "line", conflict_line_name(conflict->line));
        const int region = conflict_region(conflicts, conflict);
        if (region >= 0)
            json_write_text(out, "region", (const char[]){(char)('a' + region), '\0'});
        json_end_object(out);
    }
    bytes_text(out, conflicts->listed ? "\n" : "");
    json_end_array(out);
}

static void put_solution(struct bytes *out, const struct verdict *verdict)
{
    static const char *const symmetries[] = {
        [NQ_SYMMETRY_NONE] = "none", [NQ_SYMMETRY_POINT] = "point", [NQ_SYMMETRY_QUARTER] = "quarter"};
    json_write_text(out, "symmetry", symmetries[verdict->symmetry]);
    json_write_number(out, "orbit", verdict->orbit);
    if (verdict->canonical)
        format_columns(out, "canonical", verdict->base, verdict->n, verdict->canonical);
    else
        json_write_null(out, "canonical");
    if (verdict->ranked)
        json_write_number(out, "rank", verdict->rank);
    else
        json_write_null(out, "rank");
}

/* The board, and what is asked of the placement. */
static void put_shape(struct bytes *out, const struct verdict *verdict)
{
    const struct shape *shape = verdict->shaped->shape;
    json_write_number(out, "m", shape->rows);
    format_shape_walls(out, verdict->base, shape);
    json_begin_object(out, "asked");
    format_shape_queens(out, shape);
    if (shape->maximal)
        json_write_bool(out, "maximal", true);
    json_end_object(out);
}

static void put_shaped(struct bytes *out, const struct verdict *verdict)
{
    const struct shape_verdict *shaped = verdict->shaped;
    json_begin_array(out, "on_walls");
    for (uint32_t i = 0; i < shaped->listed; i++)
        format_square(out, NULL, verdict->base, shaped->on_walls[i].row, shaped->on_walls[i].column);
    json_end_array(out);
    json_write_bool(out, "maximal", shaped->maximal);
    if (shaped->maximal)
        json_write_null(out, "free");
    else
        format_square(out, "free", verdict->base, shaped->free.row, shaped->free.column);
}

void verdict_write(struct bytes *out, const struct verdict *verdict)
{
    static const char *const of_solutions[] = {"symmetry", "orbit", "canonical", "rank"};
    const struct regions *regions = verdict->conflicts->regions;
    const size_t start = out->size;
    char text[REGIONS_TEXT_MAX];
    json_begin_object(out, NULL);
    format_question(out, verdict->n, verdict->base, verdict->rules, regions ? regions_text(regions, '/', text) : NULL);
    if (verdict->shaped)
        put_shape(out, verdict);
    json_write_bool(out, "valid", verdict->valid);
    json_write_bool(out, "peaceful", !verdict->conflicts->total);
    json_write_number(out, "queens", verdict->queens);
    verdict_conflicts(out, verdict->conflicts, verdict->base);
    if (verdict->shaped)
        put_shaped(out, verdict);
    const bool solution = verdict->valid && !regions && !verdict->shaped;
    if (solution)
        put_solution(out, verdict);
    for (size_t i = 0; i < sizeof of_solutions / sizeof of_solutions[0] && !solution; i++)
        json_write_null(out, of_solutions[i]);
    json_end_object(out);
    json_end_document(out, start);
}
