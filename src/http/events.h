/* events.h - what becomes of a job, told as it happens: server-sent events (WHATWG HTML, 9.2). */
#ifndef HTTP_EVENTS_H
#define HTTP_EVENTS_H

#include <microhttpd.h>

#include "engine/engine.h"

struct hub;    /* all of them */
struct events; /* told to one client */

/* prefix: the public one, for links. most: clients that listen at once; seconds: how long one may. */
struct hub *hub_new(struct engine *engine, const char *prefix, unsigned most, unsigned seconds);
void hub_free(struct hub *hub); /* after hub_close; every client must have gone */

/* Some ten times a second, on one thread: wakes those that have something to hear. */
void hub_tick(struct hub *hub);

/* Wakes everyone; nobody hears any more, and no connection is suspended once this has returned. */
void hub_close(struct hub *hub);

/* Begins to tell of a job; last: the Last-Event-ID the client came with, or NULL. NQ_OK, NQ_BUSY (too many listen) or
 * NQ_NOMEM. */
enum nq_status events_open(struct hub *hub, const char *id, const char *last, struct MHD_Connection *connection,
                           struct events **events);
void events_close(struct events *events); /* by libmicrohttpd's thread, with the request */

/* Whether the client has heard the end already. */
bool events_heard_all(const char *last);

/* Copies up to `size` bytes, or suspends the connection: what a libmicrohttpd content reader does. */
ssize_t events_read(void *events, uint64_t position, char *to, size_t size);

/* For the watcher: dismissed when the client leaves. */
struct party *events_party(struct events *events);

#endif
