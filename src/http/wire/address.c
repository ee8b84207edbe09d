/* address.c - opens listening sockets, and connects to them. */
#include "http/wire/address.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- Sockets of the parent ---- */

/* Reads LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES. */

enum { FIRST = 3, MOST = 64 };

/* A number in plain digits, or -1. */
static long number(const char *text)
{
    if (!text || !*text || strlen(text) > 9 || strspn(text, "0123456789") != strlen(text))
        return -1;
    return strtol(text, NULL, 10);
}

void activation_take(struct activation *passed)
{
    static const char *const variables[] = {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"};
    const char *names = getenv("LISTEN_FDNAMES");
    const long count = number(getenv("LISTEN_FDS"));
    *passed = (struct activation){0};
    if (number(getenv("LISTEN_PID")) == getpid() && count > 0 && count <= MOST) {
        passed->count = (int)count;
        (void)snprintf(passed->names, sizeof passed->names, "%s", names ? names : "");
    }
    for (int i = 0; i < passed->count; i++)
        (void)fcntl(FIRST + i, F_SETFD, FD_CLOEXEC);
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        (void)unsetenv(variables[i]);
}

/* Whether the name at a place in the list is this one. */
static bool is_named(const struct activation *passed, int place, const char *name)
{
    const char *at = passed->names;
    for (; place > 0 && *at; place--)
        at += strcspn(at, ":") + (at[strcspn(at, ":")] == ':');
    const size_t size = strcspn(at, ":");
    return size == strlen(name) && strncmp(at, name, size) == 0;
}

static bool listens(int descriptor)
{
    int type = 0, accepts = 0;
    socklen_t size = sizeof type, length = sizeof accepts;
    return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM &&
           getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &length) == 0 && accepts;
}

int activation_find(const struct activation *passed, const char *name, const char **why)
{
    int found = -1;
    for (int i = passed->count - 1; i >= 0; i--)
        if (is_named(passed, i, name))
            found = FIRST + i;
    for (int i = 0; i < passed->count && found < 0 && strcmp(name, "http") == 0; i++)
        if (!is_named(passed, i, "admin"))
            found = FIRST + i;
    if (found >= 0 && listens(found))
        return found;
    *why = passed->count == 0 ? "no socket was passed (LISTEN_FDS, LISTEN_PID)"
           : found < 0        ? "no socket of that name was passed (LISTEN_FDNAMES)"
                              : "what was passed is no listening stream socket";
    return -1;
}

/* ---- Addresses ---- */

enum { BACKLOG = 511, HOST_MAX = 256, FILE_MODE = 0660 };

static const char unix_prefix[] = "unix:";
enum { PREFIX = sizeof unix_prefix - 1 };

static bool is_unix(const char *where)
{
    return strncmp(where, unix_prefix, PREFIX) == 0;
}

static bool is_systemd(const char *where)
{
    return strcmp(where, "systemd") == 0;
}

bool address_sound(const char *where)
{
    const char *colon = strrchr(where, ':');
    char *end;
    if (is_unix(where)) {
        const size_t size = strlen(where + PREFIX);
        return size > 1 && size < sizeof((struct sockaddr_un *)0)->sun_path && strchr("/@", where[PREFIX]);
    }
    if (is_systemd(where))
        return true;
    if (!colon || !isdigit((unsigned char)colon[1]))
        return false;
    return strtoul(colon + 1, &end, 10) <= 65535 && *end == '\0';
}

/* Closes it, and returns errno as it was. */
static int give_up(int descriptor)
{
    const int failure = errno;
    close(descriptor);
    return failure;
}

/* ---- Hosts and ports ---- */

/* Resolves "host:port" and "[host]:port". NULL, or why it fails in a few words. */
static const char *resolve(const char *where, int flags, struct addrinfo **list)
{
    char host[HOST_MAX];
    const char *colon = strrchr(where, ':');
    if (!colon || (size_t)(colon - where) >= sizeof host)
        return "it is not host:port";
    const bool bracketed = where[0] == '[' && colon > where + 1 && colon[-1] == ']';
    const size_t size = (size_t)(colon - where) - (bracketed ? 2 : 0);
    memcpy(host, where + bracketed, size);
    host[size] = '\0';
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags};
    const int failure = getaddrinfo(host[0] ? host : NULL, colon + 1, &hints, list);
    return failure ? gai_strerror(failure) : NULL;
}

/* 0, or errno. */
static int listen_at(const struct addrinfo *at, int *descriptor)
{
    const int on = 1, opened = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
    if (opened < 0)
        return errno;
    (void)setsockopt(opened, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(opened, at->ai_addr, at->ai_addrlen) || listen(opened, BACKLOG))
        return give_up(opened);
    *descriptor = opened;
    return 0;
}

static int connect_at(const struct addrinfo *at, int *descriptor)
{
    const int opened = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
    if (opened < 0)
        return errno;
    if (connect(opened, at->ai_addr, at->ai_addrlen))
        return give_up(opened);
    *descriptor = opened;
    return 0;
}

/* Tries the addresses of a host one after the other. NULL, or why it fails in a few words. */
static const char *try_all(const char *where, int flags, int (*open)(const struct addrinfo *, int *), int *descriptor)
{
    struct addrinfo *list = NULL;
    const char *why = resolve(where, flags, &list);
    if (why)
        return why;
    int failure = EADDRNOTAVAIL;
    for (const struct addrinfo *at = list; at && failure; at = at->ai_next)
        failure = open(at, descriptor);
    freeaddrinfo(list);
    return failure ? strerrordesc_np(failure) : NULL;
}

/* 0, or errno: binds a socket to the host, at a port that the system picks. */
static int bind_at(const struct addrinfo *at, int *descriptor)
{
    struct sockaddr_storage any = {0};
    memcpy(&any, at->ai_addr, at->ai_addrlen);
    if (any.ss_family == AF_INET)
        ((struct sockaddr_in *)&any)->sin_port = 0;
    else
        ((struct sockaddr_in6 *)&any)->sin6_port = 0;
    const int opened = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
    if (opened < 0)
        return errno;
    if (bind(opened, (struct sockaddr *)&any, at->ai_addrlen))
        return give_up(opened);
    *descriptor = opened;
    return 0;
}

/* ---- Socket files ---- */

/* A path or, with '@', an abstract name, as a socket address; returns its size. */
static socklen_t fill(struct sockaddr_un *to, const char *path)
{
    *to = (struct sockaddr_un){.sun_family = AF_UNIX};
    const size_t size = strnlen(path, sizeof to->sun_path - 1);
    memcpy(to->sun_path, path, size);
    if (*path != '@')
        return sizeof *to;
    to->sun_path[0] = '\0';
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
}

/* 0, or errno. */
static int connect_path(const char *path, int flags, int *descriptor)
{
    struct sockaddr_un to;
    const socklen_t size = fill(&to, path);
    const int opened = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    if (opened < 0)
        return errno;
    if (connect(opened, (const struct sockaddr *)&to, size))
        return give_up(opened);
    *descriptor = opened;
    return 0;
}

/* Removes a socket of this user's at which no process listens, and nothing else. 0, or errno. */
static int clear(const char *path)
{
    struct stat found;
    int probe = -1;
    if (lstat(path, &found))
        return errno == ENOENT ? 0 : errno;
    if (!S_ISSOCK(found.st_mode))
        return EEXIST;
    if (found.st_uid != geteuid())
        return EPERM;
    const int failure = connect_path(path, SOCK_NONBLOCK, &probe);
    if (probe >= 0)
        close(probe);
    if (!failure || failure == EAGAIN)
        return EADDRINUSE;
    if (failure != ECONNREFUSED)
        return failure;
    return unlink(path) ? errno : 0;
}

/* 0, or errno. At no time is the mode of the file wider than FILE_MODE; at the end it is that, whatever the umask. */
static int listen_path(const char *path, struct address *address, int *descriptor)
{
    struct sockaddr_un at;
    const socklen_t size = fill(&at, path);
    const bool named = *path != '@';
    const int failure = named ? clear(path) : 0;
    if (failure)
        return failure;
    const int opened = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (opened < 0)
        return errno;
    if (fchmod(opened, FILE_MODE) || bind(opened, (const struct sockaddr *)&at, size))
        return give_up(opened);
    if ((named && (chmod(path, FILE_MODE) || lstat(path, &address->file))) || listen(opened, BACKLOG)) {
        if (named)
            (void)unlink(path);
        return give_up(opened);
    }
    *descriptor = opened;
    return 0;
}

/* A new file may get the inode of a removed one, but not its time of change as well. */
static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

void address_leave(struct address *address)
{
    const char *path = address->text + PREFIX;
    struct stat found;
    if (address->file.st_ino && lstat(path, &found) == 0 && is_same(&found, &address->file))
        (void)unlink(path);
    address->file.st_ino = 0;
}

/* ---- Any of them ---- */

/* Writes the address of a socket; "": it has none. */
static void name(int descriptor, char text[static ADDRESS_MAX])
{
    union {
        struct sockaddr any;
        struct sockaddr_un file;
        struct sockaddr_storage room;
    } at = {.room = {0}};
    socklen_t size = sizeof at.room;
    char host[64], service[16];
    text[0] = '\0';
    if (getsockname(descriptor, &at.any, &size) != 0)
        return;
    if (at.any.sa_family == AF_UNIX) {
        const size_t skipped = offsetof(struct sockaddr_un, sun_path);
        const bool abstract = size > skipped && !at.file.sun_path[0];
        (void)snprintf(text, ADDRESS_MAX, "unix:%s%.*s", abstract ? "@" : "",
                       size > skipped ? (int)(size - skipped - abstract) : 0, at.file.sun_path + abstract);
    } else if (getnameinfo(&at.any, size, host, sizeof host, service, sizeof service,
                           NI_NUMERICHOST | NI_NUMERICSERV) == 0) {
        (void)snprintf(text, ADDRESS_MAX, at.any.sa_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, service);
    }
}

static const char *check_folder(const char *path)
{
    char folder[sizeof((struct sockaddr_un *)0)->sun_path];
    (void)snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    slash[slash == folder] = '\0';
    return access(folder, W_OK | X_OK) == 0 ? NULL : strerrordesc_np(errno);
}

const char *address_check(const char *where)
{
    int descriptor = -1;
    if (is_systemd(where))
        return NULL;
    if (is_unix(where))
        return where[PREFIX] == '@' ? NULL : check_folder(where + PREFIX);
    const char *why = try_all(where, AI_PASSIVE, bind_at, &descriptor);
    if (descriptor >= 0)
        close(descriptor);
    return why;
}

const char *address_listen(struct address *address, const char *where, const struct activation *passed,
                           const char *name_passed, int *descriptor)
{
    const char *why = NULL;
    *address = (struct address){.passed = is_systemd(where)};
    if (address->passed) {
        *descriptor = activation_find(passed, name_passed, &why);
        if (!why && fcntl(*descriptor, F_SETFL, O_NONBLOCK) != 0)
            why = strerrordesc_np(errno);
    } else if (is_unix(where)) {
        const int failure = listen_path(where + PREFIX, address, descriptor);
        why = failure == EEXIST  ? "there is a file that is no socket"
              : failure == EPERM ? "the socket there is another user's"
              : failure          ? strerrordesc_np(failure)
                                 : NULL;
    } else {
        why = try_all(where, AI_PASSIVE, listen_at, descriptor);
    }
    if (!why)
        name(*descriptor, address->text);
    return why;
}

void address_drop_new(int descriptor)
{
    enum { FLAGS = 13, SYN = 2 }; /* a byte of the TCP header, and the flag in it that only the first packet has here */
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, FLAGS),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, SYN, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
    };
    const struct sock_fprog filter = {.len = sizeof code / sizeof code[0], .filter = code};
    int protocol = 0;
    socklen_t size = sizeof protocol;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) == 0 && protocol == IPPROTO_TCP)
        (void)setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}

unsigned address_waiting(int descriptor)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    return getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info.tcpi_unacked
                                                                            : 0; /* while it listens */
}

const char *address_connect(const char *where, int *descriptor)
{
    if (!is_unix(where))
        return try_all(where, 0, connect_at, descriptor);
    const int failure = connect_path(where + PREFIX, 0, descriptor);
    return failure ? strerrordesc_np(failure) : NULL;
}
