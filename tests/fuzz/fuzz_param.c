/* fuzz_param.c - a decoded query of any bytes, "name=value" pieces between ampersands, read against the parameters of
 * every route and read by it into a question, for every format. What is complained of must be fit to be shown; what is
 * not must be within its row, and its canonical form must say the same again. */
#include <string.h>

#include "fuzz.h"
#include "http/reply/request.h"
#include "http/routes/routes.h"

static void read_piece(struct params *query, const char *piece, size_t size)
{
    const char *equals = memchr(piece, '=', size);
    const size_t name_size = equals ? (size_t)(equals - piece) : size, value_size = equals ? size - name_size - 1 : 0;
    char *name = fuzz_bytes(piece, name_size), *value = equals ? fuzz_bytes(equals + 1, value_size) : NULL;
    params_read(query, name, name_size, value, value_size);
    free(name);
    free(value);
}

static void read_query(const struct param *rows, struct params *query, const char *text, size_t size)
{
    memset(query, 0xa5, sizeof *query); /* so that members left unset are seen */
    params_begin(query, rows);
    const bool ends_empty = size && text[size - 1] == '&';
    while (size) {
        const char *end = memchr(text, '&', size);
        const size_t piece = end ? (size_t)(end - text) : size;
        read_piece(query, text, piece);
        text += end ? piece + 1 : piece;
        size -= end ? piece + 1 : piece;
    }
    if (ends_empty)
        read_piece(query, "", 0);
    params_end(query);
}

static void check_shown(const char *text, size_t room)
{
    const char *end = memchr(text, '\0', room);
    REQUIRE(end);
    for (; text < end; text++)
        REQUIRE(*text >= ' ' && *text <= '~');
}

static void check_validation_errors(const struct validation_errors *errors)
{
    bool invalid = false;
    REQUIRE(errors->count <= VALIDATION_ERRORS_MAX);
    for (size_t i = 0; i < errors->count; i++) {
        const struct validation_error *error = &errors->list[i];
        check_shown(error->parameter, sizeof error->parameter);
        check_shown(error->reason, sizeof error->reason);
        REQUIRE(error->reason[0]);
        invalid |= !refusals[error->why].policy;
    }
    REQUIRE(errors->count == VALIDATION_ERRORS_MAX || errors->invalid == invalid);
    REQUIRE(errors->invalid || !invalid);
}

/* Sizes, and boards that have each column once. */
static void check_factors(const struct param *row, const struct value *value)
{
    const uint32_t *word = value->factors, *end = word + value->last;
    for (size_t i = 0; i < value->number; i++) {
        const uint32_t size = *word & ~PARAM_BOARD;
        const bool board = *word++ & PARAM_BOARD;
        REQUIRE(size >= 2 && size <= (board ? PARAM_FACTOR_COLUMNS_MAX : row->most));
        for (uint32_t k = 0; board && k < size; k++) {
            REQUIRE(word[k] >= 1 && word[k] <= size);
            for (uint32_t other = 0; other < k; other++)
                REQUIRE(word[other] != word[k]);
        }
        word += board ? size : 0;
    }
    REQUIRE(word == end);
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

/* Of a valid query. */
static void check_values(const struct param *rows, const struct value *values)
{
    for (; rows->name; rows++, values++) {
        REQUIRE(values->sound);
        REQUIRE(values->given || !rows->required || rows->unless);
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
            check_shown(values->token, PARAM_TOKEN_MAX + 1);
            break;
        case PARAM_TEXT: REQUIRE(strlen(values->text) <= PARAM_TEXT_MAX); break;
        case PARAM_RANGE: REQUIRE(values->number <= values->last && values->last <= rows->most); break;
        case PARAM_SQUARES: check_squares(values); break;
        case PARAM_QUEENS:
            if (values->number && values->squares[0].row != PARAM_NO_ROW)
                check_squares(values);
            for (size_t i = 0; i < values->number; i++)
                REQUIRE((values->squares[i].row == PARAM_NO_ROW) == (values->squares[0].row == PARAM_NO_ROW));
            break;
        case PARAM_COLUMNS: REQUIRE(values->number >= 1 && values->number <= PARAM_COLUMNS_MAX); break;
        case PARAM_FACTORS:
            REQUIRE(values->number >= 1 && values->number <= PARAM_FACTORS_MAX);
            check_factors(rows, values);
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
        if (rows->type == PARAM_TOKEN && a->given)
            REQUIRE(strcmp(a->token, b->token) == 0);
        if (rows->type == PARAM_TEXT && a->given)
            REQUIRE(strcmp(a->text, b->text) == 0);
        if ((rows->type == PARAM_SQUARES || (rows->type == PARAM_QUEENS && a->number)) && a->given)
            REQUIRE(memcmp(a->squares, b->squares, a->number * sizeof a->squares[0]) == 0);
        if (rows->type == PARAM_COLUMNS && a->given)
            REQUIRE(memcmp(a->columns, b->columns, a->number * sizeof a->columns[0]) == 0);
        if (rows->type == PARAM_FACTORS && a->given)
            REQUIRE(memcmp(a->factors, b->factors, a->last * sizeof a->factors[0]) == 0);
        REQUIRE(a->given || !b->given);
    }
}

/* Reads the values into a question of the route, whatever the rows complained of, for one representation: how many
 * validation errors. */
static size_t read_further(const struct route *route, size_t representation, const struct params *query)
{
    static struct params copy;
    static char texts[PARAMS_MAX][PARAM_BOARD_MAX + 1];
    struct request request = {.route = route, .representation = representation};
    copy = *query;
    for (size_t i = 0; route->asks.params[i].name; i++) /* which the reader may change */
        if (route->asks.params[i].type == PARAM_TEXT && copy.values[i].given && copy.values[i].sound)
            copy.values[i].text = strcpy(texts[i], query->values[i].text);
    struct value *format = value_named(route->asks.params, copy.values, "format");
    if (format && !format->given) /* as an Accept says */
        *format = (struct value){.given = representation > 0, .sound = true, .number = representation};
    if (!question_normalise(&route->asks, &copy))
        return copy.errors.made;
    (void)question_draw(&route->asks, copy.values);
    REQUIRE(route->read(&request, copy.values, &copy.errors));
    request_keep(&request, NULL, NULL); /* as a request that is over */
    free(request.columns);
    REQUIRE(copy.errors.made >= query->errors.made);
    check_validation_errors(&copy.errors);
    return copy.errors.made;
}

/* The canonical form is to be judged as what it stands for is. Once both are read, if it can be read at all. */
static void check_reader(const struct route *route, const struct params *query, const struct params *again)
{
    for (size_t i = 0; route->read && (i == 0 || (route->formats && route->formats(i))); i++) {
        const size_t made = read_further(route, i, query);
        REQUIRE(!again || made || !read_further(route, i, again)); /* what is refused has no canonical form */
    }
}

static void check_route(const struct route *route, const char *text, size_t size)
{
    const struct param *rows = route->asks.params;
    static struct params query, again;
    struct bytes form = {0}, form_again = {0}, bare = {0};
    read_query(rows, &query, text, size);
    check_validation_errors(&query.errors);
    if (query.errors.count) {
        check_reader(route, &query, NULL);
        return;
    }
    check_values(rows, query.values);
    params_canonical(rows, query.values, true, &form);
    REQUIRE(!form.failed && (form.size == 0 || form.data[0] == '?'));
    read_query(rows, &again, form.size ? form.data + 1 : "", form.size ? form.size - 1 : 0);
    REQUIRE(again.errors.count == 0);
    check_same(rows, query.values, again.values);
    check_reader(route, &query, &again);
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
        if ((*at)->asks.params)
            check_route(*at, (const char *)data, size);
    return 0;
}
