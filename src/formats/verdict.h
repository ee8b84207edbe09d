/* verdict.h - the result of verifying a placement, as JSON. */
#ifndef FORMATS_VERDICT_H
#define FORMATS_VERDICT_H

#include "base/bytes.h"
#include "board/conflicts.h"
#include "shapes/shape.h"

/* Of a placement on a board of any shape. */
struct shape_verdict {
    const struct shape *shape; /* and what is asked of the placement */
    bool maximal;              /* no queen can be added, */
    struct queen free;         /* else it can on this square, the first in reading order */
    uint32_t listed;           /* of the queens that stand on walls, the first */
    struct queen on_walls[CONFLICTS_LISTED];
};

struct verdict {
    uint32_t n, base, queens;
    const char *rules; /* NULL: that of queens */
    const struct conflicts *conflicts;
    const struct shape_verdict *shaped; /* NULL: the board is n x n, for n queens */
    bool valid; /* a solution; the following members are set only then, and not of a board with regions or
                   of any shape */
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
