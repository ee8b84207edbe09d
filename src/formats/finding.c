/* finding.c - a step's members, in one order. */
#include "formats/finding.h"

#include "base/json.h"
#include "formats/format.h"
#include "formats/hint_words.h"
#include "puzzles/technique.h"

static void write_squares(struct bytes *out, const char *name, const struct grid *grid, uint32_t base,
                          const uint64_t *set)
{
    uint32_t square;
    json_begin_array(out, name);
    for (struct squares_left at = squares_of(grid, set, NULL); squares_next(&at, &square);)
        format_square(out, NULL, base, square / grid->n, square % grid->n);
    json_end_array(out);
}

static void write_groups(struct bytes *out, uint32_t base, const struct finding *finding)
{
    json_begin_array(out, "groups");
    for (uint32_t i = 0; i < finding->groups; i++) {
        const struct group *group = &finding->group[i];
        json_begin_object(out, NULL);
        json_write_text(out, "kind", group_kind_name(group->kind));
        json_write_number(out, "index", group->index + base);
        if (group->kind == GROUP_REGION)
            json_write_text(out, "letter", (const char[]){(char)('a' + group->index), '\0'});
        json_end_object(out);
    }
    json_end_array(out);
}

/* The rounds of a contradiction, while they are written. */
struct rounds {
    struct bytes *out;
    const struct findings *findings;
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
    json_begin_object(rounds->out, NULL);
    write_squares(rounds->out, "place", grid, rounds->findings->base, place);
    write_squares(rounds->out, "cross", grid, rounds->findings->base, cross);
    json_end_object(rounds->out);
}

static void write_because(struct bytes *out, const struct findings *findings, const struct finding *finding)
{
    json_begin_object(out, "because");
    json_begin_text(out, "title");
    hint_title(out, finding, findings->language);
    json_end_text(out);
    json_begin_text(out, "why");
    hint_why(out, findings->grid, findings->base, finding, findings->language);
    json_end_text(out);
    write_squares(out, "squares", findings->grid, findings->base, finding->squares);
    write_groups(out, findings->base, finding);
    if (finding->by->refutes) {
        struct rounds rounds = {.out = out, .findings = findings};
        json_begin_array(out, "steps");
        contradiction_follow(findings->grid, findings->position, finding, write_round, &rounds);
        json_end_array(out);
    }
    json_end_object(out);
}

void finding_write(struct bytes *out, const struct findings *findings, const struct finding *finding)
{
    static const char *const members[] = {"technique", "level", "because", "cross", "place"};
    char name[FINDING_NAME_MAX];
    for (size_t i = 0; i < sizeof members / sizeof members[0] && !finding; i++)
        json_write_null(out, members[i]);
    if (!finding)
        return;
    const char *level = level_name(finding->by->level);
    const uint32_t n = findings->grid->n;
    json_write_text(out, "technique", finding_name(finding, name));
    json_write_text(out, "level", level ? level : finding->by->name);
    write_because(out, findings, finding);
    write_squares(out, "cross", findings->grid, findings->base, finding->cross);
    if (finding->queen == GRID_NOWHERE)
        json_write_null(out, "place");
    else
        format_square(out, "place", findings->base, finding->queen / n, finding->queen % n);
}
