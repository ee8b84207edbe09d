/* hint_picture.c - the queens and crosses of a question, framed squares that a step rests on, and what follows. */
#include "engine/boards/hint_picture.h"

#include <stdlib.h>

#include "board/conflicts.h"
#include "formats/format.h"

/* The squares of a board, of which lists of one picture share the room. */
struct room {
    struct queen *squares;
    size_t used;
};

/* Those of a set of bits: square row:column is bit row * stride + column. The stride is n in a set of a grid, see
 * grid.h, and 64 where each row has a word. */
static struct shown_squares squares_in(struct room *room, uint32_t n, uint32_t stride, const uint64_t *set)
{
    struct shown_squares shown = {.list = room->squares + room->used};
    for (uint32_t square = 0; square < n * n; square++) {
        const uint32_t row = square / n, column = square % n, at = row * stride + column;
        if (set[at / 64] >> at % 64 & 1)
            room->squares[room->used + shown.count++] = (struct queen){row, column};
    }
    room->used += shown.count;
    return shown;
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

enum nq_status hint_picture(const struct question *question, const struct pictured_hint *hint, struct bytes *out)
{
    const uint32_t n = question->n;
    struct room room = {.squares = calloc(4 * (size_t)n * n + 1, sizeof *room.squares)}; /* four lists at most */
    if (!room.squares)
        return NQ_NOMEM;
    struct shown_marks marks = {.queens = squares_in(&room, n, 64, question->hint.placed),
                                .crosses = squares_in(&room, n, 64, question->hint.excluded)};
    if (hint->finding)
        show_step(&room, n, hint->finding, &marks);
    else if (hint->queen)
        marks.targets = (struct shown_squares){hint->queen, 1};
    marks.placed |= !hint->finding && hint->queen;
    const struct painted_board board = {.n = n,
                                        .regions = question->query.regions.n ? &question->query.regions : NULL,
                                        .rules = question_rules(question),
                                        .marks = &marks,
                                        .base = question->base};
    (void)question->format->paint(out, &board, NULL); /* never stopped */
    free(room.squares);
    return NQ_OK;
}
