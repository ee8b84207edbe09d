/* svg.h - the queen as an outline, and boards with regions: what drawings share. */
#ifndef FORMATS_SVG_H
#define FORMATS_SVG_H

#include "formats/format.h"

/* Appends the path "nq-queen", in a square of 1 x 1; beside: as QUEEN_BESIDE says. */
void svg_queen(struct bytes *out, bool beside);

/* Appends, for screen readers, "The queens' columns ...: 1, 5, 8.": the first 100 only, because a thousand numbers are
 * of no use there. */
void svg_columns(struct bytes *out, uint32_t n, uint32_t base, const uint32_t *columns);

/* As struct format has them. */
enum nq_status paint_svg(struct bytes *out, const struct painted_board *board, const atomic_bool *stop);
enum nq_status sheet_svg(struct bytes *out, const struct painted_board *boards, size_t count, const atomic_bool *stop);

#endif
