/* hint.c - the next queen of a board, and the squares on which none can stand any more. Completions are looked at
 * one by one where they are few, else counted square by square, as far as kernels get soon enough. It knows neither
 * who plays nor how a board is shown.
 *
 * What is hinted at, in this order: the only square left in a row, in a column; a square that every completion has; the
 * one with most completions. The first of several row by row, or column by column. */
#include "engine/hint.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "count/deduction.h"
#include "engine/work.h"
#include "formats/verdict.h"

/* Rows that kernels may have to fill: about a second of one core with vectors. */
enum { KERNEL_ROWS = 15 };

/* They are not called, which takes them up to 0.3 s before they begin, where so few placements will do. */
enum { FEW_NODES = 1 << 12 };

/* Beyond their rows so many may be tried; between two looks at the clock so many. */
enum { MOST_NODES = 1 << 20, GRANT = 1 << 12 };

/* As many queens as a request may place. */
enum { PLACED_MAX = 256 };

/* ---- The answer ---- */

struct telling {
    const struct question *question;
    const nq_wide *squares;
    nq_wide completions;
    struct bytes *out;
};

static bool placed(const struct question *question, uint32_t row, uint32_t column)
{
    return question->placed[row] >> column & 1;
}

static nq_wide completions_at(const struct telling *telling, uint32_t row, uint32_t column)
{
    return telling->squares[row * telling->question->n + column];
}

/* Whether a queen may be put there. */
static bool is_open(const struct question *question, uint32_t row, uint32_t column)
{
    return filter_allows(&question->query.filter, row, column) && !placed(question, row, column);
}

/* The only square left in a line, if it has no queen and one square. */
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

static void write_hint(const struct telling *telling, uint32_t row, uint32_t column, const char *why)
{
    char digits[WIDE_TEXT_MAX];
    bytes_char(telling->out, '{');
    format_square(telling->out, telling->question->base, row, column);
    bytes_format(telling->out, ",\"completions\":%s,\"why\":\"%s\"}",
                 wide_text(completions_at(telling, row, column), digits), why);
}

/* A square that is the only one left in its line. */
static bool hint_by_line(const struct telling *telling)
{
    const struct question *question = telling->question;
    uint32_t row, column;
    for (int by_column = 0; by_column < 2; by_column++)
        for (uint32_t line = 0; line < question->n; line++)
            if (only_in(question, by_column, line, &row, &column)) {
                char why[64];
                (void)snprintf(why, sizeof why, "No other square is left in %s %" PRIu32 ".",
                               by_column ? "column" : "row", line + question->base);
                write_hint(telling, row, column, why);
                return true;
            }
    return false;
}

static void hint_by_count(const struct telling *telling)
{
    const uint32_t n = telling->question->n;
    nq_wide most = 0;
    uint32_t best = 0;
    for (uint32_t i = 0; i < n * n; i++)
        if (is_open(telling->question, i / n, i % n) && telling->squares[i] > most) {
            most = telling->squares[i];
            best = i;
        }
    if (!most) /* nothing is open: the board is whole */
        bytes_text(telling->out, "null");
    else
        write_hint(telling, best / n, best % n,
                   most == telling->completions ? "Every completion has a queen there."
                                                : "No other square leaves more completions.");
}

/* Who of the placed queens attacks whom. */
static enum nq_status write_conflicts(const struct telling *telling)
{
    const uint32_t n = telling->question->n;
    struct queen queens[PLACED_MAX];
    struct conflicts conflicts;
    uint32_t count = 0;
    for (uint32_t i = 0; i < n * n; i++)
        if (placed(telling->question, i / n, i % n)) {
            assert(count < PLACED_MAX);
            queens[count++] = (struct queen){i / n, i % n};
        }
    enum nq_status status = conflicts_open(&conflicts, n, queens, count);
    if (status != NQ_OK)
        return status;
    while (conflicts_step(&conflicts) == NQ_AGAIN)
        ;
    verdict_conflicts(telling->out, &conflicts, telling->question->base);
    conflicts_close(&conflicts);
    return NQ_OK;
}

/* Writes the empty squares that are attacked, or those that are not and yet have no completion. */
static void write_lost(const struct telling *telling, bool attacked)
{
    const struct question *question = telling->question;
    const uint32_t n = question->n;
    bool any = false;
    for (uint32_t i = 0; i < n * n; i++) {
        const bool free = filter_allows(&question->query.filter, i / n, i % n);
        if (placed(question, i / n, i % n) || free == attacked || (free && telling->squares[i]))
            continue;
        bytes_text(telling->out, any ? ",{" : "{");
        format_square(telling->out, question->base, i / n, i % n);
        bytes_char(telling->out, '}');
        any = true;
    }
}

enum nq_status hint_answer(const struct question *question, nq_wide completions, const nq_wide *squares,
                           struct answer **out)
{
    struct bytes body = {0};
    const struct telling telling = {.question = question, .squares = squares, .completions = completions, .out = &body};
    char digits[WIDE_TEXT_MAX];
    bytes_format(&body,
                 "{\"n\":%" PRIu32 ",\"base\":%" PRIu32 ",\"completable\":%s,\"completions\":%s,\"hint\":", question->n,
                 question->base, completions ? "true" : "false", wide_text(completions, digits));
    if (!completions)
        bytes_text(&body, "null");
    else if (!hint_by_line(&telling))
        hint_by_count(&telling);
    const enum nq_status status = write_conflicts(&telling);
    bytes_text(&body, ",\"dead\":[");
    write_lost(&telling, false);
    bytes_text(&body, "],\"attacked\":[");
    write_lost(&telling, true);
    bytes_text(&body, "]}\n");
    *out = status == NQ_OK ? answer_new(&body, question->format->media_type) : NULL;
    bytes_free(&body);
    return *out ? NQ_OK : NQ_NOMEM;
}

/* ---- Completions one by one ---- */

struct hinting {
    struct work work;
    const struct question *question;
    uint64_t nodes; /* left */
    nq_wide completions;
    nq_wide *squares;
    struct deduction deduction;
    char why[WORK_WHY_MAX];
};

static enum nq_status hinting_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct hinting *hinting = (struct hinting *)work;
    const uint32_t n = hinting->question->n;
    do {
        uint64_t grant = hinting->nodes < GRANT ? hinting->nodes : GRANT;
        const uint64_t before = grant;
        const enum nq_status status = deduction_next(&hinting->deduction, &grant);
        hinting->nodes -= before - grant;
        if (status == NQ_END)
            return NQ_OK;
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        if (status == NQ_AGAIN && !hinting->nodes) {
            (void)snprintf(hinting->why, sizeof hinting->why,
                           "Above %d free rows, or n = %d, completions are looked for in at most %d placements, which "
                           "were not enough. Place more queens.",
                           KERNEL_ROWS, KERNEL_MAX_N, MOST_NODES);
            work->why = hinting->why;
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

/* Leaves the squares that the filter does: a row with a queen has one; of queens that attack each other one has none,
 * and the search ends at once. */
static void lay(struct deduction *deduction, const struct question *question)
{
    deduction_begin(deduction, question->n);
    for (uint32_t row = 0; row < question->n; row++)
        for (uint32_t column = 0; column < question->n; column++)
            if (!filter_allows(&question->query.filter, row, column))
                deduction_exclude(deduction, row, column);
}

static enum nq_status open_hinting(const struct question *question, struct work **out)
{
    static const struct work_class class = {.slice = hinting_slice, .finish = hinting_finish, .close = hinting_close};
    struct hinting *hinting = calloc(1, sizeof *hinting);
    if (!hinting)
        return NQ_NOMEM;
    hinting->squares = calloc((size_t)question->n * question->n + 1, sizeof *hinting->squares);
    if (!hinting->squares) {
        free(hinting);
        return NQ_NOMEM;
    }
    hinting->work = (struct work){.class = &class, .lanes = 1};
    hinting->question = question;
    hinting->nodes = MOST_NODES;
    lay(&hinting->deduction, question);
    *out = &hinting->work;
    return NQ_OK;
}

/* Whether kernels can count the completions soon enough. */
static bool suits_kernels(const struct question *question)
{
    struct filter settled = question->query.filter;
    filter_settle(&settled);
    return question->n <= KERNEL_MAX_N && filter_free_rows(&settled) <= KERNEL_ROWS;
}

enum nq_status work_hint(const struct question *question, const struct tools *tools, const atomic_bool *stop,
                         char why[static WORK_WHY_MAX], struct work **out)
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
    return status == NQ_LIMIT ? work_tally(question, tools, stop, why, out) : status;
}
