/* finding_json.c - a step's members, in one order. */
#include "engine/boards/finding_json.h"

#include <inttypes.h>

#include "formats/format.h"

static void write_square(struct bytes *out, const struct grid *grid, uint32_t base, uint32_t square)
{
    bytes_char(out, '{');
    format_square(out, base, square / grid->n, square % grid->n);
    bytes_char(out, '}');
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

void finding_write(struct bytes *out, const struct grid *grid, uint32_t base, const struct finding *finding)
{
    char name[FINDING_NAME_MAX];
    if (!finding) {
        bytes_text(out, "\"technique\":null,\"level\":null,\"because\":null,\"cross\":null,\"place\":null");
        return;
    }
    const char *level = level_name(finding->by->level);
    bytes_format(out, "\"technique\":\"%s\",\"level\":\"%s\",\"because\":{\"squares\":", finding_name(finding, name),
                 level ? level : finding->by->name);
    write_squares(out, grid, base, finding->squares);
    bytes_text(out, ",\"groups\":");
    write_groups(out, base, finding);
    bytes_text(out, "},\"cross\":");
    write_squares(out, grid, base, finding->cross);
    bytes_text(out, ",\"place\":");
    if (finding->queen == GRID_NOWHERE)
        bytes_text(out, "null");
    else
        write_square(out, grid, base, finding->queen);
}
