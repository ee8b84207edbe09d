/* png.h - a square picture of a palette, written row by row, and the queen in its pixels: what pictures in PNG share;
 * and boards with regions. */
#ifndef FORMATS_PNG_H
#define FORMATS_PNG_H

#include <png.h>

#include "formats/format.h"

enum { PNG_SCALE_MAX = 64, PNG_EDGE_MAX = PICTURE_MAX_N };

struct png_picture {
    uint32_t edge; /* pixels, PNG_EDGE_MAX at most */
    int depth;     /* bits of a pixel */
    int colours;
    const png_color *palette;
    /* Writes the pixels of a row, as entries of the palette: those of the row before are still there. */
    void (*row)(void *drawing, uint32_t y, unsigned char *pixels);
    void *drawing;
};

/* Appends the file: the same bytes for the same picture. NQ_OK, also if `out` has failed, or NQ_CANCELLED soon after
 * *stop (may be NULL). */
enum nq_status png_write(struct bytes *out, const struct png_picture *picture, const atomic_bool *stop);

/* How much of each pixel of a square of so many is queen, from 0 to levels, row by row; levels 1: she is a spot. Levels
 * divide PNG_LEVELS_MAX. */
enum { PNG_LEVELS_MAX = 64 };
void png_queen(uint32_t scale, uint32_t levels, unsigned char *queen, const atomic_bool *stop);

/* `level` of `levels` parts of a colour to another one, 0xRRGGBB. */
png_color png_mix(uint32_t from, uint32_t to, uint32_t level, uint32_t levels);

/* As struct format has it. */
enum nq_status paint_png(struct bytes *out, const struct painted_board *board, const atomic_bool *stop);

#endif
