/* address.h - "host:port", "[host]:port", "unix:/path", "unix:@name" and "systemd" as sockets. It knows nothing of what
 * is served. */
#ifndef HTTP_ADDRESS_H
#define HTTP_ADDRESS_H

#include <stdbool.h>
#include <sys/stat.h>

#include "http/activation.h"

enum { ADDRESS_MAX = 128 };

/* Where somebody listens. */
struct address {
    char text[ADDRESS_MAX]; /* in numbers, with the port that was picked; or "unix:" and the path */
    bool passed;            /* by who started this process: others have the socket, too */
    struct stat file;       /* of a socket file that was made here; st_ino is 0: none was */
};

/* Whether it is the address of anything. */
bool address_sound(const char *where);

/* Opens a listening, non-blocking socket at the first address that can be had; with "systemd" takes the one that was
 * passed under a name. NULL, or in a few words why none can. A socket file that nobody listens at any more is replaced,
 * if it is this user's; what is made can be written to by the user and the group. */
const char *address_listen(struct address *address, const char *where, const struct activation *passed,
                           const char *name, int *descriptor);

/* Removes the socket file that was made, unless it is another's by now. */
void address_leave(struct address *address);

/* Connects to where somebody listens; no host is this machine. NULL, or in a few words why that cannot be. */
const char *address_connect(const char *where, int *descriptor);

#endif
