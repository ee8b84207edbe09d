/* waker.c - libmicrohttpd (0.9.75 to 1.0.1 at least) takes 128 events at a time from its epoll. When there were so many
 * it waits for more of them, for as long as no connection times out, before it looks at those it has: if there were
 * exactly 128, their requests lie until anything else happens. So something else happens. What it does not know it
 * takes for the signal to stop, by which it means to look whether it should. */
#include "http/waker.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Each connection is one event; the others are the listening socket, the library's own signal and this one. */
enum { EVENTS_AT_ONCE = 128, OTHERS = 3 };

int waker_open(struct MHD_Daemon *daemon)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    const int waker = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = NULL}; /* each write is one; nobody reads */
    if (waker < 0 || (info && epoll_ctl(info->epoll_fd, EPOLL_CTL_ADD, waker, &event) == 0))
        return waker;
    close(waker);
    return -1;
}

void waker_wake(int waker, unsigned connections)
{
    if (connections + OTHERS >= EVENTS_AT_ONCE)
        (void)eventfd_write(waker, 1);
}
