/* find_scalar.c - the portable finder: level buffers on one lane, in plain C. A placement takes no branch that a
 * processor could predict wrongly; that is worth more here than to skip work. */
#include "kernels/find.h"
#include "kernels/vectors/scalar.h"

typedef uint32_t word;

static inline vec v_load(const word *from)
{
    return *from;
}

static inline void v_store(word *to, vec a)
{
    *to = a;
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
