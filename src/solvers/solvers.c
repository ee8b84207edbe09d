/* solvers.c - the table of enumerators, and the public cursor that calls through it: on an algorithm's own search, or
 * on its machine, from one solution to the next. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/solver.h"

extern const struct solver solver_bitboard, solver_recursion, solver_rapella, solver_tkachenko, solver_zironi,
    solver_romani_1, solver_romani_2, solver_romani_3, solver_romani_4, solver_romani_5, solver_dancing_links,
    solver_mrv, solver_forward_checking, solver_fewest_first, solver_min_conflicts;

const struct solver *const solvers[] = {
    &solver_bitboard,         &solver_recursion,    &solver_rapella,       &solver_tkachenko,
    &solver_zironi,           &solver_romani_1,     &solver_romani_2,      &solver_romani_3,
    &solver_romani_4,         &solver_romani_5,     &solver_dancing_links, &solver_mrv,
    &solver_forward_checking, &solver_fewest_first, &solver_min_conflicts, NULL,
};

struct nq_cursor {
    const struct solver *solver;
    void *search; /* or: */
    void *machine;
    uint32_t n;
    /* Of a machine: */
    bool ended;
    struct stats stats;
    uint32_t length; /* of its position */
    uint32_t position[MACHINE_MAX_N];
};

const struct solver *solver_find(const char *name)
{
    for (const struct solver *const *at = solvers; *at; at++)
        if (!name || strcmp((*at)->name, name) == 0)
            return *at;
    return NULL;
}

const struct solver *solver_by_regions(void)
{
    const struct solver *const *at = solvers;
    while (!(*at)->by_regions)
        at++;
    return *at;
}

bool solver_resumes(const struct solver *solver)
{
    return solver->search || solver->machine->seek;
}

/* Whether what a machine is set to is on the board. */
static bool fitting(const struct solver *solver, const struct machine_settings *machine, uint32_t n)
{
    if ((solver->heeds & HEEDS_COLUMN) && machine->column >= n)
        return false;
    for (uint32_t i = 0; (solver->heeds & HEEDS_SPLIT) && i < machine->splits; i++)
        if (machine->split[i] == 0 || machine->split[i] > n || (i && machine->split[i] < machine->split[i - 1]))
            return false;
    return true;
}

bool solver_query(const struct solver *solver, const struct machine_settings *settings, uint32_t n, struct query *query)
{
    *query = (struct query){0};
    filter_begin(&query->filter, n);
    query->filter.rule = settings->rule;
    switch (solver->lists) {
    case LISTS_ALL:
    case LISTS_SOME: break;
    case LISTS_MIRROR: query->distinct = DISTINCT_MIRROR; break;
    case LISTS_FUNDAMENTAL: query->distinct = DISTINCT_FUNDAMENTAL; break;
    case LISTS_COLUMN:
        if (settings->column < n) /* or else it is refused */
            filter_place(&query->filter, 0, settings->column);
        break;
    }
    return solver->lists != LISTS_SOME;
}

/* Whether a query asks for the whole board, or for just what the machine lists. */
static bool asked_for(const struct solver *solver, const struct machine_settings *machine, const struct query *query)
{
    struct query own;
    (void)solver_query(solver, machine, machine->n, &own);
    return query_whole(query) || (query->distinct == own.distinct && query->symmetry == own.symmetry &&
                                  filter_equal(&query->filter, &own.filter));
}

static enum nq_status open_machine(struct nq_cursor *cursor, const struct cursor_settings *settings,
                                   const struct query *query)
{
    struct machine_settings machine = settings->machine;
    machine.n = query->filter.n;
    machine.rule = query->filter.rule;
    if (!cursor->solver->machine || !fitting(cursor->solver, &machine, machine.n) ||
        !asked_for(cursor->solver, &machine, query))
        return NQ_INVALID;
    /* A list ends at once where a theorem says that it is empty, with statistics as without. */
    const bool empty = cursor->solver->search && filter_impossible(&query->filter);
    return machine.n && !empty ? machine_open(cursor->solver->machine, &machine, &cursor->machine) : NQ_OK;
}

enum nq_status cursor_open(const struct cursor_settings *settings, const struct query *query, struct nq_cursor **out)
{
    static const struct cursor_settings none = {0};
    if (!settings)
        settings = &none;
    const struct solver *solver = solver_find(settings->algorithm);
    if (!solver || !rule_suits(query->filter.rule, solver->by_rule) || (query->regions.n && !solver->by_regions))
        return NQ_INVALID;
    if (query->filter.n > solver->max_n)
        return NQ_LIMIT;
    struct nq_cursor *cursor = calloc(1, sizeof *cursor);
    if (!cursor)
        return NQ_NOMEM;
    cursor->solver = solver;
    cursor->n = query->filter.n;
    const bool searched = solver->search && (!settings->watched || solver->search->stats);
    enum nq_status status = NQ_OK; /* the empty board is neither searched nor stepped through: see next_of_none() */
    if (!searched)
        status = open_machine(cursor, settings, query);
    else if (cursor->n)
        status = solver->search->open(query, &cursor->search);
    if (status != NQ_OK) {
        free(cursor);
        return status;
    }
    *out = cursor;
    return NQ_OK;
}

enum nq_status nq_cursor_open(const char *algorithm, uint32_t n, struct nq_cursor **out)
{
    const struct cursor_settings settings = {.algorithm = algorithm};
    struct query query = {.filter = {.n = n, .rule = rules[0]}};
    if (n <= FILTER_MAX_N)
        filter_begin(&query.filter, n);
    return cursor_open(&settings, &query, out);
}

/* The empty board is a solution, and takes no steps. */
static enum nq_status next_of_none(struct nq_cursor *cursor)
{
    const bool ended = cursor->ended;
    cursor->ended = true;
    cursor->stats.solutions = 1;
    return ended ? NQ_END : NQ_OK;
}

static enum nq_status next_step(struct nq_cursor *cursor, uint64_t *budget, uint32_t *columns)
{
    const struct machine_class *class = cursor->solver->machine;
    struct step step;
    for (;;) {
        const enum nq_status status = class->step(cursor->machine, &step);
        if (status != NQ_OK)
            return status;
        stats_add(&cursor->stats, &step);
        *budget -= *budget < step_cost(&step) ? *budget : step_cost(&step);
        const bool found = step.kind == STEP_SOLUTION;
        if (!found && (*budget || (class->position && !step.settled)))
            continue;
        if (class->position)
            cursor->length = class->position(cursor->machine, cursor->position);
        assert(cursor->length <= cursor->n);
        if (found)
            class->board(cursor->machine, columns);
        return found ? NQ_OK : NQ_AGAIN;
    }
}

enum nq_status nq_cursor_next(struct nq_cursor *cursor, uint64_t *budget, uint32_t *columns)
{
    if (cursor->search)
        return cursor->solver->search->next(cursor->search, budget, columns);
    if (cursor->machine)
        return next_step(cursor, budget, columns);
    return cursor->n ? NQ_END : next_of_none(cursor);
}

enum nq_status nq_cursor_seek(struct nq_cursor *cursor, const uint32_t *prefix, uint32_t length)
{
    if (cursor->search)
        return cursor->solver->search->seek(cursor->search, prefix, length);
    const struct machine_class *class = cursor->solver->machine;
    if (length > cursor->n || (length && !class->seek))
        return NQ_INVALID;
    const enum nq_status status = cursor->machine && class->seek ? class->seek(cursor->machine, prefix, length) : NQ_OK;
    if (status != NQ_OK)
        return status;
    memset(&cursor->stats, 0, sizeof cursor->stats);
    for (uint32_t row = 0; row < length; row++)
        cursor->position[row] = prefix[row];
    cursor->length = length;
    cursor->ended = false;
    return NQ_OK;
}

uint32_t nq_cursor_position(const struct nq_cursor *cursor, uint32_t *prefix)
{
    if (cursor->search)
        return cursor->solver->search->position(cursor->search, prefix);
    assert(cursor->length <= cursor->n);
    memcpy(prefix, cursor->position, cursor->length * sizeof *prefix);
    return cursor->length;
}

const struct stats *cursor_stats(const struct nq_cursor *cursor)
{
    if (!cursor->search)
        return &cursor->stats;
    return cursor->solver->search->stats ? cursor->solver->search->stats(cursor->search) : NULL;
}

const char *nq_cursor_order(const struct nq_cursor *cursor)
{
    return cursor->solver->order;
}

void nq_cursor_close(struct nq_cursor *cursor)
{
    if (!cursor)
        return;
    if (cursor->search)
        cursor->solver->search->close(cursor->search);
    if (cursor->machine)
        cursor->solver->machine->close(cursor->machine);
    free(cursor);
}

#ifdef CHECKS
void cursor_check(const struct nq_cursor *cursor)
{
    assert(cursor->solver && cursor->n <= cursor->solver->max_n);
    assert(!(cursor->search && cursor->machine));
    assert(!cursor->search || cursor->solver->search);
    assert(!cursor->machine || cursor->solver->machine);
    assert(!cursor->ended || cursor->n == 0); /* a machine tells itself when it is at its end */
    uint32_t *prefix = calloc(cursor->n + 1, sizeof *prefix);
    const uint32_t length = prefix ? nq_cursor_position(cursor, prefix) : 0;
    assert(length <= cursor->n);
    for (uint32_t row = 0; row < length; row++)
        assert(prefix[row] < cursor->n);
    free(prefix);
}
#endif
