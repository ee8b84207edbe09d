/* region_count.c - counts the solutions of a board with regions, one by one up to a limit: painted boards have few, or
 * are counted to see that they have more than one. It knows neither techniques nor who paints. */
#include <stdlib.h>

#include "base/clock.h"
#include "engine/run/work.h"
#include "puzzles/completions.h"

/* Placements between two looks at the clock: half a millisecond. */
enum { GRANT = 1 << 13 };

struct region_count {
    struct work work;
    const struct question *question;
    struct grid *grid;
    struct position position;
    struct completions search;
    uint64_t count;
};

static enum nq_status count_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct region_count *counting = (struct region_count *)work;
    const uint64_t more = counting->question->count.limit + 1;
    enum nq_status status;
    do {
        uint64_t budget = GRANT;
        status = completions_count(&counting->search, more, &counting->count, &budget, stop);
        meter_did(slice->meter, GRANT - budget);
    } while (status == NQ_AGAIN && clock_now() < slice->deadline);
    return status;
}

static enum nq_status count_finish(struct work *work, struct answer **answer)
{
    const struct region_count *counting = (const struct region_count *)work;
    const struct question *question = counting->question;
    const uint64_t limit = question->count.limit;
    char regions[REGIONS_TEXT_MAX];
    struct bytes body = {0};
    format_count(&body, &(struct count_fact){.n = question->n,
                                             .base = question->base,
                                             .rules = question_rules(question),
                                             .regions = regions_text(&question->query.regions, '/', regions),
                                             .limit = limit,
                                             .beyond = counting->count > limit,
                                             .count = counting->count,
                                             .provenance = "computed"});
    return work_answered(&body, question, answer);
}

static void count_close(struct work *work)
{
    struct region_count *counting = (struct region_count *)work;
    grid_free(counting->grid);
    free(counting);
}

enum nq_status work_region_count(const struct question *question, struct work **work)
{
    static const struct work_class class = {.slice = count_slice, .finish = count_finish, .close = count_close};
    const struct query *query = &question->query;
    struct region_count *counting = work_new(sizeof *counting, &class);
    if (!counting)
        return NQ_NOMEM;
    counting->question = question;
    counting->grid = grid_new(query->filter.rule, question->n, query->regions.of);
    if (counting->grid) {
        position_begin(counting->grid, &counting->position);
        position_allow(counting->grid, &counting->position, query->filter.allow);
        completions_begin(&counting->search, counting->grid, &counting->position, false);
    }
    return work_opened(&counting->work, counting->grid ? NQ_OK : NQ_NOMEM, work);
}
