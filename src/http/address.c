/* address.c - opens listening sockets. */
#include "http/address.h"

#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 511 };

/* Opens one address; 0, or errno. */
static int open_one(const struct addrinfo *at, int *descriptor)
{
    const int on = 1, opened = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
    if (opened < 0)
        return errno;
    (void)setsockopt(opened, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(opened, at->ai_addr, at->ai_addrlen) || listen(opened, BACKLOG)) {
        const int failure = errno;
        close(opened);
        return failure;
    }
    *descriptor = opened;
    return 0;
}

const char *address_listen(const char *where, int *descriptor)
{
    char host[ADDRESS_MAX];
    const char *colon = strrchr(where, ':');
    if (!colon || (size_t)(colon - where) >= sizeof host)
        return "it is not host:port";
    bool bracketed = where[0] == '[' && colon > where + 1 && colon[-1] == ']';
    size_t size = (size_t)(colon - where) - (bracketed ? 2 : 0);
    memcpy(host, where + bracketed, size);
    host[size] = '\0';
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *list = NULL;
    int failure = getaddrinfo(host[0] ? host : NULL, colon + 1, &hints, &list);
    if (failure)
        return gai_strerror(failure);
    failure = EADDRNOTAVAIL;
    for (const struct addrinfo *at = list; at && failure; at = at->ai_next)
        failure = open_one(at, descriptor);
    freeaddrinfo(list);
    return failure ? strerrordesc_np(failure) : NULL;
}

void address_name(int descriptor, char text[static ADDRESS_MAX])
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    char host[64], service[16];
    text[0] = '\0';
    if (getsockname(descriptor, (struct sockaddr *)&address, &size) == 0 &&
        getnameinfo((struct sockaddr *)&address, size, host, sizeof host, service, sizeof service,
                    NI_NUMERICHOST | NI_NUMERICSERV) == 0)
        (void)snprintf(text, ADDRESS_MAX, address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, service);
}
