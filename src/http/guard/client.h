/* client.h - the client of a request: the address at the other end of its connection, or the one that trusted proxies
 * name. It knows addresses, not what their owners may do. */
#ifndef HTTP_GUARD_CLIENT_H
#define HTTP_GUARD_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

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
