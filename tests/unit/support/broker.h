/* broker.h - a NATS server of a test's own, which the test may take away and give back. It dies with the test. */
#ifndef TESTS_UNIT_SUPPORT_BROKER_H
#define TESTS_UNIT_SUPPORT_BROKER_H

#include <stdbool.h>
#include <sys/types.h>

#include "stores/queue.h"
#include "stores/store.h"
#include "support/tests.h"

OWNER(queue_close, struct queue *)
OWNER(store_close, struct store *)

struct broker {
    pid_t pid;       /* 0: it does not run */
    char folder[64]; /* what it keeps, from run to run */
    char spec[64];   /* for store_open() */
    int port;        /* chosen by the first run, kept by the later ones; 0: none yet */
};

/* Starts it, for the first time or again: with what it has kept, on the port it had. more: another line of its
 * configuration, or NULL. */
void broker_start(struct broker *broker, const char *more);

/* How to connect to it, with time for its answers on a busy machine. */
struct nats_options broker_patient(void);

/* Kills it; what it has kept stays. */
void broker_stop(struct broker *broker);

/* It does not answer any more, or again. */
void broker_freeze(struct broker *broker, bool frozen);

/* Removes all streams. */
void broker_clear(const struct broker *broker);

/* Kills it, if there is one, and removes what it has kept. Then it waits for the library's own threads, so that no
 * sanitizer sees what they still have: for the end of a group. */
void broker_end(struct broker *broker);

#endif
