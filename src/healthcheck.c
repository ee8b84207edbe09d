/* healthcheck.c - asks /healthz on the admin address and tells by its exit status. It is a client: it knows nothing of
 * what the server in the same binary does. */
#include "healthcheck.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "config.h"
#include "http/address.h"

/* Seconds for all of it, a name's resolution included: less than whoever runs this waits. */
enum { PATIENCE_S = 3 };

enum { STATUS_SIZE = sizeof "HTTP/1.1 200" - 1 };

static void give_up(int number)
{
    static const char text[] = "nqueensd: healthcheck: no answer in time\n";
    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(1);
}

/* Whether an address tells where to ask: none is not there, of a port that is picked or a socket that is passed only
 * the server knows. */
static bool is_known(const char *where)
{
    const size_t size = strlen(where);
    return strcmp(where, "off") != 0 && strcmp(where, "systemd") != 0 &&
           (size < 2 || strcmp(where + size - 2, ":0") != 0);
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
    int peer = -1;
    const char *why =
        is_known(config.admin) ? address_connect(config.admin, &peer) : "the admin port is off or not known";
    if (!why && !is_alive(peer))
        why = "the answer is not 200";
    if (peer >= 0)
        close(peer);
    if (why)
        fprintf(stderr, "nqueensd: healthcheck: %s: %s\n", config.admin, why);
    return why ? 1 : 0;
}
