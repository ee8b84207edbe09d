/* build.c - compiled twice: with NQ_BUILD_ID for the server, whose link finds that object first; and without for all
 * else, so that the library is of a release, and tests need not be linked again after a commit. */
#include "base/build.h"

#include <nqueens.h>

#ifndef NQ_BUILD_ID
#define NQ_BUILD_ID NQ_VERSION
#endif

const char build_id[] = NQ_BUILD_ID;

_Static_assert(sizeof build_id <= BUILD_ID_MAX + 1, "messages and records have room for so many characters");
