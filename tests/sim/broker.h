/* broker.h - what the simulation itself asks of the broker. */
#ifndef TESTS_SIM_BROKER_H
#define TESTS_SIM_BROKER_H

#include <stdbool.h>

/* A process has died: nobody listens, and nothing goes to it. */
void broker_forget(int process);

/* A process has died or stands still: what it has must go to others soon. */
void broker_lost(int process);

/* Whether no work is led any more and, as long as there are workers, no batch is left; what there is. */
enum { BROKER_WHAT = 200 };
bool broker_is_empty(bool workers, char what[static BROKER_WHAT]);

#endif
