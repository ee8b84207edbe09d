/* gzip.h - how bodies are compressed: in blocks. It does not know what they are of, and of an answer only its bytes. */
#ifndef ENGINE_RUN_GZIP_H
#define ENGINE_RUN_GZIP_H

#include <stdint.h>

#include "base/bytes.h"
#include "engine/ask/answer.h"

/* The most memory that compressing takes besides the bodies. */
enum { GZIP_STATE = 450 << 10 };

/* ---- A body of any size ----
 * One gzip member of blocks that do not refer to each other, so that threads can compress them at the same time. A
 * reader can unpack each as soon as it has it, and sees that the member is whole by its end only. */

/* The library that compresses, with its version: another one makes other bytes. */
const char *gzip_version(void);

/* What has been put into blocks. All zero: nothing. */
struct gzip_sum {
    uint32_t crc;
    uint64_t size;
};

/* Adds what a block holds that follows. */
void gzip_add(struct gzip_sum *sum, const struct gzip_sum *block);

/* Appends a compressed block; fails as bytes do. On a thread of the pool. */
void gzip_block(const struct bytes *body, struct bytes *out, struct gzip_sum *sum);

/* Appends what stands before all blocks, a block that is as it was, and what stands after all blocks: microseconds. */
void gzip_head(struct bytes *out);
void gzip_store(const struct bytes *body, struct bytes *out, struct gzip_sum *sum);
void gzip_end(const struct gzip_sum *sum, struct bytes *out);

/* ---- An answer ---- */

/* Its copy, with one reference. NULL: out of memory, or *stop was set. On a thread of the pool. */
struct answer *gzip_answer(const struct answer *answer, const atomic_bool *stop);

#endif
