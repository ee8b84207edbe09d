/* hint.c - the next queen of a board, and the squares on which no queen can stand any more. Few completions are listed
 * one by one; more are counted by square (a count with hint_answer()), if kernels are fast enough. It knows neither who
 * plays nor how a board is shown.
 *
 * The hint, in this order: the only square left in a row, in a column; a square that every completion has; the square
 * with most completions. Of several, the first row by row, or column by column. Beside it stands the easiest step that
 * techniques of deduction find: a queen, or squares that are crossed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "count/deduction.h"
#include "engine/boards/hint.h"
#include "engine/boards/steps.h"
#include "engine/run/work.h"
#include "formats/finding.h"
#include "formats/hint_words.h"
#include "formats/verdict.h"

/* Up to so many placements completions are listed: kernels take up to 0.3 s before they begin. */
enum { FEW_NODES = 1 << 12 };

/* Placements tried with more rows than kernels fill soon enough, and between two looks at the clock. */
enum { MOST_NODES = 1 << 20, GRANT = 1 << 12 };

/* ---- The answer ---- */

/* Finds the only open square of a line. False: the line has a queen, or other than one open square. */
static bool only_in(const struct hint *hint, bool by_column, uint32_t line, uint32_t *row, uint32_t *column)
{
    uint32_t count = 0;
    for (uint32_t at = 0; at < hint->columns; at++) {
        const uint32_t r = by_column ? at : line, c = by_column ? line : at;
        if (hint_has(hint->placed, r, c))
            return false;
        if (!hint_has(hint->open, r, c))
            continue;
        count++;
        *row = r;
        *column = c;
    }
    return count == 1;
}

/* A queen that is suggested, and why; line: the number of the row or column that the reason names. */
struct suggestion {
    uint32_t row, column;
    enum hint_reason reason;
    uint32_t line;
};

/* On a board of any shape a line may stay empty. */
static bool hint_by_line(const struct hint *hint, struct suggestion *suggestion)
{
    for (int by_column = 0; by_column < 2 && !hint->shape; by_column++)
        for (uint32_t line = 0; line < hint->rows; line++)
            if (only_in(hint, by_column, line, &suggestion->row, &suggestion->column)) {
                suggestion->reason = by_column ? REASON_LAST_IN_COLUMN : REASON_LAST_IN_ROW;
                suggestion->line = line + hint->question->base;
                return true;
            }
    return false;
}

/* False: nothing is open, the board is complete. */
static bool hint_by_count(const struct hint *hint, struct suggestion *suggestion)
{
    nq_wide most = 0;
    for (uint32_t i = 0; i < hint->rows * hint->columns; i++) {
        const uint32_t row = i / hint->columns, column = i % hint->columns;
        if (hint_has(hint->open, row, column) && hint->squares[i] > most) {
            most = hint->squares[i];
            *suggestion = (struct suggestion){.row = row, .column = column};
        }
    }
    suggestion->reason = most == hint->completions ? REASON_ALWAYS : REASON_MOST;
    return most;
}

/* False: there is no hint. */
static bool suggest(const struct hint *hint, struct suggestion *suggestion)
{
    return hint->completions && (hint_by_line(hint, suggestion) || hint_by_count(hint, suggestion));
}

static void write_completions(struct bytes *out, nq_wide completions)
{
    char digits[WIDE_TEXT_MAX];
    json_name(out, "completions");
    bytes_text(out, wide_text(completions, digits));
}

static void write_hint(const struct hint *hint, const struct suggestion *suggestion, const struct finding *step,
                       struct bytes *out)
{
    const uint32_t row = suggestion->row, column = suggestion->column;
    const struct question *question = hint->question;
    const struct findings findings = {hint->grid, hint->position, question->base, question->hint.language};
    json_begin_object(out, "hint");
    format_place(out, question->base, row, column);
    write_completions(out, hint->squares[row * hint->columns + column]);
    json_write_text(out, "code", hint_reason_code(suggestion->reason));
    json_begin_text(out, "why");
    hint_reason(out, suggestion->reason, suggestion->line, question->hint.language);
    json_end_text(out);
    finding_write(out, &findings, step);
    json_end_object(out);
}

/* A question without a shape has no walls in it. */
static enum nq_status write_conflicts(const struct hint *hint, struct bytes *out)
{
    const struct question *question = hint->question;
    const struct conflicts_board board = {hint->rows, hint->columns, question->shape.walls};
    const struct rule *rule = hint->shape ? hint->shape->rule : question->query.filter.rule;
    struct conflicts conflicts;
    struct queen *queens = malloc((size_t)hint->rows * hint->columns * sizeof *queens);
    uint32_t count = 0;
    if (!queens)
        return NQ_NOMEM;
    for (uint32_t i = 0; i < hint->rows * hint->columns; i++)
        if (hint_has(hint->placed, i / hint->columns, i % hint->columns))
            queens[count++] = (struct queen){i / hint->columns, i % hint->columns};
    const enum nq_status status = conflicts_open_shape(&conflicts, rule, &board, queens, count);
    if (status == NQ_OK) {
        conflicts_search(&conflicts);
        verdict_conflicts(out, &conflicts, question->base);
        conflicts_close(&conflicts);
    }
    free(queens);
    return status;
}

/* Writes the empty squares that are attacked, or those that are not and yet have no completion. Those that the question
 * excludes are no news. */
static void write_lost(const struct hint *hint, bool dead, struct bytes *out)
{
    json_begin_array(out, dead ? "dead" : "attacked");
    for (uint32_t i = 0; i < hint->rows * hint->columns; i++) {
        const uint32_t row = i / hint->columns, column = i % hint->columns;
        const bool lost = dead ? hint_has(hint->open, row, column) && !hint->squares[i]
                               : hint_has(hint->attacked, row, column) && !hint_has(hint->placed, row, column);
        if (lost)
            format_square(out, NULL, hint->question->base, row, column);
    }
    json_end_array(out);
}

/* The easiest step, or why there is none. The completions have been counted: a search would add nothing. */
static enum steps_end find_step(const struct hint *hint, bool suggested, struct finding *finding)
{
    if (!hint->completions)
        return STEPS_IMPOSSIBLE;
    const enum steps_end refused = hint->grid  ? steps_refused(hint->grid, hint->position)
                                   : suggested ? STEPS_FOLLOW
                                               : STEPS_SOLVED;
    if (refused != STEPS_FOLLOW)
        return refused;
    if (hint->grid && finding_next(hint->grid, hint->position,
                                   hint->completions == 1 ? GRADE_TECHNIQUES : GRADE_TECHNIQUES - 1, finding, NULL))
        return STEPS_FOLLOW;
    return hint->completions > 1 ? STEPS_SEVERAL : STEPS_EXHAUSTED;
}

static void write_head(const struct hint *hint, struct bytes *out)
{
    const struct question *question = hint->question;
    const char *note = hint->shape ? NULL : rule_note(question->query.filter.rule, question->n);
    json_begin_object(out, NULL);
    format_question(out, question->n, question->base, question_rules(question), NULL);
    if (hint->shape)
        format_shape(out, question->base, hint->shape);
    json_write_bool(out, "completable", hint->completions);
    write_completions(out, hint->completions);
    if (note)
        json_write_text(out, "note", note);
}

enum nq_status hint_finish(const struct hint *hint, struct answer **answer)
{
    struct bytes body = {0};
    struct suggestion suggestion = {0};
    struct finding finding;
    const bool suggested = suggest(hint, &suggestion);
    const enum steps_end end = find_step(hint, suggested, &finding);
    const struct finding *step = end == STEPS_FOLLOW ? &finding : NULL;
    if (hint->question->format->picture) {
        const struct queen queen = {suggestion.row, suggestion.column};
        const struct pictured_hint pictured = {.finding = step, .queen = suggested ? &queen : NULL};
        body.failed |= hint_picture(hint->question, &pictured, &body) != NQ_OK;
        return work_answered(&body, hint->question, answer);
    }
    write_head(hint, &body);
    if (suggested)
        write_hint(hint, &suggestion, step, &body);
    else
        json_write_null(&body, "hint");
    steps_end_write(&body, end);
    body.failed |= write_conflicts(hint, &body) != NQ_OK;
    write_lost(hint, true, &body);
    write_lost(hint, false, &body);
    json_end_object(&body);
    json_end_document(&body, 0);
    return work_answered(&body, hint->question, answer);
}

enum nq_status hint_answer(const struct question *question, nq_wide completions, const nq_wide *squares,
                           struct answer **out)
{
    const uint32_t n = question->n;
    const struct filter *filter = &question->query.filter;
    const uint64_t *placed = question->hint.placed;
    struct position position;
    struct filter queens;
    bool sound;
    struct grid *grid = steps_begin(question, &position, &sound);
    struct hint hint = {.question = question,
                        .rows = n,
                        .columns = n,
                        .placed = placed,
                        .completions = completions,
                        .squares = squares,
                        .grid = grid,
                        .position = &position};
    if (!grid)
        return NQ_NOMEM;
    filter_begin(&queens, n);
    queens.rule = filter->rule;
    for (uint32_t i = 0; i < n * n; i++)
        if (hint_has(placed, i / n, i % n))
            filter_place(&queens, i / n, i % n);
    for (uint32_t row = 0; row < n; row++) {
        hint.open[row] = filter->allow[row] & ~placed[row];
        hint.attacked[row] = ~queens.allow[row] & ~UINT64_C(0) >> (64 - n);
    }
    const enum nq_status status = hint_finish(&hint, out);
    grid_free(grid);
    return status;
}

/* ---- Completions one by one ---- */

struct hinting {
    struct work work;
    const struct question *question;
    uint64_t nodes; /* left */
    nq_wide completions;
    nq_wide *squares;
    struct deduction deduction;
};

static enum nq_status hinting_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct hinting *hinting = (struct hinting *)work;
    const uint32_t n = hinting->question->n;
    do {
        uint64_t grant = hinting->nodes < GRANT ? hinting->nodes : GRANT;
        const uint64_t before = grant;
        const enum nq_status status = deduction_next(&hinting->deduction, &grant, stop);
        hinting->nodes -= before - grant;
        if (status == NQ_END)
            return NQ_OK;
        if (status == NQ_CANCELLED || stop_wanted(stop))
            return NQ_CANCELLED;
        if (status == NQ_AGAIN && !hinting->nodes) {
            fault_write(&work->fault, FAULT_UNDECIDED, (const double[]){MOST_NODES},
                        "With more than %u free rows, or n above %d, the search for completions ends after %d "
                        "placements; that was not enough. Place more queens.",
                        hinting->question->query.filter.rule->square_rows, KERNEL_MAX_N, MOST_NODES);
            return NQ_LIMIT;
        }
        if (status != NQ_OK)
            continue;
        hinting->completions++;
        for (uint32_t row = 0; row < n; row++)
            hinting->squares[row * n + hinting->deduction.columns[row]]++;
    } while (clock_now() < slice->deadline);
    return NQ_AGAIN;
}

static enum nq_status hinting_finish(struct work *work, struct answer **answer)
{
    const struct hinting *hinting = (struct hinting *)work;
    return hint_answer(hinting->question, hinting->completions, hinting->squares, answer);
}

static void hinting_close(struct work *work)
{
    struct hinting *hinting = (struct hinting *)work;
    free(hinting->squares);
    free(hinting);
}

/* Only the squares of the filter: a row with a queen has one. Of two queens that attack each other one has no square,
 * and the search ends at once; so it does where rows have too few columns. */
static void lay(struct deduction *deduction, const struct question *question)
{
    const struct filter *filter = &question->query.filter;
    struct filter settled = *filter;
    filter_settle(&settled);
    if (filter_contradictory(&settled))
        filter = &settled;
    deduction_begin(deduction, question->n, filter->rule);
    for (uint32_t row = 0; row < question->n; row++)
        for (uint32_t column = 0; column < question->n; column++)
            if (!filter_allows(filter, row, column))
                deduction_exclude(deduction, row, column);
}

static enum nq_status open_hinting(const struct question *question, struct work **out)
{
    static const struct work_class class = {.slice = hinting_slice, .finish = hinting_finish, .close = hinting_close};
    struct hinting *hinting = work_new(sizeof *hinting, &class);
    if (!hinting)
        return NQ_NOMEM;
    hinting->question = question;
    hinting->nodes = MOST_NODES;
    hinting->squares = calloc((size_t)question->n * question->n + 1, sizeof *hinting->squares);
    lay(&hinting->deduction, question);
    return work_opened(&hinting->work, hinting->squares ? NQ_OK : NQ_NOMEM, out);
}

/* Whether kernels can count the completions soon enough. */
static bool suits_kernels(const struct question *question)
{
    struct filter settled = question->query.filter;
    filter_settle(&settled);
    return question->n <= KERNEL_MAX_N && filter_free_rows(&settled) <= settled.rule->square_rows;
}

enum nq_status work_hint(const struct question *question, const atomic_bool *stop, struct work **out)
{
    const struct slice slice = {.deadline = UINT64_MAX};
    struct work *work = NULL;
    enum nq_status status = open_hinting(question, &work);
    if (status != NQ_OK || !suits_kernels(question)) {
        *out = work;
        return status;
    }
    ((struct hinting *)work)->nodes = FEW_NODES;
    status = hinting_slice(work, &slice, stop);
    if (status == NQ_OK)
        *out = work;
    else
        hinting_close(work);
    return status == NQ_LIMIT ? NQ_NONE : status;
}
