/* hint_shape.c - the next queen on a board of any shape, and the squares on which none can stand any more: its
 * placements with the queens that are placed are listed one by one. Techniques of deduction know square boards without
 * walls, so no step stands beside the hint. The square with most completions is suggested; of several the first. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/stop.h"
#include "engine/boards/steps.h"
#include "engine/run/work.h"
#include "formats/finding.h"
#include "formats/format.h"
#include "formats/hint_words.h"
#include "formats/verdict.h"
#include "shapes/shape.h"
#include "shapes/shape_board.h"

/* Placements tried in all, a second or two; and between two looks at the clock. */
enum { SHAPE_HINT_NODES = 1 << 22, SHAPE_HINT_GRANT = 1 << 12 };

struct shape_hint {
    struct work work;
    const struct question *question;
    struct shape_list *list;
    struct nq_square *squares; /* of a completion */
    uint64_t nodes;            /* left */
    uint64_t completions;
    uint64_t *at; /* by square: those with a queen there */
};

static bool has(const uint64_t *rows, uint32_t row, uint32_t column)
{
    return rows[row] >> column & 1;
}

/* ---- The answer ---- */

/* Sets what the placed queens attack, their own squares included. */
static enum nq_status shape_hint_attacks(const struct shape *shape, uint64_t attacked[static SHAPE_MAX_SIDE])
{
    struct shape_board board;
    const enum nq_status status = shape_board_open(shape, 0, &board);
    for (uint32_t row = 0; row < shape->rows; row++)
        attacked[row] = 0;
    for (uint32_t square = 0; square < shape->rows * shape->columns && status == NQ_OK; square++) {
        if (!has(shape->placed, square / shape->columns, square % shape->columns))
            continue;
        for (uint32_t row = 0; row < shape->rows; row++)
            attacked[row] |= shape_attack(&board, square)[row];
    }
    shape_board_close(&board);
    return status;
}

/* The first square with most completions; false: no queen can be added. */
static bool suggest_square(const struct shape_hint *hint, uint32_t *square)
{
    const struct shape *shape = &hint->question->shape;
    uint64_t most = 0;
    for (uint32_t i = 0; i < shape->rows * shape->columns; i++)
        if (!has(shape->placed, i / shape->columns, i % shape->columns) && hint->at[i] > most) {
            most = hint->at[i];
            *square = i;
        }
    return most;
}

static void write_suggestion(const struct shape_hint *hint, uint32_t square, struct bytes *out)
{
    const struct question *question = hint->question;
    const enum hint_reason reason = hint->at[square] == hint->completions ? REASON_ALWAYS : REASON_MOST;
    const struct findings none = {0};
    json_begin_object(out, "hint");
    format_place(out, question->base, square / question->shape.columns, square % question->shape.columns);
    json_write_number(out, "completions", hint->at[square]);
    json_write_text(out, "code", hint_reason_code(reason));
    json_begin_text(out, "why");
    hint_reason(out, reason, 0, question->hint.language);
    json_end_text(out);
    finding_write(out, &none, NULL);
    json_end_object(out);
}

static enum nq_status write_shape_conflicts(const struct question *question, struct bytes *out)
{
    const struct shape *shape = &question->shape;
    const uint32_t squares = shape->rows * shape->columns;
    struct conflicts conflicts;
    struct queen *queens = malloc(squares * sizeof *queens);
    uint32_t count = 0;
    if (!queens)
        return NQ_NOMEM;
    for (uint32_t i = 0; i < squares; i++)
        if (has(shape->placed, i / shape->columns, i % shape->columns))
            queens[count++] = (struct queen){i / shape->columns, i % shape->columns};
    const enum nq_status status = conflicts_open_shape(
        &conflicts, shape->rule, &(struct conflicts_board){shape->rows, shape->columns, shape->walls}, queens, count);
    if (status == NQ_OK) {
        conflicts_search(&conflicts);
        verdict_conflicts(out, &conflicts, question->base);
        conflicts_close(&conflicts);
    }
    free(queens);
    return status;
}

/* Writes the empty squares that are attacked, or those that are allowed and not, and yet have no completion. */
static void write_lost_squares(const struct shape_hint *hint, const uint64_t *attacked, bool dead, struct bytes *out)
{
    const struct shape *shape = &hint->question->shape;
    json_begin_array(out, dead ? "dead" : "attacked");
    for (uint32_t i = 0; i < shape->rows * shape->columns; i++) {
        const uint32_t row = i / shape->columns, column = i % shape->columns;
        const bool lost = dead ? has(shape->allow, row, column) && !has(attacked, row, column) && !hint->at[i]
                               : has(attacked, row, column) && !has(shape->placed, row, column);
        if (lost)
            format_square(out, NULL, hint->question->base, row, column);
    }
    json_end_array(out);
}

/* Why no step of a technique follows. */
static enum steps_end end_of(const struct shape_hint *hint, bool suggested)
{
    if (!hint->completions)
        return STEPS_IMPOSSIBLE;
    if (!suggested)
        return STEPS_SOLVED;
    return hint->completions > 1 ? STEPS_SEVERAL : STEPS_EXHAUSTED;
}

static enum nq_status shape_hint_finish(struct work *work, struct answer **answer)
{
    const struct shape_hint *hint = (struct shape_hint *)work;
    const struct question *question = hint->question;
    struct bytes body = {0};
    uint64_t attacked[SHAPE_MAX_SIDE];
    uint32_t square = 0;
    const bool suggested = suggest_square(hint, &square);
    if (question->format->picture) {
        const struct queen queen = {square / question->shape.columns, square % question->shape.columns};
        body.failed |= hint_picture(question, &(struct pictured_hint){.queen = suggested ? &queen : NULL}, &body);
        return work_answered(&body, question, answer);
    }
    enum nq_status status = shape_hint_attacks(&question->shape, attacked);
    json_begin_object(&body, NULL);
    format_question(&body, question->n, question->base, question_rules(question), NULL);
    format_shape(&body, question->base, &question->shape);
    json_write_bool(&body, "completable", hint->completions);
    json_write_number(&body, "completions", hint->completions);
    if (suggested)
        write_suggestion(hint, square, &body);
    else
        json_write_null(&body, "hint");
    steps_end_write(&body, end_of(hint, suggested));
    if (status == NQ_OK)
        status = write_shape_conflicts(question, &body);
    write_lost_squares(hint, attacked, true, &body);
    write_lost_squares(hint, attacked, false, &body);
    json_end_object(&body);
    json_end_document(&body, 0);
    body.failed |= status != NQ_OK;
    return work_answered(&body, question, answer);
}

/* ---- Completions one by one ---- */

static enum nq_status shape_hint_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct shape_hint *hint = (struct shape_hint *)work;
    const uint32_t columns = hint->question->shape.columns;
    do {
        const uint64_t grant = hint->nodes < SHAPE_HINT_GRANT ? hint->nodes : SHAPE_HINT_GRANT;
        uint64_t left = grant;
        uint32_t count;
        enum nq_status status;
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        while ((status = shape_list_next(hint->list, &left, hint->squares, &count)) == NQ_OK) {
            hint->completions++;
            for (uint32_t i = 0; i < count; i++)
                hint->at[hint->squares[i].row * columns + hint->squares[i].column]++;
            if (left == 0)
                break;
        }
        hint->nodes -= grant - left;
        if (status == NQ_END)
            return NQ_OK;
        if (!hint->nodes) {
            fault_write(
                &work->fault, FAULT_UNDECIDED, (const double[]){SHAPE_HINT_NODES},
                "On a board with m, queens, walls or maximal the search for completions ends after %d placements; "
                "that was not enough. Place more queens.",
                SHAPE_HINT_NODES);
            return NQ_LIMIT;
        }
    } while (clock_now() < slice->deadline);
    return NQ_AGAIN;
}

static void shape_hint_close(struct work *work)
{
    struct shape_hint *hint = (struct shape_hint *)work;
    if (hint->list)
        shape_list_close(hint->list);
    free(hint->squares);
    free(hint->at);
    free(hint);
}

static enum nq_status open_shape_hint(struct shape_hint *hint, const struct question *question)
{
    const struct shape *shape = &question->shape;
    hint->question = question;
    hint->nodes = SHAPE_HINT_NODES;
    const enum nq_status status = shape_list_open(shape, 1U << SYMMETRY_IDENTITY, &hint->list);
    if (status != NQ_OK)
        return status;
    hint->squares = malloc((shape_list_top(hint->list) + 1) * sizeof *hint->squares);
    hint->at = calloc((size_t)shape->rows * shape->columns, sizeof *hint->at);
    return hint->squares && hint->at ? NQ_OK : NQ_NOMEM;
}

enum nq_status work_hint_shape(const struct question *question, struct work **out)
{
    static const struct work_class class = {
        .slice = shape_hint_slice, .finish = shape_hint_finish, .close = shape_hint_close};
    struct shape_hint *hint = work_new(sizeof *hint, &class);
    if (!hint)
        return NQ_NOMEM;
    return work_opened(&hint->work, open_shape_hint(hint, question), out);
}
