/* estimate.h - about how many solutions a filter leaves, by random descents (Knuth 1975). A pure function of filter,
 * seed and number of walks, to the last bit, on any number of threads of any machine: walks come in blocks, which may
 * be made anywhere, and are added in the order of their numbers. It knows no threads. */
#ifndef COUNT_ESTIMATE_H
#define COUNT_ESTIMATE_H

#include "base/stop.h"
#include "board/query.h"

enum {
    ESTIMATE_MAX_N = 40,
    ESTIMATE_BLOCK = 4096,        /* walks */
    ESTIMATE_MIN_COMPLETED = 100, /* with fewer, a handful of walks carry the sum, and its error says nothing */
    ESTIMATE_TEXT = 32,
};

/* What some walks came to. All 0: no walks yet. */
struct estimate {
    uint64_t walks;
    uint64_t completed; /* walks that found solutions */
    double mean;        /* of what the walks say: the estimate */
    double squares;     /* of the distances from the mean, summed */
    bool exact;         /* so few rows were free that nothing was left to chance: the mean is the count */
};

/* How many blocks so many walks make; all are full but the last. */
uint64_t estimate_blocks(uint64_t walks);

/* Block number `block` < estimate_blocks(walks) of the walks of a seed; it starts *estimate anew. NQ_OK, NQ_LIMIT (n
 * above ESTIMATE_MAX_N), or NQ_CANCELLED within 100 ms of *stop (may be NULL). Safe on any number of threads at
 * once. A block takes 10 ms (n = 16) to 50 ms (n = 40). */
enum nq_status estimate_block(const struct filter *filter, uint64_t seed, uint64_t walks, uint64_t block,
                              const atomic_bool *stop, struct estimate *estimate);

/* Adds the next block of the same filter and seed: number 0 first. */
void estimate_add(struct estimate *estimate, const struct estimate *block);

/* Whether the figures may be shown. */
bool estimate_sound(const struct estimate *estimate);

/* The standard error of the mean; 0 with fewer than two walks. */
double estimate_error(const struct estimate *estimate);

/* The estimate to the second digit of its error: "2.3490e17". With an error of 0 it is a whole number: "352". */
void estimate_text(const struct estimate *estimate, char text[static ESTIMATE_TEXT]);

#endif
