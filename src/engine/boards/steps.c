/* steps.c - queens and crosses of a question as a position, and the codes of ends. */
#include "engine/boards/steps.h"

#include <stdlib.h>

#include "base/json.h"
#include "board/conflicts.h"
#include "formats/format.h"

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

/* ---- The picture ---- */

/* The queens and crosses of a question, framed squares that a step rests on, what follows, and which queens attack the
 * other squares where the step looks. */

/* The squares of a board, of which lists of one picture share the room. */
struct room {
    uint32_t rows; /* of the board */
    struct queen *squares;
    size_t used;
};

/* Those of a set of bits: square row:column is bit row * stride + column. The stride is n in a set of a grid, see
 * grid.h, and 64 where each row has a word. */
static struct shown_squares squares_in(struct room *room, uint32_t n, uint32_t stride, const uint64_t *set)
{
    struct shown_squares shown = {.list = room->squares + room->used};
    for (uint32_t square = 0; square < room->rows * n; square++) {
        const uint32_t row = square / n, column = square % n, at = row * stride + column;
        if (set[at / 64] >> at % 64 & 1)
            room->squares[room->used + shown.count++] = (struct queen){row, column};
    }
    room->used += shown.count;
    return shown;
}

/* The crosses of a board of any shape: those of its walls mean nothing. */
static struct shown_squares crosses_of(struct room *room, const struct shape *shape)
{
    uint64_t crossed[SHAPE_MAX_SIDE];
    for (uint32_t row = 0; row < shape->rows; row++)
        crossed[row] = shape_row(shape) & ~shape->allow[row] & ~shape->walls[row];
    return squares_in(room, shape->columns, 64, crossed);
}

static void show_step(struct room *room, uint32_t n, const struct finding *finding, struct shown_marks *marks)
{
    marks->lit = squares_in(room, n, n, finding->squares);
    marks->placed = finding->queen != GRID_NOWHERE;
    if (!marks->placed) {
        marks->targets = squares_in(room, n, n, finding->cross);
        return;
    }
    room->squares[room->used] = (struct queen){finding->queen / n, finding->queen % n};
    marks->targets = (struct shown_squares){room->squares + room->used++, 1};
}

/* ---- Why the other squares of a row, column or region are not free ---- */

static bool has(const uint64_t *set, uint32_t square)
{
    return set[square / 64] >> square % 64 & 1;
}

static bool in_group(const struct question *question, const struct group *group, uint32_t square)
{
    const uint32_t n = question->n;
    const uint32_t of = group->kind == GROUP_ROW      ? square / n
                        : group->kind == GROUP_COLUMN ? square % n
                                                      : question->query.regions.of[square];
    return of == group->index;
}

/* Whether the free squares of a group are squares that the step rests on, and so all others are not free: there is one,
 * and none is crossed besides. */
static bool looked_through(const struct question *question, const struct finding *finding, const struct group *group)
{
    bool any = false;
    for (uint32_t square = 0; square < question->n * question->n; square++) {
        if (!in_group(question, group, square))
            continue;
        if (has(finding->squares, square))
            any = true;
        else if (has(finding->cross, square))
            return false;
    }
    return any;
}

static void add_group(const struct question *question, const struct group *group, uint64_t *set)
{
    for (uint32_t square = 0; square < question->n * question->n; square++)
        if (in_group(question, group, square))
            set[square / 64] |= UINT64_C(1) << square % 64;
}

/* The nearest queen that attacks a square, of several the first; NULL: none does. */
static const struct queen *taker_of(const struct question *question, const struct shown_squares *queens,
                                    uint32_t square)
{
    const uint32_t n = question->n, row = square / n, column = square % n;
    const uint8_t *of = question->query.regions.n ? question->query.regions.of : NULL;
    const struct queen *nearest = NULL;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < queens->count; i++) {
        const struct queen *queen = &queens->list[i];
        const int64_t down = (int64_t)queen->row - row, right = (int64_t)queen->column - column;
        const bool attacked = rule_attack(question->query.filter.rule, n, queen->row, queen->column, row, column);
        const bool shared = of && of[queen->row * n + queen->column] == of[square];
        if ((!attacked && !shared) || down * down + right * right >= least)
            continue;
        least = down * down + right * right;
        nearest = queen;
    }
    return nearest;
}

/* Squares that are only crossed have their crosses. */
static void show_taken(struct room *room, const struct question *question, const struct finding *finding,
                       struct queen *takers, struct shown_marks *marks)
{
    const uint32_t n = question->n;
    uint64_t wanted[GRID_MAX_WORDS] = {0};
    for (uint32_t i = 0; i < finding->groups; i++)
        if (looked_through(question, finding, &finding->group[i]))
            add_group(question, &finding->group[i], wanted);
    marks->taken.list = room->squares + room->used;
    marks->takers = takers;
    for (uint32_t square = 0; square < n * n; square++) {
        if (!has(wanted, square) || has(finding->squares, square))
            continue;
        const struct queen *taker = taker_of(question, &marks->queens, square);
        if (!taker)
            continue;
        takers[marks->taken.count++] = *taker;
        room->squares[room->used++] = (struct queen){square / n, square % n};
    }
}

enum nq_status hint_picture(const struct question *question, const struct pictured_hint *hint, struct bytes *out)
{
    const uint32_t n = question->n;
    const struct shape *shape = question->shape.rows ? &question->shape : NULL;
    struct room room = {.rows = shape ? shape->rows : n};
    const size_t squares = (size_t)room.rows * n;
    room.squares = calloc(6 * squares + 1, sizeof *room.squares); /* six lists at most */
    if (!room.squares)
        return NQ_NOMEM;
    struct queen *takers = room.squares + 5 * squares + 1;
    struct shown_marks marks = {.queens = squares_in(&room, n, 64, shape ? shape->placed : question->hint.placed)};
    marks.crosses = shape ? crosses_of(&room, shape) : squares_in(&room, n, 64, question->hint.excluded);
    if (hint->finding) {
        show_step(&room, n, hint->finding, &marks);
        show_taken(&room, question, hint->finding, takers, &marks);
    } else if (hint->queen)
        marks.targets = (struct shown_squares){hint->queen, 1};
    marks.placed |= !hint->finding && hint->queen;
    const struct painted_board board = {.n = n,
                                        .shape = shape,
                                        .regions = question->query.regions.n ? &question->query.regions : NULL,
                                        .rules = question_rules(question),
                                        .marks = &marks,
                                        .base = question->base};
    (void)question->format->paint(out, &board, NULL); /* never stopped */
    free(room.squares);
    return NQ_OK;
}
