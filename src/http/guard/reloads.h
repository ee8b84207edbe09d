/* reloads.h - how the last reload of files by a signal ended. It does not know which files. */
#ifndef HTTP_GUARD_RELOADS_H
#define HTTP_GUARD_RELOADS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/lock.h"

enum { RELOADS_WHY_MAX = 640 };

struct reload {
    bool failed;
    int64_t time;              /* seconds since 1970; of the start, if there was none */
    char why[RELOADS_WHY_MAX]; /* it failed: a sentence without a full stop */
};

/* Any thread may call the functions below. */
struct reloads {
    struct lock lock; /* guards: */
    struct reload last;
};

void reloads_begin(struct reloads *reloads);
void reloads_end(struct reloads *reloads);

/* why NULL: it succeeded. */
void reloads_note(struct reloads *reloads, const char *why);

struct reload reloads_last(struct reloads *reloads);

#endif
