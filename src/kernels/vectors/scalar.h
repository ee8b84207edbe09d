/* scalar.h - one lane, a word of 32 bits, in plain C: what finding and counting by rows have in common. A lane takes no
 * branch that a processor could predict wrongly. */
#include <stdint.h>

enum { LANES = 1 };
typedef uint32_t vec;
typedef uint32_t lane_set; /* 1 or 0 */
#define ALIVE_ALL 1

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
    return a << by;
}

static inline vec v_down(vec a, unsigned by)
{
    return a >> by;
}

static inline lane_set alive_where(lane_set lanes, vec a, vec b)
{
    return lanes & ((a & b) != 0);
}

static inline lane_set alive_unless(lane_set lanes, vec a, vec b)
{
    return lanes & ((a & b) == 0);
}

static inline uint32_t alive_lanes(lane_set lanes)
{
    return lanes;
}
