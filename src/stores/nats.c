/* nats.c - connecting to NATS, what its outcomes mean, and keys as subjects. It knows neither facts nor work. */
#include "stores/nats.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"

/* Between two attempts at one server; and between two pings of a silent one, which is left after the second. */
enum { AGAIN_MS = 250, JITTER_MS = 50, PING_MS = 2000, PINGS = 2 };

/* Between two attempts to make a connection anew that libnats has given up. */
enum { MEND_MS = 1000 };

enum { SERVERS_MAX = 32 };

__attribute__((format(printf, 3, 4))) static enum nq_status refuse(char *error, enum nq_status status,
                                                                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(error, STORE_ERROR_MAX, format, args);
    va_end(args);
    return status;
}

/* ---- Servers ----------------------------------------------------------------------------------------------------- */

struct servers {
    char *urls[SERVERS_MAX];
    int count;
    bool tls;
};

static void servers_free(struct servers *servers)
{
    for (int i = 0; i < servers->count; i++)
        free(servers->urls[i]);
}

/* Whether a host follows the scheme, and perhaps a user before it. */
static bool names_host(const char *url)
{
    const char *host = strstr(url, "//") + 2, *user = strrchr(host, '@');
    if (user)
        host = user + 1;
    return *host && !strchr(":/?#", *host);
}

static enum nq_status add_server(struct servers *servers, const char *text, size_t size)
{
    static const char scheme[] = "nats:";
    const bool bare = size > 2 && strncmp(text, "//", 2) == 0, tls = size > 6 && strncmp(text, "tls://", 6) == 0;
    if (servers->count == SERVERS_MAX || !(bare || tls || (size > 7 && strncmp(text, "nats://", 7) == 0)))
        return NQ_INVALID;
    char *url = NULL;
    if (asprintf(&url, "%s%.*s", bare ? scheme : "", (int)size, text) < 0)
        return NQ_NOMEM;
    servers->urls[servers->count++] = url;
    servers->tls |= tls;
    return names_host(url) ? NQ_OK : NQ_INVALID;
}

/* The URLs are not repeated: they may hold a password. */
static enum nq_status refuse_servers(enum nq_status status, char *error)
{
    if (status == NQ_INVALID)
        return refuse(error, status, "these are not URLs of NATS; use nats://host:4222,nats://other:4222, or tls://");
    return refuse(error, status, "out of memory");
}

static enum nq_status servers_read(struct servers *servers, const char *where, char *error)
{
    for (const char *at = where;; at++) {
        const size_t size = strcspn(at, ",");
        const enum nq_status status = add_server(servers, at, size);
        if (status != NQ_OK)
            return refuse_servers(status, error);
        at += size;
        if (!*at)
            return NQ_OK;
    }
}

/* ---- Connecting -------------------------------------------------------------------------------------------------- */

/* Both are called on threads of libnats, under no lock of ours. */
static void on_connected(natsConnection *connection, void *who)
{
    (void)connection;
    struct nats *nats = who;
    atomic_store(&nats->refusal, NATS_OK);
    atomic_store(&nats->gap, true);
}

/* Of the failures, those that an operator has to mend. */
static void note_refusal(struct nats *nats, natsStatus status)
{
    if (status == NATS_CONNECTION_AUTH_FAILED || status == NATS_SSL_ERROR || status == NATS_SECURE_CONNECTION_WANTED)
        atomic_store(&nats->refusal, status);
}

static void on_error(natsConnection *connection, natsSubscription *subscription, natsStatus status, void *who)
{
    (void)connection, (void)subscription;
    struct nats *nats = who;
    note_refusal(nats, status);
    if (status == NATS_NOT_PERMITTED)
        atomic_store(&nats->forbidden, true);
    if (status == NATS_MISSED_HEARTBEAT || status == NATS_MISMATCH || status == NATS_SLOW_CONSUMER)
        atomic_store(&nats->gap, true);
}

/* The last callback of a connection: libnats calls them one after the other. */
static void on_closed(natsConnection *connection, void *who)
{
    (void)connection;
    struct nats *nats = who;
    atomic_fetch_add(&nats->closed, 1);
}

static natsStatus set_callbacks(natsOptions *options, struct nats *nats)
{
    natsStatus status = natsOptions_SetRetryOnFailedConnect(options, true, on_connected, nats);
    if (status == NATS_OK)
        status = natsOptions_SetReconnectedCB(options, on_connected, nats);
    if (status == NATS_OK)
        status = natsOptions_SetErrorHandler(options, on_error, nats);
    if (status == NATS_OK)
        status = natsOptions_SetClosedCB(options, on_closed, nats);
    return status;
}

/* Nothing is buffered to be sent later (a buffer of one byte): its caller knows only that it failed. */
static natsStatus set_times(natsOptions *options, unsigned wait_ms)
{
    natsStatus status = natsOptions_SetMaxReconnect(options, -1);
    if (status == NATS_OK)
        status = natsOptions_SetReconnectWait(options, AGAIN_MS);
    if (status == NATS_OK)
        status = natsOptions_SetReconnectJitter(options, JITTER_MS, JITTER_MS);
    if (status == NATS_OK)
        status = natsOptions_SetReconnectBufSize(options, 1);
    if (status == NATS_OK)
        status = natsOptions_SetFailRequestsOnDisconnect(options, true);
    if (status == NATS_OK)
        status = natsOptions_SetTimeout(options, wait_ms);
    if (status == NATS_OK)
        status = natsOptions_SetWriteDeadline(options, wait_ms);
    if (status == NATS_OK)
        status = natsOptions_SetPingInterval(options, PING_MS);
    if (status == NATS_OK)
        status = natsOptions_SetMaxPingsOut(options, PINGS);
    if (status == NATS_OK)
        status = natsOptions_SetSendAsap(options, true);
    return status;
}

static enum nq_status set_servers(natsOptions *options, struct servers *servers, char *error)
{
    natsStatus status = natsOptions_SetServers(options, (const char **)servers->urls, servers->count);
    if (status != NATS_OK && status != NATS_NO_MEMORY)
        return refuse_servers(NQ_INVALID, error);
    if (status == NATS_OK && servers->tls)
        status = natsOptions_SetSecure(options, true);
    return status == NATS_OK ? NQ_OK : refuse(error, NQ_NOMEM, "out of memory");
}

/* Whether the file has parts between lines of dashes: libnats reads it whenever it connects, and says nothing before.
 */
static bool has_credentials(const char *path)
{
    char line[64];
    FILE *file = fopen(path, "re");
    bool dashes = false;
    while (file && !dashes && fgets(line, sizeof line, file))
        dashes = strncmp(line, "---", 3) == 0;
    if (file)
        (void)fclose(file);
    return dashes;
}

/* The library reads the credentials whenever it connects, and the certificates now. */
static enum nq_status set_files(natsOptions *options, const struct nats_options *files, char *error)
{
    const char *credentials = files->credentials, *ca = files->ca;
    natsStatus status = NATS_OK;
    if (credentials && *credentials && !has_credentials(credentials))
        return refuse(error, NQ_INVALID, "the credentials cannot be read: %.300s", credentials);
    if (credentials && *credentials)
        status = natsOptions_SetUserCredentialsFromFiles(options, credentials, NULL);
    if (status == NATS_OK && ca && *ca) {
        status = natsOptions_LoadCATrustedCertificates(options, ca);
        if (status != NATS_OK && status != NATS_NO_MEMORY)
            return refuse(error, NQ_INVALID, "the certificates cannot be read: %.300s", ca);
        if (status == NATS_OK)
            status = natsOptions_SetSecure(options, true);
    }
    return status == NATS_OK ? NQ_OK : refuse(error, NQ_NOMEM, "out of memory");
}

/* A call in which the library starts threads. */
struct quiet_call {
    natsStatus (*run)(void *context);
    void *context;
    natsStatus status;
};

static void *call_it(void *arg)
{
    struct quiet_call *call = arg;
    thread_name("nats");
    call->status = call->run(call->context);
    return NULL;
}

natsStatus nats_call_quietly(natsStatus (*run)(void *context), void *context)
{
    struct quiet_call call = {.run = run, .context = context, .status = NATS_NO_MEMORY};
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&thread, NULL, call_it, &call) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        pthread_join(thread, NULL);
    return call.status;
}

static natsStatus connect_it(void *context)
{
    struct nats *nats = context;
    const natsStatus status = natsConnection_Connect(&nats->connection, nats->options);
    return status == NATS_NOT_YET_CONNECTED ? NATS_OK : status;
}

/* The first call of the library, which begins with it. */
static natsStatus create_options(void *context)
{
    return natsOptions_Create(&((struct nats *)context)->options);
}

static natsStatus connect_now(struct nats *nats)
{
    jsOptions js;
    natsStatus status = nats_call_quietly(connect_it, nats);
    nats->tried = clock_now();
    nats->opened += nats->connection != NULL;
    if (status == NATS_OK) {
        const char *text;
        note_refusal(nats, natsConnection_GetLastError(nats->connection, &text));
        status = jsOptions_Init(&js);
    }
    if (status == NATS_OK) {
        js.Wait = nats->wait_ms;
        status = natsConnection_JetStream(&nats->js, nats->connection, &js);
    }
    return status;
}

/* Callbacks come on a thread of libnats, also after natsConnection_Destroy(). */
static void disconnect(struct nats *nats)
{
    const struct timespec moment = {.tv_nsec = (long)CLOCK_MILLISECOND};
    jsCtx_Destroy(nats->js);
    natsConnection_Destroy(nats->connection);
    for (int i = 0; i < NATS_WAIT_MS && atomic_load(&nats->closed) < nats->opened; i++)
        nanosleep(&moment, NULL);
    nats->js = NULL;
    nats->connection = NULL;
}

static enum nq_status connect_first(struct nats *nats, char *error)
{
    const natsStatus status = connect_now(nats);
    if (status == NATS_OK)
        return NQ_OK;
    if (status == NATS_NO_MEMORY)
        return refuse(error, NQ_NOMEM, "out of memory");
    return refuse(error, NQ_INVALID, "NATS cannot be used with these settings: %s", natsStatus_GetText(status));
}

static natsStatus set_options(struct nats *nats, const char *name)
{
    natsStatus status = nats_call_quietly(create_options, nats);
    if (status == NATS_OK)
        status = natsOptions_SetName(nats->options, name);
    if (status == NATS_OK)
        status = set_times(nats->options, nats->wait_ms);
    if (status == NATS_OK)
        status = set_callbacks(nats->options, nats);
    return status;
}

enum nq_status nats_open(const char *where, const struct nats_options *options, const char *name, struct nats **out,
                         char error[static STORE_ERROR_MAX])
{
    struct servers servers = {.count = 0};
    struct nats *nats = calloc(1, sizeof *nats);
    if (nats)
        nats->wait_ms = options->wait_ms ? options->wait_ms : NATS_WAIT_MS;
    if (nats)
        nats->files = (struct nats_options){.credentials = options->credentials, .ca = options->ca};
    if (!nats || set_options(nats, name) != NATS_OK) {
        nats_close(nats);
        return refuse(error, NQ_NOMEM, "out of memory");
    }
    nats->replicas = options->replicas ? options->replicas : 1;
    enum nq_status status = servers_read(&servers, where, error);
    if (status == NQ_OK)
        status = set_servers(nats->options, &servers, error);
    if (status == NQ_OK)
        status = set_files(nats->options, options, error);
    if (status == NQ_OK)
        status = connect_first(nats, error);
    servers_free(&servers);
    if (status == NQ_OK)
        *out = nats;
    else
        nats_close(nats);
    return status;
}

void nats_close(struct nats *nats)
{
    if (!nats)
        return;
    disconnect(nats);
    natsOptions_Destroy(nats->options);
    free(nats);
}

bool nats_connected(const struct nats *nats)
{
    return nats->connection && natsConnection_Status(nats->connection) == NATS_CONN_STATUS_CONNECTED;
}

enum nq_status nats_check_options(const char *where, const struct nats_options *options,
                                  char error[static STORE_ERROR_MAX])
{
    struct servers servers = {.count = 0};
    struct nats nats = {.js = NULL};
    if (nats_call_quietly(create_options, &nats) != NATS_OK)
        return refuse(error, NQ_NOMEM, "out of memory");
    enum nq_status status = where ? servers_read(&servers, where, error) : NQ_OK;
    if (status == NQ_OK && where)
        status = set_servers(nats.options, &servers, error);
    if (status == NQ_OK)
        status = set_files(nats.options, options, error);
    servers_free(&servers);
    natsOptions_Destroy(nats.options);
    return status;
}

enum nq_status nats_reload(struct nats *nats, char error[static STORE_ERROR_MAX])
{
    const enum nq_status status = nats_check_options(NULL, &nats->files, error);
    if (status == NQ_OK)
        atomic_store(&nats->stale, true);
    return status;
}

/* Set while the old connection holds the old certificates, the new ones replace them; later they would be added. */
void nats_mend(struct nats *nats)
{
    char ignored[STORE_ERROR_MAX];
    const bool stale = atomic_exchange(&nats->stale, false);
    const bool lost = !nats->js || natsConnection_IsClosed(nats->connection);
    if (!stale && (!lost || clock_now() - nats->tried < MEND_MS * CLOCK_MILLISECOND))
        return;
    if (stale)
        (void)set_files(nats->options, &nats->files, ignored); /* nats_reload() has checked them */
    disconnect(nats);
    (void)connect_now(nats);
}

const char *nats_reason(struct nats *nats)
{
    const char *text; /* not repeated: it may hold a URL */
    const natsStatus last = nats->connection ? natsConnection_GetLastError(nats->connection, &text) : NATS_NO_MEMORY;
    note_refusal(nats, last); /* libnats forgets it with the next server */
    const natsStatus refusal = (natsStatus)atomic_load(&nats->refusal);
    if (refusal != NATS_OK)
        return natsStatus_GetText(refusal);
    return last == NATS_OK || last == NATS_NO_SERVER ? "no server answers" : natsStatus_GetText(last);
}

/* ---- Outcomes ---------------------------------------------------------------------------------------------------- */

/* The server has one code for a full stream and for one that it cannot write: only its words differ. */
static enum nq_status judge_store(void)
{
    natsStatus status;
    const char *text = nats_GetLastError(&status);
    return !text || strstr(text, "maximum") ? NQ_LIMIT : NQ_BROKEN;
}

void nats_consumer(jsSubOptions *options, const char *stream, unsigned milliseconds)
{
    (void)jsSubOptions_Init(options);
    options->Stream = stream;
    options->Config.AckPolicy = js_AckNone;
    options->Config.MaxDeliver = 1;
    options->Config.FlowControl = true;
    options->Config.Heartbeat = (int64_t)milliseconds * 1000000;
    options->Config.MemoryStorage = true;
    options->Config.Replicas = 1;
}

enum nq_status nats_judge(natsStatus status, jsErrCode code)
{
    if (status == NATS_OK)
        return NQ_OK;
    switch (code) {
    case JSNoMessageFoundErr:
    case JSStreamNotFoundErr:
    case JSConsumerNotFoundErr: return NQ_NONE;
    case JSStreamWrongLastSequenceErr: return NQ_DENIED;
    case JSStreamMessageExceedsMaximumErr: return NQ_LIMIT;
    case JSStreamStoreFailedErr: return judge_store();
    default: break;
    }
    switch (status) {
    case NATS_NOT_FOUND: return NQ_NONE;
    case NATS_MAX_PAYLOAD: return NQ_LIMIT;
    case NATS_NO_MEMORY: return NQ_NOMEM;
    default: return NQ_BROKEN;
    }
}

/* ---- Keys as subjects -------------------------------------------------------------------------------------------- */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/* The empty key is "=" alone, which no other is. */
void nats_encode(const char *key, struct bytes *subject)
{
    static const char digits[] = "0123456789ABCDEF";
    bool empty = true; /* the token so far */
    if (!*key)
        bytes_char(subject, '=');
    for (const char *at = key; *at; at++) {
        const unsigned char byte = (unsigned char)*at;
        const bool border = byte == '#' && !empty && at[1];
        if (border)
            bytes_char(subject, '.');
        else if (is_plain(*at))
            bytes_char(subject, *at);
        else
            bytes_add(subject, (const char[]){'=', digits[byte >> 4], digits[byte & 15]}, 3);
        empty = border;
    }
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool decode(const char *subject, struct bytes *key)
{
    for (const char *at = subject; *at; at++) {
        if (*at == '.') {
            bytes_char(key, '#');
        } else if (*at == '=') {
            const int high = digit(at[1]), low = high < 0 ? -1 : digit(at[2]);
            if (low < 0 || (high == 0 && low == 0))
                return false;
            bytes_char(key, (char)(high << 4 | low));
            at += 2;
        } else if (is_plain(*at)) {
            bytes_char(key, *at);
        } else {
            return false;
        }
    }
    return true;
}

/* A subject is a key's if it is the one that the key has: no key has two. */
bool nats_decode(const char *subject, struct bytes *key)
{
    struct bytes text = {0}, again = {0};
    bool sound = strcmp(subject, "=") == 0 || (*subject && decode(subject, &text));
    char *plain = bytes_take(&text);
    if (plain && sound)
        nats_encode(plain, &again);
    char *subject_again = bytes_take(&again);
    key->failed |= !plain || (sound && !subject_again);
    sound = sound && plain && subject_again && strcmp(subject_again, subject) == 0;
    if (sound)
        bytes_text(key, plain);
    free(plain);
    free(subject_again);
    return sound && !key->failed;
}
