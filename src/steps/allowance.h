/* allowance.h - memory that several users share, for what can grow. It does not know what they store. */
#ifndef STEPS_ALLOWANCE_H
#define STEPS_ALLOWANCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct allowance {
    atomic_size_t left; /* bytes */
};

/* Takes so many bytes. False: fewer are left, and none is taken. NULL allows anything. */
static inline bool allowance_take(struct allowance *allowance, size_t bytes)
{
    if (!allowance)
        return true;
    size_t left = atomic_load(&allowance->left);
    do {
        if (bytes > left)
            return false;
    } while (!atomic_compare_exchange_weak(&allowance->left, &left, left - bytes));
    return true;
}

static inline void allowance_give(struct allowance *allowance, size_t bytes)
{
    if (allowance)
        atomic_fetch_add(&allowance->left, bytes);
}

#endif
