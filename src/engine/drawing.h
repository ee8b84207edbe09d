/* drawing.h - one solution of a small board, drawn so that each is as likely as any other: a rank by the seed, and
 * where an index made on the spot says that it stands. */
#ifndef ENGINE_DRAWING_H
#define ENGINE_DRAWING_H

#include "engine/spot.h"

enum { DRAWING_MAX_N = SPOT_MAX_N };

struct drawing;

/* n is at most DRAWING_MAX_N, and neither 2 nor 3. NQ_OK or NQ_NOMEM. The same solution as the first of a sample by
 * this seed. */
enum nq_status drawing_open(uint32_t n, uint64_t seed, const struct kernel *kernel, struct drawing **drawing);

/* Does a millisecond of work or less. NQ_AGAIN: there is more; NQ_OK: it is drawn; NQ_CANCELLED, NQ_NOMEM. */
enum nq_status drawing_work(struct drawing *drawing, const atomic_bool *stop);

/* The columns of some rows of a solution that is drawn. */
void drawing_rows(const struct drawing *drawing, uint32_t first, uint32_t count, uint32_t *columns);

void drawing_close(struct drawing *drawing);

#endif
