/* shortage.c - when libmicrohttpd gets no descriptor for a connection, it accepts none until one of its connections is
 * closed, which may take an hour; or, when it has no connection, it tries again and again as fast as it can, with an
 * error message each time. The limits are set so that this does not happen; when it happens nevertheless, the library
 * is slowed down, and made to accept again as soon as there are descriptors. */
#include "http/guard/shortage.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

/* Descriptors that are not connections: standard streams, listening sockets, epolls, events, files of the store. */
enum { OWN = 32 };

/* How often a shortage is logged, and how long the library is delayed when it has nothing else to do. */
enum { LOG_S = 60, HOLD_MS = 100 };

uint64_t shortage_limit(unsigned *connections, unsigned *admin)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return UINT64_MAX;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    (void)getrlimit(RLIMIT_NOFILE, &limit); /* whether that was granted or not */
    if (limit.rlim_cur < DESCRIPTORS_LEAST)
        return limit.rlim_cur;
    const rlim_t left = limit.rlim_cur - OWN;
    if (*admin > left / 4)
        *admin = (unsigned)(left / 4);
    if (*connections > left - *admin)
        *connections = (unsigned)(left - *admin);
    return limit.rlim_cur;
}

bool shortage_report(struct shortage *shortage, const char *error)
{
    const struct timespec moment = {.tv_nsec = HOLD_MS * (long)CLOCK_MILLISECOND};
    if (!strstr(error, "system resource limit") && !strstr(error, "Error accepting connection"))
        return true;
    const uint64_t now = clock_now();
    const bool due = !shortage->logged_at || now - shortage->logged_at > LOG_S * CLOCK_SECOND;
    if (due)
        shortage->logged_at = now;
    atomic_store(&shortage->active, true);
    if (strstr(error, "FIRST")) /* it has no connection, so nobody waits */
        nanosleep(&moment, NULL);
    return due;
}

void shortage_recover(struct shortage *shortage, struct MHD_Daemon *daemon)
{
    const struct sockaddr_in nobody = {.sin_family = AF_INET};
    int ends[2];
    if (!atomic_load(&shortage->active) ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        return;
    /* There are descriptors. After a connection that is closed at once the library accepts others again. */
    atomic_store(&shortage->active, false);
    close(ends[0]);
    (void)MHD_add_connection(daemon, ends[1], (const struct sockaddr *)&nobody, sizeof nobody); /* closes it */
}
