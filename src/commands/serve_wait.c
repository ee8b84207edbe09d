/* serve_wait.c - waits for signals, and resumes jobs meanwhile if the store could not be read at the start. */
#include "commands/serve_wait.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/lock.h"
#include "commands/signals.h"

/* Milliseconds for the store to list the jobs while the service runs: a signal waits so long at most. */
enum { RESUME_MS = 3000 };

enum nq_status serve_resume(struct engine *engine)
{
    signals_may_end(true);
    const enum nq_status status = engine_resume(engine, (struct deadline){0});
    signals_may_end(false);
    return status;
}

/* Whether the jobs are resumed. */
static bool resume_again(struct engine *engine)
{
    static const atomic_bool never;
    char why[STORE_ERROR_MAX];
    const struct deadline deadline = {.stop = &never, .milliseconds = RESUME_MS};
    return !engine_fault(engine, why) && engine_resume(engine, deadline) == NQ_OK;
}

static void reload(struct access *access, struct log *log)
{
    char text[ACCESS_ERROR_MAX + 64], error[ACCESS_ERROR_MAX];
    if (!access)
        (void)snprintf(text, sizeof text, "SIGHUP has no effect without --api-keys");
    else if (access_reload(access, error))
        (void)snprintf(text, sizeof text, "%zu in force", access_count(access));
    else
        (void)snprintf(text, sizeof text, "%s; the keys are unchanged", error);
    log_event(log, "keys", text);
}

#ifdef CHECKS
/* A test sends SIGUSR2 between two steps, and waits for this line. */
static void check(struct engine *engine, struct log *log)
{
    char text[64];
    (void)snprintf(text, sizeof text, "SIGUSR2: checks: %u structures are sound", engine_check(engine));
    log_event(log, "signal", text);
}
#endif

void serve_wait_for_end(struct engine *engine, bool resume, struct access *access, struct log *log)
{
    const sigset_t signals = signals_all();
    const struct timespec moment = {.tv_sec = 1};
    for (bool ended = false; !ended;) {
        const int number = resume ? sigtimedwait(&signals, NULL, &moment) : sigwaitinfo(&signals, NULL);
        if (number < 0)
            resume = resume && !resume_again(engine);
        else if (number == SIGHUP)
            reload(access, log);
#ifdef CHECKS
        else if (number == SIGUSR2)
            check(engine, log);
#endif
        else
            ended = signals_log(log, number);
    }
}

void serve_wait_for_idle(const struct server *server, unsigned long seconds)
{
    const sigset_t endings = signals_ending();
    const struct timespec moment = {.tv_nsec = 10000000};
    const uint64_t deadline = clock_now() + seconds * CLOCK_SECOND;
    while (!server_idle(server) && clock_now() < deadline && sigtimedwait(&endings, NULL, &moment) < 0) {
    }
}
