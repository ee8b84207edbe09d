/* steps.c - queens and crosses of a question as a position, and the codes of ends. */
#include "engine/boards/steps.h"

#include "base/json.h"

void steps_end_write(struct bytes *out, enum steps_end end)
{
    static const char *const codes[] = {[STEPS_FOLLOW] = NULL,
                                        [STEPS_SOLVED] = "solved",
                                        [STEPS_IMPOSSIBLE] = "no-completion",
                                        [STEPS_SEVERAL] = "several-completions",
                                        [STEPS_EXHAUSTED] = "techniques-exhausted",
                                        [STEPS_UNDECIDED] = "undecided",
                                        [STEPS_LARGE] = "too-many-squares"};
    json_write_text(out, "end", codes[end]);
}

/* Whether a square is in a set of the question: one word a row. */
static bool holds(const uint64_t *rows, uint32_t n, uint32_t square)
{
    return rows[square / n] >> square % n & 1;
}

struct grid *steps_begin(const struct question *question, struct position *position, bool *sound)
{
    const uint32_t n = question->n;
    const struct regions *regions = &question->query.regions;
    struct grid *grid = grid_new(question->query.filter.rule, n, regions->n ? regions->of : NULL);
    if (!grid)
        return NULL;
    position_begin(grid, position);
    *sound = true;
    for (uint32_t square = 0; square < n * n; square++)
        if (holds(question->hint.placed, n, square))
            *sound &= !holds(question->hint.excluded, n, square) && position_place(grid, position, square);
    for (uint32_t square = 0; square < n * n; square++)
        if (holds(question->hint.excluded, n, square))
            position_cross(position, square);
    return grid;
}

enum steps_end steps_refused(const struct grid *grid, const struct position *position)
{
    if (position_solved(grid, position))
        return STEPS_SOLVED;
    return position_free_squares(grid, position) * grid->n > STEPS_MOST_FREE ? STEPS_LARGE : STEPS_FOLLOW;
}
