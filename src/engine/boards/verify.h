/* verify.h - how far a placement is verified, and what that takes. */
#ifndef ENGINE_BOARDS_VERIFY_H
#define ENGINE_BOARDS_VERIFY_H

#include <stddef.h>
#include <stdint.h>

#include "engine/run/small_index.h"

/* The largest boards for which a verdict has the rank without an index, and the canonical form. */
enum { VERIFY_RANK_MAX_N = SMALL_INDEX_MAX_N, VERIFY_CANONICAL_MAX_N = 10000 };

/* About how many bytes it takes, without the placement. */
size_t verify_memory(uint32_t n, uint32_t count);

#endif
