/* solver_rapella.c - a dozen lines of BASIC: one array of columns, one for the diagonals of either direction, a row
 * counter that goes up and down, no recursion. E. Rapella, Il problema delle N regine, RetroMagazine 44 (2023), after
 * N. Pintacuda. The names and the numbers of lines are those of listings/rapella.bas, and so is the
 * numbering from 1. */
#include <stdlib.h>
#include <string.h>

#include "solvers/solver.h"
#include "steps/listing.h"

struct rapella {
    uint32_t n;
    uint32_t k, j;                 /* the row, and the last column tried in it */
    bool placed;                   /* the last row has just got its queen: line 190 comes next */
    uint32_t x[MACHINE_MAX_N + 1]; /* by row: the queen's column */
    uint8_t c[MACHINE_MAX_N + 1], ds[2 * MACHINE_MAX_N + 1],
        dp[2 * MACHINE_MAX_N - 1]; /* taken: columns, j + k, j - k + n - 1 */
};

static void rapella_begin(const struct machine_settings *settings, void *machine)
{
    struct rapella *rapella = machine;
    rapella->n = settings->n;
    rapella->k = 1;
}

static void occupy(struct rapella *rapella, uint32_t k, uint32_t j, uint8_t taken)
{
    rapella->c[j] = rapella->ds[j + k] = rapella->dp[j + rapella->n - 1 - k] = taken;
}

/* The row above k whose queen attacks its column j: the one in the column, else the first on a diagonal. */
static uint32_t attacker(const struct rapella *rapella, uint32_t k, uint32_t j)
{
    for (uint32_t row = 1; row < k; row++)
        if (rapella->c[j] ? rapella->x[row] == j : nq_attack(row, rapella->x[row], k, j))
            return row;
    return 0;
}

/* Line 250: the queen of row k is taken off. After a solution that finishes nothing that was not. */
static enum nq_status line_250(struct rapella *rapella, struct step *step)
{
    const bool printed = rapella->j > rapella->n;
    if (rapella->k == 0)
        return NQ_END;
    rapella->j = rapella->x[rapella->k];
    occupy(rapella, rapella->k, rapella->j, 0);
    *step = step_on_square(STEP_REMOVE, rapella->k - 1, rapella->j - 1, rapella->k - 1);
    step->settled = !printed;
    return NQ_OK;
}

/* Lines 190 to 220. */
static enum nq_status print(struct rapella *rapella, struct step *step)
{
    rapella->placed = false;
    *step = step_on_board(STEP_SOLUTION, rapella->n);
    step->settled = true;
    rapella->j = rapella->n + 1; /* what stands in row k is next: see rapella_step() */
    return NQ_OK;
}

static enum nq_status rapella_step(void *machine, struct step *step)
{
    struct rapella *rapella = machine;
    const uint32_t n = rapella->n;
    if (rapella->placed)
        return print(rapella, step);
    if (rapella->k == 0)
        return NQ_END;
    if (rapella->j > n) /* after a solution */
        return line_250(rapella, step);
    const uint32_t k = rapella->k, j = ++rapella->j; /* 130 */
    if (j > n) {                                     /* 140 */
        rapella->k--;
        rapella->j = 0;
        return line_250(rapella, step);
    }
    const bool attacked = rapella->c[j] + rapella->ds[j + k] + rapella->dp[j + n - 1 - k];
    *step = step_on_square(attacked ? STEP_REJECT : STEP_PLACE, k - 1, j - 1, attacked ? k - 1 : k);
    step->tests = 1;
    if (attacked) {
        step->by = attacker(rapella, k, j) - 1;
        return NQ_OK;
    }
    rapella->x[k] = j; /* 160 */
    occupy(rapella, k, j, 1);
    if (k < n) {
        rapella->k++;
        rapella->j = 0;
    } else {
        rapella->placed = true;
    }
    return NQ_OK;
}

static void rapella_board(const void *machine, uint32_t *columns)
{
    const struct rapella *rapella = machine;
    const bool whole = rapella->k && (rapella->placed || rapella->j > rapella->n);
    for (uint32_t k = 1; k <= rapella->n; k++)
        columns[k - 1] = k < rapella->k || whole ? rapella->x[k] - 1 : NOWHERE;
}

/* The queens above row k, and the column that was tried last in it. */
static uint32_t rapella_position(const void *machine, uint32_t *prefix)
{
    const struct rapella *rapella = machine;
    for (uint32_t k = 1; k < rapella->k; k++)
        prefix[k - 1] = rapella->x[k] - 1;
    prefix[rapella->k - 1] = (rapella->j > rapella->n ? rapella->x[rapella->k] : rapella->j) - 1;
    return rapella->k;
}

static enum nq_status rapella_seek(void *machine, const uint32_t *prefix, uint32_t length)
{
    struct rapella *rapella = machine, moved = {.n = rapella->n, .k = 1};
    if (length > moved.n)
        return NQ_INVALID;
    for (uint32_t row = 0; row < length; row++) {
        moved.k = row + 1;
        moved.j = prefix[row] + 1;
        if (prefix[row] >= moved.n)
            return NQ_INVALID;
        if (attacker(&moved, moved.k, moved.j))
            return NQ_INVALID;
        if (row + 1 == length)
            break; /* its next column is tried next */
        moved.x[moved.k] = moved.j;
        occupy(&moved, moved.k, moved.j, 1);
    }
    *rapella = moved;
    return NQ_OK;
}

LISTING_FILE(text_rapella, "rapella.bas")
static const struct listing listing = {
    .language = "BASIC",
    .row = "K",
    .column = "J",
    .board = "X",
    LISTING_TEXT(text_rapella),
    .line = {[STEP_REJECT] = 6, [STEP_PLACE] = 7, [STEP_SOLUTION] = 13, [STEP_REMOVE] = 16},
};

static const struct machine_class machine_rapella = {
    .size = sizeof(struct rapella),
    .begin = rapella_begin,
    .step = rapella_step,
    .board = rapella_board,
    .position = rapella_position,
    .seek = rapella_seek,
    .close = free,
    .listing = &listing,
};

const struct solver solver_rapella = {
    .name = "rapella",
    .title = "Rapella 2023, Commodore 64",
    .summary = "backtracking without recursion: arrays of used columns and diagonals, one queen per row",
    .order = "lexicographic",
    .complexity = "one test a square, tests to the first solution as in OEIS A140450; O(n) memory",
    .source = "E. Rapella, Il problema delle N regine, RetroMagazine 44; after N. Pintacuda, Algoritmi elementari",
    .year = 2023,
    .tests = "squares tested",
    .errata = "It says that J-K is -2 for the square in row 3, column 5: it is 2. Gauss's 72 solutions, against the "
              "C64's 92, are from a letter of 12 September 1850, in which he says that he cannot be sure that there "
              "are no more.",
    .max_n = MACHINE_MAX_N,
    .lists = LISTS_ALL,
    .machine = &machine_rapella,
};
