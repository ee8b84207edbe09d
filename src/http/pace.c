/* pace.c - how many bytes of a connection its client has taken, and how many it has not. */
#include "http/pace.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* False when nothing lies in the socket, or nothing is told. Taken is what the client's system has acknowledged: it
 * does so only while the client leaves room there. */
static bool figures(int descriptor, uint64_t *taken, uint64_t *lying)
{
    int unacknowledged;
    struct tcp_info info;
    socklen_t size = sizeof info;
    if (ioctl(descriptor, SIOCOUTQ, &unacknowledged) != 0 || unacknowledged <= 0)
        return false;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        size < offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked)
        return false;
    *taken = info.tcpi_bytes_acked;
    *lying = (uint64_t)unacknowledged;
    return true;
}

bool pace_too_slow(struct pace *pace, int descriptor, const struct pace_limit *limit, uint64_t now)
{
    uint64_t taken, lying;
    if (!figures(descriptor, &taken, &lying)) {
        pace->since = 0;
        return false;
    }
    const bool waits = pace->since && taken < pace->all;
    if (waits && now - pace->since < limit->nanoseconds)
        return false;
    const bool slow = waits && taken - pace->taken < limit->bytes;
    *pace = (struct pace){.since = now, .taken = taken, .all = taken + lying};
    return slow;
}
