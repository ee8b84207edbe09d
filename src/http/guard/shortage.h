/* shortage.h - file descriptors: for how many connections they suffice, and what to do when the system has none left.
 */
#ifndef HTTP_GUARD_SHORTAGE_H
#define HTTP_GUARD_SHORTAGE_H

#include <microhttpd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* With fewer descriptors the service does not start: some are needed for other things than connections. */
enum { DESCRIPTORS_LEAST = 40 };

/* Raises the limit of descriptors as far as the system allows, and lowers the connections of the public and of the
 * admin port to those it suffices for. Returns the limit. */
uint64_t shortage_limit(unsigned *connections, unsigned *admin);

/* Of one port; all zero at first. */
struct shortage {
    atomic_bool active; /* and it is not known to be over */
    uint64_t logged_at; /* clock_now() when it was last to be logged, 0: never */
};

/* On libmicrohttpd's thread: an error message of the library's. Returns whether to log it. */
bool shortage_report(struct shortage *shortage, const char *error);

/* On any other thread: makes the library check for free descriptors again, if it had none. */
void shortage_recover(struct shortage *shortage, struct MHD_Daemon *daemon);

#endif
