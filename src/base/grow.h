/* grow.h - arrays that grow by doubling. */
#ifndef BASE_GROW_H
#define BASE_GROW_H

#include <stdlib.h>

/* The first room, in items. */
enum { GROW_FIRST = 128 };

/* Room for one more item behind `count` of so many bytes each, *room being how many there can be. Returns where the
 * items are now; NULL: out of memory, and nothing has changed. */
static inline void *grow_array(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return items;
    const size_t more = *room ? 2 * *room : GROW_FIRST;
    void *grown = realloc(items, more * size);
    if (grown)
        *room = more;
    return grown;
}

#endif
