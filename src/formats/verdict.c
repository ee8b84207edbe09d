/* verdict.c - a verdict's members, in one order. It knows numbers and names only. */
#include "formats/verdict.h"

#include "formats/format.h"

static void put_queen(struct bytes *out, const char *name, const struct queen *queen, uint32_t base)
{
    bytes_text(out, name);
    bytes_char(out, '{');
    format_square(out, base, queen->row, queen->column);
    bytes_char(out, '}');
}

void verdict_conflicts(struct bytes *out, const struct conflicts *conflicts, uint32_t base)
{
    bytes_text(out, ",\"conflict_count\":");
    bytes_number(out, conflicts->total);
    bytes_text(out, ",\"conflicts\":[");
    for (size_t i = 0; i < conflicts->listed; i++) {
        const struct conflict *conflict = &conflicts->list[i];
        put_queen(out, i ? ",\n{\"a\":" : "\n{\"a\":", &conflict->a, base);
        put_queen(out, ",\"b\":", &conflict->b, base);
        bytes_text(out, ",\"line\":\"");
        bytes_text(out, conflict_line_name(conflict->line));
        bytes_text(out, "\"}");
    }
    bytes_text(out, conflicts->listed ? "\n]" : "]");
}

static void put_solution(struct bytes *out, const struct verdict *verdict)
{
    static const char *const symmetries[] = {
        [NQ_SYMMETRY_NONE] = "none", [NQ_SYMMETRY_POINT] = "point", [NQ_SYMMETRY_QUARTER] = "quarter"};
    bytes_text(out, ",\"symmetry\":\"");
    bytes_text(out, symmetries[verdict->symmetry]);
    bytes_text(out, "\",\"orbit\":");
    bytes_number(out, verdict->orbit);
    if (verdict->canonical) {
        bytes_text(out, ",\"canonical\":[");
        format_columns(out, verdict->base, verdict->n, verdict->canonical);
        bytes_char(out, ']');
    } else {
        bytes_text(out, ",\"canonical\":null");
    }
    bytes_text(out, ",\"rank\":");
    if (verdict->ranked)
        bytes_number(out, verdict->rank);
    else
        bytes_text(out, "null");
}

static void put_flag(struct bytes *out, const char *name, bool flag)
{
    bytes_text(out, name);
    bytes_text(out, flag ? "true" : "false");
}

void verdict_write(struct bytes *out, const struct verdict *verdict)
{
    bytes_text(out, "{\"n\":");
    bytes_number(out, verdict->n);
    bytes_text(out, ",\"base\":");
    bytes_number(out, verdict->base);
    put_flag(out, ",\"valid\":", verdict->valid);
    put_flag(out, ",\"peaceful\":", verdict->conflicts->total == 0);
    bytes_text(out, ",\"queens\":");
    bytes_number(out, verdict->queens);
    verdict_conflicts(out, verdict->conflicts, verdict->base);
    if (verdict->valid)
        put_solution(out, verdict);
    else
        bytes_text(out, ",\"symmetry\":null,\"orbit\":null,\"canonical\":null,\"rank\":null");
    bytes_text(out, "}\n");
}
