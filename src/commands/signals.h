/* signals.h - the signals that a process waits for, and those that must not end it. */
#ifndef COMMANDS_SIGNALS_H
#define COMMANDS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "http/guard/log.h"
#include "stores/queue.h"
#include "stores/store.h"

/* SIGTERM and SIGINT, which end the process; and these with SIGHUP, SIGUSR1 and SIGUSR2, which must not. */
sigset_t signals_ending(void);
sigset_t signals_all(void);

/* Blocks them in every thread that is started from now on: one thread waits for them. Ignores SIGPIPE and SIGXFSZ: a
 * client that is gone and a file that cannot grow are errors of the call. */
void signals_take(void);

/* Whether SIGTERM and SIGINT end the process at once: while it starts, although a disk may hang. No thread may be
 * started meanwhile: it would not block them. */
void signals_may_end(bool now);

/* At SIGHUP: has the store, and the queue if there is one, read the broker's files again, and logs that. False, with
 * why not: they could not be. */
bool signals_reload_broker_files(struct store *store, struct queue *queue, struct log *log,
                                 char why[static STORE_ERROR_MAX]);

/* Logs a signal that was waited for. Returns whether it ends the process. */
bool signals_log(struct log *log, int number);

#endif
