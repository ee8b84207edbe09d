/* verifying.c - what becomes of a placement: its conflicts step by step, and of a solution its symmetry, canonical form
 * and rank. It does not know who placed the queens. */
#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/stop.h"
#include "count/index.h"
#include "engine/work.h"
#include "formats/verdict.h"

struct verifying {
    struct work work;
    const struct question *question;
    const struct kernel *kernel;
    struct conflicts conflicts;
    bool searched;
    uint32_t *columns, *canonical, *scratch; /* of a solution: n each; the last two up to VERIFY_CANONICAL_MAX_N */
    bool ranked;
    uint64_t rank;
};

size_t work_verify_memory(uint32_t n, uint32_t count)
{
    return sizeof(struct verifying) + conflicts_memory(n, count) + (size_t)n * sizeof(uint32_t);
}

/* n queens that leave each other alone stand one in each row. */
static bool is_solution(const struct verifying *verifying)
{
    return verifying->conflicts.total == 0 && verifying->question->placement->count == verifying->question->n;
}

/* Looks the solution up. */
static enum nq_status look_up(struct verifying *verifying, const struct index *index, const atomic_bool *stop)
{
    const uint32_t n = verifying->question->n;
    uint8_t columns[INDEX_MAX_N] = {0};
    struct index_place place;
    for (uint32_t row = 0; row < n; row++)
        columns[row] = (uint8_t)verifying->columns[row];
    const enum nq_status status = index_rank(index, columns, n, 0, verifying->kernel, stop, &place);
    verifying->ranked = status == NQ_OK;
    verifying->rank = status == NQ_OK ? place.before : 0;
    return status;
}

/* Makes the index of the board, units and all, which takes milliseconds, and asks it. */
static enum nq_status find_rank(struct verifying *verifying, const atomic_bool *stop)
{
    struct query query = {0};
    struct index *index;
    uint64_t nodes = 0;
    const uint32_t n = verifying->question->n;
    assert(n <= VERIFY_RANK_MAX_N);
    filter_begin(&query.filter, n);
    enum nq_status status = index_open(&query, &index);
    if (status != NQ_OK)
        return status;
    for (size_t unit = 0; status == NQ_OK && unit < index_units(index); unit++) {
        struct bytes result = {0};
        status = index_count(index, unit, verifying->kernel, stop, &result, &nodes);
        if (status == NQ_OK)
            status = index_put(index, unit, result.data, result.size);
        bytes_free(&result);
    }
    if (status == NQ_OK) {
        index_finish(index);
        status = look_up(verifying, index, stop);
    }
    index_close(index);
    return status;
}

/* Of a solution: all that is said of no other board. */
static enum nq_status look_closer(struct verifying *verifying, const atomic_bool *stop)
{
    const struct placement *placement = verifying->question->placement;
    const uint32_t n = verifying->question->n;
    const size_t size = (n ? n : 1) * sizeof(uint32_t);
    conflicts_close(&verifying->conflicts); /* what was found stays */
    verifying->columns = calloc(1, size);
    if (!verifying->columns)
        return NQ_NOMEM;
    for (uint32_t i = 0; i < n; i++)
        verifying->columns[placement->queens[i].row] = placement->queens[i].column;
    if (n <= VERIFY_CANONICAL_MAX_N) {
        verifying->canonical = malloc(size);
        verifying->scratch = malloc(size);
        if (!verifying->canonical || !verifying->scratch)
            return NQ_NOMEM;
        (void)nq_canonical(n, verifying->columns, verifying->canonical, verifying->scratch);
    }
    if (verifying->question->index)
        return look_up(verifying, verifying->question->index->extra, stop);
    return n <= VERIFY_RANK_MAX_N ? find_rank(verifying, stop) : NQ_OK;
}

static enum nq_status verifying_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct verifying *verifying = (struct verifying *)work;
    while (!verifying->searched) {
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        verifying->searched = conflicts_step(&verifying->conflicts) == NQ_OK;
        if (!verifying->searched && clock_now() >= slice->deadline)
            return NQ_AGAIN;
    }
    return is_solution(verifying) ? look_closer(verifying, stop) : NQ_OK;
}

static unsigned orbit_of(uint32_t n, enum nq_symmetry symmetry)
{
    static const unsigned images[] = {[NQ_SYMMETRY_NONE] = 8, [NQ_SYMMETRY_POINT] = 4, [NQ_SYMMETRY_QUARTER] = 2};
    return n <= 1 ? 1 : images[symmetry];
}

static enum nq_status verifying_finish(struct work *work, struct answer **answer)
{
    const struct verifying *verifying = (struct verifying *)work;
    const struct question *question = verifying->question;
    struct verdict verdict = {.n = question->n,
                              .base = question->base,
                              .queens = question->placement->count,
                              .conflicts = &verifying->conflicts,
                              .valid = is_solution(verifying),
                              .canonical = verifying->canonical,
                              .ranked = verifying->ranked,
                              .rank = verifying->rank};
    struct bytes body = {0};
    if (verdict.valid) {
        verdict.symmetry = nq_symmetry(question->n, verifying->columns);
        verdict.orbit = orbit_of(question->n, verdict.symmetry);
    }
    verdict_write(&body, &verdict);
    *answer = answer_new(&body, question->format->media_type);
    bytes_free(&body);
    if (!*answer)
        return NQ_NOMEM;
    (*answer)->complete = false; /* nobody will ask for the same placement by its name again */
    return NQ_OK;
}

static void verifying_close(struct work *work)
{
    struct verifying *verifying = (struct verifying *)work;
    conflicts_close(&verifying->conflicts);
    free(verifying->columns);
    free(verifying->canonical);
    free(verifying->scratch);
    free(verifying);
}

enum nq_status work_verify(const struct question *question, const struct tools *tools, struct work **work)
{
    static const struct work_class class = {
        .slice = verifying_slice, .finish = verifying_finish, .close = verifying_close};
    struct verifying *verifying = calloc(1, sizeof *verifying);
    if (!verifying)
        return NQ_NOMEM;
    verifying->work = (struct work){.class = &class, .lanes = 1};
    verifying->question = question;
    verifying->kernel = tools->kernel;
    const struct placement *placement = question->placement;
    const enum nq_status status =
        conflicts_open(&verifying->conflicts, question->n, placement->queens, placement->count);
    if (status != NQ_OK) {
        free(verifying);
        return status;
    }
    *work = &verifying->work;
    return NQ_OK;
}
