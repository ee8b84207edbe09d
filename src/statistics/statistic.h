/* statistic.h - a quantity that every solution has, a whole number: the solutions of a query are counted by its value.
 * statistics.c is the table. It knows one solution at a time, not how solutions are found. */
#ifndef STATISTICS_STATISTIC_H
#define STATISTICS_STATISTIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest board whose solutions are gone through one by one: 39 029 188 884 solutions, hours. */
enum { STATISTICS_MAX_N = 20 };

struct statistic {
    const char *name;    /* as in by= */
    const char *summary; /* the quantity, in words that follow "by" */
    const char *oeis;    /* the sequence of its numbers for whole boards of queens; NULL: none */
    unsigned revision;   /* with another one stored results are not used */
    bool columns;        /* its values are columns, which are given in the base that was asked for */
    bool mirrored;       /* a solution's left-right reflection has the same value */
    bool sizes;       /* its value is the size of a class of solutions, which has them all if no square is excluded */
    bool queens_only; /* it means something by the rule of queens only */
    double seconds;   /* that a solution takes, about: measured on Zen 5 */
    /* Values are below this; 0 if even the empty board has none. */
    uint32_t (*values)(uint32_t n);
    /* The value of a solution: columns[0..n), n from 1 to STATISTICS_MAX_N. */
    uint32_t (*value)(uint32_t n, const uint8_t *columns);
};

extern const struct statistic *const statistics[];
extern const size_t statistics_count;

/* NULL: there is none of that name. */
const struct statistic *statistic_find(const char *name);

#endif
