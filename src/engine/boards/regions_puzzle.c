/* regions_puzzle.c - a board of regions with one solution, or a sheet of them, made by the generator. It knows neither
 * who plays nor how a board is drawn.
 *
 * Revision, level, n and seed decide everything: the same on every machine. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "engine/run/work.h"
#include "formats/puzzle.h"
#include "puzzles/generator.h"

/* From this size on a board can take seconds. */
enum { LENGTHY_N = 17 };

/* A board that is made: on a page there are several. */
enum { CAPTION_MAX = 32 };
struct made {
    struct regions regions;
    uint32_t columns[REGIONS_MAX_N]; /* of the solution */
    char caption[CAPTION_MAX], address[CAPTION_MAX];
};

struct regions_puzzle {
    struct work work;
    const struct question *question;
    uint32_t count;
    struct made made[SHEET_MAX];
    struct generator generator;
};

/* ---- The work ---- */

static enum nq_status begin(struct regions_puzzle *puzzle, uint64_t seed)
{
    const struct puzzle_name name = {.revision = puzzle->question->puzzle.generator,
                                     .n = puzzle->question->n,
                                     .level = puzzle->question->puzzle.level,
                                     .seed = seed};
    return generator_open(&puzzle->generator, &name);
}

static void keep(struct regions_puzzle *puzzle)
{
    const struct puzzle_name *name = &puzzle->generator.name;
    struct made *made = &puzzle->made[puzzle->count++];
    made->regions = puzzle->generator.regions;
    for (uint32_t row = 0; row < name->n; row++)
        made->columns[row] = puzzle->generator.columns[row];
    char code[PUZZLE_CODE_MAX];
    (void)snprintf(made->caption, sizeof made->caption, "%s, %s", puzzle_code_write(name, code),
                   level_name(name->level));
    (void)snprintf(made->address, sizeof made->address, "play/%s", code);
}

/* Keeps a board and begins that of the next seed, if a page needs more. NQ_OK: all are made. */
static enum nq_status end_board(struct regions_puzzle *puzzle)
{
    keep(puzzle);
    if (puzzle->count >= puzzle->question->puzzle.sheet)
        return NQ_OK;
    const uint64_t next = (puzzle->generator.name.seed + 1) & PUZZLE_SEED_MAX;
    generator_close(&puzzle->generator);
    const enum nq_status status = begin(puzzle, next);
    return status == NQ_OK ? NQ_AGAIN : status;
}

static enum nq_status regions_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct regions_puzzle *puzzle = (struct regions_puzzle *)work;
    enum nq_status status;
    do {
        status = generator_next(&puzzle->generator, 1, stop);
        if (status == NQ_OK)
            status = end_board(puzzle);
    } while (status == NQ_AGAIN && clock_now() < slice->deadline);
    return status;
}

/* ---- The answer ---- */

static enum nq_status finish_json(const struct regions_puzzle *puzzle, struct answer **out)
{
    struct bytes body = {0};
    const struct puzzle_links links =
        puzzle_write_regions(&body, &(struct region_puzzle){.prefix = puzzle->question->prefix,
                                                            .base = puzzle->question->base,
                                                            .name = &puzzle->generator.name,
                                                            .daily = puzzle->question->puzzle.daily,
                                                            .regions = &puzzle->made->regions,
                                                            .grade = &puzzle->generator.grade});
    return work_linked(&body, puzzle->question, links.solution, links.solution_length, out);
}

static enum nq_status regions_finish(struct work *work, struct answer **out)
{
    const struct regions_puzzle *puzzle = (struct regions_puzzle *)work;
    const struct format *format = puzzle->question->format;
    struct painted_board boards[SHEET_MAX];
    struct bytes body = {0};
    if (!format->paint)
        return finish_json(puzzle, out);
    for (uint32_t i = 0; i < puzzle->count; i++) {
        const struct made *made = &puzzle->made[i];
        boards[i] = (struct painted_board){.n = made->regions.n,
                                           .regions = &made->regions,
                                           .columns = puzzle->question->puzzle.solved ? made->columns : NULL,
                                           .base = puzzle->question->base,
                                           .caption = made->caption,
                                           .address = made->address};
    }
    (void)(puzzle->question->puzzle.sheet ? format->sheet(&body, boards, puzzle->count, NULL)
                                          : format->paint(&body, boards, NULL)); /* never stopped */
    return work_answered(&body, puzzle->question, out);
}

static void regions_close(struct work *work)
{
    struct regions_puzzle *puzzle = (struct regions_puzzle *)work;
    generator_close(&puzzle->generator);
    free(puzzle);
}

enum nq_status work_regions_puzzle(const struct question *question, struct work **work)
{
    static const struct work_class class = {.slice = regions_slice, .finish = regions_finish, .close = regions_close};
    struct regions_puzzle *puzzle = work_new(sizeof *puzzle, &class);
    if (!puzzle)
        return NQ_NOMEM;
    puzzle->question = question;
    puzzle->work.lengthy = question->n >= LENGTHY_N;
    return work_opened(&puzzle->work, begin(puzzle, question->seed), work);
}
