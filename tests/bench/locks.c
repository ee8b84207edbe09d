/* locks.c - loaded before all other libraries: for each mutex how often it was taken, how often another thread had it
 * then, and how long it was held. See locks.sh. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A hold that takes longer than LONG_NS is counted, but not added: the holder lost its processor. */
enum { ROWS = 1024, DEPTH = 32, SHOWN = 1000, LONG_NS = 50000 };

struct row {
    void *_Atomic mutex;
    void *_Atomic caller; /* who took it first */
    atomic_ullong taken, contended, held_ns, held_long;
};

static struct row rows[ROWS];

/* What the thread holds, in the order in which it was taken. */
static _Thread_local struct {
    void *mutex;
    uint64_t since;
} holds[DEPTH];
static _Thread_local int depth;

static struct {
    int (*lock)(pthread_mutex_t *), (*try)(pthread_mutex_t *), (*unlock)(pthread_mutex_t *);
    int (*wait)(pthread_cond_t *, pthread_mutex_t *);
    int (*timed)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
} real;

__attribute__((constructor)) static void find_real(void)
{
    *(void **)&real.try = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
    *(void **)&real.unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
    *(void **)&real.wait = dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2");
    *(void **)&real.timed = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    *(void **)&real.lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static struct row *row_of(void *mutex)
{
    size_t i = ((uintptr_t)mutex >> 5) % ROWS;
    for (size_t tries = 0; tries < ROWS; tries++, i = (i + 1) % ROWS) {
        void *at = atomic_load(&rows[i].mutex);
        if (at == mutex || (!at && (atomic_compare_exchange_strong(&rows[i].mutex, &at, mutex) || at == mutex)))
            break;
    }
    return &rows[i];
}

static void begin_hold(void *mutex)
{
    if (depth < DEPTH) {
        holds[depth].mutex = mutex;
        holds[depth].since = now();
    }
    depth++;
}

static void end_hold(void *mutex)
{
    depth -= depth > 0;
    if (depth >= DEPTH || holds[depth].mutex != mutex)
        return;
    const uint64_t held = now() - holds[depth].since;
    struct row *row = row_of(mutex);
    if (held < LONG_NS)
        atomic_fetch_add(&row->held_ns, held);
    else
        atomic_fetch_add(&row->held_long, 1);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    void *nobody = NULL;
    if (!real.lock)
        find_real();
    struct row *row = row_of(mutex);
    atomic_fetch_add(&row->taken, 1);
    (void)atomic_compare_exchange_strong(&row->caller, &nobody, __builtin_return_address(0));
    int status = real.try(mutex);
    if (status != 0) {
        atomic_fetch_add(&row->contended, 1);
        status = real.lock(mutex);
    }
    begin_hold(mutex);
    return status;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    if (!real.lock)
        find_real();
    end_hold(mutex);
    return real.unlock(mutex);
}

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    end_hold(mutex);
    const int status = real.wait(cond, mutex);
    begin_hold(mutex);
    return status;
}

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
    end_hold(mutex);
    const int status = real.timed(cond, mutex, until);
    begin_hold(mutex);
    return status;
}

/* One line a mutex: where in the program it was taken first, how often, how often in vain at first, nanoseconds a hold,
 * and the number of holds that were too long. */
__attribute__((destructor)) static void print(void)
{
    const char *path = getenv("LOCKS");
    FILE *file = path ? fopen(path, "w") : NULL;
    for (size_t i = 0; file && i < ROWS; i++) {
        const unsigned long long taken = rows[i].taken, longs = rows[i].held_long;
        Dl_info info;
        if (taken < SHOWN || !dladdr(rows[i].caller, &info))
            continue;
        fprintf(file, "%s %#tx %llu %llu %.0f %llu\n", info.dli_fname, (char *)rows[i].caller - (char *)info.dli_fbase,
                taken, (unsigned long long)rows[i].contended, (double)rows[i].held_ns / (double)(taken - longs + 1),
                longs);
    }
    if (file)
        (void)fclose(file);
}
