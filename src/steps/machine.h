/* machine.h - the shape of an algorithm that works one step at a time: it can be watched, its work counted, and it can
 * be left alone after any step. It knows neither formats nor time nor who watches. */
#ifndef STEPS_MACHINE_H
#define STEPS_MACHINE_H

#include <nqueens.h>

#include "base/allowance.h"

/* The largest board a solver's machine has. */
enum { MACHINE_MAX_N = NQ_SEARCH_MAX_N };

/* No row, no column. */
#define NOWHERE UINT32_MAX

enum step_kind {
    STEP_PLACE,    /* a queen is put on a square that no queen attacks */
    STEP_REJECT,   /* a square is tried, and a queen attacks it */
    STEP_REMOVE,   /* a queen is taken off its square again */
    STEP_SOLUTION, /* what stands is a solution of the list */
    STEP_TAKE,     /* another placement, or part of one, is taken up: the whole board is another */
    STEP_KEEP,     /* the board and a queen on a square are kept, to be taken up later; the board stays as it is */
    STEP_MOVE,     /* the queen of a row goes to a square of that row */
};

struct step {
    enum step_kind kind;
    uint32_t row, column; /* the square; NOWHERE when it is about the whole board */
    uint32_t by;          /* STEP_REJECT: the row of the queen that attacks the square; NOWHERE when it is not told */
    uint32_t depth;       /* queens on the board after it; of STEP_KEEP, queens of what is kept */
    uint32_t tests;       /* looked at for it: squares, pairs of queens, links; what the algorithm itself counts by */
    uint64_t states; /* placements, or parts of them, in memory after it; a search that holds only the board has 1 */
    bool has_energy;
    int64_t energy; /* after it, of algorithms that have such a thing */
    /* Everything up to the position is finished, and the position has not been here before. Never so in a machine
     * that has none. */
    bool settled;
};

/* A step on a square, or one about the whole board, of an algorithm that holds only the board; who attacks, tests and
 * what else there is to tell is left to whoever makes it. */
static inline struct step step_on_square(enum step_kind kind, uint32_t row, uint32_t column, uint32_t depth)
{
    return (struct step){.kind = kind, .row = row, .column = column, .by = NOWHERE, .depth = depth, .states = 1};
}

static inline struct step step_on_board(enum step_kind kind, uint32_t depth)
{
    return step_on_square(kind, NOWHERE, NOWHERE, depth);
}

/* What a step counts for in budgets, which are placements of the plain search: about as long, a step of most machines
 * takes up to eight times that. */
enum { STEP_COST = 8 };

static inline uint64_t step_cost(const struct step *step)
{
    return STEP_COST + (uint64_t)step->tests;
}

enum strategy { STRATEGY_BREADTH, STRATEGY_DEPTH, STRATEGY_PRIORITY };

/* Settings there are, as bits. */
enum { HEEDS_COLUMN = 1, HEEDS_SPLIT = 2, HEEDS_STRATEGY = 4, HEEDS_SEED = 8 };

/* What a machine is set to; each heeds what its row in the table says. */
struct machine_settings {
    uint32_t n;
    uint32_t column;   /* of the first queen */
    uint32_t splits;   /* how many follow */
    uint32_t split[2]; /* rows filled when a stage ends, 1 .. n, not decreasing; none given: as in the article */
    enum strategy strategy;
    uint64_t seed;
    struct allowance *allowance; /* for what can grow; NULL: there is no limit */
};

struct machine_class {
    /* n is at least 1. NQ_OK, or NQ_NOMEM. */
    enum nq_status (*open)(const struct machine_settings *settings, void **machine);

    /* Does the next step. NQ_OK; NQ_END: there is none, now and ever after; NQ_BUSY: the allowance is used up;
     * NQ_LIMIT: this would take more memory than any may have; NQ_NOMEM. After the last three it can only be closed.
     * Takes microseconds at most, whatever n. */
    enum nq_status (*step)(void *machine, struct step *step);

    /* Writes the board: the column of the queen in each row, NOWHERE in one without; columns[0..n). */
    void (*board)(const void *machine, uint32_t *columns);

    /* As those of a cursor, see nqueens.h. position is asked after a settled step only. Both NULL: its place cannot be
     * rebuilt, all steps have to be done again. */
    uint32_t (*position)(const void *machine, uint32_t *prefix);
    enum nq_status (*seek)(void *machine, const uint32_t *prefix, uint32_t length);

    void (*close)(void *machine);
};

#endif
