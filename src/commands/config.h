/* config.h - the settings of the server: one table of flags, which are environment variables too. */
#ifndef COMMANDS_CONFIG_H
#define COMMANDS_CONFIG_H

#include <stdbool.h>
#include <stdio.h>

#include "http/guard/log.h"
#include "kernels/kernel.h"
#include "stores/store.h"

enum { CONFIG_FROM_MAX = 128 };

struct config {
    const char *listen, *admin, *kernel, *base_path, *log, *store, *trusted_proxies, *forwarded, *cors_origin,
        *frame_ancestors;
    const char *api_keys, *audit, *nats_credentials, *nats_ca, *nats_replicas;
    unsigned long threads, table_bytes, cache_bytes, reply_bytes, search_bytes, queue, max_connections, max_streams;
    unsigned long max_client_connections, max_client_searches, max_target_bytes, max_body_bytes;
    unsigned long store_bytes, max_jobs, max_client_jobs, max_job_hours, free_seconds;
    unsigned long min_drain_rate, min_drain_seconds, lease_seconds;
    unsigned long max_wait, stream_seconds, request_seconds, keep_alive_seconds, drain_delay, drain_seconds;
    char threads_from[CONFIG_FROM_MAX]; /* where the number of threads comes from, for the log */
    bool json;                          /* the form of the log, also before all is read */
};

/* Writes why a command does not start, as text or as a line of the log. No full stop, no line break. */
__attribute__((format(printf, 2, 3))) void config_fail(const struct config *config, const char *format, ...);

/* Logs a sentence for each variable of the environment that looks like a setting and is none: a mistyped name has no
 * effect, which nobody would see. NULL: writes it to standard error. */
void config_warn_unknown(struct log *log);

/* Reads defaults, then the environment (NQ_LISTEN for --listen), then arguments[0..count). False with a sentence on
 * standard error when something is wrong. */
bool config_read(struct config *config, int count, char *const *arguments);

/* The number of search threads when none is set: one for each processor that this process may use, at most as many as
 * its CPU quota is enough for, and what decides it. root: as in quota_read(). */
unsigned long config_threads(const char *root, char from[static CONFIG_FROM_MAX]);

/* The settings of the store. */
struct store_options config_store(const struct config *config);

/* The counting kernel that is set. NULL, with a sentence on standard error: this machine has no such kernel. */
const struct kernel *config_kernel(const struct config *config);

/* Prints the table. */
void config_help(FILE *to);

#endif
