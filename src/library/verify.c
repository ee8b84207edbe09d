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

void library_conflicts(struct conflicts *conflicts, struct nq_conflict *list)
{
    conflicts_search(conflicts);
    conflicts_close(conflicts); /* its results stay */
    for (size_t i = 0; list && i < conflicts->listed; i++)
        list[i] = (struct nq_conflict){square_of(conflicts->list[i].a), square_of(conflicts->list[i].b),
                                       conflict_line_name(conflicts->list[i].line)};
}

struct queen *library_queens(const struct nq_square *squares, uint32_t count)
{
    struct queen *queens = malloc(((size_t)count + 1) * sizeof *queens);
    for (uint32_t i = 0; queens && i < count; i++)
        queens[i] = (struct queen){squares[i].row, squares[i].column};
    return queens;
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
    struct queen *queens = library_queens(squares, count);
    enum nq_status status = NQ_NOMEM;
    if (conflicts && queens)
        status = conflicts_open(conflicts, its, n, queens, count);
    if (status == NQ_OK) {
        library_conflicts(conflicts, list);
        *total = conflicts->total;
    }
    free(queens);
    free(conflicts);
    return status;
}
