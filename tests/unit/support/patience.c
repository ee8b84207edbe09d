/* patience.c - how long tests wait; a file of its own, because some tests have a main of their own. */
#include "support/tests.h"

uint64_t tests_patience(void)
{
    const char *measured = getenv("NQ_PATIENCE");
    return measured ? strtoull(measured, NULL, 10) : 1;
}
