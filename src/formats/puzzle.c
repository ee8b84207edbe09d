/* puzzle.c - the members of puzzles, in one order. */
#include "formats/puzzle.h"

#include <inttypes.h>

#include "base/json.h"
#include "formats/format.h"
#include "formats/palette.h"

void puzzle_write_grade(struct bytes *out, const struct grade *grade)
{
    char name[FINDING_NAME_MAX];
    json_write_text(out, "hardest", grade->hardest ? technique_name(grade->hardest, grade->size, name) : NULL);
    json_write_number(out, "score", grade->score);
    json_begin_object(out, "techniques");
    for (size_t row = 0; techniques[row]; row++)
        if (grade->steps[row])
            json_write_number(out, techniques[row]->name, grade->steps[row]);
    json_end_object(out);
}

/* ---- Clues ---- */

/* What differs from a board of n x n with n queens, or as many as the shorter side has squares. */
static void write_shape_path(struct bytes *out, const struct clue_puzzle *puzzle)
{
    const struct shape *shape = puzzle->shape;
    bool walls = false;
    if (shape->rows != shape->columns)
        bytes_format(out, "&m=%" PRIu32, shape->rows);
    if (shape->most != (shape->rows < shape->columns ? shape->rows : shape->columns))
        bytes_format(out, "&queens=%" PRIu32, shape->most);
    for (uint32_t i = 0; i < shape->rows * shape->columns; i++) {
        const uint32_t row = i / shape->columns, column = i % shape->columns;
        if (!shape_is_wall(shape, row, column))
            continue;
        bytes_format(out, "%s%" PRIu32 ":%" PRIu32, walls ? "," : "&walls=", row + puzzle->base, column + puzzle->base);
        walls = true;
    }
}

static void write_solution_path(struct bytes *out, const struct clue_puzzle *puzzle)
{
    bytes_format(out, "/solve?n=%" PRIu32, puzzle->n);
    if (puzzle->shape)
        write_shape_path(out, puzzle);
    for (size_t i = 0; i < puzzle->count; i++)
        bytes_format(out, "%s%" PRIu32 ":%" PRIu32, i ? "," : "&place=", puzzle->clues[i].row + puzzle->base,
                     puzzle->clues[i].column + puzzle->base);
    if (puzzle->rules)
        bytes_format(out, "&rules=%s", puzzle->rules);
    bytes_text(out, puzzle->base ? "" : "&base=0");
}

static void write_difficulty(struct bytes *out, const struct clue_puzzle *puzzle)
{
    json_begin_object(out, "difficulty");
    json_write_text(out, "level", puzzle->level);
    puzzle_write_grade(out, puzzle->grade);
    json_write_number(out, "forced", puzzle->forced);
    json_end_object(out);
}

struct puzzle_links puzzle_write_clues(struct bytes *out, const struct clue_puzzle *puzzle)
{
    const size_t start = out->size;
    json_begin_object(out, NULL);
    json_write_number(out, "n", puzzle->n);
    json_write_number(out, "base", puzzle->base);
    json_text_if(out, "rules", puzzle->rules);
    if (puzzle->shape)
        format_shape(out, puzzle->base, puzzle->shape);
    json_write_number(out, "seed", puzzle->seed);
    json_begin_array(out, "clues");
    for (size_t i = 0; i < puzzle->count; i++)
        format_square(out, NULL, puzzle->base, puzzle->clues[i].row, puzzle->clues[i].column);
    json_end_array(out);
    json_write_bool(out, "minimal", puzzle->minimal);
    if (puzzle->shape)
        json_write_null(out, "difficulty");
    else
        write_difficulty(out, puzzle);
    json_begin_text(out, "solution_url");
    bytes_text(out, puzzle->prefix);
    struct puzzle_links links = {.solution = out->size};
    write_solution_path(out, puzzle);
    links.solution_length = out->size - links.solution;
    json_end_text(out);
    json_end_object(out);
    json_end_document(out, start);
    return links;
}

/* ---- Regions ---- */

static void write_squares(struct bytes *out, const char *name, const struct regions *regions, bool states)
{
    const uint32_t n = regions->n;
    json_begin_array(out, name);
    for (uint32_t row = 0; row < n; row++) {
        json_begin_array(out, NULL);
        for (uint32_t column = 0; column < n; column++)
            json_write_number(out, NULL, states ? 0 : regions->of[row * n + column]);
        json_end_array(out);
    }
    json_end_array(out);
}

static void write_sizes(struct bytes *out, const struct regions *regions)
{
    uint32_t sizes[REGIONS_MAX_N] = {0};
    for (uint32_t square = 0; square < regions->n * regions->n; square++)
        sizes[regions->of[square]]++;
    json_begin_array(out, "sizes");
    for (uint32_t region = 0; region < regions->n; region++)
        json_write_number(out, NULL, sizes[region]);
    json_end_array(out);
}

/* Those of pictures, by region. */
static void write_colours(struct bytes *out, const struct regions *regions)
{
    uint8_t entry[REGIONS_MAX_N];
    palette_assign(regions, entry);
    json_begin_array(out, "colours");
    for (uint32_t region = 0; region < regions->n; region++) {
        json_begin_text(out, NULL);
        bytes_format(out, "#%06" PRIx32, palette[entry[region]]);
        json_end_text(out);
    }
    json_end_array(out);
}

/* Appends the path of another question about this board. */
static void write_board_path(struct bytes *out, const char *path, const struct region_puzzle *puzzle)
{
    bytes_format(out, "%s?regions=", path);
    regions_write_text(puzzle->regions, '/', out);
    bytes_text(out, puzzle->base ? "" : "&base=0");
}

static void write_name(struct bytes *out, const struct region_puzzle *puzzle)
{
    const struct puzzle_name *name = puzzle->name;
    char code[PUZZLE_CODE_MAX], day[PUZZLE_DAY_MAX];
    json_write_text(out, "kind", "regions");
    json_write_number(out, "n", name->n);
    json_write_number(out, "base", puzzle->base);
    json_write_text(out, "rules", "touching");
    json_write_text(out, "level", level_name(name->level));
    json_write_number(out, "seed", name->seed);
    json_write_number(out, "generator", name->revision);
    json_write_text(out, "code", puzzle_code_write(name, code));
    if (puzzle->daily)
        json_write_text(out, "daily", puzzle_day_write(name->seed, day));
}

struct puzzle_links puzzle_write_regions(struct bytes *out, const struct region_puzzle *puzzle)
{
    const struct regions *regions = puzzle->regions;
    const size_t start = out->size;
    struct puzzle_links links;
    json_begin_object(out, NULL);
    write_name(out, puzzle);
    write_squares(out, "regions", regions, false);
    write_squares(out, "states", regions, true);
    json_begin_text(out, "letters");
    regions_write_text(regions, '/', out);
    json_end_text(out);
    json_begin_text(out, "link");
    bytes_text(out, "https://puzz.link/p?");
    regions_write_link(regions, out);
    json_end_text(out);
    write_sizes(out, regions);
    write_colours(out, regions);
    json_begin_object(out, "grade");
    puzzle_write_grade(out, puzzle->grade);
    json_end_object(out);
    json_begin_text(out, "solution_url");
    bytes_text(out, puzzle->prefix);
    links.solution = out->size;
    write_board_path(out, "/solve", puzzle);
    links.solution_length = out->size - links.solution;
    json_end_text(out);
    json_begin_text(out, "hint_url");
    bytes_text(out, puzzle->prefix);
    write_board_path(out, "/hint", puzzle);
    json_end_text(out);
    json_end_object(out);
    json_end_document(out, start);
    return links;
}
