/* rows_plain.h - a lane that is one word: the operations of rows_step.h in plain C. */
#include <stdbool.h>
#include <stdint.h>

typedef uint32_t vec;
typedef bool lane_set;
#define ALIVE_ALL true

#include "kernels/vectors/bitwise.h"

static inline vec v_set(uint32_t x)
{
    return x;
}

static inline vec v_less_one(vec a)
{
    return a - 1;
}

static inline vec v_and_some(vec a, vec b)
{
    return b ? a & b : a;
}

static inline vec v_up(vec a, unsigned by)
{
    return by < 32 ? a << by : 0;
}

static inline vec v_down(vec a, unsigned by)
{
    return by < 32 ? a >> by : 0;
}

static inline lane_set alive_where(lane_set lanes, vec a, vec b)
{
    return lanes && (a & b);
}

static inline lane_set alive_unless(lane_set lanes, vec a, vec b)
{
    return lanes && !(a & b);
}

static inline uint32_t alive_lanes(lane_set lanes)
{
    return lanes;
}

#include "kernels/rows/rows_step.h"

/* The lanes of a prefix, and the squares of its next row that are free. */
static inline struct lanes lanes_of_prefix(const struct rows_board *board, const struct rows_prefix *prefix)
{
    const uint32_t full = ~UINT32_C(0) >> (32 - board->n);
    const struct reach *reach = &prefix->reach;
    return (struct lanes){.columns = (uint32_t)~reach->columns & full,
                          .left = (uint32_t)reach->left & full,
                          .right = (uint32_t)reach->right & full,
                          .later = (uint32_t)reach->later & full};
}

static inline uint32_t free_of_prefix(const struct rows_board *board, const struct rows_prefix *prefix)
{
    return prefix->row < board->n ? board->allow[prefix->row] & ~(uint32_t)reach_attacked(&prefix->reach) : 0;
}
