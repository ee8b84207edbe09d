/* watcher.c - an epoll of its own for clients that leave (EPOLLRDHUP, also when only the sending side is closed, which
 * is taken for leaving), and a tick every tenth of a second for what is late. A tick visits only connections of which
 * something has arrived, or is due: an idle one costs it nothing. With that it tells the clock that the process runs.
 */
#include "http/guard/watcher.h"

#include <assert.h>
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
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/process.h"
#include "http/guard/heap.h"

/* ---- Shortage of descriptors ---- */

/* Descriptors that are not connections: standard streams, listening sockets, epolls, events, files of the store. */
enum { OWN = 32 };

/* How often a shortage is logged, and how long the library is delayed when it has nothing else to do. */
enum { LOG_S = 60, HOLD_MS = 100 };

uint64_t shortage_limit(unsigned *connections, unsigned *admin)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return UINT64_MAX;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    (void)getrlimit(RLIMIT_NOFILE, &limit); /* whether that was granted or not */
    if (limit.rlim_cur < DESCRIPTORS_LEAST)
        return limit.rlim_cur;
    const rlim_t left = limit.rlim_cur - OWN;
    if (*admin > left / 4)
        *admin = (unsigned)(left / 4);
    if (*connections > left - *admin)
        *connections = (unsigned)(left - *admin);
    return limit.rlim_cur;
}

bool shortage_report(struct shortage *shortage, const char *error)
{
    const struct timespec moment = {.tv_nsec = HOLD_MS * (long)CLOCK_MILLISECOND};
    if (!strstr(error, "system resource limit") && !strstr(error, "Error accepting connection"))
        return true;
    const uint64_t now = clock_now();
    const bool due = !shortage->logged_at || now - shortage->logged_at > LOG_S * CLOCK_SECOND;
    if (due)
        shortage->logged_at = now;
    atomic_store(&shortage->active, true);
    if (strstr(error, "FIRST")) /* it has no connection, so nobody waits */
        nanosleep(&moment, NULL);
    return due;
}

void shortage_recover(struct shortage *shortage, struct MHD_Daemon *daemon)
{
    const struct sockaddr_in nobody = {.sin_family = AF_INET};
    int ends[2];
    if (!atomic_load(&shortage->active) ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        return;
    /* There are descriptors. After a connection that is closed at once the library accepts others again. */
    atomic_store(&shortage->active, false);
    close(ends[0]);
    (void)MHD_add_connection(daemon, ends[1], (const struct sockaddr *)&nobody, sizeof nobody); /* closes it */
}

/* ---- Ending a wait ---- */

/* Each connection is one event; the others are the listening socket, the library's own signal and this one. */
enum { EVENTS_AT_ONCE = 128, OTHERS = 3 };

int nudge_open(struct MHD_Daemon *daemon)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    const int nudge = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = NULL}; /* each write is one; nobody reads */
    if (nudge < 0 || (info && epoll_ctl(info->epoll_fd, EPOLL_CTL_ADD, nudge, &event) == 0))
        return nudge;
    close(nudge);
    return -1;
}

void nudge_send(int nudge, unsigned connections)
{
    if (connections + OTHERS >= EVENTS_AT_ONCE)
        (void)eventfd_write(nudge, 1);
}

/* ---- Watcher ---- */

enum { TICK_MS = 100, EVENTS = 64, CLOCK_TICK_MS = 10 };

/* Seconds that libmicrohttpd has to notice that a client has closed its side. */
enum { CLOSING_S = 1 };

/* Seconds between checks of how fast clients read. */
enum { PACE_S = 1 };

/* Places kept free for new connections: this share of all, and at most so many. */
enum { SPARE_SHARE = 16, SPARE_MOST = 32 };

/* Seconds that a connection may be idle, or a request arriving, before it gives way to others. */
enum { IDLE_LEAST_S = 1, ARRIVING_LEAST_S = 5 };

/* connection.idle_since: a time in clock_now(), or one of these. */
enum { IN_REQUEST = 0, CUT = 1 };

/* What the kernel knows of an idle connection. */
enum state {
    STATE_QUIET,    /* nothing has arrived since it became idle */
    STATE_ARRIVING, /* bytes of a request have arrived */
    STATE_CLOSING,  /* the client has closed its side */
};

struct connection {
    struct watcher *watcher;
    struct port_connections *port;
    struct connection *next, **link;
    struct connection *paced_next, **paced_link; /* among those whose pace is checked; link NULL: it is not */
    int descriptor;
    atomic_ullong idle_since;
    uint64_t connected; /* clock_now() */
    uint64_t idle_seen; /* the idle_since that the next two are about */
    enum state state;
    uint64_t state_since;
    bool closing; /* its client has closed its side, as an event said */
    atomic_bool fragile, begun, cut;
    atomic_bool paced;     /* paced_link is not NULL, but for a moment in check_pace() */
    atomic_bool uncounted; /* the kernel does not count its bytes */
    atomic_uint refused;   /* the status of connection_refuse(); 0: none */
    struct pace pace;
    bool watched;              /* in the epoll. Only libmicrohttpd's thread changes it, and reads it without the lock */
    struct pending *pending;   /* while watched: a reference */
    struct heap_deadline wait; /* when that is to be cancelled */
    struct heap_deadline look; /* when its state is to be looked at next */
};

struct watcher {
    struct watcher_options options;
    pthread_t thread;
    int epoll;        /* of connections that are watched, by their addresses: read under the lock, as the next one */
    int arrivals;     /* edges of all connections, which end nobody's wait: each tick reads them */
    int stop;         /* in the epoll, as NULL */
    struct lock lock; /* guards all below, and the connections but for their atomics */
    struct connection *connections, *paced;
    struct heap waits, looks;
    struct watcher_stats stats;
};

/* Under the lock: the connection's pending, to be cancelled without it, with a reference. */
static struct pending *take(struct connection *connection)
{
    lock_assert(&connection->watcher->lock);
    heap_remove(&connection->watcher->waits, &connection->wait);
    pending_ref(connection->pending);
    return connection->pending;
}

static void cancel(struct pending *pending, enum nq_status why)
{
    pending_cancel(pending, why);
    pending_unref(pending);
}

/* Cancels what clients who have left waited for. False: the watcher is to end. */
static bool cancel_left(struct watcher *watcher)
{
    struct epoll_event events[EVENTS];
    struct pending *left[EVENTS];
    size_t count = 0;
    bool goes_on = true;
    lock_take(&watcher->lock); /* so that no connection is freed whose event has been read */
    const int ready = epoll_wait(watcher->epoll, events, EVENTS, 0);
    for (int i = 0; i < ready; i++) {
        struct connection *connection = events[i].data.ptr;
        goes_on = goes_on && connection;
        if (connection && connection->pending)
            left[count++] = take(connection);
    }
    lock_release(&watcher->lock);
    for (size_t i = 0; i < count; i++)
        cancel(left[i], NQ_CANCELLED);
    return goes_on;
}

/* Cancels one wait that has lasted too long. False: there is none. */
static bool cancel_late(struct watcher *watcher)
{
    lock_take(&watcher->lock);
    struct connection *connection = heap_due(&watcher->waits, clock_now());
    struct pending *late = connection ? take(connection) : NULL;
    lock_release(&watcher->lock);
    if (late)
        cancel(late, NQ_TIMEOUT);
    return late;
}

void connection_refuse(struct connection *connection, enum problem problem, const char *detail)
{
    const struct problem_row *row = problem_row(problem);
    struct bytes body = {0}, reply = {0};
    problem_write(&body, problem, detail, NULL);
    bytes_format(&reply,
                 "HTTP/1.1 %u %s\r\nContent-Type: application/problem+json\r\nCache-Control: no-store\r\n"
                 "Connection: close\r\nContent-Length: %zu\r\n\r\n",
                 row->status, MHD_get_reason_phrase_for(row->status), body.size);
    bytes_add(&reply, body.data, body.size);
    atomic_store(&connection->refused, row->status);
    if (!body.failed && !reply.failed)
        (void)send(connection->descriptor, reply.data, reply.size, MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)shutdown(connection->descriptor, SHUT_RDWR);
    bytes_free(&body);
    bytes_free(&reply);
}

unsigned connection_refused(const struct connection *connection)
{
    return atomic_load(&connection->refused);
}

/* Of sockets other than TCP the kernel knows only whether the other side is closed: a request counts as arriving once
 * its first line is there. Before that, libmicrohttpd's own timeout ends the connection. */
static enum state probe_other(struct connection *connection)
{
    atomic_store(&connection->uncounted, true); /* first: see connection_first_line() */
    struct pollfd closed = {.fd = connection->descriptor, .events = POLLRDHUP};
    if (poll(&closed, 1, 0) > 0)
        return STATE_CLOSING;
    return atomic_load(&connection->begun) ? STATE_ARRIVING : STATE_QUIET;
}

/* The kernel counts the bytes of a connection, and knows when the last ones came, to some milliseconds. A request that
 * begins within these after a reply is not seen before more of it arrives; if nothing does, libmicrohttpd's own timeout
 * ends the connection. */
static enum state probe(struct connection *connection, uint64_t idle_since, uint64_t now)
{
    if (now <= idle_since)
        return STATE_QUIET; /* it became idle after this sweep began */
    enum {
        CLOSE_WAIT = 8
    }; /* as in netinet/tcp.h, which cannot be included beside linux/tcp.h and lacks the newer fields */
    struct tcp_info info;
    socklen_t size = sizeof info;
    if (getsockopt(connection->descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        size < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received)
        return probe_other(connection);
    if (info.tcpi_state == CLOSE_WAIT)
        return STATE_CLOSING;
    if (idle_since == connection->connected)
        return info.tcpi_bytes_received > 0 ? STATE_ARRIVING : STATE_QUIET;
    const uint64_t silence = (info.tcpi_last_data_recv + CLOCK_TICK_MS) * (CLOCK_SECOND / 1000);
    return now - idle_since > silence ? STATE_ARRIVING : STATE_QUIET;
}

/* Brings the state of an idle connection up to date. */
static void update(struct connection *connection, uint64_t idle_since, uint64_t now)
{
    if (connection->idle_seen != idle_since) {
        connection->idle_seen = idle_since;
        connection->state = STATE_QUIET;
        connection->state_since = idle_since;
    }
    if (connection->state == STATE_CLOSING)
        return;
    const enum state state = probe(connection, idle_since, now);
    if (state > connection->state) { /* quiet, arriving, closing: never back while it stays idle */
        connection->state = state;
        connection->state_since = now;
    }
}

/* When an idle connection has been in its state for too long. */
static uint64_t late_at(const struct connection *connection)
{
    const uint64_t most = connection->state == STATE_CLOSING ? CLOSING_S : connection->watcher->options.request_s;
    return connection->state_since + most * CLOCK_SECOND + 1;
}

/* After update(): when the connection is to be looked at again. A quiet one is not, until something arrives; but the
 * end of a client comes only once, perhaps before the connection is idle. */
static void schedule(struct connection *connection, uint64_t now)
{
    struct heap *looks = &connection->watcher->looks;
    if (connection->closing && connection->state != STATE_CLOSING)
        heap_set(looks, &connection->look, now + 1); /* at the next tick */
    else if (connection->state != STATE_QUIET)
        heap_set(looks, &connection->look, late_at(connection));
    else
        heap_remove(looks, &connection->look);
}

/* Ends an idle connection. False: its request has just become complete. */
static bool end_idle(struct connection *connection, unsigned long long idle_since, enum state state, const char *why)
{
    if (!atomic_compare_exchange_strong(&connection->idle_since, &idle_since, CUT))
        return false;
    if (state == STATE_ARRIVING)
        connection_refuse(connection, PROBLEM_REQUEST_TIMEOUT, why);
    else
        (void)shutdown(connection->descriptor, SHUT_RDWR);
    return true;
}

/* Ends an idle connection that libmicrohttpd would keep: if its request does not arrive in time (408), or its client
 * has closed its side, which the library does not always notice. */
static void look(struct connection *connection, uint64_t now)
{
    struct watcher *watcher = connection->watcher;
    const uint64_t idle_since = atomic_load(&connection->idle_since);
    lock_assert(&watcher->lock);
    heap_remove(&watcher->looks, &connection->look);
    if (idle_since == IN_REQUEST && connection->closing)
        heap_set(&watcher->looks, &connection->look, now + 1);
    if (idle_since <= CUT)
        return;
    update(connection, idle_since, now);
    if (connection->state == STATE_QUIET || now < late_at(connection))
        schedule(connection, now);
    else if (!end_idle(connection, idle_since, connection->state, "The request did not arrive in time."))
        heap_set(&watcher->looks, &connection->look, now + 1);
}

/* Under the lock: from now on its pace is checked. */
static void keep_pace(struct connection *connection)
{
    struct watcher *watcher = connection->watcher;
    lock_assert(&watcher->lock);
    if (connection->paced_link || connection->cut || !watcher->options.pace.bytes)
        return;
    atomic_store(&connection->paced, true);
    connection->paced_next = watcher->paced;
    connection->paced_link = &watcher->paced;
    if (connection->paced_next)
        connection->paced_next->paced_link = &connection->paced_next;
    watcher->paced = connection;
}

static void leave_pace(struct connection *connection)
{
    lock_assert(&connection->watcher->lock);
    if (!connection->paced_link)
        return;
    *connection->paced_link = connection->paced_next;
    if (connection->paced_next)
        connection->paced_next->paced_link = connection->paced_link;
    connection->paced_link = NULL;
    atomic_store(&connection->paced, false);
}

/* Looks at the connections of which something has arrived since the last tick, also if it is only the end. No more are
 * read than there are: the others have another tick. */
static void look_at_arrivals(struct watcher *watcher)
{
    struct epoll_event events[EVENTS];
    lock_assert(&watcher->lock);
    for (size_t read = 0; read < watcher->stats.connections;) {
        const int ready = epoll_wait(watcher->arrivals, events, EVENTS, 0);
        const uint64_t now = clock_now();
        for (int i = 0; i < ready; i++) {
            struct connection *connection = events[i].data.ptr;
            connection->closing = connection->closing || (events[i].events & EPOLLRDHUP);
            look(connection, now);
        }
        if (ready < EVENTS)
            return;
        read += EVENTS;
    }
}

static void cut_late(struct watcher *watcher)
{
    lock_take(&watcher->lock);
    const uint64_t now = clock_now();
    for (struct connection *connection; (connection = heap_due(&watcher->looks, now));)
        look(connection, now);
    look_at_arrivals(watcher);
    lock_release(&watcher->lock);
}

/* The connection of a port that is known to have been in a state the longest, and at least so many seconds; and how
 * many of the port are not being ended. */
static struct connection *longest(struct watcher *watcher, const struct port_connections *port, enum state state,
                                  unsigned seconds, size_t *staying)
{
    lock_assert(&watcher->lock);
    struct connection *found = NULL;
    uint64_t before = clock_now() - seconds * CLOCK_SECOND;
    *staying = 0;
    for (struct connection *connection = watcher->connections; connection; connection = connection->next) {
        const uint64_t idle_since = atomic_load(&connection->idle_since);
        if (connection->port != port || idle_since == CUT)
            continue;
        ++*staying;
        const bool known = connection->idle_seen == idle_since;
        const uint64_t since = known ? connection->state_since : idle_since;
        if (idle_since == IN_REQUEST || (known ? connection->state : STATE_QUIET) != state || since >= before)
            continue;
        found = connection;
        before = since;
    }
    return found;
}

/* Ends connections in a state until so many of a port are left. False: too many are left, and none of them is in the
 * state. */
static bool thin_out(struct watcher *watcher, const struct port_connections *port, size_t left, enum state state,
                     unsigned seconds)
{
    for (;;) {
        size_t staying;
        struct connection *connection = longest(watcher, port, state, seconds, &staying);
        if (staying <= left)
            return true;
        if (!connection)
            return false;
        const unsigned long long idle_since = atomic_load(&connection->idle_since);
        if (idle_since <= CUT)
            continue; /* its request has just become complete */
        const uint64_t now = clock_now();
        update(connection, idle_since, now);
        schedule(connection, now);
        if (connection->state == state &&
            end_idle(connection, idle_since, state,
                     "The request arrived too slowly while nearly all connections were in use."))
            watcher->stats.gave_way++;
    }
}

/* Under the lock. */
static void make_way(struct watcher *watcher, const struct port_connections *port)
{
    lock_assert(&watcher->lock);
    assert(port->most > 0);
    const unsigned share = port->most / SPARE_SHARE, some = share < SPARE_MOST ? share : SPARE_MOST;
    const size_t left = port->most - (some ? some : 1);
    if (port->count > left && !thin_out(watcher, port, left, STATE_QUIET, IDLE_LEAST_S))
        (void)thin_out(watcher, port, left, STATE_ARRIVING, ARRIVING_LEAST_S);
}

void watcher_make_way(struct watcher *watcher, struct port_connections *port)
{
    lock_take(&watcher->lock);
    make_way(watcher, port);
    lock_release(&watcher->lock);
}

/* Drops what is unsent and sends RST, so that the reply does not look complete. */
static void reset_connection(struct connection *connection)
{
    const struct sockaddr nowhere = {.sa_family = AF_UNSPEC};
    (void)connect(connection->descriptor, &nowhere, sizeof nowhere);
}

/* Ends a connection whose client reads too slowly, and so frees what its reply holds, the kernel's memory included. A
 * byte now and then keeps libmicrohttpd's timeout from doing that. An idle one whose client has read everything is not
 * checked again before its next request. */
static void check_pace(struct connection *connection, uint64_t now)
{
    struct watcher *watcher = connection->watcher;
    atomic_store(&connection->paced, false); /* first: a request that begins now finds that, or is found */
    const bool idle = atomic_load(&connection->idle_since) != IN_REQUEST;
    if (pace_too_slow(&connection->pace, connection->descriptor, &watcher->options.pace, now)) {
        leave_pace(connection);
        connection->cut = true;
        watcher->stats.cut++;
        reset_connection(connection);
    } else if (idle && !connection->pace.since) {
        leave_pace(connection);
    } else {
        atomic_store(&connection->paced, true);
        look(connection, now); /* its arrivals are not told while it has no room to send */
    }
}

static void cut_slow(struct watcher *watcher)
{
    const uint64_t now = clock_now();
    lock_take(&watcher->lock);
    for (struct connection *connection = watcher->paced, *next; connection; connection = next) {
        next = connection->paced_next;
        check_pace(connection, now);
    }
    lock_release(&watcher->lock);
}

static void *watch(void *arg)
{
    struct watcher *watcher = arg;
    struct pollfd left = {.fd = watcher->epoll, .events = POLLIN};
    thread_name("watcher");
    clock_beat();
    for (uint64_t ticked = 0, paced = 0;;) {
        const int count = poll(&left, 1, TICK_MS);
        clock_beat();
        if (count > 0 && !cancel_left(watcher)) {
            clock_end_beats();
            return NULL;
        }
        if (clock_now() - ticked < TICK_MS * (CLOCK_SECOND / 1000))
            continue;
        while (cancel_late(watcher)) {
        }
        cut_late(watcher);
        if (watcher->options.pace.bytes && clock_now() - paced >= PACE_S * CLOCK_SECOND) {
            cut_slow(watcher);
            paced = clock_now();
        }
        CHECKED(watcher_check(watcher));
        watcher->options.tick(watcher->options.context);
        ticked = clock_now();
    }
}

/* Frees all but the thread. */
static void release(struct watcher *watcher)
{
    if (watcher->epoll >= 0)
        close(watcher->epoll);
    if (watcher->arrivals >= 0)
        close(watcher->arrivals);
    if (watcher->stop >= 0)
        close(watcher->stop);
    heap_free(&watcher->waits);
    heap_free(&watcher->looks);
    lock_destroy(&watcher->lock);
    free(watcher);
}

struct watcher *watcher_new(const struct watcher_options *options)
{
    struct watcher *watcher = calloc(1, sizeof *watcher);
    if (!watcher)
        return NULL;
    watcher->options = *options;
    lock_init(&watcher->lock, LOCK_WATCHER);
    watcher->epoll = epoll_create1(EPOLL_CLOEXEC);
    watcher->arrivals = epoll_create1(EPOLL_CLOEXEC);
    watcher->stop = eventfd(0, EFD_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    if (watcher->epoll >= 0 && watcher->arrivals >= 0 && watcher->stop >= 0 &&
        epoll_ctl(watcher->epoll, EPOLL_CTL_ADD, watcher->stop, &event) == 0 &&
        pthread_create(&watcher->thread, NULL, watch, watcher) == 0)
        return watcher;
    release(watcher);
    return NULL;
}

void watcher_free(struct watcher *watcher)
{
    if (!watcher)
        return;
    while (eventfd_write(watcher->stop, 1) != 0 && errno == EINTR) {
    }
    pthread_join(watcher->thread, NULL);
    release(watcher);
}

/* Under the lock: makes room for one more in the heaps, and lets its arrivals be told. False: out of memory.
 * libmicrohttpd has mostly read what arrived before a tick comes: then an edge is told only if something else can be
 * done, too, and so EPOLLOUT is. */
static bool enrol(struct watcher *watcher, struct connection *connection)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = connection};
    const size_t count = watcher->stats.connections;
    lock_assert(&watcher->lock);
    return heap_reserve(&watcher->waits, count) && heap_reserve(&watcher->looks, count) &&
           epoll_ctl(watcher->arrivals, EPOLL_CTL_ADD, connection->descriptor, &event) == 0;
}

struct connection *connection_new(struct watcher *watcher, struct port_connections *port, int descriptor)
{
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection)
        return NULL;
    connection->watcher = watcher;
    connection->port = port;
    connection->descriptor = descriptor;
    connection->connected = clock_now();
    connection->idle_since = connection->connected;
    connection->wait.owner = connection->look.owner = connection;
    lock_take(&watcher->lock);
    const bool enrolled = enrol(watcher, connection);
    if (enrolled) {
        connection->next = watcher->connections;
        connection->link = &watcher->connections;
        if (connection->next)
            connection->next->link = &connection->next;
        watcher->connections = connection;
        watcher->stats.connections++;
        port->count++;
        make_way(watcher, port);
    }
    lock_release(&watcher->lock);
    if (enrolled)
        return connection;
    free(connection);
    return NULL;
}

void connection_free(struct connection *connection)
{
    struct watcher *watcher = connection->watcher;
    connection_unwatch(connection);
    lock_take(&watcher->lock);
    assert(*connection->link == connection && connection->port->count && watcher->stats.connections);
    *connection->link = connection->next;
    if (connection->next)
        connection->next->link = connection->link;
    leave_pace(connection);
    heap_remove(&watcher->looks, &connection->look);
    (void)epoll_ctl(watcher->arrivals, EPOLL_CTL_DEL, connection->descriptor, NULL);
    watcher->stats.connections--;
    connection->port->count--;
    lock_release(&watcher->lock);
    free(connection);
}

void connection_first_line(struct connection *connection)
{
    struct watcher *watcher = connection->watcher;
    atomic_store(&connection->begun, true);
    if (!atomic_load(&connection->uncounted))
        return;
    lock_take(&watcher->lock); /* its bytes may have been looked at before they were read */
    if (!connection->look.place)
        heap_set(&watcher->looks, &connection->look, clock_now());
    lock_release(&watcher->lock);
}

bool connection_busy(struct connection *connection)
{
    struct watcher *watcher = connection->watcher;
    unsigned long long since = atomic_load(&connection->idle_since);
    if (since == CUT || !atomic_compare_exchange_strong(&connection->idle_since, &since, IN_REQUEST))
        return false;
    if (watcher->options.pace.bytes && !atomic_load(&connection->paced)) { /* not so since a second ago */
        lock_take(&watcher->lock);
        keep_pace(connection);
        lock_release(&watcher->lock);
    }
    return true;
}

void connection_idle(struct connection *connection)
{
    if (atomic_load(&connection->idle_since) == CUT)
        return;
    atomic_store(&connection->begun, false);
    atomic_store(&connection->idle_since, clock_now());
}

bool connection_watch(struct connection *connection, struct pending *pending, unsigned seconds)
{
    assert(!connection->watched && !connection->pending); /* its reference would be lost */
    struct watcher *watcher = connection->watcher;
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data.ptr = connection};
    pending_ref(pending);
    lock_take(&watcher->lock);
    connection->watched = epoll_ctl(watcher->epoll, EPOLL_CTL_ADD, connection->descriptor, &event) == 0;
    if (connection->watched) {
        connection->pending = pending;
        if (seconds)
            heap_set(&watcher->waits, &connection->wait, clock_now() + seconds * CLOCK_SECOND);
    }
    lock_release(&watcher->lock);
    if (!connection->watched)
        pending_unref(pending);
    return connection->watched;
}

void connection_unwatch(struct connection *connection)
{
    struct watcher *watcher = connection->watcher;
    if (!connection->watched)
        return;
    lock_take(&watcher->lock);
    struct pending *pending = connection->pending;
    assert(pending);
    connection->pending = NULL;
    heap_remove(&watcher->waits, &connection->wait);
    connection->watched = false;
    (void)epoll_ctl(watcher->epoll, EPOLL_CTL_DEL, connection->descriptor, NULL);
    lock_release(&watcher->lock);
    pending_unref(pending);
}

bool connection_can_reset(const struct connection *connection)
{
    int protocol = 0;
    socklen_t size = sizeof protocol;
    return getsockopt(connection->descriptor, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) == 0 &&
           protocol == IPPROTO_TCP;
}

void connection_set_fragile(struct connection *connection, bool fragile)
{
    atomic_store(&connection->fragile, fragile);
}

void connection_reset_if_fragile(struct connection *connection)
{
    if (atomic_exchange(&connection->fragile, false))
        reset_connection(connection);
}

void watcher_reset_fragile(struct watcher *watcher)
{
    lock_take(&watcher->lock);
    for (struct connection *connection = watcher->connections; connection; connection = connection->next)
        connection_reset_if_fragile(connection);
    lock_release(&watcher->lock);
}

bool connection_was_cut(const struct connection *connection)
{
    return atomic_load(&connection->cut);
}

struct watcher_stats watcher_stats(struct watcher *watcher)
{
    lock_take(&watcher->lock);
    const struct watcher_stats stats = watcher->stats;
    lock_release(&watcher->lock);
    return stats;
}

#ifdef CHECKS
static void check_connection(const struct connection *connection)
{
    const uint64_t idle_since = atomic_load(&connection->idle_since);
    assert(*connection->link == connection && connection->port->count);
    assert(!connection->wait.place || connection->pending);
    assert((connection->paced_link != NULL) == atomic_load(&connection->paced));
    assert(!connection->paced_link || !connection->cut);
    if (idle_since > CUT && idle_since == connection->idle_seen && connection->state != STATE_QUIET)
        assert(connection->look.place && (connection->closing || connection->look.at <= late_at(connection)));
}

void watcher_check(struct watcher *watcher)
{
    size_t count = 0, waits = 0, looks = 0, paced = 0;
    if (!lock_take_to_check(&watcher->lock))
        return;
    heap_check(&watcher->waits);
    heap_check(&watcher->looks);
    for (const struct connection *at = watcher->connections; at; at = at->next, count++) {
        assert(at->watcher == watcher && count < watcher->stats.connections);
        check_connection(at);
        waits += at->wait.place > 0;
        looks += at->look.place > 0;
        paced += at->paced_link != NULL;
    }
    for (const struct connection *at = watcher->paced; at; at = at->paced_next, paced--)
        assert(*at->paced_link == at && paced);
    assert(count == watcher->stats.connections && !paced);
    assert(waits == watcher->waits.count && looks == watcher->looks.count);
    lock_release(&watcher->lock);
}
#endif
