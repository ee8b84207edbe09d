/* solver_romani_2_to_4.c - breadth-first search by levels: all placements of k + 1 rows are made from all placements of
 * k rows, first queen given. F. Romani, Ancora le Regine, MCmicrocomputer (1993), algorithms 2 to 4, which differ only
 * in the rows where their stages end. A stage extends the placements of the stage before, one after the other, level by
 * level, and tries every column that was free when it began. The last stage ends after all completions of the first
 * placement that has any. */
#include <assert.h>
#include <stdlib.h>

#include "solvers/partials.h"
#include "solvers/solver.h"
#include "steps/listing.h"

/* Two that are given, and the last. */
enum { STAGES = 3 };

enum phase {
    FIRST,  /* the first queen comes next */
    TAKE,   /* another placement is taken up */
    TRY,    /* the next column is tried below what was taken up */
    PLACED, /* the last queen has just been put: a solution */
    REMOVE, /* and is taken off again */
    WHOLE,  /* what was taken up is whole: a solution */
};

struct levels {
    struct partials partials;
    uint32_t column;
    uint32_t stage, stages, ends[STAGES];
    struct partials_list sources; /* taken up by this stage, and behind them what it finds for the next one */
    struct partials_list level;   /* the rest of a level, and behind it what there is of the next one */
    uint64_t closed;              /* columns of the source: not tried */
    uint32_t next;                /* column to be tried */
    enum phase phase;
    bool found;
};

/* Begins with stages that fill ends[0] rows, then ends[1], and so on, finally all rows. */
static void begin_stages(const struct machine_settings *settings, const uint32_t *ends, uint32_t count, void *machine)
{
    struct levels *levels = machine;
    assert(count < STAGES);
    partials_open(&levels->partials, settings, 0);
    levels->column = settings->column;
    for (uint32_t i = 0; i < count; i++) /* a stage that ends where it begins has nothing to do */
        if (!levels->stages || ends[i] != levels->ends[levels->stages - 1])
            levels->ends[levels->stages++] = ends[i];
    levels->ends[levels->stages++] = settings->n;
}

static bool last_stage(const struct levels *levels)
{
    return levels->stage + 1 == levels->stages;
}

/* Another queen below what is on the board. */
static enum nq_status extend(struct levels *levels, uint32_t column, struct step *step)
{
    struct partials *partials = &levels->partials;
    uint32_t number = 0;
    if (partials_reject(partials, column, step))
        return NQ_OK;
    const bool ends = partials->rows + 1 == levels->ends[levels->stage];
    if (ends && last_stage(levels)) {
        partials_place(partials, column, step);
        levels->phase = PLACED;
        return NQ_OK;
    }
    const enum nq_status status = partials_keep(partials, column, &number, step);
    if (status != NQ_OK)
        return status;
    struct partials_list *list = ends ? &levels->sources : &levels->level;
    partials_insert(partials, list, list->last, number);
    return NQ_OK;
}

static enum nq_status first(struct levels *levels, struct step *step)
{
    levels->closed = UINT64_C(1) << levels->column;
    levels->phase = TAKE;
    return extend(levels, levels->column, step);
}

/* The next of the level; else of what the stage, or the one before it, has found. */
static enum nq_status take(struct levels *levels, struct step *step)
{
    struct partials *partials = &levels->partials;
    uint32_t number = partials_pop(partials, &levels->level);
    const bool source = !number;
    if (source && !levels->found)
        number = partials_pop(partials, &levels->sources);
    if (!number)
        return NQ_END;
    partials_take(partials, number, step);
    levels->next = 0;
    levels->phase = TRY;
    if (!source)
        return NQ_OK;
    if (partials->rows == levels->ends[levels->stage] && !last_stage(levels))
        levels->stage++;
    if (partials->rows == partials->n)
        levels->phase = WHOLE;
    levels->closed = partials_taken(partials);
    return NQ_OK;
}

static enum nq_status solution(struct levels *levels, enum phase after, struct step *step)
{
    partials_solution(&levels->partials, step);
    levels->found = true;
    levels->phase = after;
    return NQ_OK;
}

static enum nq_status levels_step(void *machine, struct step *step)
{
    struct levels *levels = machine;
    switch (levels->phase) {
    case FIRST: return first(levels, step);
    case TAKE: return take(levels, step);
    case PLACED: return solution(levels, REMOVE, step);
    case WHOLE: return solution(levels, TAKE, step);
    case REMOVE:
        levels->phase = TRY;
        partials_remove(&levels->partials, step);
        return NQ_OK;
    case TRY: break;
    }
    while (levels->next < levels->partials.n && levels->closed >> levels->next & 1)
        levels->next++;
    return levels->next < levels->partials.n ? extend(levels, levels->next++, step) : take(levels, step);
}

static void levels_board(const void *machine, uint32_t *columns)
{
    const struct levels *levels = machine;
    partials_board(&levels->partials, columns);
}

static void levels_close(void *machine)
{
    struct levels *levels = machine;
    partials_close(&levels->partials);
    free(levels);
}

/* ---- The algorithms ---- */

/* One list after another, as Increase and Sel make them. Solutions are listed while the last list is made, in its
 * order; the article has them all at the end. */
static void romani_2_begin(const struct machine_settings *settings, void *machine)
{
    begin_stages(settings, NULL, 0, machine);
}

/* The stages of the settings, or else those of the article. */
static void begin_split(const struct machine_settings *settings, const uint32_t *ends, uint32_t count, void *machine)
{
    begin_stages(settings, settings->splits ? settings->split : ends, settings->splits ? settings->splits : count,
                 machine);
}

/* The upper halves first: [n/2] rows, of an odd n those with the middle row. With it the tests of n = 7, 9 and 11 take
 * as long as those of even n by the article's table (65 a second), and n = 13 has more placements than its memory held;
 * without it they would have taken two to three times as long as the neighbours'. */
static void romani_3_begin(const struct machine_settings *settings, void *machine)
{
    const uint32_t half = (settings->n + 1) / 2;
    begin_split(settings, &half, 1, machine);
}

/* Thirds. The article has n = 13 only, with 4 and 8 rows. */
static void romani_4_begin(const struct machine_settings *settings, void *machine)
{
    const uint32_t n = settings->n, thirds[] = {n < 3 ? 1 : n / 3, n < 3 ? 1 : 2 * n / 3};
    begin_split(settings, thirds, 2, machine);
}

LISTING_FILE(text_romani_2, "romani-2.py")
static const struct listing listing_2 = {
    .language = "Python",
    .row = "k",
    .column = "j",
    .board = "s",
    LISTING_TEXT(text_romani_2),
    .line = {[STEP_TAKE] = 20,
             [STEP_REJECT] = 10,
             [STEP_KEEP] = 12,
             [STEP_PLACE] = 14,
             [STEP_SOLUTION] = 15,
             [STEP_REMOVE] = 16},
};
/* Both of them kept in stages: the lines are the same. */
#define STAGED(text) \
    { \
        .language = "Python", .row = "k", .column = "j", .board = "s", LISTING_TEXT(text), .line = { \
            [STEP_TAKE] = 28, \
            [STEP_REJECT] = 11, \
            [STEP_KEEP] = 14, \
            [STEP_PLACE] = 17, \
            [STEP_SOLUTION] = 18, \
            [STEP_REMOVE] = 19, \
        } \
    }
LISTING_FILE(text_romani_3, "romani-3.py")
static const struct listing listing_3 = STAGED(text_romani_3);
LISTING_FILE(text_romani_4, "romani-4.py")
static const struct listing listing_4 = STAGED(text_romani_4);

#define CLASS(beginning, text) \
    { \
        .size = sizeof(struct levels), .begin = (beginning), .step = levels_step, .board = levels_board, \
        .close = levels_close, .listing = &(text) \
    }
static const struct machine_class machine_romani_2 = CLASS(romani_2_begin, listing_2);
static const struct machine_class machine_romani_3 = CLASS(romani_3_begin, listing_3);
static const struct machine_class machine_romani_4 = CLASS(romani_4_begin, listing_4);

const struct solver solver_romani_2 = {
    .name = "romani-2",
    .title = "Romani 1993, Mathematica, 2",
    .summary = "level by level: all placements of some rows are extended by one row; the first queen is given",
    .order = "lexicographic",
    .complexity = "n - 1 tests a partial placement; whole levels in memory, up to 537119 partial placements at n=14",
    .source = "F. Romani, Ancora le Regine, MCmicrocomputer, algorithm 2",
    .year = 1993,
    .tests = "squares of the next row tried below a partial placement",
    .errata = "Its table has 18 solutions for n=9, which repeats the line above: there are 44, and the table's time "
              "is that of 44. It claims that a queen in the 4th column can always be completed; for n=4 she cannot.",
    .max_n = 14,
    .lists = LISTS_COLUMN,
    .heeds = HEEDS_COLUMN,
    .machine = &machine_romani_2,
};

const struct solver solver_romani_3 = {
    .name = "romani-3",
    .title = "Romani 1993, Mathematica, 3",
    .summary = "all upper halves level by level, of an odd n with the middle row, then completes one after the other; "
               "lists all solutions of the first that has any",
    .order = "lexicographic",
    .complexity =
        "at most n - 1 tests a partial placement; all halves in memory: up to n=15, with an earlier split to n=20",
    .source = "F. Romani, Ancora le Regine, MCmicrocomputer, algorithm 3",
    .year = 1993,
    .tests = "squares of the next row tried below a partial placement",
    .errata = "It writes [n/2] for the rows of the first half, which usually means n/2 rounded down. By the times of "
              "its table it is rounded up.",
    .max_n = 20,
    .lists = LISTS_SOME,
    .heeds = HEEDS_COLUMN | HEEDS_SPLIT,
    .splits = 1,
    .machine = &machine_romani_3,
};

const struct solver solver_romani_4 = {
    .name = "romani-4",
    .title = "Romani 1993, Mathematica, 4",
    .summary = "as romani-3 in three stages: a third of the rows, two thirds, then completes one after the other",
    .order = "lexicographic",
    .complexity =
        "at most n - 1 tests a partial placement; all two thirds in memory: up to n=14, with earlier splits to n=20",
    .source = "F. Romani, Ancora le Regine, MCmicrocomputer, algorithm 4",
    .year = 1993,
    .tests = "squares of the next row tried below a partial placement",
    .errata = "The k steps of QS1[n, k] and QS2[s, n, k] are k rows, including those of s.",
    .max_n = 20,
    .lists = LISTS_SOME,
    .heeds = HEEDS_COLUMN | HEEDS_SPLIT,
    .splits = 2,
    .machine = &machine_romani_4,
};
