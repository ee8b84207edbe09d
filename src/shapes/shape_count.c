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
#include "shapes/shape_count.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/random.h"
#include "shapes/shape_board.h"

/* A unit is split while it is estimated above so many nodes, some tenths of a second, and above this share of all.
 * Deeper prefixes are not split. */
#define UNIT_NODES 16e6
enum { MOST_UNITS = 20000, PREFIX = 6 };
/* Random descents: for the weight of a unit, first, and again if that is above a share of the largest. */
enum { FIRST_WALKS = 4, WALKS = 24, SHARE = 8, DRAWS = 1 << 20 };
/* Nodes between two looks at the stop flag: one takes at most some microseconds. */
enum { POLL_NODES = 1 << 12 };

/* What is below a prefix. No square: the empty placement, and what was counted while others were split. One: the first
 * end, with all last ones. More: both ends, and the first queens between them. Of a symmetry: all that it leaves
 * unchanged. */
struct unit {
    uint16_t square[PREFIX];
    uint8_t length, symmetry;
    double weight;
};

struct shape_plan {
    struct shape_board board[NQ_SYMMETRIES]; /* by symmetry of the group; that of the identity may be transposed */
    unsigned group;
    double split_weight;
    unsigned ends;        /* the symmetries that carry ends into ends */
    bool lines;           /* two squares that attack each other do so by one line or leap only */
    uint32_t placed;      /* how many queens */
    uint32_t first, last; /* of their squares */
    size_t count, room;
    struct unit *units;
    nq_wide *base; /* the profile of the unit without squares */
};

/* A search between two ends, or of a whole board. */
struct walker {
    const struct shape_plan *plan;
    const struct shape_board *board;
    const atomic_bool *stop;
    nq_wide *profile;
    uint64_t nodes;
    uint64_t times; /* that each placement counts */
    uint32_t end;   /* no queen comes into this segment, or a later one */
    bool whole;     /* maximal placements, or orbits: all rows matter at every node, and every node is walked */
    bool stopped;
};

/* A placement, as a search goes on from it. */
struct node {
    uint32_t segment; /* the next queen stands there, or later */
    uint32_t queens;
    uint64_t open[SHAPE_MAX_SIDE];
};

static struct walker walker_of(const struct shape_plan *plan, unsigned symmetry, const atomic_bool *stop,
                               nq_wide *profile)
{
    const struct shape_board *board = &plan->board[symmetry];
    return (struct walker){.plan = plan,
                           .board = board,
                           .stop = stop,
                           .profile = profile,
                           .times = 1,
                           .end = board->segments,
                           .whole = symmetry || board->shape.maximal};
}

static bool stop_now(struct walker *walker)
{
    if (++walker->nodes % POLL_NODES == 0 && stop_wanted(walker->stop))
        walker->stopped = true;
    return walker->stopped;
}

/* How many queens can still come, at most. */
static inline uint32_t room_left(const struct walker *walker, uint32_t segment)
{
    const struct shape_segment *all = walker->board->segment;
    return segment < walker->end ? all[walker->end].room - all[segment].room : 0;
}

static inline bool too_few(const struct walker *walker, uint32_t segment, uint32_t queens)
{
    return queens + room_left(walker, segment) < walker->board->shape.least;
}

static inline uint64_t candidates(const struct walker *walker, uint32_t segment, const uint64_t *open)
{
    const struct shape_segment *at = &walker->board->segment[segment];
    return open[at->row] & at->squares & walker->board->shape.allow[at->row];
}

/* The lowest square of a set in a row. */
static inline uint32_t square_of(const struct walker *walker, uint32_t segment, uint64_t set)
{
    return shape_square(&walker->board->shape, walker->board->segment[segment].row, (uint32_t)__builtin_ctzll(set));
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
struct above {
    uint64_t plane[PLANES];
};

/* Goes on to a row: lines end at its walls. Returns how many pairs its open squares make with those above them, and
 * adds them. */
static inline uint64_t above_pass(struct above *above, uint32_t planes, int shift, uint64_t walls, uint64_t open)
{
    uint64_t pairs = 0, carry = open;
    for (uint32_t p = 0; p < planes; p++) {
        const uint64_t moved = (shift < 0 ? above->plane[p] >> 1 : above->plane[p] << shift) & ~walls;
        pairs += (uint64_t)count_bits(moved & open) << p;
        above->plane[p] = moved ^ carry;
        carry &= moved;
    }
    return pairs;
}

/* Pairs of open squares that attack each other, of rows [first, last]. */
static uint64_t attacking_pairs(const struct shape *shape, const uint64_t *open, uint32_t first, uint32_t last)
{
    struct above column = {{0}}, left = {{0}}, right = {{0}};
    const unsigned moves = shape->rule->moves;
    uint64_t pairs = 0, once = 0, later = 0;
    for (uint32_t row = first; row <= last; row++) {
        const uint64_t walls = shape->walls[row], squares = open[row];
        const uint32_t bits = 32 - (uint32_t)__builtin_clz(row - first + 1), planes = bits < PLANES ? bits : PLANES;
        for (uint64_t rest = squares, part; rest; rest &= ~part) {
            const uint64_t free = ~walls & (rest | ~(rest - 1));
            part = walls ? free & ~(free + (rest & -rest)) : rest;
            pairs += pairs_of(count_bits(rest & part));
        }
        pairs += above_pass(&column, planes, 0, walls, squares);
        if (moves & MOVE_LEFT)
            pairs += above_pass(&left, planes, -1, walls, squares);
        if (moves & MOVE_RIGHT)
            pairs += above_pass(&right, planes, 1, walls, squares);
#define PAIRS_LEAP(move, next, after) \
    if (moves & (move)) { \
        pairs += (next) ? count_bits(once << (next)&squares) + count_bits(once >> (next)&squares) : 0; \
        pairs += (after) ? count_bits(later << (after)&squares) + count_bits(later >> (after)&squares) : 0; \
    }
        MOVE_LEAPS(PAIRS_LEAP)
#undef PAIRS_LEAP
        later = once;
        once = squares;
    }
    return pairs;
}

/* ---- The search ---- */

/* How many queens before the last one nothing is walked any more. */
static inline uint32_t queens_settled(const struct walker *walker)
{
    return walker->whole ? 0 : walker->plan->lines ? 2 : 1;
}

/* No queen, one queen, or two more where queens_settled() says so. */
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
    for (; segment < walker->end; segment++) {
        const uint64_t squares = candidates(walker, segment, open);
        const uint64_t after = segment + 1 < walker->end ? candidates(walker, segment + 1, open) : 0;
        const uint32_t row_after = walker->board->segment[segment + 1].row;
        uint64_t pairs = 0;
        for (uint64_t rest = after ? squares : 0; rest; rest &= rest - 1)
            pairs += count_bits(after & ~shape_attack(walker->board, square_of(walker, segment, rest))[row_after]);
        add(walker, queens + 1, count_bits(squares));
        add(walker, queens + 2, pairs);
    }
}

static void walk(struct walker *walker, uint32_t segment, uint32_t queens, const uint64_t *open)
{
    const struct shape_board *board = walker->board;
    add(walker, queens, 1);
    if (stop_now(walker))
        return;
    if (queens + queens_settled(walker) >= board->shape.most) {
        add_last_queens(walker, segment, queens, open);
        return;
    }
    for (; segment + 2 < walker->end; segment++) {
        if (too_few(walker, segment, queens))
            return;
        const uint32_t from = board->segment[segment + 1].row, last = board->segment[walker->end - 1].row;
        for (uint64_t rest = candidates(walker, segment, open); rest; rest &= rest - 1) {
            uint64_t next[SHAPE_MAX_SIDE];
            shape_place(shape_attack(board, square_of(walker, segment, rest)), from, last, open, next);
            walk(walker, segment + 1, queens + 1, next);
        }
    }
    add_last_segments(walker, segment, queens, open);
}

static inline uint32_t queens_on(const struct shape_board *board, uint32_t square)
{
    return board->orbit ? board->orbit[square] : 1;
}

static bool counts(const struct shape *shape, const uint64_t *open)
{
    uint64_t any = 0;
    for (uint32_t row = 0; row < shape->rows && shape->maximal; row++)
        any |= open[row];
    return !any;
}

static void walk_whole(struct walker *walker, uint32_t segment, uint32_t queens, const uint64_t *open)
{
    const struct shape_board *board = walker->board;
    add(walker, queens, counts(&board->shape, open));
    if (stop_now(walker))
        return;
    for (; segment < walker->end && !too_few(walker, segment, queens); segment++)
        for (uint64_t rest = candidates(walker, segment, open); rest; rest &= rest - 1) {
            uint64_t next[SHAPE_MAX_SIDE];
            const uint32_t square = square_of(walker, segment, rest), more = queens + queens_on(board, square);
            if (more > board->shape.most)
                continue;
            shape_place(shape_attack(board, square), 0, board->shape.rows - 1, open, next);
            walk_whole(walker, segment + 1, more, next);
        }
}

static void walk_from(struct walker *walker, const struct node *node)
{
    if (walker->whole)
        walk_whole(walker, node->segment, node->queens, node->open);
    else
        walk(walker, node->segment, node->queens, node->open);
}

/* ---- Where searches begin ---- */

/* Adds a queen to a node. */
static void put(const struct shape_board *board, struct node *node, uint32_t square)
{
    const uint64_t *attack = shape_attack(board, square);
    for (uint32_t row = 0; row < board->shape.rows; row++)
        node->open[row] &= ~attack[row];
    node->queens += queens_on(board, square);
}

/* Adds the placed queens, but for those that are ends. */
static void put_placed(const struct shape_board *board, struct node *node, uint32_t first, uint32_t last)
{
    for (uint32_t row = 0; row < board->shape.rows; row++)
        for (uint64_t rest = board->shape.placed[row]; rest; rest &= rest - 1) {
            const uint32_t square = shape_square(&board->shape, row, (uint32_t)__builtin_ctzll(rest));
            if (square != first && square != last)
                put(board, node, square);
        }
}

/* How many pairs of ends the symmetries make of one; 0: another one of them is searched. */
static uint32_t ends_orbit(const struct shape_plan *plan, uint32_t first, uint32_t last)
{
    const struct shape *shape = &plan->board->shape;
    uint32_t images = 0, same = 0;
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

/* Puts two ends, which may be one. Of `open` the first is put already. False: nothing is to be searched between them.
 */
static bool begin(struct walker *walker, uint32_t first, uint32_t last, const uint64_t *open, struct node *node)
{
    const struct shape_plan *plan = walker->plan;
    const struct shape_board *board = walker->board;
    walker->times = ends_orbit(plan, first, last);
    if (!walker->times || (plan->placed && (plan->first < first || plan->last > last)))
        return false;
    node->segment = shape_segment_of(board, first) + 1;
    node->queens = 1;
    walker->end = first == last ? node->segment : shape_segment_of(board, last);
    memcpy(node->open, open, sizeof node->open);
    if (first != last)
        put(board, node, last);
    put_placed(board, node, first, last);
    return node->queens <= board->shape.most && !too_few(walker, node->segment, node->queens);
}

/* The squares of a set of rows after the first queen of a unit. False: it cannot stand there. */
static bool begin_first(const struct shape_board *board, uint32_t first, uint64_t open[static SHAPE_MAX_SIDE])
{
    const uint32_t row = first / board->shape.columns;
    struct node node = {0};
    memcpy(node.open, board->open, sizeof node.open);
    put(board, &node, first);
    memcpy(open, node.open, sizeof node.open);
    return board->open[row] & board->shape.allow[row] & UINT64_C(1) << first % board->shape.columns;
}

/* Goes to where a unit of two squares or more begins. */
static bool begin_prefix(struct walker *walker, const struct unit *unit, struct node *node)
{
    uint64_t open[SHAPE_MAX_SIDE];
    if (!begin_first(walker->board, unit->square[0], open) ||
        !begin(walker, unit->square[0], unit->square[1], open, node))
        return false;
    for (uint8_t i = 2; i < unit->length; i++) {
        put(walker->board, node, unit->square[i]);
        node->segment = shape_segment_of(walker->board, unit->square[i]) + 1;
    }
    return true;
}

static void begin_symmetric(const struct walker *walker, struct node *node)
{
    *node = (struct node){0};
    memcpy(node->open, walker->board->open, sizeof node->open);
    put_placed(walker->board, node, UINT32_MAX, UINT32_MAX);
}

/* All last ends of a first one. */
static void count_first(struct walker *walker, uint32_t first)
{
    struct node node;
    uint64_t open[SHAPE_MAX_SIDE];
    if (!begin_first(walker->board, first, open))
        return;
    if (begin(walker, first, first, open, &node))
        walk_from(walker, &node);
    for (uint32_t segment = shape_segment_of(walker->board, first) + 1; segment < walker->board->segments; segment++)
        for (uint64_t rest = candidates(walker, segment, open); rest && !walker->stopped; rest &= rest - 1)
            if (begin(walker, first, square_of(walker, segment, rest), open, &node))
                walk_from(walker, &node);
}

enum nq_status shape_plan_count(const struct shape_plan *plan, size_t index, const atomic_bool *stop, nq_wide *profile,
                                uint64_t *nodes)
{
    const struct unit *unit = &plan->units[index];
    struct walker walker = walker_of(plan, unit->symmetry, stop, profile);
    struct node node;
    for (uint32_t queens = 0; !unit->symmetry && !unit->length && queens <= plan->board->top; queens++)
        profile[queens] += plan->base[queens];
    if (unit->length == 1)
        count_first(&walker, unit->square[0]);
    else if (unit->length && begin_prefix(&walker, unit, &node))
        walk_from(&walker, &node);
    else if (unit->symmetry) {
        begin_symmetric(&walker, &node);
        if (node.queens <= walker.board->shape.most)
            walk_from(&walker, &node);
    }
    for (uint32_t queens = 0; queens < plan->board->shape.least && queens <= plan->board->top; queens++)
        profile[queens] = 0; /* what was cut is not all */
    *nodes += walker.nodes;
    return walker.stopped ? NQ_CANCELLED : NQ_OK;
}

/* ---- The plan ---- */

/* One descent: the estimate of nodes that it gives. A segment gets a queen with the chance that it would have if those
 * that are still to come were spread evenly, at most as if each square, and none, were alike: on sparse boards the
 * latter alone would hardly ever see a row without a queen, below which most nodes are. */
static double descend(const struct walker *walker, struct node *node, struct random *random)
{
    const struct shape_board *board = walker->board;
    const uint32_t queens_left = queens_settled(walker), segments_left = walker->whole ? 0 : 2;
    double nodes = 1, factor = 1;
    for (; node->segment + segments_left < walker->end && node->queens + queens_left < board->shape.most;
         node->segment++) {
        uint64_t squares = candidates(walker, node->segment, node->open);
        const double count = count_bits(squares), room = walker->end - node->segment;
        const double even = (board->shape.most - node->queens) / (room + 1), alike = count / (count + 1);
        const bool must = too_few(walker, node->segment + 1, node->queens);
        const double chance = must ? 1 : even < alike ? even : alike;
        nodes += factor * count;
        if (must && !squares)
            break;
        if (!must && random_below(random, DRAWS) >= chance * DRAWS) {
            factor /= 1 - chance;
            continue;
        }
        for (uint32_t chosen = random_below(random, (uint32_t)count); chosen; chosen--)
            squares &= squares - 1;
        factor *= count / chance;
        put(board, node, square_of(walker, node->segment, squares));
    }
    return nodes;
}

/* Draws a last end for a first one, rather a distant one: most nodes are there. Returns for how many it stands; 0: it
 * cannot stand there. */
static double draw_last(struct walker *walker, uint32_t first, struct node *node, struct random *random)
{
    uint64_t open[SHAPE_MAX_SIDE];
    const uint32_t from = shape_segment_of(walker->board, first) + 1, segments = walker->board->segments - from;
    if (!segments || !begin_first(walker->board, first, open))
        return 0;
    const uint32_t a = random_below(random, segments), b = random_below(random, segments), chosen = a > b ? a : b;
    uint64_t rest = candidates(walker, from + chosen, open);
    const uint32_t count = count_bits(rest);
    for (uint32_t square = count ? random_below(random, count) : 0; square; square--)
        rest &= rest - 1;
    if (!rest || !begin(walker, first, square_of(walker, from + chosen, rest), open, node))
        return 0;
    return (double)count * segments * segments / (2 * chosen + 1);
}

static double weigh_by(const struct shape_plan *plan, const struct unit *unit, unsigned walks)
{
    double nodes = 0;
    uint64_t seed = unit->length;
    for (uint8_t i = 0; i < unit->length; i++)
        seed = seed * SHAPE_MAX_SQUARES + unit->square[i];
    for (unsigned walk = 0; walk < walks; walk++) {
        struct walker walker = walker_of(plan, unit->symmetry, NULL, NULL);
        struct random random = random_begin(seed, walk);
        struct node node;
        double factor = 1;
        if (unit->symmetry)
            begin_symmetric(&walker, &node);
        else if (unit->length == 1)
            factor = draw_last(&walker, unit->square[0], &node, &random);
        else
            factor = begin_prefix(&walker, unit, &node);
        if (factor > 0)
            nodes += factor * descend(&walker, &node, &random);
    }
    return 1 + nodes / walks;
}

/* More walks if it may have to be split. */
static double weigh(const struct shape_plan *plan, const struct unit *unit, double most)
{
    const double first = weigh_by(plan, unit, FIRST_WALKS);
    return first < most / SHARE ? first : weigh_by(plan, unit, WALKS);
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

static enum nq_status split(struct shape_plan *plan, const struct unit *unit, double most, const atomic_bool *stop);

/* A unit with one square more. */
static enum nq_status split_child(struct shape_plan *plan, const struct unit *unit, uint32_t square, double most,
                                  const atomic_bool *stop)
{
    struct unit child = *unit;
    child.square[child.length++] = (uint16_t)square;
    return split(plan, &child, most, stop);
}

/* A unit of one end: the placement of one queen is counted, and the last ends are the children. */
static enum nq_status split_first(struct shape_plan *plan, const struct unit *unit, double most,
                                  const atomic_bool *stop)
{
    struct walker walker = walker_of(plan, 0, NULL, plan->base);
    uint64_t open[SHAPE_MAX_SIDE];
    struct node node;
    enum nq_status status = NQ_OK;
    if (!begin_first(walker.board, unit->square[0], open))
        return NQ_OK;
    if (begin(&walker, unit->square[0], unit->square[0], open, &node))
        walk_from(&walker, &node);
    for (uint32_t segment = shape_segment_of(walker.board, unit->square[0]) + 1; segment < walker.board->segments;
         segment++)
        for (uint64_t rest = candidates(&walker, segment, open); rest && status == NQ_OK; rest &= rest - 1) {
            const uint32_t last = square_of(&walker, segment, rest);
            if (begin(&walker, unit->square[0], last, open, &node))
                status = split_child(plan, unit, last, most, stop);
        }
    return status;
}

/* A unit of two ends or more: it is counted itself, with what has no children. */
static enum nq_status split_node(struct shape_plan *plan, const struct unit *unit, double most, const atomic_bool *stop)
{
    struct walker walker = walker_of(plan, 0, NULL, plan->base);
    const uint32_t tail = walker.whole ? 0 : 2;
    struct node node;
    enum nq_status status = NQ_OK;
    if (!begin_prefix(&walker, unit, &node))
        return NQ_OK;
    if (node.queens + queens_settled(&walker) >= walker.board->shape.most)
        return add_unit(plan, unit);
    add(&walker, node.queens, counts(&walker.board->shape, node.open));
    for (; node.segment + tail < walker.end; node.segment++)
        for (uint64_t rest = candidates(&walker, node.segment, node.open); rest && status == NQ_OK; rest &= rest - 1)
            status = split_child(plan, unit, square_of(&walker, node.segment, rest), most, stop);
    if (tail)
        add_last_segments(&walker, node.segment, node.queens, node.open);
    return status;
}

static enum nq_status split(struct shape_plan *plan, const struct unit *unit, double most, const atomic_bool *stop)
{
    struct unit weighed = *unit;
    if (stop_wanted(stop))
        return NQ_CANCELLED;
    weighed.weight = weigh(plan, unit, most);
    if (weighed.weight <= most || unit->length == PREFIX)
        return add_unit(plan, &weighed);
    return unit->length == 1 ? split_first(plan, &weighed, most, stop) : split_node(plan, &weighed, most, stop);
}

/* The first ends: a reflection of the columns leaves those of the left half. */
static enum nq_status list_units(struct shape_plan *plan, const atomic_bool *stop)
{
    const struct shape *shape = &plan->board->shape;
    const uint32_t squares = shape->rows * shape->columns;
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
            if (pass)
                status = split(plan, &unit, all / MOST_UNITS > least ? all / MOST_UNITS : least, stop);
            else
                all += weigh_by(plan, &unit, FIRST_WALKS);
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

/* The segments of all rows. */
static uint32_t segments_of(const struct shape *shape)
{
    uint32_t segments = 0;
    for (uint32_t row = 0; row < shape->rows; row++) {
        const uint64_t free = shape_row(shape) & ~shape->walls[row];
        segments += count_bits(free & ~(free << 1));
    }
    return segments;
}

/* Fewer segments make a smaller tree: a board is searched by its shorter side. */
static enum nq_status open_board(struct shape_plan *plan, const struct shape *shape)
{
    struct shape turned = *shape;
    if (shape_turns(shape->rule))
        shape_transpose(shape, &turned);
    return shape_board_open(segments_of(&turned) < segments_of(shape) ? &turned : shape, 0, plan->board);
}

static void describe(struct shape_plan *plan)
{
    const struct shape_board *board = plan->board;
    const unsigned moves = board->shape.rule->moves;
    bool several = false; /* queens in a row */
    for (uint32_t segment = 1; segment < board->segments; segment++)
        several |= board->segment[segment].row == board->segment[segment - 1].row;
    plan->ends = shape_symmetries(&board->shape) & (several ? 0x05 : 0x55);
    plan->lines =
        !(moves & (MOVE_WRAP | MOVE_REFLECT)) && !(moves & MOVE_NEIGHBOUR && moves & (MOVE_LEFT | MOVE_RIGHT));
    for (uint32_t row = 0; row < board->shape.rows; row++)
        for (uint64_t rest = board->shape.placed[row]; rest; rest &= rest - 1) {
            plan->last = shape_square(&board->shape, row, (uint32_t)__builtin_ctzll(rest));
            plan->first = plan->placed++ ? plan->first : plan->last;
        }
    if (!plan->placed && !board->shape.least && counts(&board->shape, board->open))
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

enum nq_status shape_plan_open(const struct shape *shape, unsigned group, double split_weight, const atomic_bool *stop,
                               struct shape_plan **out)
{
    struct shape_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return NQ_NOMEM;
    assert(group & 1);
    plan->group = group;
    plan->split_weight = split_weight;
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
