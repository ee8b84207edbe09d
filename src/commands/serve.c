/* serve.c - puts keys, log, store, engine and server together, waits for a signal, and takes them apart again. */
#include "commands/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "commands/config.h"
#include "commands/serve_store.h"
#include "commands/serve_wait.h"
#include "commands/signals.h"
#include "http/server/server.h"

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

static struct server *open_server(const struct config *config, const struct activation *passed,
                                  const struct serving *serving, char error[static SERVER_ERROR_MAX])
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
    serving->log = log_new(strcmp(config->log, "json") == 0);
    if (serving->log && !serve_store_open(&serving->store, config, serving->log, store_error)) {
        fprintf(stderr, "nqueensd: --store: %s\n", store_error);
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
    fprintf(stderr, "nqueensd: %s\n", error);
    if (serving->engine && engine_close(serving->engine) != NQ_OK)
        _exit(1);
    return false;
}

/* ---- Serving, and closing ---- */

/* Returns when the server has stopped and the engine can be freed; otherwise it ends the process. */
static void serve(const struct config *config, struct serving *serving)
{
    log_listening(serving->log, server_address(serving->server, PORT_PUBLIC),
                  server_address(serving->server, PORT_ADMIN));
    serve_wait_for_end(serving->engine, serving->resume, serving->access, serving->log);
    server_drain(serving->server);
    serve_wait_for_idle(serving->server, config->drain_seconds);
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
    char error[ACCESS_ERROR_MAX];
    activation_take(&passed);
    signals_take();
    if (!config_read(&config, count, arguments))
        return 2;
    const struct kernel *kernel = config_kernel(&config);
    if (!kernel)
        return 2;
    if (*config.api_keys && !(serving.access = access_open(config.api_keys, error))) {
        fprintf(stderr, "nqueensd: --api-keys: %s\n", error);
        return 2;
    }
    json_begin();
    const bool opened = open_all(&config, kernel, &passed, &serving);
    if (opened)
        serve(&config, &serving);
    close_all(&serving, opened ? 0 : 1);
    return opened ? 0 : 1;
}
