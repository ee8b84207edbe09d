/* method_rules.c - counting by any rule of the family: depth-first search, row by row, below prefixes of boards with
 * weights. It does not know what the rules are.
 *
 * Symmetry, by reading lines of the board. Let G be the symmetries that carry the filter into itself, and solutions
 * into solutions. Each carries some row or column of a solution into the first row; so its image is read there: the
 * column of the image's queen. If G contains the reflection that turns the first row round, what is read is the
 * distance from the nearer end, and each line is read twice, from either end; else the column as it is. Only solutions
 * are counted of which no line reads more than the first row, with weight |G|/k, where k of the readings are as great.
 * So the images of a solution together count as often as there are different ones, and nothing is ever turned or
 * compared. (See method_search.c, which does so for queens.)
 *
 * For each square of the first row in the left half, or in all of it, and for each set of lines that read the same as
 * it, and where, there is one board: squares that would read more are excluded, the queens that read the same are
 * placed. So the weight is one number for the whole board. When the queen of the first row stands in its middle, its
 * two readings coincide, and those of all other lines that tie, too: the weight is halved.
 *
 * A torus is counted with a queen in the corner, for each solution has n shifts that do. Symmetries are then followed
 * by the shift that brings the corner back, and the line is the second row, as the first one is settled. Of n = 2 that
 * is the last row, too, of which each symmetry would be followed twice: so it is counted as other boards are. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/stop.h"
#include "board/query.h"
#include "count/methods/method.h"
#include "kernels/rows/rows.h"

/* ---- Boards with weights ---- */

/* A filter as boards whose solutions, each with its board's weight, add up to the filter's. */
struct weighted {
    struct filter filter;
    uint32_t thirds; /* what a solution of it counts, in thirds */
};

struct weighted_boards {
    size_t count, room;
    struct weighted *board;
};

enum { THIRDS = 3, MOST_LINES = 4 };

/* A row or column, the squares of which a symmetry carries into the row that is read. */
struct line {
    uint64_t squares[FILTER_MAX_N];
    unsigned symmetry;
};

struct reading {
    struct weighted_boards *boards;
    uint32_t n, row; /* which row is read */
    bool torus, both_ends;
    unsigned group, order, times; /* how often every solution counts beside its weight */
    size_t lines;
    struct line line[MOST_LINES + 1]; /* the first is the row itself; behind them, one to be compared */
};

static void transform(const struct reading *reading, unsigned symmetry, uint32_t *row, uint32_t *column)
{
    uint32_t corner[2] = {0, 0};
    square_transform(symmetry, reading->n, row, column);
    if (!reading->torus)
        return;
    square_transform(symmetry, reading->n, &corner[0], &corner[1]);
    *row = (*row + reading->n - corner[0]) % reading->n;
    *column = (*column + reading->n - corner[1]) % reading->n;
}

/* The other end's view of a column. */
static uint32_t turned_round(const struct reading *reading, uint32_t column)
{
    return reading->torus ? (reading->n - column) % reading->n : reading->n - 1 - column;
}

static uint32_t read_column(const struct reading *reading, uint32_t column)
{
    const uint32_t other = turned_round(reading, column);
    return reading->both_ends && other < column ? other : column;
}

static uint32_t read_square(const struct reading *reading, const struct line *line, uint32_t row, uint32_t column)
{
    transform(reading, line->symmetry, &row, &column);
    return read_column(reading, column);
}

static void add_line(struct reading *reading, unsigned symmetry)
{
    struct line *line = &reading->line[reading->lines];
    *line = (struct line){.symmetry = symmetry};
    for (uint32_t row = 0; row < reading->n; row++)
        for (uint32_t column = 0; column < reading->n; column++) {
            uint32_t image[2] = {row, column};
            transform(reading, symmetry, &image[0], &image[1]);
            if (image[0] == reading->row)
                line->squares[row] |= UINT64_C(1) << column;
        }
    for (size_t other = 0; other < reading->lines; other++)
        if (memcmp(line->squares, reading->line[other].squares, sizeof line->squares) == 0)
            return;
    reading->lines++;
}

/* Excludes the squares of a line that read more than `most`, or as much. */
static void limit(const struct reading *reading, const struct line *line, uint32_t most, bool as_much,
                  struct filter *filter)
{
    for (uint32_t row = 0; row < reading->n; row++)
        for (uint64_t squares = line->squares[row]; squares; squares &= squares - 1) {
            const uint32_t column = (uint32_t)__builtin_ctzll(squares), read = read_square(reading, line, row, column);
            if (as_much ? read == most : read > most)
                filter_exclude(filter, row, column);
        }
}

static enum nq_status add_board(const struct reading *reading, const struct filter *filter, uint32_t thirds)
{
    struct weighted_boards *boards = reading->boards;
    struct weighted *board = grow_array(boards->board, boards->count, &boards->room, sizeof *board);
    if (!board)
        return NQ_NOMEM;
    boards->board = board;
    board[boards->count] = (struct weighted){.filter = *filter, .thirds = thirds};
    filter_settle(&board[boards->count].filter);
    if (!filter_contradictory(&board[boards->count].filter))
        boards->count++;
    return NQ_OK;
}

/* Adds the boards of a filter for which k of the lines before this one, the first included, read as much as the queen
 * in a column of the row. */
static enum nq_status add_ties(const struct reading *reading, const struct filter *filter, uint32_t first, size_t at,
                               unsigned k)
{
    if (at >= reading->lines || at >= MOST_LINES) {
        const bool middle = reading->both_ends && turned_round(reading, first) == first;
        return add_board(reading, filter, reading->times * THIRDS * reading->order / k / (middle ? 2 : 1));
    }
    const struct line *line = &reading->line[at];
    const uint32_t most = read_column(reading, first);
    struct filter board = *filter;
    limit(reading, line, most, true, &board);
    enum nq_status status = add_ties(reading, &board, first, at + 1, k);
    for (uint32_t row = 0; row < reading->n; row++)
        for (uint64_t squares = line->squares[row] & filter->allow[row]; squares; squares &= squares - 1) {
            const uint32_t column = (uint32_t)__builtin_ctzll(squares);
            if (status != NQ_OK || read_square(reading, line, row, column) != most)
                continue;
            board = *filter;
            filter_place(&board, row, column);
            status = add_ties(reading, &board, first, at + 1, k + 1);
        }
    return status;
}

static enum nq_status add_column(const struct reading *reading, const struct filter *filter, uint32_t column)
{
    struct filter board = *filter;
    filter_place(&board, reading->row, column);
    for (size_t at = 1; at < reading->lines; at++)
        limit(reading, &reading->line[at], read_column(reading, column), false, &board);
    return add_ties(reading, &board, column, 1, 1);
}

/* Lists the boards of a filter with a rule; none if there are no solutions. NQ_OK, NQ_NOMEM, or NQ_CANCELLED
 * soon after *stop (may be NULL). Close them in any case. */
static enum nq_status weighted_open(const struct filter *filter, const atomic_bool *stop,
                                    struct weighted_boards *boards)
{
    struct reading reading = {.boards = boards, .n = filter->n, .times = 1};
    struct filter board = *filter;
    *boards = (struct weighted_boards){0};
    if (filter->n == 0)
        return add_board(&reading, filter, THIRDS);
    if (filter_impossible(filter))
        return NQ_OK;
    reading.torus = filter->rule->shifts && filter->n != 2 && filter_whole(filter);
    if (reading.torus) {
        filter_place(&board, 0, 0);
        reading.times = filter->n;
    }
    reading.row = reading.torus && filter->n > 1;
    reading.group = filter->n > 1 ? filter_symmetries(filter) : 1;
    reading.order = (unsigned)__builtin_popcount(reading.group);
    reading.both_ends = reading.group >> SYMMETRY_REFLECTION & 1;
    for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry++)
        if (reading.group >> symmetry & 1)
            add_line(&reading, symmetry);
    enum nq_status status = NQ_OK;
    for (uint32_t column = 0; column < filter->n && status == NQ_OK; column++) {
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        if (filter_allows(&board, reading.row, column) &&
            (!reading.both_ends || column <= turned_round(&reading, column)))
            status = add_column(&reading, &board, column);
    }
    return status;
}

static void weighted_close(struct weighted_boards *boards)
{
    free(boards->board);
}

/* ---- The method ---- */

/* A unit is split while it is estimated above this many placements: 10 ms with AVX-512, 200 ms with plain C. */
#define UNIT_NODES 16e6
/* Boards with so few rows left are not split, and units are not smaller than this share of the whole. */
enum { WHOLE_ROWS = 8, MOST_UNITS = 20000 };
/* Random descents: for the weight of a unit, first and again if that is above a share of the largest; and for the cost
 * of it all. */
enum { FIRST_WALKS = 4, WALKS = 24, SHARE = 8, COST_WALKS = 2000, LEAST_COST_WALKS = 50 };

struct unit {
    uint16_t board;
    uint8_t length;
    uint8_t columns[KERNEL_MAX_N];
};

struct plan {
    struct method_plan head;
    struct weighted_boards boards;
    struct unit *units;
};

static bool rules_suits(const struct filter *filter)
{
    return !rule_by_lines(filter->rule);
}

static struct rows_board rows_board_for(const struct filter *filter)
{
    return rows_board_of(filter->n, filter->rule->moves, filter->allow);
}

/* About how many placements there are below a search's prefix; more walks if it may have to be split. */
static double weigh(const struct rows_board *board, const struct rule_search *search, double most,
                    const atomic_bool *stop)
{
    const struct rows_prefix prefix = rows_prefix_of(search);
    uint64_t seed = search->row;
    for (uint32_t row = 0; row < search->row; row++)
        seed = seed * KERNEL_MAX_N + search->columns[row];
    const double first = rows_walk(board, &prefix, FIRST_WALKS, seed, stop);
    return 1 + (first < most / SHARE ? first : rows_walk(board, &prefix, WALKS, seed, stop));
}

static bool add_unit(struct plan *plan, size_t board, const struct rule_search *search, double weight)
{
    struct unit *units = method_plan_add(&plan->head, weight, plan->units, sizeof *units);
    if (!units)
        return false;
    plan->units = units;
    struct unit *unit = &units[plan->head.units - 1];
    *unit = (struct unit){.board = (uint16_t)board, .length = (uint8_t)search->row};
    for (uint32_t row = 0; row < search->row; row++)
        unit->columns[row] = search->columns[row];
    return true;
}

struct splitting {
    struct plan *plan;
    size_t board;
    struct rows_board rows;
    struct rule_search search;
    double most; /* no unit has much more weight */
    const atomic_bool *stop;
};

/* Adds units for everything below the search's prefix. */
static enum nq_status split(struct splitting *splitting)
{
    struct rule_search *search = &splitting->search;
    const uint32_t n = splitting->rows.n;
    const double weight = weigh(&splitting->rows, search, splitting->most, splitting->stop);
    enum nq_status status = NQ_OK;
    if (stop_wanted(splitting->stop))
        return NQ_CANCELLED;
    if (weight <= splitting->most || n - search->row <= WHOLE_ROWS)
        return add_unit(splitting->plan, splitting->board, search, weight) ? NQ_OK : NQ_NOMEM;
    for (uint32_t column = 0; column < n && status == NQ_OK; column++) {
        if (!rule_search_place(search, column))
            continue;
        if (search->level[search->row].untried)
            status = split(splitting);
        rule_search_remove(search);
    }
    return status;
}

static void rules_release(void *state)
{
    struct plan *plan = state;
    if (plan) {
        weighted_close(&plan->boards);
        free(plan->units);
        free(plan->head.weights);
    }
    free(plan);
}

/* The weight of all boards by so many walks each. */
static double boards_weight(const struct weighted_boards *boards, unsigned walks, const atomic_bool *stop)
{
    const struct rows_prefix nothing = {0};
    double weight = 0;
    for (size_t i = 0; i < boards->count && !stop_wanted(stop); i++) {
        const struct rows_board board = rows_board_for(&boards->board[i].filter);
        weight += 1 + rows_walk(&board, &nothing, walks, i, stop);
    }
    return weight;
}

static enum nq_status list_units(struct plan *plan, const atomic_bool *stop)
{
    const double even = boards_weight(&plan->boards, FIRST_WALKS, stop) / MOST_UNITS;
    enum nq_status status = NQ_OK;
    for (size_t i = 0; i < plan->boards.count && status == NQ_OK; i++) {
        const struct filter *filter = &plan->boards.board[i].filter;
        struct splitting splitting = {
            .plan = plan, .board = i, .most = even > UNIT_NODES ? even : UNIT_NODES, .stop = stop};
        splitting.rows = rows_board_for(filter);
        rule_search_begin(&splitting.search, filter->rule, filter->n, filter->allow);
        status = split(&splitting);
    }
    return status;
}

static enum nq_status rules_prepare(const struct filter *filter, const struct method_means *means,
                                    const atomic_bool *stop, void **out)
{
    struct plan *plan = calloc(1, sizeof *plan);
    (void)means;
    if (!plan)
        return NQ_NOMEM;
    enum nq_status status = weighted_open(filter, stop, &plan->boards);
    if (status == NQ_OK)
        status = list_units(plan, stop);
    if (status == NQ_OK)
        *out = plan;
    else
        rules_release(plan);
    return status;
}

static enum nq_status rules_count(const void *state, size_t index, size_t piece, const struct kernel *kernel,
                                  const atomic_bool *stop, struct unit_result *result)
{
    (void)piece; /* it is never split */
    const struct plan *plan = state;
    const struct unit *unit = &plan->units[index];
    const struct weighted *board = &plan->boards.board[unit->board];
    struct rule_search search;
    struct rule_tally tally = {0};
    rule_search_begin(&search, board->filter.rule, board->filter.n, board->filter.allow);
    for (uint32_t row = 0; row < unit->length; row++)
        (void)rule_search_place(&search, unit->columns[row]); /* the plan has done so */
    const struct rows_board rows = rows_board_for(&board->filter);
    const struct rows_prefix prefix = rows_prefix_of(&search);
    const enum nq_status status = rows_kernel_of(kernel)->count(&rows, &prefix, stop, &tally);
    result->nodes = tally.nodes;
    result->parts = (nq_wide)tally.solutions * board->thirds;
    return status;
}

static double rules_cost(const struct filter *filter, size_t together, const atomic_bool *stop)
{
    const unsigned walks = method_walks(COST_WALKS, together, LEAST_COST_WALKS);
    struct weighted_boards boards;
    double weight = 0;
    if (weighted_open(filter, stop, &boards) == NQ_OK && boards.count > 0)
        weight = boards_weight(&boards, walks / (unsigned)boards.count + FIRST_WALKS, stop);
    weighted_close(&boards);
    return weight;
}

const struct method method_rules = {
    .name = "rules",
    .summary = "depth-first search by any rule, each solution counted through one of its images; on a torus, with a "
               "queen in the corner",
    .source = "backtracking; the cost after Knuth (1975)",
    .revision = 3,
    .max_n = KERNEL_MAX_N,
    .suits = rules_suits,
    .symmetry = SYMMETRY_ANY,
    .prepare = rules_prepare,
    .count = rules_count,
    .release = rules_release,
    .cost = rules_cost,
};
