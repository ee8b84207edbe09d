/* shape.c - boards of any shape, and placements on them: what several representations write of them. */
#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "formats/format.h"
#include "shapes/shape.h"

void format_shape_queens(struct bytes *out, const struct shape *shape)
{
    const uint64_t squares = (uint64_t)shape->rows * shape->columns;
    char range[24];
    if (shape->least == shape->most) {
        json_write_number(out, "queens", shape->least);
    } else if (shape->least == 0 && shape->most >= squares) {
        json_write_text(out, "queens", "any");
    } else {
        (void)snprintf(range, sizeof range, "%" PRIu32 "-%" PRIu32, shape->least, shape->most);
        json_write_text(out, "queens", range);
    }
}

void format_shape_walls(struct bytes *out, uint32_t base, const struct shape *shape)
{
    bool walls = false;
    for (uint32_t i = 0; i < shape->rows * shape->columns; i++) {
        const uint32_t row = i / shape->columns, column = i % shape->columns;
        if (!shape_is_wall(shape, row, column))
            continue;
        if (!walls)
            json_begin_array(out, "walls");
        walls = true;
        json_begin_array(out, NULL);
        json_write_number(out, NULL, row + base);
        json_write_number(out, NULL, column + base);
        json_end_array(out);
    }
    if (walls)
        json_end_array(out);
}

void format_shape(struct bytes *out, uint32_t base, const struct shape *shape)
{
    json_write_number(out, "m", shape->rows);
    format_shape_queens(out, shape);
    format_shape_walls(out, base, shape);
    if (shape->maximal)
        json_write_bool(out, "maximal", true);
}

uint32_t format_shape_rows(const struct list_head *head)
{
    return head->shape->rows;
}

void format_placement(struct bytes *out, uint32_t base, const struct nq_square *squares, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            bytes_char(out, ' ');
        bytes_number(out, (uint64_t)squares[i].row + base);
        bytes_char(out, ':');
        bytes_number(out, (uint64_t)squares[i].column + base);
    }
}

/* Whether each row has one queen: squares are in reading order. */
static bool is_permutation(const struct shape *shape, const struct nq_square *squares, uint32_t count)
{
    bool is = count == shape->rows;
    for (uint32_t i = 0; is && i < count; i++)
        is = squares[i].row == i;
    return is;
}

void format_placement_json(struct bytes *out, const struct list_head *head, const struct nq_square *squares,
                           uint32_t count)
{
    json_begin_object(out, NULL);
    json_begin_array(out, "squares");
    for (uint32_t i = 0; i < count; i++) {
        json_begin_array(out, NULL);
        json_write_number(out, NULL, (uint64_t)squares[i].row + head->base);
        json_write_number(out, NULL, (uint64_t)squares[i].column + head->base);
        json_end_array(out);
    }
    json_end_array(out);
    if (is_permutation(head->shape, squares, count)) {
        json_begin_array(out, "permutation");
        for (uint32_t i = 0; i < count; i++)
            json_write_number(out, NULL, (uint64_t)squares[i].column + head->base);
        json_end_array(out);
    }
    if (head->board != BOARD_NONE)
        format_board(out, "board", head, (struct board_queens){.squares = squares, .count = count});
    json_end_object(out);
}
