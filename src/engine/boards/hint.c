/* hint.c - the next queen of a board, and the squares on which no queen can stand any more. Few completions are listed
 * one by one; more are counted by square (a count with hint_answer()), if kernels are fast enough. It knows neither who
 * plays nor how a board is shown.
 *
 * The hint, in this order: the only square left in a row, in a column; a square that every completion has; the square
 * with most completions. Of several, the first row by row, or column by column. Beside it stands the easiest step that
 * techniques of deduction find: a queen, or squares that are crossed. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "count/deduction.h"
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

struct hint {
    const struct question *question;
    const nq_wide *squares;
    nq_wide completions;
    const struct grid *grid;
    const struct position *position;
    const struct finding *step; /* NULL: no technique finds any */
    struct bytes *out;
};

static bool placed(const struct question *question, uint32_t row, uint32_t column)
{
    return question->hint.placed[row] >> column & 1;
}

static nq_wide completions_at(const struct hint *hint, uint32_t row, uint32_t column)
{
    return hint->squares[row * hint->question->n + column];
}

/* Whether a queen may be put there. */
static bool is_open(const struct question *question, uint32_t row, uint32_t column)
{
    return filter_allows(&question->query.filter, row, column) && !placed(question, row, column);
}

/* Finds the only open square of a line. False: the line has a queen, or other than one open square. */
static bool only_in(const struct question *question, bool by_column, uint32_t line, uint32_t *row, uint32_t *column)
{
    uint32_t count = 0;
    for (uint32_t at = 0; at < question->n; at++) {
        const uint32_t r = by_column ? at : line, c = by_column ? line : at;
        if (placed(question, r, c))
            return false;
        if (!is_open(question, r, c))
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

static void write_hint(const struct hint *hint, const struct suggestion *suggestion)
{
    const uint32_t row = suggestion->row, column = suggestion->column;
    const struct question *question = hint->question;
    const struct findings findings = {hint->grid, hint->position, question->base, question->hint.language};
    char digits[WIDE_TEXT_MAX];
    json_begin_object(hint->out, "hint");
    format_place(hint->out, hint->question->base, row, column);
    json_name(hint->out, "completions");
    bytes_text(hint->out, wide_text(completions_at(hint, row, column), digits));
    json_write_text(hint->out, "code", hint_reason_code(suggestion->reason));
    json_begin_text(hint->out, "why");
    hint_reason(hint->out, suggestion->reason, suggestion->line, question->hint.language);
    json_end_text(hint->out);
    finding_write(hint->out, &findings, hint->step);
    json_end_object(hint->out);
}

static bool hint_by_line(const struct hint *hint, struct suggestion *suggestion)
{
    const struct question *question = hint->question;
    for (int by_column = 0; by_column < 2; by_column++)
        for (uint32_t line = 0; line < question->n; line++)
            if (only_in(question, by_column, line, &suggestion->row, &suggestion->column)) {
                suggestion->reason = by_column ? REASON_LAST_IN_COLUMN : REASON_LAST_IN_ROW;
                suggestion->line = line + question->base;
                return true;
            }
    return false;
}

/* False: nothing is open, the board is complete. */
static bool hint_by_count(const struct hint *hint, struct suggestion *suggestion)
{
    const uint32_t n = hint->question->n;
    nq_wide most = 0;
    for (uint32_t i = 0; i < n * n; i++)
        if (is_open(hint->question, i / n, i % n) && hint->squares[i] > most) {
            most = hint->squares[i];
            *suggestion = (struct suggestion){.row = i / n, .column = i % n};
        }
    suggestion->reason = most == hint->completions ? REASON_ALWAYS : REASON_MOST;
    return most;
}

/* False: there is no hint. */
static bool suggest(const struct hint *hint, struct suggestion *suggestion)
{
    return hint->completions && (hint_by_line(hint, suggestion) || hint_by_count(hint, suggestion));
}

static enum nq_status write_conflicts(const struct hint *hint)
{
    const uint32_t n = hint->question->n;
    struct queen queens[PARAM_SQUARES_MAX];
    struct conflicts conflicts;
    uint32_t count = 0;
    for (uint32_t i = 0; i < n * n; i++)
        if (placed(hint->question, i / n, i % n)) {
            assert(count < PARAM_SQUARES_MAX);
            queens[count++] = (struct queen){i / n, i % n};
        }
    enum nq_status status = conflicts_open(&conflicts, hint->question->query.filter.rule, n, queens, count);
    if (status != NQ_OK)
        return status;
    conflicts_search(&conflicts);
    verdict_conflicts(hint->out, &conflicts, hint->question->base);
    conflicts_close(&conflicts);
    return NQ_OK;
}

/* Writes the empty squares that are attacked, or those that are not and yet have no completion. Those that the question
 * excludes are no news. */
static void write_lost(const struct hint *hint, const char *name, bool attacked)
{
    const struct question *question = hint->question;
    const uint32_t n = question->n;
    struct filter queens;
    filter_begin(&queens, n);
    queens.rule = question->query.filter.rule;
    for (uint32_t i = 0; i < n * n; i++)
        if (placed(question, i / n, i % n))
            filter_place(&queens, i / n, i % n);
    json_begin_array(hint->out, name);
    for (uint32_t i = 0; i < n * n; i++) {
        const bool lost = attacked ? !filter_allows(&queens, i / n, i % n)
                                   : filter_allows(&question->query.filter, i / n, i % n) && !hint->squares[i];
        if (lost && !placed(question, i / n, i % n))
            format_square(hint->out, NULL, question->base, i / n, i % n);
    }
    json_end_array(hint->out);
}

/* The easiest step, or why there is none. The completions have been counted: a search would add nothing. */
static enum steps_end find_step(const struct hint *hint, const struct position *position, struct finding *finding)
{
    if (!hint->completions)
        return STEPS_IMPOSSIBLE;
    const enum steps_end refused = steps_refused(hint->grid, position);
    if (refused != STEPS_FOLLOW)
        return refused;
    if (finding_next(hint->grid, position, hint->completions == 1 ? GRADE_TECHNIQUES : GRADE_TECHNIQUES - 1, finding,
                     NULL))
        return STEPS_FOLLOW;
    return hint->completions > 1 ? STEPS_SEVERAL : STEPS_EXHAUSTED;
}

static void write_head(const struct hint *hint)
{
    const struct question *question = hint->question;
    const char *note = rule_note(question->query.filter.rule, question->n);
    char digits[WIDE_TEXT_MAX];
    json_begin_object(hint->out, NULL);
    format_question(hint->out, question->n, question->base, question_rules(question), NULL);
    json_write_bool(hint->out, "completable", hint->completions);
    json_name(hint->out, "completions");
    bytes_text(hint->out, wide_text(hint->completions, digits));
    if (note)
        json_write_text(hint->out, "note", note);
}

static enum nq_status write_all(const struct hint *hint, enum steps_end end)
{
    struct suggestion suggestion = {0};
    write_head(hint);
    if (suggest(hint, &suggestion))
        write_hint(hint, &suggestion);
    else
        json_write_null(hint->out, "hint");
    steps_end_write(hint->out, end);
    const enum nq_status status = write_conflicts(hint);
    write_lost(hint, "dead", false);
    write_lost(hint, "attacked", true);
    json_end_object(hint->out);
    json_end_document(hint->out, 0);
    return status;
}

static enum nq_status draw_all(const struct hint *hint)
{
    struct suggestion suggestion = {0};
    struct queen queen;
    struct pictured_hint pictured = {.finding = hint->step};
    if (suggest(hint, &suggestion)) {
        queen = (struct queen){suggestion.row, suggestion.column};
        pictured.queen = &queen;
    }
    return hint_picture(hint->question, &pictured, hint->out);
}

enum nq_status hint_answer(const struct question *question, nq_wide completions, const nq_wide *squares,
                           struct answer **out)
{
    struct bytes body = {0};
    struct position position;
    struct finding finding;
    bool sound;
    enum nq_status status = NQ_NOMEM;
    struct grid *grid = steps_begin(question, &position, &sound);
    struct hint hint = {.question = question,
                        .squares = squares,
                        .completions = completions,
                        .grid = grid,
                        .position = &position,
                        .out = &body};
    if (grid) {
        const enum steps_end end = find_step(&hint, &position, &finding);
        hint.step = end == STEPS_FOLLOW ? &finding : NULL;
        status = question->format->picture ? draw_all(&hint) : write_all(&hint, end);
    }
    grid_free(grid);
    body.failed |= status != NQ_OK;
    return work_answered(&body, question, out);
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
