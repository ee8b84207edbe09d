/* client.h - who a request comes from: the address at the other end of its connection, or, behind proxies that are
 * trusted, the one they name. It knows addresses, not what their owners may do. */
#ifndef HTTP_CLIENT_H
#define HTTP_CLIENT_H

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

/* Networks whose hosts are believed when they say whom they speak for. */
struct networks {
    size_t count;
    struct {
        struct client client;
        unsigned bits; /* of 128 */
    } list[NETWORKS_MAX];
};

/* Reads "10.0.0.0/8,::1,192.0.2.7,unix"; "" is none. False when it is anything else, or too many. */
bool networks_read(const char *text, struct networks *networks);
bool networks_have(const struct networks *networks, const struct client *client);

/* The address of a socket's other end; unknown for other families than IPv4, IPv6 and unix. */
struct client client_of(const struct sockaddr *address);

/* Goes back through fields as proxies write them, X-Forwarded-For or Forwarded (RFC 7239), each of which has more than
 * one hop perhaps: from the peer to the hop before, and on as long as the one it has come to is trusted. What is no
 * address ends the way there, and so do HOPS_MAX hops: nothing further is believed. */
struct client client_behind(const struct networks *trusted, struct client peer, const char *const *fields, size_t count,
                            bool rfc7239);

/* A number for whoever is taken for one client: of IPv6 addresses the network of 64 bits. */
uint64_t client_hash(const struct client *client, uint64_t salt);

/* "192.0.2.7", "2001:db8::1", "unix", "unknown". */
void client_text(const struct client *client, char text[static CLIENT_TEXT_MAX]);

#endif
