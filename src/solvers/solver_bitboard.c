/* solver_bitboard.c - depth-first search row by row on bit masks, in lexicographic order, without recursion: its whole
 * state is one array, so that it can stop after any placement and continue from any position.
 *
 * On large boards most prefixes cannot be completed long before a row has no free square. There the oracle decides
 * whether a prefix can be completed. That may take longer than one call may, or far too long. So the search continues
 * below the prefix at the end of each call, until something is finished, and a question that takes too long is dropped
 * in favour of smaller ones below. A completion that is found answers for all of its prefixes. */
#include <stdlib.h>
#include <string.h>

#include "solvers/oracle.h"
#include "solvers/path.h"
#include "solvers/solver.h"

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
