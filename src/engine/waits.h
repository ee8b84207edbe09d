/* waits.h - how long a server and its workers wait for each other, in milliseconds. `nqueensd bench crew` plays it. */
#ifndef ENGINE_WAITS_H
#define ENGINE_WAITS_H

enum {
    SETTLE_MS = 2500,  /* after which all workers have been heard */
    AUDIT_MS = 20000,  /* nobody checks, in so long and waits_for() the unit: the server does */
    PAUSE_MS = 250,    /* of a worker: the broker is away, or there is nothing to do */
    ANOTHER_MS = 1000, /* until a batch comes again that another worker is to have */
};

/* So much longer it may be for what takes so many seconds of a thread, of whatever speed: some units take minutes. */
static inline unsigned waits_for(double seconds)
{
    return (unsigned)(3000 * (seconds < 3600 ? seconds : 3600));
}

#endif
