/* format_picture.c - how a board looks, for the pictures: size, colours, and the outline of a queen, which is our own.
 * It knows nothing of files. */
#include "formats/format.h"

/* As in src/web/style.css. */
const struct picture_colours picture_day = {.light = 0xf3e3c7, .dark = 0xc79b6b, .queen = 0x1f1712};
const struct picture_colours picture_night = {.light = 0x8a7355, .dark = 0x55432f, .queen = 0xfff8ec};

const struct picture_point queen_crown[QUEEN_CROWN] = {
    {26, 72}, {14, 36}, {32, 54}, {31, 24}, {43, 52}, {50, 19}, {57, 52}, {69, 24}, {68, 54}, {86, 36}, {74, 72},
};
const struct picture_point queen_foot[QUEEN_FOOT] = {{25, 76}, {75, 76}, {78, 87}, {22, 87}};
const struct picture_point queen_pearls[QUEEN_PEARLS] = {{13, 34}, {31, 22}, {50, 17}, {69, 22}, {87, 34}};

uint32_t picture_scale(uint32_t n)
{
    enum { LARGEST = 64, LEAST = 8 }; /* pixels along a square; below the latter a queen is not recognisable */
    enum { USUAL = 1024 };            /* along a board, where both allow it */
    uint32_t scale = USUAL / n < LARGEST ? USUAL / n : LARGEST;
    if (scale < LEAST)
        scale = PICTURE_MAX_N / n < LEAST ? PICTURE_MAX_N / n : LEAST;
    return scale;
}
