/* system.c - a library put before all others (LD_PRELOAD) that makes the system fail when it is told to: a disk that is
 * full, read-only, broken, slow or hangs, dates that jump, hours that are slept through, connections that cannot be
 * had, a step of a search that takes long. It is told through a file, which NQ_FAULTS names and tests/faults/faults.js
 * writes, at any time; it knows nothing of the server. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* What the file says; the order and the sizes are those in faults.js. */
struct faults {
    _Atomic int64_t disk_error;    /* an errno: writing fails so, in the files below */
    _Atomic int64_t disk_hangs;    /* while it is not 0 writing there does not return */
    _Atomic int64_t date_shift;    /* seconds; the date is off by so many */
    _Atomic int64_t elapsed_shift; /* seconds; so many more have passed than one would think */
    _Atomic int64_t accept_error;  /* an errno: no connection can be had */
    _Atomic int64_t stalls; /* so many times from now on a thread of a pool does not get on in the middle of its work */
    _Atomic int64_t stall_ms;      /* for so long, or until this is 0: it uses a processor for a while, then sleeps */
    _Atomic int64_t disk_delay_ms; /* writing there takes so much longer */
    char files[PATH_MAX];          /* those whose path holds this */
};

static struct faults *faults;
static __thread bool of_a_pool; /* threads that stepped back: see pool.c */
static __thread unsigned locks;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("NQ_FAULTS");
    const int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
    void *at = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *faults, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) {
        static const char text[] = "NQ_FAULTS names no file\n";
        (void)!syscall(SYS_write, STDERR_FILENO, text, sizeof text - 1);
        _exit(125);
    }
    (void)syscall(SYS_close, file);
    faults = at;
}

static void sleep_ms(int64_t milliseconds)
{
    const struct timespec span = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
    if (milliseconds > 0)
        (void)syscall(SYS_nanosleep, &span, NULL);
}

/* ---- The disk ---- */

static bool is_faulty(const char *path)
{
    return faults && faults->files[0] && strstr(path, faults->files);
}

/* Hangs, and says whether writing is to fail. */
static bool write_fails(int file)
{
    if (!faults || !(faults->disk_error || faults->disk_hangs || faults->disk_delay_ms))
        return false;
    char link[64], path[PATH_MAX];
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const long size = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (size < 0)
        return false;
    path[size] = '\0';
    if (!is_faulty(path))
        return false;
    while (faults->disk_hangs)
        sleep_ms(5);
    sleep_ms(faults->disk_delay_ms);
    errno = (int)faults->disk_error;
    return errno != 0;
}

ssize_t write(int file, const void *data, size_t size)
{
    return write_fails(file) ? -1 : syscall(SYS_write, file, data, size);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t at)
{
    return write_fails(file) ? -1 : syscall(SYS_pwrite64, file, data, size, at);
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) __attribute__((alias("pwrite")));

int fsync(int file)
{
    return write_fails(file) ? -1 : (int)syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    return write_fails(file) ? -1 : (int)syscall(SYS_fdatasync, file);
}

int ftruncate(int file, off_t size)
{
    return write_fails(file) ? -1 : (int)syscall(SYS_ftruncate, file, size);
}

int ftruncate64(int file, off64_t size) __attribute__((alias("ftruncate")));

/* On a disk that may only be read a file that is there is found to be there first, as the kernel has it. */
int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT);
    if (writes && is_faulty(path) && faults->disk_error == EROFS) {
        const bool there = syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
        errno = there && (flags & O_EXCL) ? EEXIST : EROFS;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

/* ---- Time ---- */

/* What overruns a slice, and little beside all that a stall takes. */
enum { BURN_MS = 150 };

static void burn_ms(int64_t milliseconds)
{
    struct timespec now;
    int64_t end = 0, at = 0;
    do {
        (void)syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
        at = now.tv_sec * 1000 + now.tv_nsec / 1000000;
        end = end ? end : at + milliseconds;
    } while (at < end);
}

/* For how long the calling thread is to stall now. */
static int64_t stall(void)
{
    const bool stalls = of_a_pool && !locks && faults->stalls > 0 && atomic_fetch_sub(&faults->stalls, 1) > 0;
    return stalls ? faults->stall_ms : 0;
}

/* Sleeps for so long, or until nobody is to stall any more. */
static void stay_stalled(int64_t milliseconds)
{
    enum { STEP_MS = 10 };
    for (; milliseconds > 0 && faults->stall_ms > 0; milliseconds -= STEP_MS)
        sleep_ms(milliseconds < STEP_MS ? milliseconds : STEP_MS);
}

/* Half of a stall is before the clock is read, half after: either way it lies within a slice, be it the slice's first
 * reading or its last. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int64_t milliseconds = faults && clock == CLOCK_MONOTONIC ? stall() : 0;
    if (milliseconds > 0)
        burn_ms(BURN_MS);
    stay_stalled(milliseconds / 2);
    const int result = (int)syscall(SYS_clock_gettime, clock, now);
    stay_stalled(milliseconds / 2);
    if (result != 0 || !faults)
        return result;
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
        now->tv_sec += faults->date_shift;
    /* Not by the raw clock: otherwise a server would take it for a time in which it was stopped. */
    if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME)
        now->tv_sec += faults->elapsed_shift;
    return 0;
}

time_t time(time_t *out)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec precise;
    (void)zone;
    (void)clock_gettime(CLOCK_REALTIME, &precise);
    *now = (struct timeval){.tv_sec = precise.tv_sec, .tv_usec = precise.tv_nsec / 1000};
    return 0;
}

/* Ours are all of the monotonic clock: see timed.h. The kernel's own has not jumped. */
int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict lock,
                           const struct timespec *restrict until)
{
    struct timespec moment = *until;
    if (faults && moment.tv_sec > faults->elapsed_shift)
        moment.tv_sec -= faults->elapsed_shift;
    return pthread_cond_clockwait(cond, lock, CLOCK_MONOTONIC, &moment);
}

/* ---- Connections, threads ---- */

/* Whoever reads a clock under a lock is not at a step of a search. */
int pthread_mutex_lock(pthread_mutex_t *lock)
{
    static int (*_Atomic real)(pthread_mutex_t *);
    if (!real)
        real = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    const int result = real(lock);
    locks += result == 0;
    return result;
}

int pthread_mutex_unlock(pthread_mutex_t *lock)
{
    static int (*_Atomic real)(pthread_mutex_t *);
    if (!real)
        real = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
    locks -= locks > 0;
    return real(lock);
}

int accept4(int socket, struct sockaddr *restrict address, socklen_t *restrict size, int flags)
{
    if (faults && faults->accept_error) {
        errno = (int)faults->accept_error;
        return -1;
    }
    return (int)syscall(SYS_accept4, socket, address, size, flags);
}

int accept(int socket, struct sockaddr *restrict address, socklen_t *restrict size)
{
    return accept4(socket, address, size, 0);
}

int setpriority(__priority_which_t which, id_t who, int priority)
{
    of_a_pool |= priority > 0;
    return (int)syscall(SYS_setpriority, which, who, priority);
}
