/* steps.c - steps of an algorithm in JSON: single steps, their statistics, and the end of a trace. */
#include <inttypes.h>

#include "formats/format.h"

static const char *const kinds[] = {
    [STEP_PLACE] = "place", [STEP_REJECT] = "reject", [STEP_REMOVE] = "remove", [STEP_SOLUTION] = "solution",
    [STEP_TAKE] = "take",   [STEP_KEEP] = "keep",     [STEP_MOVE] = "move",
};

const char *format_step_name(enum step_kind kind)
{
    return kinds[kind];
}

void format_partial(struct bytes *out, uint32_t base, uint32_t count, const uint32_t *columns)
{
    bytes_char(out, '[');
    for (uint32_t row = 0; row < count; row++) {
        bytes_text(out, row ? "," : "");
        if (columns[row] == NOWHERE)
            bytes_text(out, "null");
        else
            bytes_number(out, (uint64_t)columns[row] + base);
    }
    bytes_char(out, ']');
}

void format_stats(struct bytes *out, const struct stats *stats)
{
    uint32_t levels = STATS_LEVELS + 1;
    while (levels && stats->levels[levels - 1] == 0)
        levels--;
    bytes_format(out,
                 "{\"steps\":%" PRIu64 ",\"placements\":%" PRIu64 ",\"tests\":%" PRIu64 ",\"rejections\":%" PRIu64
                 ",\"backtracks\":%" PRIu64 ",\"solutions\":%" PRIu64 ",\"peak_states\":%" PRIu64 ",\"levels\":[",
                 stats->steps, stats->placements, stats->tests, stats->rejections, stats->backtracks, stats->solutions,
                 stats->peak_states);
    for (uint32_t level = 1; level < levels; level++) {
        bytes_text(out, level > 1 ? "," : "");
        bytes_number(out, stats->levels[level]);
    }
    bytes_text(out, "]}");
}

/* The line that the queen in row `by` attacks the step's square on. */
static const char *line_of(const struct step *step, uint32_t column)
{
    if (column == step->column)
        return "column";
    return (step->row > step->by) == (step->column > column) ? "diagonal" : "antidiagonal";
}

void format_step(struct bytes *out, const struct trace_head *head, uint64_t number, const struct step *step,
                 const uint32_t *board)
{
    bytes_text(out, "{\"step\":");
    bytes_number(out, number);
    bytes_format(out, ",\"do\":\"%s\"", kinds[step->kind]);
    if (step->row != NOWHERE) {
        format_place(out, head->base, step->row, step->column);
    } else {
        bytes_text(out, ",\"board\":");
        format_partial(out, head->base, head->n, board);
    }
    if (step->by != NOWHERE) {
        format_square(out, "by", head->base, step->by, board[step->by]);
        bytes_format(out, ",\"line\":\"%s\"", line_of(step, board[step->by]));
    }
    bytes_format(out, ",\"queens\":%" PRIu32 ",\"tests\":%" PRIu32, step->depth, step->tests);
    if (step->states != 1)
        bytes_format(out, ",\"states\":%" PRIu64, step->states);
    if (step->has_energy)
        bytes_format(out, ",\"energy\":%" PRId64, step->energy);
    bytes_char(out, '}');
}

size_t format_trace_end(struct bytes *out, const struct trace_tail *tail)
{
    bytes_format(out, ",\"returned\":%" PRIu64 ",\"complete\":%s,\"ended\":%s,\"stats\":", tail->returned,
                 tail->complete ? "true" : "false", tail->ended ? "true" : "false");
    format_stats(out, tail->stats);
    bytes_char(out, ',');
    return format_next(out, tail->prefix, tail->next, tail->next_cursor);
}
