/* work.c - the command `nqueensd worker`: wires a worker to the broker, waits for a signal, and lets it end what it has
 * begun. */
#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "config.h"
#include "engine/worker.h"
#include "http/ask_count.h"
#include "http/log.h"
#include "http/worker_port.h"
#include "signals.h"

static void tell(void *who, const char *event, const char *text)
{
    log_event(who, event, text);
}

/* Until one that ends it. */
static void wait_for_end(struct log *log)
{
    const sigset_t signals = signals_all();
    char text[64];
    for (int number = 0; number != SIGTERM && number != SIGINT;) {
        number = sigwaitinfo(&signals, NULL);
        if (number < 0)
            continue;
        const bool end = number == SIGTERM || number == SIGINT;
        (void)snprintf(text, sizeof text, "SIG%s%s", sigabbrev_np(number), end ? "" : ": there is nothing to be done");
        log_event(log, end ? "stopping" : "signal", text);
    }
}

static void listening(struct log *log, const char *admin, unsigned threads, const char *kernel)
{
    char text[256];
    (void)snprintf(text, sizeof text, "%u threads, %s; admin %s", threads, kernel, admin);
    log_event(log, "working", text);
}

/* Works with what is open. */
static int work(const struct config *config, const struct worker_options *options, struct log *log)
{
    struct worker_port *port = NULL;
    struct worker *worker = worker_new(options);
    if (!worker) {
        fprintf(stderr, "nqueensd: out of memory or threads\n");
        return 1;
    }
    const char *why = worker_port_open(config->admin, worker, options->kernel->name, &port);
    if (why) {
        fprintf(stderr, "nqueensd: cannot listen on --admin %s: %s\n", config->admin, why);
    } else {
        listening(log, worker_port_address(port), options->threads, options->kernel->name);
        wait_for_end(log);
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
    static const struct job_reopener reopener = {.reopen = ask_count_reopen, .release = ask_count_release};
    static const bool listen[QUEUE_TOPICS] = {[QUEUE_WORK] = true};
    struct config config;
    char error[STORE_ERROR_MAX] = "out of memory";
    struct queue *queue = NULL;
    struct store *store = NULL;
    int result = 1;
    signals_take();
    if (count > 0 && strcmp(arguments[0], "--help") == 0) {
        config_help(stdout);
        return 0;
    }
    if (!config_read(&config, count, arguments))
        return 2;
    const struct kernel *kernel = kernel_find(config.kernel);
    if (!kernel) {
        fprintf(stderr, "nqueensd: --kernel: '%s' is not a kernel this machine has\n", config.kernel);
        return 2;
    }
    const struct store_options options = config_store(&config);
    const char *broker = store_broker(config.store);
    if (!broker) {
        fprintf(stderr, "nqueensd: a worker needs --store nats://HOST:PORT, the one that its servers have\n");
        return 2;
    }
    json_begin();
    struct log *log = log_new(strcmp(config.log, "json") == 0);
    const unsigned lease_ms = (unsigned)config.lease_seconds * 1000;
    if (log && store_open(config.store, &options, &store, error) == NQ_OK &&
        queue_open(broker, &options.nats, lease_ms, listen, &queue, error) == NQ_OK) {
        const struct worker_options with = {.queue = queue,
                                            .store = store,
                                            .lease_ms = lease_ms,
                                            .kernel = kernel,
                                            .threads = (unsigned)config.threads,
                                            .table_bytes = config.table_bytes,
                                            .reopener = &reopener,
                                            .tell = tell,
                                            .who = log};
        result = work(&config, &with, log);
    } else {
        fprintf(stderr, "nqueensd: --store: %s\n", error);
    }
    if (queue)
        queue_close(queue);
    store_close(store);
    if (log)
        log_free(log);
    return result;
}
