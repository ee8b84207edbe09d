/* meeting.h - how many pairs of a west and an east half do not attack each other, of halves whose rows and columns fit.
 * It knows words and in which of two groups they are, neither geometry nor symmetry.
 *
 * To try every pair would be correct; everything below serves to try fewer. The words of both sides are put into
 * classes by the bits that two halves are most likely to share: which ones depends on the sets of rows, so a sample of
 * the halves tells (join->rank()). These bits are put on top, and bits that one of the sides never has are left out.
 * West words are items, tried one by one; east words are patterns, tried 512 (or fewer) at a time. The class bits are
 * of two kinds:
 * - by the `replicate` bits, on top, every class of items has a list of patterns of its own: those of all disjoint
 *   classes, copied together. That tries no pair in vain, but lists are copied, and tables made of them, many times;
 * - by the `exact` bits the patterns of such a list are separated, and each part meets the runs of items that are
 *   disjoint from it. That costs no copies, but the more classes, the fewer patterns has each, and blocks are not full.
 * How many bits of each kind is a matter of how many patterns there are; and as the blocks get emptier, from class to
 * class, exact bits are given up again where that costs less. The optimum is flat.
 *
 * More patterns than the caches hold are first separated by some of the exact bits, the `outer` ones, which then are
 * the topmost: the patterns of each value are met by all items before those of the next, so that lists are copied from
 * what the second-level cache holds. */
#ifndef COUNT_METHODS_MEETING_H
#define COUNT_METHODS_MEETING_H

#include <stddef.h>

#include "kernels/join.h"

/* ---- Halves: words in two groups ---- */

/* Words behind the halves that pairs(), arrange() and sort() may touch. */
enum { HALVES_SLACK = JOIN_PAIRS_SLACK + JOIN_SORT_SLACK };

/* Those of group 0 are at the beginning, those of group 1 behind them. */
struct halves {
    uint64_t *word;
    size_t room, count[2];
    uint64_t any;  /* the bits that some of them have; perhaps others, too */
    bool mirrored; /* the words are to be mirrored at the middle column before they meet any others */
};

/* Room for so many more words of a group, and slack; what is in it is kept. Group 1 may grow when group 0 is complete.
 */
bool halves_reserve(struct halves *halves, int group, size_t more);

/* Frees many: a thread needs less memory at once, and a stop later does not wait until the system has taken all of it
 * back, which is 70 ms for a gigabyte. */
void halves_free_many(struct halves *halves);

/* Evenly spaced words, mirrored if they are to be; those of few come several times. */
void halves_sample(const struct halves *halves, size_t count, uint64_t *word);

static inline size_t halves_count(const struct halves *halves)
{
    return halves->count[0] + halves->count[1];
}

/* Where a group begins. There is a gap between them, so that what works on the first may touch what lies behind. */
static inline uint64_t *halves_begin(const struct halves *halves, int group)
{
    return halves->word + (group ? halves->count[0] + HALVES_SLACK : 0);
}

/* The bits that some of them have once they are mirrored; perhaps others, too. */
static inline uint64_t halves_any(const struct halves *halves)
{
    return halves->mirrored ? join_mirror(halves->any) : halves->any;
}

/* ---- Meeting ---- */

enum { MEETING_MAX_EXACT = 10, MEETING_MAX_REPLICATE = 12 };

/* The words of a side, sorted by their class. Only the lower half of a word is kept: the class is the rest. */
struct classes {
    uint32_t *word;
    size_t room;
    uint32_t *first[2]; /* by group and class, and where the last one ends */
    size_t first_room;
};

struct meeting {
    const struct join *join;
    const atomic_bool *stop;
    uint32_t bits;                    /* of a word */
    struct join_bits order;           /* of those bits that are compared, the class bits on top */
    uint32_t outer, replicate, exact; /* class bits from the topmost down */
    /* Of the patterns with the outer bits at hand: where they begin, by group and class; and the outer bits that the
     * items may have that meet them, all of which are disjoint from theirs. */
    const uint32_t *at_hand[2];
    uint32_t outers;
    struct classes items, patterns;
    struct halves spare;
    uint32_t *list; /* patterns that meet the items at hand */
    size_t list_room;
    /* by a prefix of the exact bits, below a one: the patterns that have it, the share of the items that are disjoint
     * from it, what they cost, and whether that is the cost of its two continuations. */
    struct prefix {
        uint32_t patterns;
        float share, cost;
        bool split;
    } prefix[2 << MEETING_MAX_EXACT];
};

/* Adds to found[group of the west half][group of the east half] the number of pairs that are disjoint in the lowest
 * meeting->bits bits. NQ_OK, NQ_NOMEM, NQ_CANCELLED. join, stop and bits of the meeting are to be set, the rest is zero
 * at first. */
enum nq_status meeting_count(struct meeting *meeting, struct halves *west, struct halves *east, uint64_t found[2][2]);
void meeting_close(struct meeting *meeting);

#endif
