/* solvers.c - the table of enumerators, and the public cursor that calls through it. */
#include <stdlib.h>
#include <string.h>

#include "solvers/solver.h"

extern const struct solver solver_bitboard;

const struct solver *const solvers[] = {&solver_bitboard, NULL};

struct nq_cursor {
    const struct solver *solver;
    void *search;
};

static const struct solver *find(const char *name)
{
    for (const struct solver *const *at = solvers; *at; at++)
        if (!name || strcmp((*at)->name, name) == 0)
            return *at;
    return NULL;
}

enum nq_status cursor_open(const char *algorithm, const struct query *query, struct nq_cursor **out)
{
    const struct solver *solver = find(algorithm);
    if (!solver)
        return NQ_INVALID;
    if (query->filter.n > solver->max_n)
        return NQ_LIMIT;
    if (!solver->filters && !query_whole(query))
        return NQ_INVALID;
    struct nq_cursor *cursor = malloc(sizeof *cursor);
    if (!cursor)
        return NQ_NOMEM;
    cursor->solver = solver;
    enum nq_status status = solver->open(query, &cursor->search);
    if (status != NQ_OK) {
        free(cursor);
        return status;
    }
    *out = cursor;
    return NQ_OK;
}

enum nq_status nq_cursor_open(const char *algorithm, uint32_t n, struct nq_cursor **out)
{
    struct query query = {.filter.n = n};
    if (n <= FILTER_MAX_N)
        filter_begin(&query.filter, n);
    return cursor_open(algorithm, &query, out);
}

enum nq_status nq_cursor_next(struct nq_cursor *cursor, uint64_t *budget, uint32_t *columns)
{
    return cursor->solver->next(cursor->search, budget, columns);
}

enum nq_status nq_cursor_seek(struct nq_cursor *cursor, const uint32_t *prefix, uint32_t length)
{
    return cursor->solver->seek(cursor->search, prefix, length);
}

uint32_t nq_cursor_position(const struct nq_cursor *cursor, uint32_t *prefix)
{
    return cursor->solver->position(cursor->search, prefix);
}

const char *nq_cursor_order(const struct nq_cursor *cursor)
{
    return cursor->solver->order;
}

void nq_cursor_close(struct nq_cursor *cursor)
{
    if (!cursor)
        return;
    cursor->solver->close(cursor->search);
    free(cursor);
}
