/* signals.c - masks of signals. */
#include "commands/signals.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

sigset_t signals_ending(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    return set;
}

sigset_t signals_all(void)
{
    sigset_t set = signals_ending();
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    return set;
}

static void leave(int number)
{
    (void)number;
    _exit(0);
}

void signals_take(void)
{
    const sigset_t signals = signals_all();
    const struct sigaction at_once = {.sa_handler = leave};
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    (void)sigaction(SIGTERM, &at_once, NULL);
    (void)sigaction(SIGINT, &at_once, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
}

void signals_may_end(bool now)
{
    const sigset_t endings = signals_ending();
    pthread_sigmask(now ? SIG_UNBLOCK : SIG_BLOCK, &endings, NULL);
}

bool signals_reload_broker_files(struct store *store, struct queue *queue, struct log *log,
                                 char why[static STORE_ERROR_MAX])
{
    char text[STORE_ERROR_MAX + 64];
    const bool sound = store_reload(store, why) == NQ_OK && (!queue || queue_reload(queue, why) == NQ_OK);
    if (sound)
        (void)snprintf(text, sizeof text,
                       "the credentials and certificates are read again, and the connection is made anew");
    else
        (void)snprintf(text, sizeof text, "%s; the connection is unchanged", why);
    log_event(log, "broker", text);
    return sound;
}

bool signals_log(struct log *log, int number)
{
    char text[64];
    const bool end = number == SIGTERM || number == SIGINT;
    (void)snprintf(text, sizeof text, "SIG%s%s", sigabbrev_np(number), end ? "" : ": ignored");
    log_event(log, end ? "stopping" : "signal", text);
    return end;
}
