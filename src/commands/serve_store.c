/* serve_store.c - opens the configured store, or memory in its place, and closes it although a disk may hang. */
#include "commands/serve_store.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/process.h"
#include "commands/signals.h"

enum { CLOSE_S = 5 };

/* The spec of the configured store, for the caller to free; NULL: out of memory. */
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

bool serve_store_open(struct serve_store *store, const struct config *config, struct log *log,
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
        status = queue_open(broker, &options.nats, (unsigned)config->lease_seconds * 1000, true, &store->work, error);
    return status == NQ_OK;
}

static void *close_it(void *store)
{
    thread_name("store-close");
    store_close(store);
    return NULL;
}

bool serve_store_close(struct serve_store *store)
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
