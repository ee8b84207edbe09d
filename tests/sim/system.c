/* system.c - what the product asks of the system, under the simulation's control: the linker puts each __wrap_ function
 * in place of the one it is named after (-Wl,--wrap). */
#include <errno.h>
#include <pthread.h>
#include <sys/random.h>
#include <time.h>

#include "base/lock.h"
#include "sim.h"

/* ---- Clocks ---- */

static struct {
    uint64_t offset;
    double rate;
} clocks[SIM_PROCESSES];

void clock_set(int process, uint64_t offset, double rate)
{
    clocks[process].offset = offset;
    clocks[process].rate = rate;
}

void clock_jump(int process, uint64_t by)
{
    clocks[process].offset += by;
}

static uint64_t local(int process)
{
    if (process == SIM_NOBODY)
        return sim_now();
    return clocks[process].offset + (uint64_t)((double)sim_now() * clocks[process].rate);
}

/* The moment at which a process's clock will show that. */
uint64_t clock_global(int process, uint64_t moment)
{
    const uint64_t shown = local(process);
    return moment <= shown ? sim_now() : sim_now() + (uint64_t)((double)(moment - shown) / clocks[process].rate) + 1;
}

static uint64_t nanoseconds(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * SIM_SECOND + (uint64_t)time->tv_nsec;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    const uint64_t shown = local(sim_process());
    *time = (struct timespec){.tv_sec = (time_t)(shown / SIM_SECOND), .tv_nsec = (long)(shown % SIM_SECOND)};
    return 0;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)left;
    fiber_sleep(sim_now() + nanoseconds(time) + sim_between(0, 60000));
    return 0;
}

ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned flags);
ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned flags)
{
    (void)flags;
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)bytes)[i] = (unsigned char)sim_below(256);
    return (ssize_t)size;
}

/* ---- Threads ---- */

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *arg)
{
    (void)attributes;
    *thread = (pthread_t)fiber_begin(sim_process(), run, arg);
    return 0;
}

int __wrap_pthread_join(pthread_t thread, void **value);
int __wrap_pthread_join(pthread_t thread, void **value)
{
    (void)value;
    while (!fiber_is_over((size_t)thread))
        fiber_sleep(sim_now() + SIM_MS);
    return 0;
}

/* ---- Mutexes: the real ones, which nobody waits for ---- */

int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
static unsigned waiting;

static void acquire(pthread_mutex_t *mutex)
{
    while (pthread_mutex_trylock(mutex) == EBUSY) {
        waiting++;
        (void)fiber_wait(mutex, SIM_NEVER);
        waiting--;
    }
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (sim_process() != SIM_NOBODY && sim_chance(0.004)) /* other threads may be first */
        fiber_sleep(sim_now() + sim_between(0, 100000));
    acquire(mutex);
    return 0;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    const int result = __real_pthread_mutex_unlock(mutex);
    if (waiting)
        fiber_wake(mutex, true);
    return result;
}

/* ---- Conditions ---- */

static int wait_for(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t until)
{
    (void)__wrap_pthread_mutex_unlock(mutex);
    const bool woken = fiber_wait(condition, until);
    acquire(mutex);
    return woken ? 0 : ETIMEDOUT;
}

int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    (void)wait_for(condition, mutex, SIM_NEVER);
    return 0;
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until);
int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
    return wait_for(condition, mutex, clock_global(sim_process(), nanoseconds(until)) + sim_between(0, 60000));
}

int __wrap_pthread_cond_signal(pthread_cond_t *condition);
int __wrap_pthread_cond_signal(pthread_cond_t *condition)
{
    fiber_wake(condition, false);
    return 0;
}

int __wrap_pthread_cond_broadcast(pthread_cond_t *condition);
int __wrap_pthread_cond_broadcast(pthread_cond_t *condition)
{
    fiber_wake(condition, true);
    return 0;
}

/* ---- The order of locks is checked where threads are threads (see base/lock.h) ---- */

#ifdef LOCK_RANKS
void lock_check_take(const struct lock *lock)
{
    (void)lock;
}

void lock_check_release(const struct lock *lock)
{
    (void)lock;
}

void lock_check_only(const struct lock *lock)
{
    (void)lock;
}

void lock_assert(const struct lock *lock)
{
    (void)lock;
}

/* Between two steps: a fiber that holds it is in the midst of something. */
bool lock_take_to_check(struct lock *lock)
{
    return pthread_mutex_trylock(&lock->mutex) == 0;
}
#endif
