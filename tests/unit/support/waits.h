/* waits.h - waiting for something to become so. */
#ifndef TESTS_UNIT_SUPPORT_WAITS_H
#define TESTS_UNIT_SUPPORT_WAITS_H

#include "base/clock.h"
#include "support/sanitizer.h"
#include "support/tests.h"

/* Far longer than anything here takes, on any machine, in nanoseconds: only what never comes is not there by then. */
#define PATIENCE ((THREAD_SANITIZED ? 200 : 60) * tests_patience() * CLOCK_SECOND)

/* Returns once it is so; fails the test when it never is. */
#define WAIT_UNTIL(condition) \
    do { \
        const uint64_t given_up = clock_now() + PATIENCE; \
        while (!(condition)) { \
            if (clock_now() > given_up) \
                fail_msg("never so: %s", #condition); \
            asking_pause(); \
        } \
    } while (0)
void asking_pause(void);

#endif
