/* client.h - the client of a request: the address at the other end of its connection, or the one that trusted proxies
 * name. It knows addresses, not what their owners may do. */
#ifndef HTTP_GUARD_CLIENT_H
#define HTTP_GUARD_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* ---- Pace ---- */

/* Whether a client reads what was sent to it, by the kernel's counters. It knows sockets, not what is sent on
 * them. */

struct pace_limit {
    uint64_t bytes; /* in this many nanoseconds; 0: no limit */
    uint64_t nanoseconds;
};

/* What earlier calls saw. All zero: none yet. */
struct pace {
    uint64_t since; /* clock_now() when the window began; 0: nothing was unread */
    uint64_t taken; /* bytes that the client had read by then */
    uint64_t all;   /* and those sent to it by then, read or not */
};

/* Checks a socket. True when throughout a window there was something to read, and the client read neither all that was
 * there when the window began nor the bytes of the limit: it is never true of a client that waits for the service. Only
 * TCP has such counters: of another socket it is never true. */
bool pace_too_slow(struct pace *pace, int descriptor, const struct pace_limit *limit, uint64_t now);

/* ---- Clients ---- */

/* How many connections and searches each client has under way. It knows clients by numbers. */

enum client_use { USE_CONNECTION, USE_SEARCH, CLIENT_USES };

struct clients;

struct clients *clients_new(void); /* NULL: out of memory */
void clients_free(struct clients *clients);

/* Counts one more for a client. False, and nothing is counted: the client has `most` already, or memory is out. */
bool clients_enter(struct clients *clients, uint64_t client, enum client_use use, unsigned most);
void clients_leave(struct clients *clients, uint64_t client, enum client_use use);

unsigned clients_count(struct clients *clients, uint64_t client, enum client_use use);

/* ---- Client ---- */

enum { CLIENT_TEXT_MAX = 48, NETWORKS_MAX = 32, HOPS_MAX = 32 };

/* An IPv6 address, or an IPv4 one mapped into that space. All zero: unknown. */
struct client {
    uint8_t address[16];
    bool local; /* at a unix socket, and without an address */
};

/* Networks whose hosts are believed when they name their clients. */
struct networks {
    size_t count;
    struct {
        struct client client;
        unsigned bits; /* of 128 */
    } list[NETWORKS_MAX];
};

/* Reads "10.0.0.0/8,::1,192.0.2.7,unix"; "" is none. False: it is anything else, or too many. */
bool networks_read(const char *text, struct networks *networks);
bool networks_contain(const struct networks *networks, const struct client *client);

/* The address of a socket's other end; unknown for families other than IPv4, IPv6 and unix. */
struct client client_of(const struct sockaddr *address);

/* Follows the entries that proxies wrote into X-Forwarded-For or Forwarded (RFC 7239) from the last one to the first,
 * starting at the other end of the connection, for as long as the address reached is trusted. An entry that is not an
 * address ends the way, and so do HOPS_MAX entries: nothing before them is believed. */
struct client client_behind(const struct networks *trusted, struct client client, const char *const *fields,
                            size_t count, bool rfc7239);

/* A number for the client; of an IPv6 address only the network of 64 bits counts. */
uint64_t client_hash(const struct client *client, uint64_t salt);

/* "192.0.2.7", "2001:db8::1", "unix", "unknown". */
void client_text(const struct client *client, char text[static CLIENT_TEXT_MAX]);

#endif
