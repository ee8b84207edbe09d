/* serve_wait.h - what `nqueensd serve` does while it runs: it resumes the jobs of earlier processes, and waits. */
#ifndef COMMANDS_SERVE_WAIT_H
#define COMMANDS_SERVE_WAIT_H

#include "http/server/server.h"

/* Resumes stored jobs before the server starts. NQ_OK; NQ_BROKEN: the store could not be read, which
 * serve_wait_for_end() tries again; otherwise jobs exist that cannot be resumed. */
enum nq_status serve_resume(struct engine *engine);

/* Waits for SIGTERM or SIGINT; reloads the keys at SIGHUP and ignores other signals. resume: stored jobs are still to
 * be resumed, as soon as the store works. access is NULL without --api-keys. */
void serve_wait_for_end(struct engine *engine, bool resume, struct access *access, struct log *log);

/* Waits until no request is under way, the time is up, or a second SIGTERM or SIGINT asks for an end at once. */
void serve_wait_for_idle(const struct server *server, unsigned long seconds);

#endif
