/* broker.h - what the simulation itself asks of the broker. */
#ifndef TESTS_SIM_BROKER_H
#define TESTS_SIM_BROKER_H

#include <stdbool.h>

/* A process has died: nobody listens, and nothing goes to it. */
void broker_forget(int process);

/* A process has died or stands still: what it has must go to others soon. */
void broker_lost(int process);

/* The name by which a process claims works; "": it has none now. */
const char *broker_owner(int process);

/* Whether nothing is left of any work; what there is. */
enum { BROKER_WHAT = 200 };
bool broker_is_empty(char what[static BROKER_WHAT]);

#endif
