/* shape_count.c - counting by segments. A placement is built in reading order: a node of the search is a placement, its
 * children are those with one more queen behind the last. Each node is counted where it is reached, and what can be
 * said about its descendants at once is not walked: the last two segments, the last queen, and the last two queens,
 * whose pairs are all pairs of open squares but those on a line.
 *
 * Symmetry. The first and the last queen of a placement are its ends. Between them every segment is whole, and a
 * symmetry of the board that keeps or reverses reading order carries ends into ends: of each orbit of pairs of ends one
 * is searched, and its placements count as many times as the orbit has pairs. Without walls both reflections and the
 * half turn are such symmetries, for no row has two queens; with walls only the half turn is.
 *
 * Placements that a symmetry leaves unchanged are those of a board of orbits, see shape_board.h. */
#include "shapes/shape.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/random.h"
#include "shapes/shape_board.h"

/* A unit is split while it is estimated above so many nodes, some tenths of a second, and above this share of all.
 * Deeper prefixes are not split. */
#define UNIT_NODES 16e6
enum { MOST_UNITS = 20000, PREFIX = 6 };
/* Symmetries by bits: those that carry ends into ends, if a row has one queen, or several; those that change ends. */
enum { ENDS = 0x55, ENDS_OF_SEVERAL = 0x05, REVERSING = 0x44 };
/* Random descents: for the weight of a unit, first, and again if that is above a share of the largest. */
enum { FIRST_WALKS = 4, WALKS = 24, SHARE = 8, DRAWS = 1 << 20 };
/* Nodes between two looks at the stop flag: one takes at most some microseconds. */
enum { POLL_NODES = 1 << 10 };

/* What is below a prefix of squares. None: what was counted while others were split, or all that a symmetry leaves
 * unchanged. One: the first end, with all last ones. More: both ends, and the first queens between them. */
struct unit {
    uint16_t square[PREFIX];
    uint8_t length, symmetry;
    double weight;
};

struct shape_plan {
    struct shape_board board[NQ_SYMMETRIES]; /* by symmetry of the group; that of the identity may be transposed */
    unsigned group, ends;                    /* ends: the symmetries that carry ends into ends */
    double split_weight, most;               /* as of shape_plan_open() */
    uint32_t settled;                        /* so many queens before the most, nothing is walked any more */
    uint32_t placed, first, last;            /* how many queens, and of their squares */
    size_t count, room;
    struct unit *units;
    nq_wide *base; /* the profile of the unit without squares */
};

/* A placement, as a search goes on from it. */
struct node {
    uint32_t segment, end; /* the next queen stands in one of these segments, the end not included */
    uint32_t queens;
    uint32_t times; /* that what is below it counts */
    uint64_t open[SHAPE_MAX_SIDE];
};

struct walker {
    const struct shape_board *board;
    const atomic_bool *stop;
    nq_wide *profile;
    uint64_t nodes;
    uint32_t end, times; /* of the node that it began with */
    uint32_t settled;
    bool whole; /* maximal placements, or orbits: all rows matter at every node, and every node is walked */
    bool stopped;
};

static struct walker walker_of(const struct shape_plan *plan, unsigned symmetry, const atomic_bool *stop,
                               nq_wide *profile)
{
    const struct shape_board *board = &plan->board[symmetry];
    const bool whole = symmetry || board->shape.maximal;
    return (struct walker){
        .board = board, .stop = stop, .profile = profile, .settled = whole ? 0 : plan->settled, .whole = whole};
}

/* The last segments, in which queens are counted at once. */
static inline uint32_t segments_settled(const struct walker *walker)
{
    return walker->whole ? 0 : 2;
}

static bool stop_now(struct walker *walker)
{
    if (++walker->nodes % POLL_NODES == 0 && stop_wanted(walker->stop))
        walker->stopped = true;
    return walker->stopped;
}

/* Whether the segments have too little room for the least number of queens. */
static inline bool too_few(const struct shape_board *board, uint32_t segment, uint32_t end, uint32_t queens)
{
    const uint32_t room = segment < end ? board->segment[end].room - board->segment[segment].room : 0;
    return queens + room < board->shape.least;
}

static inline uint64_t candidates(const struct shape_board *board, uint32_t segment, const uint64_t *open)
{
    return shape_candidates(board, &board->segment[segment], open);
}

/* The lowest square of a set in a segment. */
static inline uint32_t square_of(const struct shape_board *board, uint32_t segment, uint64_t set)
{
    return shape_square(&board->shape, board->segment[segment].row, (uint32_t)__builtin_ctzll(set));
}

static inline uint32_t queens_on(const struct shape_board *board, uint32_t square)
{
    return board->orbit ? board->orbit[square] : 1;
}

/* In line: without -mpopcnt, the compiler's own is a call. */
static inline uint32_t count_bits(uint64_t set)
{
    set -= set >> 1 & UINT64_C(0x5555555555555555);
    set = (set & UINT64_C(0x3333333333333333)) + (set >> 2 & UINT64_C(0x3333333333333333));
    return (uint32_t)(((set + (set >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * UINT64_C(0x0101010101010101) >> 56);
}

static inline uint64_t pairs_of(uint64_t count)
{
    return count * (count - 1) / 2;
}

static inline void add(struct walker *walker, uint32_t queens, uint64_t placements)
{
    if (placements) /* the profile may have no such entry */
        walker->profile[queens] += (nq_wide)placements * walker->times;
}

/* ---- Pairs ---- */

/* A number for every column, bit p of it in plane[p]: how many open squares there are above it, on a line. */
enum { PLANES = 6 };

/* Goes on to a row: lines end at its walls. Returns how many pairs its open squares make with those above them, and
 * adds them. */
static inline uint64_t planes_pass(uint64_t *plane, uint32_t planes, int shift, uint64_t walls, uint64_t open)
{
    uint64_t pairs = 0, carry = open;
    for (uint32_t p = 0; p < planes; p++) {
        const uint64_t moved = (shift < 0 ? plane[p] >> 1 : plane[p] << shift) & ~walls;
        pairs += (uint64_t)count_bits(moved & open) << p;
        plane[p] = moved ^ carry;
        carry &= moved;
    }
    return pairs;
}

/* Pairs of open squares that attack each other, of rows [first, last]. */
static uint64_t attacking_pairs(const struct shape *shape, const uint64_t *open, uint32_t first, uint32_t last)
{
    uint64_t column[PLANES] = {0}, left[PLANES] = {0}, right[PLANES] = {0}, pairs = 0;
    const unsigned moves = shape->rule->moves;
    for (uint32_t row = first; row <= last; row++) {
        const uint64_t walls = shape->walls[row], squares = open[row];
        const uint32_t bits = 32 - (uint32_t)__builtin_clz(row - first + 1), planes = bits < PLANES ? bits : PLANES;
        for (uint64_t rest = squares, part; rest; rest &= ~part) {
            const uint64_t free = ~walls & (rest | ~(rest - 1));
            part = walls ? free & ~(free + (rest & -rest)) : rest;
            pairs += pairs_of(count_bits(rest & part));
        }
        pairs += planes_pass(column, planes, 0, walls, squares);
        if (moves & MOVE_LEFT)
            pairs += planes_pass(left, planes, -1, walls, squares);
        if (moves & MOVE_RIGHT)
            pairs += planes_pass(right, planes, 1, walls, squares);
    }
    return pairs;
}

/* ---- The search ---- */

/* No queen, one queen, or two more where they are settled. */
static void add_last_queens(struct walker *walker, uint32_t segment, uint32_t queens, const uint64_t *node)
{
    const struct shape *shape = &walker->board->shape;
    if (queens == shape->most || segment >= walker->end)
        return;
    const struct shape_segment *from = &walker->board->segment[segment], *to = &walker->board->segment[walker->end - 1];
    uint64_t open[SHAPE_MAX_SIDE], squares = 0;
    for (uint32_t row = from->row; row <= to->row; row++) {
        open[row] = node[row] & shape->allow[row];
        if (row == from->row)
            open[row] &= ~((from->squares & -from->squares) - 1);
        if (row == to->row)
            open[row] &= to->squares | ((to->squares & -to->squares) - 1);
        squares += count_bits(open[row]);
    }
    add(walker, queens + 1, squares);
    if (queens + 2 == shape->most)
        add(walker, queens + 2, pairs_of(squares) - attacking_pairs(shape, open, from->row, to->row));
}

/* Queens in the last two segments, or fewer. */
static void add_last_segments(struct walker *walker, uint32_t segment, uint32_t queens, const uint64_t *open)
{
    const struct shape_board *board = walker->board;
    for (; segment < walker->end; segment++) {
        const uint64_t squares = candidates(board, segment, open);
        const uint64_t after = segment + 1 < walker->end ? candidates(board, segment + 1, open) : 0;
        const uint32_t row_after = board->segment[segment + 1].row;
        uint64_t pairs = 0;
        for (uint64_t rest = after ? squares : 0; rest; rest &= rest - 1)
            pairs += count_bits(after & ~shape_attack(board, square_of(board, segment, rest))[row_after]);
        add(walker, queens + 1, count_bits(squares));
        add(walker, queens + 2, pairs);
    }
}

static void walk(struct walker *walker, uint32_t segment, uint32_t queens, const uint64_t *open)
{
    const struct shape_board *board = walker->board;
    const bool whole = walker->whole;
    add(walker, queens, shape_complete(board, open));
    if (stop_now(walker))
        return;
    if (!whole && queens + walker->settled >= board->shape.most) {
        add_last_queens(walker, segment, queens, open);
        return;
    }
    for (; segment + segments_settled(walker) < walker->end; segment++) {
        if (too_few(board, segment, walker->end, queens))
            return;
        const uint32_t from = whole ? 0 : board->segment[segment + 1].row;
        const uint32_t last = whole ? board->shape.rows - 1 : board->segment[walker->end - 1].row;
        for (uint64_t rest = candidates(board, segment, open); rest; rest &= rest - 1) {
            uint64_t next[SHAPE_MAX_SIDE];
            const uint32_t square = square_of(board, segment, rest), more = queens + queens_on(board, square);
            if (more > board->shape.most)
                continue;
            shape_place(shape_attack(board, square), from, last, open, next);
            walk(walker, segment + 1, more, next);
        }
    }
    if (!whole)
        add_last_segments(walker, segment, queens, open);
}

static void walk_from(struct walker *walker, const struct node *node)
{
    walker->end = node->end;
    walker->times = node->times;
    walk(walker, node->segment, node->queens, node->open);
}

/* ---- Where searches begin ---- */

static void put(const struct shape_board *board, struct node *node, uint32_t square)
{
    const uint64_t *attack = shape_attack(board, square);
    for (uint32_t row = 0; row < board->shape.rows; row++)
        node->open[row] &= ~attack[row];
    node->queens += queens_on(board, square);
}

/* Puts the placed queens, but for those that are ends: their squares are still open. */
static void put_placed(const struct shape_board *board, struct node *node)
{
    for (uint32_t row = 0; row < board->shape.rows; row++)
        for (uint64_t rest; (rest = board->shape.placed[row] & node->open[row]);)
            put(board, node, shape_square(&board->shape, row, (uint32_t)__builtin_ctzll(rest)));
}

/* How many pairs of ends the symmetries make of one; 0: another one of them is searched, or a placed queen is not
 * between them. */
static uint32_t ends_orbit(const struct shape_plan *plan, uint32_t first, uint32_t last)
{
    const struct shape *shape = &plan->board->shape;
    uint32_t images = 0, same = 0;
    if (plan->placed && (plan->first < first || plan->last > last))
        return 0;
    for (unsigned symmetry = 0; symmetry < NQ_SYMMETRIES; symmetry += 2) {
        if (!(plan->ends >> symmetry & 1))
            continue;
        uint32_t image[2] = {first, last};
        for (int i = 0; i < 2; i++) {
            uint32_t row = image[i] / shape->columns, column = image[i] % shape->columns;
            shape_transform(symmetry, shape->rows, shape->columns, &row, &column);
            image[i] = shape_square(shape, row, column);
        }
        const uint32_t low = image[0] < image[1] ? image[0] : image[1], high = image[0] + image[1] - low;
        if (low < first || (low == first && high < last))
            return 0;
        images++;
        same += low == first && high == last;
    }
    return images / same;
}

/* Goes on from a unit's node to that of its child with one square more. False: nothing is to be searched there. */
static bool extend(const struct shape_plan *plan, const struct unit *unit, uint32_t square, struct node *node)
{
    const struct shape_board *board = plan->board;
    const uint32_t segment = shape_segment_of(board, square);
    const bool last = unit->length == 1;
    node->times = last ? ends_orbit(plan, unit->square[0], square) : node->times;
    if (!node->times)
        return false;
    put(board, node, square);
    if (last)
        put_placed(board, node);
    *(last ? &node->end : &node->segment) = segment + !last;
    return node->queens <= board->shape.most && !too_few(board, node->segment, node->end, node->queens);
}

/* A unit's node. */
static struct node begin(const struct shape_plan *plan, const struct unit *unit)
{
    const struct shape_board *board = &plan->board[unit->symmetry];
    struct node node = {.end = board->segments, .times = 1};
    struct unit prefix = {0};
    memcpy(node.open, board->open, sizeof node.open);
    if (unit->symmetry)
        put_placed(board, &node);
    for (; prefix.length < unit->length; prefix.length++) {
        const uint16_t square = unit->square[prefix.length];
        (void)extend(plan, &prefix, square, &node);
        prefix.square[prefix.length] = square;
    }
    return node;
}

/* The placement of one queen. */
static void add_alone(struct walker *walker, const struct shape_plan *plan, const struct node *node, uint32_t first)
{
    walker->times = ends_orbit(plan, first, first);
    add(walker, 1, shape_complete(walker->board, node->open));
}

/* A unit of one end. */
static void count_first(struct walker *walker, const struct shape_plan *plan, const struct unit *unit)
{
    const struct node first = begin(plan, unit);
    add_alone(walker, plan, &first, unit->square[0]);
    for (uint32_t segment = first.segment; segment < first.end && !walker->stopped; segment++)
        for (uint64_t rest = candidates(walker->board, segment, first.open); rest; rest &= rest - 1) {
            struct node node = first;
            if (extend(plan, unit, square_of(walker->board, segment, rest), &node))
                walk_from(walker, &node);
        }
}

enum nq_status shape_plan_count(const struct shape_plan *plan, size_t index, const atomic_bool *stop, nq_wide *profile,
                                uint64_t *nodes)
{
    const struct unit *unit = &plan->units[index];
    const uint32_t top = plan->board->top;
    struct walker walker = walker_of(plan, unit->symmetry, stop, profile);
    const struct node node = begin(plan, unit);
    for (uint32_t queens = 0; !index && queens <= top; queens++)
        profile[queens] += plan->base[queens];
    if (unit->length == 1)
        count_first(&walker, plan, unit);
    else if (index && node.queens <= walker.board->shape.most)
        walk_from(&walker, &node);
    for (uint32_t queens = 0; queens < walker.board->shape.least && queens <= top; queens++)
        profile[queens] = 0; /* what was cut is not all */
    *nodes += walker.nodes;
    return walker.stopped ? NQ_CANCELLED : NQ_OK;
}

/* ---- The plan ---- */

/* One descent: the estimate of nodes that it gives, and of placements that count. A segment gets a queen with the
 * chance that it would have if those that are still to come were spread evenly, at most as if each square, and none,
 * were alike: on sparse boards the latter alone would hardly ever see a row without a queen, below which most nodes
 * are. */
static double descend(const struct walker *walker, struct node *node, struct random *random, double *placements)
{
    const struct shape_board *board = walker->board;
    double nodes = 1, factor = 1;
    *placements = node->queens >= board->shape.least && shape_complete(board, node->open);
    for (; node->segment + segments_settled(walker) < node->end && node->queens + walker->settled < board->shape.most;
         node->segment++) {
        uint64_t squares = candidates(board, node->segment, node->open);
        const double count = count_bits(squares), room = node->end - node->segment;
        const double even = (board->shape.most - node->queens) / (room + 1), alike = count / (count + 1);
        const bool must = too_few(board, node->segment + 1, node->end, node->queens);
        const double chance = must ? 1 : even < alike ? even : alike;
        nodes += factor * count;
        if (must && !squares)
            break;
        if (!must && random_below(random, DRAWS) >= chance * DRAWS) {
            factor /= 1 - chance;
            continue;
        }
        factor *= count / chance;
        for (uint32_t skip = random_below(random, (uint32_t)count); skip; skip--)
            squares &= squares - 1;
        put(board, node, square_of(board, node->segment, squares));
        if (node->queens >= board->shape.least && shape_complete(board, node->open))
            *placements += factor;
    }
    return nodes;
}

/* About how many nodes are below a unit: the mean of some descents, of more if it may have to be split. Below a first
 * end there are as many without a last one: that queen is then the last of a node. */
static double weigh(const struct shape_plan *plan, const struct unit *unit, double most)
{
    const struct walker walker = walker_of(plan, unit->symmetry, NULL, NULL);
    const struct node start = begin(plan, unit);
    const double share = unit->length == 1 && plan->ends & REVERSING ? 0.5 : 1;
    double nodes = 0, placements;
    uint64_t seed = unit->length, walks = 0;
    for (uint8_t i = 0; i < unit->length; i++)
        seed = seed * SHAPE_MAX_SQUARES + unit->square[i];
    while (walks < FIRST_WALKS || (walks < WALKS && nodes * share > most / SHARE * FIRST_WALKS)) {
        struct random random = random_begin(seed, walks++);
        struct node node = start;
        nodes += descend(&walker, &node, &random, &placements);
    }
    return 1 + nodes * share / (double)walks;
}

double shape_plan_sample(const struct shape_plan *plan, uint64_t seed, uint64_t walk)
{
    struct walker walker = walker_of(plan, 0, NULL, NULL);
    struct node node = begin(plan, &(struct unit){0});
    struct random random = random_begin(seed, walk);
    double placements;
    walker.whole = true; /* one path from the root to a leaf */
    walker.settled = 0;
    put_placed(walker.board, &node);
    if (plan->board->impossible || node.queens > walker.board->shape.most)
        return 0;
    (void)descend(&walker, &node, &random, &placements);
    return placements;
}

static enum nq_status add_unit(struct shape_plan *plan, const struct unit *unit)
{
    struct unit *units = grow_array(plan->units, plan->count, &plan->room, sizeof *units);
    if (!units)
        return NQ_NOMEM;
    plan->units = units;
    units[plan->count++] = *unit;
    return NQ_OK;
}

/* Adds a unit, or its children if it has more weight; what these leave is counted now. */
static enum nq_status split(struct shape_plan *plan, const struct unit *unit, double most, const atomic_bool *stop)
{
    struct unit child = *unit;
    struct walker walker = walker_of(plan, 0, NULL, plan->base);
    struct node node = begin(plan, unit);
    const bool ends = unit->length > 1, over = ends && node.queens + walker.settled >= walker.board->shape.most;
    const uint32_t tail = ends ? segments_settled(&walker) : 0;
    enum nq_status status = NQ_OK;
    if (stop_wanted(stop))
        return NQ_CANCELLED;
    child.weight = weigh(plan, unit, most);
    if (child.weight <= most || unit->length == PREFIX || over)
        return add_unit(plan, &child);
    walker.end = node.end;
    walker.times = node.times;
    if (ends)
        add(&walker, node.queens, shape_complete(walker.board, node.open));
    else
        add_alone(&walker, plan, &node, unit->square[0]);
    child.length++;
    uint32_t segment = node.segment;
    for (; segment + tail < node.end; segment++)
        for (uint64_t rest = candidates(walker.board, segment, node.open); rest && status == NQ_OK; rest &= rest - 1) {
            struct node next = node;
            child.square[unit->length] = (uint16_t)square_of(walker.board, segment, rest);
            if (extend(plan, unit, child.square[unit->length], &next))
                status = split(plan, &child, most, stop);
        }
    if (tail)
        add_last_segments(&walker, segment, node.queens, node.open);
    return status;
}

/* The first ends: a reflection of the columns leaves those of the left half. */
static enum nq_status list_units(struct shape_plan *plan, const atomic_bool *stop)
{
    const struct shape *shape = &plan->board->shape;
    const uint32_t squares = plan->board->top ? shape->rows * shape->columns : 0;
    const uint32_t columns = plan->ends >> 4 & 1 ? (shape->columns + 1) / 2 : shape->columns;
    const double least = plan->split_weight > 0 ? plan->split_weight : UNIT_NODES;
    double all = 0;
    enum nq_status status = add_unit(plan, &(struct unit){.weight = 1});
    if (plan->board->impossible || shape->least > plan->board->top)
        return status;
    for (int pass = 0; pass < 2; pass++) /* the first adds up the weight */
        for (uint32_t square = 0; square < squares && status == NQ_OK; square++) {
            struct unit unit = {.square = {(uint16_t)square}, .length = 1};
            const uint32_t row = square / shape->columns, column = square % shape->columns;
            if (column >= columns || !(plan->board->open[row] & shape->allow[row] & UINT64_C(1) << column))
                continue;
            if (stop_wanted(stop))
                return NQ_CANCELLED;
            if (pass && all > plan->most)
                status = split(plan, &unit, INFINITY, stop);
            else if (pass)
                status = split(plan, &unit, all / MOST_UNITS > least ? all / MOST_UNITS : least, stop);
            else
                all += weigh(plan, &unit, INFINITY);
        }
    for (unsigned symmetry = 1; symmetry < NQ_SYMMETRIES && status == NQ_OK; symmetry++) {
        struct unit unit = {.symmetry = (uint8_t)symmetry};
        if (!(plan->group >> symmetry & 1))
            continue;
        unit.weight = weigh(plan, &unit, least);
        status = add_unit(plan, &unit);
    }
    return status;
}

/* A board is searched by its shorter side: fewer segments make a smaller tree. */
static enum nq_status open_board(struct shape_plan *plan, const struct shape *shape)
{
    struct shape turned = *shape;
    if (shape->rows > shape->columns && shape_turns(shape->rule))
        shape_transpose(shape, &turned);
    return shape_board_open(&turned, 0, plan->board);
}

static void describe(struct shape_plan *plan)
{
    const struct shape_board *board = plan->board;
    const unsigned moves = board->shape.rule->moves;
    bool several = false; /* queens in a row */
    for (uint32_t segment = 1; segment < board->segments; segment++)
        several |= board->segment[segment].row == board->segment[segment - 1].row;
    plan->ends = shape_symmetries(&board->shape) & (several ? ENDS_OF_SEVERAL : ENDS);
    plan->settled = moves & ~(unsigned)(MOVE_LEFT | MOVE_RIGHT) ? 1 : 2; /* attacking_pairs() knows lines */
    for (uint32_t row = 0; row < board->shape.rows; row++)
        for (uint64_t rest = board->shape.placed[row]; rest; rest &= rest - 1) {
            plan->last = shape_square(&board->shape, row, (uint32_t)__builtin_ctzll(rest));
            plan->first = plan->placed++ ? plan->first : plan->last;
        }
    if (!plan->placed && !board->shape.least && shape_complete(board, board->open))
        plan->base[0] = 1;
}

static enum nq_status fill(struct shape_plan *plan, const struct shape *shape, const atomic_bool *stop)
{
    enum nq_status status = open_board(plan, shape);
    for (unsigned symmetry = 1; symmetry < NQ_SYMMETRIES && status == NQ_OK; symmetry++)
        if (plan->group >> symmetry & 1)
            status = shape_board_open(shape, symmetry, &plan->board[symmetry]);
    if (status != NQ_OK)
        return status;
    plan->base = calloc(plan->board->top + 1, sizeof *plan->base);
    if (!plan->base)
        return NQ_NOMEM;
    describe(plan);
    return list_units(plan, stop);
}

enum nq_status shape_plan_open(const struct shape *shape, unsigned group, double split_weight, double most,
                               const atomic_bool *stop, struct shape_plan **out)
{
    struct shape_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return NQ_NOMEM;
    assert(group & 1);
    plan->group = group;
    plan->split_weight = split_weight;
    plan->most = most;
    const enum nq_status status = fill(plan, shape, stop);
    if (status == NQ_OK)
        *out = plan;
    else
        shape_plan_close(plan);
    return status;
}

void shape_plan_close(struct shape_plan *plan)
{
    for (unsigned symmetry = 0; plan && symmetry < NQ_SYMMETRIES; symmetry++)
        shape_board_close(&plan->board[symmetry]);
    if (plan) {
        free(plan->units);
        free(plan->base);
    }
    free(plan);
}

uint32_t shape_plan_top(const struct shape_plan *plan)
{
    return plan->board->top;
}

size_t shape_plan_units(const struct shape_plan *plan)
{
    return plan->count;
}

unsigned shape_plan_divisor(const struct shape_plan *plan)
{
    return count_bits(plan->group);
}

double shape_plan_weight(const struct shape_plan *plan, size_t unit)
{
    return plan->units[unit].weight;
}
