/* main.c - wires the floors together, waits for a signal, and takes them apart again. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "bench/bench.h"
#include "config.h"
#include "healthcheck.h"
#include "http/access.h"
#include "http/ask_count.h"
#include "http/route.h"
#include "http/server.h"
#include "kernels/kernel.h"
#include "newkey.h"
#include "signals.h"
#include "stores/queue.h"
#include "stores/store.h"
#include "work.h"

/* Facts that may wait while the store is broken. */
enum { WAITING_BYTES = 64 << 20 };

/* Milliseconds for the store to say which jobs there are, while the service runs. */
enum { RESUME_MS = 3000 };

/* Seconds for the store to be closed. */
enum { CLOSE_S = 5 };

struct command {
    const char *name;
    int (*run)(int count, char **arguments);
    const char *help;
};

static int print_help(int count, char **arguments);

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

/* ---- Until the end ---- */

static void reload(struct access *access, struct log *log)
{
    char text[ACCESS_ERROR_MAX + 64], error[ACCESS_ERROR_MAX];
    if (!access)
        (void)snprintf(text, sizeof text, "SIGHUP means nothing without --api-keys");
    else if (access_reload(access, error))
        (void)snprintf(text, sizeof text, "%zu in force", access_count(access));
    else
        (void)snprintf(text, sizeof text, "%s; they stay as they were", error);
    log_event(log, "keys", text);
}

/* ---- Jobs of an earlier process ---- */

static const struct job_reopener reopener = {.reopen = ask_count_reopen, .release = ask_count_release};

struct resumption {
    struct engine *engine;
    bool due; /* the store could not be read */
};

/* Before anything is asked. False: some jobs are there that cannot be taken up. */
static bool resume_first(struct resumption *resumption)
{
    const enum nq_status status = engine_resume(resumption->engine, &reopener, (struct patience){0});
    resumption->due = status != NQ_OK;
    return status == NQ_OK || status == NQ_BROKEN;
}

/* While the service runs; it may take some seconds, no more: a signal may come. */
static void resume_later(struct resumption *resumption)
{
    static const atomic_bool never;
    char why[STORE_ERROR_MAX];
    const struct patience patience = {.stop = &never, .milliseconds = RESUME_MS};
    if (!engine_ails(resumption->engine, why))
        resumption->due = engine_resume(resumption->engine, &reopener, patience) != NQ_OK;
}

/* Until one that ends the service; later ones of the others wait in vain, and end nothing. Meanwhile jobs that could
 * not be read at the start are taken up as soon as the store works. */
static void wait_for_end(struct resumption *resumption, struct access *access, struct log *log)
{
    const sigset_t signals = signals_all();
    const struct timespec moment = {.tv_sec = 1};
    char text[64];
    for (int number = 0; number != SIGTERM && number != SIGINT;) {
        number = resumption->due ? sigtimedwait(&signals, NULL, &moment) : sigwaitinfo(&signals, NULL);
        if (number < 0) {
            if (resumption->due)
                resume_later(resumption);
            continue;
        }
        const bool end = number == SIGTERM || number == SIGINT;
        (void)snprintf(text, sizeof text, "SIG%s%s", sigabbrev_np(number), end ? "" : ": there is nothing to be done");
        if (number == SIGHUP)
            reload(access, log);
        else
            log_event(log, end ? "stopping" : "signal", text);
    }
}

/* Waits until nothing is under way, for so many seconds, or for a second signal: whoever sends two means now. */
static void wait_for_idle(const struct server *server, unsigned long seconds)
{
    const sigset_t endings = signals_ending();
    const struct timespec moment = {.tv_nsec = 10000000};
    const uint64_t deadline = clock_now() + seconds * CLOCK_SECOND;
    while (!server_idle(server) && clock_now() < deadline && sigtimedwait(&endings, NULL, &moment) < 0) {
    }
}

/* ---- The store ---- */

struct keeping {
    struct log *log;
    struct store *store;
    struct queue *work; /* NULL: the store is not one that workers share */
};

static void on_trouble(void *who, bool broken)
{
    const struct keeping *keeping = who;
    char text[STORE_ERROR_MAX] = "it works again";
    if (broken)
        store_trouble(keeping->store, text);
    log_event(keeping->log, "store", text);
}

static void on_news(void *who, const struct job_news *news)
{
    const struct keeping *keeping = who;
    log_job(keeping->log, news);
}

/* Opens the store that is wanted; one that is broken is replaced by memory, and says so. False, with a sentence, when
 * there is none: it is another's, or none of ours. */
static bool open_store(const struct config *config, struct log *log, struct store **store,
                       char fallback[static STORE_ERROR_MAX], char error[static STORE_ERROR_MAX])
{
    struct bytes spec = {0};
    const bool automatic = strcmp(config->store, "auto") == 0;
    fallback[0] = '\0';
    if (automatic) {
        bytes_text(&spec, "sqlite:");
        if (!store_default_path(&spec)) {
            spec.size = 0;
            bytes_text(&spec, "memory");
            log_event(log, "store", "neither XDG_STATE_HOME nor HOME is set: nothing outlives this process");
        }
    } else {
        bytes_text(&spec, config->store);
    }
    char *text = bytes_take(&spec);
    const struct store_options options = config_store(config);
    enum nq_status status = text ? store_open(text, &options, store, error) : NQ_NOMEM;
    free(text);
    if (status == NQ_BROKEN) {
        log_event(log, "store", error);
        memcpy(fallback, error, STORE_ERROR_MAX);
        status = store_open("memory", &options, store, error);
    }
    return status == NQ_OK;
}

/* Opens all that outlives the engine. */
static bool open_keeping(const struct config *config, struct keeping *keeping, char fallback[static STORE_ERROR_MAX],
                         char error[static STORE_ERROR_MAX])
{
    static const bool listen[QUEUE_TOPICS] = {true, true, true};
    const struct store_options options = config_store(config);
    const char *broker = store_broker(config->store);
    signals_may_end(true);
    const bool opened = open_store(config, keeping->log, &keeping->store, fallback, error);
    signals_may_end(false);
    return opened && (!broker || queue_open(broker, &options.nats, (unsigned)config->lease_seconds * 1000, listen,
                                            &keeping->work, error) == NQ_OK);
}

static void *close_it(void *store)
{
    store_close(store);
    return NULL;
}

/* False: a disk that hangs, for all we know. */
static bool close_store(struct store *store)
{
    pthread_t thread;
    const struct timespec moment = {.tv_nsec = 1000000};
    const uint64_t until = clock_now() + CLOSE_S * CLOCK_SECOND;
    if (pthread_create(&thread, NULL, close_it, store) != 0)
        return false;
    bool ended; /* not pthread_timedjoin_np: its clock jumps */
    while (!(ended = pthread_tryjoin_np(thread, NULL) == 0) && clock_now() < until)
        nanosleep(&moment, NULL);
    return ended;
}

static struct engine_options engine_options_of(const struct config *config, const struct kernel *kernel,
                                               struct keeping *keeping)
{
    return (struct engine_options){
        .threads = (unsigned)config->threads,
        .kernel = kernel,
        .cache_bytes = config->cache_bytes,
        .table_bytes = config->table_bytes,
        .queue = config->queue,
        .max_streams = (unsigned)config->max_streams,
        .max_stream_s = (unsigned)config->stream_seconds,
        .max_jobs = config->max_jobs,
        .max_job_hours = (double)config->max_job_hours,
        .waiting_bytes = WAITING_BYTES,
        .audit = strtod(config->audit, NULL),
        .trouble = on_trouble,
        .news = on_news,
        .who = keeping,
    };
}

static struct server_options server_options_of(const struct config *config, const struct activation *passed,
                                               struct access *access)
{
    struct server_options options = {
        .listen = config->listen,
        .admin = config->admin,
        .passed = *passed,
        .base_path = config->base_path,
        .max_connections = (unsigned)config->max_connections,
        .max_client_connections = (unsigned)config->max_client_connections,
        .max_client_searches = (unsigned)config->max_client_searches,
        .max_target_bytes = config->max_target_bytes,
        .max_body_bytes = config->max_body_bytes,
        .access = access,
        .free_seconds = (double)config->free_seconds,
        .origins = config->cors_origin,
        .forwarded = strcmp(config->forwarded, "forwarded") == 0,
        .max_reply_bytes = config->reply_bytes,
        .max_wait_s = (unsigned)config->max_wait,
        .max_streams = (unsigned)config->max_streams,
        .stream_s = (unsigned)config->stream_seconds,
        .pace = {config->min_drain_rate * config->min_drain_seconds, config->min_drain_seconds * CLOCK_SECOND},
        .request_s = (unsigned)config->request_seconds,
        .keep_alive_s = (unsigned)config->keep_alive_seconds,
    };
    (void)networks_read(config->trusted_proxies, &options.trusted_proxies); /* it was looked at */
    return options;
}

/* Serves until SIGTERM or SIGINT. */
static int serve(int count, char **arguments)
{
    struct config config;
    struct activation passed;
    activation_take(&passed);
    signals_take();
    if (count > 0 && is_help(arguments[0]))
        return print_help(0, NULL);
    if (!config_read(&config, count, arguments))
        return 2;
    const struct kernel *kernel = kernel_find(config.kernel);
    if (!kernel) {
        fprintf(stderr, "nqueensd: --kernel: '%s' is not a kernel this machine has\n", config.kernel);
        return 2;
    }
    char error[STORE_ERROR_MAX + SERVER_ERROR_MAX + ACCESS_ERROR_MAX] = "out of memory or threads";
    struct access *access = *config.api_keys ? access_open(config.api_keys, error) : NULL;
    if (*config.api_keys && !access) {
        fprintf(stderr, "nqueensd: --api-keys: %s\n", error);
        return 2;
    }
    json_begin();

    int result = 1;
    struct keeping keeping = {.log = NULL};
    char fallback[STORE_ERROR_MAX] = "";
    struct engine_options engine_options = engine_options_of(&config, kernel, &keeping);
    struct server_options server_options = server_options_of(&config, &passed, access);
    struct engine *engine = NULL;
    struct resumption resumption = {.engine = NULL};
    struct server *server = NULL;
    struct log *log = log_new(strcmp(config.log, "json") == 0);
    keeping.log = log;
    const bool opened = log && open_keeping(&config, &keeping, fallback, error);
    if (opened) {
        engine_options.store = keeping.store;
        engine_options.work = keeping.work;
        server_options.fallback = *fallback ? fallback : NULL;
        engine = engine_new(&engine_options);
    }
    bool resumed = false;
    if (engine) {
        signals_may_end(true);
        resumption.engine = engine;
        resumed = resume_first(&resumption);
        signals_may_end(false);
    }
    if (resumed) {
        server = server_start(&server_options, engine, log, error);
    }
    if (!server) {
        fprintf(stderr, "nqueensd: %s%s\n", log && !opened ? "--store: " : "", error);
        if (engine && engine_close(engine) != NQ_OK)
            _exit(1);
        goto cleanup;
    }
    log_listening(log, server_address(server), server_admin(server));
    wait_for_end(&resumption, access, log);
    server_drain(server);
    wait_for_idle(server, config.drain_seconds);
    const enum nq_status closed = server_stop(server);
    if (closed == NQ_BROKEN) { /* its thread still has what would be freed */
        log_event(log, "stopped", "the store does not answer: what it has not taken is lost");
        _exit(1);
    }
    result = 0;
    if (closed == NQ_TIMEOUT) { /* that thread still has what would be freed, but for the store */
        log_event(log, "stopped", "a search does not end: it is left behind");
        (void)close_store(keeping.store);
        _exit(result);
    }
    log_event(log, "stopped", "every connection is closed");
cleanup:
    if (engine)
        engine_free(engine);
    if (keeping.work)
        queue_close(keeping.work);
    if (keeping.store && !close_store(keeping.store))
        _exit(result);
    if (log)
        log_free(log);
    access_close(access);
    return result;
}

static int print_routes(int count, char **arguments)
{
    (void)count, (void)arguments;
    struct bytes table = {0};
    routes_write(&table);
    bool written = !table.failed && fwrite(table.data, 1, table.size, stdout) == table.size;
    bytes_free(&table);
    return written ? 0 : 1;
}

static int print_version(int count, char **arguments)
{
    (void)count, (void)arguments;
    puts("nqueensd " NQ_VERSION);
    return 0;
}

static const struct command commands[] = {
    {"serve", serve, "serve until SIGTERM; the default"},
    {"worker", work_run, "count for servers with the same --store nats:...; until SIGTERM"},
    {"bench", bench_run, "measure, as ratios within one run; bench --help tells more"},
    {"healthcheck", healthcheck_run, "ask /healthz of the server with these flags; exits with 0 when it is alive"},
    {"new-key", newkey_run,
     "make a key: NAME [searches=N] [jobs=N] [hours=H]; prints the line for --api-keys, and the key"},
    {"routes", print_routes, "print the table of routes as JSON"},
    {"--version", print_version, "print the version"},
    {"--help", print_help, "print this"},
};

static int print_help(int count, char **arguments)
{
    (void)count, (void)arguments;
    puts("nqueensd [command] [flags]: an HTTP service about placements of n non-attacking queens\n");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        printf("  %-12s %s\n", commands[i].name, commands[i].help);
    puts("\nFlags of serve, the environment variables that stand for them, and the defaults:\n");
    config_help(stdout);
    return 0;
}

int main(int count, char **arguments)
{
    const char *word = count > 1 ? arguments[1] : "serve";
    if (is_help(word))
        return print_help(0, NULL);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(word, commands[i].name) == 0)
            return commands[i].run(count > 2 ? count - 2 : 0, arguments + (count > 1 ? 2 : 1));
    if (word[0] == '-')
        return serve(count - 1, arguments + 1);
    fprintf(stderr, "nqueensd: %s is not a command; --help lists them\n", word);
    return 2;
}
