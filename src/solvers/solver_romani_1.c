/* solver_romani_1.c - all permutations one after the other, of which those are selected whose sums and differences of
 * row and column are all different. F. Romani, Ancora le Regine, MCmicrocomputer (1993, by what it cites), algorithm 1;
 * the program is I. Vardi's. The original makes all n! at once and keeps them; this one knows only the one it is at. */
#include <stdlib.h>
#include <string.h>

#include "solvers/solver.h"
#include "steps/listing.h"

enum { MAX_N = 12 }; /* 479001600 permutations; and sums below 32 */

struct romani {
    uint32_t n;
    bool begun; /* there is a permutation, */
    bool taken; /* which is to be looked at next */
    uint32_t p[MAX_N];
};

static void romani_begin(const struct machine_settings *settings, void *machine)
{
    struct romani *romani = machine;
    romani->n = settings->n;
}

static void swap(uint32_t *a, uint32_t *b)
{
    const uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Turns p into the next permutation in lexicographic order; false: there is none. */
static bool next_permutation(uint32_t n, uint32_t *p)
{
    uint32_t rising = n - 1, greater = n - 1;
    while (rising && p[rising - 1] > p[rising])
        rising--;
    if (rising == 0)
        return false;
    while (p[greater] < p[rising - 1])
        greater--;
    swap(&p[greater], &p[rising - 1]);
    for (uint32_t low = rising, high = n - 1; low < high; low++, high--)
        swap(&p[low], &p[high]);
    return true;
}

/* The next permutation; false: there is none. */
static bool take(struct romani *romani)
{
    if (romani->begun)
        return next_permutation(romani->n, romani->p);
    for (uint32_t row = 0; row < romani->n; row++)
        romani->p[row] = row;
    romani->begun = true;
    return true;
}

/* Whether the union of p + r and that of p - r have n elements each. */
static bool selected(const struct romani *romani)
{
    uint32_t sums = 0, differences = 0;
    for (uint32_t row = 0; row < romani->n; row++) {
        sums |= UINT32_C(1) << (romani->p[row] + row);
        differences |= UINT32_C(1) << (romani->p[row] + romani->n - 1 - row);
    }
    return (uint32_t)__builtin_popcount(sums) == romani->n && (uint32_t)__builtin_popcount(differences) == romani->n;
}

/* The first queen that one above attacks, and the first that does; there is such a pair. */
static void blame(const struct romani *romani, struct step *step)
{
    const uint32_t *p = romani->p;
    for (step->row = 1;; step->row++)
        for (step->by = 0; step->by < step->row; step->by++)
            if (nq_attack(step->by, p[step->by], step->row, p[step->row])) {
                step->column = p[step->row];
                return;
            }
}

static enum nq_status romani_step(void *machine, struct step *step)
{
    struct romani *romani = machine;
    if (!romani->taken && !take(romani))
        return NQ_END;
    *step = step_on_board(STEP_TAKE, romani->n);
    romani->taken = !romani->taken;
    if (romani->taken)
        return NQ_OK;
    step->kind = STEP_SOLUTION;
    step->tests = romani->n;
    step->settled = true;
    if (!selected(romani)) {
        step->kind = STEP_REJECT;
        blame(romani, step);
    }
    return NQ_OK;
}

static void romani_board(const void *machine, uint32_t *columns)
{
    const struct romani *romani = machine;
    for (uint32_t row = 0; row < romani->n; row++)
        columns[row] = romani->begun ? romani->p[row] : NOWHERE;
}

static uint32_t romani_position(const void *machine, uint32_t *prefix)
{
    const struct romani *romani = machine;
    memcpy(prefix, romani->p, romani->n * sizeof *prefix);
    return romani->n;
}

/* Whole permutations only; they need not be solutions. */
static enum nq_status romani_seek(void *machine, const uint32_t *prefix, uint32_t length)
{
    struct romani *romani = machine;
    const uint32_t n = romani->n;
    uint32_t columns = 0;
    if (length != 0 && length != n)
        return NQ_INVALID;
    for (uint32_t row = 0; row < length; row++) {
        if (prefix[row] >= n || columns >> prefix[row] & 1)
            return NQ_INVALID;
        columns |= UINT32_C(1) << prefix[row];
    }
    if (length)
        memcpy(romani->p, prefix, n * sizeof *prefix);
    romani->begun = length > 0;
    romani->taken = false;
    return NQ_OK;
}

LISTING_FILE(text_romani_1, "romani-1.py")
static const struct listing listing = {
    .language = "Python",
    .row = NULL,
    .column = NULL,
    .board = "p",
    LISTING_TEXT(text_romani_1),
    .line = {[STEP_TAKE] = 3, [STEP_REJECT] = 6, [STEP_SOLUTION] = 7},
};

static const struct machine_class machine_romani_1 = {
    .size = sizeof(struct romani),
    .begin = romani_begin,
    .step = romani_step,
    .board = romani_board,
    .position = romani_position,
    .seek = romani_seek,
    .close = free,
    .listing = &listing,
};

const struct solver solver_romani_1 = {
    .name = "romani-1",
    .title = "Romani 1993, Mathematica, 1",
    .summary = "all permutations, filtered to those whose row-column sums and differences are all different",
    .order = "lexicographic",
    .complexity = "n! permutations, n squares each; O(n) memory, where the article's program keeps all n! at once",
    .source = "F. Romani, Ancora le Regine, MCmicrocomputer, algorithm 1; program by I. Vardi",
    .year = 1993,
    .tests = "squares tested: the n of every permutation",
    .max_n = MAX_N,
    .lists = LISTS_ALL,
    .machine = &machine_romani_1,
};
