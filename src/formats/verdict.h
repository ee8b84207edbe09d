/* verdict.h - the result of verifying a placement, as JSON. */
#ifndef FORMATS_VERDICT_H
#define FORMATS_VERDICT_H

#include "base/bytes.h"
#include "board/conflicts.h"

struct verdict {
    uint32_t n, base, queens;
    const char *rules; /* NULL: that of queens */
    const struct conflicts *conflicts;
    bool valid; /* a solution; the following members are set only then, and not of a board with regions */
    enum nq_symmetry symmetry;
    unsigned orbit;
    const uint32_t *canonical; /* NULL: not computed */
    bool ranked;
    uint64_t rank; /* if ranked */
};

/* Appends the members `conflict_count` and `conflicts`. */
void verdict_conflicts(struct bytes *out, const struct conflicts *conflicts, uint32_t base);

/* Appends one JSON object and a line feed. */
void verdict_write(struct bytes *out, const struct verdict *verdict);

#endif
