/* solver_forward_checking.c - depth-first search row by row that looks ahead: it turns back as soon as a row, a column
 * or a region without a queen has no free square left, and fills one that has a single square at once (R. M. Haralick,
 * G. L. Elliott, Increasing tree search efficiency for constraint satisfaction problems, Artificial Intelligence 14
 * (1980)). The search itself, of puzzles/completions.h, is here a machine, and a cursor on the steps of that. */
#include <stdlib.h>
#include <string.h>

#include "puzzles/completions.h"
#include "solvers/solver.h"
#include "solvers/squares.h"
#include "steps/listing.h"

/* The cost of a placement in a budget, which is a number of placements of the plain search: so much, and for each word
 * of a set of squares. */
enum { PLACEMENT_COST = 6, WORD_COST = 2 };

struct forward {
    struct grid *grid;
    struct completions completions;
};

static void forward_free(void *machine)
{
    struct forward *forward = machine;
    if (forward)
        grid_free(forward->grid);
    free(forward);
}

/* A machine of a board of at least one row. regions: NULL for none. */
static struct forward *forward_new(uint32_t n, const struct rule *rule, const struct regions *regions)
{
    struct forward *forward = malloc(sizeof *forward);
    if (!forward)
        return NULL;
    forward->grid = grid_new(rule, n, regions ? regions->of : NULL);
    if (!forward->grid) {
        forward_free(forward);
        return NULL;
    }
    return forward;
}

/* Begins before the first solution on some squares: by row, as those of a filter. */
static void forward_begin(struct forward *forward, const uint64_t *allow)
{
    const struct grid *grid = forward->grid;
    struct position position;
    position_begin(grid, &position);
    position_allow(grid, &position, allow);
    completions_begin(&forward->completions, grid, &position, true);
    forward->completions.plain = 0; /* it looks ahead to the last row, as its steps show */
}

static enum nq_status forward_open(const struct machine_settings *settings, void **machine)
{
    uint64_t allow[GRID_MAX_N];
    struct forward *forward = forward_new(settings->n, settings->rule, settings->regions);
    if (!forward)
        return NQ_NOMEM;
    memset(allow, 0xff, sizeof allow);
    forward_begin(forward, allow);
    *machine = forward;
    return NQ_OK;
}

static enum nq_status forward_step(void *machine, struct step *step)
{
    static const enum step_kind kinds[] = {
        [COMPLETIONS_PLACED] = STEP_PLACE, [COMPLETIONS_REMOVED] = STEP_REMOVE, [COMPLETIONS_SOLUTION] = STEP_SOLUTION};
    struct forward *forward = machine;
    struct completions *completions = &forward->completions;
    uint32_t square;
    const uint64_t before = completions->looked;
    const enum completions_event event = completions_step(completions, &square);
    if (event == COMPLETIONS_ENDED)
        return NQ_END;
    *step = event == COMPLETIONS_SOLUTION ? step_on_board(STEP_SOLUTION, completions->depth)
                                          : step_on_square(kinds[event], forward->grid->of[GROUP_ROW][square],
                                                           forward->grid->of[GROUP_COLUMN][square], completions->depth);
    step->tests = (uint32_t)(completions->looked - before);
    return NQ_OK;
}

static void forward_board(const void *machine, uint32_t *columns)
{
    const struct completions *completions = &((const struct forward *)machine)->completions;
    const uint64_t filled = completions->level[completions->depth].filled[GROUP_ROW];
    for (uint32_t row = 0; row < completions->grid->n; row++)
        columns[row] = filled >> row & 1 ? completions->columns[row] : NOWHERE;
}

LISTING_FILE(text_forward_checking, "forward-checking.py")
static const struct listing listing = {
    .language = "Python",
    .row = "r",
    .column = "c",
    .board = "x",
    LISTING_TEXT(text_forward_checking),
    .line = {[STEP_PLACE] = 17, [STEP_SOLUTION] = 18, [STEP_REMOVE] = 20},
};

static const struct machine_class machine_forward_checking = {
    .open = forward_open,
    .step = forward_step,
    .board = forward_board,
    .close = forward_free,
    .listing = &listing,
};

/* ---- The cursor ---- */

struct search {
    struct query query;
    struct squares squares;
    struct forward *forward;
    uint64_t cost; /* of a placement */
    bool ended;
    uint32_t length; /* of the position */
    uint32_t position[NQ_SEARCH_MAX_N];
    struct stats stats;
};

static void begin(struct search *search)
{
    search->ended = false;
    search->length = 0;
    search->stats = (struct stats){0};
    forward_begin(search->forward, search->squares.filter.allow);
}

static void search_close(void *state)
{
    struct search *search = state;
    forward_free(search->forward);
    free(search);
}

static enum nq_status search_open(const struct query *query, void **out)
{
    const uint32_t n = query->filter.n;
    struct search *search = calloc(1, sizeof *search);
    if (!search)
        return NQ_NOMEM;
    search->query = *query;
    squares_begin(&search->squares, query);
    if (filter_impossible(&query->filter))
        memset(search->squares.filter.allow, 0, sizeof search->squares.filter.allow);
    search->forward = forward_new(n, query->filter.rule, query->regions.n ? &query->regions : NULL);
    if (!search->forward) {
        search_close(search);
        return NQ_NOMEM;
    }
    if (search->squares.turn)
        grid_turn(search->forward->grid, search->squares.turn);
    search->cost = PLACEMENT_COST + WORD_COST * search->forward->grid->words;
    begin(search);
    *out = search;
    return NQ_OK;
}

/* Whether a solution stands for its class. */
static bool listed(const struct squares *squares, const uint8_t *columns)
{
    return squares->group == 1 || query_representative(squares->group, squares->filter.n, columns);
}

/* The budget is looked at only where a prefix has just been finished, so that every call gains ground; from anywhere,
 * such a place is at most n placements away. */
static enum nq_status search_next(void *state, uint64_t *budget, uint32_t *columns)
{
    struct search *search = state;
    struct forward *forward = search->forward;
    struct step step;
    while (!search->ended && forward_step(forward, &step) == NQ_OK) {
        const bool found = step.kind == STEP_SOLUTION;
        const bool of_list = found && listed(&search->squares, forward->completions.columns);
        if (found && !of_list)
            continue;
        stats_add(&search->stats, &step);
        if (step.kind == STEP_PLACE) {
            *budget -= *budget < search->cost ? *budget : search->cost;
            continue;
        }
        if (!found && *budget)
            continue;
        const uint32_t length = completions_position(&forward->completions, search->position);
        if (!length || (!found && length == search->query.filter.n)) /* it was finished when the solution was listed */
            continue;
        search->length = length;
        if (found)
            memcpy(columns, search->position, length * sizeof *columns);
        return found ? NQ_OK : NQ_AGAIN;
    }
    search->ended = true;
    return NQ_END;
}

/* Whether two queens cannot stand together. */
static bool exclude(const struct query *query, const uint32_t *columns, uint32_t a, uint32_t b)
{
    const uint32_t n = query->filter.n;
    const uint8_t *of = query->regions.of;
    return (query->regions.n && of[a * n + columns[a]] == of[b * n + columns[b]]) ||
           rule_attack(query->filter.rule, n, a, columns[a], b, columns[b]);
}

/* Queens on squares that the list tries; a whole solution needs only to be one. */
static enum nq_status search_check(const struct query *query, const uint32_t *prefix, uint32_t length)
{
    const struct filter *filter = &query->filter;
    struct squares squares;
    if (length > filter->n)
        return NQ_INVALID;
    if (length < filter->n) {
        squares_begin(&squares, query);
        filter = &squares.filter;
    }
    for (uint32_t row = 0; row < length; row++) {
        bool stands = prefix[row] < filter->n && filter_allows(filter, row, prefix[row]);
        for (uint32_t above = 0; above < row && stands; above++)
            stands = !exclude(query, prefix, above, row);
        if (!stands)
            return NQ_INVALID;
    }
    return NQ_OK;
}

static enum nq_status search_seek(void *state, const uint32_t *prefix, uint32_t length)
{
    struct search *search = state;
    const enum nq_status status = search_check(&search->query, prefix, length);
    if (status != NQ_OK)
        return status;
    begin(search);
    completions_follow(&search->forward->completions, prefix, length);
    for (uint32_t row = 0; row < length; row++)
        search->position[row] = prefix[row];
    search->length = length;
    return NQ_OK;
}

static uint32_t search_position(const void *state, uint32_t *prefix)
{
    const struct search *search = state;
    for (uint32_t row = 0; row < search->length; row++)
        prefix[row] = search->position[row];
    return search->length;
}

static const struct stats *search_stats(const void *state)
{
    return &((const struct search *)state)->stats;
}

static const struct search_class search_forward_checking = {
    .open = search_open,
    .next = search_next,
    .check = search_check,
    .seek = search_seek,
    .position = search_position,
    .stats = search_stats,
    .close = search_close,
};

const struct solver solver_forward_checking = {
    .name = "forward-checking",
    .title = "Haralick, Elliott 1980, looks ahead",
    .by_rule = true,
    .by_regions = true,
    .summary = "depth-first search row by row that turns back as soon as a row, a column or a region without a queen "
               "has no free square, and fills one that has a single square at once",
    .order = "lexicographic",
    .complexity = "O(n^3 / 64) a placement, about; O(n^4) bits of memory",
    .source = "R. M. Haralick, G. L. Elliott, Increasing tree search efficiency for constraint satisfaction problems, "
              "Artificial Intelligence 14, 263-313",
    .year = 1980,
    .tests = "rows, columns and regions whose free squares are counted",
    .max_n = NQ_SEARCH_MAX_N,
    .lists = LISTS_ALL,
    .search = &search_forward_checking,
    .machine = &machine_forward_checking,
};
