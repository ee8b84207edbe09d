/* generator_2.h - revision 2 of the generator, for generator.c alone. */
#ifndef PUZZLES_GENERATOR_2_H
#define PUZZLES_GENERATOR_2_H

#include "puzzles/generated.h"

/* As generator_next(), but NQ_LIMIT where the seed comes to no board. */
enum nq_status generator_2_next(struct generator *generator, uint32_t boards, const atomic_bool *stop);

#endif
