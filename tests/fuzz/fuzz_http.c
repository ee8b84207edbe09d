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
#include "http/server/server.h"
#include "http_replies.h"
#include "kernels/kernel.h"
#include "stores/store.h"

enum { KEYS_PORT = 0xfc, SECOND_PORT = 0xfd, SPLIT = 0xfe };

enum {
    SENT_MAX = 64 << 10,
    READ_MAX = 256 << 10, /* the client leaves after so many bytes */
    SPLITS_MAX = 4,       /* further ones are not waited for */
    MOMENT_US = 200,
    SEARCH_US = 20000,  /* for an answer to be searched for; then the client leaves */
    QUIET_US = 2000,    /* for a request that should have no reply */
    HANG_US = 20000000, /* nothing takes so long, even with a sanitizer on a busy machine */
};

static const char last_request[] = "OPTIONS * HTTP/1.1\r\nHost: end\r\nConnection: close\r\n\r\n";

static const char key[] = "sesame";

static struct fuzzed {
    struct server *server;
    struct engine *engine;
    struct store *store;
    struct log *log;
    struct access *access;
    struct sockaddr_in ports[2];
} unguarded, guarded;

/* ---- The server ---- */

/* Without clients, no memory and no place is in use. */
static void check_rest(const struct fuzzed *fuzzed)
{
    struct bytes metrics = {0};
    service_metrics(server_service(fuzzed->server), &metrics);
    bytes_char(&metrics, '\0');
    REQUIRE(!metrics.failed && strstr(metrics.data, "\nnq_reply_bytes 0\n"));
    REQUIRE(engine_stats(fuzzed->engine).streams.running == 0);
    bytes_free(&metrics);
}

static void stop(struct fuzzed *fuzzed)
{
    check_rest(fuzzed);
    server_drain(fuzzed->server);
    REQUIRE(server_stop(fuzzed->server) == NQ_OK);
    engine_free(fuzzed->engine);
    store_close(fuzzed->store);
    access_close(fuzzed->access);
    log_free(fuzzed->log);
}

static void stop_all(void)
{
    stop(&unguarded);
    stop(&guarded);
}

static void on_trouble(void *who, const char *why)
{
    (void)who, (void)why;
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

/* The only key, as in a file. */
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

/* Every limit is low. */
static void start(struct fuzzed *fuzzed, bool asks_for_keys)
{
    char error[STORE_ERROR_MAX + SERVER_ERROR_MAX];
    REQUIRE(store_open("memory", &(struct store_options){.capacity = 1 << 20}, &fuzzed->store, error) == NQ_OK);
    const struct engine_options engine = {
        .threads = 1,
        .kernel = kernel_find("auto"),
        .cache_bytes = 1 << 20,
        .table_bytes = 1 << 20,
        .search_bytes = 64 << 20,
        .queue = 4,
        .max_streams = 2,
        .max_stream_s = 1,
        .max_jobs = 4,
        .max_job_hours = 0.00001, /* 36 ms */
        .store = fuzzed->store,
        .waiting_bytes = 1 << 20,
        .trouble = on_trouble,
    };
    struct server_options options = {
        .listen = "127.0.0.1:0",
        .admin = "127.0.0.1:0",
        .service.base_path = "/queens",
        .service.max_connections = 16,
        .service.max_client_connections = 16,
        .service.max_client_searches = 2,
        .service.free_seconds = 0.0001,
        .service.max_client_jobs = 2,
        .service.origins = "https://a.example",
        .service.frame_ancestors = "'self'",
        .service.forwarded = true,
        .service.max_target_bytes = 8 << 10,
        .service.max_body_bytes = 64 << 20,
        .service.max_reply_bytes = 8 << 20,
        .service.max_wait_s = 1,
        .service.max_streams = 2,
        .service.stream_s = 1,
        .request_s = 5,
        .keep_alive_s = 5,
    };
    if (asks_for_keys)
        options.service.access = fuzzed->access = open_access();
    REQUIRE(networks_read("127.0.0.0/8,10.0.0.0/8,::1", &options.service.trusted_proxies));
    fuzzed->log = log_new(true);
    fuzzed->engine = engine_new(&engine);
    REQUIRE(fuzzed->log && fuzzed->engine);
    REQUIRE(engine_resume(fuzzed->engine, (struct deadline){0}) == NQ_OK);
    fuzzed->server = server_start(&options, fuzzed->engine, fuzzed->log, error);
    REQUIRE(fuzzed->server);
    fuzzed->ports[0] = address_of(server_address(fuzzed->server, PORT_PUBLIC));
    fuzzed->ports[1] = address_of(server_address(fuzzed->server, PORT_ADMIN));
}

static void start_all(void)
{
    json_begin();
    start(&unguarded, false);
    start(&guarded, true);
    REQUIRE(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
    REQUIRE(atexit(stop_all) == 0);
}

/* Whether a search is under way. */
static bool searching(const struct fuzzed *fuzzed)
{
    const struct engine_stats stats = engine_stats(fuzzed->engine);
    return stats.pool.running || stats.pool.queued || stats.flights.running;
}

/* The client has left: everything it began must end. */
static void wait_for_rest(const struct fuzzed *fuzzed)
{
    for (long waited = 0, step = MOMENT_US / 8; !server_idle(fuzzed->server) || searching(fuzzed); waited += step) {
        REQUIRE(waited < HANG_US);
        nanosleep(&(struct timespec){.tv_nsec = step * 1000}, NULL);
        step = step < MOMENT_US ? step * 2 : step;
    }
}

/* ---- The client ---- */

struct talk {
    const struct fuzzed *with;
    int descriptor;
    bool ended, full;
    bool reset; /* the server had not read all when it closed: the kernel may have dropped the last bytes it sent */
    size_t got;
    char *received;
};

/* Waits for bytes and reads them. False: none came. */
static bool receive(struct talk *talk, long timeout_us)
{
    struct pollfd ready = {.fd = talk->descriptor, .events = POLLIN};
    if (ppoll(&ready, 1, &(struct timespec){.tv_nsec = timeout_us * 1000}, NULL) <= 0)
        return false;
    const ssize_t got = recv(talk->descriptor, talk->received + talk->got, READ_MAX - talk->got, 0);
    talk->ended = got <= 0;
    talk->reset = got < 0;
    talk->got += got > 0 ? (size_t)got : 0;
    talk->full = talk->got == READ_MAX;
    return true;
}

/* Sends a copy of exactly its size. */
static void send_bytes(struct talk *talk, const uint8_t *data, size_t size)
{
    while (size) {
        const ssize_t sent = send(talk->descriptor, data, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return; /* the server has closed */
        data += sent;
        size -= (size_t)sent;
    }
}

/* Sends the input, piece by piece, and appends it to *sent without the marks. */
static void send_pieces(struct talk *talk, const uint8_t *data, size_t size, uint8_t *sent, size_t *sent_size)
{
    for (unsigned splits = 0; size; splits++) {
        const uint8_t *split = memchr(data, SPLIT, size);
        const size_t piece = split ? (size_t)(split - data) : size;
        send_bytes(talk, data, piece);
        memcpy(sent + *sent_size, data, piece);
        *sent_size += piece;
        data += piece + (split != NULL);
        size -= piece + (split != NULL);
        if (split && splits < SPLITS_MAX && !talk->ended && !talk->full)
            (void)receive(talk, MOMENT_US);
    }
}

/* Receives until the connection ends, enough was received, or nothing more can be expected: a search may take its time,
 * and half a request has none. */
static void receive_replies(struct talk *talk, const struct requests *requests, bool closed)
{
    const bool expecting = closed || requests->rest == REQUESTS_CLOSE || requests->rest == REQUESTS_DOUBTFUL;
    for (long quiet = 0, timeout = MOMENT_US; !talk->ended && !talk->full;) {
        if (receive(talk, timeout)) {
            quiet = 0;
            continue;
        }
        quiet += timeout;
        timeout = QUIET_US;
        if (!closed && (expecting ? quiet >= SEARCH_US && searching(talk->with) : quiet > timeout))
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

/* With a reset, so that neither side waits. */
static void close_connection(int descriptor)
{
    const struct linger linger = {.l_onoff = 1};
    REQUIRE(setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, sizeof linger) == 0);
    REQUIRE(close(descriptor) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char received[READ_MAX];
    static uint8_t sent[SENT_MAX + sizeof last_request];
    struct requests requests;
    size_t sent_size = 0;
    if (size > SENT_MAX)
        return 0;
    if (!unguarded.server)
        start_all();
    const bool second = size && data[0] == SECOND_PORT, keys = size && data[0] == KEYS_PORT;
    const bool half_close = size && data[size - 1] == SPLIT;
    const struct fuzzed *with = keys ? &guarded : &unguarded;
    struct talk talk = {.with = with, .descriptor = open_connection(&with->ports[second]), .received = received};
    const size_t mark = second || keys;
    send_pieces(&talk, data + mark, size - mark, sent, &sent_size);
    if (half_close)
        (void)shutdown(talk.descriptor, SHUT_WR);
    else
        send_pieces(&talk, (const uint8_t *)last_request, sizeof last_request - 1, sent, &sent_size);
    requests_read(sent, sent_size, &requests);
    receive_replies(&talk, &requests, half_close);
    close_connection(talk.descriptor);
    const bool has_key = memmem(sent, sent_size, key, sizeof key - 1);
    const enum replies_access access = !keys ? ACCESS_OPEN : has_key ? ACCESS_WITH_KEY : ACCESS_WITHOUT_KEY;
    if (!half_close) /* a client that has closed its sending side has left, as far as the server knows */
        replies_judge(&requests, access, received, talk.got, talk.ended && !talk.reset);
    wait_for_rest(with);
    return 0;
}
