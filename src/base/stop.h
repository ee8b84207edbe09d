/* stop.h - the flag by which whoever has asked for something tells that nobody wants it any more. */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether to give up. NULL: never. Cheap enough for a look every few microseconds. */
static inline bool stop_wanted(const atomic_bool *stop)
{
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

#endif
