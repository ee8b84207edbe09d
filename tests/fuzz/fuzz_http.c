/* fuzz_http.c - the bytes of an input, sent to a whole server over a real connection, and its replies judged. It knows
 * of the server what any client does, and whether it is at rest.
 *
 * The octet 0xfd at the beginning: to the second port; 0xfc: to a server that asks for keys, and knows one ("sesame").
 * 0xfe: what stands before it is sent for itself, and the server has a moment for it; at the end: the client closes its
 * sending side. Else one more request follows the input, which asks for the connection to be closed, so that replies
 * have an end. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "fuzz.h"
#include "http/ask_count.h"
#include "http/server.h"
#include "http_told.h"
#include "kernels/kernel.h"
#include "stores/store.h"

enum { KEYS_PORT = 0xfc, SECOND_PORT = 0xfd, SPLIT = 0xfe };

enum {
    SENT_MAX = 64 << 10,
    READ_MAX = 256 << 10, /* who has got so much leaves */
    SPLITS_MAX = 4,       /* further ones are not waited for */
    MOMENT_US = 200,
    SEARCH_US = 20000,  /* for an answer to be searched for; then the client leaves */
    QUIET_US = 2000,    /* for what is not expected to have an answer */
    HANG_US = 20000000, /* nothing takes so long, on a busy machine and with a sanitizer either */
};

static const char last_request[] = "OPTIONS * HTTP/1.1\r\nHost: end\r\nConnection: close\r\n\r\n";

static const char key[] = "sesame";

static struct service {
    struct server *server;
    struct engine *engine;
    struct store *store;
    struct log *log;
    struct access *access;
    struct sockaddr_in ports[2];
} unguarded, guarded;

/* ---- The server ---- */

/* At rest nothing is held for anyone. */
static void check_rest(const struct service *service)
{
    struct bytes metrics = {0};
    server_metrics(service->server, &metrics);
    bytes_char(&metrics, '\0');
    REQUIRE(!metrics.failed && strstr(metrics.data, "\nnq_reply_bytes 0\n"));
    REQUIRE(engine_figures(service->engine).streams.running == 0);
    bytes_free(&metrics);
}

static void stop(struct service *service)
{
    check_rest(service);
    server_drain(service->server);
    REQUIRE(server_stop(service->server) == NQ_OK);
    engine_free(service->engine);
    store_close(service->store);
    access_close(service->access);
    log_free(service->log);
}

static void stop_all(void)
{
    stop(&unguarded);
    stop(&guarded);
}

static void on_trouble(void *who, bool broken)
{
    (void)who, (void)broken;
    REQUIRE(!"a store in memory has no trouble");
}

static struct sockaddr_in address_of(const char *text)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    const char *colon = strrchr(text, ':');
    REQUIRE(colon);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
    return address;
}

/* The one key, as a file has it. */
static struct access *open_access(void)
{
    char error[ACCESS_ERROR_MAX] = "", path[32];
    struct bytes line = {0};
    const int file = memfd_create("keys", MFD_CLOEXEC);
    keyring_line(&line, "fuzzer", key);
    bytes_text(&line, " searches=2 jobs=1 hours=0.001\n");
    REQUIRE(!line.failed && file >= 0 && write(file, line.data, line.size) == (ssize_t)line.size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct access *access = access_open(path, error);
    REQUIRE(access && close(file) == 0);
    bytes_free(&line);
    return access;
}

/* Everything is scarce: room, time and places. */
static void start(struct service *service, bool asks_for_keys)
{
    static const struct job_reopener reopener = {.reopen = ask_count_reopen, .release = ask_count_release};
    char error[STORE_ERROR_MAX + SERVER_ERROR_MAX];
    REQUIRE(store_open("memory", &(struct store_options){.capacity = 1 << 20}, &service->store, error) == NQ_OK);
    const struct engine_options engine = {
        .threads = 1,
        .kernel = kernel_find("auto"),
        .cache_bytes = 1 << 20,
        .table_bytes = 1 << 20,
        .queue = 4,
        .max_streams = 2,
        .max_stream_s = 1,
        .max_jobs = 4,
        .max_job_hours = 0.00001, /* 36 ms */
        .store = service->store,
        .waiting_bytes = 1 << 20,
        .trouble = on_trouble,
    };
    struct server_options options = {
        .listen = "127.0.0.1:0",
        .admin = "127.0.0.1:0",
        .base_path = "/queens",
        .max_connections = 16,
        .max_client_connections = 16,
        .max_client_searches = 2,
        .free_seconds = 0.0001,
        .origins = "https://a.example",
        .forwarded = true,
        .max_target_bytes = 8 << 10,
        .max_body_bytes = 64 << 20,
        .max_reply_bytes = 8 << 20,
        .max_wait_s = 1,
        .max_streams = 2,
        .stream_s = 1,
        .request_s = 5,
        .keep_alive_s = 5,
    };
    if (asks_for_keys)
        options.access = service->access = open_access();
    REQUIRE(networks_read("127.0.0.0/8,10.0.0.0/8,::1", &options.trusted_proxies));
    service->log = log_new(true);
    service->engine = engine_new(&engine);
    REQUIRE(service->log && service->engine);
    REQUIRE(engine_resume(service->engine, &reopener, (struct patience){0}) == NQ_OK);
    service->server = server_start(&options, service->engine, service->log, error);
    REQUIRE(service->server);
    service->ports[0] = address_of(server_address(service->server));
    service->ports[1] = address_of(server_admin(service->server));
}

static void start_all(void)
{
    json_begin();
    start(&unguarded, false);
    start(&guarded, true);
    REQUIRE(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
    REQUIRE(atexit(stop_all) == 0);
}

/* Whether anything is searched for. */
static bool searching(const struct service *service)
{
    const struct engine_figures figures = engine_figures(service->engine);
    return figures.pool.running || figures.pool.queued || figures.lengthy.running || figures.lengthy.queued ||
           figures.flights.running;
}

/* The client has left: so must whatever it had begun. */
static void wait_for_rest(const struct service *service)
{
    for (long waited = 0, step = MOMENT_US / 8; !server_idle(service->server) || searching(service); waited += step) {
        REQUIRE(waited < HANG_US);
        nanosleep(&(struct timespec){.tv_nsec = step * 1000}, NULL);
        step = step < MOMENT_US ? step * 2 : step;
    }
}

/* ---- The client ---- */

struct talk {
    const struct service *with;
    int descriptor;
    bool ended, full;
    bool reset; /* the server had not read all when it closed: the kernel may have dropped the end of what it said */
    size_t got;
    char *told;
};

/* Reads what is there, waiting for it. False: nothing came. */
static bool hear(struct talk *talk, long patience_us)
{
    struct pollfd ready = {.fd = talk->descriptor, .events = POLLIN};
    if (ppoll(&ready, 1, &(struct timespec){.tv_nsec = patience_us * 1000}, NULL) <= 0)
        return false;
    const ssize_t got = recv(talk->descriptor, talk->told + talk->got, READ_MAX - talk->got, 0);
    talk->ended = got <= 0;
    talk->reset = got < 0;
    talk->got += got > 0 ? (size_t)got : 0;
    talk->full = talk->got == READ_MAX;
    return true;
}

/* Pieces of exactly their size: a server must not rest on what lies behind. */
static void say(struct talk *talk, const uint8_t *data, size_t size)
{
    while (size) {
        const ssize_t sent = send(talk->descriptor, data, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return; /* the server has closed */
        data += sent;
        size -= (size_t)sent;
    }
}

/* Says the input, piece by piece; what was said, without the marks, is appended to *said. */
static void say_pieces(struct talk *talk, const uint8_t *data, size_t size, uint8_t *said, size_t *said_size)
{
    for (unsigned splits = 0; size; splits++) {
        const uint8_t *split = memchr(data, SPLIT, size);
        const size_t piece = split ? (size_t)(split - data) : size;
        say(talk, data, piece);
        memcpy(said + *said_size, data, piece);
        *said_size += piece;
        data += piece + (split != NULL);
        size -= piece + (split != NULL);
        if (split && splits < SPLITS_MAX && !talk->ended && !talk->full)
            (void)hear(talk, MOMENT_US);
    }
}

/* Listens until the connection ends, enough was heard, or nothing more can be expected: a search may take its time, and
 * half a request has none. */
static void listen_on(struct talk *talk, const struct asked *asked, bool closed)
{
    const bool expecting = closed || asked->rest == ASKED_CLOSE || asked->rest == ASKED_DOUBTFUL;
    for (long quiet = 0, patience = MOMENT_US; !talk->ended && !talk->full;) {
        if (hear(talk, patience)) {
            quiet = 0;
            continue;
        }
        quiet += patience;
        patience = QUIET_US;
        if (!closed && (expecting ? quiet >= SEARCH_US && searching(talk->with) : quiet > patience))
            return;
        REQUIRE(quiet < HANG_US);
    }
}

static int open_connection(const struct sockaddr_in *to)
{
    const int on = 1, descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(descriptor >= 0);
    REQUIRE(connect(descriptor, (const struct sockaddr *)to, sizeof *to) == 0);
    REQUIRE(setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0);
    return descriptor;
}

/* With a reset: neither side has anything to wait for. */
static void close_connection(int descriptor)
{
    const struct linger linger = {.l_onoff = 1};
    REQUIRE(setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, sizeof linger) == 0);
    REQUIRE(close(descriptor) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char told[READ_MAX];
    static uint8_t said[SENT_MAX + sizeof last_request];
    struct asked asked;
    size_t said_size = 0;
    if (size > SENT_MAX)
        return 0;
    if (!unguarded.server)
        start_all();
    const bool second = size && data[0] == SECOND_PORT, keys = size && data[0] == KEYS_PORT;
    const bool half_close = size && data[size - 1] == SPLIT;
    const struct service *with = keys ? &guarded : &unguarded;
    struct talk talk = {.with = with, .descriptor = open_connection(&with->ports[second]), .told = told};
    const size_t mark = second || keys;
    say_pieces(&talk, data + mark, size - mark, said, &said_size);
    if (half_close)
        (void)shutdown(talk.descriptor, SHUT_WR);
    else
        say_pieces(&talk, (const uint8_t *)last_request, sizeof last_request - 1, said, &said_size);
    asked_read(said, said_size, &asked);
    listen_on(&talk, &asked, half_close);
    close_connection(talk.descriptor);
    const bool has_key = memmem(said, said_size, key, sizeof key - 1);
    const enum told_access access = !keys ? TOLD_FREELY : has_key ? TOLD_BY_KEY : TOLD_WITHOUT_KEY;
    if (!half_close) /* who has closed its sending side has left, for all the server knows */
        told_judge(&asked, access, told, talk.got, talk.ended && !talk.reset);
    wait_for_rest(with);
    return 0;
}
