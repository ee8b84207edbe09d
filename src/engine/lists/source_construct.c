/* source_construct.c - one constructed solution: made slice by slice, then written row by row in memory that does not
 * grow with the board. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/stop.h"
#include "count/deduction.h"
#include "engine/lists/source.h"
#include "engine/run/small_index.h"

/* Between two looks at the clock: rows written (some microseconds), and placements or swaps tried (a millisecond). */
enum { BATCH = 1024, GRANT = 1 << 15 };

/* A search in a random order begins again after each grant, so many times. */
enum { MOST_TRIES = 32 };

struct building {
    struct source source;
    const struct question *question;
    struct nq_construction *construction; /* NULL if the solution is drawn, by one of the next two: */
    struct small_index small_index;       /* if head.uniform */
    struct deduction *deduction;
    struct random random;
    uint32_t tries;
    uint32_t drawn[FILTER_MAX_N];
    struct build_head head;
    uint32_t rows, written;
    bool ready, begun;
};

/* The first solution of a sample by the same seed. */
static enum nq_status draw_solution(struct building *building, const atomic_bool *stop)
{
    const enum nq_status status = small_index_make(&building->small_index, stop);
    if (status != NQ_OK)
        return status;
    struct random random = random_begin(building->head.seed, 0);
    return small_index_draw(&building->small_index, &random, stop, building->drawn);
}

static void begin_search(struct building *building)
{
    building->random = random_begin(building->head.seed, building->tries);
    deduction_begin(building->deduction, building->head.n, building->question->query.filter.rule);
    building->deduction->random = &building->random;
}

/* By any rule: the first solution that a search in a random order finds. */
static enum nq_status search_solution(struct building *building, uint64_t *budget, const atomic_bool *stop)
{
    const enum nq_status status = deduction_next(building->deduction, budget, stop);
    if (status == NQ_OK)
        memcpy(building->drawn, building->deduction->columns, building->head.n * sizeof *building->drawn);
    if (status == NQ_END)
        return NQ_NONE;
    if (status != NQ_AGAIN)
        return status;
    if (++building->tries == MOST_TRIES)
        return NQ_LIMIT;
    begin_search(building);
    return NQ_AGAIN;
}

/* The machine has ended without a solution. */
static void give_up(struct building *building)
{
    const struct construction_end end = construction_ended(building->construction);
    const uint64_t seed = building->head.seed;
    fault_write(&building->source.fault, FAULT_SETTLED, (const double[]){end.energy, (double)end.steps, (double)seed},
                "With seed=%" PRIu64 " the method %s ended without a solution after %" PRIu64
                " steps, at an energy of %.3f. Use another seed, or method=neural.",
                seed, building->head.method, end.steps, end.energy);
}

static enum nq_status work_once(struct building *building, uint64_t *budget, const atomic_bool *stop)
{
    if (building->head.uniform)
        return draw_solution(building, stop);
    return building->deduction ? search_solution(building, budget, stop)
                               : construction_work(building->construction, budget);
}

static enum nq_status make_ready(struct building *building, const struct slice *slice, const atomic_bool *stop)
{
    enum nq_status status;
    do {
        uint64_t budget = GRANT;
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        status = work_once(building, &budget, stop);
        building->source.nodes += GRANT - budget;
    } while (status == NQ_AGAIN && clock_now() < slice->deadline);
    building->ready = status == NQ_OK;
    if (status == NQ_LIMIT && building->construction)
        give_up(building);
    return status;
}

static void read_rows(const struct building *building, uint32_t first, uint32_t count, uint32_t *columns)
{
    if (!building->construction)
        memcpy(columns, building->drawn + first, count * sizeof *columns);
    else
        nq_construction_rows(building->construction, first, count, columns);
}

/* A picture is made in one go: that takes fifty milliseconds at most, with many looks at the stop flag. */
static enum nq_status draw(const struct building *building, struct bytes *out, const atomic_bool *stop)
{
    uint32_t columns[PICTURE_MAX_N];
    assert(building->rows == building->head.n && building->head.n <= PICTURE_MAX_N);
    read_rows(building, 0, building->rows, columns);
    const struct painted_board board = {
        .n = building->head.n, .rules = building->head.rules, .columns = columns, .base = building->head.base};
    const enum nq_status status = building->question->format->paint(out, &board, stop);
    return status == NQ_OK ? NQ_END : status;
}

static enum nq_status fill(struct source *source, struct bytes *out, size_t want, const struct slice *slice,
                           const atomic_bool *stop)
{
    struct building *building = (struct building *)source;
    const struct format *format = building->question->format;
    uint32_t columns[BATCH];
    const enum nq_status status = building->ready ? NQ_OK : make_ready(building, slice, stop);
    if (status != NQ_OK)
        return status;
    if (format->picture)
        return draw(building, out, stop);
    if (!building->begun) {
        if (format->build_begin)
            format->build_begin(out, &building->head);
        building->begun = true;
    }
    while (building->written < building->rows) {
        if (stop_wanted(stop))
            return NQ_CANCELLED;
        uint32_t left = building->rows - building->written, count = left < BATCH ? left : BATCH;
        uint32_t row = building->head.first + building->written;
        read_rows(building, row, count, columns);
        format->build_rows(out, &building->head, row, count, columns);
        building->written += count;
        if (out->failed || out->size >= want || clock_now() >= slice->deadline)
            return NQ_AGAIN; /* perhaps with the end alone left to write */
    }
    if (format->build_end)
        format->build_end(out, &building->head, building->written);
    return NQ_END;
}

static void close_building(struct source *source)
{
    struct building *building = (struct building *)source;
    nq_construction_close(building->construction);
    small_index_close(&building->small_index);
    free(building->deduction);
    free(building);
}

static enum nq_status open_search(struct building *building)
{
    building->deduction = malloc(sizeof *building->deduction);
    if (!building->deduction)
        return NQ_NOMEM;
    begin_search(building);
    return NQ_OK;
}

/* Whether only the engine can carry a method out. */
static bool is_drawn(const struct construction *method)
{
    return !method->open && !method->machine;
}

/* A method that only the engine can carry out draws a small board, and leaves a large one to the local search. */
const struct construction *source_construction(const struct question *question)
{
    const struct construction *method = construction_find(question->construct.method);
    const bool by_lines = rule_by_lines(question->query.filter.rule);
    if (!method || !is_drawn(method))
        return method;
    const uint32_t drawn = by_lines ? SMALL_INDEX_MAX_N : method->drawn_n;
    const bool none = by_lines && rule_none(question->query.filter.rule, question->n);
    return question->n <= drawn && !none ? NULL : construction_find("local-search");
}

static enum nq_status open_method(struct building *building, const struct kernel *kernel)
{
    const struct construction *method = source_construction(building->question);
    struct construction_settings settings = building->question->construct.settings;
    settings.n = building->head.n;
    settings.rule = building->question->query.filter.rule;
    settings.allowance = building->question->allowance;
    if (building->head.uniform)
        return small_index_open(&building->small_index, settings.rule, settings.n, kernel);
    return method ? construction_open(method, &settings, &building->construction) : open_search(building);
}

enum nq_status source_construct(const struct question *question, const struct kernel *kernel, struct source **source)
{
    static const struct source_class class = {.fill = fill, .close = close_building};
    const struct construction *method = construction_find(question->construct.method);
    if (!method)
        return NQ_INVALID;
    const bool draws = is_drawn(method);
    struct building *building = malloc(sizeof *building);
    if (!building)
        return NQ_NOMEM;
    *building = (struct building){
        .source = {.class = &class, .complete = true},
        .question = question,
        .head = {.n = question->n,
                 .base = question->base,
                 .rules = question_rules(question),
                 .method = question->construct.method,
                 .part = question->construct.part,
                 .first = question->construct.first,
                 .last = question->construct.last,
                 .seeded = method->takes & TAKES_SEED,
                 .seed = question->construct.settings.seed,
                 .random = draws,
                 .uniform = rule_by_lines(question->query.filter.rule) && !source_construction(question)},
        .rows = question->n ? question->construct.last - question->construct.first + 1 : 0,
    };
    return source_opened(&building->source, open_method(building, kernel), source);
}
