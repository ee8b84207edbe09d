/* watcher.c - an epoll of its own for clients that leave (EPOLLRDHUP, also on a half-close: who stops sending is taken
 * to have gone) and a sweep every tenth of a second for what is late. */
#include "http/watcher.h"

#include <errno.h>
#include <linux/tcp.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

enum { TICK_MS = 100, EVENTS = 64, CLOCK_TICK_MS = 10 };

/* Seconds for libmicrohttpd to see for itself that a client has closed its side. */
enum { CLOSING_S = 1 };

/* Seconds between looks at how fast clients read. */
enum { PACE_S = 1 };

/* peer.idle_since: a time in clock_now(), or one of these. */
enum { IN_REQUEST = 0, CUT = 1 };

/* What the kernel knows of an idle connection. */
enum state {
    STATE_QUIET,    /* nothing has come since it fell idle */
    STATE_ARRIVING, /* bytes of a request have */
    STATE_CLOSING,  /* the client has closed its side */
};

struct peer {
    struct watcher *watcher;
    struct peer *next, **link;
    int descriptor;
    atomic_ullong idle_since;
    uint64_t connected; /* clock_now() */
    uint64_t idle_seen; /* the idle_since that the next two are about */
    enum state state;
    uint64_t state_since;
    atomic_bool fragile, begun, cut;
    struct pace pace;
    uint64_t id;  /* names it in epoll: a late event must not reach a successor */
    bool watched; /* in the epoll, with a party: only libmicrohttpd's thread changes it, so it may look without the lock
                   */
    struct party *party; /* watched, with a reference; NULL: none */
    uint64_t deadline;   /* of the party, 0: none */
};

struct watcher {
    struct watcher_options options;
    pthread_t thread;
    int epoll, stop;
    pthread_mutex_t lock; /* guards all below, and the peers but for their atomics */
    struct peer *peers;
    size_t count;
    uint64_t cut;     /* peers that read too slowly */
    uint64_t last_id; /* 0 is the stop event */
};

/* Who is to be dismissed next, with a reference: the one an event names, or with id 0 one whose time is up. */
static struct party *due(struct watcher *watcher, uint64_t id, uint64_t now)
{
    struct party *party = NULL;
    pthread_mutex_lock(&watcher->lock);
    for (struct peer *peer = watcher->peers; peer && !party; peer = peer->next) {
        bool hit = id ? peer->id == id : peer->deadline && now >= peer->deadline;
        if (hit && peer->party) {
            party = peer->party;
            peer->deadline = 0;
            party_ref(party);
        }
    }
    pthread_mutex_unlock(&watcher->lock);
    return party;
}

static bool dismiss_due(struct watcher *watcher, uint64_t id, enum nq_status why)
{
    struct party *party = due(watcher, id, clock_now());
    if (!party)
        return false;
    party->dismiss(party, why);
    party_unref(party);
    return true;
}

void peer_refuse(struct peer *peer, enum problem problem, const char *detail)
{
    const struct problem_row *row = problem_row(problem);
    struct bytes body = {0}, reply = {0};
    problem_write(&body, problem, detail, NULL);
    bytes_format(&reply,
                 "HTTP/1.1 %u %s\r\nContent-Type: application/problem+json\r\nCache-Control: no-store\r\n"
                 "Connection: close\r\nContent-Length: %zu\r\n\r\n",
                 row->status, MHD_get_reason_phrase_for(row->status), body.size);
    bytes_add(&reply, body.data, body.size);
    if (!body.failed && !reply.failed)
        (void)send(peer->descriptor, reply.data, reply.size, MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)shutdown(peer->descriptor, SHUT_RDWR);
    bytes_free(&body);
    bytes_free(&reply);
}

/* Of sockets other than TCP the kernel tells no more than whether the other side is closed: a request is seen when its
 * first line is there. Before that, libmicrohttpd's own timeout ends the connection. */
static enum state look_elsewhere(const struct peer *peer)
{
    struct pollfd closed = {.fd = peer->descriptor, .events = POLLRDHUP};
    if (poll(&closed, 1, 0) > 0)
        return STATE_CLOSING;
    return atomic_load(&peer->begun) ? STATE_ARRIVING : STATE_QUIET;
}

/* The kernel counts the bytes of a connection, and knows to some milliseconds when the last ones came. A request that
 * begins within those after a reply is not seen until more of it comes; if none does, libmicrohttpd's own timeout ends
 * the connection. */
static enum state look(const struct peer *peer, uint64_t idle_since, uint64_t now)
{
    if (now <= idle_since)
        return STATE_QUIET;  /* it fell idle after this sweep began */
    enum { CLOSE_WAIT = 8 }; /* as in netinet/tcp.h, which linux/tcp.h, with the newer fields, does not go with */
    struct tcp_info info;
    socklen_t size = sizeof info;
    if (getsockopt(peer->descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        size < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received)
        return look_elsewhere(peer);
    if (info.tcpi_state == CLOSE_WAIT)
        return STATE_CLOSING;
    if (idle_since == peer->connected)
        return info.tcpi_bytes_received > 0 ? STATE_ARRIVING : STATE_QUIET;
    const uint64_t silence = (info.tcpi_last_data_recv + CLOCK_TICK_MS) * (CLOCK_SECOND / 1000);
    return now - idle_since > silence ? STATE_ARRIVING : STATE_QUIET;
}

/* Whether a connection has been idle in a way it must not be for too long, and in which. */
static enum state overdue(struct peer *peer, uint64_t idle_since, uint64_t now)
{
    if (peer->idle_seen != idle_since) {
        peer->idle_seen = idle_since;
        peer->state = STATE_QUIET;
    }
    if (peer->state != STATE_CLOSING) {
        enum state state = look(peer, idle_since, now);
        if (state > peer->state) { /* arriving, then closing: never back while it stays idle */
            peer->state = state;
            peer->state_since = now;
        }
    }
    const uint64_t patience = peer->state == STATE_CLOSING ? CLOSING_S : peer->watcher->options.request_s;
    return now > peer->state_since + patience * CLOCK_SECOND ? peer->state : STATE_QUIET;
}

/* Ends idle connections that libmicrohttpd would keep: a request that does not arrive in time is answered with 408; a
 * client that has closed its side is not always seen by the library. */
static void cut_late(struct watcher *watcher)
{
    const uint64_t now = clock_now();
    pthread_mutex_lock(&watcher->lock);
    for (struct peer *peer = watcher->peers; peer; peer = peer->next) {
        unsigned long long idle_since = atomic_load(&peer->idle_since);
        enum state state = idle_since > CUT ? overdue(peer, idle_since, now) : STATE_QUIET;
        if (state == STATE_QUIET || !atomic_compare_exchange_strong(&peer->idle_since, &idle_since, CUT))
            continue;
        if (state == STATE_ARRIVING)
            peer_refuse(peer, PROBLEM_REQUEST_TIMEOUT, "The request did not arrive in time.");
        else
            (void)shutdown(peer->descriptor, SHUT_RDWR);
    }
    pthread_mutex_unlock(&watcher->lock);
}

/* Drops what is unsent and sends RST, so that what was sent does not look complete. */
static void reset_connection(struct peer *peer)
{
    const struct sockaddr nowhere = {.sa_family = AF_UNSPEC};
    (void)connect(peer->descriptor, &nowhere, sizeof nowhere);
}

/* Ends connections whose clients do not take what lies there for them: a byte now and then keeps libmicrohttpd's
 * timeout from doing that. What they hold is free then, the kernel's memory too. */
static void cut_slow(struct watcher *watcher)
{
    const uint64_t now = clock_now();
    pthread_mutex_lock(&watcher->lock);
    for (struct peer *peer = watcher->peers; peer; peer = peer->next) {
        if (peer->cut || !pace_too_slow(&peer->pace, peer->descriptor, &watcher->options.pace, now))
            continue;
        peer->cut = true;
        watcher->cut++;
        reset_connection(peer);
    }
    pthread_mutex_unlock(&watcher->lock);
}

static void *watch(void *arg)
{
    struct watcher *watcher = arg;
    struct epoll_event events[EVENTS];
    for (uint64_t swept = 0, paced = 0;;) {
        int count = epoll_wait(watcher->epoll, events, EVENTS, TICK_MS);
        for (int i = 0; i < count; i++) {
            if (events[i].data.u64 == 0)
                return NULL;
            dismiss_due(watcher, events[i].data.u64, NQ_CANCELLED);
        }
        if (clock_now() - swept < TICK_MS * (CLOCK_SECOND / 1000))
            continue;
        while (dismiss_due(watcher, 0, NQ_TIMEOUT)) {
        }
        cut_late(watcher);
        if (watcher->options.pace.bytes && clock_now() - paced >= PACE_S * CLOCK_SECOND) {
            cut_slow(watcher);
            paced = clock_now();
        }
        watcher->options.tick(watcher->options.context);
        swept = clock_now();
    }
}

struct watcher *watcher_new(const struct watcher_options *options)
{
    struct watcher *watcher = calloc(1, sizeof *watcher);
    if (!watcher)
        return NULL;
    watcher->options = *options;
    pthread_mutex_init(&watcher->lock, NULL);
    watcher->epoll = epoll_create1(EPOLL_CLOEXEC);
    watcher->stop = eventfd(0, EFD_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 0};
    if (watcher->epoll >= 0 && watcher->stop >= 0 &&
        epoll_ctl(watcher->epoll, EPOLL_CTL_ADD, watcher->stop, &event) == 0 &&
        pthread_create(&watcher->thread, NULL, watch, watcher) == 0)
        return watcher;
    if (watcher->epoll >= 0)
        close(watcher->epoll);
    if (watcher->stop >= 0)
        close(watcher->stop);
    pthread_mutex_destroy(&watcher->lock);
    free(watcher);
    return NULL;
}

void watcher_free(struct watcher *watcher)
{
    while (eventfd_write(watcher->stop, 1) != 0 && errno == EINTR) {
    }
    pthread_join(watcher->thread, NULL);
    close(watcher->epoll);
    close(watcher->stop);
    pthread_mutex_destroy(&watcher->lock);
    free(watcher);
}

struct peer *peer_new(struct watcher *watcher, int descriptor)
{
    struct peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return NULL;
    peer->watcher = watcher;
    peer->descriptor = descriptor;
    peer->connected = clock_now();
    peer->idle_since = peer->connected;
    pthread_mutex_lock(&watcher->lock);
    peer->id = ++watcher->last_id;
    peer->next = watcher->peers;
    peer->link = &watcher->peers;
    if (peer->next)
        peer->next->link = &peer->next;
    watcher->peers = peer;
    watcher->count++;
    pthread_mutex_unlock(&watcher->lock);
    return peer;
}

void peer_free(struct peer *peer)
{
    struct watcher *watcher = peer->watcher;
    peer_unwatch(peer);
    pthread_mutex_lock(&watcher->lock);
    *peer->link = peer->next;
    if (peer->next)
        peer->next->link = peer->link;
    watcher->count--;
    pthread_mutex_unlock(&watcher->lock);
    free(peer);
}

void peer_begun(struct peer *peer)
{
    atomic_store(&peer->begun, true);
}

bool peer_busy(struct peer *peer)
{
    unsigned long long since = atomic_load(&peer->idle_since);
    return since != CUT && atomic_compare_exchange_strong(&peer->idle_since, &since, IN_REQUEST);
}

void peer_idle(struct peer *peer)
{
    if (atomic_load(&peer->idle_since) == CUT)
        return; /* it stays so */
    atomic_store(&peer->begun, false);
    atomic_store(&peer->idle_since, clock_now());
}

bool peer_watch(struct peer *peer, struct party *party, unsigned seconds)
{
    struct watcher *watcher = peer->watcher;
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data.u64 = peer->id};
    party_ref(party);
    pthread_mutex_lock(&watcher->lock);
    peer->watched = epoll_ctl(watcher->epoll, EPOLL_CTL_ADD, peer->descriptor, &event) == 0;
    if (peer->watched) {
        peer->party = party;
        peer->deadline = seconds ? clock_now() + seconds * CLOCK_SECOND : 0;
    }
    pthread_mutex_unlock(&watcher->lock);
    if (!peer->watched)
        party_unref(party);
    return peer->watched;
}

void peer_unwatch(struct peer *peer)
{
    struct watcher *watcher = peer->watcher;
    if (!peer->watched)
        return;
    pthread_mutex_lock(&watcher->lock);
    struct party *party = peer->party;
    peer->party = NULL;
    peer->deadline = 0;
    peer->watched = false;
    (void)epoll_ctl(watcher->epoll, EPOLL_CTL_DEL, peer->descriptor, NULL);
    pthread_mutex_unlock(&watcher->lock);
    party_unref(party);
}

bool peer_resets(const struct peer *peer)
{
    int protocol = 0;
    socklen_t size = sizeof protocol;
    return getsockopt(peer->descriptor, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) == 0 && protocol == IPPROTO_TCP;
}

void peer_fragile(struct peer *peer, bool fragile)
{
    atomic_store(&peer->fragile, fragile);
}

void peer_reset_if_fragile(struct peer *peer)
{
    if (atomic_exchange(&peer->fragile, false))
        reset_connection(peer);
}

void watcher_reset_fragile(struct watcher *watcher)
{
    pthread_mutex_lock(&watcher->lock);
    for (struct peer *peer = watcher->peers; peer; peer = peer->next)
        peer_reset_if_fragile(peer);
    pthread_mutex_unlock(&watcher->lock);
}

bool peer_cut(const struct peer *peer)
{
    return atomic_load(&peer->cut);
}

uint64_t watcher_cut(struct watcher *watcher)
{
    pthread_mutex_lock(&watcher->lock);
    const uint64_t cut = watcher->cut;
    pthread_mutex_unlock(&watcher->lock);
    return cut;
}

size_t watcher_peers(struct watcher *watcher)
{
    pthread_mutex_lock(&watcher->lock);
    size_t count = watcher->count;
    pthread_mutex_unlock(&watcher->lock);
    return count;
}
