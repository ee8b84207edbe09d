/* delays.c - a library put before all others (LD_PRELOAD) under which threads of the server and of unit tests are late,
 * at random, before they take a lock, signal or send something, and after they release a lock. What only works because
 * two threads happen to be quick in the right order fails under it sooner or later; see tests/delays.sh. NQ_DELAYS is
 * the seed: the same one delays the same steps of each thread, if the threads begin in the same order. Other programs
 * are left alone, so that a whole test runner can be started with it. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* One step of so many is late, by up to so many microseconds; most by a sixteenth of that. And for so long in all,
 * since some libraries lock at each step. */
enum { ONE_IN = 6, MOST_US = 1500, IN_ALL_US = 60 * 1000 * 1000 };

static uint64_t seed;
static bool used;
static atomic_uint threads;
static atomic_int_fast64_t spent_us;
static __thread uint64_t dice;

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("NQ_DELAYS");
    const char *name = program_invocation_short_name;
    used = text && (strcmp(name, "nqueensd") == 0 || strncmp(name, "test_", 5) == 0);
    seed = text ? strtoull(text, NULL, 10) : 0;
}

static void be_late(void)
{
    if (!used || atomic_load(&spent_us) > IN_ALL_US)
        return;
    if (!dice)
        dice = (seed * 1000003 + atomic_fetch_add(&threads, 1) + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    dice ^= dice << 13; /* Marsaglia's xorshift */
    dice ^= dice >> 7;
    dice ^= dice << 17;
    if ((dice >> 33) % ONE_IN)
        return;
    const int64_t most = (dice >> 50) % 8 ? MOST_US / 16 : MOST_US;
    const struct timespec span = {.tv_nsec = (int64_t)((dice >> 20) % (uint64_t)most) * 1000};
    const int kept = errno;
    (void)syscall(SYS_nanosleep, &span, NULL);
    errno = kept;
    atomic_fetch_add(&spent_us, span.tv_nsec / 1000);
}

/* The function that this library stands before. Condition variables have an older version, too, which is not meant. */
static void *real(const char *name, const char *version)
{
    void *found = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
    return found ? found : dlsym(RTLD_NEXT, name);
}
#define REAL(name, version) \
    static _Atomic(__typeof__(&(name))) known; \
    __typeof__(&(name)) next = atomic_load(&known); \
    if (!next) \
    atomic_store(&known, next = (__typeof__(&(name)))real(#name, version))

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    REAL(pthread_mutex_lock, NULL);
    be_late();
    return next(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    REAL(pthread_mutex_unlock, NULL);
    const int status = next(mutex);
    be_late();
    return status;
}

int pthread_cond_signal(pthread_cond_t *condition)
{
    REAL(pthread_cond_signal, "GLIBC_2.3.2");
    be_late();
    return next(condition);
}

int pthread_cond_broadcast(pthread_cond_t *condition)
{
    REAL(pthread_cond_broadcast, "GLIBC_2.3.2");
    be_late();
    return next(condition);
}

ssize_t send(int socket, const void *bytes, size_t size, int flags)
{
    REAL(send, NULL);
    be_late();
    return next(socket, bytes, size, flags);
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags)
{
    REAL(sendmsg, NULL);
    be_late();
    return next(socket, message, flags);
}
