/* stop_latency.h - how soon work ends after it is stopped: in its own CPU time, for a busy machine delays
 * everyone. */
#ifndef TESTS_UNIT_SUPPORT_STOP_LATENCY_H
#define TESTS_UNIT_SUPPORT_STOP_LATENCY_H

#include <nqueens.h>
#include <stdatomic.h>

/* What heeds stop, and would go on for long. */
typedef enum nq_status stop_latency_work(void *context, const atomic_bool *stop);

/* Runs the work in a thread of its own, stops it after so many milliseconds, and fails the test unless it is
 * cancelled before it has worked for as many more as it may. */
void stop_latency_check(stop_latency_work *work, void *context, unsigned after_ms, unsigned within_ms);

#endif
