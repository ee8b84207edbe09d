/* method_orbit.c - counting the solutions that a turn of the board leaves unchanged, by placing whole orbits. The
 * search is the same for the half turn and the quarter turn: a step of it is the row at some distance from the edge
 * together with the opposite one; steps are taken from the middle outwards, those that earlier orbits have filled left
 * out.
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
#include "base/random.h"
#include "count/methods/method.h"

/* ---- The search: a placement puts down all queens of one orbit ---- */

enum { ORBITS_MAX_N = 32, ORBITS_MAX_STEPS = ORBITS_MAX_N / 2 };

/* The lines that queens stand on: those of one orbit, or of all that have been placed. */
struct orbits_lines {
    uint64_t sums, differences; /* bit row + column, bit column - row + n - 1 */
    uint32_t columns, steps;    /* bit k of steps: both rows of the k-th step */
};

/* What is constant in a search. An orbit is identified by its square in the upper row of a step. */
struct orbits_board {
    uint32_t n;
    uint32_t steps;                   /* n / 2 */
    uint32_t orbit_steps;             /* that an orbit fills */
    uint32_t allow[ORBITS_MAX_STEPS]; /* by step: the columns of the upper row that have an orbit */
    struct orbits_lines orbit[ORBITS_MAX_STEPS][ORBITS_MAX_N];
};

/* A part of the search: what lies below some orbits, and what its solutions count. */
struct orbits_piece {
    struct orbits_lines taken;
    uint32_t left;   /* orbits to be placed */
    uint32_t thirds; /* of each solution */
};

/* The upper row of a step; and the step of that row, for this is its own inverse. */
static inline uint32_t orbits_row(const struct orbits_board *board, uint32_t step)
{
    return board->steps - 1 - step;
}

static inline struct orbits_lines orbits_join(const struct orbits_lines *a, const struct orbits_lines *b)
{
    return (struct orbits_lines){
        .sums = a->sums | b->sums,
        .differences = a->differences | b->differences,
        .columns = a->columns | b->columns,
        .steps = a->steps | b->steps,
    };
}

/* The free squares of a step's upper row. The others of the orbit are free, too: what is taken turns into itself. */
static inline uint32_t orbits_free(const struct orbits_board *board, const struct orbits_lines *taken, uint32_t step)
{
    const uint32_t row = orbits_row(board, step);
    const uint32_t sums = (uint32_t)(taken->sums >> row);
    const uint32_t differences = (uint32_t)(taken->differences >> (board->n - 1 - row));
    return board->allow[step] & ~(taken->columns | sums | differences);
}

/* The innermost step that is not taken; there is one. */
static inline uint32_t orbits_next(const struct orbits_lines *taken)
{
    return (uint32_t)__builtin_ctz(~taken->steps);
}

static inline uint32_t orbits_next_free(const struct orbits_board *board, const struct orbits_lines *taken)
{
    return orbits_free(board, taken, orbits_next(taken));
}

/* With one more orbit: that of the lowest of the next step's free squares. */
static inline struct orbits_lines orbits_place(const struct orbits_board *board, const struct orbits_lines *taken,
                                               uint32_t free)
{
    return orbits_join(taken, &board->orbit[orbits_next(taken)][__builtin_ctz(free)]);
}

/* Partial placements that are taken a step together. P(26) in CPU seconds: 16 1.82, 32 1.69, 64 1.62, 128 1.62,
 * 256 1.62; with 64 the levels take 60 KB of stack. */
enum { BATCH = 64 };

/* A partial placement with untried squares. */
struct open {
    struct orbits_lines taken;
    uint32_t free; /* squares of the next step, not tried yet; never 0 */
};

/* Partial placements with the same number of orbits. */
struct level {
    uint32_t count;
    struct open open[2 * BATCH];
};

struct search {
    uint32_t last; /* level: one more orbit, and one is left */
    uint64_t solutions, nodes;
    struct level levels[ORBITS_MAX_STEPS - 1];
};

/* Takes the lowest untried square from the i-th open placement and packs what is then left behind the `kept` ones. */
static inline struct orbits_lines take(const struct orbits_board *board, struct level *level, uint32_t i,
                                       uint32_t *kept)
{
    const struct open open = level->open[i];
    const uint32_t rest = open.free & (open.free - 1);
    level->open[*kept] = (struct open){.taken = open.taken, .free = rest};
    *kept += rest != 0;
    return orbits_place(board, &open.taken, open.free);
}

/* Whether a square is free cannot be predicted, so nothing below branches on it: a step for a batch takes 3.5 ns a
 * placement; depth first, one placement at a time, it was 8 to 10. Looking one step further ahead saves 14 % of the
 * placements and costs 18 % more time. */
static void advance(const struct orbits_board *restrict board, struct search *restrict search, uint32_t at)
{
    struct level *level = &search->levels[at], *next = level + 1;
    const uint32_t count = level->count, begin = count > BATCH ? count - BATCH : 0;
    uint32_t kept = begin;
    search->nodes += count - begin;
    if (at == search->last) {
        uint64_t solutions = 0;
        for (uint32_t i = begin; i < count; i++) {
            const struct orbits_lines taken = take(board, level, i, &kept);
            const uint32_t free = orbits_next_free(board, &taken);
            solutions += (free != 0) + ((free & (free - 1)) != 0); /* two columns are left at most */
        }
        search->solutions += solutions;
        search->nodes += solutions;
    } else {
        uint32_t end = next->count;
        for (uint32_t i = begin; i < count; i++) {
            const struct orbits_lines taken = take(board, level, i, &kept);
            next->open[end] = (struct open){.taken = taken, .free = orbits_next_free(board, &taken)};
            end += next->open[end].free != 0;
        }
        next->count = end;
    }
    level->count = kept;
}

/* The deepest level that has a batch; when none has, the first that has anything. False: all are empty. No level
 * beyond the one after *at has a batch, so that wherever one is emptied there is room for its children. */
static bool choose(const struct search *search, uint32_t *at)
{
    for (uint32_t level = (*at < search->last ? *at + 1 : *at) + 1; level-- > 0;) {
        if (search->levels[level].count >= BATCH) {
            *at = level;
            return true;
        }
    }
    for (*at = 0; *at <= search->last; ++*at)
        if (search->levels[*at].count)
            return true;
    return false;
}

/* Adds what lies below a piece to the result. NQ_OK, or NQ_CANCELLED within a millisecond of *stop (may be NULL). */
static enum nq_status orbits_search(const struct orbits_board *board, const struct orbits_piece *piece,
                                    const atomic_bool *stop, struct unit_result *result)
{
    struct search search;
    const uint32_t free = piece->left ? orbits_next_free(board, &piece->taken) : 0;
    if (piece->left < 2) {
        const uint32_t found = piece->left ? (uint32_t)__builtin_popcount(free) : 1;
        result->parts += (nq_wide)found * piece->thirds;
        result->nodes += piece->left ? found : 0;
        return NQ_OK;
    }
    search.last = piece->left - 2;
    search.solutions = search.nodes = 0;
    for (uint32_t level = 0; level <= search.last; level++)
        search.levels[level].count = 0;
    search.levels[0].open[0] = (struct open){.taken = piece->taken, .free = free};
    search.levels[0].count = free != 0;
    for (uint32_t at = 0; choose(&search, &at);) {
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        advance(board, &search, at);
    }
    result->parts += (nq_wide)search.solutions * piece->thirds;
    result->nodes += search.nodes;
    return NQ_OK;
}

/* Walks between two looks at the stop flag: a hundred microseconds. */
enum { POLL_WALKS = 16 };

/* One descent: the orbits placed that it stands for. */
static double descend(const struct orbits_board *board, struct orbits_piece piece, struct random *random)
{
    double nodes = 0, weight = 1;
    while (piece.left) {
        struct orbits_lines children[ORBITS_MAX_N];
        uint32_t count = 0, free = orbits_next_free(board, &piece.taken);
        nodes += weight * __builtin_popcount(free);
        if (--piece.left == 0)
            break;
        for (; free; free &= free - 1) {
            children[count] = orbits_place(board, &piece.taken, free);
            count += orbits_next_free(board, &children[count]) != 0;
        }
        if (!count)
            break;
        piece.taken = children[random_below(random, count)];
        weight *= count;
    }
    return nodes;
}

/* About how many orbits that places: the mean of so many random descents, as kernel_walk. */
static double orbits_walk(const struct orbits_board *board, const struct orbits_piece *piece, unsigned walks,
                          const atomic_bool *stop)
{
    double nodes = 0;
    for (unsigned walk = 0; walk < walks; walk++) {
        if (walk % POLL_WALKS == 0 && stop_wanted(stop))
            break;
        struct random random = random_begin(piece->taken.sums, walk);
        nodes += descend(board, *piece, &random);
    }
    return nodes / walks;
}

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
};

struct plan {
    struct method_plan head;
    struct layout layout;
    size_t pieces, pieces_room;
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
    struct unit *unit = method_plan_add(&plan->head, 1, plan->unit, sizeof *unit);
    if (!unit)
        return false;
    plan->unit = unit;
    plan->unit[plan->head.units - 1] = (struct unit){.begin = plan->pieces, .end = plan->pieces};
    return true;
}

/* Adds a piece to the last unit, or to a new one if that would make it weigh more than `most`. */
static bool add_piece(struct plan *plan, const struct orbits_piece *piece, double weight, double most)
{
    struct orbits_piece *pieces = grow_array(plan->piece, plan->pieces, &plan->pieces_room, sizeof *pieces);
    if (!pieces)
        return false;
    plan->piece = pieces;
    const size_t last = plan->head.units - 1;
    if (plan->unit[last].begin < plan->unit[last].end && plan->head.weights[last] + weight > most && !add_unit(plan))
        return false;
    plan->piece[plan->pieces++] = *piece;
    plan->unit[plan->head.units - 1].end = plan->pieces;
    plan->head.weights[plan->head.units - 1] += weight;
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
        free(plan->head.weights);
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

static enum nq_status orbit_count(const void *state, size_t index, size_t piece, const struct kernel *kernel,
                                  const atomic_bool *stop, struct unit_result *result)
{
    (void)piece; /* it is never split */
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
    .count = orbit_count,
    .release = orbit_release,
    .cost = quarter_cost,
    .node_seconds = ORBIT_SECONDS,
};
