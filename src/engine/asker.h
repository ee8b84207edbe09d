/* asker.h - for whom something is asked, and how much of it they may have. It knows neither keys nor addresses. All
 * zero is nobody in particular, who may have whatever there is. */
#ifndef ENGINE_ASKER_H
#define ENGINE_ASKER_H

#include <stdbool.h>
#include <stdint.h>

enum { ASKER_NAME_MAX = 32 };

struct asker {
    uint64_t client;               /* whoever is taken for one, as a hash: clients take turns */
    char name[ASKER_NAME_MAX + 1]; /* whose shares in jobs theirs are; "": nobody's in particular */
    bool limited;                  /* by the next two, beside what limits everybody */
    double seconds;                /* of one core that a count may take, as far as that can be told before */
    unsigned jobs;                 /* that are not over; 0: none is begun */
};

static inline bool asker_affords(const struct asker *asker, double seconds)
{
    return !asker->limited || seconds <= asker->seconds;
}

/* Whether no job is ever begun for them. */
static inline bool asker_barred(const struct asker *asker)
{
    return asker->limited && asker->jobs == 0;
}

#endif
