/* svg.h - the queen as an outline, and boards with regions: what drawings share. */
#ifndef FORMATS_SVG_H
#define FORMATS_SVG_H

#include "formats/format.h"

/* Appends the path "nq-queen", in a square of 1 x 1. */
void svg_queen(struct bytes *out);

/* As struct format has them. */
enum nq_status paint_svg(struct bytes *out, const struct painted_board *board, const atomic_bool *stop);
enum nq_status sheet_svg(struct bytes *out, const struct painted_board *boards, size_t count, const atomic_bool *stop);

#endif
