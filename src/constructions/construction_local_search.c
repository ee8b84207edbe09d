/* construction_local_search.c - a random placement repaired: R. Sosic, J. Gu, Efficient local search with conflict
 * minimization: a case study of the n-queens problem, IEEE Transactions on Knowledge and Data Engineering 6(5), 661-668
 * (1994). Theirs is a permutation of the columns too, a start in which most rows get a queen that none above attacks,
 * and swaps of the few that are left with others at random. Here the rows are gone through once: each takes the next
 * column of a shuffled list that fits, and where none does, its queen changes columns with a random one above such that
 * both are at peace. Rows above are so always without conflict; a diagonal needs a bit, and not a count.
 *
 * Superqueens stand in the same way, and each looks at the queens a knight's move away, too. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "constructions/construction.h"
#include "steps/listing.h"

extern const struct rule rule_superqueens;

static const struct rule *const rules_of_local_search[] = {&rule_superqueens, NULL};

/* Columns looked at for a row: more are hardly ever needed while more are left. Then swaps tried: on a board of a
 * thousand rows or more one in thirty succeeds, on a small one the whole start may have been bad. */
enum { TRIES = 64, AHEAD = 12, SWAPS = 1 << 14, SWAPS_A_ROW = 16 };

struct search {
    uint32_t n;
    struct random random;
    struct allowance *allowance;
    bool knights;  /* queens attack as knights, too */
    bool placing;  /* or still shuffling */
    uint32_t row;  /* all above are in order */
    uint32_t next; /* where in the list of columns the next row begins to look */
    uint32_t *columns;
    uint64_t *up, *down; /* a bit for each diagonal that has a queen; one piece of memory; NULL when ready */
};

static size_t words(uint32_t n)
{
    return (size_t)n / 32 + 1; /* 2 n - 1 bits */
}

static size_t diagonal_bytes(uint32_t n)
{
    return 2 * words(n) * sizeof(uint64_t);
}

static void drop_diagonals(struct search *search)
{
    if (!search->up)
        return;
    free(search->up);
    search->up = search->down = NULL;
    allowance_give(search->allowance, diagonal_bytes(search->n));
}

static void local_search_close(void *state)
{
    struct search *search = state;
    drop_diagonals(search);
    free(search->columns);
    allowance_give(search->allowance, search->n * sizeof *search->columns);
    free(search);
}

static size_t local_search_bytes(uint32_t n)
{
    return n * sizeof(uint32_t) + diagonal_bytes(n);
}

static enum nq_status local_search_open(const struct construction_settings *settings, void **out)
{
    const uint32_t n = settings->n;
    const size_t bytes = local_search_bytes(n);
    if (!allowance_take(settings->allowance, bytes))
        return NQ_BUSY;
    struct search *search = calloc(1, sizeof *search);
    uint32_t *columns = malloc(n * sizeof *columns);
    uint64_t *diagonals = calloc(1, diagonal_bytes(n));
    if (!search || !columns || !diagonals) {
        free(diagonals);
        free(columns);
        free(search);
        allowance_give(settings->allowance, bytes);
        return NQ_NOMEM;
    }
    *search = (struct search){.n = n,
                              .random = random_begin(settings->seed, 0),
                              .allowance = settings->allowance,
                              .knights = settings->rule->moves & MOVE_KNIGHT,
                              .columns = columns,
                              .up = diagonals,
                              .down = diagonals + words(n)};
    *out = search;
    return NQ_OK;
}

/* ---- Queens ---- */

static inline uint32_t up(const struct search *search, uint32_t row, uint32_t column)
{
    return row + search->n - 1 - column;
}

static inline bool has(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> i % 64 & 1;
}

/* Whether a queen is a knight's move from one of the rows in order, or from the one that is being settled. */
static bool knight(const struct search *search, uint32_t row, uint32_t column)
{
    for (uint32_t other = row < 2 ? 0 : row - 2; other <= row + 2 && other <= search->row; other++) {
        const uint32_t at = search->columns[other], apart = at > column ? at - column : column - at;
        if ((other > row ? other - row : row - other) * apart == 2)
            return true;
    }
    return false;
}

static inline bool peaceful(const struct search *search, uint32_t row, uint32_t column)
{
    return !has(search->down, row + column) && !has(search->up, up(search, row, column)) &&
           !(search->knights && knight(search, row, column));
}

/* On large boards the diagonals are not in the nearest cache: those of a column that is looked at soon can be on their
 * way. */
static inline void fetch(const struct search *search, uint32_t row, uint32_t column)
{
    __builtin_prefetch(&search->down[(row + column) / 64]);
    __builtin_prefetch(&search->up[up(search, row, column) / 64]);
}

/* Puts a queen there, or takes the one that is there. */
static inline void toggle(struct search *search, uint32_t row, uint32_t column)
{
    const uint32_t a = row + column, b = up(search, row, column);
    search->down[a / 64] ^= UINT64_C(1) << a % 64;
    search->up[b / 64] ^= UINT64_C(1) << b % 64;
}

/* ---- Rows ---- */

/* Shuffles from inside out (Fisher, Yates), as far as the budget goes. */
static void shuffle(struct search *search, uint64_t *budget)
{
    const uint64_t left = search->n - search->row;
    const uint32_t end = search->row + (uint32_t)(*budget < left ? *budget : left);
    struct random random = search->random;
    uint32_t *columns = search->columns;
    *budget -= end - search->row;
    for (uint32_t i = search->row; i < end; i++) {
        const uint32_t j = random_below(&random, i + 1);
        columns[i] = columns[j];
        columns[j] = i;
    }
    search->random = random;
    search->row = end;
}

/* Looks at the next of the columns that no row has, going on where the row above left off: what did not fit there, for
 * its diagonals, is no better here. True: it fits, and is the row's. */
static inline bool try_column(struct search *search)
{
    const uint32_t n = search->n, row = search->row, at = search->next == n ? row : search->next;
    uint32_t *columns = search->columns;
    const uint32_t column = columns[at];
    search->next = at + 1;
    fetch(search, row, at + AHEAD < n ? columns[at + AHEAD] : column);
    if (!peaceful(search, row, column))
        return false;
    columns[at] = columns[row];
    columns[row] = column;
    toggle(search, row, column);
    return true;
}

static uint32_t most_columns(const struct search *search)
{
    const uint32_t left = search->n - search->row;
    return left < TRIES ? left : TRIES;
}

/* An attempt to give the row the column of a random row above, and that one the row's own. */
struct swap {
    bool done;
    uint32_t other;
    uint32_t squares; /* looked at */
};

static inline struct swap try_swap(struct search *search)
{
    const uint32_t row = search->row, own = search->columns[row];
    const uint32_t other = random_below(&search->random, row), column = search->columns[other];
    struct swap swap = {.other = other, .squares = 1};
    search->columns[other] = own; /* whatever looks at rows nearby sees them exchanged */
    search->columns[row] = column;
    toggle(search, other, column);
    if (peaceful(search, row, column)) {
        toggle(search, row, column);
        swap.squares = 2;
        swap.done = peaceful(search, other, own);
        if (!swap.done)
            toggle(search, row, column);
    }
    toggle(search, other, swap.done ? own : column);
    if (!swap.done) {
        search->columns[other] = column;
        search->columns[row] = own;
    }
    return swap;
}

static uint32_t most_swaps(const struct search *search)
{
    return search->n < SWAPS / SWAPS_A_ROW ? search->n * SWAPS_A_ROW : SWAPS;
}

/* Gives the row a queen that is at peace with those above, and takes what that cost off the budget. */
static bool settle(struct search *search, uint64_t *budget)
{
    const uint32_t columns = most_columns(search), swaps = most_swaps(search);
    uint32_t tries = 0;
    bool settled = false;
    while (!settled && tries < columns) {
        settled = try_column(search);
        tries++;
    }
    while (!settled && tries < columns + swaps) {
        settled = try_swap(search).done;
        tries++;
    }
    *budget -= *budget < tries ? *budget : tries;
    return settled;
}

static void go_down(struct search *search)
{
    search->row++;
    if (search->next < search->row)
        search->next = search->row;
}

/* The same random numbers go on: the next start is another. */
static void restart(struct search *search)
{
    memset(search->up, 0, diagonal_bytes(search->n));
    search->placing = false;
    search->row = 0;
}

static void begin_placing(struct search *search)
{
    search->placing = true;
    search->row = search->next = 0;
}

static enum nq_status local_search_work(void *state, uint64_t *budget)
{
    struct search *search = state;
    while (search->up) {
        if (*budget == 0)
            return NQ_AGAIN;
        if (!search->placing) {
            shuffle(search, budget);
            if (search->row == search->n)
                begin_placing(search);
        } else if (!settle(search, budget)) {
            restart(search);
        } else {
            go_down(search);
            if (search->row == search->n)
                drop_diagonals(search);
        }
    }
    return NQ_OK;
}

static void local_search_rows(const void *state, uint32_t first, uint32_t count, uint32_t *columns)
{
    const struct search *search = state;
    memcpy(columns, search->columns + first, count * sizeof *columns);
}

/* ---- The same, one try a step ---- */

struct watch {
    struct search *search;
    uint32_t tries; /* of the row */
    bool moved;     /* the row above has left the column that the row is to have */
    bool over;      /* no more steps: it is solved, or cannot be */
};

static enum nq_status watch_open(const struct machine_settings *settings, void **out)
{
    struct construction_settings same = construction_presets(settings->n);
    same.seed = settings->seed;
    same.allowance = settings->allowance;
    struct watch *watch = calloc(1, sizeof *watch);
    void *search = NULL;
    uint64_t budget = UINT64_MAX;
    const enum nq_status status = watch ? local_search_open(&same, &search) : NQ_NOMEM;
    if (status != NQ_OK) {
        free(watch);
        return status;
    }
    watch->search = search;
    watch->over = settings->n == 2 || settings->n == 3;
    shuffle(watch->search, &budget);
    begin_placing(watch->search);
    *out = watch;
    return NQ_OK;
}

/* The row has its queen, or has not. */
static void tell_try(struct watch *watch, bool settled, struct step *step)
{
    struct search *search = watch->search;
    if (settled) {
        step->kind = STEP_PLACE;
        step->row = search->row;
        step->column = search->columns[search->row];
        watch->tries = 0;
        go_down(search);
        return;
    }
    step->kind = STEP_REJECT;
    step->row = search->row;
    watch->tries++;
}

static void step_column(struct watch *watch, struct step *step)
{
    struct search *search = watch->search;
    const bool settled = try_column(search);
    step->column = search->columns[search->next - 1];
    step->tests = 1;
    for (uint32_t row = 0; !settled && row < search->row && step->by == NOWHERE; row++)
        if (nq_attack(row, search->columns[row], search->row, step->column))
            step->by = row;
    tell_try(watch, settled, step);
}

static void step_swap(struct watch *watch, struct step *step)
{
    struct search *search = watch->search;
    const struct swap swap = try_swap(search);
    step->tests = swap.squares;
    step->column = search->columns[swap.other];
    if (!swap.done) {
        tell_try(watch, false, step);
        return;
    }
    step->kind = STEP_MOVE;
    step->row = swap.other;
    watch->moved = true;
}

static void step_restart(struct watch *watch, struct step *step)
{
    uint64_t budget = UINT64_MAX;
    restart(watch->search);
    shuffle(watch->search, &budget);
    begin_placing(watch->search);
    watch->tries = 0;
    step->kind = STEP_TAKE;
}

static enum nq_status machine_step(void *machine, struct step *step)
{
    struct watch *watch = machine;
    const struct search *search = watch->search;
    if (watch->over)
        return NQ_END;
    *step = (struct step){.row = NOWHERE, .column = NOWHERE, .by = NOWHERE, .states = 1};
    if (search->row == search->n) {
        step->kind = STEP_SOLUTION;
        watch->over = true;
    } else if (watch->moved) {
        watch->moved = false;
        tell_try(watch, true, step);
    } else if (watch->tries < most_columns(search)) {
        step_column(watch, step);
    } else if (watch->tries < most_columns(search) + most_swaps(search)) {
        step_swap(watch, step);
    } else {
        step_restart(watch, step);
    }
    step->depth = search->row;
    return NQ_OK;
}

static void machine_board(const void *machine, uint32_t *columns)
{
    const struct search *search = ((const struct watch *)machine)->search;
    for (uint32_t row = 0; row < search->n; row++)
        columns[row] = row < search->row ? search->columns[row] : NOWHERE;
}

static void machine_close(void *machine)
{
    struct watch *watch = machine;
    local_search_close(watch->search);
    free(watch);
}

LISTING_FILE(text_local_search, "local-search.py")
static const struct listing listing = {
    .language = "Python",
    .row = "k",
    .column = "j",
    .board = "x",
    LISTING_TEXT(text_local_search),
    .line = {[STEP_TAKE] = 39, [STEP_REJECT] = 27, [STEP_MOVE] = 32, [STEP_PLACE] = 34, [STEP_SOLUTION] = 40},
};

static const struct machine_class machine = {
    .open = watch_open,
    .step = machine_step,
    .board = machine_board,
    .close = machine_close,
    .listing = &listing,
};

const struct construction construction_local_search = {
    .name = "local-search",
    .title = "Sosic, Gu 1994, local search",
    .summary = "a random placement repaired by swaps",
    .complexity = "expected O(n) in all, O(n) memory",
    .source =
        "R. Sosic, J. Gu, Efficient local search with conflict minimization: a case study of the n-queens problem, "
        "IEEE Transactions on Knowledge and Data Engineering 6(5), 661-668 (1994)",
    .year = 1994,
    .max_n = 10000000,
    .takes = TAKES_SEED,
    .rules = rules_of_local_search,
    .bytes = local_search_bytes,
    .open = local_search_open,
    .work = local_search_work,
    .rows = local_search_rows,
    .close = local_search_close,
    .machine = &machine,
    .tests = "squares tested",
    .machine_max_n = 500,
};
