/* finding.h - steps of deduction and grades as JSON, for hints and puzzles. It knows neither how they are found
 * nor who asks. */
#ifndef FORMATS_FINDING_H
#define FORMATS_FINDING_H

#include "base/bytes.h"
#include "puzzles/technique.h"

/* How steps are told. */
struct findings {
    const struct grid *grid;
    const struct position *position; /* in which the next one was found */
    uint32_t base;
    size_t language; /* see hint_words.h */
};

/* Appends the members "technique", "level" ("search" of a search), "because" (a title and a sentence, squares, groups,
 * and the rounds of a contradiction), "cross" (squares) and "place" (a square, or null). Rows, columns and regions are
 * numbered from base on; regions have a letter, too. NULL: no step; all are null. */
void finding_write(struct bytes *out, const struct findings *findings, const struct finding *finding);

#endif
