/* nudge.h - an event that ends the wait of libmicrohttpd's thread while requests are at hand that it does not see. */
#ifndef HTTP_GUARD_NUDGE_H
#define HTTP_GUARD_NUDGE_H

#include <microhttpd.h>

/* For a daemon with epoll and a thread of its own: a descriptor, to be closed after the daemon; -1: failed. */
int nudge_open(struct MHD_Daemon *daemon);

/* Call it regularly, on any thread: ends the wait if there is one. `connections` are those of the daemon. */
void nudge_send(int nudge, unsigned connections);

#endif
