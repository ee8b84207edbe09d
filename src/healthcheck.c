/* healthcheck.c - asks /healthz on the admin address and tells by its exit status. It is a client: it knows nothing of
 * what the server in the same binary does. */
#include "healthcheck.h"

#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "config.h"

/* Seconds for all of it, a name's resolution included: less than whoever runs this waits. */
enum { PATIENCE_S = 3 };

enum { HOST_MAX = 256, STATUS_SIZE = sizeof "HTTP/1.1 200" - 1 };

static void give_up(int number)
{
    static const char text[] = "nqueensd: healthcheck: no answer in time\n";
    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(1);
}

/* A connection to host:port, where no host is this machine; or -1, and why. */
static int connect_to(const char *where, const char **why)
{
    char host[HOST_MAX];
    const char *colon = strrchr(where, ':');
    const bool bracketed = where[0] == '[' && colon && colon > where + 1 && colon[-1] == ']';
    if (!colon || (size_t)(colon - where) >= sizeof host || strcmp(colon, ":0") == 0) {
        *why = "the admin port is off or not known";
        return -1;
    }
    const size_t size = (size_t)(colon - where) - (bracketed ? 2 : 0);
    memcpy(host, where + bracketed, size);
    host[size] = '\0';
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    const int failure = getaddrinfo(host[0] ? host : NULL, colon + 1, &hints, &list);
    int peer = -1;
    for (const struct addrinfo *at = failure ? NULL : list; at && peer < 0; at = at->ai_next) {
        peer = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
        if (peer >= 0 && connect(peer, at->ai_addr, at->ai_addrlen) != 0) {
            close(peer);
            peer = -1;
        }
    }
    if (!failure)
        freeaddrinfo(list);
    *why = failure ? gai_strerror(failure) : "nobody listens";
    return peer;
}

/* Whether the answer begins as that of a server that is alive. */
static bool is_alive(int peer)
{
    static const char request[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    char status[STATUS_SIZE];
    size_t size = 0;
    ssize_t got = send(peer, request, sizeof request - 1, MSG_NOSIGNAL);
    if (got != (ssize_t)sizeof request - 1)
        return false;
    while (size < sizeof status && (got = recv(peer, status + size, sizeof status - size, 0)) > 0)
        size += (size_t)got;
    return size == sizeof status && memcmp(status, "HTTP/1.1 200", sizeof status) == 0;
}

int healthcheck_run(int count, char **arguments)
{
    struct config config;
    if (!config_read(&config, count, arguments))
        return 2;
    (void)signal(SIGALRM, give_up);
    alarm(PATIENCE_S);
    const char *why = "the answer is not 200";
    const int peer = connect_to(config.admin, &why);
    const bool alive = peer >= 0 && is_alive(peer);
    if (peer >= 0) {
        close(peer);
        why = "the answer is not 200";
    }
    if (!alive)
        fprintf(stderr, "nqueensd: healthcheck: %s: %s\n", config.admin, why);
    return alive ? 0 : 1;
}
