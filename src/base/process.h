/* process.h - the figures of this process in /proc of Linux, the processors it may use, an id for it, and what it
 * gives back to the system. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

struct process_stats {
    double cpu_seconds, start_seconds; /* the latter since 1970 */
    uint64_t resident_bytes, virtual_bytes;
    uint64_t threads, descriptors, most_descriptors;
};

/* False: /proc is missing or has another form. Its time grows with the number of open descriptors. */
bool process_read(struct process_stats *stats);

/* That it may use: sysconf() counts those of the machine. 1: not known. */
unsigned process_processors(void);

/* Draws a random id: sixteen hexadecimal digits and a NUL. */
void process_draw_id(char id[static 17]);

/* Gives back to the system the part of the calling thread's stack that it does not use now, but has used. */
void process_release_stack(void);

#endif
