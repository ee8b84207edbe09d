/* nudge.c - libmicrohttpd (0.9.75 to 1.0.1 at least) takes 128 events at a time from its epoll. When it got that many,
 * it waits for more, until a connection times out, before it handles those it has: if there were exactly 128, their
 * requests stay where they are until another event comes. The nudge is that event. The library takes an event it does
 * not know for its own signal to stop, after which it only checks whether it is to stop. */
#include "http/guard/nudge.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Each connection is one event; the others are the listening socket, the library's own signal and this one. */
enum { EVENTS_AT_ONCE = 128, OTHERS = 3 };

int nudge_open(struct MHD_Daemon *daemon)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    const int nudge = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = NULL}; /* each write is one; nobody reads */
    if (nudge < 0 || (info && epoll_ctl(info->epoll_fd, EPOLL_CTL_ADD, nudge, &event) == 0))
        return nudge;
    close(nudge);
    return -1;
}

void nudge_send(int nudge, unsigned connections)
{
    if (connections + OTHERS >= EVENTS_AT_ONCE)
        (void)eventfd_write(nudge, 1);
}
