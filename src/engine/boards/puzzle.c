/* puzzle.c - clues, that is, squares with queens, that leave one completion; or a page of such puzzles. From a random
 * solution clues are removed one by one in a random order, as long as there is no second completion. It knows neither
 * who plays nor how a board is shown.
 *
 * A clue can be removed if the others have no completion with its square empty: the search of count/deduction.h looks
 * for such a completion to the end. A clue that cannot be removed once cannot be removed later, when there are fewer:
 * one pass over all clues leaves a minimal puzzle. In the end the same search counts all completions: it confirms that
 * there is one. The difficulty is what the techniques of deduction need.
 *
 * On a board of any shape shapes/shape_find.c does what deduction does on others, and there are no techniques. There,
 * all clues can be needed, so that nothing would be left to find: another solution is drawn.
 *
 * The seed and the number of the try decide everything, and the budget counts placements: the same on every machine. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "board/conflicts.h"
#include "count/deduction.h"
#include "engine/ask/query_values.h"
#include "engine/run/small_index.h"
#include "engine/run/work.h"
#include "formats/format.h"
#include "formats/puzzle.h"
#include "shapes/shape.h"

/* All placements tried for a puzzle, and those for one solution drawn by searching: a try that takes more is given up
 * for the next one. */
enum { MOST_NODES = 1 << 20, DRAW_NODES = 1 << 15 };

/* Between two looks at the clock: some milliseconds at most. */
enum { GRANT = 1 << 12 };

/* On a board of any shape: what a placement of deduction costs, in those of a plain search, and how many squares are
 * prepared in the time of one; so many solutions may need all their clues. */
enum { SHAPE_COST = 64, SHAPE_SQUARES = 8, MOST_NEEDING_ALL = 256 };

enum stage { STAGE_INDEX, STAGE_DRAW, STAGE_CARVE, STAGE_MEASURE, STAGE_GRADE };

/* One that is made: on a page there are several. */
enum { CAPTION_MAX = 48, ADDRESS_MAX = 128 };
struct paper_puzzle {
    struct queen given[FILTER_MAX_N];
    uint32_t given_count, columns[FILTER_MAX_N]; /* of the solution, by row; or */
    struct nq_square squares[FILTER_MAX_N];      /* on a board of any shape */
    char caption[CAPTION_MAX], address[ADDRESS_MAX];
};

struct puzzle {
    struct work work;
    const struct question *question;
    uint64_t seed;                 /* of the one that is being made */
    struct paper_puzzle *finished; /* room for those of a page; NULL: no page is asked for */
    uint32_t finished_count;
    enum stage stage;
    struct small_index small_index; /* of boards so small that every solution is equally likely; else not opened, and
                                     * solutions are drawn by searching */
    uint64_t nodes;                 /* left */
    uint32_t tries;
    struct random random;
    bool searching;                      /* the deduction is under way */
    uint64_t granted;                    /* of a solution drawn by searching: placements it has taken */
    uint32_t queens;                     /* of a solution, */
    struct queen solution[FILTER_MAX_N]; /* in reading order: without a shape by row */
    uint32_t order[FILTER_MAX_N];        /* of queens, in which they are tried as clues */
    uint32_t at, needed;                 /* clues tried, and those of them that cannot be removed */
    uint32_t reached;                    /* clues that the first solution left for sure; 0: it has not come to that */
    uint32_t needing_all;                /* solutions, of which none could */
    uint64_t clues;                      /* bit i: the i-th queen */
    bool minimal;
    uint64_t completions;
    struct deduction deduction;
    struct grade grade;
    /* On a board of any shape. */
    struct shape board;      /* with clues, and perhaps a cross */
    struct shape_find *find; /* its completions, once they are begun */
    bool begun;
    struct nq_square found[FILTER_MAX_N];
};

static bool is_shaped(const struct puzzle *puzzle)
{
    return puzzle->question->shape.rows;
}

static uint32_t clue_count(const struct puzzle *puzzle)
{
    return (uint32_t)__builtin_popcountll(puzzle->clues);
}

/* Notes what the first solution comes to, when it is given up or half of all placements are spent: with one clue more
 * it was a puzzle before, and the half that is left is enough to count its completions. */
static void note_reached(struct puzzle *puzzle)
{
    const uint32_t clues = clue_count(puzzle) + 1, most = puzzle->queens - 1;
    const bool known = !is_shaped(puzzle) || clue_count(puzzle) < puzzle->queens; /* one clue less may be too few */
    if (puzzle->stage == STAGE_CARVE && !puzzle->reached && known)
        puzzle->reached = clues < most ? clues : most;
}

/* The same as deduction_next(), on a board of any shape; some milliseconds at most. */
static enum nq_status search_shape(struct puzzle *puzzle, uint64_t *grant)
{
    const uint64_t opening = puzzle->board.rows * puzzle->board.columns / SHAPE_SQUARES;
    uint32_t count;
    if (!*grant) /* else it would make progress for nothing */
        return NQ_AGAIN;
    if (!puzzle->begun) {
        const uint32_t salt = puzzle->stage == STAGE_DRAW ? random_word(&puzzle->random) : 0;
        if (puzzle->find)
            shape_find_renew(puzzle->find, salt);
        else if (shape_find_open(&puzzle->board, salt, &puzzle->find) != NQ_OK)
            return NQ_NOMEM;
        puzzle->begun = true;
        *grant -= *grant < opening ? *grant : opening;
    }
    uint64_t budget = *grant * SHAPE_COST;
    const enum nq_status status = shape_find_next(puzzle->find, &budget, puzzle->found, &count);
    *grant = status == NQ_AGAIN ? 0 : budget / SHAPE_COST;
    return status;
}

/* Continues the search. NQ_AGAIN: the grant is spent; NQ_LIMIT: all placements are. */
static enum nq_status search(struct puzzle *puzzle, const atomic_bool *stop)
{
    uint64_t grant = puzzle->nodes < GRANT ? puzzle->nodes : GRANT;
    const uint64_t before = grant;
    const enum nq_status status =
        is_shaped(puzzle) ? search_shape(puzzle, &grant) : deduction_next(&puzzle->deduction, &grant, stop);
    puzzle->nodes -= before - grant;
    puzzle->granted += before - grant;
    if (puzzle->nodes <= MOST_NODES / 2)
        note_reached(puzzle);
    return status == NQ_AGAIN && !puzzle->nodes ? NQ_LIMIT : status;
}

/* ---- A solution ---- */

static enum nq_status make_index(struct puzzle *puzzle, const atomic_bool *stop)
{
    const enum nq_status status = small_index_make(&puzzle->small_index, stop);
    if (status != NQ_OK)
        return status;
    puzzle->stage = STAGE_DRAW;
    return NQ_AGAIN;
}

static void shuffle(struct puzzle *puzzle)
{
    for (uint32_t i = 0; i < puzzle->queens; i++)
        puzzle->order[i] = i;
    for (uint32_t i = puzzle->queens; i > 1; i--) {
        const uint32_t k = random_below(&puzzle->random, i), queen = puzzle->order[k];
        puzzle->order[k] = puzzle->order[i - 1];
        puzzle->order[i - 1] = queen;
    }
}

static void next_try(struct puzzle *puzzle)
{
    note_reached(puzzle);
    puzzle->stage = STAGE_DRAW;
    puzzle->searching = false;
    puzzle->tries++;
}

/* With the columns of a solution by row; NULL: with the squares that are found. */
static void begin_carving(struct puzzle *puzzle, const uint32_t *columns)
{
    puzzle->clues = 0;
    for (uint32_t i = 0; i < puzzle->queens; i++) {
        puzzle->solution[i] =
            columns ? (struct queen){i, columns[i]} : (struct queen){puzzle->found[i].row, puzzle->found[i].column};
        puzzle->clues |= UINT64_C(1) << i;
    }
    shuffle(puzzle);
    puzzle->at = puzzle->needed = 0;
    puzzle->searching = false;
    puzzle->stage = STAGE_CARVE;
}

/* On a board of any shape: the same as what follows. */
static void lay_on_shape(struct puzzle *puzzle, uint64_t clues, uint32_t without)
{
    const struct queen *solution = puzzle->solution;
    puzzle->begun = false;
    puzzle->board = puzzle->question->shape;
    for (; clues; clues &= clues - 1) {
        const struct queen *clue = &solution[__builtin_ctzll(clues)];
        puzzle->board.placed[clue->row] |= UINT64_C(1) << clue->column;
    }
    if (without < puzzle->queens) {
        puzzle->board.placed[solution[without].row] &= ~(UINT64_C(1) << solution[without].column);
        puzzle->board.allow[solution[without].row] &= ~(UINT64_C(1) << solution[without].column);
    }
}

/* The board with clues, but for that of one queen, whose square stays empty; `queens`: for none. */
static void lay_clues(struct puzzle *puzzle, uint64_t clues, uint32_t without)
{
    puzzle->searching = true;
    if (is_shaped(puzzle)) {
        lay_on_shape(puzzle, clues, without);
        return;
    }
    deduction_begin(&puzzle->deduction, puzzle->question->n, puzzle->question->query.filter.rule);
    for (uint64_t rows = clues; rows; rows &= rows - 1) {
        const uint32_t row = (uint32_t)__builtin_ctzll(rows);
        if (row != without)
            deduction_place(&puzzle->deduction, row, puzzle->solution[row].column);
    }
    if (without < puzzle->queens)
        deduction_exclude(&puzzle->deduction, without, puzzle->solution[without].column);
}

static enum nq_status draw_by_rank(struct puzzle *puzzle, const atomic_bool *stop)
{
    uint32_t columns[SMALL_INDEX_MAX_N];
    const enum nq_status status = small_index_draw(&puzzle->small_index, &puzzle->random, stop, columns);
    if (status != NQ_OK)
        return status;
    begin_carving(puzzle, columns);
    return NQ_AGAIN;
}

static enum nq_status draw(struct puzzle *puzzle, const atomic_bool *stop)
{
    if (!puzzle->searching) {
        puzzle->random = random_begin(puzzle->seed, puzzle->tries);
        if (puzzle->small_index.index)
            return draw_by_rank(puzzle, stop);
        lay_clues(puzzle, 0, puzzle->queens);
        puzzle->deduction.random = &puzzle->random;
        puzzle->granted = 0;
    }
    const enum nq_status status = search(puzzle, stop);
    if (status == NQ_OK)
        begin_carving(puzzle, is_shaped(puzzle) ? NULL : puzzle->deduction.columns);
    else if (status == NQ_END && (!puzzle->find || shape_find_whole(puzzle->find)))
        return NQ_NONE; /* every square was tried */
    else if (status == NQ_END || (status == NQ_AGAIN && puzzle->granted >= DRAW_NODES))
        next_try(puzzle);
    return status == NQ_OK || status == NQ_END ? NQ_AGAIN : status;
}

/* ---- Its clues ---- */

static void begin_measuring(struct puzzle *puzzle, bool minimal)
{
    puzzle->minimal = minimal;
    puzzle->completions = 0;
    lay_clues(puzzle, puzzle->clues, puzzle->queens);
    puzzle->stage = STAGE_MEASURE;
}

/* Every clue has been tried: those left are needed. NQ_LIMIT: once more all of them. */
static enum nq_status end_carving(struct puzzle *puzzle)
{
    const uint32_t wanted = puzzle->question->puzzle.clues;
    const bool all = !wanted && clue_count(puzzle) == puzzle->queens;
    if (!all && (!wanted || clue_count(puzzle) == wanted)) {
        begin_measuring(puzzle, true);
        return NQ_AGAIN;
    }
    next_try(puzzle);
    puzzle->needing_all += all;
    return puzzle->needing_all < MOST_NEEDING_ALL ? NQ_AGAIN : NQ_LIMIT;
}

/* Tries the next clue. When as many are left as are wanted, none is removed; the tries only find out whether the puzzle
 * is minimal. */
static enum nq_status carve(struct puzzle *puzzle, const atomic_bool *stop)
{
    const struct question *question = puzzle->question;
    const bool enough =
        question->puzzle.clues && !question->puzzle.minimal && clue_count(puzzle) == question->puzzle.clues;
    if (puzzle->at == puzzle->queens)
        return end_carving(puzzle);
    const uint32_t queen = puzzle->order[puzzle->at];
    if (!puzzle->searching)
        lay_clues(puzzle, puzzle->clues, queen);
    const enum nq_status status = search(puzzle, stop);
    if (status != NQ_OK && status != NQ_END)
        return status;
    puzzle->searching = false;
    puzzle->at++;
    if (status == NQ_OK)
        puzzle->needed++;
    else if (enough)
        begin_measuring(puzzle, false);
    else
        puzzle->clues &= ~(UINT64_C(1) << queen);
    if (question->puzzle.clues && puzzle->needed > question->puzzle.clues)
        next_try(puzzle);
    return NQ_AGAIN;
}

static enum nq_status measure(struct puzzle *puzzle, const atomic_bool *stop)
{
    const enum nq_status status = search(puzzle, stop);
    if (status == NQ_OK)
        puzzle->completions++;
    if (status != NQ_END)
        return status == NQ_OK ? NQ_AGAIN : status;
    assert(puzzle->completions == 1);
    puzzle->stage = STAGE_GRADE;
    return is_shaped(puzzle) ? NQ_OK : NQ_AGAIN;
}

/* Some tens of milliseconds at most: the techniques look at the stop flag. */
static enum nq_status grade(struct puzzle *puzzle, const atomic_bool *stop)
{
    const uint32_t n = puzzle->question->n;
    struct position position;
    struct grid *grid = grid_new(puzzle->question->query.filter.rule, n, NULL);
    if (!grid)
        return NQ_NOMEM;
    position_begin(grid, &position);
    for (uint64_t rows = puzzle->clues; rows; rows &= rows - 1) {
        const uint32_t row = (uint32_t)__builtin_ctzll(rows);
        (void)position_place(grid, &position, row * n + puzzle->solution[row].column);
    }
    puzzle->grade = grade_position(grid, &position, GRADE_TECHNIQUES, stop);
    grid_free(grid);
    return stop_wanted(stop) ? NQ_CANCELLED : NQ_OK;
}

/* ---- The work ---- */

static enum nq_status step(struct puzzle *puzzle, const atomic_bool *stop)
{
    switch (puzzle->stage) {
    case STAGE_INDEX: return make_index(puzzle, stop);
    case STAGE_DRAW: return draw(puzzle, stop);
    case STAGE_CARVE: return carve(puzzle, stop);
    case STAGE_MEASURE: return measure(puzzle, stop);
    case STAGE_GRADE: break;
    }
    return grade(puzzle, stop);
}

static void refuse_unfound(const struct puzzle *puzzle, struct fault *fault)
{
    const struct question *question = puzzle->question;
    const uint32_t tries = puzzle->tries + 1;
    char advice[96] = "another seed";
    if (puzzle->needing_all) {
        fault_write(fault, FAULT_PUZZLE, (const double[]){(double)(MOST_NODES - puzzle->nodes), puzzle->tries},
                    "Each of %" PRIu32 " placements of %" PRIu32 " %s that were drawn needs all its queens as clues: "
                    "nothing is left to find. Use more queens, or other walls.",
                    puzzle->needing_all, puzzle->queens, puzzle->queens == 1 ? "queen" : "queens");
        return;
    }
    if (puzzle->reached && !puzzle->finished) /* clues that do for one board may not do for the next */
        (void)snprintf(advice, sizeof advice, "%sclues=%" PRIu32 " and seed=%" PRIu64,
                       question->puzzle.minimal ? "minimal=false, " : "", puzzle->reached, question->seed);
    fault_write(fault, FAULT_PUZZLE, (const double[]){MOST_NODES, tries},
                "No such puzzle was found in %d placements and %" PRIu32 " %s. Use %s.", MOST_NODES, tries,
                tries == 1 ? "try" : "tries", advice);
}

static const char *level_of(const struct puzzle *puzzle)
{
    const char *level = grade_name(&puzzle->grade);
    return level ? level : techniques[GRADE_TECHNIQUES - 1]->name;
}

/* Where it is, in XML: in the explorer, which knows no clues that have to be minimal; such a puzzle is asked for. */
static void write_address(const struct puzzle *puzzle, char *to, size_t size)
{
    const struct puzzle_question *asked = &puzzle->question->puzzle;
    const char *by = question_rules(puzzle->question);
    char clues[24] = "";
    to[0] = '\0';
    if (is_shaped(puzzle)) /* with its walls it is too long for a line */
        return;
    if (asked->clues)
        (void)snprintf(clues, sizeof clues, "&amp;clues=%" PRIu32, asked->clues);
    (void)snprintf(to, size, "%sn=%" PRIu32 "%s&amp;seed=%" PRIu64 "%s%s",
                   asked->minimal ? "puzzle?minimal=true&amp;" : "play?kind=completion&amp;", puzzle->question->n,
                   clues, puzzle->seed, by ? "&amp;rules=" : "", by ? by : "");
}

/* The queens that are given, or the solution; returns how many they are. */
static size_t queens_of(const struct puzzle *puzzle, bool solved, struct queen queens[static FILTER_MAX_N])
{
    size_t count = 0;
    for (uint32_t i = 0; i < puzzle->queens; i++)
        if (solved || puzzle->clues >> i & 1)
            queens[count++] = puzzle->solution[i];
    return count;
}

static void keep(struct puzzle *puzzle)
{
    struct paper_puzzle *to = &puzzle->finished[puzzle->finished_count++];
    for (uint32_t i = 0; i < puzzle->queens; i++) {
        to->columns[i] = puzzle->solution[i].column;
        to->squares[i] = (struct nq_square){puzzle->solution[i].row, puzzle->solution[i].column};
    }
    to->given_count = (uint32_t)queens_of(puzzle, false, to->given);
    if (is_shaped(puzzle))
        (void)snprintf(to->caption, sizeof to->caption, "seed %" PRIu64 ", %" PRIu32 " queens in all", puzzle->seed,
                       puzzle->queens);
    else
        (void)snprintf(to->caption, sizeof to->caption, "seed %" PRIu64 ", %s", puzzle->seed, level_of(puzzle));
    write_address(puzzle, to->address, sizeof to->address);
}

/* Keeps a puzzle, and begins that of the next seed, if the page needs more. NQ_OK: all are made. */
static enum nq_status end_puzzle(struct puzzle *puzzle)
{
    keep(puzzle);
    if (puzzle->finished_count == puzzle->question->puzzle.sheet)
        return NQ_OK;
    puzzle->seed = (puzzle->seed + 1) & PUZZLE_SEED_MAX;
    puzzle->nodes = MOST_NODES;
    puzzle->tries = puzzle->reached = puzzle->needing_all = 0;
    puzzle->searching = false;
    puzzle->stage = STAGE_DRAW;
    return NQ_AGAIN;
}

static enum nq_status puzzle_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct puzzle *puzzle = (struct puzzle *)work;
    enum nq_status status;
    do {
        status = stop_wanted(stop) ? NQ_CANCELLED : step(puzzle, stop);
        if (status == NQ_OK && puzzle->finished)
            status = end_puzzle(puzzle);
    } while (status == NQ_AGAIN && clock_now() < slice->deadline);
    if (status == NQ_NONE && !is_shaped(puzzle))
        fault_no_solution(&work->fault, puzzle->question->n, puzzle->question->query.filter.rule);
    if (status == NQ_LIMIT)
        refuse_unfound(puzzle, &work->fault);
    return status;
}

static enum nq_status draw_board(const struct puzzle *puzzle, struct answer **out)
{
    const struct question *question = puzzle->question;
    struct queen queens[FILTER_MAX_N];
    const struct shown_marks marks = {.queens = {queens, queens_of(puzzle, question->puzzle.solved, queens)}};
    const struct painted_board board = {.n = question->n,
                                        .shape = is_shaped(puzzle) ? &question->shape : NULL,
                                        .rules = question_rules(question),
                                        .marks = &marks,
                                        .base = question->base};
    struct bytes body = {0};
    (void)question->format->paint(&body, &board, NULL); /* never stopped */
    return work_answered(&body, question, out);
}

static enum nq_status draw_page(const struct puzzle *puzzle, struct answer **out)
{
    const struct question *question = puzzle->question;
    struct painted_board boards[SHEET_MAX];
    struct shown_marks marks[SHEET_MAX] = {0};
    struct bytes body = {0};
    const bool shaped = is_shaped(puzzle), solved = question->puzzle.solved;
    for (uint32_t i = 0; i < puzzle->finished_count; i++) {
        const struct paper_puzzle *one = &puzzle->finished[i];
        marks[i].queens = (struct shown_squares){one->given, one->given_count};
        boards[i] = (struct painted_board){.n = question->n,
                                           .shape = shaped ? &question->shape : NULL,
                                           .rules = question_rules(question),
                                           .columns = solved && !shaped ? one->columns : NULL,
                                           .squares = solved && shaped ? one->squares : NULL,
                                           .count = puzzle->queens,
                                           .marks = &marks[i],
                                           .base = question->base,
                                           .caption = one->caption,
                                           .address = one->address};
    }
    (void)question->format->sheet(&body, boards, puzzle->finished_count, NULL); /* never stopped */
    return work_answered(&body, question, out);
}

static enum nq_status puzzle_finish(struct work *work, struct answer **out)
{
    const struct puzzle *puzzle = (struct puzzle *)work;
    const struct question *question = puzzle->question;
    struct queen clues[FILTER_MAX_N];
    struct bytes body = {0};
    if (puzzle->finished)
        return draw_page(puzzle, out);
    if (question->format->picture)
        return draw_board(puzzle, out);
    const struct puzzle_links links =
        puzzle_write_clues(&body, &(struct clue_puzzle){.prefix = question->prefix,
                                                        .n = question->n,
                                                        .base = question->base,
                                                        .rules = question_rules(question),
                                                        .shape = is_shaped(puzzle) ? &question->shape : NULL,
                                                        .seed = question->seed,
                                                        .clues = clues,
                                                        .count = queens_of(puzzle, false, clues),
                                                        .minimal = puzzle->minimal,
                                                        .level = level_of(puzzle),
                                                        .grade = &puzzle->grade,
                                                        .forced = puzzle->deduction.forced});
    return work_linked(&body, question, links.solution, links.solution_length, out);
}

static void puzzle_close(struct work *work)
{
    struct puzzle *puzzle = (struct puzzle *)work;
    small_index_close(&puzzle->small_index);
    shape_find_close(puzzle->find);
    free(puzzle->finished);
    free(puzzle);
}

enum nq_status work_puzzle(const struct question *question, const struct tools *tools, struct fault *fault,
                           struct work **work)
{
    static const struct work_class class = {.slice = puzzle_slice, .finish = puzzle_finish, .close = puzzle_close};
    assert(question->n >= 1 && question->n <= FILTER_MAX_N);
    const bool shaped = question->shape.rows;
    if (question->puzzle.minimal && question->puzzle.clues == question->n && !shaped) {
        fault_write(fault, FAULT_NEVER_MINIMAL, NULL,
                    "A puzzle with all n queens is never minimal: any one of them follows from the others. Use fewer "
                    "clues, or minimal=false.");
        return NQ_NONE;
    }
    struct puzzle *puzzle = work_new(sizeof *puzzle, &class);
    if (!puzzle)
        return NQ_NOMEM;
    const bool uniform = question->n <= SMALL_INDEX_MAX_N && rule_by_lines(question->query.filter.rule) && !shaped;
    puzzle->question = question;
    puzzle->queens = shaped ? question->shape.most : question->n;
    assert(puzzle->queens >= 1 && puzzle->queens <= FILTER_MAX_N);
    puzzle->seed = question->seed;
    puzzle->nodes = MOST_NODES;
    puzzle->stage = uniform ? STAGE_INDEX : STAGE_DRAW;
    enum nq_status status = NQ_OK;
    if (question->puzzle.sheet && !(puzzle->finished = calloc(question->puzzle.sheet, sizeof *puzzle->finished)))
        status = NQ_NOMEM;
    if (status == NQ_OK && uniform)
        status = small_index_open(&puzzle->small_index, question->query.filter.rule, question->n, tools->kernel);
    return work_opened(&puzzle->work, status, work);
}
