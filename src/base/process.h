/* process.h - what the system knows of this process: Linux, by /proc; and an id for it. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

struct process_figures {
    double cpu_seconds, start_seconds; /* the latter since 1970 */
    uint64_t resident_bytes, virtual_bytes;
    uint64_t threads, descriptors, most_descriptors;
};

/* False: /proc is not there, or tells something else. Takes longer the more descriptors are open. */
bool process_read(struct process_figures *figures);

/* Draws an id that no other process has, for all we know: sixteen hexadecimal digits and a NUL. */
void process_draw_id(char id[static 17]);

#endif
