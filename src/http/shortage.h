/* shortage.h - descriptors: how many connections there are enough for, and what to do when the system has none left. */
#ifndef HTTP_SHORTAGE_H
#define HTTP_SHORTAGE_H

#include <microhttpd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Descriptors below which there is no service: of these some are no connections. */
enum { DESCRIPTORS_LEAST = 40 };

/* Takes as many descriptors as the system allows, and lowers the connections of the public and of the other port to
 * those there are enough for. Returns how many the system allows. */
uint64_t shortage_share(unsigned *connections, unsigned *admin);

/* One port's. All zero is a good beginning. */
struct shortage {
    atomic_bool met; /* and not ended yet, as far as one knows */
    uint64_t told;   /* clock_now() when it was last told of, 0: never */
};

/* On libmicrohttpd's thread: what the library complains of. Returns whether to tell of it. */
bool shortage_heard(struct shortage *shortage, const char *complaint);

/* On any thread but that one: has the library look whether there are descriptors again, if it had none. */
void shortage_end(struct shortage *shortage, struct MHD_Daemon *daemon);

#endif
