/* board_values.c - a board is written as the parameters of an address, and read as they are: so every check of theirs
 * is one of its own. */
#include "http/ask/board_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/rule.h"

/* ---- What a board says ---- */

static int compare_queens(const void *a, const void *b)
{
    const struct queen *left = a, *right = b;
    return left->row != right->row        ? (left->row > right->row) - (left->row < right->row)
           : left->column > right->column ? 1
                                          : -(left->column < right->column);
}

/* Row by row, as they are kept; of more than a parameter has some are enough to refuse them. */
static void write_squares(struct bytes *out, struct queen *squares, uint32_t count, uint32_t base)
{
    if (count && count <= PARAM_SQUARES_MAX)
        qsort(squares, count, sizeof *squares, compare_queens);
    for (uint32_t i = 0; i < count && i <= PARAM_SQUARES_MAX; i++)
        bytes_format(out, "%s%u:%u", i ? "," : "", squares[i].row + base, squares[i].column + base);
}

static void write_m(const struct verify_body *body, struct bytes *out)
{
    if (body->has_m)
        bytes_number(out, body->m);
}

static void write_number_of_queens(const struct verify_body *body, struct bytes *out)
{
    bytes_text(out, body->queens);
}

/* In any order, and perhaps some of them twice. */
static void write_walls(const struct verify_body *body, struct bytes *out)
{
    const struct verify_squares *walls = &body->walls;
    uint32_t count = 0;
    if (walls->count)
        qsort(walls->squares, walls->count, sizeof walls->squares[0], compare_queens);
    for (uint32_t i = 0; i < walls->count; i++)
        if (count == 0 || compare_queens(&walls->squares[count - 1], &walls->squares[i]) != 0)
            walls->squares[count++] = walls->squares[i];
    write_squares(out, walls->squares, count, body->base);
}

static void write_maximal(const struct verify_body *body, struct bytes *out)
{
    if (body->maximal)
        bytes_text(out, "true");
}

static void write_n(const struct verify_body *body, struct bytes *out)
{
    if (body->has_n)
        bytes_number(out, body->n);
}

static void write_base(const struct verify_body *body, struct bytes *out)
{
    if (body->has_base)
        bytes_number(out, body->base);
}

static void write_rules(const struct verify_body *body, struct bytes *out)
{
    if (body->ruled)
        bytes_text(out, rule_name(body->rule));
}

static void write_regions(const struct verify_body *body, struct bytes *out)
{
    char text[REGIONS_TEXT_MAX];
    if (body->regions.given)
        bytes_text(out, regions_text(&body->regions.regions, '/', text));
}

static void write_apart(const struct verify_body *body, struct bytes *out)
{
    if (body->regions.given && body->regions.told)
        bytes_text(out, body->regions.apart ? "true" : "false");
}

static void write_place(const struct verify_body *body, struct bytes *out)
{
    write_squares(out, body->placement->queens, body->placement->count, body->base);
}

static void write_exclude(const struct verify_body *body, struct bytes *out)
{
    struct placement *placement = body->placement;
    write_squares(out, placement->queens + placement->count, placement->crossed, body->base);
}

/* What a board can say, by the names of parameters; `write` writes nothing if it does not. */
static const struct {
    const char *name, *what;
    void (*write)(const struct verify_body *body, struct bytes *out);
    bool squares; /* its queens and crosses, which a verdict is about */
} sayings[] = {
    {"n", "a size", write_n, false},
    {"base", "a base", write_base, false},
    {"rules", "a rule", write_rules, false},
    {"regions", "regions", write_regions, false},
    {"apart", "apart", write_apart, false},
    {"m", "a number of rows", write_m, false},
    {"queens", "a number of queens", write_number_of_queens, false},
    {"walls", "walls", write_walls, false},
    {"maximal", "maximal", write_maximal, false},
    {"place", "queens", write_place, true},
    {"exclude", "crosses", write_exclude, true},
};

static void refuse(struct params *said, const char *name, const char *what)
{
    struct validation_error *error = reject(&said->errors, REFUSED_UNKNOWN, name);
    if (!error)
        return;
    (void)snprintf(error->reason, sizeof error->reason,
                   "is not a parameter of this route, and the body has %s: send a board without them", what);
    error->among = said->rows;
}

bool board_values_read(const struct verify_body *body, const struct param *rows, bool squares, struct params *said)
{
    params_begin(said, rows);
    for (size_t i = 0; i < sizeof sayings / sizeof sayings[0]; i++) {
        const char *name = sayings[i].name;
        struct bytes text = {0};
        if (sayings[i].squares && !squares)
            continue;
        sayings[i].write(body, &text);
        if (text.failed)
            return false;
        if (text.size && rows[param_place(rows, name, strlen(name))].name)
            params_read(said, name, strlen(name), text.data, text.size);
        else if (text.size)
            refuse(said, name, sayings[i].what);
        bytes_free(&text);
    }
    return true;
}

/* ---- With what a query says ---- */

static bool is_same(const struct param *row, const struct value *a, const struct value *b)
{
    if (row->board)
        return true; /* compared when the body was read, in whatever form both are */
    if (a->number != b->number || a->ranged != b->ranged)
        return false;
    return row->type != PARAM_SQUARES || memcmp(a->squares, b->squares, a->number * sizeof a->squares[0]) == 0;
}

enum { SHOWN_MAX = 32 };

/* The beginning of a value, as an address has it. */
static void show(const struct param *row, const struct value *value, char shown[static SHOWN_MAX + 4])
{
    struct param one[2] = {*row};
    struct bytes text = {0};
    one->required = true; /* also a preset is shown */
    params_canonical(one, value, true, &text);
    char *all = bytes_take(&text);
    const char *from = all ? strchr(all, '=') + 1 : "";
    (void)snprintf(shown, SHOWN_MAX + 4, "%.*s%s", SHOWN_MAX, from, strlen(from) > SHOWN_MAX ? "..." : "");
    free(all);
}

static void refuse_other(struct params *query, size_t i, const struct value *said)
{
    char here[SHOWN_MAX + 4], there[SHOWN_MAX + 4];
    show(&query->rows[i], &query->values[i], here);
    show(&query->rows[i], said, there);
    reject_param(&query->errors, REFUSED_DISAGREES, query->rows[i].name,
                 "is %s in the query, but %s in the body: leave one of them out", here, there);
    query->values[i].sound = false;
}

void board_values_add(struct params *query, const struct params *said)
{
    validation_errors_add(&query->errors, &said->errors);
    for (size_t i = 0; query->rows[i].name; i++) {
        const struct value *own = &query->values[i], *other = &said->values[i];
        if (other->given && own->given && own->sound && other->sound && !is_same(&query->rows[i], own, other))
            refuse_other(query, i, other);
        else if (other->given && !own->given)
            query->values[i] = *other;
    }
}
