/* verifying.c - what becomes of a placement: its conflicts step by step, and of a solution its symmetry, canonical form
 * and rank. It does not know who placed the queens. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/stop.h"
#include "engine/spot.h"
#include "engine/work.h"
#include "formats/verdict.h"

struct verifying {
    struct work work;
    const struct question *question;
    const struct kernel *kernel;
    struct conflicts conflicts;
    bool searched;
    uint32_t *columns, *canonical, *scratch; /* of a solution: n each; the last two up to VERIFY_CANONICAL_MAX_N */
    struct spot spot;
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

/* Of a solution: all that is said of no other board. */
static enum nq_status look_closer(struct verifying *verifying)
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
    return NQ_OK;
}

/* The rank, by the index that came with the question, or on a small board by one made on the spot. */
static enum nq_status find_rank(struct verifying *verifying, const atomic_bool *stop)
{
    const struct question *question = verifying->question;
    if (question->index)
        return look_up(verifying, question->index->extra, stop);
    if (question->n > VERIFY_RANK_MAX_N)
        return NQ_OK;
    enum nq_status status = verifying->spot.index ? NQ_OK : spot_open(&verifying->spot, question->n);
    if (status == NQ_OK)
        status = spot_make(&verifying->spot, verifying->kernel, stop);
    return status == NQ_OK ? look_up(verifying, verifying->spot.index, stop) : status;
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
    if (!is_solution(verifying))
        return NQ_OK;
    enum nq_status status = verifying->columns ? NQ_OK : look_closer(verifying);
    if (status == NQ_OK)
        status = find_rank(verifying, stop);
    while (status == NQ_AGAIN && clock_now() < slice->deadline)
        status = find_rank(verifying, stop);
    return status;
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
    spot_close(&verifying->spot);
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
