/* puzzle.c - the public puzzles: boards of regions by level and seed, or by code. */
#include <stdlib.h>
#include <string.h>

#include "library/query.h"
#include "puzzles/generator.h"
#include "puzzles/puzzle_code.h"

_Static_assert(GENERATOR_MIN_N == (int)NQ_REGIONS_MIN_N && GENERATOR_MAX_N == (int)NQ_REGIONS_MAX_N &&
                   PUZZLE_CODE_MAX == (int)NQ_PUZZLE_CODE_SIZE && LEVEL_EXPERT == (int)NQ_EXPERT,
               "nqueens.h states the limits");

enum { SLICE = 16 }; /* boards: a few milliseconds */

static enum nq_status work(struct generator *generator, struct progress *progress)
{
    enum nq_status status;
    do {
        status = generator_next(generator, SLICE, &progress->stop);
        if (status == NQ_AGAIN && !progress_look(progress))
            return NQ_CANCELLED;
    } while (status == NQ_AGAIN);
    return status;
}

static void write_puzzle(const struct generator *generator, struct nq_puzzle *puzzle)
{
    const struct puzzle_name *name = &generator->name;
    *puzzle = (struct nq_puzzle){.n = name->n, .level = (enum nq_level)name->level};
    memcpy(puzzle->region, generator->regions.of, (size_t)name->n * name->n);
    for (uint32_t row = 0; row < name->n; row++)
        puzzle->columns[row] = generator->columns[row];
    (void)puzzle_code_write(name, puzzle->code);
}

static enum nq_status make(const struct puzzle_name *name, nq_progress report, void *context, struct nq_puzzle *puzzle)
{
    struct progress progress;
    struct generator *generator = malloc(sizeof *generator);
    if (!generator)
        return NQ_NOMEM;
    progress_begin(&progress, report, context);
    enum nq_status status = generator_open(generator, name);
    if (status == NQ_OK)
        status = work(generator, &progress);
    progress_end(&progress);
    if (status == NQ_OK)
        write_puzzle(generator, puzzle);
    generator_close(generator);
    free(generator);
    return status;
}

enum nq_status nq_puzzle_make(uint32_t n, enum nq_level level, const struct nq_puzzle_settings *settings,
                              struct nq_puzzle *puzzle)
{
    static const struct nq_puzzle_settings none = {0};
    settings = settings ? settings : &none;
    const struct puzzle_name name = {GENERATOR_REVISION, n, (enum level)level, settings->seed};
    if (!level_name(name.level))
        return NQ_INVALID;
    if (n < GENERATOR_MIN_N || n > GENERATOR_MAX_N || settings->seed > PUZZLE_SEED_MAX)
        return NQ_LIMIT;
    return make(&name, settings->progress, settings->context, puzzle);
}

enum nq_status nq_puzzle_read(const char *code, struct nq_puzzle *puzzle)
{
    struct puzzle_name name;
    switch (puzzle_code_read(code, strlen(code), &name)) {
    case PUZZLE_CODE_RIGHT: return make(&name, NULL, NULL, puzzle);
    case PUZZLE_CODE_REVISION: return NQ_LIMIT;
    case PUZZLE_CODE_WRONG: break;
    }
    return NQ_INVALID;
}
