/* construction.h - the interface of a construction: one solution of a size, prepared in several calls and then read row
 * by row. It knows neither formats nor threads. */
#ifndef CONSTRUCTIONS_CONSTRUCTION_H
#define CONSTRUCTIONS_CONSTRUCTION_H

#include "base/status.h"
#include "rules/rule.h"
#include "steps/machine.h"

/* No product of factors of which the first is at least 4 and the others at least 5 has more of them below 2^32. */
enum { CONSTRUCTION_FACTORS_MAX = 14, CONSTRUCTION_COLUMNS_MAX = 128 };

/* Settings of a construction; `takes` in its row of the table names those that it uses. */
struct construction_settings {
    uint32_t n;
    uint64_t seed;
    const struct rule *rule;
    uint32_t multiplier; /* 0: its own for the rule */
    uint32_t shift;
    uint32_t factor_count; /* 0: it chooses them */
    uint32_t factors[CONSTRUCTION_FACTORS_MAX];
    bool given[CONSTRUCTION_FACTORS_MAX];      /* as a board, whose columns by row stand in: */
    uint8_t columns[CONSTRUCTION_COLUMNS_MAX]; /* permutations, one behind the other */
    struct allowance *allowance;               /* for plans that grow with n; NULL: there is no limit */
};

enum { CONSTRUCTION_MULTIPLIER = 2, CONSTRUCTION_SHIFT = 0 };

/* The default settings. */
static inline struct construction_settings construction_presets(uint32_t n)
{
    return (struct construction_settings){
        .n = n, .rule = rules[0], .multiplier = CONSTRUCTION_MULTIPLIER, .shift = CONSTRUCTION_SHIFT};
}

/* Settings, as bits; TAKES_MULTIPLIER includes the shift. */
enum { TAKES_SEED = 1, TAKES_MULTIPLIER = 2, TAKES_FACTORS = 4 };

/* The length of a sentence for the client: why there is no solution. */
enum { CONSTRUCTION_WHY_MAX = 240 };

/* Boards of 0 and 1 rows need no construction, those of 2 and 3 have no solution, nor those of which the rule knows it:
 * no function is called for them, except that factors given for 0 or 1 are checked. It works by functions of its own,
 * or by its machine. One that has neither is put together on a floor above, and cannot be opened here. */
struct construction {
    const char *name;
    const char *title; /* as that of a solver */
    const char *summary;
    const char *complexity;
    const char *source;
    int year;
    uint32_t max_n;
    unsigned takes;
    bool fails; /* with some seeds it ends without a solution; only by a machine that has an energy */
    /* Rules by which it has solutions, which check() heeds; ends with NULL. NULL: none, but those of which solutions of
     * queens are solutions. */
    const struct rule *const *rules;
    uint32_t drawn_n; /* by all other rules the engine draws solutions of boards up to this size */

    /* NQ_OK: these settings have a solution. NQ_NONE: they have none, and `why` says why. NQ_INVALID: the factors are
     * not two or more whose product is n. Takes at most a millisecond. NULL: they always have one. */
    enum nq_status (*check)(const struct construction_settings *settings, char why[static CONSTRUCTION_WHY_MAX]);

    /* What a plan of this size takes from the allowance; grows with n. NULL: nothing. */
    size_t (*bytes)(uint32_t n);
    /* Settings that were checked. NQ_OK, NQ_NOMEM, NQ_BUSY (the allowance is used up). */
    enum nq_status (*open)(const struct construction_settings *settings, void **plan);
    /* Makes the plan ready. *budget is how many placements or swaps, about, may still be tried; it is decreased by
     * those that were. NQ_OK: ready; NQ_AGAIN: the budget ran out first. NULL: a plan is ready at once. */
    enum nq_status (*work)(void *plan, uint64_t *budget);
    /* Of a plan that is ready; as nq_construction_rows(). */
    void (*rows)(const void *plan, uint32_t first, uint32_t count, uint32_t *columns);
    void (*close)(void *plan);

    /* In steps: the first solution that stands on its board is the one, and it heeds n, the seed and the allowance; of
     * n = 2 and 3 it ends without.
     * With the functions above it only serves traces, and has the same solution; without them it makes the solution. */
    const struct machine_class *machine;
    uint32_t machine_max_n; /* of traces */
    const char *tests;      /* the unit of its tests */
};

/* The first is the default; ends with NULL. */
extern const struct construction *const constructions[];

/* The construction of a name, or the default for NULL; NULL: there is none. */
const struct construction *construction_find(const char *name);

/* The largest n of which it has solutions by a rule; 0: it has none by this rule. */
uint32_t construction_max_n(const struct construction *construction, const struct rule *rule);

/* Whether it has a solution of this size by a rule, as it is preset and with every seed; not for boards without a
 * solution. */
bool construction_able(const struct construction *construction, uint32_t n, const struct rule *rule);

/* As check() above, for any n up to its largest by the rule; `why` then also names constructions that have a solution.
 * It is empty if the board has none: n = 2 and 3, or what the rule knows. */
enum nq_status construction_check(const struct construction *construction, const struct construction_settings *settings,
                                  char why[static CONSTRUCTION_WHY_MAX]);

/* Begins one. NQ_OK; NQ_INVALID, NQ_NONE: see check(); NQ_LIMIT (n above its largest), NQ_NOMEM, NQ_BUSY (the allowance
 * is used up). */
enum nq_status construction_open(const struct construction *method, const struct construction_settings *settings,
                                 struct nq_construction **construction);

/* Makes it ready, as work() above; also NQ_LIMIT (it gives up), and of machines NQ_BUSY and NQ_NOMEM. Its rows may be
 * asked for after NQ_OK only. */
enum nq_status construction_work(struct nq_construction *construction, uint64_t *budget);

/* Of one that gave up: where its machine ended. */
struct construction_end {
    uint64_t steps;
    double energy; /* after the last */
};
struct construction_end construction_ended(const struct nq_construction *construction);

#endif
