/* solver_fewest_first.c - depth-first search that fills the row or column with the fewest free squares first, with the
 * queen that takes the fewest squares (L. V. Kalé, An almost perfect heuristic for the N nonattacking queens problem,
 * Information Processing Letters 34 (1990), 173-178). For most n its first path is a solution.
 *
 * Some paths lead to a board that cannot be completed, which a depth-first search finds out only after having tried all
 * that is left. So it takes its tree in waves, by where a path differs from the first square of its line: in a wave
 * only the first few lines that have a choice, and the last few rows, may take another (W. D. Harvey, M. L. Ginsberg,
 * Limited discrepancy search, IJCAI 1995; T. Walsh, Depth-bounded discrepancy search, IJCAI 1997). The next wave allows
 * more, and lists what the ones before it have not listed. A path alone tells its wave, so that a list can continue
 * after any solution. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "board/matching.h"
#include "board/query.h"
#include "solvers/solver.h"
#include "steps/listing.h"

/* The first wave: with D last rows (twice as many with a symmetry, where one queen places the others), 10 solutions of
 * every seventh n from 4 to 1000 took 1.03, 1.06 and 1.11 s for D = 16, 20 and 24. */
enum { FIRST_LATE = 16, MORE_LATE = 4 };

/* Lines with a choice whose squares are compared with those of images; below, squares are compared by their place. */
enum { COMPARED = 8 };

/* The cost of a placement in a budget, which is a number of placements of the plain search, see machine.h: so much, and
 * for each row without a queen. */
enum { PLACEMENT_COST = 32, ROW_COST = 3 };

/* ---- Vacancies: the free squares of a board with some queens on it ---- */

/* How many free squares each row, column and diagonal has, kept up to date as queens are placed and removed, in time
 * linear in the rows without one. */

enum { VACANCIES_MAX_N = NQ_LIST_MAX_N, VACANT = UINT16_MAX };

/* Rows, or columns, without a queen, as a ring in increasing order: `n` stands before the first and after the last. */
struct ring {
    uint16_t *next, *previous;
};

struct vacancies {
    uint32_t n, left; /* rows without a queen: as many as columns */
    unsigned turn;    /* a queen is placed with all its images under this symmetry, see nq_transform(); 0: alone */
    struct ring rows, columns;
    /* Free squares by row, by column, by row + column, and by column - row + n - 1. */
    uint16_t *in_row, *in_column, *in_sum, *in_difference;
    uint16_t *queen_in_row, *queen_in_column; /* its column, its row; VACANT: there is none */
    uint8_t *bars; /* by row * n + column: how many reasons there are why no queen can be placed there */
};

static inline bool vacancies_free(const struct vacancies *vacancies, uint32_t row, uint32_t column)
{
    return vacancies->bars[row * vacancies->n + column] == 0;
}

/* How many free squares are on the four lines of a square: about as many as a queen there would take. */
static inline uint32_t vacancies_cost(const struct vacancies *vacancies, uint32_t row, uint32_t column)
{
    return (uint32_t)vacancies->in_row[row] + vacancies->in_column[column] + vacancies->in_sum[row + column] +
           vacancies->in_difference[column + vacancies->n - 1 - row];
}

/* The images of a square under the turn, itself first. */
struct orbit {
    uint32_t count, row[4], column[4];
};

static struct orbit orbit_of(const struct vacancies *of, uint32_t row, uint32_t column)
{
    struct orbit orbit = {0};
    do {
        orbit.row[orbit.count] = row;
        orbit.column[orbit.count++] = column;
        if (of->turn)
            square_transform(of->turn, of->n, &row, &column);
    } while (row != orbit.row[0] || column != orbit.column[0]);
    return orbit;
}

static void count_square(struct vacancies *of, uint32_t row, uint32_t column, int change)
{
    of->in_row[row] = (uint16_t)(of->in_row[row] + change);
    of->in_column[column] = (uint16_t)(of->in_column[column] + change);
    of->in_sum[row + column] = (uint16_t)(of->in_sum[row + column] + change);
    of->in_difference[column + of->n - 1 - row] = (uint16_t)(of->in_difference[column + of->n - 1 - row] + change);
}

static inline void bar(struct vacancies *of, uint32_t row, uint32_t column)
{
    if (of->bars[row * of->n + column]++ == 0)
        count_square(of, row, column, -1);
}

static inline void unbar(struct vacancies *of, uint32_t row, uint32_t column)
{
    if (--of->bars[row * of->n + column] == 0)
        count_square(of, row, column, 1);
}

/* Bars or unbars what a queen attacks in rows without one, and its own row. */
static inline void sweep(struct vacancies *of, uint32_t row, uint32_t column,
                         void (*change)(struct vacancies *, uint32_t, uint32_t))
{
    const uint32_t n = of->n;
    for (uint32_t at = of->rows.next[n]; at != n; at = of->rows.next[at]) {
        const uint32_t away = at > row ? at - row : row - at;
        change(of, at, column);
        if (column >= away)
            change(of, at, column - away);
        if (column + away < n)
            change(of, at, column + away);
    }
    for (uint32_t at = of->columns.next[n]; at != n; at = of->columns.next[at])
        change(of, row, at);
    change(of, row, column);
}

static void leave_ring(struct ring *ring, uint32_t line)
{
    ring->next[ring->previous[line]] = ring->next[line];
    ring->previous[ring->next[line]] = ring->previous[line];
}

static void rejoin_ring(struct ring *ring, uint32_t line)
{
    ring->next[ring->previous[line]] = ring->previous[ring->next[line]] = (uint16_t)line;
}

/* Places a queen on a free square, or removes the one that was placed last, in both cases with its images. */
static void vacancies_place(struct vacancies *of, uint32_t row, uint32_t column)
{
    const struct orbit orbit = orbit_of(of, row, column);
    for (uint32_t i = 0; i < orbit.count; i++) {
        leave_ring(&of->rows, orbit.row[i]);
        leave_ring(&of->columns, orbit.column[i]);
        sweep(of, orbit.row[i], orbit.column[i], bar);
        of->queen_in_row[orbit.row[i]] = (uint16_t)orbit.column[i];
        of->queen_in_column[orbit.column[i]] = (uint16_t)orbit.row[i];
    }
    of->left -= orbit.count;
}

static void vacancies_remove(struct vacancies *of, uint32_t row, uint32_t column)
{
    const struct orbit orbit = orbit_of(of, row, column);
    for (uint32_t i = orbit.count; i-- > 0;) {
        sweep(of, orbit.row[i], orbit.column[i], unbar);
        rejoin_ring(&of->columns, orbit.column[i]);
        rejoin_ring(&of->rows, orbit.row[i]);
        of->queen_in_row[orbit.row[i]] = of->queen_in_column[orbit.column[i]] = VACANT;
    }
    of->left += orbit.count;
}

/* Whether a square is on an axis or a diagonal of the board, where its orbit attacks itself: all but the middle. */
static bool attacks_itself(uint32_t n, uint32_t row, uint32_t column)
{
    const bool middle = 2 * row == n - 1 && 2 * column == n - 1;
    return !middle && (row == column || row + column == n - 1 || 2 * row == n - 1 || 2 * column == n - 1);
}

/* Bars the orbits that cannot be placed as a whole. */
static void bar_orbits(struct vacancies *of)
{
    for (uint32_t row = 0; row < of->n; row++) {
        for (uint32_t column = 0; column < of->n; column++) {
            if (vacancies_free(of, row, column) && !attacks_itself(of->n, row, column))
                continue;
            const struct orbit orbit = orbit_of(of, row, column);
            for (uint32_t i = 0; i < orbit.count; i++)
                if (vacancies_free(of, orbit.row[i], orbit.column[i]))
                    bar(of, orbit.row[i], orbit.column[i]);
        }
    }
}

static void bar_filter(struct vacancies *of, const struct filter *filter)
{
    for (uint32_t row = 0; row < of->n; row++)
        for (uint32_t column = 0; column < of->n; column++)
            if (!filter_allows(filter, row, column))
                bar(of, row, column);
}

/* A row with a queen has that square alone; what else it attacks is barred when it is placed. */
static void bar_marks(struct vacancies *of, const struct marks *marks)
{
    for (uint32_t i = 0; i < marks->placed; i++)
        for (uint32_t column = 0; column < of->n; column++)
            if (column != marks->place[i].column - marks->base)
                bar(of, marks->place[i].row - marks->base, column);
    for (uint32_t i = 0; i < marks->excluded; i++)
        bar(of, marks->exclude[i].row - marks->base, marks->exclude[i].column - marks->base);
}

static void begin_ring(struct ring *ring, uint32_t n)
{
    for (uint32_t i = 0; i <= n; i++) {
        ring->next[i] = (uint16_t)(i == n ? 0 : i + 1);
        ring->previous[i] = (uint16_t)(i == 0 ? n : i - 1);
    }
}

/* An empty board with the squares that a query of at most VACANCIES_MAX_N rows allows; its distinct is not used. NQ_OK
 * or NQ_NOMEM. About n * n bytes. */
static enum nq_status vacancies_open(const struct query *query, struct vacancies **out)
{
    const uint32_t n = query->filter.n;
    const size_t shorts = 4 * ((size_t)n + 1) + 4 * (size_t)n + 4 * (size_t)n;
    struct vacancies *of = calloc(1, sizeof *of + shorts * sizeof(uint16_t) + (size_t)n * n);
    if (!of)
        return NQ_NOMEM;
    uint16_t *room = (uint16_t *)(of + 1);
    const size_t line = n;
    of->n = of->left = n;
    of->turn = query->symmetry == SYMMETRY_POINT ? 2 : query->symmetry == SYMMETRY_QUARTER ? 1 : 0;
    of->rows = (struct ring){room, room + line + 1};
    of->columns = (struct ring){room + 2 * (line + 1), room + 3 * (line + 1)};
    room += 4 * (line + 1);
    of->in_row = room;
    of->in_column = room + line;
    of->queen_in_row = room + 2 * line;
    of->queen_in_column = room + 3 * line;
    of->in_sum = room + 4 * line;
    of->in_difference = room + 6 * line;
    of->bars = (uint8_t *)(room + 8 * line);
    begin_ring(&of->rows, n);
    begin_ring(&of->columns, n);
    for (uint32_t i = 0; i < n; i++) {
        of->in_row[i] = of->in_column[i] = (uint16_t)n;
        of->queen_in_row[i] = of->queen_in_column[i] = VACANT;
    }
    for (uint32_t i = 0; i < 2 * n; i++)
        of->in_sum[i] = of->in_difference[i] = (uint16_t)(i < n ? i + 1 : 2 * n - 1 - i);
    if (n > FILTER_MAX_N)
        bar_marks(of, &query->marks);
    else
        bar_filter(of, &query->filter);
    if (of->turn)
        bar_orbits(of);
    *out = of;
    return NQ_OK;
}

/* ---- Rows against columns ---- */

struct square {
    uint32_t row, column;
};

/* A line of a ring with at most one free square, counted in `free`; n: there is none. */
static uint32_t scarce_line(const struct vacancies *of, const struct ring *ring, const uint16_t *free)
{
    uint32_t line = ring->next[of->n];
    while (line != of->n && free[line] > 1)
        line = ring->next[line];
    return line;
}

/* The square of a row, or of a column, that is free. */
static struct square last_square(const struct vacancies *of, uint32_t line, bool by_column)
{
    struct square square = {line, line};
    uint32_t *across = by_column ? &square.row : &square.column;
    for (*across = 0; !vacancies_free(of, square.row, square.column); ++*across)
        assert(*across + 1 < of->n);
    return square;
}

/* Places a queen that is forced. NQ_AGAIN, with the square; NQ_END: none is; NQ_NONE: some line has no square left. */
static enum nq_status place_forced(struct vacancies *of, struct square *square)
{
    const uint32_t row = scarce_line(of, &of->rows, of->in_row);
    const uint32_t column = row < of->n ? of->n : scarce_line(of, &of->columns, of->in_column);
    if (row == of->n && column == of->n)
        return NQ_END;
    if ((row < of->n ? of->in_row[row] : of->in_column[column]) == 0)
        return NQ_NONE;
    *square = last_square(of, row < of->n ? row : column, row == of->n);
    vacancies_place(of, square->row, square->column);
    return NQ_AGAIN;
}

/* Whether the rows without a queen can get a column each; those with one keep theirs. */
static bool has_columns(const struct vacancies *of)
{
    const uint32_t words = (of->n + 63) / 64;
    uint64_t *allow = calloc((size_t)of->n * words, sizeof *allow);
    if (!allow)
        return true;
    for (uint32_t row = 0; row < of->n; row++) {
        const uint32_t queen = of->queen_in_row[row];
        for (uint32_t column = 0; column < of->n; column++)
            if (queen == VACANT ? vacancies_free(of, row, column) && of->queen_in_column[column] == VACANT
                                : queen == column)
                allow[(size_t)row * words + column / 64] |= UINT64_C(1) << column % 64;
    }
    const bool perfect = matching_perfect(of->n, words, allow);
    free(allow);
    return perfect;
}

/* Whether rows and columns with one square left force queens after which the rows cannot get a column each: then there
 * is no solution. False: not known. Leaves the board as it is. Without memory it is not known. About n * n steps. */
static bool vacancies_hopeless(struct vacancies *of)
{
    struct square *placed = calloc(of->n + 1, sizeof *placed);
    uint32_t count = 0;
    enum nq_status status = placed ? NQ_AGAIN : NQ_NOMEM;
    while (status == NQ_AGAIN && of->left) {
        status = place_forced(of, &placed[count]);
        count += status == NQ_AGAIN;
    }
    const bool hopeless = status == NQ_NONE || (status != NQ_NOMEM && !has_columns(of));
    while (count--)
        vacancies_remove(of, placed[count].row, placed[count].column);
    free(placed);
    return hopeless;
}

static void vacancies_close(struct vacancies *of)
{
    free(of);
}

/* ---- Branches ---- */

/* One node of the search: which line it fills, and in which order it tries the free squares of that line: the most
 * constrained line first, with the queen that takes the fewest squares first. It knows neither what was tried before
 * nor what comes next. */
struct branch {
    bool by_column;   /* it fills a column, not a row */
    bool begun;       /* a square was taken */
    bool fresh;       /* of the caller */
    uint16_t line;    /* the row or column */
    uint16_t left;    /* rows without a queen when it was chosen */
    uint16_t squares; /* free ones of the line then: at least one */
    uint16_t at;      /* the square taken last, by its column or row */
    uint16_t tried;   /* squares up to that one */
    uint16_t choices; /* of the caller */
    uint32_t key;     /* of that square: squares are tried by increasing keys, equal ones by place */
};

static inline uint32_t branch_row(const struct branch *branch)
{
    return branch->by_column ? branch->at : branch->line;
}

static inline uint32_t branch_column(const struct branch *branch)
{
    return branch->by_column ? branch->line : branch->at;
}

/* Equal squares are mixed: what is regular about the squares of a path leaves few free ones at its end. */
static uint32_t branch_key(const struct vacancies *vacancies, const struct branch *branch, uint32_t at)
{
    const uint32_t row = branch->by_column ? at : branch->line, column = branch->by_column ? branch->line : at;
    return vacancies_cost(vacancies, row, column) << 6 | (hash_mix(row * VACANCIES_MAX_N + column) & 63);
}

static const struct ring *squares_of(const struct vacancies *vacancies, const struct branch *branch)
{
    return branch->by_column ? &vacancies->rows : &vacancies->columns;
}

static bool free_at(const struct vacancies *vacancies, const struct branch *branch, uint32_t at)
{
    return branch->by_column ? vacancies_free(vacancies, at, branch->line)
                             : vacancies_free(vacancies, branch->line, at);
}

static uint32_t far_out(uint32_t n, uint32_t line)
{
    const uint32_t twice = 2 * line, middle = n - 1;
    return 2 * (twice > middle ? twice - middle : middle - twice) + (twice > middle);
}

/* Chooses a row, or a column, if there is one with fewer free squares than have been found; false: one has none. */
static bool choose_among(const struct vacancies *vacancies, bool by_column, struct branch *branch, uint32_t *fewest)
{
    const uint32_t n = vacancies->n;
    const struct ring *lines = by_column ? &vacancies->columns : &vacancies->rows;
    const uint16_t *in_line = by_column ? vacancies->in_column : vacancies->in_row;
    for (uint32_t line = lines->next[n]; line != n; line = lines->next[line]) {
        const uint32_t count = in_line[line];
        if (count == 0)
            return false;
        if (count > *fewest || (count == *fewest && far_out(n, line) >= far_out(n, branch->line)))
            continue;
        *fewest = count;
        branch->line = (uint16_t)line;
        branch->by_column = by_column;
    }
    return true;
}

/* Chooses the row or column with the fewest free squares; of equals the one nearest to the middle, a row before a
 * column. False: one has none. Sets `line`, `by_column`, `left` and `squares`, and no square. */
static bool branch_choose(const struct vacancies *vacancies, struct branch *branch)
{
    uint32_t fewest = UINT32_MAX;
    *branch = (struct branch){.left = (uint16_t)vacancies->left};
    if (!choose_among(vacancies, false, branch, &fewest) || !choose_among(vacancies, true, branch, &fewest))
        return false;
    branch->squares = (uint16_t)fewest;
    return true;
}

/* Writes the key of every free square of the line to keys[at]. */
static void branch_keys(const struct vacancies *vacancies, const struct branch *branch, uint32_t *keys)
{
    const struct ring *squares = squares_of(vacancies, branch);
    for (uint32_t at = squares->next[vacancies->n]; at != vacancies->n; at = squares->next[at])
        if (free_at(vacancies, branch, at))
            keys[at] = branch_key(vacancies, branch, at);
}

/* Takes the next free square; false: there is none. The board must be as it was when the line was chosen. */
static bool branch_next(const struct vacancies *vacancies, struct branch *branch)
{
    const struct ring *squares = squares_of(vacancies, branch);
    uint32_t best = vacancies->n, best_key = UINT32_MAX;
    for (uint32_t at = squares->next[vacancies->n]; at != vacancies->n; at = squares->next[at]) {
        if (!free_at(vacancies, branch, at))
            continue;
        const uint32_t key = branch_key(vacancies, branch, at);
        const bool before = key < branch->key || (key == branch->key && at <= branch->at);
        if (key < best_key && !(branch->begun && before)) {
            best = at;
            best_key = key;
        }
    }
    if (best == vacancies->n)
        return false;
    branch->begun = true;
    branch->at = (uint16_t)best;
    branch->key = best_key;
    branch->tried++;
    return true;
}

/* Takes any square of the line, free or not, as if all before it had been tried. */
static void branch_pass(const struct vacancies *vacancies, struct branch *branch, uint32_t at)
{
    const struct ring *squares = squares_of(vacancies, branch);
    const uint32_t key = branch_key(vacancies, branch, at);
    branch->begun = true;
    branch->at = (uint16_t)at;
    branch->key = key;
    branch->tried = 0;
    for (uint32_t other = squares->next[vacancies->n]; other != vacancies->n; other = squares->next[other]) {
        const uint32_t its = free_at(vacancies, branch, other) ? branch_key(vacancies, branch, other) : UINT32_MAX;
        branch->tried = (uint16_t)(branch->tried + (its < key || (its == key && other <= at)));
    }
}

/* ---- The search ---- */

struct search {
    struct query query;
    struct vacancies *vacancies;
    unsigned group; /* see query_group(): only the first solution of each class, in this order, is listed */
    uint32_t n, wave, depth;
    bool chosen; /* the line of the level at depth */
    bool cut;    /* this wave has left something out */
    bool ended;
    bool none;       /* it is known that there is no solution */
    bool moved;      /* the board is not yet at the position */
    uint32_t length; /* of the position */
    uint32_t *position;
    struct stats stats;
    uint32_t *keys; /* of the squares of the first COMPARED lines with a choice; NULL: all solutions are listed */
    /* `choices` are the levels above that had any; `fresh`: the path down to the square taken is of no wave before. */
    struct branch levels[];
};

/* ---- Waves ---- */

/* Chooses the line of the level at depth; false: some line cannot be filled. */
static bool choose(struct search *search)
{
    struct branch *level = &search->levels[search->depth];
    if (!branch_choose(search->vacancies, level))
        return false;
    if (search->depth)
        level->choices = (uint16_t)(level[-1].choices + (level[-1].squares > 1));
    if (search->keys && level->squares > 1 && level->choices < COMPARED)
        branch_keys(search->vacancies, level, search->keys + (size_t)level->choices * search->n);
    search->chosen = true;
    return true;
}

static uint32_t late_of(const struct search *search, uint32_t wave)
{
    const uint32_t times = search->vacancies->turn ? 2 : 1;
    return times * (FIRST_LATE + wave * MORE_LATE);
}

/* Whether a wave lets a level take another than its first square. */
static bool allowed(const struct search *search, uint32_t wave, const struct branch *level)
{
    return level->choices <= wave || level->left <= late_of(search, wave);
}

/* Whether all that is below a level that has just been chosen was listed by waves before. */
static bool listed_before(const struct search *search)
{
    const bool fresh = search->depth ? search->levels[search->depth - 1].fresh : search->wave == 0;
    return !fresh && search->vacancies->left <= late_of(search, search->wave - 1);
}

/* Whether the path down to a level's square is of no wave before this one. */
static void set_fresh(const struct search *search, struct branch *level)
{
    const bool above = level == search->levels ? search->wave == 0 : level[-1].fresh;
    level->fresh = above || (level->tried > 1 && !allowed(search, search->wave - 1, level));
}

/* Takes the next square of the level at depth; false: there is none, or none in this wave. */
static bool take_next(struct search *search)
{
    struct branch *level = &search->levels[search->depth];
    if (level->tried >= level->squares)
        return false;
    if (level->begun && !allowed(search, search->wave, level)) {
        search->cut = true;
        return false;
    }
    if (!branch_next(search->vacancies, level)) /* a forged position stands after the last square */
        return false;
    set_fresh(search, level);
    return true;
}

/* ---- The search ---- */

static uint64_t descend(struct search *search)
{
    const struct branch *level = &search->levels[search->depth];
    const uint64_t cost = PLACEMENT_COST + (uint64_t)ROW_COST * search->vacancies->left;
    vacancies_place(search->vacancies, branch_row(level), branch_column(level));
    search->depth++;
    search->chosen = false;
    return cost;
}

static void ascend(struct search *search)
{
    const struct branch *level = &search->levels[--search->depth];
    search->chosen = true;
    vacancies_remove(search->vacancies, branch_row(level), branch_column(level));
}

static void begin_wave(struct search *search, uint32_t wave)
{
    while (search->depth)
        ascend(search);
    search->wave = wave;
    search->chosen = search->cut = false;
}

/* The square of a level's line that has a queen in the image of the board; VACANT: none yet. */
static uint32_t image_at(const struct search *search, unsigned symmetry, const struct branch *level)
{
    const unsigned inverse = symmetry < 4 ? (4 - symmetry) % 4 : symmetry;
    uint32_t row = level->by_column ? 0 : level->line, column = level->by_column ? level->line : 0;
    square_transform(inverse, search->n, &row, &column);
    if (level->by_column == (symmetry & 1)) /* odd numbers of turns carry columns into rows */
        column = search->vacancies->queen_in_row[row];
    else
        row = search->vacancies->queen_in_column[column];
    if (row == VACANT || column == VACANT)
        return VACANT;
    square_transform(symmetry, search->n, &row, &column);
    return level->by_column ? row : column;
}

/* Whether an image of every solution with the queens on the board comes before it: at the first line where the two
 * differ, its square does. */
static bool image_first(const struct search *search, unsigned symmetry)
{
    for (const struct branch *level = search->levels; level < search->levels + search->depth; level++) {
        const uint32_t at = image_at(search, symmetry, level);
        if (at == VACANT)
            return false;
        if (at == level->at)
            continue;
        if (level->choices >= COMPARED)
            return at < level->at;
        const uint32_t key = search->keys[(size_t)level->choices * search->n + at];
        return key < level->key || (key == level->key && at < level->at);
    }
    return false;
}

/* Whether the queens on the board can be some of a solution that stands for its class. */
static bool represents(const struct search *search)
{
    for (unsigned symmetry = 1; symmetry < NQ_SYMMETRIES; symmetry++)
        if ((search->group >> symmetry & 1) && image_first(search, symmetry))
            return false;
    return true;
}

/* Takes the solution on the board. */
static void list(struct search *search, uint32_t *columns)
{
    for (uint32_t row = 0; row < search->n; row++)
        columns[row] = search->position[row] = search->vacancies->queen_in_row[row];
    search->length = search->n;
}

/* Everything in this wave up to the square of each level down to depth is finished. False: such a position would be as
 * long as a solution is. */
static bool finish(struct search *search)
{
    const uint32_t levels = search->depth + (search->chosen && search->levels[search->depth].begun);
    if (levels + 1 >= search->n)
        return false;
    search->position[0] = search->wave;
    for (uint32_t i = 0; i < levels; i++)
        search->position[i + 1] = search->levels[i].at;
    search->length = levels + 1;
    return true;
}

static void note(struct search *search, enum step_kind kind)
{
    const uint32_t queens = search->n - search->vacancies->left;
    stats_add(&search->stats, &(struct step){.kind = kind, .depth = queens, .states = 1});
}

/* Goes to the next place where a level has to take another square; NQ_END: there is none in this wave. */
static enum nq_status turn_back(struct search *search)
{
    if (search->depth == 0)
        return NQ_END;
    ascend(search);
    note(search, STEP_REMOVE);
    return NQ_AGAIN;
}

/* The end of a wave is the beginning of the next one, unless it has left nothing out. */
static enum nq_status end_wave(struct search *search)
{
    search->ended = !search->cut;
    if (!search->ended)
        begin_wave(search, search->wave + 1);
    return search->ended ? NQ_END : NQ_AGAIN;
}

/* ---- Positions ---- */

/* The first wave that allows every square on the path. */
static uint32_t wave_of_path(const struct search *search)
{
    uint32_t wave = 0;
    for (const struct branch *level = search->levels; level < search->levels + search->depth; level++)
        while (level->tried > 1 && !allowed(search, wave, level))
            wave++;
    return wave;
}

/* Goes to the position. Where one that was forged leaves the path, the list continues there. */
static void follow(struct search *search)
{
    const bool whole = search->length == search->n;
    uint32_t inverse[VACANCIES_MAX_N];
    search->moved = false;
    if (search->length == 0)
        return;
    search->wave = whole ? 0 : search->position[0];
    for (uint32_t row = 0; whole && row < search->n; row++)
        inverse[search->position[row]] = row;
    for (uint32_t i = 0; search->vacancies->left && (whole || i + 1 < search->length); i++) {
        if (!choose(search))
            break;
        struct branch *level = &search->levels[search->depth];
        branch_pass(search->vacancies, level,
                    !whole             ? search->position[i + 1]
                    : level->by_column ? inverse[level->line]
                                       : search->position[level->line]);
        set_fresh(search, level);
        if (!vacancies_free(search->vacancies, branch_row(level), branch_column(level)))
            break;
        (void)descend(search);
    }
    if (whole) {
        const uint32_t levels = search->depth + search->chosen;
        search->wave = wave_of_path(search);
        for (uint32_t i = 0; i < levels; i++)
            set_fresh(search, &search->levels[i]);
    } else if (search->depth && !search->chosen) {
        ascend(search); /* what is below the last square is finished */
    }
    search->cut = true; /* for all that is known */
}

/* Whether these are columns of a solution on allowed squares. */
static enum nq_status check_solution(const struct query *query, const uint32_t *columns)
{
    bool valid;
    const enum nq_status status = nq_verify(query->filter.n, columns, &valid);
    return status != NQ_OK || (valid && query_permits(query, columns)) ? status : NQ_INVALID;
}

static enum nq_status fewest_check(const struct query *query, const uint32_t *prefix, uint32_t length)
{
    const uint32_t n = query->filter.n;
    if (length > n)
        return NQ_INVALID;
    if (length == n)
        return check_solution(query, prefix);
    for (uint32_t i = 0; i < length; i++)
        if (prefix[i] >= n)
            return NQ_INVALID;
    return NQ_OK;
}

static enum nq_status fewest_seek(void *state, const uint32_t *prefix, uint32_t length)
{
    struct search *search = state;
    const enum nq_status status = fewest_check(&search->query, prefix, length);
    if (status != NQ_OK)
        return status;
    begin_wave(search, 0);
    search->stats = (struct stats){0};
    search->ended = search->none;
    search->moved = true;
    search->length = length;
    if (length)
        memcpy(search->position, prefix, length * sizeof *prefix);
    return NQ_OK;
}

static uint32_t fewest_position(const void *state, uint32_t *prefix)
{
    const struct search *search = state;
    memcpy(prefix, search->position, search->length * sizeof *prefix);
    return search->length;
}

/* ---- The cursor ---- */

static const struct stats *fewest_stats(const void *state)
{
    const struct search *search = state;
    return &search->stats;
}

static void fewest_close(void *state)
{
    struct search *search = state;
    vacancies_close(search->vacancies);
    free(search->position);
    free(search->keys);
    free(search);
}

static enum nq_status fewest_open(const struct query *query, void **out)
{
    const uint32_t n = query->filter.n;
    struct search *search = calloc(1, sizeof *search + (n + 1) * sizeof search->levels[0]);
    if (!search)
        return NQ_NOMEM;
    search->query = *query;
    search->n = n;
    search->group = query_group(query);
    search->position = calloc(n + 1, sizeof *search->position);
    if (search->group != 1)
        search->keys = calloc(COMPARED * (size_t)n, sizeof *search->keys);
    if (!search->position || (search->group != 1 && !search->keys) ||
        vacancies_open(query, &search->vacancies) != NQ_OK) {
        fewest_close(search);
        return NQ_NOMEM;
    }
    /* Orbits of a quarter turn have four squares, but for the middle of the board. */
    search->none = (query->symmetry == SYMMETRY_QUARTER && n % 4 > 1) ||
                   (!query_whole(query) && vacancies_hopeless(search->vacancies));
    search->ended = search->none;
    *out = search;
    return NQ_OK;
}

/* One step: NQ_OK: there is a solution on the board; NQ_AGAIN; NQ_END. */
static enum nq_status step(struct search *search, uint64_t *budget)
{
    if (!search->chosen) {
        const bool whole = search->vacancies->left == 0;
        if (whole || listed_before(search) || !choose(search))
            return turn_back(search);
    }
    if (!take_next(search)) {
        search->chosen = false;
        return turn_back(search);
    }
    search->stats.tests += 2 * (uint64_t)search->vacancies->left;
    const uint64_t cost = descend(search);
    note(search, STEP_PLACE);
    *budget -= *budget < cost ? *budget : cost;
    if (search->group != 1 && !represents(search))
        return turn_back(search);
    return search->vacancies->left ? NQ_AGAIN : NQ_OK;
}

static enum nq_status fewest_next(void *state, uint64_t *budget, uint32_t *columns)
{
    struct search *search = state;
    if (search->moved)
        follow(search);
    while (!search->ended) {
        const enum nq_status status = step(search, budget);
        if (status == NQ_OK) {
            list(search, columns);
            note(search, STEP_SOLUTION);
            return NQ_OK;
        }
        if (status == NQ_END)
            (void)end_wave(search); /* the loop sees whether it was the last */
        if (*budget == 0 && search->chosen && finish(search))
            return NQ_AGAIN;
    }
    return NQ_END;
}

/* ---- The same, one placement or removal a step ---- */

struct watch {
    struct search *search;
    bool listed; /* the solution that stands */
};

static enum nq_status watch_open(const struct machine_settings *settings, void **out)
{
    struct query query = {.filter = {.n = settings->n, .rule = rules[0]}};
    void *search;
    struct watch *watch = calloc(1, sizeof *watch);
    if (!watch)
        return NQ_NOMEM;
    if (settings->n <= FILTER_MAX_N)
        filter_begin(&query.filter, settings->n);
    const enum nq_status status = fewest_open(&query, &search);
    if (status != NQ_OK) {
        free(watch);
        return status;
    }
    watch->search = search;
    *out = watch;
    return NQ_OK;
}

/* The queen that was placed, or has just been removed. */
static struct step watch_square(const struct search *search, enum step_kind kind)
{
    const struct branch *level = &search->levels[search->depth - (kind == STEP_PLACE)];
    return step_on_square(kind, branch_row(level), branch_column(level), search->depth);
}

/* Waves begin on an empty board: that is no step. */
static enum nq_status watch_step(void *machine, struct step *out)
{
    struct watch *watch = machine;
    struct search *search = watch->search;
    const uint64_t tests = search->stats.tests;
    uint64_t budget = UINT64_MAX;
    if (search->vacancies->left == 0 && !watch->listed) {
        *out = step_on_board(STEP_SOLUTION, search->n);
        watch->listed = true;
        return NQ_OK;
    }
    watch->listed = false;
    while (!search->ended) {
        const uint32_t depth = search->depth;
        if (step(search, &budget) == NQ_END) {
            (void)end_wave(search);
            continue;
        }
        *out = watch_square(search, search->depth > depth ? STEP_PLACE : STEP_REMOVE);
        out->tests = (uint32_t)(search->stats.tests - tests);
        return NQ_OK;
    }
    return NQ_END;
}

static void watch_board(const void *machine, uint32_t *columns)
{
    const struct search *search = ((const struct watch *)machine)->search;
    for (uint32_t row = 0; row < search->n; row++)
        columns[row] = search->vacancies->queen_in_row[row] == VACANT ? NOWHERE : search->vacancies->queen_in_row[row];
}

static void watch_close(void *machine)
{
    struct watch *watch = machine;
    fewest_close(watch->search);
    free(watch);
}

LISTING_FILE(text_fewest_first, "fewest-first.py")
static const struct listing listing = {
    .language = "Python",
    .row = "r",
    .column = "c",
    .board = "x",
    LISTING_TEXT(text_fewest_first),
    .line = {[STEP_PLACE] = 54, [STEP_SOLUTION] = 55, [STEP_REMOVE] = 57},
};

static const struct machine_class machine_fewest_first = {
    .open = watch_open,
    .step = watch_step,
    .board = watch_board,
    .close = watch_close,
    .listing = &listing,
};

static const struct search_class search_fewest_first = {
    .open = fewest_open,
    .next = fewest_next,
    .check = fewest_check,
    .seek = fewest_seek,
    .position = fewest_position,
    .stats = fewest_stats,
    .close = fewest_close,
};

const struct solver solver_fewest_first = {
    .name = "fewest-first",
    .title = "Kalé 1990, fewest first",
    .summary = "depth-first search in waves that fills the row or column with the fewest free squares first, with the "
               "queen that takes the fewest; finds solutions of large boards at once",
    .order = "any",
    .complexity = "O(n) a placement; O(n^2) memory",
    .source = "L. V. Kalé, An almost perfect heuristic for the N nonattacking queens problem, Information Processing "
              "Letters 34, 173-178; T. Walsh, Depth-bounded discrepancy search, IJCAI 1997",
    .year = 1990,
    .tests = "rows and columns whose free squares are counted",
    .max_n = VACANCIES_MAX_N,
    .search = &search_fewest_first,
    .machine = &machine_fewest_first,
};
