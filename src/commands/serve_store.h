/* serve_store.h - what outlives the engine of `nqueensd serve`: the store, and the queue that it shares with workers.
 */
#ifndef COMMANDS_SERVE_STORE_H
#define COMMANDS_SERVE_STORE_H

#include "commands/config.h"
#include "http/guard/log.h"
#include "stores/queue.h"
#include "stores/store.h"

struct serve_store {
    struct store *store;
    struct queue *work;             /* NULL: workers cannot share this store */
    char fallback[STORE_ERROR_MAX]; /* why facts stay in memory instead of the configured store; "": they do not */
};

/* Opens the store and, if workers can share it, the queue. A store that is broken is replaced by memory, with a line in
 * the log. False, with a sentence in error: the store is in use or not a store, or memory is out. Before other threads
 * are started: SIGTERM may end the process here. */
bool serve_store_open(struct serve_store *store, const struct config *config, struct log *log,
                      char error[static STORE_ERROR_MAX]);

/* Closes the store, unless it is NULL; the queue stays open. False: the disk still has not answered after five seconds,
 * and a thread waits for it: end the process by _exit(). */
bool serve_store_close(struct serve_store *store);

#endif
