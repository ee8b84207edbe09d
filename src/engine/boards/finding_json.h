/* finding_json.h - steps of deduction and grades as JSON, for hints and puzzles. It knows neither how they are found
 * nor who asks. */
#ifndef ENGINE_BOARDS_FINDING_JSON_H
#define ENGINE_BOARDS_FINDING_JSON_H

#include "base/bytes.h"
#include "puzzles/technique.h"

/* Appends the members "technique", "level" ("search" of a search), "because" (squares and groups), "cross" (squares)
 * and "place" (a square, or null). Rows, columns and regions are numbered from base on; regions have a letter, too.
 * NULL: no step; all are null. */
void finding_write(struct bytes *out, const struct grid *grid, uint32_t base, const struct finding *finding);

#endif
