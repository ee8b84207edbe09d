/* asker.c - asks for one target again and again by one connection, each time when the last answer is there, and
 * prints how long the answers took: "half", "most" (99 %) and "longest", in microseconds. What a program like wrk adds
 * for the requests that it would have sent meanwhile is not in it. Usage: asker PORT TARGET SECONDS */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 2000000 };

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int by_size(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int count, char **arguments)
{
    if (count != 4)
        return 2;
    const struct sockaddr_in where = {.sin_family = AF_INET,
                                      .sin_port = htons((unsigned short)atoi(arguments[1])),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int client = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    char request[256], reply[65536];
    const int size = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", arguments[2]);
    double *took = malloc(MOST * sizeof *took);
    if (!took || connect(client, (const struct sockaddr *)&where, sizeof where) != 0)
        return 1;
    (void)setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    const double end = microseconds() + atof(arguments[3]) * 1e6;
    size_t asked = 0;
    for (double start; asked < MOST && (start = microseconds()) < end; asked++) {
        if (write(client, request, (size_t)size) != size || read(client, reply, sizeof reply) < 16 ||
            memcmp(reply, "HTTP/1.1 200", 12) != 0) /* a short answer comes in one piece */
            return 1;
        took[asked] = microseconds() - start;
    }
    qsort(took, asked, sizeof *took, by_size);
    printf("half %.0f most %.0f longest %.0f of %zu\n", took[asked / 2], took[asked * 99 / 100], took[asked - 1],
           asked);
    return 0;
}
