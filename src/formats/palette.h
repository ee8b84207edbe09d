/* palette.h - colours for the regions of a board: pastels that black is readable on, as far from each other as twenty
 * of them can be, for people with and without colour-blindness. It knows no pictures. */
#ifndef FORMATS_PALETTE_H
#define FORMATS_PALETTE_H

#include "board/regions.h"

enum { PALETTE = REGIONS_MAX_N };

/* As 0xRRGGBB. A board of n regions uses the first n: the fewer, the further from each other. */
extern const uint32_t palette[PALETTE];

/* How far two different entries are from each other, at least, in tenths: 100 times the distance in Oklab (Ottosson,
 * 2020) with normal vision, protanopia, deuteranopia or tritanopia (Machado, Oliveira and Fernandes, 2009), whichever
 * is least. */
uint32_t palette_distance(unsigned a, unsigned b);

/* Chooses the entry of each region, so that those of regions with a common side are far from each other; the same for
 * the same board everywhere. */
void palette_assign(const struct regions *regions, uint8_t entry[static REGIONS_MAX_N]);

#endif
