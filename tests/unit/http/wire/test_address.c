/* test_address.c - tests of src/http/wire/address.c: socket files that are made, replaced, refused and removed, and
 * inherited sockets. How a process inherits them is tested in socket.test.js. */
/* CI builds: address */
#include "http/wire/address.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "support/facts.h"

static char folder[] = "/tmp/nq-address-XXXXXX";
static char path[64], where[72];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(path, sizeof path, "%s/door", folder);
    (void)snprintf(where, sizeof where, "unix:%s", path);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(folder);
}

static const struct activation nothing;

static int opened(struct address *address, const char *at)
{
    int descriptor = -1;
    const char *why = address_listen(address, at, &nothing, "http", &descriptor);
    if (why)
        fail_msg("%s: %s", at, why);
    assert_true(fcntl(descriptor, F_GETFD) & FD_CLOEXEC);
    assert_true(fcntl(descriptor, F_GETFL) & O_NONBLOCK);
    return descriptor;
}

static void refused(const char *at, const char *reason)
{
    struct address address;
    int descriptor = -1;
    const char *why = address_listen(&address, at, &nothing, "http", &descriptor);
    assert_non_null(why);
    if (!strstr(why, reason))
        fail_msg("%s was refused with: %s", at, why);
    assert_int_equal(descriptor, -1);
    address_leave(&address); /* nothing was made */
}

static void assert_answers(const char *at)
{
    int peer = -1;
    assert_null(address_connect(at, &peer));
    close(peer);
}

TEST(test_ports)
{
    static const char *const hosts[] = {"127.0.0.1:0", "localhost:0", ":0"};
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        struct address address;
        const int descriptor = opened(&address, hosts[i]);
        assert_non_null(strrchr(address.text, ':'));
        assert_string_not_equal(strrchr(address.text, ':'), ":0");
        assert_answers(address.text);
        address_leave(&address);
        refused(address.text, "in use");
        close(descriptor);
    }
    refused("off", "host:port");
    refused("systemd", "no socket was passed");
}

TEST(test_a_socket_file)
{
    struct address address;
    struct stat found;
    const mode_t mask = umask(0177); /* too narrow */
    const int descriptor = opened(&address, where);
    umask(mask);
    assert_string_equal(address.text, where);
    assert_int_equal(lstat(path, &found), 0);
    assert_int_equal(found.st_mode, S_IFSOCK | 0660);
    assert_answers(where);
    refused(where, "in use");
    assert_int_equal(access(path, F_OK), 0);
    address_leave(&address);
    assert_int_not_equal(access(path, F_OK), 0);
    address_leave(&address); /* once more does no harm */
    close(descriptor);
    int peer = -1;
    assert_non_null(address_connect(where, &peer));
    assert_int_equal(peer, -1);
}

TEST(test_a_stale_file_is_replaced)
{
    struct address address, next;
    const int descriptor = opened(&address, where);
    close(descriptor); /* as after a crash */
    usleep(50000);     /* files have times of some milliseconds */
    assert_int_equal(access(path, F_OK), 0);
    const int later = opened(&next, where);
    assert_answers(where);
    address_leave(&address); /* it is another's by now */
    assert_answers(where);
    address_leave(&next);
    assert_int_not_equal(access(path, F_OK), 0);
    close(later);
}

TEST(test_other_files_stay)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    refused(where, "no socket");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/nowhere/at/all", path), 0);
    refused(where, "no socket");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    refused(where, "no socket");
    assert_int_equal(rmdir(path), 0);
    const struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct sockaddr_un datagrams = at;
    memcpy(datagrams.sun_path, path, strlen(path));
    const int other = socket(AF_UNIX, SOCK_DGRAM, 0);
    assert_int_equal(bind(other, (const struct sockaddr *)&datagrams, sizeof datagrams), 0);
    refused(where, "rong type"); /* of another kind, and alive */
    assert_int_equal(access(path, F_OK), 0);
    close(other);
    assert_int_equal(unlink(path), 0);
    refused("unix:/nowhere/at/all", "No such file");
}

TEST(test_sockets_of_others_stay)
{
    if (geteuid() != 0)
        skip(); /* only root can make one of another user's */
    struct address address;
    close(opened(&address, where));
    assert_int_equal(chown(path, 12345, 12345), 0);
    refused(where, "another user");
    assert_int_equal(unlink(path), 0);
}

TEST(test_abstract_names)
{
    struct address address;
    char name[64];
    (void)snprintf(name, sizeof name, "unix:@nqueensd-test-%ld", (long)getpid());
    const int descriptor = opened(&address, name);
    assert_string_equal(address.text, name);
    assert_answers(name);
    refused(name, "in use");
    address_leave(&address);
    assert_answers(name);
    close(descriptor);
    close(opened(&address, name));
}

/* Opens sockets at the descriptors where they are inherited; closes them at the end. */
TEST(test_inherited_sockets)
{
    enum { FIRST = 3, PASSED = 3 };
    static const struct {
        const char *names;
        int http, admin; /* places, -1: none */
    } cases[] = {
        {"", 0, -1},
        {"http:admin", 0, 1},
        {"admin:http", 1, 0},
        {"admin", 1, 0},
        {"nqueensd.socket", 0, -1},
        {"admin:nqueensd.socket", 1, 0},
        {"x:y:http", 2, -1},
        {"https:administration", 0, -1},
        {":admin:", 0, 1},
    };
    int kept[PASSED];
    for (int i = 0; i < PASSED; i++) {
        kept[i] = dup(FIRST + i);
        struct address address;
        const int descriptor = opened(&address, "127.0.0.1:0");
        if (descriptor != FIRST + i) {
            assert_int_equal(dup2(descriptor, FIRST + i), FIRST + i);
            close(descriptor);
        }
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct activation passed = {.count = PASSED};
        (void)snprintf(passed.names, sizeof passed.names, "%s", cases[i].names);
        const char *why = NULL;
        assert_int_equal(activation_find(&passed, "http", &why), cases[i].http < 0 ? -1 : FIRST + cases[i].http);
        assert_int_equal(activation_find(&passed, "admin", &why), cases[i].admin < 0 ? -1 : FIRST + cases[i].admin);
    }
    for (int i = 0; i < PASSED; i++) {
        close(FIRST + i);
        if (kept[i] >= 0) {
            assert_int_equal(dup2(kept[i], FIRST + i), FIRST + i);
            close(kept[i]);
        }
    }
}

TEST(test_the_environment_is_cleared)
{
    struct activation passed;
    static const char *const bad[] = {"0", "-1", "", "x", "3x", "65", "99999999999"};
    char pid[16];
    (void)snprintf(pid, sizeof pid, "%ld", (long)getpid());
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(setenv("LISTEN_PID", pid, 1), 0);
        assert_int_equal(setenv("LISTEN_FDS", bad[i], 1), 0);
        assert_int_equal(setenv("LISTEN_FDNAMES", "http", 1), 0);
        activation_take(&passed);
        assert_int_equal(passed.count, 0);
        assert_null(getenv("LISTEN_PID"));
        assert_null(getenv("LISTEN_FDS"));
        assert_null(getenv("LISTEN_FDNAMES"));
    }
    assert_int_equal(setenv("LISTEN_PID", pid, 1), 0);
    assert_int_equal(setenv("LISTEN_FDS", "010", 1), 0);
    activation_take(&passed);
    assert_int_equal(passed.count, 10);
    assert_int_equal(setenv("LISTEN_PID", "1", 1), 0); /* meant for another process */
    assert_int_equal(setenv("LISTEN_FDS", "1", 1), 0);
    activation_take(&passed);
    assert_int_equal(passed.count, 0);
    assert_null(getenv("LISTEN_PID"));
}

/* Connects without waiting; 0, or errno. */
static int connect_now(const struct sockaddr_in *to, int *descriptor)
{
    *descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    return connect(*descriptor, (const struct sockaddr *)to, sizeof *to) ? errno : 0;
}

static bool is_connected(int descriptor)
{
    struct pollfd poll_for = {.fd = descriptor, .events = POLLOUT};
    return poll(&poll_for, 1, 0) == 1 && !(poll_for.revents & (POLLERR | POLLHUP));
}

/* Those that have connected stay and are counted, and their bytes arrive; those that come later do not connect. */
TEST(test_new_connections_are_dropped)
{
    struct address address;
    struct sockaddr_in to;
    socklen_t size = sizeof to;
    const int listening = opened(&address, "127.0.0.1:0");
    int early[2], late;
    char byte = 0;
    assert_int_equal(getsockname(listening, (struct sockaddr *)&to, &size), 0);
    assert_int_equal(address_waiting(listening), 0);
    for (int i = 0; i < 2; i++) {
        (void)connect_now(&to, &early[i]); /* on this machine it is over at once */
        assert_true(is_connected(early[i]));
    }
    assert_int_equal(address_waiting(listening), 2);
    address_drop_new(listening);
    assert_int_equal(connect_now(&to, &late), EINPROGRESS);
    assert_int_equal(address_waiting(listening), 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(write(early[i], "a", 1), 1);
        const int accepted = accept(listening, NULL, NULL);
        assert_true(accepted >= 0);
        assert_int_equal(read(accepted, &byte, 1), 1);
        assert_int_equal(byte, 'a');
        close(accepted);
        close(early[i]);
    }
    assert_int_equal(address_waiting(listening), 0);
    assert_false(is_connected(late));
    close(late);
    close(listening);
}

/* A socket file has neither: nothing happens. */
TEST(test_socket_files_drop_nothing)
{
    struct address address;
    int client = -1;
    const int listening = opened(&address, where);
    address_drop_new(listening);
    assert_null(address_connect(where, &client));
    assert_int_equal(address_waiting(listening), 0);
    close(client);
    address_leave(&address);
    close(listening);
}

GROUP(make_folder, remove_folder)
