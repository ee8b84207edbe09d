/* waits.h - how long a server and its workers wait for each other, in milliseconds. */
#ifndef ENGINE_CLUSTER_WAITS_H
#define ENGINE_CLUSTER_WAITS_H

enum {
    SETTLE_MS = 2500,      /* every worker there is has been received by then */
    AUDIT_MS = 20000,      /* grace period, with waits_for(), before the server recounts an audited unit itself */
    AUDIT_AGAIN_MS = 5000, /* the same, before another worker is asked to */
    PAUSE_MS = 250,        /* of a worker: the broker is away, or there is nothing to do */
};

/* More milliseconds for work that takes so many seconds of one thread, at whatever speed: some units take minutes. */
static inline unsigned waits_for(double seconds)
{
    return (unsigned)(3000 * (seconds < 3600 ? seconds : 3600));
}

#endif
