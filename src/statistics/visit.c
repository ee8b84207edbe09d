/* visit.c - queens are found thousands at a time by a lister; by other rules a recursion passes their attacks on. */
#include "statistics/visit.h"

#include <assert.h>

#include "solvers/lister.h"

/* Placements, and solutions, between two looks at the stop flag: tens of microseconds to milliseconds. */
enum { GRANT = 1 << 15, BATCH = 256, POLL_NODES = 1 << 12 };

static enum nq_status visit_queens(struct visit *visit, const uint8_t *prefix, uint32_t length)
{
    const uint32_t n = visit->filter->n;
    uint8_t rows[BATCH * KERNEL_MAX_N];
    struct lister *lister;
    enum nq_status status = lister_open(n, visit->filter->allow, visit->finder, 0, &lister);
    if (status != NQ_OK)
        return status;
    status = lister_begin(lister, prefix, length);
    while (status == NQ_OK || status == NQ_AGAIN) {
        uint64_t left = GRANT;
        size_t count;
        status = lister_next(lister, &left, rows, BATCH, &count);
        for (size_t i = 0; i < count; i++)
            visit->visit(visit->context, rows + i * n);
        visit->nodes += GRANT - left;
        if (stop_wanted(visit->stop))
            status = NQ_CANCELLED;
    }
    lister_close(lister);
    return status == NQ_END ? NQ_OK : status;
}

/* False: it was stopped. */
static bool visit_row(struct visit *visit, uint8_t *columns, uint32_t row, const struct reach *reach)
{
    const struct filter *filter = visit->filter;
    if (row == filter->n) {
        visit->visit(visit->context, columns);
        return true;
    }
    for (uint64_t free = filter->allow[row] & ~reach_attacked(reach); free; free &= free - 1) {
        struct reach next = *reach;
        columns[row] = (uint8_t)__builtin_ctzll(free);
        if (++visit->nodes % POLL_NODES == 0 && stop_wanted(visit->stop))
            return false;
        rule_pass(filter->rule, filter->n, row, free & -free, &next);
        if (!visit_row(visit, columns, row + 1, &next))
            return false;
    }
    return true;
}

static enum nq_status visit_by_rule(struct visit *visit, const uint8_t *prefix, uint32_t length)
{
    const struct filter *filter = visit->filter;
    struct reach reach = {0};
    uint8_t columns[KERNEL_MAX_N];
    for (uint32_t row = 0; row < length; row++) {
        const uint64_t queen = UINT64_C(1) << prefix[row];
        if (!(filter->allow[row] & ~reach_attacked(&reach) & queen))
            return NQ_INVALID;
        columns[row] = prefix[row];
        rule_pass(filter->rule, filter->n, row, queen, &reach);
    }
    return stop_wanted(visit->stop) || !visit_row(visit, columns, length, &reach) ? NQ_CANCELLED : NQ_OK;
}

enum nq_status visit_below(struct visit *visit, const uint8_t *prefix, uint32_t length)
{
    assert(length <= visit->filter->n && visit->filter->n <= KERNEL_MAX_N);
    return (rule_by_lines(visit->filter->rule) ? visit_queens : visit_by_rule)(visit, prefix, length);
}
