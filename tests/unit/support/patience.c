/* patience.c - how long tests wait; a file of its own, because some tests have a main of their own. */
#include "support/waits.h"

#include <time.h>

uint64_t tests_patience(void)
{
    const char *measured = getenv("NQ_PATIENCE");
    return measured ? strtoull(measured, NULL, 10) : 1;
}

void asking_pause(void)
{
    const struct timespec moment = {.tv_nsec = 200000};
    (void)nanosleep(&moment, NULL);
}
