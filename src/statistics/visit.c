/* visit.c - solutions are found hundreds at a time: of queens by a lister, by other rules by a walk. */
#include "statistics/visit.h"

#include <assert.h>

#include "rules/search.h"
#include "solvers/lister.h"

/* Placements, and solutions, between two looks at the stop flag: tens of microseconds to milliseconds. */
enum { GRANT = 1 << 15, BATCH = 256 };

/* What lists the solutions: NULL but one. */
struct listers {
    struct lister *queens;
    struct rule_walk *by_rule;
};

static enum nq_status visit_all(struct visit *visit, const struct listers *by)
{
    const uint32_t n = visit->filter->n;
    uint8_t rows[BATCH * KERNEL_MAX_N];
    enum nq_status status = NQ_OK;
    while (status == NQ_OK || status == NQ_AGAIN) {
        uint64_t left = GRANT;
        size_t count;
        status = by->queens ? lister_next(by->queens, &left, rows, BATCH, &count)
                            : rule_walk_list(by->by_rule, &left, rows, BATCH, &count);
        for (size_t i = 0; i < count; i++)
            visit->visit(visit->context, rows + i * n);
        visit->nodes += GRANT - left;
        if (stop_wanted(visit->stop))
            status = NQ_CANCELLED;
    }
    return status == NQ_END ? NQ_OK : status;
}

static enum nq_status visit_queens(struct visit *visit, const uint8_t *prefix, uint32_t length)
{
    struct lister *lister;
    enum nq_status status = lister_open(visit->filter->n, visit->filter->allow, visit->finder, 0, &lister);
    if (status != NQ_OK)
        return status;
    status = lister_begin(lister, prefix, length);
    if (status == NQ_OK)
        status = visit_all(visit, &(struct listers){.queens = lister});
    lister_close(lister);
    return status;
}

static enum nq_status visit_by_rule(struct visit *visit, const uint8_t *prefix, uint32_t length)
{
    const struct filter *filter = visit->filter;
    struct rule_walk walk;
    if (length < filter->n) {
        rule_walk_begin(&walk, filter->rule, filter->n, filter->allow, filter->n);
        return rule_walk_root(&walk, prefix, length) ? visit_all(visit, &(struct listers){.by_rule = &walk})
                                                     : NQ_INVALID;
    }
    if (!rule_search_follow(&walk.search, filter->rule, filter->n, filter->allow, prefix, length))
        return NQ_INVALID;
    visit->visit(visit->context, walk.search.columns);
    return stop_wanted(visit->stop) ? NQ_CANCELLED : NQ_OK;
}

enum nq_status visit_below(struct visit *visit, const uint8_t *prefix, uint32_t length)
{
    assert(length <= visit->filter->n && visit->filter->n <= KERNEL_MAX_N);
    return (rule_by_lines(visit->filter->rule) ? visit_queens : visit_by_rule)(visit, prefix, length);
}
