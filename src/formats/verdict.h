/* verdict.h - what is to be said of queens on a board, as JSON. It does not find anything out. */
#ifndef FORMATS_VERDICT_H
#define FORMATS_VERDICT_H

#include "base/bytes.h"
#include "board/conflicts.h"

struct verdict {
    uint32_t n, base, queens;
    const struct conflicts *conflicts;
    bool valid; /* a solution; only then there is what follows: */
    enum nq_symmetry symmetry;
    unsigned orbit;
    const uint32_t *canonical; /* NULL: it is not told */
    bool ranked;
    uint64_t rank; /* if it is told */
};

/* Appends the members `conflict_count` and `conflicts`, after a comma. */
void verdict_conflicts(struct bytes *out, const struct conflicts *conflicts, uint32_t base);

/* Appends one JSON object and a line feed. */
void verdict_write(struct bytes *out, const struct verdict *verdict);

#endif
