/* stopping.h - how soon work ends that is told to stop: in processor time of its own, for a busy machine delays
 * everyone. */
#ifndef UNIT_STOPPING_H
#define UNIT_STOPPING_H

#include <nqueens.h>
#include <stdatomic.h>

/* What heeds stop, and would go on for long. */
typedef enum nq_status stopping_work(void *context, const atomic_bool *stop);

/* Lets it work in a thread of its own, tells it to stop after so many milliseconds, and fails the test unless it is
 * cancelled before it has worked for as many more as it may. */
void stopping_check(stopping_work *work, void *context, unsigned after_ms, unsigned within_ms);

#endif
