/* thread.h - names of threads, as `top -H`, gdb and /proc/PID/task/TID/comm show them. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdio.h>

enum { THREAD_NAME_SIZE = 16 }; /* of Linux, with the NUL */

/* Names the calling thread; what is too long is cut. */
static inline void thread_name(const char *name)
{
    char text[THREAD_NAME_SIZE];
    (void)snprintf(text, sizeof text, "%s", name);
    (void)pthread_setname_np(pthread_self(), text);
}

/* The same with a number: "pool-3". */
static inline void thread_name_numbered(const char *name, unsigned number)
{
    char text[THREAD_NAME_SIZE];
    (void)snprintf(text, sizeof text, "%.10s-%u", name, number);
    (void)pthread_setname_np(pthread_self(), text);
}

#endif
