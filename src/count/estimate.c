/* estimate.c - random descents. A walk goes down the tree of placements and chooses one child of every node at random.
 * Its value is 1/p for every solution it finds, p being the probability of its choices; 0 at a dead end. For any
 * probabilities the mean of the values is the number of solutions, as long as no child with a solution below is left
 * out. The probabilities decide how far the values differ, and so how many walks are needed. Three things keep them
 * close:
 *
 *  - the next row is always the one with the fewest free squares, of several the one nearest to the middle;
 *  - a child that leaves another row without a square is left out, and the others are preferred the fewer free squares
 *    they attack: each square makes a child less likely by the factor F / (F + R), where R other rows have F free
 *    squares;
 *  - the last LEAVE rows are not walked but searched: all their solutions count.
 *
 * Standard error after one CPU second, in % of the count (one core of an EPYC, gcc 12 -O3, plain x86-64):
 *
 *                                                      n=16   n=20   n=27   n=40
 *     rows in order, children alike (Knuth)            0.53   0.87   1.75   5.25
 *     rows from the middle outwards, children alike    0.67   1.11   2.31   5.85
 *     fewest squares first, children alike             0.33   0.49   0.89   1.89
 *         ... and the last 8 rows searched             0.16   0.24   0.43   1.00
 *         ... the last 9                               0.19   0.23   0.39   0.93
 *     fewest squares first, children weighed           0.36   0.47   0.66   1.04
 *         ... and the last 8 rows searched             0.15   0.23   0.36   0.64
 *         ... the last 9: chosen                       0.15   0.20   0.31   0.56
 *         ... the last 10                              0.18   0.21   0.30   0.52
 *
 * or, of what was chosen, thousands of walks a second  269    280    201    105
 *     and the standard error of a million              0.077  0.105  0.140  0.182
 *
 * Weighing by the share of every other row's squares that is attacked takes 1 to 7 % off a walk's spread and more than
 * that onto its time.
 *
 * By other rules it is descent_by_rule() that descends. */
#include "count/estimate.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "board/query.h"
#include "rules/rule.h"

/* ---- What descents know of a board: the rows that have no queen yet, and their free squares ---- */

/* The largest board. */
enum { DESCENT_MAX_N = 40 };

/* The rows without a queen, from the middle of the board outwards. */
struct board {
    uint32_t rows;
    uint8_t row[DESCENT_MAX_N];
    uint8_t count[DESCENT_MAX_N]; /* of its free squares */
    uint64_t free[DESCENT_MAX_N];
};

/* The rows of a settled filter that have more than one square: no queen of the others attacks these. */
static inline void board_begin(struct board *board, const struct filter *filter)
{
    board->rows = 0;
    for (uint32_t i = 0; i < filter->n; i++) {
        const uint32_t middle = (filter->n - 1) / 2, row = i % 2 ? middle + (i + 1) / 2 : middle - i / 2;
        const uint64_t free = filter->allow[row];
        if (free && !(free & (free - 1)))
            continue;
        board->row[board->rows] = (uint8_t)row;
        board->count[board->rows] = (uint8_t)__builtin_popcountll(free);
        board->free[board->rows++] = free;
    }
}

/* The row to be filled next, by its number in the list, which is not empty. */
static inline uint32_t fewest(const struct board *board)
{
    uint32_t least = (uint32_t)board->count[0] << 8;
    for (uint32_t i = 1; i < board->rows; i++) {
        const uint32_t key = (uint32_t)board->count[i] << 8 | i;
        least = key < least ? key : least;
    }
    return least & 0xff;
}

/* ---- By any rule ---- */

/* Random descents by any rule: the row with the fewest free squares is next, one of its squares is chosen, all alike,
 * of those that leave every other row a square, and the last rows are searched. */

/* Standard error after one CPU second, in % of the count (one core of a Zen 4 with other work, gcc 12 -O3, plain
 * x86-64), by so many placements that the rows left would have if no queen attacked another:
 *
 *                                1e5    1e6    1e7    1e8
 *     superqueens, n = 30        1.25   1.00   0.91   0.91
 *     touching, n = 40           0.09   0.16   0.16   0.37
 *     toroidal, n = 25           5.3    4.5    3.8    2.9
 *     reflecting, n = 23         1.28   1.01   0.79   0.69
 *     toroidal-semiqueens, n=25  0.25   0.21   0.20   0.24
 */
#define MOST_SEARCHED 1e7

/* What does not change on the way down. */
struct lines {
    uint32_t n;
    const uint64_t *attacks;
};

/* Of the lowest of some squares in row number `at` of the list. */
static const uint64_t *attacked_by(const struct lines *lines, const struct board *board, uint32_t at, uint64_t squares)
{
    return attacks_of(lines->attacks, lines->n, board->row[at], (uint32_t)__builtin_ctzll(squares));
}

/* Whether every other row keeps a square. */
static bool is_open(const struct lines *lines, const struct board *board, uint32_t at, uint64_t squares)
{
    const uint64_t *attacked = attacked_by(lines, board, at, squares);
    for (uint32_t i = 0; i < board->rows; i++)
        if (i != at && !(board->free[i] & ~attacked[board->row[i]]))
            return false;
    return true;
}

/* Places a queen on the lowest of some squares in row number `at`; next may be board itself. */
static void place_by_rule(const struct lines *lines, const struct board *board, uint32_t at, uint64_t squares,
                          struct board *next)
{
    const uint64_t *attacked = attacked_by(lines, board, at, squares);
    next->rows = board->rows - 1;
    for (uint32_t i = 0; i < next->rows; i++) {
        const uint32_t from = i + (i >= at);
        const uint64_t free = board->free[from] & ~attacked[board->row[from]];
        next->row[i] = board->row[from];
        next->count[i] = (uint8_t)__builtin_popcountll(free);
        next->free[i] = free;
    }
}

/* All ways to fill the rows. */
static uint64_t complete_by_rule(const struct lines *lines, const struct board *board)
{
    if (!board->rows)
        return 1;
    const uint32_t at = fewest(board);
    if (board->rows == 1)
        return board->count[at];
    uint64_t ways = 0;
    for (uint64_t rest = board->free[at]; rest; rest &= rest - 1) {
        struct board next;
        place_by_rule(lines, board, at, rest, &next);
        ways += complete_by_rule(lines, &next);
    }
    return ways;
}

/* Whether a walk by a rule leaves nothing to chance on a board: the rows left are searched. It is not a number of rows:
 * by rules with many solutions that would be too much. */
static bool descent_searches(const struct board *board)
{
    double placements = 1;
    for (uint32_t i = 0; i < board->rows; i++)
        placements *= board->count[i];
    return placements <= MOST_SEARCHED;
}

/* The value of one walk by a rule, whose attacks on n x n squares are as rule_attacks() lists them. */
static double descent_by_rule(const struct board *board, uint32_t n, const uint64_t *attacks, struct random *random)
{
    const struct lines lines = {n, attacks};
    struct board now = *board;
    double value = 1;
    while (!descent_searches(&now)) {
        const uint32_t at = fewest(&now);
        uint64_t children[DESCENT_MAX_N];
        uint32_t count = 0;
        for (uint64_t rest = now.free[at]; rest; rest &= rest - 1) {
            children[count] = rest;
            count += is_open(&lines, &now, at, rest);
        }
        if (!count)
            return 0;
        place_by_rule(&lines, &now, at, children[random_below(random, count)], &now);
        value *= count;
    }
    return value * (double)complete_by_rule(&lines, &now);
}

/* ---- By lines ---- */

/* The same bits everywhere: no wider registers; and the Makefile forbids contraction to an FMA. */
_Static_assert(FLT_EVAL_METHOD == 0, "a double is computed as a double");

_Static_assert((int)ESTIMATE_MAX_N <= (int)DESCENT_MAX_N, "a board has room for all rows");

enum { LEAVE = 9 };

/* The squares of one row on a line with a queen, or any of several, in another; columns beyond the board do not matter.
 */
static inline uint64_t attacks(uint64_t queens, uint32_t away)
{
    return queens | queens << away | queens >> away;
}

static inline uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/* Places a queen in row number `at` of the list; next may be board itself. */
static inline void place(const struct board *board, uint32_t at, uint64_t queen, struct board *next)
{
    const uint32_t row = board->row[at];
    next->rows = board->rows - 1;
    for (uint32_t i = 0; i < next->rows; i++) {
        const uint32_t from = i + (i >= at);
        const uint64_t hit = board->free[from] & attacks(queen, distance(board->row[from], row));
        const uint64_t second = hit & (hit - 1), third = second & (second - 1);
        next->row[i] = board->row[from];
        next->count[i] = (uint8_t)(board->count[from] - (hit != 0) - (second != 0) - (third != 0));
        next->free[i] = board->free[from] ^ hit;
    }
}

/* All ways to fill the rows. */
static uint64_t complete(const struct board *board)
{
    if (!board->rows)
        return 1;
    const uint32_t at = fewest(board);
    if (board->rows == 1)
        return board->count[at];
    uint64_t ways = 0;
    for (uint64_t rest = board->free[at]; rest; rest &= rest - 1) {
        struct board next;
        place(board, at, rest & -rest, &next);
        ways += complete(&next);
    }
    return ways;
}

/* A number for every column, bit p of it in planes[p]: at most three for every other row. */
enum { PLANES = 7 };
_Static_assert(3 * (ESTIMATE_MAX_N - 1) < 1 << PLANES, "a queen attacks at most three squares of a row");

static inline uint64_t majority(uint64_t a, uint64_t b, uint64_t c)
{
    return (a & b) | ((a ^ b) & c);
}

/* Adds one to the columns of each of three sets. */
static inline void planes_add(uint64_t planes[static PLANES], uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t ones = a ^ b ^ c, twos = majority(a, b, c), more = planes[0] & ones;
    uint64_t carry = majority(planes[1], twos, more);
    planes[0] ^= ones;
    planes[1] ^= twos ^ more;
    for (unsigned plane = 2; plane < PLANES; plane++) {
        const uint64_t next = planes[plane] & carry;
        planes[plane] ^= carry;
        carry = next;
    }
}

static inline uint32_t planes_read(const uint64_t planes[static PLANES], uint32_t column)
{
    uint32_t number = 0;
    for (unsigned plane = 0; plane < PLANES; plane++)
        number |= (uint32_t)(planes[plane] >> column & 1) << plane;
    return number;
}

/* The children of a node, by column, and how likely each is. */
struct choice {
    uint64_t squares;
    uint32_t weights[ESTIMATE_MAX_N]; /* of the first, second, ... square; none is 0 */
    uint32_t total;                   /* of the weights */
};
enum { HEAVIEST = 1 << 20 };

/* Finds the children of row number `at` of the list. Every row has a square, and there is another row. */
static void weigh(const struct board *board, uint32_t at, struct choice *choice)
{
    uint64_t planes[PLANES] = {0}, squares = board->free[at];
    uint32_t free_squares = 0;
    assert(board->rows > 1);
    for (uint32_t i = 0; i < board->rows; i++) {
        if (i == at)
            continue;
        const uint64_t free = board->free[i];
        const uint32_t away = distance(board->row[i], board->row[at]);
        planes_add(planes, free, free << away, free >> away);
        free_squares += board->count[i];
        if (board->count[i] > 3)
            continue;
        uint64_t fatal = squares; /* attack all that this row has */
        for (uint64_t rest = free; rest; rest &= rest - 1)
            fatal &= attacks(rest & -rest, away);
        squares &= ~fatal;
    }
    *choice = (struct choice){.squares = squares};

    uint32_t attacked[ESTIMATE_MAX_N], children = 0, least = UINT32_MAX;
    for (uint64_t rest = squares; rest; rest &= rest - 1) {
        const uint32_t number = planes_read(planes, (uint32_t)__builtin_ctzll(rest));
        attacked[children++] = number;
        least = number < least ? number : least;
    }
    const uint64_t factor = ((uint64_t)free_squares << 32) / (free_squares + board->rows - 1);
    uint32_t powers[1 << PLANES], known = 0;
    powers[0] = HEAVIEST;
    for (uint32_t child = 0; child < children; child++) {
        const uint32_t more = attacked[child] - least;
        for (; known < more; known++)
            powers[known + 1] = (uint32_t)(powers[known] * factor >> 32) | 1;
        choice->weights[child] = powers[more];
        choice->total += powers[more];
    }
}

/* The square for a draw below the total, and its weight. */
static inline uint64_t pick(const struct choice *choice, uint32_t draw, uint32_t *weight)
{
    uint64_t squares = choice->squares;
    const uint32_t *at = choice->weights;
    for (; draw >= *at; squares &= squares - 1)
        draw -= *at++;
    *weight = *at;
    return squares & -squares;
}

/* The value of one walk; the last `leave` rows (at least one) are searched. */
static double descend(const struct board *start, uint32_t leave, struct random *random)
{
    struct board board = *start;
    double value = 1;
    while (board.rows > leave) {
        const uint32_t at = fewest(&board);
        if (!board.count[at])
            return 0;
        struct choice choice;
        weigh(&board, at, &choice);
        if (!choice.squares)
            return 0;
        uint32_t weight;
        const uint64_t queen = pick(&choice, random_below(random, choice.total), &weight);
        value = value * choice.total / weight;
        place(&board, at, queen, &board);
    }
    return value * (double)complete(&board);
}

/* Welford 1962. */
void estimate_walk(struct estimate *estimate, double value)
{
    const double away = value - estimate->mean;
    estimate->walks++;
    estimate->completed += value > 0;
    estimate->mean += away / (double)estimate->walks;
    estimate->squares += away * (value - estimate->mean);
}

uint64_t estimate_blocks(uint64_t walks)
{
    return walks / ESTIMATE_BLOCK + (walks % ESTIMATE_BLOCK != 0);
}

/* Where walks begin. */
struct start {
    struct filter filter; /* settled */
    struct board board;
    uint64_t *attacks; /* NULL: by lines */
};

/* False: out of memory. */
static bool start_begin(struct start *start, const struct filter *filter)
{
    start->filter = *filter;
    const bool lines = rule_by_lines(filter->rule);
    start->attacks = lines ? NULL : rule_attacks(filter->rule, filter->n);
    filter_settle(&start->filter);
    board_begin(&start->board, &start->filter);
    return start->attacks || lines;
}

static double walk_once(const struct start *start, struct random *random)
{
    return start->attacks ? descent_by_rule(&start->board, start->filter.n, start->attacks, random)
                          : descend(&start->board, LEAVE, random);
}

/* So many walks, from number `first` on. */
static enum nq_status walk_all(const struct start *start, uint64_t seed, uint64_t first, uint64_t count,
                               const atomic_bool *stop, struct estimate *estimate)
{
    const bool none = filter_contradictory(&start->filter) || filter_impossible(&start->filter);
    struct random random = random_begin(seed, first);
    estimate->exact = none || (start->attacks ? descent_searches(&start->board) : start->board.rows <= LEAVE);
    if (estimate->exact) { /* the value of every walk */
        estimate->mean = none ? 0 : walk_once(start, &random);
        estimate->walks = count;
        estimate->completed = estimate->mean > 0 ? count : 0;
        return NQ_OK;
    }
    for (uint64_t walk = 0; walk < count; walk++) {
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        random = random_begin(seed, first + walk);
        estimate_walk(estimate, walk_once(start, &random));
    }
    return NQ_OK;
}

enum nq_status estimate_block(const struct filter *filter, uint64_t seed, uint64_t walks, uint64_t block,
                              const atomic_bool *stop, struct estimate *estimate)
{
    *estimate = (struct estimate){0};
    if (filter->n > ESTIMATE_MAX_N)
        return NQ_LIMIT;
    const uint64_t first = block * ESTIMATE_BLOCK;
    const uint64_t count = walks - first < ESTIMATE_BLOCK ? walks - first : ESTIMATE_BLOCK;
    struct start start;
    const enum nq_status status =
        start_begin(&start, filter) ? walk_all(&start, seed, first, count, stop, estimate) : NQ_NOMEM;
    free(start.attacks);
    return status;
}

/* Chan, Golub and LeVeque 1979. */
void estimate_add(struct estimate *estimate, const struct estimate *block)
{
    if (!estimate->walks || !block->walks) {
        *estimate = block->walks ? *block : *estimate;
        return;
    }
    const double away = block->mean - estimate->mean, before = (double)estimate->walks;
    estimate->walks += block->walks;
    estimate->completed += block->completed;
    const double share = (double)block->walks / (double)estimate->walks;
    estimate->mean += away * share;
    estimate->squares += block->squares + away * away * before * share;
}

bool estimate_sound(const struct estimate *estimate)
{
    return estimate->exact || estimate->completed >= ESTIMATE_MIN_COMPLETED;
}

double estimate_error(const struct estimate *estimate)
{
    if (estimate->walks < 2)
        return 0;
    const double walks = (double)estimate->walks;
    return sqrt(estimate->squares / (walks - 1) / walks);
}

/* The power of ten of a positive number's first digit, once it is rounded to two. */
static int magnitude(double x)
{
    char text[ESTIMATE_TEXT];
    (void)snprintf(text, sizeof text, "%.1e", x);
    return (int)strtol(strchr(text, 'e') + 1, NULL, 10);
}

void estimate_text(const struct estimate *estimate, char text[static ESTIMATE_TEXT])
{
    const double error = estimate_error(estimate);
    if (!(error > 0)) {
        (void)snprintf(text, ESTIMATE_TEXT, "%.0f", estimate->mean);
        return;
    }
    int digits = magnitude(estimate->mean) - magnitude(error) + 1;
    digits = digits < 1 ? 1 : digits > 14 ? 14 : digits;
    (void)snprintf(text, ESTIMATE_TEXT, "%.*e", digits, estimate->mean);
    char *const power = strchr(text, 'e') + 1; /* "e+05" becomes "e5" */
    (void)sprintf(power, "%ld", strtol(power, NULL, 10));
}
