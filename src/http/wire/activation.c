/* activation.c - reads LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES. */
#include "http/wire/activation.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FIRST = 3, MOST = 64 };

/* A number in plain digits, or -1. */
static long number(const char *text)
{
    if (!text || !*text || strlen(text) > 9 || strspn(text, "0123456789") != strlen(text))
        return -1;
    return strtol(text, NULL, 10);
}

void activation_take(struct activation *passed)
{
    static const char *const variables[] = {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"};
    const char *names = getenv("LISTEN_FDNAMES");
    const long count = number(getenv("LISTEN_FDS"));
    *passed = (struct activation){0};
    if (number(getenv("LISTEN_PID")) == getpid() && count > 0 && count <= MOST) {
        passed->count = (int)count;
        (void)snprintf(passed->names, sizeof passed->names, "%s", names ? names : "");
    }
    for (int i = 0; i < passed->count; i++)
        (void)fcntl(FIRST + i, F_SETFD, FD_CLOEXEC);
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        (void)unsetenv(variables[i]);
}

/* Whether the name at a place in the list is this one. */
static bool is_named(const struct activation *passed, int place, const char *name)
{
    const char *at = passed->names;
    for (; place > 0 && *at; place--)
        at += strcspn(at, ":") + (at[strcspn(at, ":")] == ':');
    const size_t size = strcspn(at, ":");
    return size == strlen(name) && strncmp(at, name, size) == 0;
}

static bool listens(int descriptor)
{
    int type = 0, accepts = 0;
    socklen_t size = sizeof type, length = sizeof accepts;
    return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM &&
           getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &length) == 0 && accepts;
}

int activation_find(const struct activation *passed, const char *name, const char **why)
{
    int found = -1;
    for (int i = passed->count - 1; i >= 0; i--)
        if (is_named(passed, i, name))
            found = FIRST + i;
    for (int i = 0; i < passed->count && found < 0 && strcmp(name, "http") == 0; i++)
        if (!is_named(passed, i, "admin"))
            found = FIRST + i;
    if (found >= 0 && listens(found))
        return found;
    *why = passed->count == 0 ? "no socket was passed (LISTEN_FDS, LISTEN_PID)"
           : found < 0        ? "no socket of that name was passed (LISTEN_FDNAMES)"
                              : "what was passed is no listening stream socket";
    return -1;
}
