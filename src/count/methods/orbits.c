/* orbits.c - the search over orbits, and random descents into it. */
#include "count/methods/orbits.h"

#include "base/random.h"

/* Partial placements that are taken a step together. P(26) in CPU seconds: 16 1.82, 32 1.69, 64 1.62, 128 1.62,
 * 256 1.62; with 64 the levels take 60 KB of stack. */
enum { BATCH = 64 };

/* A partial placement with untried squares. */
struct open {
    struct orbits_lines taken;
    uint32_t free; /* squares of the next step, not tried yet; never 0 */
};

/* Partial placements with the same number of orbits. */
struct level {
    uint32_t count;
    struct open open[2 * BATCH];
};

struct search {
    uint32_t last; /* level: one more orbit, and one is left */
    uint64_t solutions, nodes;
    struct level levels[ORBITS_MAX_STEPS - 1];
};

/* Takes the lowest untried square from the i-th open placement and packs what is then left behind the `kept` ones. */
static inline struct orbits_lines take(const struct orbits_board *board, struct level *level, uint32_t i,
                                       uint32_t *kept)
{
    const struct open open = level->open[i];
    const uint32_t rest = open.free & (open.free - 1);
    level->open[*kept] = (struct open){.taken = open.taken, .free = rest};
    *kept += rest != 0;
    return orbits_place(board, &open.taken, open.free);
}

/* Whether a square is free cannot be predicted, so nothing below branches on it: a step for a batch takes 3.5 ns a
 * placement; depth first, one placement at a time, it was 8 to 10. Looking one step further ahead saves 14 % of the
 * placements and costs 18 % more time. */
static void advance(const struct orbits_board *restrict board, struct search *restrict search, uint32_t at)
{
    struct level *level = &search->levels[at], *next = level + 1;
    const uint32_t count = level->count, begin = count > BATCH ? count - BATCH : 0;
    uint32_t kept = begin;
    search->nodes += count - begin;
    if (at == search->last) {
        uint64_t solutions = 0;
        for (uint32_t i = begin; i < count; i++) {
            const struct orbits_lines taken = take(board, level, i, &kept);
            const uint32_t free = orbits_next_free(board, &taken);
            solutions += (free != 0) + ((free & (free - 1)) != 0); /* two columns are left at most */
        }
        search->solutions += solutions;
        search->nodes += solutions;
    } else {
        uint32_t end = next->count;
        for (uint32_t i = begin; i < count; i++) {
            const struct orbits_lines taken = take(board, level, i, &kept);
            next->open[end] = (struct open){.taken = taken, .free = orbits_next_free(board, &taken)};
            end += next->open[end].free != 0;
        }
        next->count = end;
    }
    level->count = kept;
}

/* The deepest level that has a batch; when none has, the first that has anything. False: all are empty. No level
 * beyond the one after *at has a batch, so that wherever one is emptied there is room for its children. */
static bool choose(const struct search *search, uint32_t *at)
{
    for (uint32_t level = (*at < search->last ? *at + 1 : *at) + 1; level-- > 0;) {
        if (search->levels[level].count >= BATCH) {
            *at = level;
            return true;
        }
    }
    for (*at = 0; *at <= search->last; ++*at)
        if (search->levels[*at].count)
            return true;
    return false;
}

enum nq_status orbits_search(const struct orbits_board *board, const struct orbits_piece *piece,
                             const atomic_bool *stop, struct unit_result *result)
{
    struct search search;
    const uint32_t free = piece->left ? orbits_next_free(board, &piece->taken) : 0;
    if (piece->left < 2) {
        const uint32_t found = piece->left ? (uint32_t)__builtin_popcount(free) : 1;
        result->parts += (nq_wide)found * piece->thirds;
        result->nodes += piece->left ? found : 0;
        return NQ_OK;
    }
    search.last = piece->left - 2;
    search.solutions = search.nodes = 0;
    for (uint32_t level = 0; level <= search.last; level++)
        search.levels[level].count = 0;
    search.levels[0].open[0] = (struct open){.taken = piece->taken, .free = free};
    search.levels[0].count = free != 0;
    for (uint32_t at = 0; choose(&search, &at);) {
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        advance(board, &search, at);
    }
    result->parts += (nq_wide)search.solutions * piece->thirds;
    result->nodes += search.nodes;
    return NQ_OK;
}

/* Walks between two looks at the stop flag: a hundred microseconds. */
enum { POLL_WALKS = 16 };

/* One descent: the orbits placed that it stands for. */
static double descend(const struct orbits_board *board, struct orbits_piece piece, struct random *random)
{
    double nodes = 0, weight = 1;
    while (piece.left) {
        struct orbits_lines children[ORBITS_MAX_N];
        uint32_t count = 0, free = orbits_next_free(board, &piece.taken);
        nodes += weight * __builtin_popcount(free);
        if (--piece.left == 0)
            break;
        for (; free; free &= free - 1) {
            children[count] = orbits_place(board, &piece.taken, free);
            count += orbits_next_free(board, &children[count]) != 0;
        }
        if (!count)
            break;
        piece.taken = children[random_below(random, count)];
        weight *= count;
    }
    return nodes;
}

double orbits_walk(const struct orbits_board *board, const struct orbits_piece *piece, unsigned walks,
                   const atomic_bool *stop)
{
    double nodes = 0;
    for (unsigned walk = 0; walk < walks; walk++) {
        if (walk % POLL_WALKS == 0 && stop_wanted(stop))
            break;
        struct random random = random_begin(piece->taken.sums, walk);
        nodes += descend(board, *piece, &random);
    }
    return nodes / walks;
}
