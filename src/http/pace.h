/* pace.h - whether a client takes what lies in its socket for it, by the kernel's own figures. It knows sockets, not
 * what is sent on them. */
#ifndef HTTP_PACE_H
#define HTTP_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace_limit {
    uint64_t bytes; /* in so many nanoseconds; 0: however slow */
    uint64_t nanoseconds;
};

/* What the last looks saw. All zero: none yet. */
struct pace {
    uint64_t since; /* clock_now() when the window began; 0: nothing lay there */
    uint64_t taken; /* bytes the client had taken then */
    uint64_t all;   /* and with those that lay there */
};

/* Looks at a socket. True when for a whole window something lay there, and the client took neither all of what was
 * there when the window began nor the limit's bytes: so it is never true of a client that waits for us. Only TCP tells:
 * of other sockets it is never true. */
bool pace_too_slow(struct pace *pace, int descriptor, const struct pace_limit *limit, uint64_t now);

#endif
