/* events.h - the course of a job as server-sent events (WHATWG HTML, 9.2), for any number of clients.
 *
 * Nothing tells the hub of a job. While a client waits, each tick looks at its job, once for all its clients: an end
 * arrives with the next tick, progress four times a second at most, and a job without clients costs nothing. */
#ifndef HTTP_REPLY_EVENTS_H
#define HTTP_REPLY_EVENTS_H

#include <microhttpd.h>

#include "engine/engine.h"

struct hub;    /* all clients that receive events */
struct events; /* the stream of one client */

/* most: streams at once; seconds: how long one may last. NULL: out of memory. */
struct hub *hub_new(struct engine *engine, unsigned most, unsigned seconds);
void hub_free(struct hub *hub); /* after hub_close, and after every stream was closed. NULL: nothing */

/* About ten times a second, on one thread: looks at jobs, and wakes the clients for which something is due. */
void hub_tick(struct hub *hub);

/* Wakes all clients. None waits once this has returned. */
void hub_close(struct hub *hub);

/* Opens a stream of a job's events; last: the Last-Event-ID of the request, or NULL. NQ_OK, NQ_BUSY (too many streams)
 * or NQ_NOMEM. wake(who) may come once after every events_wait. End it with pending_close(). */
enum nq_status events_open(struct hub *hub, const char *id, const char *last, pending_wake *wake, void *who,
                           struct events **events);

/* Sets the public prefix of its links, which must outlive it; it is "" before. */
void events_set_prefix(struct events *events, const char *prefix);

/* Whether the client has received the last event already; last: as above. */
bool events_complete(const char *last);

/* Copies up to `size` bytes; 0: there is nothing yet. What a libmicrohttpd content reader does. */
ssize_t events_read(void *events, uint64_t position, char *to, size_t size);

/* After 0: true when wake will come, false when there is something to read already. */
bool events_wait(struct events *events);

/* The stream as its watcher sees it, which cancels it when the client leaves, and back. */
struct pending *events_pending(struct events *events);
static inline struct events *events_of(struct pending *pending)
{
    return (struct events *)pending;
}

#endif
