/* verify.c - the public search for queens that attack each other. */
#include <stdlib.h>

#include "board/conflicts.h"
#include "library/query.h"

_Static_assert(CONFLICTS_LISTED == (int)NQ_CONFLICTS_MAX && CONFLICTS_RULE_MAX == (int)NQ_CONFLICTS_RULE_MAX,
               "nqueens.h states the limits");

static struct nq_square square_of(struct queen queen)
{
    return (struct nq_square){queen.row, queen.column};
}

struct nq_conflict library_conflict(const struct conflict *conflict)
{
    return (struct nq_conflict){square_of(conflict->a), square_of(conflict->b), conflict_line_name(conflict->line)};
}

static enum nq_status search(struct conflicts *conflicts)
{
    enum nq_status status;
    do
        status = conflicts_step(conflicts, NULL);
    while (status == NQ_AGAIN);
    return status;
}

static enum nq_status find(const struct rule *rule, uint32_t n, const struct queen *queens, uint32_t count,
                           struct conflicts *conflicts)
{
    enum nq_status status = conflicts_open(conflicts, rule, n, queens, count);
    if (status != NQ_OK)
        return status;
    status = search(conflicts);
    conflicts_close(conflicts);
    return status;
}

enum nq_status nq_conflicts(uint32_t n, const char *rule, const struct nq_square *squares, uint32_t count,
                            struct nq_conflict *list, uint64_t *total)
{
    const struct rule *its;
    if (!library_rule(rule, &its))
        return NQ_INVALID;
    for (uint32_t i = 0; i < count; i++)
        if (squares[i].row >= n || squares[i].column >= n)
            return NQ_INVALID;
    if (n > NQ_CONFLICTS_MAX_N || count > conflicts_most(its))
        return NQ_LIMIT;
    struct conflicts *conflicts = malloc(sizeof *conflicts);
    struct queen *queens = malloc(((size_t)count + 1) * sizeof *queens);
    enum nq_status status = NQ_NOMEM;
    if (conflicts && queens) {
        for (uint32_t i = 0; i < count; i++)
            queens[i] = (struct queen){squares[i].row, squares[i].column};
        status = find(its, n, queens, count, conflicts);
    }
    for (size_t i = 0; status == NQ_OK && list && i < conflicts->listed; i++)
        list[i] = library_conflict(&conflicts->list[i]);
    if (status == NQ_OK)
        *total = conflicts->total;
    free(queens);
    free(conflicts);
    return status;
}
