/* build.c - the name of this build, in place of that of base/process.c. The Makefile compiles it when the name is
 * another one: one object for a commit. */
#include "base/process.h"

#ifndef NQ_BUILD_ID /* the Makefile defines it, by docker/build-id.sh; tools that read the sources do not */
#define NQ_BUILD_ID "unknown"
#endif

const char build_id[] = NQ_BUILD_ID;

_Static_assert(sizeof build_id <= BUILD_ID_MAX + 1, "messages and records have room for so many characters");
