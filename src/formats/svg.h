/* svg.h - boards as drawings: what a drawing and a page of several share. */
#ifndef FORMATS_SVG_H
#define FORMATS_SVG_H

#include "formats/format.h"

/* Pages show several drawings beside each other, and ids are of a whole page: each drawing puts a word of its own
 * before its ids, "nq-01234567". The same board has the same word. */
enum { SVG_WORD_MAX = 16 };
const char *svg_word(const struct painted_board *board, char word[static SVG_WORD_MAX]);

/* Appends what a board's drawing uses: the path WORD-queen, in a square of 1 x 1; with regions that as QUEEN_BESIDE
 * says, and the outline WORD-rim of the board. */
void svg_define(struct bytes *out, const char *word, const struct painted_board *board);

/* Appends the pattern WORD-squares, that of the dark squares of a board without regions. */
void svg_squares(struct bytes *out, const char *word);

/* Appends what a board and its marks look like, in squares of 1 x 1, with the queen that is defined. NQ_OK, or
 * NQ_CANCELLED soon after *stop. */
enum nq_status svg_board(struct bytes *out, const char *word, const struct painted_board *board,
                         const atomic_bool *stop);

/* Appends the attribute viewBox of a board with regions, whose rim needs room. */
void svg_view(struct bytes *out, const struct painted_board *board);

extern const char svg_ink[]; /* colour of lines and queens on a board with regions */

/* As struct format has them. */
enum nq_status paint_svg(struct bytes *out, const struct painted_board *board, const atomic_bool *stop);

#endif
