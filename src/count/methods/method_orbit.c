/* method_orbit.c - counting the solutions that a turn of the board leaves unchanged, by placing whole orbits. It knows
 * which squares make an orbit and lists units; orbits.c searches, for the half turn and the quarter turn alike.
 *
 * A solution that is unchanged by a turn holds, with a square, all squares that the turn carries it to: two or four, or
 * the centre alone. So only orbits are placed whose squares are all allowed and do not attack each other; on boards of
 * odd size the centre is one of them in any such solution, for nothing else can stand in the middle row.
 *
 * Symmetry, for filters that all eight symmetries of the square carry into themselves. What the turn leaves unchanged
 * the other symmetries carry into each other: by the quarter turn, pairs of mirror images; so the innermost step's
 * queen in the left half stands for two solutions. By the half turn, fours: let row t and column t be the innermost
 * ones, and read each by the distance of its queen from the nearer end. Only solutions whose row t reads at least as
 * far as column t, with its queen in the left half, are counted; each stands for four, or for two if both distances are
 * the same. Both queens are placed first, so that there is nothing to be checked afterwards. */
#include <stdlib.h>

#include "base/grow.h"
#include "count/methods/orbits.h"

/* A unit holds pieces of about this many orbits placed in all: 60 ms. A piece that is larger is split, */
#define UNIT_NODES 16e6
/* but there are not many more than this, however large they become. */
enum { MOST_UNITS = 20000 };
/* Random descents: for the weight of a piece, and for that of a root when only the cost is asked for. */
enum { WALKS = 32, COST_WALKS = 100, LEAST_COST_WALKS = 10 };

enum { MAX_ROOTS = ORBITS_MAX_STEPS * (ORBITS_MAX_STEPS + 1) };

struct layout {
    struct orbits_board board;
    uint32_t roots;
    struct orbits_piece root[MAX_ROOTS];
};

struct unit {
    size_t begin, end; /* of its pieces */
    double weight;
};

struct plan {
    struct layout layout;
    size_t pieces, pieces_room, units, units_room;
    struct orbits_piece *piece;
    struct unit *unit;
};

static double layout_weight(const struct layout *layout, unsigned walks, const atomic_bool *stop)
{
    double nodes = 1;
    for (uint32_t i = 0; i < layout->roots; i++)
        nodes += orbits_walk(&layout->board, &layout->root[i], walks, stop);
    return nodes;
}

/* ---- Layout ---- */

/* Turns, as numbers of nq_transform. */
enum turn { QUARTER_TURN = 1, HALF_TURN = 2 };

struct square {
    uint32_t row, column;
};

/* The squares a turn carries a square to, itself included; the centre comes several times. */
enum { MAX_ORBIT = 4 };
static uint32_t orbit_of(enum turn turn, uint32_t n, struct square square, struct square orbit[static MAX_ORBIT])
{
    const uint32_t count = MAX_ORBIT / turn;
    for (uint32_t i = 0; i < count; i++) {
        orbit[i] = square;
        square_transform(turn, n, &square.row, &square.column);
    }
    return count;
}

static bool orbit_allowed(enum turn turn, const struct filter *filter, struct square square)
{
    struct square orbit[MAX_ORBIT];
    const uint32_t count = orbit_of(turn, filter->n, square, orbit);
    for (uint32_t i = 0; i < count; i++)
        if (!filter_allows(filter, orbit[i].row, orbit[i].column) ||
            nq_attack(square.row, square.column, orbit[i].row, orbit[i].column))
            return false; /* the others attack each other only if one attacks the first: turn them */
    return true;
}

static struct orbits_lines orbit_lines(enum turn turn, const struct orbits_board *board, struct square square)
{
    const uint32_t n = board->n;
    struct orbits_lines lines = {0};
    struct square orbit[MAX_ORBIT];
    const uint32_t count = orbit_of(turn, n, square, orbit);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = orbit[i].row, column = orbit[i].column, upper = row < n - 1 - row ? row : n - 1 - row;
        const struct orbits_lines queen = {
            .sums = UINT64_C(1) << (row + column),
            .differences = UINT64_C(1) << (column + n - 1 - row),
            .columns = UINT32_C(1) << column,
            .steps = upper < board->steps ? UINT32_C(1) << orbits_row(board, upper) : 0, /* not so the middle row */
        };
        lines = orbits_join(&lines, &queen);
    }
    return lines;
}

/* Keeps only squares whose whole orbit is allowed, and settles the filter: excluding one square may break others. */
static void keep_orbits(enum turn turn, struct filter *filter)
{
    bool broken;
    do {
        broken = false;
        for (uint32_t row = 0; row < filter->n; row++) {
            for (uint32_t column = 0; column < filter->n; column++) {
                if (filter_allows(filter, row, column) && !orbit_allowed(turn, filter, (struct square){row, column})) {
                    filter_exclude(filter, row, column);
                    broken = true;
                }
            }
        }
        filter_settle(filter);
    } while (broken);
}

/* Adds what lies below some orbits to the roots. */
static void add_root(struct layout *layout, const struct orbits_lines *taken, uint32_t solutions)
{
    const struct orbits_board *board = &layout->board;
    layout->root[layout->roots++] = (struct orbits_piece){
        .taken = *taken,
        .left = (board->steps - (uint32_t)__builtin_popcount(taken->steps)) / board->orbit_steps,
        .thirds = METHOD_THIRDS * solutions,
    };
}

/* The roots that make use of the symmetry; `taken`: the centre, if there is one. */
static void add_symmetric_roots(struct layout *layout, enum turn turn, const struct orbits_lines *taken)
{
    const struct orbits_board *board = &layout->board;
    const uint32_t t = orbits_row(board, 0), lines = UINT32_C(1) << t | UINT32_C(1) << (board->n - 1 - t);
    for (uint32_t a = board->steps; a-- > 0;) {
        if (!(orbits_free(board, taken, 0) >> a & 1))
            continue;
        const struct orbits_lines first = orbits_join(taken, &board->orbit[0][a]);
        if (turn == QUARTER_TURN) {
            add_root(layout, &first, 2);
            continue;
        }
        for (uint32_t b = 0; b <= a; b++) {
            const uint32_t step = orbits_row(board, b);
            for (uint32_t free = orbits_free(board, &first, step) & lines; free; free &= free - 1) {
                const struct orbits_lines both = orbits_join(&first, &board->orbit[step][__builtin_ctz(free)]);
                add_root(layout, &both, b < a ? 4 : 2);
            }
        }
    }
}

static void lay_out(enum turn turn, const struct filter *given, struct layout *layout)
{
    struct filter filter = *given;
    struct orbits_board *board = &layout->board;
    struct orbits_lines taken = {0};
    const uint32_t n = filter.n;
    *layout = (struct layout){.board = {.n = n, .steps = n / 2, .orbit_steps = 2 / turn}};
    keep_orbits(turn, &filter);
    if (filter_contradictory(&filter) || board->steps % board->orbit_steps)
        return;
    for (uint32_t row = 0; row < n; row++) {
        const uint32_t allow = (uint32_t)filter.allow[row];
        const bool one = !(allow & (allow - 1)), upper = row < board->steps;
        if (upper)
            board->allow[orbits_row(board, row)] = allow;
        for (uint32_t rest = allow; rest; rest &= rest - 1) {
            const uint32_t column = (uint32_t)__builtin_ctz(rest);
            const struct orbits_lines lines = orbit_lines(turn, board, (struct square){row, column});
            if (upper)
                board->orbit[orbits_row(board, row)][column] = lines;
            if (one)
                taken = orbits_join(&taken, &lines);
        }
    }
    if (board->steps && filter_symmetries(&filter) == SYMMETRIES_ALL)
        add_symmetric_roots(layout, turn, &taken);
    else
        add_root(layout, &taken, 1);
}

/* ---- Units ---- */

static bool add_unit(struct plan *plan)
{
    struct unit *unit = grow_array(plan->unit, plan->units, &plan->units_room, sizeof *unit);
    if (!unit)
        return false;
    plan->unit = unit;
    plan->unit[plan->units++] = (struct unit){.begin = plan->pieces, .end = plan->pieces, .weight = 1};
    return true;
}

/* Adds a piece to the last unit, or to a new one if that would make it weigh more than `most`. */
static bool add_piece(struct plan *plan, const struct orbits_piece *piece, double weight, double most)
{
    struct orbits_piece *pieces = grow_array(plan->piece, plan->pieces, &plan->pieces_room, sizeof *pieces);
    if (!pieces)
        return false;
    plan->piece = pieces;
    const struct unit *last = &plan->unit[plan->units - 1];
    if (last->begin < last->end && last->weight + weight > most && !add_unit(plan))
        return false;
    plan->piece[plan->pieces++] = *piece;
    struct unit *unit = &plan->unit[plan->units - 1];
    unit->end = plan->pieces;
    unit->weight += weight;
    return true;
}

/* Adds pieces for everything below one, none above `most` in weight. */
static enum nq_status split(struct plan *plan, const struct orbits_piece *piece, double most, const atomic_bool *stop)
{
    const struct orbits_board *board = &plan->layout.board;
    const double weight = orbits_walk(board, piece, WALKS, stop);
    if (stop_wanted(stop))
        return NQ_CANCELLED;
    if (weight <= most)
        return add_piece(plan, piece, weight, most) ? NQ_OK : NQ_NOMEM;
    enum nq_status status = NQ_OK;
    uint32_t free = orbits_next_free(board, &piece->taken);
    for (; free && status == NQ_OK; free &= free - 1) {
        const struct orbits_piece below = {
            .taken = orbits_place(board, &piece->taken, free),
            .left = piece->left - 1,
            .thirds = piece->thirds,
        };
        if (orbits_next_free(board, &below.taken))
            status = split(plan, &below, most, stop);
    }
    return status;
}

/* ---- The two methods ---- */

static void orbit_release(void *state)
{
    struct plan *plan = state;
    if (plan) {
        free(plan->piece);
        free(plan->unit);
    }
    free(plan);
}

static enum nq_status prepare(enum turn turn, const struct filter *filter, const atomic_bool *stop, void **out)
{
    struct plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return NQ_NOMEM;
    lay_out(turn, filter, &plan->layout);
    const double even = layout_weight(&plan->layout, WALKS, stop) / MOST_UNITS;
    enum nq_status status = add_unit(plan) ? NQ_OK : NQ_NOMEM; /* at least one, even if it is empty */
    for (uint32_t i = 0; i < plan->layout.roots && status == NQ_OK; i++)
        status = split(plan, &plan->layout.root[i], even > UNIT_NODES ? even : UNIT_NODES, stop);
    if (status == NQ_OK)
        *out = plan;
    else
        orbit_release(plan);
    return status;
}

static enum nq_status point_prepare(const struct filter *filter, const struct method_means *means,
                                    const atomic_bool *stop, void **plan)
{
    (void)means;
    return prepare(HALF_TURN, filter, stop, plan);
}

static enum nq_status quarter_prepare(const struct filter *filter, const struct method_means *means,
                                      const atomic_bool *stop, void **plan)
{
    (void)means;
    return prepare(QUARTER_TURN, filter, stop, plan);
}

static size_t orbit_units(const void *state)
{
    const struct plan *plan = state;
    return plan->units;
}

static double orbit_weight(const void *state, size_t index)
{
    const struct plan *plan = state;
    return plan->unit[index].weight;
}

static enum nq_status orbit_count(const void *state, size_t index, const struct kernel *kernel, const atomic_bool *stop,
                                  struct unit_result *result)
{
    const struct plan *plan = state;
    const struct unit *unit = &plan->unit[index];
    enum nq_status status = NQ_OK;
    (void)kernel;
    *result = (struct unit_result){0};
    for (size_t i = unit->begin; i < unit->end && status == NQ_OK; i++)
        status = orbits_search(&plan->layout.board, &plan->piece[i], stop, result);
    return status;
}

static double point_cost(const struct filter *filter, size_t together, const atomic_bool *stop)
{
    struct layout layout;
    lay_out(HALF_TURN, filter, &layout);
    return layout_weight(&layout, method_walks(COST_WALKS, together, LEAST_COST_WALKS), stop);
}

static double quarter_cost(const struct filter *filter, size_t together, const atomic_bool *stop)
{
    struct layout layout;
    lay_out(QUARTER_TURN, filter, &layout);
    return layout_weight(&layout, method_walks(COST_WALKS, together, LEAST_COST_WALKS), stop);
}

const struct method method_point = {
    .name = "point",
    .summary = "solutions unchanged by a half turn: pairs of opposite queens, one of four images",
    .source = "orbit by orbit, as in counting by Burnside's lemma; checked against OEIS A032522",
    .revision = 1,
    .max_n = ORBITS_MAX_N,
    .symmetry = SYMMETRY_POINT,
    .prepare = point_prepare,
    .units = orbit_units,
    .weight = orbit_weight,
    .count = orbit_count,
    .release = orbit_release,
    .cost = point_cost,
    .node_seconds = ORBIT_SECONDS,
};

const struct method method_quarter = {
    .name = "quarter",
    .summary = "solutions unchanged by a quarter turn: fours of queens around the centre, one of two images",
    .source = "orbit by orbit, as in counting by Burnside's lemma; checked against OEIS A033148",
    .revision = 1,
    .max_n = ORBITS_MAX_N,
    .symmetry = SYMMETRY_QUARTER,
    .prepare = quarter_prepare,
    .units = orbit_units,
    .weight = orbit_weight,
    .count = orbit_count,
    .release = orbit_release,
    .cost = quarter_cost,
    .node_seconds = ORBIT_SECONDS,
};
