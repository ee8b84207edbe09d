/* healthcheck.c - asks /healthz on the admin address; the exit status is the answer. It is a client: it knows nothing
 * of the server in the same binary. */
#include "commands/commands.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "commands/config.h"
#include "http/wire/address.h"

/* Seconds for everything, a name's resolution included: less than containers usually wait. */
enum { DEADLINE_S = 3 };

enum { STATUS_SIZE = sizeof "HTTP/1.1 200" - 1 };

static void give_up(int number)
{
    static const char text[] = "nqueensd: healthcheck: no answer in time\n";
    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(1);
}

/* Whether the address can be connected to: it cannot if it is off, if the system picks the port, or if the socket is
 * inherited. */
static bool is_known(const char *where)
{
    const size_t size = strlen(where);
    return strcmp(where, "off") != 0 && strcmp(where, "systemd") != 0 &&
           (size < 2 || strcmp(where + size - 2, ":0") != 0);
}

/* Whether the reply begins with the status 200. */
static bool is_alive(int server)
{
    static const char request[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    char status[STATUS_SIZE];
    size_t size = 0;
    ssize_t got = send(server, request, sizeof request - 1, MSG_NOSIGNAL);
    if (got != (ssize_t)sizeof request - 1)
        return false;
    while (size < sizeof status && (got = recv(server, status + size, sizeof status - size, 0)) > 0)
        size += (size_t)got;
    return size == sizeof status && memcmp(status, "HTTP/1.1 200", sizeof status) == 0;
}

int healthcheck_run(int count, char **arguments)
{
    struct config config;
    if (!config_read(&config, count, arguments))
        return 2;
    (void)signal(SIGALRM, give_up);
    alarm(DEADLINE_S);
    int server = -1;
    const char *why =
        is_known(config.admin) ? address_connect(config.admin, &server) : "the admin port is off or unknown";
    if (!why && !is_alive(server))
        why = "the answer is not 200";
    if (server >= 0)
        close(server);
    if (why)
        fprintf(stderr, "nqueensd: healthcheck: %s: %s\n", config.admin, why);
    return why ? 1 : 0;
}
