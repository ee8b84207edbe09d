/* process.h - the figures of this process in /proc of Linux, the processors it may use, an id for it, which build it
 * is, the names of its threads, and what it gives back to the system. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct process_stats {
    double cpu_seconds, start_seconds; /* the latter since 1970 */
    uint64_t resident_bytes, virtual_bytes;
    uint64_t threads, descriptors, most_descriptors;
};

/* False: /proc is missing or has another form. Its time grows with the number of open descriptors. */
bool process_read(struct process_stats *stats);

/* That it may use: sysconf() counts those of the machine. 1: not known. */
unsigned process_processors(void);

/* Draws a number that nobody can predict, from the system's generator; and a random id: sixteen hexadecimal digits and
 * a NUL. */
uint64_t process_draw(void);
void process_draw_id(char id[static 17]);

/* Which build this is: what one has counted no other one takes for its own. The release, such as "1.0.0", if the
 * sources are those that its tag names, or an archive of them. Otherwise with the commit, and with a hash of the
 * sources if they differ from it: "1.0.0+g0123456789ab.dirty.89abcdef0123". Only the server knows it, by src/build.c:
 * other programs, and all tests, have the name of the release. */
extern const char build_id[];

enum { BUILD_ID_MAX = 40 };

/* Whether it names a release, which trusts the facts of other releases. */
static inline bool build_is_release(const char *id)
{
    return !strchr(id, '+');
}

/* Name the calling thread, as `top -H` and debuggers show it: in 15 letters, or in 10 and a number ("pool-3"). More are
 * cut. */
void thread_name(const char *name);
void thread_name_numbered(const char *name, unsigned number);

/* Gives back to the system the part of the calling thread's stack that it does not use now, but has used. */
void process_release_stack(void);

#endif
