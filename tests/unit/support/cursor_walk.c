/* cursor_walk.c - positions of cursors, and which solvers have such of any kind. */
#include "support/cursor_walk.h"

struct position position_of(const struct nq_cursor *cursor)
{
    struct position position = {0};
    position.length = nq_cursor_position(cursor, position.prefix);
    return position;
}

bool position_gained(bool lexicographic, const struct position *before, const struct position *after)
{
    if (before->length == 0)
        return after->length > 0;
    uint32_t common = before->length < after->length ? before->length : after->length, i = 0;
    while (i < common && before->prefix[i] == after->prefix[i])
        i++;
    if (!lexicographic)
        return i < common || before->length != after->length;
    return i < common ? after->prefix[i] > before->prefix[i] : after->length < before->length && after->length > 0;
}

const struct solver *const *walker_next(const struct solver *const *at)
{
    for (at = at ? at + 1 : solvers; *at; at++)
        if ((*at)->lists == LISTS_ALL && solver_resumes(*at) && (*at)->max_n == NQ_SEARCH_MAX_N)
            return at;
    return NULL;
}
