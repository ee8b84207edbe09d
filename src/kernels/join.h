/* join.h - the interface of joining two halves of a board, one implementation per instruction set. It knows sets of
 * diagonals as words, not of which board they are nor what the pairs found count. */
#ifndef KERNELS_JOIN_H
#define KERNELS_JOIN_H

#include "kernels/kernel.h"

/* How much a routine may touch beyond the end: words that pairs() writes, patterns that match() reads, words that
 * sort() touches. */
enum { JOIN_PAIRS_SLACK = 8, JOIN_MATCH_SLACK = 512, JOIN_SORT_SLACK = 16 };

/* With more class bits sort() needs no spare room. */
enum { JOIN_SPARE_BITS = 6 };

/* How far sort() goes in each of up to four places between two looks at the stop flag: milliseconds. With no more than
 * JOIN_SPARE_BITS it never looks: the words are few then. */
enum { JOIN_SORT_POLL = 1 << 15 };

/* Vectors of words of a cell that are joined at once, at most. */
enum { JOIN_VECTORS = 4 };

/* Words in cells, those of cell c from word[first[c]] to word[first[c + 1]]; and which cells are meant, in order. */
struct join_cells {
    const uint64_t *word;
    const uint32_t *first;
    const uint16_t *cell;
};

/* How words are to be sorted: by their class, which is `class_bits` bits above `lowest` <= 32 others. */
struct join_order {
    uint32_t lowest, class_bits;
    uint32_t next; /* where the first class begins in `to` */
    uint32_t *to;
    uint32_t *first;         /* where each class begins and, last, where all end */
    uint64_t *spare;         /* with no more than JOIN_SPARE_BITS: for each of them room for all words and slack */
    const atomic_bool *stop; /* soon after it is set sort() returns, and nothing is sorted; NULL: never */
};

/* Another order of a word's bits: the i-th is to be what bit from[i] was. Others are lost. */
struct join_bits {
    uint32_t count;
    uint8_t from[64];
};

/* As many words of each side, and the bits that matter. */
enum { JOIN_SAMPLED = 128 };
struct join_sample {
    uint64_t bits;
    size_t count; /* 64 or 128 */
    uint64_t item[JOIN_SAMPLED], pattern[JOIN_SAMPLED];
};

struct join_range {
    const uint32_t *begin, *end;
};

/* Items to be tried against patterns: an item and a pattern go together when they have none of the lowest `bits` bits
 * (0 to 32) in common. The bits above must be known to be disjoint: they may be looked at or not. */
struct join_task {
    uint32_t bits;
    size_t patterns, firsts; /* so many in all, of which the first ones are of group 0 and the others of group 1 */
    const uint32_t *pattern;
    size_t ranges[2]; /* of items, by group; those of group 1 follow the others */
    const struct join_range *range;
};

struct join {
    const char *name;
    bool (*supported)(void);      /* by the machine this runs on */
    const struct join *otherwise; /* to use if it is not supported; NULL: it always is */
    /* What match() takes, in picoseconds or so: patterns are taken in blocks; for each of these, tables are made for
     * chunks of six bits or fewer, and every item is looked up in all of them. */
    uint32_t block, block_cost, table_cost, item_cost, look_up_cost;
    /* With no more pairs of words than this power of two, rank() and arrange() cost more than they save. */
    uint32_t few_pairs;
    /* For the i-th cell of `a` and the i-th of `b`: writes the OR of every pair of their words, one of each, that are
     * disjoint, in no particular order, and moves *to behind them. Ends before the first cells that might give more
     * words than there is room for until `limit`; returns how many of `cells` were joined. The cells of `b` should be
     * those with more words: these are tried several at once. */
    size_t (*pairs)(struct join_cells a, struct join_cells b, size_t cells, uint64_t **to, const uint64_t *limit);
    /* The bits that keep most pairs of a sample, one of each side, from being disjoint: first the one that most pairs
     * have in common, then the one that most of the others have, and so on, `ranks` of them. */
    void (*rank)(const struct join_sample *sample, uint32_t ranks, uint8_t *bit);
    /* Puts the bits of words in another order. */
    void (*arrange)(const struct join_bits *bits, uint64_t *word, size_t count);
    /* Sorts words, the lower half of each of them, into order->to; the words themselves are lost. */
    void (*sort)(const struct join_order *order, uint64_t *word, size_t count);
    /* Adds the number of disjoint pairs to found[group of the item][group of the pattern]. */
    void (*match)(const struct join_task *task, uint64_t found[2][2]);
};

static inline uint64_t join_mirror(uint64_t word)
{
    const uint64_t evens = UINT64_C(0x5555555555555555);
    return (word & evens) << 1 | (word >> 1 & evens);
}

/* Up to where sort() goes before it looks at the stop flag again. */
static inline size_t join_sort_pause(size_t from, size_t count)
{
    return count - from > JOIN_SORT_POLL ? from + JOIN_SORT_POLL : count;
}

/* arrange() and sort() in plain C. */
void join_arrange(const struct join_bits *bits, uint64_t *word, size_t count);
void join_sort(const struct join_order *order, uint64_t *word, size_t count);

extern const struct join join_scalar;

/* The best implementation of a kernel that this machine supports, or that in plain C. */
static inline const struct join *join_of(const struct kernel *kernel)
{
    const struct join *join = kernel->join ? kernel->join : &join_scalar;
    while (!join->supported())
        join = join->otherwise;
    return join;
}

#endif
