/* halves.h - the halves of one side of a board: words in two groups. */
#ifndef COUNT_METHODS_HALVES_H
#define COUNT_METHODS_HALVES_H

#include <stddef.h>

#include "kernels/join.h"

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

#endif
