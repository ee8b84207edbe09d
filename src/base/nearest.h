/* nearest.h - what a name that is none probably means: a table of aliases, then the distance in letters. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/* How many letters must be replaced, added or removed to make one name of the other; large if one has 64 letters. */
size_t names_distance(const char *a, const char *b);

/* The i-th name of a list, NULL after the last. */
typedef const char *(*name_at)(const void *list, size_t i);

/* The name of the list that is meant: the one that differs only in capitals, hyphens and brackets; one that the table
 * of aliases has; or the nearest, of which at most a third is other. NULL: none. */
const char *names_nearest(const char *name, name_at at, const void *list);

#endif
