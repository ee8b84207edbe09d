/* rows_step.h - one step of the search by rows, on vectors or on single words, whose operations are defined before. It
 * knows no instruction set. The moves are constants wherever it is compiled for some; whatever else they are made of
 * works, too.
 *
 * To be defined before: vec, lane_set and their operations, as for levels.h, but for those on counts and ties;
 * vec v_up(vec, unsigned), vec v_down(vec, unsigned), shifts of all lanes by less than a lane's width. */
#include "kernels/rows/rows.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* The last rows are settled together: queens there do not count as placements tried, but with ROWS_EVERY. */
enum { ROWS_SETTLED = 2 };

/* More rows than are ever all looked at. */
enum { ROWS_FAR = 11 };

/* Partial placements: columns without queens, and squares of the next row that are attacked, by how they move on. */
struct lanes {
    vec columns, left, right, later;
    vec once; /* set and used within a step, not kept */
};

/* What the lanes of one row have in common: a queen's reflected columns, and the masks of the rows below it. */
struct level {
    uint32_t n, back;
    vec full, allow[ROWS_FAR];
};

/* With so many rows left, or fewer, all are looked at, and the columns are checked. CPU milliseconds on Zen 5 with
 * AVX-512, lanes of 32 bits: superqueens, n = 17, at 5 102, 6 90, 7 86, 8 84; toroidal, a queen in the corner, n = 19,
 * at 7 108, 8 74, 9 46, 10 35, 11 35; reflecting, n = 17, at 5 16.1, 6 15.9, 8 16.6; the others differ by less. With
 * ROWS_EVERY nothing is left out: rows are looked at where they are settled only. */
static ALWAYS_INLINE unsigned rows_cover(unsigned moves)
{
    return moves & ROWS_EVERY ? ROWS_SETTLED : moves & MOVE_WRAP ? 10 : moves & MOVES_TO_AFTER ? 8 : 6;
}

/* How many rows below a queen are looked at when it is placed, the next included; `left`: so many there are. */
static ALWAYS_INLINE unsigned rows_look(unsigned moves, unsigned left)
{
    return left <= rows_cover(moves) ? left : moves & ROWS_EVERY ? 1 : 3;
}

static ALWAYS_INLINE struct level level_of(const struct rows_board *board, uint32_t row, unsigned look)
{
    struct level level = {.n = board->n, .back = reflected_columns(row)};
    level.full = v_set(~UINT32_C(0) >> (32 - board->n));
    for (unsigned j = 0; j < look; j++)
        level.allow[j] = v_set(board->allow[row + 1 + j]);
    return level;
}

/* Columns moved by so many rows, fewer than n; bits from n on mean nothing. */
static ALWAYS_INLINE vec moved_left(vec a, unsigned rows, uint32_t n, unsigned moves)
{
    return rows && moves & MOVE_WRAP ? v_or(v_down(a, rows), v_up(a, n - rows)) : v_down(a, rows);
}

static ALWAYS_INLINE vec moved_right(vec a, unsigned rows, uint32_t n, unsigned moves)
{
    return rows && moves & MOVE_WRAP ? v_or(v_up(a, rows), v_down(a, n - rows)) : v_up(a, rows);
}

/* Squares at both sides, so far away; 0: none. */
static ALWAYS_INLINE vec beside(vec a, unsigned columns)
{
    return columns ? v_or(v_up(a, columns), v_down(a, columns)) : v_set(0);
}

/* Those of the next row that a queen attacks by leaps, and those of the row after it. */
static ALWAYS_INLINE vec leaps_next(vec queen, unsigned moves)
{
    vec squares = v_set(0);
#define LEAP(move, next, after, line) \
    if (moves & (move)) \
        squares = v_or(squares, beside(queen, next));
    MOVE_LEAPS(LEAP)
#undef LEAP
    return squares;
}

static ALWAYS_INLINE vec leaps_after(vec queen, unsigned moves)
{
    vec squares = v_set(0);
#define LEAP(move, next, after, line) \
    if (moves & (move)) \
        squares = v_or(squares, beside(queen, after));
    MOVE_LEAPS(LEAP)
#undef LEAP
    return squares;
}

/* Places a queen, and passes to the next row. */
static ALWAYS_INLINE void place(const struct level *level, struct lanes *lanes, vec queen, unsigned moves)
{
    const bool back = moves & MOVE_REFLECT && level->back < level->n;
    vec left = v_or(lanes->left, queen), right = v_or(lanes->right, queen);
    lanes->columns = v_xor(lanes->columns, queen);
    if (back) {
        left = v_or(left, v_down(queen, level->back));
        right = v_or(right, v_up(queen, level->back));
    }
    if (moves & MOVE_LEFT)
        lanes->left = moved_left(left, 1, level->n, moves);
    if (moves & MOVE_RIGHT)
        lanes->right = moved_right(right, 1, level->n, moves);
    if (moves & MOVE_WRAP) {
        lanes->left = v_and(lanes->left, level->full);
        lanes->right = v_and(lanes->right, level->full);
    }
    lanes->once = moves & MOVES_TO_NEXT ? v_or(lanes->later, leaps_next(queen, moves)) : lanes->later;
    if (moves & MOVES_TO_AFTER)
        lanes->later = leaps_after(queen, moves);
}

/* Squares of the j-th row from the next one on that neither its mask nor a line forbids. */
static ALWAYS_INLINE vec open_squares(const struct level *level, const struct lanes *lanes, unsigned j, unsigned moves)
{
    vec open = level->allow[j];
    if (moves & MOVE_LEFT && moves & MOVE_RIGHT)
        open =
            v_allow(open, moved_left(lanes->left, j, level->n, moves), moved_right(lanes->right, j, level->n, moves));
    else if (moves & MOVE_LEFT)
        open = v_without(open, moved_left(lanes->left, j, level->n, moves));
    else if (moves & MOVE_RIGHT)
        open = v_without(open, moved_right(lanes->right, j, level->n, moves));
    if (j == 0 && moves & (MOVES_TO_NEXT | MOVES_TO_AFTER))
        open = v_without(open, lanes->once);
    if (j == 1 && moves & MOVES_TO_AFTER)
        open = v_without(open, lanes->later);
    return open;
}

/* The squares of the next row that are worth trying; `alive`: for which lanes there are any. */
static ALWAYS_INLINE vec worth_trying(const struct level *level, const struct lanes *lanes, unsigned left,
                                      unsigned moves, lane_set *alive)
{
    vec squares = v_and(open_squares(level, lanes, 0, moves), lanes->columns), covered = v_set(0);
    lane_set found = ALIVE_ALL;
    for (unsigned j = 1; j < rows_look(moves, left); j++) {
        const vec open = open_squares(level, lanes, j, moves);
        found = alive_where(found, open, lanes->columns);
        covered = v_or(covered, open);
    }
    if (left <= rows_cover(moves)) { /* a column that only the next row can take is its only choice */
        const vec only = v_without(lanes->columns, covered);
        found = alive_unless(found, only, v_less_one(only));
        squares = v_and_some(squares, only);
    }
    *alive = alive_where(found, squares, squares);
    return squares;
}

/* Squares of the next row that a queen attacks, but for its column. */
static ALWAYS_INLINE vec attacked_next(const struct level *level, vec queen, unsigned moves)
{
    vec squares = leaps_next(queen, moves);
    if (moves & MOVE_LEFT)
        squares = v_or(squares, moved_left(queen, 1, level->n, moves));
    if (moves & MOVE_RIGHT)
        squares = v_or(squares, moved_right(queen, 1, level->n, moves));
    return squares;
}

static ALWAYS_INLINE unsigned lanes_count(lane_set lanes)
{
    return (unsigned)__builtin_popcount(alive_lanes(lanes));
}

/* Two rows left, and two columns: how many of the lanes' two ways of filling them are solutions. With ROWS_EVERY adds
 * the placements that this takes: tried[0] are those of the first of the rows. No queen of these rows is reflected to
 * the other: that would be n columns away. */
static ALWAYS_INLINE unsigned settle(const struct level *level, const struct lanes *lanes, unsigned moves,
                                     uint64_t tried[2])
{
    const vec first = open_squares(level, lanes, 0, moves), second = open_squares(level, lanes, 1, moves);
    const vec high = v_and(lanes->columns, v_less_one(lanes->columns)), low = v_xor(lanes->columns, high);
    const lane_set lower = alive_where(ALIVE_ALL, first, low), upper = alive_where(ALIVE_ALL, first, high);
    const lane_set rising = alive_where(lower, v_without(second, attacked_next(level, low, moves)), high);
    const lane_set falling = alive_where(upper, v_without(second, attacked_next(level, high, moves)), low);
    const unsigned solutions = lanes_count(rising) + lanes_count(falling);
    if (moves & ROWS_EVERY) {
        tried[0] += lanes_count(lower) + lanes_count(upper);
        tried[1] += solutions;
    }
    return solutions;
}

/* Adds what a kernel found, with its placements tried by row. */
static inline void add_found(const struct rows_board *board, uint64_t solutions, const uint64_t *tried,
                             struct rule_tally *tally)
{
    tally->solutions += solutions;
    for (uint32_t row = 0; row < board->n; row++) {
        tally->nodes += tried[row];
        if (tally->rows)
            tally->rows[row] += tried[row];
    }
}
