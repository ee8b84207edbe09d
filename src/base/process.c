/* process.c - reads /proc/self/stat, whose fields proc(5) numbers from 1, and counts the entries of /proc/self/fd;
 * counts processors, draws an id, names threads, and gives back stacks. */
#include "base/process.h"

#include <dirent.h>
#include <nqueens.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"

/* Seconds since 1970 at which the system began, which start times are counted from; the same for good, though somebody
 * sets the clock. /proc/stat has it, too, but a service may be shown only its own processes (ProcSubset=pid). */
static double booted;

static void find_boot(void)
{
    struct timespec now, up;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &up);
    booted = (double)(now.tv_sec - up.tv_sec) + (double)(now.tv_nsec - up.tv_nsec) * 1e-9;
}

/* The fields from number 3 on, which follow the name's last bracket: a name may hold brackets and blanks. */
static bool read_stat(struct process_stats *stats)
{
    enum { THIRD = 3, UTIME = 14, STIME = 15, THREADS = 20, START = 22, VIRTUAL = 23, RESIDENT = 24, FIELDS = 25 };
    unsigned long long field[FIELDS] = {0};
    char text[1024];
    FILE *file = fopen("/proc/self/stat", "re");
    const size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        (void)fclose(file);
    text[size] = '\0';
    char *at = strrchr(text, ')');
    if (!at || strlen(at) < 4)
        return false;
    at += 3; /* the third is a letter */
    for (int i = THIRD + 1; i < FIELDS; i++)
        field[i] = strtoull(at, &at, 10);
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const double ticks = (double)sysconf(_SC_CLK_TCK);
    if (!field[RESIDENT])
        return false;
    pthread_once(&once, find_boot);
    stats->cpu_seconds = (double)(field[UTIME] + field[STIME]) / ticks;
    stats->start_seconds = booted + (double)field[START] / ticks;
    stats->threads = field[THREADS];
    stats->virtual_bytes = field[VIRTUAL];
    stats->resident_bytes = field[RESIDENT] * (uint64_t)sysconf(_SC_PAGESIZE);
    return true;
}

/* Counts the entries but ".", ".." and the descriptor of the folder itself. */
static uint64_t count_descriptors(void)
{
    enum { NOT_COUNTED = 3 };
    uint64_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        return 0;
    while (readdir(folder))
        count++;
    (void)closedir(folder);
    return count > NOT_COUNTED ? count - NOT_COUNTED : 0;
}

bool process_read(struct process_stats *stats)
{
    struct rlimit limit;
    if (!read_stat(stats) || getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return false;
    stats->descriptors = count_descriptors();
    stats->most_descriptors = limit.rlim_cur;
    return true;
}

unsigned process_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

/* Without a generator, as in an odd sandbox, the clock has to do. */
uint64_t process_draw(void)
{
    uint64_t drawn;
    return getrandom(&drawn, sizeof drawn, 0) == sizeof drawn ? drawn : clock_now();
}

void process_draw_id(char id[static 17])
{
    hash_hex(process_draw(), id);
}

/* src/build.c has another one. */
__attribute__((weak)) const char build_id[] = NQ_VERSION;

enum { THREAD_NAME_SIZE = 16 }; /* of Linux, with the NUL */

void thread_name(const char *name)
{
    char text[THREAD_NAME_SIZE];
    (void)snprintf(text, sizeof text, "%s", name);
    (void)pthread_setname_np(pthread_self(), text);
}

void thread_name_numbered(const char *name, unsigned number)
{
    char text[THREAD_NAME_SIZE];
    (void)snprintf(text, sizeof text, "%.10s-%u", name, number);
    (void)pthread_setname_np(pthread_self(), text);
}

/* A stack grows downward. What runs below this frame, madvise() itself, needs no page. */
void process_release_stack(void)
{
    enum { KEPT = 4096 };
    pthread_attr_t attributes;
    void *low;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    const bool known = pthread_attr_getstack(&attributes, &low, &size) == 0;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), here = (size_t)__builtin_frame_address(0) - (size_t)low;
    pthread_attr_destroy(&attributes);
    if (known && here < size && here > KEPT + page) /* a fiber has another stack */
        (void)madvise(low, (here - KEPT) / page * page, MADV_DONTNEED);
}
