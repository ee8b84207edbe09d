/* waker.h - libmicrohttpd's thread must not wait for more while it has requests at hand. */
#ifndef HTTP_WAKER_H
#define HTTP_WAKER_H

#include <microhttpd.h>

/* For a daemon with epoll and a thread of its own: a descriptor, to be closed after the daemon; -1: there is none. */
int waker_open(struct MHD_Daemon *daemon);

/* To be called again and again, on any thread: ends the wait, should there be one; `connections` are the daemon's. */
void waker_wake(int waker, unsigned connections);

#endif
