/* pace.c - how many bytes of a connection its client has read, and how many it has not. */
#include "http/guard/pace.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* False: nothing is unread, or the kernel has no counters. What counts as read is what the client's system has
 * acknowledged: it does so only while there is room in the client's buffer. */
static bool read_counters(int descriptor, uint64_t *taken, uint64_t *unread)
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
    *unread = (uint64_t)unacknowledged;
    return true;
}

bool pace_too_slow(struct pace *pace, int descriptor, const struct pace_limit *limit, uint64_t now)
{
    uint64_t taken, unread;
    if (!read_counters(descriptor, &taken, &unread)) {
        pace->since = 0;
        return false;
    }
    const bool waits = pace->since && taken < pace->all;
    if (waits && now - pace->since < limit->nanoseconds)
        return false;
    const bool slow = waits && taken - pace->taken < limit->bytes;
    *pace = (struct pace){.since = now, .taken = taken, .all = taken + unread};
    return slow;
}
