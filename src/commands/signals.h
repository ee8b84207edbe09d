/* signals.h - the signals that a process waits for, and those that must not end it. */
#ifndef COMMANDS_SIGNALS_H
#define COMMANDS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "http/guard/log.h"

/* SIGTERM and SIGINT, which end the process; and these with SIGHUP, SIGUSR1 and SIGUSR2, which must not. */
sigset_t signals_ending(void);
sigset_t signals_all(void);

/* Blocks them in every thread that is started from now on: one thread waits for them. Ignores SIGPIPE and SIGXFSZ: a
 * client that is gone and a file that cannot grow are errors of the call. */
void signals_take(void);

/* Whether SIGTERM and SIGINT end the process at once: while it starts, although a disk may hang. No thread may be
 * started meanwhile: it would not block them. */
void signals_may_end(bool now);

/* Logs that the files of the broker were read again at SIGHUP; why: they could not be. */
void signals_log_broker_files(struct log *log, const char *why);

/* Logs a signal that was waited for. Returns whether it ends the process. */
bool signals_log(struct log *log, int number);

#endif
