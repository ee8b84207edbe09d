/* gzip.c - settings of zlib. */
#include "engine/run/gzip.h"

/* Of JSON, microseconds per kB on one Zen 4 core: level 6 takes 7 to 12 up to 64 kB and 27 beyond, level 4 takes 6, and
 * its copies are 6 % larger. */
enum { GOOD = 6, FAST = 4, GOOD_UP_TO = 64 << 10 };

/* zlib clears tables of up to 256 kB, which takes longer than a small body does: it gets a window of its own size. */
static int window_bits(size_t size)
{
    int bits = 9;
    while (bits < MAX_WBITS && (size_t)1 << bits < size)
        bits++;
    return bits;
}

bool gzip_begin(z_stream *z, size_t size)
{
    enum { AS_GZIP = 16, MEMORY_LEVEL = 8 };
    const int bits = window_bits(size), memory = bits - 6 < MEMORY_LEVEL ? bits - 6 : MEMORY_LEVEL;
    *z = (z_stream){0};
    return deflateInit2(z, size <= GOOD_UP_TO ? GOOD : FAST, Z_DEFLATED, AS_GZIP + bits, memory, Z_DEFAULT_STRATEGY) ==
           Z_OK;
}
