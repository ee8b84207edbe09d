/* pace.h - whether a client reads what was sent to it, by the kernel's counters. It knows sockets, not what is sent on
 * them. */
#ifndef HTTP_GUARD_PACE_H
#define HTTP_GUARD_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace_limit {
    uint64_t bytes; /* in this many nanoseconds; 0: no limit */
    uint64_t nanoseconds;
};

/* What earlier calls saw. All zero: none yet. */
struct pace {
    uint64_t since; /* clock_now() when the window began; 0: nothing was unread */
    uint64_t taken; /* bytes that the client had read by then */
    uint64_t all;   /* and those sent to it by then, read or not */
};

/* Checks a socket. True when throughout a window there was something to read, and the client read neither all that was
 * there when the window began nor the bytes of the limit: it is never true of a client that waits for the service. Only
 * TCP has such counters: of another socket it is never true. */
bool pace_too_slow(struct pace *pace, int descriptor, const struct pace_limit *limit, uint64_t now);

#endif
