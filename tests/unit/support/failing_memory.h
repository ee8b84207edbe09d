/* failing_memory.h - makes the allocations of one source file fail on demand: include this, then that .c file. The
 * linker then leaves the library's own copy of the file out. */
#ifndef TESTS_UNIT_SUPPORT_FAILING_MEMORY_H
#define TESTS_UNIT_SUPPORT_FAILING_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* How many allocations, on all threads together, succeed before all later ones fail; SIZE_MAX: none fails. */
#ifndef FAILING_ELSEWHERE
static atomic_size_t failing_after = SIZE_MAX;
#endif

static inline bool failing_now(void)
{
    size_t left = atomic_load(&failing_after);
    while (left && left != SIZE_MAX && !atomic_compare_exchange_weak(&failing_after, &left, left - 1)) {
    }
    return left == 0;
}

static inline void *failing_malloc(size_t size)
{
    return failing_now() ? NULL : malloc(size);
}

static inline void *failing_calloc(size_t count, size_t size)
{
    return failing_now() ? NULL : calloc(count, size);
}

static inline void *failing_realloc(void *data, size_t size)
{
    return failing_now() ? NULL : realloc(data, size);
}

/* Evaluates an expression of enum nq_status again and again: with no allocation that succeeds, with one, and so on,
 * until it comes to the wanted status; until then it must be NQ_NOMEM. Returns how many allocations had to succeed. */
#define STARVED(wanted, expression) \
    ({ \
        size_t starved = 0; \
        for (enum nq_status came_to = NQ_NOMEM; came_to != (wanted); starved += came_to != (wanted)) { \
            atomic_store(&failing_after, starved); \
            came_to = (expression); \
            atomic_store(&failing_after, SIZE_MAX); \
            assert_true(came_to == (wanted) || (came_to == NQ_NOMEM && starved < 10000)); \
        } \
        starved; \
    })

#define malloc(size) failing_malloc(size)
#define calloc(count, size) failing_calloc(count, size)
#define realloc(data, size) failing_realloc(data, size)

#endif
