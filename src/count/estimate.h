/* estimate.h - an estimate of how many solutions a filter has, by random descents (Knuth 1975). A pure function of
 * filter, seed and number of walks, equal to the last bit on any number of threads of any machine: walks come in
 * blocks, which anyone may make and which are added in order. It knows no threads. */
#ifndef COUNT_ESTIMATE_H
#define COUNT_ESTIMATE_H

#include "base/stop.h"
#include "board/query.h"

enum {
    ESTIMATE_MAX_N = 40,
    ESTIMATE_BLOCK = 4096,        /* walks */
    ESTIMATE_MIN_COMPLETED = 100, /* with fewer the sum is that of a few walks, and its error means nothing */
    ESTIMATE_MOST_WALKS = 10000000,
    ESTIMATE_TEXT = 32,
};

/* The result of some walks. All 0: no walks yet. */
struct estimate {
    uint64_t walks;
    uint64_t completed; /* walks that found solutions */
    double mean;        /* of the values of all walks: the estimate */
    double squares;     /* sum of squared distances from the mean */
    bool exact;         /* all rows were searched, none walked: the mean is the count */
};

/* How many blocks so many walks make; all are full but the last. */
uint64_t estimate_blocks(uint64_t walks);

/* Sets *estimate to the result of block number `block` < estimate_blocks(walks) of a seed. NQ_OK, NQ_LIMIT (n above
 * ESTIMATE_MAX_N), or NQ_CANCELLED within 100 ms of *stop (may be NULL). Safe on any number of threads at once. A block
 * takes 10 ms (n = 16) to 50 ms (n = 40). */
enum nq_status estimate_block(const struct filter *filter, uint64_t seed, uint64_t walks, uint64_t block,
                              const atomic_bool *stop, struct estimate *estimate);

/* Adds one more walk, which found so much. */
void estimate_walk(struct estimate *estimate, double value);

/* Adds the next block of the same filter and seed: number 0 first. */
void estimate_add(struct estimate *estimate, const struct estimate *block);

/* Whether enough walks found solutions for the figures to mean something. */
bool estimate_sound(const struct estimate *estimate);

/* The standard error of the mean; 0 with fewer than two walks. */
double estimate_error(const struct estimate *estimate);

/* The estimate to the second digit of its error: "2.3490e17". With an error of 0 it is a whole number: "352". */
void estimate_text(const struct estimate *estimate, char text[static ESTIMATE_TEXT]);

#endif
