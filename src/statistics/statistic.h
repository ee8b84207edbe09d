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

/* ---- What two leaves share ---- */

/* Queens that attack each other once their board's opposite sides are joined to a torus. */

/* Two queens on one line, by their rows, a < b. */
struct torus_pair {
    uint8_t a, b;
};

/* Lines of one direction have at least one queen less in pairs than there are queens. */
enum { TORUS_PAIRS_MAX = 2 * STATISTICS_MAX_N };

/* Pairs every queen with the first on its line, for both directions, and returns how many pairs there are. Of a
 * solution by the rule of queens no line has more than two queens. */
static inline uint32_t torus_pairs(uint32_t n, const uint8_t *columns, struct torus_pair pairs[TORUS_PAIRS_MAX])
{
    uint8_t sums[STATISTICS_MAX_N] = {0}, differences[STATISTICS_MAX_N] = {0}; /* the first row, from 1 on */
    uint32_t count = 0;
    for (uint32_t row = 0; row < n; row++) {
        const uint32_t column = columns[row], both = column + row;
        uint8_t *sum = &sums[both < n ? both : both - n];
        uint8_t *difference = &differences[column < row ? column + n - row : column - row];
        if (*sum)
            pairs[count++] = (struct torus_pair){(uint8_t)(*sum - 1), (uint8_t)row};
        else
            *sum = (uint8_t)(row + 1);
        if (*difference)
            pairs[count++] = (struct torus_pair){(uint8_t)(*difference - 1), (uint8_t)row};
        else
            *difference = (uint8_t)(row + 1);
    }
    return count;
}

#endif
