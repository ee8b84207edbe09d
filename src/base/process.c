/* process.c - reads /proc/self/stat, whose fields proc(5) numbers from 1, and counts the entries of /proc/self/fd;
 * draws an id, and gives back stacks. */
#include "base/process.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"

/* Seconds since 1970 at which the system began, which start times are counted from. */
static bool boot_time(double *seconds)
{
    char line[256];
    bool found = false;
    FILE *file = fopen("/proc/stat", "re");
    while (file && !found && fgets(line, sizeof line, file))
        if (strncmp(line, "btime ", 6) == 0) {
            *seconds = (double)strtoull(line + 6, NULL, 10);
            found = true;
        }
    if (file)
        (void)fclose(file);
    return found;
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
    const double ticks = (double)sysconf(_SC_CLK_TCK);
    double booted = 0;
    if (!field[RESIDENT] || !boot_time(&booted))
        return false;
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

void process_draw_id(char id[static 17])
{
    uint64_t drawn;
    if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
        drawn = clock_now();
    hash_hex(drawn, id);
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
