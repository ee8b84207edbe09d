/* symmetry.h - the symmetry of large boards, which can be stopped. */
#ifndef BOARD_SYMMETRY_H
#define BOARD_SYMMETRY_H

#include <nqueens.h>
#include <stdatomic.h>

/* As nq_symmetry(). After *stop (may be NULL) the result has no meaning. */
enum nq_symmetry symmetry_of(uint32_t n, const uint32_t *columns, const atomic_bool *stop);

#endif
