/* solver_bitboard.c - depth-first search row by row on bit masks, in lexicographic order, without recursion: its whole
 * state is one array, so that it can stop after any placement and continue from any position.
 *
 * On large boards most prefixes cannot be completed long before a row has no free square. There the oracle decides
 * whether a prefix can be completed. That may take longer than one call may, or far too long. So the search continues
 * below the prefix at the end of each call, until something is finished, and a question that takes too long is dropped
 * in favour of smaller ones below. A completion that is found answers for all of its prefixes. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "solvers/oracle.h"
#include "solvers/solver.h"
#include "solvers/squares.h"

/* ---- The path ----
 *
 * The queens placed row by row from the first, what they attack below, and the squares that are still to be tried. It
 * knows no budgets. The three masks are those of M. Richards (1997).
 *
 * Solutions with a symmetry are composed of whole orbits: a queen is placed with all its images, and a row that already
 * has an image is skipped. The rows above determine the images, so the order does not change.
 *
 * By a rule that is not by lines, the rule says what passes from row to row, and orbits leave what a filter does
 * in which they are placed. */

enum { PATH_MAX_N = FILTER_MAX_N };

/* One row: what attacks it from above, which squares are still to be tried, and the queen that stands on it (0: none).
 */
struct path_level {
    uint64_t columns, left, right;
    uint64_t untried;
    uint64_t queen;
};

/* With orbits, rows below have queens, too. Diagonals are whole lines: bit row + column, and bit column - row + n - 1.
 */
struct path_orbits {
    uint64_t columns, rows;
    nq_wide sums, differences;
};

/* The whole search path. The caller knows how many of its rows are valid. */
struct path {
    uint32_t special;           /* rows above this one are laid out by path_lay_out() */
    uint64_t allow[PATH_MAX_N]; /* below the queen of the first row */
    struct path_level level[PATH_MAX_N];
    struct path_orbits orbits[PATH_MAX_N]; /* put by the rows above each */
    uint64_t orbit_queen[PATH_MAX_N];      /* by row, where orbits[].rows says so */
    struct reach reach[PATH_MAX_N];        /* by a rule, without orbits: what attacks each row from above */
    struct filter left[PATH_MAX_N];        /* by a rule, with orbits: what those of the rows above leave */
};

/* Below the first rows, by the rule of queens: rows and columns without a queen, and the free squares of those rows. */
struct path_rest {
    uint64_t rows, columns;
    uint64_t free[PATH_MAX_N]; /* by row */
};

static uint32_t column_of(uint64_t queen)
{
    return (uint32_t)__builtin_ctzll(queen);
}

/* An empty board; all squares of the first row are to be tried. */
static void path_begin(struct path *path, const struct squares *squares)
{
    const uint32_t n = squares->filter.n;
    path->special = squares->turn || !rule_by_lines(squares->filter.rule) || n < 2 ? n : 2;
    path->level[0] = (struct path_level){.untried = squares->filter.allow[0]};
    path->orbits[0] = (struct path_orbits){0};
    path->reach[0] = (struct reach){0};
}

/* Whether a square and its images are free. */
static bool whole(const struct filter *left, unsigned turn, uint32_t row, uint32_t column)
{
    bool free = filter_allows(left, row, column);
    for (int i = 0; free && i < 3; i++) { /* an orbit is of four squares at most */
        square_transform(turn, left->n, &row, &column);
        free = filter_allows(left, row, column);
    }
    return free;
}

/* Places the orbit of the queen above a row by a rule, and lays out the row. A queen of an orbit that has been placed
 * changes nothing. */
static void lay_out_orbits(struct path *path, const struct squares *squares, uint32_t row)
{
    struct filter *left = &path->left[row];
    uint32_t r = row - 1, column = column_of(path->level[row - 1].queen);
    if (row > 1) {
        *left = left[-1];
    } else {
        *left = squares->filter;
        memcpy(left->allow, path->allow, sizeof left->allow);
    }
    for (int i = 0; i < 4; i++) {
        filter_place(left, r, column);
        square_transform(squares->turn, left->n, &r, &column);
    }
    path->level[row].untried = 0;
    for (uint64_t rest = left->allow[row]; rest; rest &= rest - 1)
        if (whole(left, squares->turn, row, column_of(rest)))
            path->level[row].untried |= rest & -rest;
}

/* Lays out a row by a rule, without orbits. */
static void pass_on(struct path *path, const struct squares *squares, uint32_t row)
{
    struct reach *reach = &path->reach[row];
    *reach = reach[-1];
    rule_pass(squares->filter.rule, squares->filter.n, row - 1, path->level[row - 1].queen, reach);
    path->level[row].untried = path->allow[row] & ~reach_attacked(reach);
}

/* The squares of a row that the orbits of some others leave free. Each has a free orbit: so have the lines, and what is
 * allowed. */
static uint64_t free_of_orbits(const struct path *path, uint32_t n, const struct path_orbits *orbits, uint32_t row)
{
    return path->allow[row] &
           ~(orbits->columns | (uint64_t)(orbits->sums >> row) | (uint64_t)(orbits->differences >> (n - 1 - row)));
}

static void put_orbit(struct path *path, const struct squares *squares, uint32_t row, struct path_orbits *orbits)
{
    const uint32_t n = squares->filter.n;
    uint32_t column = column_of(path->level[row].queen);
    while (!(orbits->rows >> row & 1)) { /* or else it is a part of one that has been put */
        orbits->rows |= UINT64_C(1) << row;
        orbits->columns |= UINT64_C(1) << column;
        orbits->sums |= (nq_wide)1 << (row + column);
        orbits->differences |= (nq_wide)1 << (column + n - 1 - row);
        path->orbit_queen[row] = UINT64_C(1) << column;
        square_transform(squares->turn, n, &row, &column);
    }
}

/* Prepares a row below the queens, where this is more than three masks. */
static void path_lay_out(struct path *path, const struct squares *squares, uint32_t row)
{
    struct path_level *level = &path->level[row];
    struct path_orbits *orbits = &path->orbits[row];
    const uint64_t queen = level[-1].queen;
    if (row == 1)
        squares_below(squares, column_of(queen), path->allow);
    if (!rule_by_lines(squares->filter.rule)) {
        (squares->turn ? lay_out_orbits : pass_on)(path, squares, row);
        return;
    }
    if (!squares->turn) { /* the second row */
        level->columns = queen;
        level->left = queen << 1;
        level->right = queen >> 1;
        level->untried = path->allow[row] & ~(queen | queen << 1 | queen >> 1);
        return;
    }
    *orbits = orbits[-1];
    put_orbit(path, squares, row - 1, orbits);
    level->untried =
        orbits->rows >> row & 1 ? path->orbit_queen[row] : free_of_orbits(path, squares->filter.n, orbits, row);
}

/* Places a queen in a row, with queens in all rows above, and prepares the row below, if there is one. */
static inline void path_descend(struct path *path, const struct squares *squares, uint32_t row, uint64_t queen)
{
    struct path_level *level = &path->level[row], *below = level + 1;
    level->queen = queen;
    if (row + 1 < path->special) {
        path_lay_out(path, squares, row + 1);
    } else if (row + 1 < squares->filter.n) {
        below->columns = level->columns | queen;
        below->left = (level->left | queen) << 1;
        below->right = (level->right | queen) >> 1;
        below->untried = path->allow[row + 1] & ~(below->columns | below->left | below->right);
    }
}

/* Begins, and places the queens of a prefix of at most n rows; in each row the squares after the queen are left to be
 * tried. Returns how many queens can be placed: if not all, the row of the first that cannot is left without a queen,
 * with the squares after it to be tried. */
static uint32_t path_follow(struct path *path, const struct squares *squares, const uint32_t *prefix, uint32_t length)
{
    const uint32_t n = squares->filter.n;
    path_begin(path, squares);
    for (uint32_t row = 0; row < length; row++) {
        const uint64_t queen = prefix[row] < n ? UINT64_C(1) << prefix[row] : 0;
        struct path_level *level = &path->level[row];
        const bool stands = level->untried & queen;
        level->untried &= ~(queen | (queen - 1)); /* columns up to this one are done */
        if (!stands)
            return row;
        path_descend(path, squares, row, queen);
    }
    return length;
}

/* The queens of the first rows. */
static void path_columns(const struct path *path, uint32_t rows, uint8_t *columns)
{
    assert(rows <= FILTER_MAX_N);
    for (uint32_t row = 0; row < rows; row++)
        columns[row] = (uint8_t)column_of(path->level[row].queen);
}

static void path_rest(const struct path *path, const struct squares *squares, uint32_t row, struct path_rest *rest)
{
    const uint32_t n = squares->filter.n;
    const uint64_t all = ~UINT64_C(0) >> (64 - n);
    const struct path_level *level = &path->level[row];
    const struct path_orbits *orbits = &path->orbits[row];
    rest->rows = squares->turn ? all & ~orbits->rows : all >> row << row;
    rest->columns = all & ~(squares->turn ? orbits->columns : level->columns);
    for (uint32_t at = row; at < n; at++)
        rest->free[at] = squares->turn ? free_of_orbits(path, n, orbits, at)
                                       : path->allow[at] &
                                             ~(level->columns | level->left << (at - row) | level->right >> (at - row));
}

/* ---- The search ---- */

/* Up to PLAIN_N rows, with a symmetry twice as many, first solutions are found in milliseconds without asking; and so
 * is what there is below a prefix with fewer than ASK_ROWS rows left. The first 10 000 solutions for n = 28 take 0.79,
 * 1.06, 1.00, 1.04, 1.54 and 2.56 s for ASK_ROWS = 6, 8, 12, 14, 16 and 18, for n = 20 0.27, 0.32, 0.28, 0.23, 0.19 and
 * 0.20 s. */
enum { PLAIN_N = 20, ASK_ROWS = 14 };

/* A placement of the oracle takes 100 ns, one of the search 6, and counts for so many of those: then a budget lasts as
 * long on boards of any size. */
enum { ASKING_COST = 16 };

/* Placements that asking may take until something is finished: a page has four times as many. One question may take
 * half of what is left of them, so that all prefixes on the way down can be asked about. The first solution for n = 34,
 * page by page, took 6.2, 5.5 and 6.1 s of CPU with 2^20, 2^21 and 2^22, on a busy machine. */
#define ALLOWANCE (UINT64_C(1) << 21)

/* What is known, or being found out, about prefixes. */
struct asking {
    uint32_t most;                    /* rows of a prefix that is asked about; 0: nothing is asked */
    uint32_t rows;                    /* of the one being asked about; 0: there is none */
    uint64_t patience;                /* placements until that is given up */
    uint64_t allowance;               /* placements until nothing more is asked */
    bool known;                       /* there is a witness */
    uint8_t witness[NQ_SEARCH_MAX_N]; /* a completion that was found */
    struct oracle oracle;
};

struct search {
    struct filter filter; /* as it was asked for */
    struct squares squares;
    struct path path;
    uint64_t cost; /* of a placement */
    uint32_t row;  /* is to be tried next: those above hold queens */
    bool ended;
    uint32_t position_length;
    uint8_t position[NQ_SEARCH_MAX_N];
    struct asking asking;
};

/* ---- Asking ---- */

static void begin_asking(struct asking *asking, const struct squares *squares)
{
    const uint32_t n = squares->filter.n, times = squares->turn ? 2 : 1; /* rows that one queen fills at least */
    const bool asks = n > times * PLAIN_N && rule_by_lines(squares->filter.rule); /* as the oracle is */
    asking->most = asks ? n / times - ASK_ROWS : 0;
    asking->rows = 0;
    asking->allowance = ALLOWANCE;
    asking->known = false;
}

/* Whether the queens above a row begin the witness. */
static bool witnessed(const struct search *search, uint32_t row)
{
    uint8_t columns[NQ_SEARCH_MAX_N];
    path_columns(&search->path, row, columns);
    return search->asking.known && memcmp(columns, search->asking.witness, row) == 0;
}

/* The queens of the prefix stood already, and so may orbits of theirs: the oracle knows the others. */
static void take_witness(struct search *search)
{
    struct asking *asking = &search->asking;
    uint8_t *witness = asking->witness;
    path_columns(&search->path, asking->rows, witness);
    for (uint32_t row = asking->rows; row < search->squares.filter.n; row++)
        witness[row] = search->squares.turn && (search->path.orbits[asking->rows].rows >> row & 1)
                           ? (uint8_t)__builtin_ctzll(search->path.orbit_queen[row])
                           : asking->oracle.column[row];
    asking->known = true;
}

/* Continues the question under way. Returns the row to try next; if the answer is no, everything below that prefix is
 * finished. */
static uint32_t continue_question(struct search *search, uint32_t row, uint64_t *left)
{
    struct asking *asking = &search->asking;
    const uint64_t most = *left / ASKING_COST, grant = most < asking->patience ? most : asking->patience;
    uint64_t rest = grant;
    const enum nq_status status = oracle_answer(&asking->oracle, &rest);
    *left -= (grant - rest) * ASKING_COST;
    asking->patience -= grant - rest;
    asking->allowance -= grant - rest;
    if (status == NQ_AGAIN && asking->patience)
        return row;
    if (status == NQ_OK)
        take_witness(search);
    if (status == NQ_NONE) {
        row = asking->rows;
        search->path.level[row].untried = 0;
    }
    asking->rows = 0;
    return row;
}

/* Asks whether the queens above a row can be completed, unless it is known, or something else is being asked. Returns
 * the row that is to be tried next. */
static uint32_t ask(struct search *search, uint32_t row, uint64_t *left)
{
    struct asking *asking = &search->asking;
    struct path_rest rest;
    if (asking->rows || asking->allowance < 2 || witnessed(search, row))
        return row;
    path_rest(&search->path, &search->squares, row, &rest);
    if (!rest.rows) /* orbits fill them all */
        return row;
    oracle_ask(&asking->oracle, &(struct oracle_question){.n = search->squares.filter.n,
                                                          .turn = search->squares.turn,
                                                          .rows = rest.rows,
                                                          .columns = rest.columns,
                                                          .free = rest.free});
    asking->rows = row;
    asking->patience = asking->allowance / 2;
    return continue_question(search, row, left);
}

/* Something is finished, and the next square of a row is to be tried: more may be asked, and what was asked about
 * a prefix with a queen there no longer matters. */
static void turn_back(struct search *search, uint32_t row)
{
    search->asking.allowance = ALLOWANCE;
    if (search->asking.rows > row)
        search->asking.rows = 0;
}

/* ---- The cursor ---- */

static void begin(struct search *search)
{
    path_begin(&search->path, &search->squares);
    begin_asking(&search->asking, &search->squares);
    const struct squares *squares = &search->squares;
    search->cost = squares->turn && !rule_by_lines(squares->filter.rule) ? squares->filter.n : 1; /* of orbits */
    search->row = 0;
    search->position_length = 0;
    search->ended = false;
}

static enum nq_status bitboard_open(const struct query *query, void **out)
{
    struct search *search = malloc(sizeof *search);
    if (!search)
        return NQ_NOMEM;
    search->filter = query->filter;
    squares_begin(&search->squares, query);
    if (filter_impossible(&search->filter))
        memset(search->squares.filter.allow, 0, sizeof search->squares.filter.allow);
    begin(search);
    *out = search;
    return NQ_OK;
}

/* Everything below the first `length` queens is finished. */
static void finish(struct search *search, uint32_t length)
{
    path_columns(&search->path, length, search->position);
    search->position_length = length;
}

/* Takes the queens, one in each row, for the next solution; false when another of its class stands for it. */
static bool list(struct search *search, uint32_t *columns)
{
    const uint32_t n = search->squares.filter.n;
    uint8_t found[NQ_SEARCH_MAX_N];
    path_columns(&search->path, n, found);
    if (search->squares.group != 1 && !query_representative(search->squares.group, n, found))
        return false;
    for (uint32_t row = 0; row < n; row++)
        columns[row] = search->position[row] = found[row];
    search->position_length = n;
    return true;
}

/* Goes on to the next place where something is finished: NQ_OK with a solution, NQ_AGAIN there, NQ_END. */
static enum nq_status step(struct search *search, uint64_t *budget, uint32_t *columns)
{
    struct path *path = &search->path;
    const uint32_t n = search->squares.filter.n, most = search->asking.most;
    const uint64_t cost = search->cost;
    uint64_t left = *budget;
    enum nq_status status = NQ_AGAIN;
    uint32_t row = search->row;
    for (;;) {
        struct path_level *level = &path->level[row];
        if (level->untried) {
            const uint64_t queen = level->untried & -level->untried;
            level->untried ^= queen;
            left -= left < cost ? left : cost;
            path_descend(path, &search->squares, row, queen);
            if (++row < n) {
                if (row <= most)
                    row = ask(search, row, &left);
                continue;
            }
            if (list(search, columns))
                status = NQ_OK;
        } else if (row == 0) {
            search->ended = true;
            status = NQ_END;
            break;
        }
        row--;
        if (row < most)
            turn_back(search, row);
        if (left == 0 || status == NQ_OK)
            break;
    }
    search->row = row;
    *budget = left;
    return status;
}

/* The budget is looked at only where a subtree has just been finished: there the position moves on, so that every call
 * gains ground; from anywhere, such a place is at most n placements away. */
static enum nq_status bitboard_next(void *state, uint64_t *budget, uint32_t *columns)
{
    struct search *search = state;
    if (search->ended)
        return NQ_END;
    if (search->asking.rows)
        search->row = continue_question(search, search->row, budget);
    const enum nq_status status = step(search, budget, columns);
    if (status == NQ_AGAIN)
        finish(search, search->row + 1);
    return status;
}

static bool peaceful(const struct rule *rule, uint32_t n, const uint32_t *columns)
{
    for (uint32_t row = 1; row < n; row++)
        for (uint32_t above = 0; above < row; above++)
            if (rule_attack(rule, n, above, columns[above], row, columns[row]))
                return false;
    return true;
}

/* Whether it is a solution on allowed squares: NQ_OK, NQ_INVALID. */
static enum nq_status look_at(const struct filter *filter, const uint32_t *columns, uint32_t length)
{
    bool valid = length == filter->n;
    for (uint32_t row = 0; valid && row < length; row++)
        valid = columns[row] < length && filter_allows(filter, row, columns[row]);
    return valid && peaceful(filter->rule, length, columns) ? NQ_OK : NQ_INVALID;
}

/* A whole solution may be one that is passed over, for another of its class or for want of a symmetry: then the search
 * never comes to some row of it, and goes on behind the square it has there. */
static enum nq_status bitboard_seek(void *state, const uint32_t *prefix, uint32_t length)
{
    struct search *search = state;
    struct path moved;
    if (length > search->squares.filter.n)
        return NQ_INVALID;
    const uint32_t rows = path_follow(&moved, &search->squares, prefix, length);
    const enum nq_status status = rows < length ? look_at(&search->filter, prefix, length) : NQ_OK;
    if (status != NQ_OK)
        return status;
    begin(search);
    search->path = moved;
    search->row = rows < length ? rows : length - (length > 0);
    search->position_length = length;
    for (uint32_t row = 0; row < length; row++)
        search->position[row] = (uint8_t)prefix[row];
    return NQ_OK;
}

static uint32_t bitboard_position(const void *state, uint32_t *prefix)
{
    const struct search *search = state;
    for (uint32_t row = 0; row < search->position_length; row++)
        prefix[row] = search->position[row];
    return search->position_length;
}

static const struct search_class search_bitboard = {
    .open = bitboard_open,
    .next = bitboard_next,
    .seek = bitboard_seek,
    .position = bitboard_position,
    .close = free,
};

extern const struct machine_class machine_bitboard; /* solver_rows.c */

const struct solver solver_bitboard = {
    .name = "bitboard",
    .title = "Richards 1997, bit patterns",
    .by_rule = true,
    .summary =
        "depth-first search row by row, with the attacks in three bit masks; on large boards it skips prefixes that "
        "a search in any order refutes",
    .order = "lexicographic",
    .complexity = "one placement a node; nodes as in OEIS A319283 up to n = 20; O(n^2) memory",
    .source = "M. Richards, Backtracking Algorithms in MCPL using Bit Patterns and Recursion, Cambridge",
    .year = 1997,
    .tests = "squares tried; attacked squares are not tested",
    .max_n = NQ_SEARCH_MAX_N,
    .search = &search_bitboard,
    .machine = &machine_bitboard,
    .by_shape = true,
};
