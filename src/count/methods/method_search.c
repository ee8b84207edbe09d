/* method_search.c - counting by depth-first search. It prepares masks and prefixes for a kernel; the searching is the
 * kernel's.
 *
 * Symmetry, for filters that all eight symmetries of the square carry into themselves, the empty one among them. Choose
 * a line at distance t from the edge: row t, row n-1-t, column t and column n-1-t. Read each of the four by the
 * distance of its queen from the line's nearer end: with the two directions of reading row t, a solution has eight such
 * readings, one for each symmetry. Only solutions whose row t reads at least as far from the end as the other three
 * lines are counted, with weight 8/k, where k of the readings share that greatest distance. So the eight images
 * together count as eight, and nothing is ever turned or compared. With the queen of row t at distance a, in the left
 * half:
 *   - rows whose own distance from the ends exceeds a may not use columns t and n-1-t, row n-1-t only columns at
 *     distance <= a: these are constant masks;
 *   - a queen at distance a on another of the lines ties (one that stands on two of them, for both): k = 1 + ties;
 *   - when a is the middle column, both readings of row t coincide and the weight is halved.
 * The rows are filled from the middle outwards and t is chosen there, so that these masks bite at once: 85 million
 * placements for n = 16, against 112 from the top downwards with t = 0.
 *
 * After the border-queen methods of J. Somers (2002) and Takaken (2003), who took the outermost line, the nearest to
 * the corner, and compared solutions at the end. */
#include <stdlib.h>

#include "count/methods/method.h"
#include "kernels/kernel.h"

/* Below this size the lines meet and symmetry is not used. */
enum { SYMMETRY_MIN_N = 5 };

/* Up to this size rows are filled from the middle outwards; beyond, the vector kernels take the rows in order only. */
enum { MIDDLE_OUT_MAX_N = 20 };

/* A unit is split while it is estimated above this many placements: 10 ms with AVX-512, 170 ms with plain C. */
#define UNIT_NODES 16e6
/* Boards with so few rows are neither split nor estimated by walks. */
enum { WHOLE_ROWS = 12 };
#define WHOLE_NODES 1e4
/* Units are not smaller than this share of the whole, nor pieces than such a share of a unit: n = 22 has some 130
 * thousand units, a second each; beyond n = 28 there would be too many pieces. */
enum { MOST_UNITS = 20000, MOST_PIECES = 5000 };
/* Random descents: for the weight of a unit, and for the cost of it all. */
enum { WALKS = 24, COST_WALKS = 2000, LEAST_COST_WALKS = 50 };

struct unit {
    const struct kernel_board *board;
    struct kernel_prefix prefix;
};

struct layout {
    uint32_t boards;
    bool symmetric; /* a board for each distance a of the first row's queen; else one for all */
    struct kernel_board board[KERNEL_MAX_N / 2 + 1];
    struct kernel_prefix root; /* nothing placed but what the filter places */
};

struct plan {
    struct method_plan head;
    struct layout layout;
    double split_weight;
    struct unit *units;
};

static uint32_t distance(uint32_t n, uint32_t index)
{
    return index < n - 1 - index ? index : n - 1 - index;
}

/* The rows that have more than one square left, from the middle outwards or in order; sets the columns of the others.
 */
static void lay_rows(const struct filter *filter, struct kernel_board *board, struct kernel_prefix *root)
{
    const uint32_t n = filter->n;
    const bool outwards = n <= MIDDLE_OUT_MAX_N;
    uint32_t above = outwards ? n / 2 : 0, below = above; /* rows above..below-1 have been looked at */
    *board = (struct kernel_board){.n = n};
    *root = (struct kernel_prefix){0};
    while (below - above < n) {
        const uint32_t row = above > 0 && above >= n - below ? --above : below++;
        const uint32_t allow = (uint32_t)filter->allow[row];
        if (allow & (allow - 1)) {
            board->row[board->rows] = row;
            board->allow[board->rows++] = allow;
        } else {
            root->columns |= allow;
        }
    }
}

/* Moves a row, which is one of the board's, to the front of the order. */
static void bring_forward(struct kernel_board *board, uint32_t row)
{
    uint32_t k = 0;
    while (board->row[k] != row)
        k++;
    const uint32_t allow = board->allow[k];
    for (; k > 0; k--) {
        board->row[k] = board->row[k - 1];
        board->allow[k] = board->allow[k - 1];
    }
    board->row[0] = row;
    board->allow[0] = allow;
}

/* The masks for solutions whose queen of row t, the first, stands in column a of the left half, the middle included. */
static void break_symmetry(struct kernel_board *board, uint32_t t, uint32_t a)
{
    const uint32_t n = board->n, lines = UINT32_C(1) << t | UINT32_C(1) << (n - 1 - t);
    uint32_t inner = 0; /* columns further from the ends than a */
    for (uint32_t column = 0; column < n; column++)
        inner |= (uint32_t)(distance(n, column) > a) << column;
    for (uint32_t k = 0; k < board->rows; k++) {
        const uint32_t row = board->row[k], away = distance(n, row);
        if (away > a)
            board->allow[k] &= ~lines;
        board->tie[k] = away == a ? lines : 0;
        if (row == n - 1 - t) {
            board->allow[k] &= ~inner;
            board->tie[k] |= UINT32_C(1) << a | UINT32_C(1) << (n - 1 - a);
        }
    }
    board->allow[0] &= UINT32_C(1) << a;
}

/* The boards whose counts add up to the filter's; the largest first, so that no task counts one alone at the end. */
static void lay_out(const struct filter *filter, struct layout *layout)
{
    const uint32_t n = filter->n, t = n <= MIDDLE_OUT_MAX_N ? n / 2 - 1 : 0;
    layout->boards = 0;
    layout->symmetric = n >= SYMMETRY_MIN_N && filter_symmetries(filter) == SYMMETRIES_ALL;
    if (!layout->symmetric) {
        lay_rows(filter, &layout->board[0], &layout->root);
        layout->boards = 1;
        return;
    }
    for (uint32_t a = (n - 1) / 2 + 1; a-- > 0;) {
        struct kernel_board *board = &layout->board[layout->boards];
        if (!filter_allows(filter, t, a))
            continue;
        lay_rows(filter, board, &layout->root);
        bring_forward(board, t);
        break_symmetry(board, t, a);
        layout->boards++;
    }
}

/* About how many placements there are below a prefix. */
static double weigh(const struct kernel_board *board, const struct kernel_prefix *prefix, unsigned walks,
                    const atomic_bool *stop)
{
    if (board->rows <= WHOLE_ROWS)
        return WHOLE_NODES;
    return kernel_walk(board, prefix, walks, prefix->sums, stop) + 1;
}

static double layout_weight(const struct layout *layout, unsigned walks, const atomic_bool *stop)
{
    double nodes = 0;
    for (uint32_t i = 0; i < layout->boards; i++)
        nodes += weigh(&layout->board[i], &layout->root, walks, stop);
    return nodes;
}

static bool add_unit(struct plan *plan, const struct kernel_board *board, const struct kernel_prefix *prefix,
                     double weight)
{
    struct unit *units = method_plan_add(&plan->head, weight, plan->units, sizeof *units);
    if (!units)
        return false;
    plan->units = units;
    plan->units[plan->head.units - 1] = (struct unit){.board = board, .prefix = *prefix};
    return true;
}

/* Adds units for everything below a prefix, none much above `most` in weight. */
static enum nq_status split(struct plan *plan, const struct kernel_board *board, const struct kernel_prefix *prefix,
                            double most, const atomic_bool *stop)
{
    const double weight = weigh(board, prefix, WALKS, stop);
    if (stop_wanted(stop))
        return NQ_CANCELLED;
    if (weight <= most || board->rows - prefix->depth <= WHOLE_ROWS)
        return add_unit(plan, board, prefix, weight) ? NQ_OK : NQ_NOMEM;
    enum nq_status status = NQ_OK;
    uint32_t free = kernel_free(board, prefix, prefix->depth);
    for (; free && status == NQ_OK; free &= free - 1) {
        const struct kernel_prefix below = kernel_place(board, prefix, free & -free);
        const uint32_t next = kernel_free(board, &below, below.depth);
        if (next && kernel_promising(board, &below, next))
            status = split(plan, board, &below, most, stop);
    }
    return status;
}

static void free_units(struct plan *plan)
{
    free(plan->units);
    free(plan->head.weights);
}

static void search_release(void *state)
{
    if (state)
        free_units(state);
    free(state);
}

static enum nq_status search_prepare(const struct filter *filter, const struct method_means *means,
                                     const atomic_bool *stop, void **out)
{
    struct plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return NQ_NOMEM;
    plan->split_weight = means->split_weight > 0 ? means->split_weight : METHOD_SPLIT_WEIGHT;
    lay_out(filter, &plan->layout);
    const double even = layout_weight(&plan->layout, WALKS, stop) / MOST_UNITS;
    enum nq_status status = NQ_OK;
    for (uint32_t i = 0; i < plan->layout.boards && status == NQ_OK; i++)
        status = split(plan, &plan->layout.board[i], &plan->layout.root, even > UNIT_NODES ? even : UNIT_NODES, stop);
    if (status == NQ_OK)
        *out = plan;
    else
        search_release(plan);
    return status;
}

static double search_cost(const struct filter *filter, size_t together, const atomic_bool *stop)
{
    struct layout layout;
    lay_out(filter, &layout);
    return layout_weight(&layout, method_walks(COST_WALKS, together, LEAST_COST_WALKS), stop);
}

static enum nq_status count(const struct plan *plan, const struct unit *unit, const struct kernel *kernel,
                            const atomic_bool *stop, struct unit_result *result)
{
    const struct kernel_board *board = unit->board;
    struct kernel_tally tally = {0};
    enum nq_status status = kernel->count(board, &unit->prefix, stop, &tally);
    if (status != NQ_OK)
        return status;
    result->nodes = tally.nodes;
    result->parts = 0;
    if (!plan->layout.symmetric) {
        result->parts = (nq_wide)tally.solutions[0] * METHOD_THIRDS;
        return NQ_OK;
    }
    for (uint32_t ties = 0; ties <= KERNEL_MAX_TIES; ties++)
        result->parts += (nq_wide)tally.solutions[ties] * (8 * METHOD_THIRDS / (1 + ties));
    if (board->n % 2 && board->allow[0] == UINT32_C(1) << board->n / 2)
        result->parts /= 2; /* every weight 24, 12, 8, 6 is even */
    return NQ_OK;
}

/* Lists a unit's pieces; the caller ends with free_units(). A unit that is not split is the only one. */
static enum nq_status split_unit(const struct plan *plan, size_t index, const atomic_bool *stop, struct plan *pieces)
{
    const struct unit *unit = &plan->units[index];
    const double weight = plan->head.weights[index];
    const double least = weight / MOST_PIECES, most = plan->split_weight > least ? plan->split_weight : least;
    *pieces = (struct plan){.units = NULL};
    if (weight <= plan->split_weight)
        return add_unit(pieces, unit->board, &unit->prefix, weight) ? NQ_OK : NQ_NOMEM;
    const enum nq_status status = split(pieces, unit->board, &unit->prefix, most, stop);
    if (status == NQ_OK && pieces->head.units > METHOD_PIECES_MAX) { /* its weight was far too low: it is left whole */
        pieces->units[0] = *unit;
        pieces->head.units = 1;
    }
    return status;
}

static enum nq_status search_pieces(const void *state, size_t index, const atomic_bool *stop, size_t *count)
{
    const struct plan *plan = state;
    struct plan pieces;
    const enum nq_status status = split_unit(plan, index, stop, &pieces);
    *count = pieces.head.units;
    free_units(&pieces);
    return status;
}

static enum nq_status search_count(const void *state, size_t index, size_t number, const struct kernel *kernel,
                                   const atomic_bool *stop, struct unit_result *result)
{
    const struct plan *plan = state;
    struct plan pieces;
    if (number == METHOD_WHOLE)
        return count(plan, &plan->units[index], kernel, stop, result);
    enum nq_status status = split_unit(plan, index, stop, &pieces);
    if (status == NQ_OK)
        status = number < pieces.head.units ? count(plan, &pieces.units[number], kernel, stop, result) : NQ_INVALID;
    free_units(&pieces);
    return status;
}

const struct method method_search = {
    .name = "search",
    .summary = "depth-first search, each solution counted through one of its eight images with weight 8/k",
    .source = "after the border-queen symmetry breaking of J. Somers (2002) and Takaken (2003)",
    .revision = 4,
    .max_n = KERNEL_MAX_N,
    .symmetry = SYMMETRY_ANY,
    .prepare = search_prepare,
    .count = search_count,
    .pieces = search_pieces,
    .release = search_release,
    .cost = search_cost,
};
