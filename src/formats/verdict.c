/* verdict.c - a verdict's members, in one order. It knows numbers and names only. */
#include "formats/verdict.h"

#include <inttypes.h>

#include "base/json_write.h"
#include "formats/format.h"

void verdict_conflicts(struct bytes *out, const struct conflicts *conflicts, uint32_t base)
{
    bytes_format(out, ",\"conflict_count\":%" PRIu64 ",\"conflicts\":[", conflicts->total);
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
    bytes_text(out, conflicts->listed ? "\n]" : "]");
}

static void put_solution(struct bytes *out, const struct verdict *verdict)
{
    static const char *const symmetries[] = {
        [NQ_SYMMETRY_NONE] = "none", [NQ_SYMMETRY_POINT] = "point", [NQ_SYMMETRY_QUARTER] = "quarter"};
    bytes_format(out, ",\"symmetry\":\"%s\",\"orbit\":%u,\"canonical\":", symmetries[verdict->symmetry],
                 verdict->orbit);
    if (verdict->canonical) {
        bytes_char(out, '[');
        format_columns(out, verdict->base, verdict->n, verdict->canonical);
        bytes_char(out, ']');
    } else {
        bytes_text(out, "null");
    }
    if (verdict->ranked)
        bytes_format(out, ",\"rank\":%" PRIu64, verdict->rank);
    else
        bytes_text(out, ",\"rank\":null");
}

void verdict_write(struct bytes *out, const struct verdict *verdict)
{
    const struct regions *regions = verdict->conflicts->regions;
    char text[REGIONS_TEXT_MAX];
    bytes_format(out, "{\"n\":%" PRIu32 ",\"base\":%" PRIu32, verdict->n, verdict->base);
    format_rules(out, verdict->base, verdict->rules, regions ? regions_text(regions, '/', text) : NULL);
    bytes_format(out, ",\"valid\":%s,\"peaceful\":%s,\"queens\":%" PRIu32, verdict->valid ? "true" : "false",
                 verdict->conflicts->total ? "false" : "true", verdict->queens);
    verdict_conflicts(out, verdict->conflicts, verdict->base);
    if (verdict->valid && !regions)
        put_solution(out, verdict);
    else
        bytes_text(out, ",\"symmetry\":null,\"orbit\":null,\"canonical\":null,\"rank\":null");
    bytes_text(out, "}\n");
}
