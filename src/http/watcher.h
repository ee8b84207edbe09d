/* watcher.h - one thread that sees what libmicrohttpd does not: clients that leave while their connection is suspended,
 * waits that last too long, headers that never come, readers that hardly read. It knows connections and parties,
 * neither requests nor routes. */
#ifndef HTTP_WATCHER_H
#define HTTP_WATCHER_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/party.h"
#include "http/pace.h"
#include "http/problem.h"

struct watcher;
struct peer; /* one client connection, from accept to close */

struct watcher_options {
    unsigned request_s;          /* seconds from a request's first bytes to its last */
    struct pace_limit pace;      /* how fast a client must take what there is for it */
    void (*tick)(void *context); /* some ten times a second, on the watcher's thread */
    void *context;
};

/* Starts the thread. NULL when out of memory, descriptors or threads. */
struct watcher *watcher_new(const struct watcher_options *options);

/* Ends the thread; every peer must have gone. */
void watcher_free(struct watcher *watcher);

/* A connection has come; NULL when out of memory (it is then not watched). */
struct peer *peer_new(struct watcher *watcher, int descriptor);

/* It is about to be closed. The descriptor is not touched any more once this returns. */
void peer_free(struct peer *peer);

/* The first line of a request is there. */
void peer_begun(struct peer *peer);

/* A request is complete, or being answered: no deadline for its arrival until peer_idle. False when it was too late:
 * the watcher has answered, and nothing may be sent any more. */
bool peer_busy(struct peer *peer);
void peer_idle(struct peer *peer);

/* Dismisses a party, once, when the client leaves (NQ_CANCELLED) or after `seconds` (NQ_TIMEOUT; 0: never). Holds a
 * reference until unwatched. False when that cannot be done (out of descriptors in epoll): then nothing is watched. */
bool peer_watch(struct peer *peer, struct party *party, unsigned seconds);
void peer_unwatch(struct peer *peer);

/* Replies to a request libmicrohttpd will not bring to the handler: writes a problem and shuts the connection, past the
 * library, which then sees it end. Only where nothing else is being sent. */
void peer_refuse(struct peer *peer, enum problem problem, const char *detail);

/* Whether it can be reset at all, as only TCP can. */
bool peer_resets(const struct peer *peer);

/* While set, the connection must not end as if all had been said: on an HTTP/1.0 stream, where closing means the end.
 */
void peer_fragile(struct peer *peer, bool fragile);

/* Resets the connection if it is fragile: the client sees an error instead of an end. */
void peer_reset_if_fragile(struct peer *peer);

/* The same for every connection there is. */
void watcher_reset_fragile(struct watcher *watcher);

/* Whether it was cut because its client read too slowly, and how many were. */
bool peer_cut(const struct peer *peer);
uint64_t watcher_cut(struct watcher *watcher);

size_t watcher_peers(struct watcher *watcher);

#endif
