/* weighted.h - a filter as boards whose solutions, each with its board's weight, add up to the filter's: symmetry for
 * any rule. It knows squares and the symmetries of a rule, not how solutions are counted. */
#ifndef COUNT_METHODS_WEIGHTED_H
#define COUNT_METHODS_WEIGHTED_H

#include "base/stop.h"
#include "board/query.h"

struct weighted {
    struct filter filter;
    uint32_t thirds; /* what a solution of it counts, in thirds */
};

struct weighted_boards {
    size_t count, room;
    struct weighted *board;
};

/* Lists the boards of a filter with a rule; none if there are no solutions. NQ_OK, NQ_NOMEM, or NQ_CANCELLED
 * soon after *stop (may be NULL). Close them in any case. */
enum nq_status weighted_open(const struct filter *filter, const atomic_bool *stop, struct weighted_boards *boards);
void weighted_close(struct weighted_boards *boards);

#endif
