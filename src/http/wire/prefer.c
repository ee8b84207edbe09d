/* prefer.c - reads preferences one by one, up to the next comma. */
#include "http/wire/prefer.h"

#include <string.h>
#include <strings.h>

enum { WAIT_MOST = 1000000 };

/* The end of one preference: a comma or the end of the field, outside of quotes. */
static const char *end_of(const char *at)
{
    for (bool quoted = false; *at && (quoted || *at != ','); at++) {
        if (quoted && *at == '\\' && at[1])
            at++;
        else if (*at == '"')
            quoted = !quoted;
    }
    return at;
}

/* Digits, quoted or not, up to blanks, a semicolon or the end; otherwise negative. */
static int read_seconds(const char *at, const char *end)
{
    const bool quoted = at < end && *at == '"';
    int seconds = 0;
    at += quoted;
    const char *start = at;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        seconds = seconds < WAIT_MOST ? seconds * 10 + (*at - '0') : WAIT_MOST;
    if (at == start)
        return -1;
    if (quoted && (at == end || *at++ != '"'))
        return -1;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at == end || *at == ';' ? seconds : -1;
}

void prefer_read(const char *field, bool *async, int *wait)
{
    for (const char *at = field; *at;) {
        const char *start = at + strspn(at, " \t"), *end = end_of(start);
        const size_t name = strcspn(start, "=;, \t");
        if (name == 13 && strncasecmp(start, "respond-async", name) == 0)
            *async = true;
        else if (name == 4 && strncasecmp(start, "wait", name) == 0 && start[name] == '=' && *wait < 0)
            *wait = read_seconds(start + name + 1, end);
        at = *end ? end + 1 : end;
    }
}
