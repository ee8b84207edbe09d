/* verify.h - how far a placement is verified, and what that takes. */
#ifndef ENGINE_BOARDS_VERIFY_H
#define ENGINE_BOARDS_VERIFY_H

#include <stddef.h>
#include <stdint.h>

#include <nqueens.h>

#include "engine/run/small_index.h"

/* The largest board for which a verdict has the canonical form. It has the rank without an index up to
 * small_index_most(). */
enum { VERIFY_CANONICAL_MAX_N = 10000 };

/* The largest board whose queens an address names, and the largest position in a picture. */
enum { VERIFY_READ_MAX_N = NQ_LIST_MAX_N };

struct question;

/* About how many bytes it takes, without the placement. */
size_t verify_memory(const struct question *question);

#endif
