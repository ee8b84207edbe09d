/* find_scalar.c - the portable finder: level buffers on one lane, in plain C. A placement takes no branch that a
 * processor could predict wrongly; that is worth more here than to skip work. */
#include "kernels/find.h"

enum { LANES = 1 };
typedef uint32_t word;
typedef uint32_t vec;
typedef uint32_t lane_set; /* 1 or 0 */
#define ALIVE_ALL 1

#include "kernels/vectors/bitwise.h"

static inline vec v_set(uint32_t x)
{
    return x;
}

static inline vec v_load(const word *from)
{
    return *from;
}

static inline void v_store(word *to, vec a)
{
    *to = a;
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

static inline vec v_index(vec a)
{
    return (uint32_t)__builtin_ctz(a | UINT32_C(1) << 31);
}

static inline uint32_t lanes_count(uint32_t lanes)
{
    return lanes;
}

static inline void v_pack(word *to, uint32_t lanes, vec a)
{
    (void)lanes; /* the next one overwrites it if it is not wanted */
    *to = a;
}

static inline void v_join(uint64_t *to, vec high, vec low, unsigned shift)
{
    *to = (uint64_t)high << shift | low;
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

#include "kernels/find_levels.h"

static bool scalar_supported(void)
{
    return true;
}

const struct finder finder_scalar = {
    .name = "scalar",
    .supported = scalar_supported,
    .workspace = sizeof(struct search),
    .find = find_levels,
};
