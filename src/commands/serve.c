/* serve.c - puts keys, log, store, engine and server together, waits for a signal, and takes them apart again. With
 * --check it only looks at the files and addresses that settings name; what only a start can find out, such as a port
 * that is in use or a store that is locked, that does not know. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/process.h"
#include "commands/commands.h"
#include "commands/config.h"
#include "commands/signals.h"
#include "http/guard/access.h"
#include "http/guard/log.h"
#include "http/server/server.h"
#include "http/wire/address.h"
#include "stores/queue.h"
#include "stores/store.h"

/* ---- The store ---- */

/* What outlives the engine of `nqueensd serve`: the store, and the queue that it shares with workers. */

struct serve_store {
    struct store *store;
    struct queue *work;             /* NULL: workers cannot share this store */
    char fallback[STORE_ERROR_MAX]; /* why facts stay in memory instead of the configured store; "": they do not */
};

enum { CLOSE_S = 5 };

/* The spec of the configured store, for the caller to free; NULL: out of memory. log: NULL: nothing is logged. */
static char *store_spec(const struct config *config, struct log *log)
{
    struct bytes spec = {0};
    if (strcmp(config->store, "auto") != 0) {
        bytes_text(&spec, config->store);
        return bytes_take(&spec);
    }
    bytes_text(&spec, "sqlite:");
    if (!store_default_path(&spec)) {
        spec.size = 0;
        bytes_text(&spec, "memory");
        if (log)
            log_event(log, "store", "neither XDG_STATE_HOME nor HOME is set: facts are lost when this process ends");
    }
    return bytes_take(&spec);
}

/* What another build has counted is counted again, and takes room until it is the oldest. */
static void log_foreign(struct store *store, struct log *log)
{
    char build[BUILD_ID_MAX + 1], text[2 * BUILD_ID_MAX + 160];
    if (store_is_remote(store) || !store_has_foreign(store, build))
        return;
    (void)snprintf(text, sizeof text,
                   "it has counts of another build (%s) than this one (%s), which are not used: they are counted again",
                   *build ? build : "a release", build_id);
    log_event(log, "store", text);
}

/* Opens the store and, if workers can share it, the queue. A store that is broken is replaced by memory, with a line in
 * the log. False, with a sentence in error: the store is in use or not a store, or memory is out. Before other threads
 * are started: SIGTERM may end the process here. */
static bool serve_store_open(struct serve_store *store, const struct config *config, struct log *log,
                             char error[static STORE_ERROR_MAX])
{
    const struct store_options options = config_store(config);
    const char *broker = store_broker(config->store);
    char *spec = store_spec(config, log);
    signals_may_end(true);
    enum nq_status status = spec ? store_open(spec, &options, &store->store, error) : NQ_NOMEM;
    free(spec);
    if (status == NQ_BROKEN) {
        log_event(log, "store", error);
        memcpy(store->fallback, error, STORE_ERROR_MAX);
        status = store_open("memory", &options, &store->store, error);
    }
    if (status == NQ_OK)
        log_foreign(store->store, log);
    signals_may_end(false);
    if (status == NQ_OK && broker)
        status = queue_open(broker, &options.nats, (unsigned)config->lease_seconds * 1000, QUEUE_SERVER, &store->work,
                            error);
    return status == NQ_OK;
}

static void *close_it(void *store)
{
    thread_name("store-close");
    store_close(store);
    return NULL;
}

/* Closes the store, unless it is NULL; the queue stays open. False: the disk still has not answered after five seconds,
 * and a thread waits for it: end the process by _exit(). */
static bool serve_store_close(struct serve_store *store)
{
    pthread_t thread;
    const struct timespec moment = {.tv_nsec = 1000000};
    const uint64_t until = clock_now() + CLOSE_S * CLOCK_SECOND;
    if (!store->store)
        return true;
    if (pthread_create(&thread, NULL, close_it, store->store) != 0)
        return false;
    bool ended; /* not pthread_timedjoin_np: its clock jumps */
    while (!(ended = pthread_tryjoin_np(thread, NULL) == 0) && clock_now() < until)
        nanosleep(&moment, NULL);
    return ended;
}

/* ---- Waiting ---- */

/* What `nqueensd serve` does while it runs: it resumes the jobs of earlier processes, and waits. */

/* Milliseconds for the store to list the jobs while the service runs: a signal waits so long at most. */
enum { RESUME_MS = 3000 };

/* Resumes stored jobs before the server starts. NQ_OK; NQ_BROKEN: the store could not be read, which
 * serve_wait_for_end() tries again; otherwise jobs exist that cannot be resumed. */
static enum nq_status serve_resume(struct engine *engine)
{
    signals_may_end(true);
    const enum nq_status status = engine_resume(engine, (struct deadline){0});
    signals_may_end(false);
    return status;
}

/* Whether the jobs are resumed. */
static bool resume_again(struct engine *engine)
{
    static const atomic_bool never;
    char why[STORE_ERROR_MAX];
    const struct deadline deadline = {.stop = &never, .milliseconds = RESUME_MS};
    return !engine_fault(engine, why) && engine_resume(engine, deadline) == NQ_OK;
}

/* What SIGHUP reads again, and where it is noted. */
struct reloading {
    struct access *access; /* NULL: no keys */
    struct serve_store *store;
    bool broker_files; /* the settings name files of the broker */
    struct service *service;
    struct log *log;
};

static bool reload_keys(const struct reloading *reloading, char why[static ACCESS_ERROR_MAX])
{
    char text[ACCESS_ERROR_MAX + 64];
    const bool sound = access_reload(reloading->access, why);
    if (sound)
        (void)snprintf(text, sizeof text, "%zu in force", access_count(reloading->access));
    else
        (void)snprintf(text, sizeof text, "%s; the keys are unchanged", why);
    log_event(reloading->log, "keys", text);
    return sound;
}

static bool reload_broker_files(const struct reloading *reloading, char why[static STORE_ERROR_MAX])
{
    struct serve_store *store = reloading->store;
    return signals_reload_broker_files(store->store, store->work, reloading->log, why);
}

static void reload(const struct reloading *reloading)
{
    char keys[ACCESS_ERROR_MAX], broker[STORE_ERROR_MAX];
    const char *why = NULL;
    if (reloading->access && !reload_keys(reloading, keys))
        why = keys;
    if (reloading->broker_files && !reload_broker_files(reloading, broker))
        why = why ? why : broker;
    if (!reloading->access && !reloading->broker_files)
        log_event(reloading->log, "keys", "SIGHUP has no effect without --api-keys, --nats-credentials or --nats-ca");
    else
        service_reloaded(reloading->service, why);
}

#ifdef CHECKS
/* A test sends SIGUSR2 between two steps, and waits for this line. */
static void check(struct engine *engine, struct log *log)
{
    char text[64];
    (void)snprintf(text, sizeof text, "SIGUSR2: checks: %u structures are sound", engine_check(engine));
    log_event(log, "signal", text);
}
#endif

/* Waits for SIGTERM or SIGINT; reloads files at SIGHUP and ignores other signals. resume: stored jobs are still to be
 * resumed, as soon as the store works. */
static void serve_wait_for_end(struct engine *engine, bool resume, const struct reloading *reloading, struct log *log)
{
    const sigset_t signals = signals_all();
    const struct timespec moment = {.tv_sec = 1};
    for (bool ended = false; !ended;) {
        const int number = resume ? sigtimedwait(&signals, NULL, &moment) : sigwaitinfo(&signals, NULL);
        if (number < 0)
            resume = resume && !resume_again(engine);
        else if (number == SIGHUP)
            reload(reloading);
#ifdef CHECKS
        else if (number == SIGUSR2)
            check(engine, log);
#endif
        else
            ended = signals_log(log, number);
    }
}

/* Waits so many seconds, for `drained` (NULL: nothing) or for a second SIGTERM or SIGINT, which asks for an end at
 * once: then it returns false. */
static bool wait_for_end_of(unsigned long seconds, bool (*drained)(struct server *), struct server *server)
{
    const sigset_t endings = signals_ending();
    const struct timespec moment = {.tv_nsec = 10000000};
    const uint64_t deadline = clock_now() + seconds * CLOCK_SECOND;
    while (clock_now() < deadline && !(drained && drained(server)))
        if (sigtimedwait(&endings, NULL, &moment) >= 0)
            return false;
    return true;
}

/* Load balancers see /readyz first and send their requests elsewhere; then the connections are closed one by one. */
static void serve_drain(struct server *server, const struct config *config)
{
    server_announce(server);
    const bool patient = wait_for_end_of(config->drain_delay, NULL, server);
    server_drain(server);
    if (patient)
        (void)wait_for_end_of(config->drain_seconds, server_drained, server);
}

/* ---- The command ---- */

/* Facts that may wait while the store is broken. */
enum { WAITING_BYTES = 64 << 20 };

/* What is open; NULL: it is not. */
struct serving {
    struct access *access;
    struct log *log;
    struct serve_store store;
    struct engine *engine;
    struct server *server;
    bool resume; /* stored jobs are to be resumed when the store can be read */
};

/* ---- For the log: called on the engine's threads, under none of its locks ---- */

static void on_trouble(void *log, const char *why)
{
    log_event(log, "store", why ? why : "it works again");
}

static void on_news(void *log, const struct job_news *news)
{
    log_job(log, news);
}

static void on_event(void *log, const char *event, const char *text)
{
    log_event(log, event, text);
}

/* Logs what the store did not accept: it is lost with the process. */
static void log_lost(struct engine *engine, struct log *log)
{
    char why[STORE_ERROR_MAX] = "it takes too long", text[STORE_ERROR_MAX + 192];
    size_t waits[STORE_KINDS];
    engine_waits(engine, waits);
    (void)engine_fault(engine, why);
    (void)snprintf(text, sizeof text,
                   "the store did not accept everything within five seconds. Lost: %zu changes of jobs, %zu of counted "
                   "units and %zu of results: %s",
                   waits[STORE_JOB], waits[STORE_UNIT], waits[STORE_RESULT], why);
    log_event(log, "stopped", text);
}

/* access NULL: no keys are asked for. False, with a sentence on standard error: the file has none. */
static bool open_keys(const struct config *config, struct access **access)
{
    char error[ACCESS_ERROR_MAX];
    *access = *config->api_keys ? access_open(config->api_keys, error) : NULL;
    if (*config->api_keys && !*access)
        config_fail(config, "--api-keys: %s", error);
    return *access || !*config->api_keys;
}

/* ---- Only a look: serve --check ---- */

/* Takes the word --check out of the arguments. Returns whether it was there. */
static bool check_take(int *count, char **arguments)
{
    int kept = 0;
    for (int i = 0; i < *count; i++)
        if (strcmp(arguments[i], "--check") != 0)
            arguments[kept++] = arguments[i];
    const bool taken = kept < *count;
    *count = kept;
    return taken;
}

static bool check_address(const struct config *config, const char *flag, const char *where)
{
    const char *why = strcmp(where, "off") == 0 ? NULL : address_check(where);
    if (why)
        config_fail(config, "cannot listen on --%s %s: %s", flag, where, why);
    return !why;
}

static bool check_store(const struct config *config)
{
    const struct store_options options = config_store(config);
    char error[STORE_ERROR_MAX] = "out of memory";
    char *spec = store_spec(config, NULL);
    const enum nq_status status = spec ? store_check_settings(spec, &options, error) : NQ_NOMEM;
    if (status != NQ_OK)
        config_fail(config, "--store: %s", error);
    free(spec);
    return status == NQ_OK;
}

/* Looks at everything that the settings name, and changes nothing: it opens no store, no port and no connection.
 * Prints every fault on standard error, or that the configuration is sound on standard output. Returns the exit status:
 * 0, or 2. */
static int check_config(const struct config *config)
{
    struct access *access;
    bool sound = config_kernel(config);
    sound &= open_keys(config, &access);
    access_close(access);
    sound &= check_address(config, "listen", config->listen);
    sound &= check_address(config, "admin", config->admin);
    sound &= check_store(config);
    config_warn_unknown(NULL);
    if (sound)
        puts("nqueensd: the configuration is sound");
    return sound ? 0 : 2;
}

/* ---- Opening ---- */

static struct engine *open_engine(const struct config *config, const struct kernel *kernel, struct serving *serving)
{
    const struct engine_options options = {
        .threads = (unsigned)config->threads,
        .kernel = kernel,
        .cache_bytes = config->cache_bytes,
        .table_bytes = config->table_bytes,
        .search_bytes = config->search_bytes,
        .queue = config->queue,
        .max_streams = (unsigned)config->max_streams,
        .max_stream_s = (unsigned)config->stream_seconds,
        .max_jobs = config->max_jobs,
        .max_job_hours = (double)config->max_job_hours,
        .store = serving->store.store,
        .work = serving->store.work,
        .waiting_bytes = WAITING_BYTES,
        .audit = strtod(config->audit, NULL),
        .lease_ms = (unsigned)config->lease_seconds * 1000,
        .trouble = on_trouble,
        .news = on_news,
        .tell = on_event,
        .who = serving->log,
    };
    return engine_new(&options);
}

static struct server *open_server(const struct config *config, const struct activation *passed, struct serving *serving,
                                  char error[static SERVER_ERROR_MAX])
{
    struct server_options options = {
        .listen = config->listen,
        .admin = config->admin,
        .passed = *passed,
        .service.base_path = config->base_path,
        .service.max_connections = (unsigned)config->max_connections,
        .service.max_client_connections = (unsigned)config->max_client_connections,
        .service.max_client_searches = (unsigned)config->max_client_searches,
        .service.max_target_bytes = config->max_target_bytes,
        .service.max_body_bytes = config->max_body_bytes,
        .service.access = serving->access,
        .service.free_seconds = (double)config->free_seconds,
        .service.max_client_jobs = (unsigned)config->max_client_jobs,
        .service.origins = config->cors_origin,
        .service.frame_ancestors = config->frame_ancestors,
        .service.forwarded = strcmp(config->forwarded, "forwarded") == 0,
        .service.max_reply_bytes = config->reply_bytes,
        .service.max_wait_s = (unsigned)config->max_wait,
        .service.max_streams = (unsigned)config->max_streams,
        .service.stream_s = (unsigned)config->stream_seconds,
        .service.fallback = *serving->store.fallback ? serving->store.fallback : NULL,
        .pace = {config->min_drain_rate * config->min_drain_seconds, config->min_drain_seconds * CLOCK_SECOND},
        .request_s = (unsigned)config->request_seconds,
        .keep_alive_s = (unsigned)config->keep_alive_seconds,
    };
    (void)networks_read(config->trusted_proxies, &options.service.trusted_proxies); /* config_read() has checked it */
    return server_start(&options, serving->engine, serving->log, error);
}

/* Opens all but the keys; false, with a sentence on standard error, leaves the rest to close(). */
static bool open_all(const struct config *config, const struct kernel *kernel, const struct activation *passed,
                     struct serving *serving)
{
    char store_error[STORE_ERROR_MAX] = "out of memory", error[SERVER_ERROR_MAX] = "out of memory or threads";
    serving->log = log_new(config->json);
    if (serving->log && !serve_store_open(&serving->store, config, serving->log, store_error)) {
        config_fail(config, "--store: %s", store_error);
        return false;
    }
    if (serving->log)
        serving->engine = open_engine(config, kernel, serving);
    const enum nq_status resumed = serving->engine ? serve_resume(serving->engine) : NQ_NOMEM;
    serving->resume = resumed == NQ_BROKEN;
    if (resumed == NQ_OK || resumed == NQ_BROKEN)
        serving->server = open_server(config, passed, serving, error);
    if (serving->server)
        return true;
    config_fail(config, "%s", error);
    if (serving->engine && engine_close(serving->engine) != NQ_OK)
        _exit(1);
    return false;
}

/* ---- Serving, and closing ---- */

static void log_threads(const struct config *config, struct log *log)
{
    char text[CONFIG_FROM_MAX + 64];
    (void)snprintf(text, sizeof text, "%lu search thread%s: %s", config->threads, config->threads == 1 ? "" : "s",
                   config->threads_from);
    log_event(log, "threads", text);
}

/* Returns when the server has stopped and the engine can be freed; otherwise it ends the process. */
static void serve(const struct config *config, struct serving *serving)
{
    log_listening(serving->log, server_address(serving->server, PORT_PUBLIC),
                  server_address(serving->server, PORT_ADMIN));
    log_threads(config, serving->log);
    config_warn_unknown(serving->log);
    const struct reloading reloading = {.access = serving->access,
                                        .store = &serving->store,
                                        .broker_files = store_broker(config->store) &&
                                                        (*config->nats_credentials || *config->nats_ca),
                                        .service = server_service(serving->server),
                                        .log = serving->log};
    serve_wait_for_end(serving->engine, serving->resume, &reloading, serving->log);
    serve_drain(serving->server, config);
    const enum nq_status closed = server_stop(serving->server);
    if (closed == NQ_OK) {
        log_event(serving->log, "stopped", "every connection is closed");
        return;
    }
    if (closed == NQ_TIMEOUT)
        log_event(serving->log, "stopped", "a search does not end: it is abandoned");
    else
        log_lost(serving->engine, serving->log);
    if (closed != NQ_BUSY) /* then the journal's thread is still in the store */
        (void)serve_store_close(&serving->store);
    _exit(closed == NQ_TIMEOUT ? 0 : 1);
}

static void close_all(struct serving *serving, int result)
{
    engine_free(serving->engine);
    queue_close(serving->store.work);
    if (!serve_store_close(&serving->store))
        _exit(result);
    if (serving->log)
        log_free(serving->log);
    access_close(serving->access);
}

int serve_run(int count, char **arguments)
{
    struct config config;
    struct activation passed;
    struct serving serving = {.log = NULL};
    activation_take(&passed);
    signals_take();
    const bool check = check_take(&count, arguments);
    if (!config_read(&config, count, arguments))
        return 2;
    if (check)
        return check_config(&config);
    const struct kernel *kernel = config_kernel(&config);
    if (!kernel)
        return 2;
    if (!open_keys(&config, &serving.access))
        return 2;
    json_begin();
    const bool opened = open_all(&config, kernel, &passed, &serving);
    if (opened)
        serve(&config, &serving);
    close_all(&serving, opened ? 0 : 1);
    return opened ? 0 : 1;
}
