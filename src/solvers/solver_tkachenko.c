/* solver_tkachenko.c - one array and no recursion: every queen is compared with each of those before it, and the first
 * one keeps to the left half. K. S. Tkachenko, Interesnoe reshenie zadachi o vosmi ferzyakh (An interesting solution of
 * the eight queens problem), after an exercise of J.-P. Lamoitier's on Fortran IV. The names are those of the listing,
 * and so is the numbering from 1. It keeps no lines and no squares, only d. */
#include <stdlib.h>

#include "solvers/solver.h"
#include "steps/listing.h"

enum next { CHECK, ADVANCE, PRINT, TAKE_OFF };

struct tkachenko {
    uint32_t n;
    uint32_t i; /* the row in work */
    enum next next;
    uint32_t d[MACHINE_MAX_N + 1]; /* by row: the queen's column; of row i, the last one tried */
};

static void tkachenko_begin(const struct machine_settings *settings, void *machine)
{
    struct tkachenko *tkachenko = machine;
    *tkachenko = (struct tkachenko){.n = settings->n, .i = 1, .next = CHECK, .d[1] = 1};
}

/* The last column to try in row i. The article ends with d[1] > n/2, which is the half for its n = 8; when n is odd it
 * would leave out the middle column, where one of each two reflections has its second queen in the left half. */
static uint32_t last(const struct tkachenko *tkachenko, uint32_t i)
{
    const uint32_t n = tkachenko->n;
    if (i == 1)
        return n - n / 2;
    return i == 2 && 2 * tkachenko->d[1] == n + 1 ? n / 2 : n;
}

/* The first queen that attacks the one of row i; 0: none. Counts the pairs compared; nq_attack() is the article's
 * d[i] = d[j] or |d[i] - d[j]| = |i - j|. */
static uint32_t attacker(const struct tkachenko *tkachenko, uint32_t i, uint32_t *pairs)
{
    for (uint32_t j = 1; j < i; j++) {
        ++*pairs;
        if (nq_attack(i, tkachenko->d[i], j, tkachenko->d[j]))
            return j;
    }
    return 0;
}

static void check(struct tkachenko *tkachenko, struct step *step)
{
    const uint32_t i = tkachenko->i;
    uint32_t pairs = 0;
    const uint32_t j = attacker(tkachenko, i, &pairs);
    *step = step_on_square(j ? STEP_REJECT : STEP_PLACE, i - 1, tkachenko->d[i] - 1, j ? i - 1 : i);
    step->tests = pairs;
    tkachenko->next = ADVANCE;
    if (j) {
        step->by = j - 1;
        return;
    }
    if (i == tkachenko->n) {
        tkachenko->next = PRINT;
        return;
    }
    tkachenko->i++;
    tkachenko->d[tkachenko->i] = 1;
    tkachenko->next = CHECK;
}

static void print(struct tkachenko *tkachenko, struct step *step)
{
    *step = step_on_board(STEP_SOLUTION, tkachenko->n);
    step->settled = true;
    tkachenko->next = TAKE_OFF;
}

/* The queen of row i is in hand again. After a solution that finishes nothing that was not. */
static void take_off(struct tkachenko *tkachenko, struct step *step)
{
    const uint32_t i = tkachenko->i;
    *step = step_on_square(STEP_REMOVE, i - 1, tkachenko->d[i] - 1, i - 1);
    step->settled = tkachenko->next != TAKE_OFF;
    tkachenko->next = ADVANCE;
}

static enum nq_status tkachenko_step(void *machine, struct step *step)
{
    struct tkachenko *tkachenko = machine;
    if (tkachenko->i == 0)
        return NQ_END;
    if (tkachenko->next == PRINT) {
        print(tkachenko, step);
    } else if (tkachenko->next == TAKE_OFF) {
        take_off(tkachenko, step);
    } else if (tkachenko->next == ADVANCE && tkachenko->d[tkachenko->i] >= last(tkachenko, tkachenko->i)) {
        if (--tkachenko->i == 0)
            return NQ_END;
        take_off(tkachenko, step);
    } else {
        tkachenko->d[tkachenko->i] += tkachenko->next == ADVANCE;
        check(tkachenko, step);
    }
    return NQ_OK;
}

static void tkachenko_board(const void *machine, uint32_t *columns)
{
    const struct tkachenko *tkachenko = machine;
    const bool whole = tkachenko->next == PRINT || tkachenko->next == TAKE_OFF;
    for (uint32_t row = 1; row <= tkachenko->n; row++)
        columns[row - 1] = row < tkachenko->i || whole ? tkachenko->d[row] - 1 : NOWHERE;
}

/* The queens above row i, and the column that was tried last in it. */
static uint32_t tkachenko_position(const void *machine, uint32_t *prefix)
{
    const struct tkachenko *tkachenko = machine;
    for (uint32_t row = 1; row <= tkachenko->i; row++)
        prefix[row - 1] = tkachenko->d[row] - 1;
    return tkachenko->i;
}

/* Of a whole solution of the other half, the row that is beyond this one has no column left. */
static enum nq_status tkachenko_seek(void *machine, const uint32_t *prefix, uint32_t length)
{
    struct tkachenko *tkachenko = machine, moved = {.n = tkachenko->n, .i = 1, .next = CHECK, .d[1] = 1};
    uint32_t pairs = 0, beyond = 0;
    if (length > moved.n)
        return NQ_INVALID;
    for (uint32_t row = 1; row <= length; row++) {
        const bool past = prefix[row - 1] >= last(&moved, row);
        if (prefix[row - 1] >= moved.n || (past && length < moved.n))
            return NQ_INVALID;
        if (past && !beyond)
            beyond = row;
        moved.d[row] = prefix[row - 1] + 1;
        if (attacker(&moved, row, &pairs))
            return NQ_INVALID;
        moved.i = beyond ? beyond : row;
        moved.next = ADVANCE;
    }
    *tkachenko = moved;
    return NQ_OK;
}

LISTING_FILE(text_tkachenko, "tkachenko.c.txt")
static const struct listing listing = {
    .language = "C",
    .row = "i",
    .column = "d[i]",
    .board = "d",
    LISTING_TEXT(text_tkachenko),
    .line = {[STEP_REJECT] = 25, [STEP_PLACE] = 26, [STEP_SOLUTION] = 28, [STEP_REMOVE] = 30},
};

static const struct machine_class machine_tkachenko = {
    .size = sizeof(struct tkachenko),
    .begin = tkachenko_begin,
    .step = tkachenko_step,
    .board = tkachenko_board,
    .position = tkachenko_position,
    .seek = tkachenko_seek,
    .close = free,
    .listing = &listing,
};

const struct solver solver_tkachenko = {
    .name = "tkachenko",
    .title = "Tkachenko, Lamoitier 1978, Fortran",
    .summary = "backtracking without recursion in a single array: every queen is compared with each before it, the "
               "first stays in the left half",
    .order = "lexicographic",
    .complexity = "up to n - 1 comparisons a square; O(n) memory",
    .source = "K. S. Tkachenko, Sevastopol State University, Interesnoe reshenie zadachi o vosmi ferzyakh; after "
              "J.-P. Lamoitier, Exercises in Fortran IV, Russian edition, Moscow 1978",
    .year = 1978,
    .tests = "pairs of queens compared",
    .errata =
        "It calls its 46 solutions of n = 8 all the unique ones: they are half of the 92, and 12 are unique under "
        "rotation and reflection. Its rule for the first queen, at most n/2, gives less than half for odd n (17 of 40 "
        "for n = 7); here the middle column is added, with the second queen in the left half.",
    .max_n = MACHINE_MAX_N,
    .lists = LISTS_MIRROR,
    .machine = &machine_tkachenko,
};
