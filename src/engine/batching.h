/* batching.h - how much work a worker is handed at once. It knows neither units nor workers. */
#ifndef ENGINE_BATCHING_H
#define ENGINE_BATCHING_H

/* Seconds of one thread that the next batch should take: long enough that handing it out costs nothing beside it, and
 * towards the end a share of what is left, so that nobody is long at the last one. left: seconds of one thread that all
 * work takes which has not been handed out; hands: threads of all workers, 1 or more. After guided self-scheduling:
 * C. Polychronopoulos and D. Kuck, IEEE Transactions on Computers C-36 (1987). */
static inline double batching_seconds(double left, unsigned hands)
{
    const double most = 1, least = 0.05, share = left / (2.0 * hands);
    return share > most ? most : share < least ? least : share;
}

/* Seconds of one thread that should lie ready to be taken, so that nobody waits for the next batch. */
static inline double batching_ahead(unsigned hands)
{
    return 2.0 * hands;
}

#endif
