/* standing.c - down the index first, then along the list. */
#include "engine/standing.h"

#include <string.h>

#include "engine/answer.h"
#include "solvers/solver.h"

void standing_begin(struct standing *standing, const struct question *question, const struct kernel *kernel)
{
    standing->question = question;
    standing->index = question->index->extra;
    standing->kernel = kernel;
    standing->cursor = NULL;
}

void standing_end(struct standing *standing)
{
    nq_cursor_close(standing->cursor);
    standing->cursor = NULL;
}

static void take_columns(struct standing *standing, const uint8_t *columns)
{
    standing->length = standing->question->n;
    for (uint32_t row = 0; row < standing->length; row++)
        standing->columns[row] = columns[row];
}

/* Opens the list at the first solution of a part that has some: just behind the part before it. */
static enum nq_status open_list(struct standing *standing, const struct index_place *place)
{
    struct index_place before = {0};
    uint32_t prefix[INDEX_MAX_N];
    standing_end(standing);
    enum nq_status status = cursor_open(&standing->question->cursor, &standing->question->query, &standing->cursor);
    if (status == NQ_OK && place->before)
        status = index_unrank(standing->index, place->before - 1, UINT64_MAX, NULL, NULL, &before);
    if (status != NQ_OK)
        return status;
    for (uint32_t row = 0; row < before.length; row++)
        prefix[row] = before.columns[row];
    return nq_cursor_seek(standing->cursor, prefix, before.length);
}

enum nq_status standing_find(struct standing *standing, uint64_t rank, const atomic_bool *stop)
{
    struct index_place place;
    const bool listed = index_listed(standing->index);
    enum nq_status status =
        index_unrank(standing->index, rank, listed ? UINT64_MAX : 0, standing->kernel, stop, &place);
    standing->by_rank = true;
    standing->rank = rank;
    standing->left = rank - place.before;
    if (status == NQ_OK && place.length == standing->question->n)
        take_columns(standing, place.columns);
    else if (status == NQ_OK)
        status = open_list(standing, &place);
    return status;
}

enum nq_status standing_count(struct standing *standing, const uint32_t *columns, const atomic_bool *stop)
{
    struct index_place place;
    const uint32_t n = standing->question->n;
    uint8_t wanted[INDEX_MAX_N];
    for (uint32_t row = 0; row < n; row++)
        wanted[row] = (uint8_t)columns[row];
    const bool listed = index_listed(standing->index);
    const enum nq_status status =
        index_rank(standing->index, wanted, n, listed ? UINT64_MAX : 0, standing->kernel, stop, &place);
    if (status != NQ_OK)
        return status;
    take_columns(standing, wanted);
    standing->by_rank = false;
    standing->rank = place.before;
    if (place.length == n)
        standing->rank += place.count;
    else if (place.count)
        return open_list(standing, &place);
    return NQ_OK;
}

/* Whether a comes after b. */
static bool after(const uint32_t *a, const uint32_t *b, uint32_t n)
{
    for (uint32_t row = 0; row < n; row++)
        if (a[row] != b[row])
            return a[row] > b[row];
    return false;
}

enum nq_status standing_go_on(struct standing *standing, uint64_t budget)
{
    const uint32_t n = standing->question->n;
    while (standing->cursor) {
        uint32_t columns[NQ_SEARCH_MAX_N];
        const enum nq_status status = nq_cursor_next(standing->cursor, &budget, columns);
        if (status == NQ_AGAIN)
            return status;
        if (status == NQ_END || (!standing->by_rank && after(columns, standing->columns, n))) {
            standing_end(standing);
        } else if (!standing->by_rank) {
            standing->rank++;
        } else if (standing->left-- == 0) {
            standing->length = n;
            memcpy(standing->columns, columns, n * sizeof *columns);
            standing_end(standing);
        }
    }
    return NQ_OK;
}
