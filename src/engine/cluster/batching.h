/* batching.h - how much work a worker gets at once. It knows neither units nor workers. */
#ifndef ENGINE_CLUSTER_BATCHING_H
#define ENGINE_CLUSTER_BATCHING_H

/* Seconds of one thread that the next batch should take: long enough that handing it out costs little, and towards the
 * end a fraction of what is left, so that no thread is late. left: seconds of one thread that all units take which are
 * not handed out; threads: of all workers, 1 or more. After guided self-scheduling: C. Polychronopoulos and D. Kuck,
 * IEEE Transactions on Computers C-36 (1987). */
static inline double batching_seconds(double left, unsigned threads)
{
    const double most = 1, least = 0.05, fraction = left / (2.0 * threads);
    return fraction > most ? most : fraction < least ? least : fraction;
}

/* Seconds of one thread that should be ready, so that no thread waits for the next batch. */
static inline double batching_ahead(unsigned threads)
{
    return 2.0 * threads;
}

#endif
