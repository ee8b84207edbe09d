/* construction.h - the shape of a construction: one solution of any size, told row by row. It knows neither formats nor
 * threads; how much is told at a time is the caller's business. */
#ifndef CONSTRUCTIONS_CONSTRUCTION_H
#define CONSTRUCTIONS_CONSTRUCTION_H

#include <nqueens.h>

struct construction {
    const char *name;
    const char *summary;
    const char *complexity;
    const char *source;
    int year;
    uint32_t max_n;
    enum nq_status (*open)(uint32_t n, void **plan);
    void (*rows)(const void *plan, uint32_t first, uint32_t count, uint32_t *columns);
    void (*close)(void *plan);
};

/* The first is the default; ends with NULL. */
extern const struct construction *const constructions[];

#endif
