/* machine.h - the interface of an algorithm that works one step at a time: its steps can be listed and counted, and it
 * can stop after any of them. It knows neither formats nor time. */
#ifndef STEPS_MACHINE_H
#define STEPS_MACHINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/status.h"

/* ---- Memory that several users share, for what can grow. It does not know what they store ---- */

struct allowance {
    atomic_size_t left; /* bytes */
};

/* Takes so many bytes. False: fewer are left, and none is taken. NULL allows anything. */
static inline bool allowance_take(struct allowance *allowance, size_t bytes)
{
    if (!allowance)
        return true;
    size_t left = atomic_load(&allowance->left);
    do {
        if (bytes > left)
            return false;
    } while (!atomic_compare_exchange_weak(&allowance->left, &left, left - bytes));
    return true;
}

static inline void allowance_give(struct allowance *allowance, size_t bytes)
{
    if (allowance)
        atomic_fetch_add(&allowance->left, bytes);
}

/* ---- Machines ---- */

/* The largest board of a solver's machine. */
enum { MACHINE_MAX_N = NQ_SEARCH_MAX_N };

struct rule;
struct regions;
struct shape;
struct listing;

/* No row, no column. */
#define NOWHERE UINT32_MAX

enum step_kind {
    STEP_PLACE,    /* a queen is placed on a square that no queen attacks */
    STEP_REJECT,   /* a square is tried, but a queen attacks it */
    STEP_REMOVE,   /* a queen is removed from its square */
    STEP_SOLUTION, /* the board is a solution of the list */
    STEP_TAKE,     /* a kept placement, or another one, replaces the board */
    STEP_KEEP,     /* the board with one more queen is kept for later; the board does not change */
    STEP_MOVE,     /* the queen of a row moves to a square of that row */
};

struct step {
    enum step_kind kind;
    uint32_t row, column; /* the square; NOWHERE if the step concerns the whole board */
    uint32_t by;          /* STEP_REJECT: the row of the queen that attacks the square; NOWHERE if it is not known */
    uint32_t depth;       /* queens on the board after the step; STEP_KEEP: on the kept one */
    uint32_t tests;  /* squares, pairs of queens or links examined: the unit in which the algorithm measures its work */
    uint64_t states; /* placements in memory after the step; 1 in a search that holds only the board */
    bool has_energy, thousandths;
    int64_t energy; /* after the step; in thousandths, or whole */
    /* Everything up to the position is finished, and the position is a new one. Always false in a machine without
     * positions. */
    bool settled;
};

/* A step on a square, and one that concerns the whole board, of an algorithm that holds only the board. The caller sets
 * the other members. */
static inline struct step step_on_square(enum step_kind kind, uint32_t row, uint32_t column, uint32_t depth)
{
    return (struct step){.kind = kind, .row = row, .column = column, .by = NOWHERE, .depth = depth, .states = 1};
}

static inline struct step step_on_board(enum step_kind kind, uint32_t depth)
{
    return step_on_square(kind, NOWHERE, NOWHERE, depth);
}

static inline double step_energy(const struct step *step)
{
    return step->thousandths ? (double)step->energy / 1000 : (double)step->energy;
}

/* The cost of a step in a budget, which is a number of placements of the plain search: a step of most machines takes up
 * to eight times as long as one of those. */
enum { STEP_COST = 8 };

static inline uint64_t step_cost(const struct step *step)
{
    return STEP_COST + (uint64_t)step->tests;
}

enum strategy { STRATEGY_BREADTH, STRATEGY_DEPTH, STRATEGY_PRIORITY };

/* Settings, as bits. */
enum { HEEDS_COLUMN = 1, HEEDS_SPLIT = 2, HEEDS_STRATEGY = 4, HEEDS_SEED = 8 };

/* Settings of a machine; `heeds` in its row of the table names those that it uses. */
struct machine_settings {
    uint32_t n;
    uint32_t column;   /* of the first queen */
    uint32_t splits;   /* entries of `split` */
    uint32_t split[2]; /* rows filled when a stage ends, 1 to n, not decreasing; none: as in the article */
    enum strategy strategy;
    uint64_t seed;
    const struct rule *rule;       /* one that is not by lines only for a machine that asks it */
    const struct regions *regions; /* NULL: none; borrowed while it is opened; only for a machine that knows them */
    const struct shape *shape;     /* NULL: n x n; borrowed; only for a machine that knows shapes */
    struct allowance *allowance;   /* of memory that grows with the work; NULL: no limit */
};

/* A line of pseudocode, and the kinds of steps that it does, as bits 1 << kind. */
struct code_line {
    const char *text;
    unsigned steps;
};

enum { CODE_LINES = 12 };

/* What an algorithm does, for readers: symbols where they say it, rows and columns counted from 1. Every kind of step
 * that the machine makes is in one line. */
struct pseudocode {
    const char *row, *column, *board;       /* what it calls the square and the queens; NULL: it has no name */
    struct code_line lines[CODE_LINES + 1]; /* ends with NULL */
};

/* The bit of a kind of steps in a line. */
#define DOES(kind) (1u << STEP_##kind)

struct machine_class {
    /* begin() makes a machine of `size` bytes, all zero, ready for its first step; n is at least 1. A machine that
     * allocates more has open() in their place: NQ_OK, or NQ_NOMEM. machine_open() calls them. */
    size_t size;
    void (*begin)(const struct machine_settings *settings, void *machine);
    enum nq_status (*open)(const struct machine_settings *settings, void **machine);

    /* Does the next step, in a few microseconds for any n. NQ_OK; NQ_END: there are no more steps; NQ_BUSY: the
     * allowance is used up; NQ_LIMIT: one machine may not use so much memory; NQ_NOMEM. After the last three the
     * machine can only be closed. */
    enum nq_status (*step)(void *machine, struct step *step);

    /* Writes the board: the column of the queen in each row, NOWHERE in one without; columns[0..n). */
    void (*board)(const void *machine, uint32_t *columns);

    /* As those of a cursor, see nqueens.h. position is called only after a settled step. Both NULL: the machine has no
     * positions; to come to a step, all steps before it must be done again. */
    uint32_t (*position)(const void *machine, uint32_t *prefix);
    enum nq_status (*seek)(void *machine, const uint32_t *prefix, uint32_t length);

    void (*close)(void *machine);

    /* What it does, for readers: every machine of the tables has one of these. */
    const struct listing *listing; /* listing.h */
    const struct pseudocode *code;
};

/* Makes a machine, which class->close() frees. NQ_OK, or NQ_NOMEM. */
static inline enum nq_status machine_open(const struct machine_class *class, const struct machine_settings *settings,
                                          void **machine)
{
    if (class->open)
        return class->open(settings, machine);
    *machine = calloc(1, class->size);
    if (*machine)
        class->begin(settings, *machine);
    return *machine ? NQ_OK : NQ_NOMEM;
}

/* ---- Statistics of steps ---- */

enum { STATS_LEVELS = NQ_SEARCH_MAX_N };

/* Of some steps of one machine. They are the same on every computer. */
struct stats {
    uint64_t steps;
    uint64_t placements; /* queens placed, kept or moved */
    uint64_t tests;      /* squares, pairs of queens or links examined, depending on the algorithm */
    uint64_t rejections;
    uint64_t backtracks; /* queens removed */
    uint64_t solutions;
    uint64_t peak_states;              /* the most placements held at once */
    uint64_t levels[STATS_LEVELS + 1]; /* by number of queens: placements with so many that were made or kept */
};

static inline void stats_add(struct stats *stats, const struct step *step)
{
    const bool put = step->kind == STEP_PLACE || step->kind == STEP_KEEP;
    stats->steps++;
    stats->placements += put || step->kind == STEP_MOVE;
    stats->tests += step->tests;
    stats->rejections += step->kind == STEP_REJECT;
    stats->backtracks += step->kind == STEP_REMOVE;
    stats->solutions += step->kind == STEP_SOLUTION;
    if (step->states > stats->peak_states)
        stats->peak_states = step->states;
    if (put && step->depth <= STATS_LEVELS)
        stats->levels[step->depth]++;
}

#endif
