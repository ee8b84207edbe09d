/* bare.c - the least a libmicrohttpd daemon can do: one thread, one response, the same bytes to everyone. The reference
 * tests/bench/cached.sh measures the service against. Serves the body in the file named first, with the headers in the
 * file named second ("Name: value" lines), until its standard input ends; prints its port. */
#include <microhttpd.h>
#include <stdio.h>
#include <string.h>

static enum MHD_Result answer(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **state)
{
    static int seen;
    (void)url, (void)method, (void)version, (void)upload, (void)upload_size;
    if (!*state) {
        *state = &seen;
        return MHD_YES;
    }
    return MHD_queue_response(connection, MHD_HTTP_OK, cls);
}

static void add_headers(struct MHD_Response *response, FILE *file)
{
    char line[1024];
    while (fgets(line, sizeof line, file)) {
        char *value = strstr(line, ": ");
        line[strcspn(line, "\r\n")] = '\0';
        if (value) {
            *value = '\0';
            MHD_add_response_header(response, line, value + 2);
        }
    }
}

int main(int count, char **arguments)
{
    static char body[1 << 20];
    FILE *file = count == 3 ? fopen(arguments[1], "rb") : NULL, *headers = count == 3 ? fopen(arguments[2], "r") : NULL;
    if (!file || !headers)
        return 2;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(fread(body, 1, sizeof body, file), body, MHD_RESPMEM_PERSISTENT);
    add_headers(response, headers);
    fclose(file);
    fclose(headers);
    struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, answer, response,
                                                 MHD_OPTION_CONNECTION_LIMIT, 1000U, MHD_OPTION_END);
    const union MHD_DaemonInfo *info = daemon ? MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!info)
        return 1;
    printf("%u\n", info->port);
    fflush(stdout);
    while (getchar() != EOF) {
    }
    MHD_stop_daemon(daemon);
    MHD_destroy_response(response);
    return 0;
}
