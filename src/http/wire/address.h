/* address.h - "host:port", "[host]:port", "unix:/path", "unix:@name" and "systemd" as sockets. It does not know what is
 * served there. */
#ifndef HTTP_WIRE_ADDRESS_H
#define HTTP_WIRE_ADDRESS_H

#include <stdbool.h>
#include <sys/stat.h>

/* ---- Listening sockets that the parent of this process has opened for it, as in sd_listen_fds(3) ---- */

struct activation {
    int count;
    char names[256]; /* "http:admin"; "": the parent gave no names */
};

/* Takes the sockets, and removes them from the environment. Before there are other threads. */
void activation_take(struct activation *passed);

/* The listening descriptor with a name; for the name "http" also the first one whose name is not known. -1, with why in
 * a few words. */
int activation_find(const struct activation *passed, const char *name, const char **why);

/* ---- Addresses ---- */

enum { ADDRESS_MAX = 128 };

/* An address that is listened on. */
struct address {
    char text[ADDRESS_MAX]; /* in numbers, with the port chosen; or "unix:" and the path */
    bool passed;            /* inherited from the parent: other processes have the socket, too */
    struct stat file;       /* of the socket file made here; st_ino 0: none */
};

/* Whether it is well-formed. */
bool address_sound(const char *where);

/* Whether this machine has the address, or the folder of a socket file can be written to: NULL, or what is wrong in a
 * few words. It opens nothing, and does not look whether the port or the file is in use. */
const char *address_check(const char *where);

/* Opens a listening, non-blocking socket at the first address that is available; with "systemd" takes the inherited one
 * with a name. Returns NULL, or why it fails in a few words. A socket file of this user at which no process listens is
 * replaced. A new one can be written to by the user and the group. */
const char *address_listen(struct address *address, const char *where, const struct activation *passed,
                           const char *name, int *descriptor);

/* From now on clients cannot begin to connect to a listening socket of TCP: their first packets are dropped, so that
 * those that it has already can be accepted, and none is lost when it is closed. It must not have been inherited. Best
 * effort: other sockets and systems go on as before. */
void address_drop_new(int descriptor);

/* How many connections wait to be accepted; 0 also for a socket that is not of TCP. */
unsigned address_waiting(int descriptor);

/* Removes the socket file, unless another process has replaced it. */
void address_leave(struct address *address);

/* Connects to an address; without a host, to this machine. NULL, or why it fails in a few words. */
const char *address_connect(const char *where, int *descriptor);

#endif
