/* test_pace.c - tests of src/http/guard/client.c with real sockets and an invented clock. */
/* CI builds: address */
#include "http/guard/client.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "http/wire/address.h"
#include "support/facts.h"
#include "support/waits.h"

enum { WINDOW = 10, RATE = 1000, ROOM = 64 << 10 };

struct line {
    int ours, theirs;
    struct pace pace;
    struct pace_limit limit;
    uint64_t now;
};

static void line_begin(struct line *line)
{
    static const struct activation nothing;
    struct address address;
    const int room = ROOM, much = 4 * ROOM,
              segment = 1400; /* as on a real line: the kernel announces free room by segments */
    int listening;
    *line = (struct line){.limit = {(uint64_t)WINDOW * RATE, WINDOW * CLOCK_SECOND}, .now = CLOCK_SECOND};
    assert_null(address_listen(&address, "127.0.0.1:0", &nothing, "http", &listening));
    assert_int_equal(setsockopt(listening, SOL_SOCKET, SO_SNDBUF, &much, sizeof much), 0);
    assert_int_equal(setsockopt(listening, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof segment), 0);
    assert_int_equal(setsockopt(listening, SOL_SOCKET, SO_RCVBUF, &room, sizeof room), 0);
    assert_null(address_connect(address.text, &line->theirs));
    assert_int_equal(setsockopt(line->theirs, SOL_SOCKET, SO_RCVBUF, &room, sizeof room), 0);
    line->ours = accept(listening, NULL, NULL);
    assert_true(line->ours >= 0);
    close(listening);
}

static void line_end(struct line *line)
{
    close(line->ours);
    close(line->theirs);
}

/* Bytes that the kernel of the other end has not acknowledged: it may take up to 40 ms for what has room there. */
static int unacknowledged(const struct line *line)
{
    int bytes;
    assert_int_equal(ioctl(line->ours, SIOCOUTQ, &bytes), 0);
    return bytes;
}

/* Waits until the kernel acknowledges no more for now. */
static void wait_until_steady(const struct line *line)
{
    for (int before = -1, now; (now = unacknowledged(line)) != before; before = now)
        usleep(50000);
}

/* Writes until the socket is full. */
static void fill(struct line *line)
{
    static const char bytes[4096];
    while (send(line->ours, bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
    }
}

/* Reads what there is, up to so much. */
static void drain(struct line *line, size_t most)
{
    static char bytes[4096];
    for (ssize_t got; most >= sizeof bytes; most -= (size_t)got)
        if ((got = recv(line->theirs, bytes, sizeof bytes, MSG_DONTWAIT)) <= 0)
            break;
}

/* A second later. */
static bool look(struct line *line)
{
    line->now += CLOCK_SECOND;
    return pace_too_slow(&line->pace, line->ours, &line->limit, line->now);
}

/* Looks once a second for so many seconds; how many times it was too slow. */
static int looks(struct line *line, int seconds)
{
    int slow = 0;
    while (seconds-- > 0)
        slow += look(line);
    return slow;
}

TEST(test_stalled_client)
{
    SCOPED(line, line);
    fill(&line);
    wait_until_steady(&line);
    assert_int_equal(looks(&line, WINDOW), 0); /* the first look begins the window */
    assert_true(look(&line));
}

TEST(test_client_that_has_read_all)
{
    SCOPED(line, line);
    assert_int_equal(send(line.ours, "event", 5, 0), 5);
    WAIT_UNTIL(unacknowledged(&line) == 0);
    assert_int_equal(looks(&line, 5 * WINDOW), 0); /* it is in the client's buffers */
}

TEST(test_fast_client)
{
    SCOPED(line, line);
    fill(&line);
    wait_until_steady(&line);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(looks(&line, WINDOW - 1), 0);
        drain(&line, 3 * ROOM); /* all at once, and then nothing for a while: more than the limit demands */
        wait_until_steady(&line);
        fill(&line);
        assert_false(look(&line));
    }
    assert_true(looks(&line, 2 * WINDOW) > 0); /* what it read before a window does not count */
}

TEST(test_slow_client)
{
    SCOPED(line, line);
    fill(&line);
    wait_until_steady(&line);
    int slow = 0;
    for (int i = 0; i < 2 * WINDOW + 2; i++) {
        char byte;
        assert_int_equal(recv(line.theirs, &byte, 1, MSG_DONTWAIT), 1);
        fill(&line);
        slow += look(&line);
    }
    assert_true(slow > 0);
}

/* A slow reply: at each look something is unread, but not what was unread before. So it may be any amount. */
TEST(test_client_that_waits)
{
    SCOPED(line, line);
    line.limit.bytes = UINT64_C(1) << 40;
    fill(&line);
    wait_until_steady(&line);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(looks(&line, WINDOW - 1), 0);
        WAIT_UNTIL((drain(&line, SIZE_MAX), unacknowledged(&line) == 0));
        fill(&line);
        wait_until_steady(&line);
        assert_int_equal(looks(&line, 1), 0);
    }
}

TEST(test_socket_without_counters)
{
    ENDED_BY(line_end) struct line line = {.limit = {1, CLOCK_SECOND}, .now = CLOCK_SECOND};
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    line.ours = pair[0];
    line.theirs = pair[1];
    fill(&line);
    assert_int_equal(looks(&line, 3 * WINDOW), 0);
}
