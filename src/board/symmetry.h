/* symmetry.h - the symmetry of large boards, which can be stopped; canonical forms under some of the symmetries. */
#ifndef BOARD_SYMMETRY_H
#define BOARD_SYMMETRY_H

#include <nqueens.h>
#include <stdatomic.h>

/* As nq_canonical(), by the images under a group of symmetries only, which are bits. Returns how many are different. */
unsigned symmetry_canonical(unsigned group, uint32_t n, const uint32_t *columns, uint32_t *canonical,
                            uint32_t *scratch);

/* As nq_symmetry(). After *stop (may be NULL) the result has no meaning. */
enum nq_symmetry symmetry_of(uint32_t n, const uint32_t *columns, const atomic_bool *stop);

#endif
