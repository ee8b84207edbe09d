/* worker.c - the command `nqueensd worker`: connects a worker to the broker, waits for a signal, and lets the worker
 * end its batches. */
#include "commands/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "commands/config.h"
#include "commands/signals.h"
#include "engine/worker/worker.h"
#include "http/guard/log.h"
#include "http/server/worker_port.h"

static void notify(void *who, const char *event, const char *text)
{
    log_event(who, event, text);
}

static void wait_for_end(const struct config *config, const struct worker_options *options, struct log *log)
{
    const sigset_t signals = signals_all();
    const bool files = *config->nats_credentials || *config->nats_ca; /* without them SIGHUP reads nothing */
    char why[STORE_ERROR_MAX];
    for (bool ended = false; !ended;) {
        const int number = sigwaitinfo(&signals, NULL);
        if (number == SIGHUP && files)
            (void)signals_reload_broker_files(options->store, options->queue, log, why);
        else
            ended = number > 0 && signals_log(log, number);
    }
}

static int work(const struct config *config, const struct worker_options *options, struct log *log)
{
    char text[512];
    struct worker_port *port = NULL;
    struct worker *worker = worker_new(options);
    if (!worker) {
        config_fail(config, "out of memory or threads");
        return 1;
    }
    const char *why = worker_port_open(config->admin, worker, options->kernel->name, &port);
    if (why) {
        config_fail(config, "cannot listen on --admin %s: %s", config->admin, why);
    } else {
        (void)snprintf(text, sizeof text, "%u threads (%s), %s; admin %s", options->threads, config->threads_from,
                       options->kernel->name, worker_port_address(port));
        log_event(log, "working", text);
        config_warn_unknown(log);
        wait_for_end(config, options, log);
    }
    const bool ended = worker_stop(worker, clock_now() + (why ? 0 : config->drain_seconds * CLOCK_SECOND));
    worker_port_close(port);
    log_event(log, "stopped", ended ? "no batch is left" : "a unit does not end: it is left behind");
    if (!ended)
        _exit(1);
    worker_free(worker);
    return why ? 1 : 0;
}

int work_run(int count, char **arguments)
{
    struct config config;
    char error[STORE_ERROR_MAX] = "out of memory";
    struct queue *queue = NULL;
    struct store *store = NULL;
    int result = 1;
    signals_take();
    if (!config_read(&config, count, arguments))
        return 2;
    const struct kernel *kernel = config_kernel(&config);
    if (!kernel)
        return 2;
    const struct store_options options = config_store(&config);
    const char *broker = store_broker(config.store);
    if (!broker) {
        config_fail(&config, "a worker needs --store nats://HOST or tls://HOST, the one that its servers have");
        return 2;
    }
    json_begin();
    struct log *log = log_new(config.json);
    const unsigned lease_ms = (unsigned)config.lease_seconds * 1000;
    if (log && store_open(config.store, &options, &store, error) == NQ_OK &&
        queue_open(broker, &options.nats, lease_ms, QUEUE_COUNTS, &queue, error) == NQ_OK) {
        const struct worker_options with = {.queue = queue,
                                            .store = store,
                                            .lease_ms = lease_ms,
                                            .kernel = kernel,
                                            .threads = (unsigned)config.threads,
                                            .table_bytes = config.table_bytes,
                                            .notify = notify,
                                            .who = log};
        result = work(&config, &with, log);
    } else {
        config_fail(&config, "--store: %s", error);
    }
    queue_close(queue);
    store_close(store);
    if (log)
        log_free(log);
    return result;
}
