/* fuzz_param.c - a decoded query of any bytes, "name=value" pieces between ampersands, read against the parameters of
 * every route and looked at by its checker, for every format. What is complained of must be fit to be shown; what is
 * not must be within its row, and its canonical form must say the same again. */
#include <string.h>

#include "fuzz.h"
#include "http/request.h"

struct asked {
    struct value values[PARAMS_MAX];
    struct complaints complaints;
};

/* Copies of exactly their size, so that a sanitizer sees the first byte too far. */
static char *copy(const char *text, size_t size)
{
    char *data = malloc(size ? size : 1);
    REQUIRE(data);
    if (size)
        memcpy(data, text, size);
    return data;
}

static void read_piece(const struct param *rows, struct asked *query, const char *piece, size_t size)
{
    const char *equals = memchr(piece, '=', size);
    const size_t name_size = equals ? (size_t)(equals - piece) : size, value_size = equals ? size - name_size - 1 : 0;
    char *name = copy(piece, name_size), *value = equals ? copy(equals + 1, value_size) : NULL;
    params_read(rows, query->values, name, name_size, value, value_size, &query->complaints);
    free(name);
    free(value);
}

static void read_query(const struct param *rows, struct asked *query, const char *text, size_t size)
{
    memset(query, 0xa5, sizeof *query); /* nothing may be left to chance */
    query->complaints.made = query->complaints.count = 0;
    query->complaints.invalid = false;
    params_begin(rows, query->values);
    while (size) {
        const char *end = memchr(text, '&', size);
        const size_t piece = end ? (size_t)(end - text) : size;
        read_piece(rows, query, text, piece);
        text += end ? piece + 1 : piece;
        size -= end ? piece + 1 : piece;
    }
    params_end(rows, query->values, &query->complaints);
}

static void check_shown(const char *text, size_t room)
{
    const char *end = memchr(text, '\0', room);
    REQUIRE(end);
    for (; text < end; text++)
        REQUIRE(*text >= ' ' && *text <= '~');
}

static void check_complaints(const struct complaints *complaints)
{
    bool invalid = false;
    REQUIRE(complaints->count <= COMPLAINTS_MAX);
    for (size_t i = 0; i < complaints->count; i++) {
        const struct complaint *complaint = &complaints->list[i];
        check_shown(complaint->parameter, sizeof complaint->parameter);
        check_shown(complaint->reason, sizeof complaint->reason);
        REQUIRE(complaint->reason[0]);
        invalid |= !complaint->policy;
    }
    REQUIRE(complaints->count == COMPLAINTS_MAX || complaints->invalid == invalid);
    REQUIRE(complaints->invalid || !invalid);
}

/* In the order of rows and columns, none twice. */
static void check_squares(const struct value *value)
{
    REQUIRE(value->number >= 1 && value->number <= PARAM_SQUARES_MAX);
    for (size_t i = 1; i < value->number; i++) {
        const struct param_square *a = &value->squares[i - 1], *b = &value->squares[i];
        REQUIRE(a->row < b->row || (a->row == b->row && a->column < b->column));
    }
}

/* Of a query that nothing was wrong with. */
static void check_values(const struct param *rows, const struct value *values)
{
    for (; rows->name; rows++, values++) {
        REQUIRE(values->sound);
        REQUIRE(values->given || !rows->required);
        if (!values->given)
            continue;
        switch (rows->type) {
        case PARAM_NUMBER: REQUIRE(values->number >= rows->least && values->number <= rows->most); break;
        case PARAM_CHOICE:
            for (uint64_t i = 0; i <= values->number; i++)
                REQUIRE(rows->choices(i));
            break;
        case PARAM_TOKEN:
            REQUIRE(values->token[0]);
            check_shown(values->token, sizeof values->token);
            break;
        case PARAM_RANGE: REQUIRE(values->number <= values->last && values->last <= rows->most); break;
        case PARAM_SQUARES: check_squares(values); break;
        case PARAM_COLUMNS: REQUIRE(values->number >= 1 && values->number <= PARAM_COLUMNS_MAX); break;
        case PARAM_FACTORS:
            REQUIRE(values->number >= 1 && values->number <= PARAM_FACTORS_MAX);
            for (size_t i = 0; i < values->number; i++)
                REQUIRE(values->factors[i] >= 2 && values->factors[i] <= rows->most);
            break;
        }
    }
}

/* The same values, as far as they were given; those that are presets need not be given again. */
static void check_same(const struct param *rows, const struct value *a, const struct value *b)
{
    for (; rows->name; rows++, a++, b++) {
        REQUIRE(a->number == b->number);
        REQUIRE(a->last == b->last);
        REQUIRE(strcmp(a->token, b->token) == 0);
        if (rows->type == PARAM_SQUARES && a->given)
            REQUIRE(memcmp(a->squares, b->squares, a->number * sizeof a->squares[0]) == 0);
        if (rows->type == PARAM_COLUMNS && a->given)
            REQUIRE(memcmp(a->columns, b->columns, a->number * sizeof a->columns[0]) == 0);
        if (rows->type == PARAM_FACTORS && a->given)
            REQUIRE(memcmp(a->factors, b->factors, a->number * sizeof a->factors[0]) == 0);
        REQUIRE(a->given || !b->given);
    }
}

/* What the route's own checker adds, whatever the rows complained of, for one representation: how many complaints. */
static size_t check_further(const struct route *route, size_t representation, const struct asked *query)
{
    const struct request request = {.route = route, .representation = representation};
    static struct complaints complaints;
    complaints = query->complaints;
    route->check(&request, query->values, &complaints);
    REQUIRE(complaints.made >= query->complaints.made);
    check_complaints(&complaints);
    return complaints.made;
}

/* The canonical form is to be judged as what it stands for is. Once both are read, if it can be read at all. */
static void check_checker(const struct route *route, const struct asked *query, const struct asked *again)
{
    for (size_t i = 0; route->check && (i == 0 || (route->formats && route->formats(i))); i++) {
        const size_t made = check_further(route, i, query);
        REQUIRE(!again || check_further(route, i, again) == made);
    }
}

static void check_route(const struct route *route, const char *text, size_t size)
{
    const struct param *rows = route->params;
    static struct asked query, again;
    struct bytes form = {0}, form_again = {0}, bare = {0};
    read_query(rows, &query, text, size);
    check_complaints(&query.complaints);
    if (query.complaints.count) {
        check_checker(route, &query, NULL);
        return;
    }
    check_values(rows, query.values);
    params_canonical(rows, query.values, true, &form);
    REQUIRE(!form.failed && (form.size == 0 || form.data[0] == '?'));
    read_query(rows, &again, form.size ? form.data + 1 : "", form.size ? form.size - 1 : 0);
    REQUIRE(again.complaints.count == 0);
    check_same(rows, query.values, again.values);
    check_checker(route, &query, &again);
    params_canonical(rows, again.values, true, &form_again);
    REQUIRE(form_again.size == form.size);
    REQUIRE(form.size == 0 || memcmp(form_again.data, form.data, form.size) == 0);

    params_canonical(rows, query.values, false, &bare); /* the last rows, so the form without them begins the form */
    REQUIRE(bare.size <= form.size);
    REQUIRE(bare.size == 0 || memcmp(bare.data, form.data, bare.size) == 0);
    bytes_free(&form);
    bytes_free(&form_again);
    bytes_free(&bare);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (const struct route *const *at = routes; *at; at++)
        if ((*at)->params)
            check_route(*at, (const char *)data, size);
    return 0;
}
