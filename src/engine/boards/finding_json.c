/* finding_json.c - a step's members, in one order. */
#include "engine/boards/finding_json.h"

#include <inttypes.h>

#include "engine/boards/hint_words.h"
#include "formats/format.h"
#include "puzzles/contradiction.h"

static void write_square(struct bytes *out, const struct grid *grid, uint32_t base, uint32_t square)
{
    format_square(out, NULL, base, square / grid->n, square % grid->n);
}

static void write_squares(struct bytes *out, const struct grid *grid, uint32_t base, const uint64_t *set)
{
    const char *before = "";
    uint32_t square;
    bytes_char(out, '[');
    for (struct squares_left at = squares_of(grid, set, NULL); squares_next(&at, &square); before = ",") {
        bytes_text(out, before);
        write_square(out, grid, base, square);
    }
    bytes_char(out, ']');
}

static void write_groups(struct bytes *out, uint32_t base, const struct finding *finding)
{
    bytes_char(out, '[');
    for (uint32_t i = 0; i < finding->groups; i++) {
        const struct group *group = &finding->group[i];
        bytes_format(out, "%s{\"kind\":\"%s\",\"index\":%" PRIu32, i ? "," : "", group_kind_name(group->kind),
                     group->index + base);
        if (group->kind == GROUP_REGION)
            bytes_format(out, ",\"letter\":\"%c\"", 'a' + group->index);
        bytes_char(out, '}');
    }
    bytes_char(out, ']');
}

/* The rounds of a contradiction, while they are written. */
struct rounds {
    struct bytes *out;
    const struct findings *findings;
    const char *before;
};

/* One of them: queens, and squares that are crossed without one. */
static void write_round(void *cls, const struct position *before, const struct position *after)
{
    struct rounds *rounds = cls;
    const struct grid *grid = rounds->findings->grid;
    uint64_t place[GRID_MAX_WORDS] = {0}, cross[GRID_MAX_WORDS];
    for (uint64_t rows = after->filled[GROUP_ROW] & ~before->filled[GROUP_ROW]; rows; rows &= rows - 1) {
        const uint32_t row = (uint32_t)__builtin_ctzll(rows), square = row * grid->n + after->columns[row];
        place[square / 64] |= UINT64_C(1) << square % 64;
    }
    for (uint32_t i = 0; i < grid->words; i++)
        cross[i] = before->free[i] & ~after->free[i] & ~place[i];
    bytes_format(rounds->out, "%s{\"place\":", rounds->before);
    write_squares(rounds->out, grid, rounds->findings->base, place);
    bytes_text(rounds->out, ",\"cross\":");
    write_squares(rounds->out, grid, rounds->findings->base, cross);
    bytes_char(rounds->out, '}');
    rounds->before = ",";
}

static void write_because(struct bytes *out, const struct findings *findings, const struct finding *finding)
{
    bytes_text(out, "{\"title\":\"");
    hint_title(out, finding, findings->language);
    bytes_text(out, "\",\"why\":\"");
    hint_why(out, findings->grid, findings->base, finding, findings->language);
    bytes_text(out, "\",\"squares\":");
    write_squares(out, findings->grid, findings->base, finding->squares);
    bytes_text(out, ",\"groups\":");
    write_groups(out, findings->base, finding);
    if (finding->by->refutes) {
        struct rounds rounds = {.out = out, .findings = findings, .before = ""};
        bytes_text(out, ",\"steps\":[");
        contradiction_follow(findings->grid, findings->position, finding, write_round, &rounds);
        bytes_char(out, ']');
    }
    bytes_char(out, '}');
}

void finding_write(struct bytes *out, const struct findings *findings, const struct finding *finding)
{
    char name[FINDING_NAME_MAX];
    if (!finding) {
        bytes_text(out, "\"technique\":null,\"level\":null,\"because\":null,\"cross\":null,\"place\":null");
        return;
    }
    const char *level = level_name(finding->by->level);
    bytes_format(out, "\"technique\":\"%s\",\"level\":\"%s\",\"because\":", finding_name(finding, name),
                 level ? level : finding->by->name);
    write_because(out, findings, finding);
    bytes_text(out, ",\"cross\":");
    write_squares(out, findings->grid, findings->base, finding->cross);
    bytes_text(out, ",\"place\":");
    if (finding->queen == GRID_NOWHERE)
        bytes_text(out, "null");
    else
        write_square(out, findings->grid, findings->base, finding->queen);
}
