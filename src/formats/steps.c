/* steps.c - steps of an algorithm in JSON: single steps, their statistics, and the end of a trace. */
#include <inttypes.h>

#include "base/json.h"
#include "formats/format.h"
#include "shapes/shape.h"

static const char *const kinds[] = {
    [STEP_PLACE] = "place", [STEP_REJECT] = "reject", [STEP_REMOVE] = "remove", [STEP_SOLUTION] = "solution",
    [STEP_TAKE] = "take",   [STEP_KEEP] = "keep",     [STEP_MOVE] = "move",
};

const char *format_step_name(enum step_kind kind)
{
    return kinds[kind];
}

void format_trace_question(struct bytes *out, const struct trace_head *head)
{
    format_question(out, head->n, head->base, head->rules, head->regions);
    if (!head->shape)
        return;
    json_write_number(out, "m", head->rows);
    format_shape_walls(out, head->base, head->shape);
}

void format_partial(struct bytes *out, const char *name, uint32_t base, uint32_t count, const uint32_t *columns)
{
    json_begin_array(out, name);
    for (uint32_t row = 0; row < count; row++)
        if (columns[row] == NOWHERE)
            json_write_null(out, NULL);
        else
            json_write_number(out, NULL, (uint64_t)columns[row] + base);
    json_end_array(out);
}

void format_stats(struct bytes *out, const char *name, const struct stats *stats)
{
    uint32_t levels = STATS_LEVELS + 1;
    while (levels && stats->levels[levels - 1] == 0)
        levels--;
    json_begin_object(out, name);
    json_write_number(out, "steps", stats->steps);
    json_write_number(out, "placements", stats->placements);
    json_write_number(out, "tests", stats->tests);
    json_write_number(out, "rejections", stats->rejections);
    json_write_number(out, "backtracks", stats->backtracks);
    json_write_number(out, "solutions", stats->solutions);
    json_write_number(out, "peak_states", stats->peak_states);
    json_begin_array(out, "levels");
    for (uint32_t level = 1; level < levels; level++)
        json_write_number(out, NULL, stats->levels[level]);
    json_end_array(out);
    json_end_object(out);
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
    json_begin_object(out, NULL);
    json_write_number(out, "step", number);
    json_write_text(out, "do", kinds[step->kind]);
    if (step->row != NOWHERE)
        format_place(out, head->base, step->row, step->column);
    else
        format_partial(out, "board", head->base, head->rows, board);
    if (step->by != NOWHERE) {
        format_square(out, "by", head->base, step->by, board[step->by]);
        json_write_text(out, "line", line_of(step, board[step->by]));
    }
    json_write_number(out, "queens", step->depth);
    json_write_number(out, "tests", step->tests);
    if (step->states != 1)
        json_write_number(out, "states", step->states);
    if (step->has_energy) {
        json_name(out, "energy");
        bytes_format(out, "%.*f", step->thousandths ? 3 : 0, step_energy(step));
    }
    json_end_object(out);
}

size_t format_trace_end(struct bytes *out, const struct trace_tail *tail)
{
    json_write_number(out, "returned", tail->returned);
    json_write_bool(out, "complete", tail->complete);
    json_write_bool(out, "ended", tail->ended);
    format_stats(out, "stats", tail->stats);
    return format_next(out, tail->prefix, tail->next, tail->next_cursor);
}
