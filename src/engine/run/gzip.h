/* gzip.h - how bodies are compressed: levels and sizes, by measurement. It does not know what they are of. */
#ifndef ENGINE_RUN_GZIP_H
#define ENGINE_RUN_GZIP_H

#include <stdbool.h>
#include <zlib.h>

/* The most memory that compressing takes besides the bodies. */
enum { GZIP_STATE = 280 << 10 };

/* Begins to compress a body of a known size into one gzip member: small ones well, large ones fast. False: out of
 * memory. The caller ends it with deflateEnd(). */
bool gzip_begin(z_stream *z, size_t size);

#endif
