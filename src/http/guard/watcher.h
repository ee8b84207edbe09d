/* watcher.h - one thread for what libmicrohttpd does not notice: clients that leave while their connection is
 * suspended, waits that last too long, requests that never arrive, readers that hardly read, idle connections that keep
 * others out. It knows connections and what is pending, neither requests nor routes. */
#ifndef HTTP_GUARD_WATCHER_H
#define HTTP_GUARD_WATCHER_H

#include <microhttpd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lock.h"
#include "engine/run/pending.h"
#include "http/guard/client.h"
#include "http/wire/problem.h"

/* ---- Shortage of descriptors ---- */

/* File descriptors: for how many connections they suffice, and what to do when the system has none left. */

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

/* ---- Ending a wait ---- */

/* An event that ends the wait of libmicrohttpd's thread while requests are at hand that it does not see. */

/* For a daemon with epoll and a thread of its own: a descriptor, to be closed after the daemon; -1: failed. */
int nudge_open(struct MHD_Daemon *daemon);

/* Call it regularly, on any thread: ends the wait if there is one. `connections` are those of the daemon. */
void nudge_send(int nudge, unsigned connections);

/* ---- Watcher ---- */

struct watcher;
struct connection; /* one client connection, from accept to close */

/* The connections of one port. */
struct port_connections {
    unsigned most;
    size_t count; /* under the watcher's lock */
};

struct watcher_options {
    unsigned request_s;          /* seconds from a request's first bytes to its last */
    struct pace_limit pace;      /* how fast a client must read */
    void (*tick)(void *context); /* about ten times a second, on the watcher's thread */
    void *context;
};

/* Starts the thread. NULL: out of memory, descriptors or threads. */
struct watcher *watcher_new(const struct watcher_options *options);

/* Ends the thread; every connection must have been freed. NULL: nothing. */
void watcher_free(struct watcher *watcher);

/* A connection was accepted. NULL: out of memory, and it is not watched. Calls watcher_make_way(). */
struct connection *connection_new(struct watcher *watcher, struct port_connections *port, int descriptor);

/* It is about to be closed. The descriptor is not used any more once this has returned. */
void connection_free(struct connection *connection);

/* The first line of a request has arrived. */
void connection_first_line(struct connection *connection);

/* A request is complete, or being answered: its arrival has no deadline until connection_idle(). False: it was too
 * late, the watcher has answered, and nothing may be sent any more. */
bool connection_busy(struct connection *connection);
void connection_idle(struct connection *connection);

/* Cancels the pending, once, when the client leaves (NQ_CANCELLED) or after `seconds` (NQ_TIMEOUT; 0: never).
 * Holds a reference to it until connection_unwatch(). False: epoll has no memory for it, and nothing is watched. */
bool connection_watch(struct connection *connection, struct pending *pending, unsigned seconds);
void connection_unwatch(struct connection *connection);

/* Replies to a request that libmicrohttpd will not hand to the handler: sends a problem past the library, and shuts the
 * connection, whose end the library then sees. Only while nothing else is being sent. */
void connection_refuse(struct connection *connection, enum problem problem, const char *detail);

/* The status that it was refused with; 0: it was not. */
unsigned connection_refused(const struct connection *connection);

/* Whether it can be reset, as only TCP can. */
bool connection_can_reset(const struct connection *connection);

/* While set, the connection must not end as if the reply were complete: during a stream over HTTP/1.0, where closing
 * means the end. */
void connection_set_fragile(struct connection *connection, bool fragile);

/* Resets a fragile connection, so that the client sees an error instead of an end. */
void connection_reset_if_fragile(struct connection *connection);

/* The same for every connection. */
void watcher_reset_fragile(struct watcher *watcher);

/* Whether it was cut because its client read too slowly. */
bool connection_was_cut(const struct connection *connection);

/* Keeps the last places of a port free: closes the connections that have been idle the longest, and at least a second;
 * if there are none, refuses (408) the requests that have been arriving the longest, and at least five seconds. */
void watcher_make_way(struct watcher *watcher, struct port_connections *port);

struct watcher_stats {
    size_t connections;
    uint64_t cut;      /* because their clients read too slowly */
    uint64_t gave_way; /* closed by watcher_make_way() */
};
struct watcher_stats watcher_stats(struct watcher *watcher);

#ifdef CHECKS
/* Asserts that the heaps of deadlines are sound, and that each connection is in the heaps and lists where it must be.
 */
void watcher_check(struct watcher *watcher);
#endif

#endif
