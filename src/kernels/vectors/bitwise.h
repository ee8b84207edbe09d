/* bitwise.h - operations on vectors that are C's own operators, on integers and on vectors of up to 256 bits. With
 * those of AVX-512 the compiler does not find the instructions that take three operands: they have functions of their
 * own. To be defined before: vec. */

static inline vec v_and(vec a, vec b)
{
    return a & b;
}

static inline vec v_all(vec a, vec b, vec c)
{
    return a & b & c;
}

static inline vec v_or(vec a, vec b)
{
    return a | b;
}

static inline vec v_xor(vec a, vec b)
{
    return a ^ b;
}

static inline vec v_without(vec a, vec b)
{
    return a & ~b;
}

static inline vec v_allow(vec a, vec b, vec c)
{
    return a & ~(b | c);
}

static inline vec v_select(vec mask, vec a, vec b)
{
    return b ^ (mask & (a ^ b));
}
