/* regions_puzzle.c - a board of regions with one solution, or a sheet of them, made by the generator. It knows neither
 * who plays nor how a board is drawn.
 *
 * Revision, level, n and seed decide everything: the same on every machine. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "engine/ask/query_values.h"
#include "engine/run/work.h"
#include "formats/palette.h"
#include "puzzles/generator.h"
#include "puzzles/puzzle_code.h"

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

static void write_squares(const struct regions *regions, bool states, struct bytes *out)
{
    const uint32_t n = regions->n;
    for (uint32_t square = 0; square < n * n; square++) {
        bytes_text(out, square % n ? "," : square ? "],[" : "[[");
        bytes_number(out, states ? 0 : regions->of[square]);
    }
    bytes_text(out, "]]");
}

static void write_sizes(const struct regions *regions, struct bytes *out)
{
    uint32_t sizes[REGIONS_MAX_N] = {0};
    for (uint32_t square = 0; square < regions->n * regions->n; square++)
        sizes[regions->of[square]]++;
    for (uint32_t region = 0; region < regions->n; region++) {
        bytes_char(out, region ? ',' : '[');
        bytes_number(out, sizes[region]);
    }
    bytes_char(out, ']');
}

/* Those of pictures, by region. */
static void write_colours(const struct regions *regions, struct bytes *out)
{
    uint8_t entry[REGIONS_MAX_N];
    palette_assign(regions, entry);
    for (uint32_t region = 0; region < regions->n; region++)
        bytes_format(out, "%s\"#%06" PRIx32 "\"", region ? "," : "[", palette[entry[region]]);
    bytes_char(out, ']');
}

/* Appends the path of another question about this board; returns where it begins. */
static size_t write_path(const struct regions_puzzle *puzzle, const char *path, struct bytes *out)
{
    const size_t start = out->size;
    bytes_format(out, "%s?regions=", path);
    regions_write_text(&puzzle->made->regions, '/', out);
    bytes_text(out, puzzle->question->base ? "" : "&base=0");
    return start;
}

static void write_name(const struct regions_puzzle *puzzle, struct bytes *out)
{
    const struct question *question = puzzle->question;
    const struct puzzle_name name = puzzle->generator.name;
    char code[PUZZLE_CODE_MAX], day[PUZZLE_DAY_MAX];
    bytes_format(
        out,
        "{\"kind\":\"regions\",\"n\":%" PRIu32 ",\"base\":%" PRIu32
        ",\"rules\":\"touching\",\"level\":\"%s\",\"seed\":%" PRIu64 ",\"generator\":%" PRIu32 ",\"code\":\"%s\"",
        question->n, question->base, level_name(name.level), name.seed, name.revision, puzzle_code_write(&name, code));
    if (question->puzzle.daily)
        bytes_format(out, ",\"daily\":\"%s\"", puzzle_day_write(question->seed, day));
}

/* The answer in JSON, with the two paths in it. */
static enum nq_status finish_json(const struct regions_puzzle *puzzle, struct answer **out)
{
    const struct regions *regions = &puzzle->made->regions;
    struct bytes body = {0};
    write_name(puzzle, &body);
    bytes_text(&body, ",\"regions\":");
    write_squares(regions, false, &body);
    bytes_text(&body, ",\"states\":");
    write_squares(regions, true, &body);
    bytes_text(&body, ",\"letters\":\"");
    regions_write_text(regions, '/', &body);
    bytes_text(&body, "\",\"link\":\"https://puzz.link/p?");
    regions_write_link(regions, &body);
    bytes_text(&body, "\",\"sizes\":");
    write_sizes(regions, &body);
    bytes_text(&body, ",\"colours\":");
    write_colours(regions, &body);
    bytes_text(&body, ",\"grade\":{");
    grade_write(&puzzle->generator.grade, &body);
    bytes_text(&body, "},\"solution_url\":\"");
    const size_t link = write_path(puzzle, "/solve", &body), link_end = body.size;
    bytes_text(&body, "\",\"hint_url\":\"");
    const size_t also = write_path(puzzle, "/hint", &body);
    bytes_text(&body, "\"}\n");
    const enum nq_status status = work_answered(&body, puzzle->question, out);
    if (status != NQ_OK)
        return status;
    (*out)->link = link;
    (*out)->link_length = link_end - link;
    (*out)->also = also;
    (*out)->relation = "related";
    return NQ_OK;
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
