/* path.c - what follows on a board, step by step, as techniques of deduction find it: the next step, or all of them.
 * Before, it searches whether the board can be completed; and on a board with regions, if it cannot, which marks are
 * wrong: queens and crosses that no solution of the bare board has. It knows neither who plays nor how a board is
 * shown.
 *
 * Budgets count placements and squares tried: the same on every machine. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/stop.h"
#include "engine/boards/steps.h"
#include "engine/run/work.h"
#include "formats/finding.h"
#include "formats/format.h"
#include "formats/hint_words.h"
#include "formats/puzzle.h"
#include "puzzles/completions.h"

/* Placements in all, and between two looks at the clock: some milliseconds. */
enum { MOST_NODES = 1 << 20, GRANT = 1 << 12 };

/* Free squares of all steps together that take a contradiction or more: each is tried. Some seconds. */
enum { MOST_TRIED = 1 << 15 };

enum stage { STAGE_COMPLETE, STAGE_BARE, STAGE_MARKS, STAGE_PATH };

/* A square that is marked: with a queen, or crossed. */
struct mark {
    uint32_t square;
    bool crossed;
};

struct path {
    struct work work;
    const struct question *question;
    enum stage stage;
    struct grid *grid;
    struct position position;
    bool sound;
    bool decided;       /* the placements were enough for what follows: */
    uint32_t solutions; /* that complete the board: 0, 1, or 2 for more */
    bool judged;        /* and for what is wrong */
    uint64_t wrong[GRID_MAX_WORDS];
    uint64_t used[GRID_MAX_WORDS], always[GRID_MAX_WORDS]; /* squares with queens in some, and in every solution found
                                                            * of the bare board */
    struct mark mark;                                      /* the one that is looked at */
    bool searching;
    uint64_t nodes; /* left */
    uint32_t tried; /* squares left */
    struct completions search;
    struct grade grade;
    struct bytes steps;  /* JSON objects, with commas between */
    size_t first;        /* bytes of the first */
    struct finding hint; /* which is this */
    enum steps_end end;
};

static void set_add(uint64_t *set, uint32_t square)
{
    set[square / 64] |= UINT64_C(1) << square % 64;
}

static bool set_has(const uint64_t *set, uint32_t square)
{
    return set[square / 64] >> square % 64 & 1;
}

/* Continues the search. NQ_AGAIN: the grant is spent; NQ_LIMIT: all placements are. */
static enum nq_status search(struct path *path, const atomic_bool *stop)
{
    uint64_t grant = path->nodes < GRANT ? path->nodes : GRANT;
    const uint64_t before = grant;
    const enum nq_status status = completions_next(&path->search, &grant, stop);
    path->nodes -= before - grant;
    return status == NQ_AGAIN && !path->nodes ? NQ_LIMIT : status;
}

/* ---- Whether it can be completed ---- */

/* What comes next, once it is known how many solutions there are. */
static enum nq_status completed(struct path *path)
{
    const bool wrong = path->decided && !path->solutions;
    path->judged = path->decided || path->solutions; /* what can be completed has nothing wrong */
    path->searching = false;
    path->stage = wrong && path->question->query.regions.n ? STAGE_BARE : STAGE_PATH;
    return NQ_AGAIN;
}

/* Looks for two solutions. */
static enum nq_status complete(struct path *path, const atomic_bool *stop)
{
    enum nq_status status = NQ_END;
    if (path->sound)
        status = search(path, stop);
    path->solutions += status == NQ_OK;
    if (status == NQ_END || path->solutions == 2) {
        path->decided = true;
        return completed(path);
    }
    if (status == NQ_LIMIT)
        return completed(path);
    return status == NQ_OK ? NQ_AGAIN : status;
}

/* ---- What is wrong ---- */

/* Begins to search the bare board; with a queen on a marked square that was crossed, or none where it has one. */
static void begin_search(struct path *path, const struct mark *mark)
{
    struct position position;
    position_begin(path->grid, &position);
    if (mark && mark->crossed)
        position_cross(&position, mark->square);
    else if (mark)
        (void)position_place(path->grid, &position, mark->square);
    completions_begin(&path->search, path->grid, &position, false);
    path->searching = true;
}

static void note_solution(struct path *path)
{
    const uint32_t n = path->question->n;
    uint64_t queens[GRID_MAX_WORDS] = {0};
    for (uint32_t row = 0; row < n; row++)
        set_add(queens, row * n + path->search.columns[row]);
    for (uint32_t i = 0; i < path->grid->words; i++) {
        path->used[i] |= queens[i];
        path->always[i] &= queens[i];
    }
}

/* A search that is over: NQ_AGAIN, or why the work ends. */
static enum nq_status judge(struct path *path, enum nq_status status, enum stage next)
{
    path->searching = false;
    path->stage = next;
    if (status == NQ_OK)
        note_solution(path);
    return status == NQ_CANCELLED ? status : NQ_AGAIN;
}

/* A solution of the bare board. */
static enum nq_status solve_bare(struct path *path, const atomic_bool *stop)
{
    if (!path->searching)
        begin_search(path, NULL);
    const enum nq_status status = search(path, stop);
    if (status == NQ_AGAIN)
        return status;
    path->judged = status == NQ_OK || status == NQ_END;
    return judge(path, status, status == NQ_OK ? STAGE_MARKS : STAGE_PATH);
}

/* Finds the next mark, from one on, that no solution found so far has. */
static bool next_mark(const struct path *path, struct mark *mark)
{
    const uint32_t n = path->question->n;
    for (; mark->square < n * n; mark->square++, mark->crossed = false) {
        const uint32_t square = mark->square, row = square / n, column = square % n;
        const struct hint_question *hint = &path->question->hint;
        if (!mark->crossed && hint->placed[row] >> column & 1 && !set_has(path->used, square))
            return true;
        mark->crossed = true;
        if (hint->excluded[row] >> column & 1 && set_has(path->always, square))
            return true;
    }
    return false;
}

/* Looks for a solution that has a mark. */
static enum nq_status judge_marks(struct path *path, const atomic_bool *stop)
{
    if (!path->searching && !next_mark(path, &path->mark))
        return judge(path, NQ_END, STAGE_PATH);
    if (!path->searching)
        begin_search(path, &path->mark);
    const enum nq_status status = search(path, stop);
    if (status == NQ_AGAIN)
        return status;
    if (status == NQ_LIMIT)
        path->judged = false;
    if (status == NQ_END)
        set_add(path->wrong, path->mark.square);
    const enum nq_status after = judge(path, status, status == NQ_LIMIT ? STAGE_PATH : STAGE_MARKS);
    if (status == NQ_END) { /* of this mark everything is known */
        path->mark.square += path->mark.crossed;
        path->mark.crossed = !path->mark.crossed;
    }
    return after;
}

/* ---- The steps ---- */

/* Why there are none any more. */
static enum steps_end exhausted(const struct path *path)
{
    if (!path->decided)
        return STEPS_UNDECIDED;
    return path->solutions > 1 ? STEPS_SEVERAL : STEPS_EXHAUSTED;
}

static enum nq_status end(struct path *path, enum steps_end why)
{
    path->end = why;
    return NQ_OK;
}

static void write_step(struct path *path, const struct finding *finding)
{
    const struct question *question = path->question;
    const struct findings findings = {path->grid, &path->position, question->base, question->hint.language};
    bytes_text(&path->steps, path->steps.size ? ",\n" : "");
    json_begin_object(&path->steps, NULL);
    json_begin_text(&path->steps, "why");
    hint_why(&path->steps, path->grid, question->base, finding, question->hint.language);
    json_end_text(&path->steps);
    finding_write(&path->steps, &findings, finding);
    json_end_object(&path->steps);
    if (!path->first) {
        path->first = path->steps.size;
        path->hint = *finding;
    }
}

/* A search finds something only if there is one solution. */
static enum nq_status follow(struct path *path, const atomic_bool *stop)
{
    const bool unique = path->decided && path->solutions == 1;
    const uint32_t free = position_free_squares(path->grid, &path->position);
    struct finding finding;
    unsigned kind;
    uint32_t index;
    if (!path->decided && position_dead(path->grid, &path->position, &kind, &index)) /* the steps have proved it */
        path->decided = true;
    if (path->decided && !path->solutions)
        return end(path, STEPS_IMPOSSIBLE);
    const enum steps_end refused = steps_refused(path->grid, &path->position);
    if (refused != STEPS_FOLLOW)
        return end(path, refused);
    if (path->tried < free)
        return end(path, STEPS_UNDECIDED);
    const bool found =
        finding_next(path->grid, &path->position, unique ? GRADE_TECHNIQUES : GRADE_TECHNIQUES - 1, &finding, stop);
    if (stop_wanted(stop))
        return NQ_CANCELLED;
    if (!found)
        return end(path, exhausted(path));
    path->tried -= finding.by->level >= LEVEL_EXPERT ? free : 0;
    write_step(path, &finding);
    grade_add(&path->grade, &finding);
    finding_apply(path->grid, &path->position, &finding);
    return path->question->hint.all ? NQ_AGAIN : end(path, STEPS_FOLLOW);
}

/* ---- The work ---- */

static enum nq_status step(struct path *path, const atomic_bool *stop)
{
    switch (path->stage) {
    case STAGE_COMPLETE: return complete(path, stop);
    case STAGE_BARE: return solve_bare(path, stop);
    case STAGE_MARKS: return judge_marks(path, stop);
    case STAGE_PATH: break;
    }
    return follow(path, stop);
}

static enum nq_status path_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct path *path = (struct path *)work;
    enum nq_status status;
    do {
        status = stop_wanted(stop) ? NQ_CANCELLED : step(path, stop);
    } while (status == NQ_AGAIN && clock_now() < slice->deadline);
    return status;
}

static void write_wrong(const struct path *path, struct bytes *out)
{
    const uint32_t n = path->question->n;
    uint32_t square;
    if (!path->judged) {
        json_write_null(out, "wrong");
        return;
    }
    json_begin_array(out, "wrong");
    for (struct squares_left at = squares_of(path->grid, path->wrong, NULL); squares_next(&at, &square);)
        format_square(out, NULL, path->question->base, square / n, square % n);
    json_end_array(out);
}

static void write_path(const struct path *path, struct bytes *out)
{
    const bool solved = path->end == STEPS_SOLVED;
    const char *search = techniques[GRADE_TECHNIQUES - 1]->name;
    struct grade grade = path->grade;
    grade.solved = solved;
    const char *level = path->end == STEPS_EXHAUSTED ? search : grade_name(&grade);
    json_begin_array(out, "steps");
    bytes_add(out, path->steps.data, path->steps.size);
    json_end_array(out);
    json_begin_object(out, "grade");
    json_write_text(out, "level", level);
    puzzle_write_grade(out, &grade);
    json_write_bool(out, "solved", solved);
    json_end_object(out);
}

static enum nq_status path_finish(struct work *work, struct answer **answer)
{
    const struct path *path = (const struct path *)work;
    const struct question *question = path->question;
    const struct regions *regions = &question->query.regions;
    char letters[REGIONS_TEXT_MAX];
    struct bytes body = {0};
    if (question->format->picture) {
        body.failed |= hint_picture(question, &(struct pictured_hint){.finding = path->first ? &path->hint : NULL},
                                    &body) != NQ_OK;
        return work_answered(&body, question, answer);
    }
    json_begin_object(&body, NULL);
    format_question(&body, question->n, question->base, question_rules(question),
                    regions->n ? regions_text(regions, '/', letters) : NULL);
    if (path->solutions || path->decided)
        json_write_bool(&body, "completable", path->solutions);
    else
        json_write_null(&body, "completable");
    if (regions->n)
        write_wrong(path, &body);
    json_name(&body, "hint");
    if (path->first)
        bytes_add(&body, path->steps.data, path->first);
    else
        bytes_text(&body, "null");
    if (question->hint.all)
        write_path(path, &body);
    steps_end_write(&body, path->end);
    json_end_object(&body);
    json_end_document(&body, 0);
    body.failed |= path->steps.failed;
    return work_answered(&body, question, answer);
}

static void path_close(struct work *work)
{
    struct path *path = (struct path *)work;
    bytes_free(&path->steps);
    grid_free(path->grid);
    free(path);
}

enum nq_status work_path(const struct question *question, struct work **work)
{
    static const struct work_class class = {.slice = path_slice, .finish = path_finish, .close = path_close};
    struct path *path = work_new(sizeof *path, &class);
    if (!path)
        return NQ_NOMEM;
    path->question = question;
    path->nodes = MOST_NODES;
    path->tried = MOST_TRIED;
    path->grid = steps_begin(question, &path->position, &path->sound);
    if (path->grid)
        completions_begin(&path->search, path->grid, &path->position, false);
    for (size_t i = 0; i < GRID_MAX_WORDS; i++)
        path->always[i] = UINT64_MAX;
    return work_opened(&path->work, path->grid ? NQ_OK : NQ_NOMEM, work);
}
