/* shortage.c - what libmicrohttpd does when it gets no descriptor for a connection is to accept none until one of those
 * it has is closed, which may be in an hour; or, when it has none, to try again and again as fast as it can, with a
 * complaint each time. So it should not come to that; and when it does, it is held up, and told when it is over. */
#include "http/shortage.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

/* Descriptors that are not connections: standard ones, what is listened on, epolls, events, the store's files. */
enum { OWN = 32 };

/* How often it is told of, and how long the library is held up when it has nothing else to do. */
enum { TELL_S = 60, HOLD_MS = 100 };

uint64_t shortage_share(unsigned *connections, unsigned *admin)
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

bool shortage_heard(struct shortage *shortage, const char *complaint)
{
    const struct timespec moment = {.tv_nsec = HOLD_MS * (long)CLOCK_MILLISECOND};
    if (!strstr(complaint, "system resource limit") && !strstr(complaint, "Error accepting connection"))
        return true;
    const uint64_t now = clock_now();
    const bool tell = !shortage->told || now - shortage->told > TELL_S * CLOCK_SECOND;
    if (tell)
        shortage->told = now;
    atomic_store(&shortage->met, true);
    if (strstr(complaint, "FIRST")) /* it has no connection, so nobody waits */
        nanosleep(&moment, NULL);
    return tell;
}

void shortage_end(struct shortage *shortage, struct MHD_Daemon *daemon)
{
    const struct sockaddr_in nobody = {.sin_family = AF_INET};
    int ends[2];
    if (!atomic_load(&shortage->met) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        return;
    /* There are descriptors. A connection that is closed at once has it accept others again. */
    atomic_store(&shortage->met, false);
    close(ends[0]);
    (void)MHD_add_connection(daemon, ends[1], (const struct sockaddr *)&nobody, sizeof nobody); /* closes it */
}
